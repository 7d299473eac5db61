use super::super::{Document, parse};
use run::evidence::BlockKind::{self, *};

fn read(text: &str) -> Document {
    parse(text.as_bytes(), "notes.org").expect("text in the notes")
}

fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
}

#[test]
fn notes_fall_into_their_blocks() {
    let notes = read(
        "#+TITLE: Backups\n#+AUTHOR: Ada\n\n* Where they go :ops:\n:PROPERTIES:\n:ID: 7\n:END:\nTo the /vault/, by =rsync=, since\n\
         [[https://example.org][the move]][fn:1].\n\n# A comment.\n- [X] daily, +on tape+ on disk\n  and checked\n- weekly\n\n\
         #+begin_src sh\n  rsync -a /home vault:\n#+end_src\n\n* TODO [#A] How long\nSCHEDULED: <2026-01-05 Mon>\n\
         | What | Days |\n|------+------|\n| daily | 30 |\n\n: 42 files\n",
    );
    assert_eq!(notes.title, "Backups");
    assert_eq!(
        blocks(&notes),
        [
            (Paragraph, "To the vault, by rsync, since the move."),
            (ListItem, "daily, on disk and checked"),
            (ListItem, "weekly"),
            (Code, "rsync -a /home vault:"),
            (TableRow, "daily | 30"),
            (Code, "42 files"),
        ]
    );
    assert_eq!(notes.blocks[0].headings[..], ["Where they go"]);
    assert_eq!(notes.blocks[4].headings[..], ["TODO How long"]);
    assert_eq!(notes.blocks[4].intro.as_deref(), Some("What | Days"));
    assert_eq!(notes.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [8, 12, 14, 17, 24, 26]);
}

#[test]
fn a_headline_with_nothing_below_it_is_an_item() {
    let notes = read("* Shopping\n** Two litres of milk\n** Bread\n* Calls\nNobody called.\n");
    assert_eq!(blocks(&notes), [(ListItem, "Two litres of milk"), (ListItem, "Bread"), (Paragraph, "Nobody called.")]);
    assert_eq!(notes.title, "notes.org", "of several outermost headlines none is the title");
    assert_eq!(notes.blocks[1].headings[..], ["Shopping"]);
    assert_eq!(notes.blocks[2].headings[..], ["Calls"]);
    assert_eq!(read("* Shopping\nMilk and bread.\n").title, "Shopping");
}

#[test]
fn a_term_is_told_with_its_text() {
    let notes = read(
        "- inode :: A record of a file. It has no name.\n- dentry ::\n  A name, and the inode it leads to.\nThen more.\n",
    );
    assert_eq!(
        blocks(&notes),
        [
            (KeyValue, "inode: A record of a file. It has no name."),
            (KeyValue, "dentry: A name, and the inode it leads to."),
            (Paragraph, "Then more."),
        ]
    );
}

#[test]
fn what_is_commented_out_or_for_programs_is_no_text() {
    let notes = read(
        "Kept.\n\n#+begin_comment\nNot yet.\n#+end_comment\n#+begin_quote\nQuoted.\n#+end_quote\n\
         * COMMENT Later\nNever read.\n** Below\nNor this.\n* Now\nRead.\n\n#+begin_src\nno end\n",
    );
    assert_eq!(
        blocks(&notes),
        [(Paragraph, "Kept."), (Paragraph, "Quoted."), (Paragraph, "Read."), (Paragraph, "no end")]
    );
}

#[test]
fn markup_within_a_line_is_taken_away() {
    for (raw, plain) in [
        ("*Bold* and /it/, (_under_) ~a*b~.", "Bold and it, (under) a*b."),
        ("2 * 3 * 4, a/b/c and snake_case_name", "2 * 3 * 4, a/b/c and snake_case_name"),
        ("See [[*Limits]] and [[file:a.org::*Top][the top]].", "See Limits and the top."),
        ("[[./plot.png]]It grows [cite:@knuth].", "It grows."),
        ("On <2026-01-05 Mon>, a < b > c, <<here>><<<term>>>", "On 2026-01-05 Mon, a < b > c, term"),
        ("Press {{{kbd(C-c\\, C-e)}}}\\nbsp{}twice\\dots", "Press C-c, C-e twice\u{2026}"),
        ("@@html:<b>@@loud@@html:</b>@@", "loud"),
        ("=not closed and *so this", "=not closed and *so this"),
    ] {
        assert_eq!(super::inline::plain(raw), plain, "{raw}");
    }
}
