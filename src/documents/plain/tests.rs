use super::super::{Document, parse};
use run::evidence::BlockKind::{self, *};

fn read(text: &str) -> Document {
    parse(text.as_bytes(), "note.txt").expect("text in the file")
}

fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
}

#[test]
fn underlined_and_capital_lines_are_headings() {
    let note = read(
        "A NOTE\n======\n\nFirst line\nand second.\n\nPorts\n-----\n\nOne.\n\nSECURITY FIRST\n\nTwo.\n\n1.2 Details\n\nThree.\n\n1.2.1 and more\n\nFour.\n",
    );
    assert_eq!(note.title, "A NOTE");
    let paths: Vec<String> = note.blocks.iter().map(|b| b.headings.join("/")).collect();
    assert_eq!(paths, ["", "Ports", "Ports/SECURITY FIRST", "Ports/1.2 Details", "Ports/1.2 Details/1.2.1 and more"]);
    assert_eq!(note.blocks[0].text, "First line and second.");
    assert_eq!(note.blocks.iter().map(|b| b.line).collect::<Vec<_>>(), [4, 10, 14, 18, 22]);
}

#[test]
fn a_paragraph_whose_first_line_is_set_in_by_no_break_spaces_is_one() {
    let note = read(
        "10.2.2. Suites\n\n\u{a0}\u{a0}\u{a0} Here is a list of notable suites that are available\n    on the system.\n\n    They differ.\n",
    );
    let texts: Vec<&str> = note.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(texts, ["Here is a list of notable suites that are available on the system.", "They differ."]);
    assert!(note.blocks.iter().all(|block| block.headings.is_empty()), "{:?}", note.blocks);
}

#[test]
fn the_heads_of_columns_above_a_rule_are_no_heading() {
    let note = read(
        "A NOTE\n======\n\nSources\n-------\n\nIt prints:\n\n    MS Name/IP address         Stratum Poll Reach LastRx Last sample\n    ================================================================\n    ^? foo.example.net               2   6   377    23   -923us\n\nThen it ends.\n\n1.   Costs\n----------\nNone.\n\nAppendix A   Prices\n-------------------\n\nHigh.\n",
    );
    let below = |text: &str| {
        let block = note.blocks.iter().find(|block| block.text.contains(text));
        block.map(|block| block.headings.join("/")).unwrap_or_default()
    };
    assert_eq!(below("Then it ends"), "Sources");
    assert_eq!(below("foo.example.net"), "Sources");
    assert!(below("None").ends_with("Costs"), "{}", below("None"));
    assert!(below("High").ends_with("Prices"), "{}", below("High"));
}

#[test]
fn lists_keep_their_items_and_introduction() {
    let note = read(
        "Questions to send:\n\n  1. Which one\n     is it?\n  2. Why?\n\nIt needs\n- water,\n- air.\nAnd then more.\n",
    );
    assert_eq!(
        blocks(&note),
        [
            (Paragraph, "Questions to send:"),
            (ListItem, "Which one is it?"),
            (ListItem, "Why?"),
            (Paragraph, "It needs"),
            (ListItem, "water,"),
            (ListItem, "air. And then more."),
        ]
    );
    assert_eq!(note.blocks[2].intro.as_deref(), Some("Questions to send:"));
}

#[test]
fn each_list_has_the_introduction_that_stands_before_it() {
    let note = read(
        "   The leader may\n    1. appoint a deputy;\n    2. call a vote:\n       - at once\n       - in May\n    3. resign.\n\n   Anybody may:\n    1. ask.\n",
    );
    let items = note.blocks.iter().filter(|block| block.kind == ListItem);
    let intros: Vec<_> = items.map(|block| (block.text.as_str(), block.intro.as_deref().unwrap_or(""))).collect();
    assert_eq!(
        intros,
        [
            ("appoint a deputy;", "The leader may"),
            ("call a vote:", "The leader may"),
            ("at once", "call a vote:"),
            ("in May", "call a vote:"),
            ("resign.", "The leader may"),
            ("ask.", "Anybody may:"),
        ]
    );
}

#[test]
fn the_title_of_an_item_is_no_part_of_its_first_sentence() {
    let note = read(
        "1. It will remain free\n   We give the rules by which we say whether a work is\n   free in another paper.\n2. This one has a line that is full\n   Debian of all things.\n",
    );
    assert_eq!(
        blocks(&note),
        [
            (ListItem, "It will remain free"),
            (ListItem, "We give the rules by which we say whether a work is free in another paper."),
            (ListItem, "This one has a line that is full Debian of all things."),
        ]
    );
}

#[test]
fn key_value_lines_stand_alone_and_sentences_with_a_colon_do_not() {
    let note = read(
        "REST API: 6333\nMetrics: /metrics on the port\n\nNote: this is a sentence and not a pair of key and value.\n",
    );
    let first = [(KeyValue, "REST API: 6333"), (KeyValue, "Metrics: /metrics on the port")];
    assert_eq!(blocks(&note)[..2], first);
    assert_eq!(note.blocks[2].kind, Paragraph);
}

#[test]
fn indented_commands_are_code_and_indented_sentences_are_not() {
    let note = read(
        "Call this:\n\n    POST /collections/chunks?x=1\n\n    This is set in from the margin, and it is prose.\n",
    );
    assert_eq!(note.blocks[1].kind, Code);
    assert_eq!(note.blocks[2].kind, Paragraph);
}

#[test]
fn an_indented_sentence_with_marks_around_its_words_is_no_code() {
    for sentence in ["<language> A subset of {APT}.", "-p now marks only directories, as before (with \"ls\")."] {
        assert_eq!(blocks(&read(&format!("apt\n\n   {sentence}\n"))).last(), Some(&(Paragraph, sentence)));
    }
    for code in ["if (n == 0) return a[n];", "SELECT name FROM t WHERE a IN (1, 2);", "Host example.org port 22"] {
        assert_eq!(blocks(&read(&format!("apt\n\n   {code}\n"))).last(), Some(&(Code, code)));
    }
}

#[test]
fn an_entry_of_a_dictionary_is_titled_by_its_first_name() {
    for names in ["virus", "virus\ncomputer virus", "VIRUS", "Virus"] {
        let entry = read(&format!("{names}\n\n   <security> A program that copies itself.\n\n   (2003-06-22)\n"));
        assert_eq!(entry.title.to_lowercase(), "virus", "{names}");
        let told = entry.blocks.iter().find(|block| block.text.starts_with("<security>")).unwrap();
        assert_eq!((told.kind, &told.headings[..]), (Paragraph, &[][..]), "{names}");
    }
    assert_eq!(read("Call this:\n\n   copy a b\n").title, read("Call this.\n").title);
}

#[test]
fn the_entries_of_a_glossary_have_their_names_above_them() {
    let entries: String =
        (1..10).map(|n| format!("   :term {n}: /t\u{259}m/, n.\n\n   1. A word for {n} things.\n\n")).collect();
    let glossary = read(&format!("The File\n\nTERMS\n\n   term 1\n\n   MS-DOS\n\n{entries}"));
    let last = glossary.blocks.last().unwrap();
    assert_eq!((&last.text[..], last.headings.last().unwrap().as_str()), ("A word for 9 things.", "term 9"));
    assert_eq!(last.headings.len(), 2, "{:?}", last.headings);
}

#[test]
fn a_manual_page_keeps_its_headings_and_its_terms_with_what_they_mean() {
    let page = read(
        "copy(1)             User Commands             copy(1)\n\n\
         NAME\n       copy - copies one file\n\n\
         DESCRIPTION\n       It copies a file to another place, and keeps its name if the place\n       is a folder.\n\n\
         OPTIONS\n       -f, --force\n              Writes over a file that is there already, without a question.\n\n\
         \x20             With two of them it also writes over folders.\n\n\
         \x20      --dry  Says what would be copied and copies nothing at all.\n              This is safe to try.\n\n\
         EXIT STATUS\n       It is 0 if all went well.\n",
    );
    assert_eq!(page.title, "copy(1): copies one file");
    let told: Vec<(String, &str)> =
        page.blocks.iter().map(|block| (block.headings.join("/"), block.text.as_str())).collect();
    let has = |headings: &str, text: &str| told.iter().any(|(above, own)| above == headings && own.starts_with(text));
    assert!(has("DESCRIPTION", "It copies a file"), "{told:?}");
    assert!(has("OPTIONS/-f, --force", "Writes over a file"), "{told:?}");
    assert!(has("OPTIONS/-f, --force", "With two of them"), "{told:?}");
    assert!(has("OPTIONS/--dry", "Says what would be copied"), "{told:?}");
    assert!(has("EXIT STATUS", "It is 0 if"), "{told:?}");
    assert!(page.blocks.iter().all(|block| block.kind != Code), "{told:?}");
}

#[test]
fn a_margin_of_odd_spaces_is_survived() {
    assert_eq!(read("  ``====\n\t\u{a0}=== x y\n").blocks.len(), 1);
}

#[test]
fn aligned_columns_are_a_table() {
    let note = read("Name      Size   Use\n----      ----   ---\nsmall     1 kB   tests\nlarge     1 MB   work\n");
    assert_eq!(blocks(&note), [(TableRow, "small | 1 kB | tests"), (TableRow, "large | 1 MB | work")]);
    assert_eq!(note.blocks[0].intro.as_deref(), Some("Name | Size | Use"));
}

#[test]
fn a_table_without_a_header_has_none() {
    let note = read("<->   Euclidean distance\n<=>   cosine distance\n<#>   inner product\n");
    assert_eq!(note.blocks.len(), 3);
    assert_eq!(note.blocks[0].intro, None);
}

#[test]
fn quoted_mail_is_read_without_its_marks() {
    assert_eq!(
        blocks(&read("> Dear team,\n>\n> we wrap\n> lines.\n")),
        [(Paragraph, "Dear team,"), (Paragraph, "we wrap lines.")]
    );
}

#[test]
fn a_very_long_line_is_split_between_sentences() {
    let note = read(&"This is one sentence of many. ".repeat(1000));
    assert!(note.blocks.len() > 5);
    assert!(note.blocks.iter().all(|b| b.text.len() <= 2400 && b.text.ends_with('.')));
}

#[test]
fn a_page_break_is_no_part_of_the_sentence_that_it_stands_in() {
    let page = |no: u32, text: &str| {
        format!(
            "{text}\n\n\nLee              Draft Standard              [Page {no}]\n\u{c}\nRFC 1             Storage              May 1990\n\n\n"
        )
    };
    let pages = [
        page(1, "   A store keeps what it is given until\n   it is told to drop it. It may not keep"),
        page(2, "   it any longer.\n\n   It answers each request."),
        page(3, "   Others read what\n   was written."),
    ];
    let told = read(&pages.concat());
    assert_eq!(
        blocks(&told),
        [
            (Paragraph, "A store keeps what it is given until it is told to drop it. It may not keep it any longer."),
            (Paragraph, "It answers each request."),
            (Paragraph, "Others read what was written."),
        ]
    );
    assert_eq!(told.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [1, 12, 20]);
    // A form feed may part the sections of a text that was never set in pages.
    let sections = read("One ends here.\n\u{c}\nTwo begins here.\n");
    assert_eq!(blocks(&sections), [(Paragraph, "One ends here."), (Paragraph, "Two begins here.")]);
}

#[test]
fn numbered_headings_are_told_from_items() {
    let paths = |text: &str| read(text).blocks.iter().map(|block| block.headings.join("/")).collect::<Vec<_>>();
    let manual = "The Mail Reader\n\nChapter 1. Start\n\nRun it.\n\n1. Screens\n\nIt has two.\n\n1.1. Index\n\nIt lists all.\n\n1.2.\u{a0}sort_by\n\nSays how.\n\nHELP\n\nPress a key.\n\n2. Keys\n\nThere are many.\n\nChapter 2. Setup\n\n1. Files\n\nIt has one.\n\nAppendix A. Limits\n\nNone.\n";
    assert_eq!(read(manual).title, "The Mail Reader");
    assert_eq!(
        paths(manual),
        [
            "",
            "Chapter 1. Start",
            "Chapter 1. Start/1. Screens",
            "Chapter 1. Start/1. Screens/1.1. Index",
            "Chapter 1. Start/1. Screens/1.2. sort_by",
            "Chapter 1. Start/1. Screens/1.2. sort_by/HELP",
            "Chapter 1. Start/2. Keys",
            "Chapter 2. Setup/1. Files",
            "Appendix A. Limits",
        ]
    );
    let policy = "Leave policy\n\n1. Purpose\n\nIt says when.\n\n2. Scope\n\nAll staff:\n\n1. in offices\n\n2. at home\n\n3. Requests\n\nAsk in time.\n";
    assert_eq!(paths(policy), ["", "1. Purpose", "2. Scope", "2. Scope", "2. Scope", "3. Requests"]);
    let steps = read("Steps:\n\n1. Open it\n\n2. Read it\n\n3. Close it\n");
    assert_eq!(steps.blocks[1..].iter().map(|block| block.kind).collect::<Vec<_>>(), [ListItem, ListItem, ListItem]);
}

#[test]
fn a_line_further_out_than_the_text_is_a_heading() {
    let text = read(&format!(
        "Abstract\n\n{}Terms\n\n   It has none.\n",
        "   It is about storage\n   and its limits.\n\n".repeat(5)
    ));
    assert_eq!(text.blocks.last().map(|block| block.headings.join("/")).as_deref(), Some("Terms"));
}

#[test]
fn a_table_of_contents_is_no_text() {
    let with_pages = "Table of Contents\n\n   1. Start ......... 5\n      1.1. Run ...... 6\n\nIt is text.\n";
    let without = "Table of Contents\n\n1. Start\n    1. Run\n2. Stop\n\nIt is text.\n";
    let wrapped = format!(
        "Table of Contents\n\nPreface\n{}2.1. A heading that is too long for one\nline\n3. Why?\n\nIt is text.\n",
        "1. Start\n    1.1. Run\n".repeat(8)
    );
    for contents in [with_pages, without, &wrapped] {
        assert_eq!(blocks(&read(contents)), [(Paragraph, "It is text.")], "{contents}");
    }
    let unnamed = read("1.1. Start\n1.2. What does it do?\n\n1.1. Start\n\nIt is text.\n");
    assert_eq!(blocks(&unnamed), [(Paragraph, "It is text.")]);
    let versions = read("1.1 Adds a key\n1.2 Fixes a leak\n");
    assert_eq!(blocks(&versions), [(Paragraph, "1.1 Adds a key 1.2 Fixes a leak")]);
}

#[test]
fn a_lone_letter_is_a_bullet_where_many_paragraphs_begin_with_one() {
    let news = read("o Fixed a leak in\n  the parser.\n\no Added a key.\n\no Removed the menu.\n");
    assert_eq!(
        blocks(&news),
        [(ListItem, "Fixed a leak in the parser."), (ListItem, "Added a key."), (ListItem, "Removed the menu.")]
    );
    assert_eq!(blocks(&read("o livro fica aqui.\n")), [(Paragraph, "o livro fica aqui.")]);
}

#[test]
fn a_framed_table_has_rows_whose_cells_go_on_below() {
    let drawn = read(
        "┌────┬──────┐\n│Key │ Does │\n├────┼──────┤\n│j   │ next │\n│    │ line │\n├────┼──────┤\n│k   │ back │\n└────┴──────┘\n",
    );
    let typed =
        read("+-----+------+\n| Key | Does |\n+-----+------+\n| j   | next |\n| k   | back |\n+-----+------+\n");
    assert_eq!(blocks(&drawn), [(TableRow, "j | next line"), (TableRow, "k | back")]);
    assert_eq!(blocks(&typed), [(TableRow, "j | next"), (TableRow, "k | back")]);
    assert_eq!(drawn.blocks[0].intro.as_deref(), Some("Key | Does"));
}

#[test]
fn a_changelog_has_a_section_for_each_version() {
    let paths = |text: &str| {
        let document = parse(text.as_bytes(), "NEWS").expect("text in the file");
        let headings = document.blocks.iter().map(|block| block.headings.join("/")).collect::<Vec<_>>();
        (document.title.to_string(), headings)
    };
    let set_in = "Changes in 0.3 - 2022-03-01\n  It is quicker than it was.\n\n  o Fixes:\n    - A leak.\n\nChanges in 0.2\n\nUSAGE\n\nIt has keys.\n\nChanges in 0.1a\n==============\n\nIt works.\n";
    assert_eq!(
        paths(set_in),
        (
            "NEWS".to_owned(),
            ["Changes in 0.3 - 2022-03-01"; 3]
                .into_iter()
                .chain(["Changes in 0.2/USAGE", "Changes in 0.1a"])
                .map(str::to_owned)
                .collect()
        )
    );
    let packaged = "store (1.2-1) unstable; urgency=low\n\n  * New keys.\n\n -- Ada Lee <ada@example.org>  Mon, 3 Jan 2022 10:00:00 +0000\n\nstore (1.1-1) unstable; urgency=low\n\n  * A leak is gone.\n\nstore (1.0-1) unstable; urgency=low\n\n  * It works.\n";
    assert!(paths(packaged).1.contains(&"store (1.1-1) unstable; urgency=low".to_owned()));
    let signed = [("0.3.1", "03"), ("0.2.1", "02"), ("0.1.1", "01")].map(|(version, month)| {
        format!("v{version} 2022-{month}-01  Ada Lee <ada@example.org>\n\n\t- A leak is gone.\n\n")
    });
    let versions = paths(&signed.concat()).1;
    assert_eq!(versions.len(), 3);
    assert!(versions[1].starts_with("v0.2.1 2022-02-01"), "{versions:?}");
    let dated = "2022-03-01  Ada Lee\n\n\t* a.c: Fix.\n\n2022-02-01  Bo Ray\n\n\t* b.c: Fix.\n\n2022-01-01  Ada Lee\n\n\t* c.c: Fix.\n";
    assert_eq!(
        paths(dated).1,
        ["2022-03-01  Ada Lee", "2022-02-01  Bo Ray", "2022-01-01  Ada Lee"].map(|h| h.replace("  ", " "))
    );
    let appendix = format!(
        "Store\n=====\n\n{}Version 2.1\n\nVersion 2.0\n\nVersion 1.9\n\nNone.\n",
        "It keeps files.\n\n".repeat(12)
    );
    assert_eq!(paths(&appendix).0, "Store");
    let numbered = "1.1 Start\n\nIt starts.\n\n1.2 Run\n\nIt runs.\n\n1.3 Stop\n\nIt stops.\n";
    assert_eq!(paths(numbered).1, ["1.1 Start", "1.2 Run", "1.3 Stop"]);
}

#[test]
fn a_first_line_in_the_middle_is_the_title() {
    let guide = read(
        "\n\n                     A Guide to the Store\n                       (for all)\n\nPART ONE\n\nIt keeps files.\n",
    );
    assert_eq!(guide.title, "A Guide to the Store");
    assert_eq!(read("                    x = {1, 2, 3}\n\nPART ONE\n\nIt keeps files.\n").title, "PART ONE");
}

#[test]
fn a_sample_of_configuration_is_explained_in_its_comments() {
    let settings = "## Define these to limit how much traffic is let\n## through. The rate must be at least 75 kB a second.\n#Rate 100\n#Burst 200\n";
    let commands = "# cd /srv/store\n# make install\n";
    let first = read(settings).blocks.remove(0);
    assert_eq!(first.kind, Paragraph);
    assert!(
        first.text.ends_with("traffic is let through. The rate must be at least 75 kB a second."),
        "{}",
        first.text
    );
    assert_eq!(read(commands).blocks[0].kind, Code);
}

#[test]
fn what_stands_beside_a_name_behind_tabs_is_its_definition() {
    let note = read(
        ":undojoin\t\tJoin further changes with the previous undo block.\n\t\t\tWarning: Use with care, it may prevent the user from\n\t\t\tproperly undoing changes.\n\n:earlier {N}h\tGo to older text state about {N} hours before.\n\nBold\tis no sentence\n",
    );
    let told: Vec<(String, &str)> =
        note.blocks.iter().map(|block| (block.headings.join("/"), block.text.as_str())).collect();
    assert_eq!(
        told[..3],
        [
            (
                ":undojoin".into(),
                "Join further changes with the previous undo block. Warning: Use with care, it may prevent the user from properly undoing changes."
            ),
            (":earlier {N}h".into(), "Go to older text state about {N} hours before."),
            (String::new(), "Bold is no sentence"),
        ]
    );
}

#[test]
fn tabs_part_the_columns_of_a_table() {
    let note = read("Key\tMeaning\nCTRL-R\tredo a change\nu\tundo a change\n");
    let rows: Vec<(&str, Option<&str>)> =
        note.blocks.iter().map(|block| (block.text.as_str(), block.intro.as_deref())).collect();
    assert_eq!(rows, [("CTRL-R | redo a change", Some("Key | Meaning")), ("u | undo a change", Some("Key | Meaning"))]);
}

#[test]
fn help_of_vim_is_read_without_its_marks() {
    let note = read(
        "*spell.txt*\tFor Vim version 9.0.\n\n\t\t  VIM REFERENCE MANUAL\t  by Bram Moolenaar\n\nSpell checking\t\t\t\t\t\t*spell*\n\n====================\n1. Quick start\t\t\t\t\t*spell-quickstart* *E756*\n\nThis command switches on spell checking: >\n\n\t:setlocal spell\n<\nThis checks for US English.\n\nSPELL FILES\t\t\t\t*spell-load*\n\nVim searches for spell files.\n\nREMARKS ~\n\nWords may be wrong.\n\nCopyright: see |manual-copyright|  vim:tw=78:ts=8:noet:ft=help:norl:\n",
    );
    assert_eq!(note.title, "Spell checking");
    let told: Vec<(String, BlockKind, &str)> =
        note.blocks.iter().map(|block| (block.headings.join("/"), block.kind, block.text.as_str())).collect();
    let told: Vec<(&str, BlockKind, &str)> =
        told.iter().map(|(path, kind, text)| (path.as_str(), *kind, *text)).collect();
    assert_eq!(
        told[told.len() - 5..],
        [
            ("1. Quick start", Paragraph, "This command switches on spell checking:"),
            ("1. Quick start", Code, ":setlocal spell"),
            ("1. Quick start", Paragraph, "This checks for US English."),
            ("1. Quick start/SPELL FILES", Paragraph, "Vim searches for spell files."),
            ("1. Quick start/REMARKS", Paragraph, "Words may be wrong."),
        ]
    );
}

fn paths(text: &str) -> Vec<(String, String)> {
    read(text).blocks.iter().map(|block| (block.headings.join("/"), block.text.to_string())).collect()
}

fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_question_is_the_heading_of_its_answers() {
    let close = "THE STORE\n\nQ: When I type \"run\", it says\n\"not found\"?!\nA: Its folder is not\non the path.\n\nQ: ...but it is there.\nA: Type its path.\nA: Or move it.\n\nQ: How long does a run take?\nA: About two days.\n\nLIMITS\n\nNone.\n";
    let wanted = [
        ("When I type \"run\", it says \"not found\"?!", "Its folder is not on the path."),
        ("...but it is there.", "Type its path."),
        ("...but it is there.", "Or move it."),
        ("How long does a run take?", "About two days."),
        ("LIMITS", "None."),
    ];
    assert_eq!(paths(close), pairs(&wanted));
    assert_eq!(read(close).title, "THE STORE");
    assert_eq!(read(close).blocks[0].line, 5);
    let apart = "Q1. Why is it slow.\n    Is this a fault?\n\nA1. It reads all that is in the folder of\n    the user, and then\n\n    it reads it again.\n\nQ2. Can it be stopped?\n\nA2. Yes: press a key.\n\nQ3. Where?\n\nA3.\n    Anywhere.\n\nLIMITS\n\nNone.\n";
    let wanted = [
        ("Why is it slow. Is this a fault?", "It reads all that is in the folder of the user, and then"),
        ("Why is it slow. Is this a fault?", "it reads it again."),
        ("Can it be stopped?", "Yes: press a key."),
        ("Where?", "Anywhere."),
        ("LIMITS", "None."),
    ];
    assert_eq!(paths(apart), pairs(&wanted));
    assert_eq!(read(apart).title, "note.txt");
    assert!(read(apart).blocks.iter().all(|block| block.kind == Paragraph));
}

#[test]
fn a_long_question_is_kept_whole() {
    let long = format!("Q: {} Why?\nA: It is so.\n\n", "It stops after a while. ".repeat(20));
    let note = read(&long.repeat(3));
    assert!(note.blocks[0].text.ends_with("Why?") && note.blocks[0].text.len() > 400);
    assert_eq!(note.blocks[1].text, "It is so.");
}

#[test]
fn letters_with_a_colon_are_no_questions_in_a_text_that_asks_little() {
    for text in [
        "Q: Is it open?\nA: Yes.\n\nQ: Is it old?\nA: No.\n",
        "Q: 12\nA: 30\n\nQ: 13\nA: 31\n\nQ: 14\nA: 32\n",
        "Q: Is it open?\n\nQ: Is it old?\n\nQ: Is it red?\n",
        "A: Is it open?\n\nB: Is it old?\n\nA: Is it red?\n",
    ] {
        assert!(read(text).blocks.iter().all(|block| block.headings.is_empty()), "{text}");
    }
}

#[test]
fn titles_that_are_set_in_further_than_the_text_are_headings() {
    let modes = "\tThe modes.\n\nThere are three.\nEach is short.\n\n\n\tWordlist mode.\n\nThis is the simplest mode.\nIt is quick.\n\n\n\t\"Single\" mode\n\nThis is the next.\nIt is slow.\n\n    run --single\n\nIt ends.\n";
    let wanted = [
        ("", "There are three. Each is short."),
        ("Wordlist mode", "This is the simplest mode. It is quick."),
        ("\"Single\" mode", "This is the next. It is slow."),
        ("\"Single\" mode", "run --single"),
        ("\"Single\" mode", "It ends."),
    ];
    assert_eq!(paths(modes), pairs(&wanted));
    assert_eq!(read(modes).title, "The modes");
    let answers = "It says:\n\n\n\tThe file is kept.\n\nGo on then.\n\n".repeat(4);
    let near = "It is told so.\n\n\tThe file is kept.\n\nGo on then.\n\n".repeat(4);
    let few = "It is told so.\n\n\n\tThe file is kept.\n\nGo on then.\n\n".repeat(2);
    for text in [answers, near, few] {
        assert!(read(&text).blocks.iter().all(|block| block.headings.is_empty()), "{text}");
    }
}

#[test]
fn the_numbered_headings_of_a_text_that_is_set_in_are_read() {
    let body = "   It is about storage\n   and its limits, and\n   about nothing else.\n\n";
    let rfc = format!(
        "Lee                                Store\n\n                   The Store Format\n\nAbstract\n\n{body}1. Introduction\n\n{body}   1. A store\n      keeps files.\n\n   2. It drops none.\n\n2. Pages\n\n{body}        one page and its parts\n -----------------------------\n> |  page_1   |  page_2   |  <\n -----------------------------\n\n   Pages are of variable size.\n\n3. References\n\n   [1] Lee, A.\n"
    );
    let path = |text: &str| {
        read(&rfc).blocks.iter().find(|block| block.text.contains(text)).map(|block| block.headings.join("/"))
    };
    assert_eq!(path("keeps files").as_deref(), Some("1. Introduction"));
    assert_eq!(path("Pages are").as_deref(), Some("2. Pages"));
    assert_eq!(path("Lee, A.").as_deref(), Some("3. References"));
    let steps = format!("{}1. Open it\n\n   It opens.\n\n2. Close it\n\n   It closes.\n", "Some words.\n\n".repeat(12));
    assert!(read(&steps).blocks.iter().all(|block| block.headings.is_empty()));
}

#[test]
fn a_framed_table_is_read_below_its_caption_and_without_its_ragged_rows() {
    let rule = "+----------+---------+\n";
    let rows = [
        "| Key      | *Does*  |\n",
        "| <k>      | **back**|\n| [k.txt]  | or so   |\n",
        "| a | b    | ragged  |\n",
        "| l        | on      |\n",
    ];
    let note = read(&format!("The keys:\n{rule}{}That is all.\n", rows.map(|row| format!("{row}{rule}")).concat()));
    let wanted =
        [(Paragraph, "The keys:"), (TableRow, "k | back or so"), (TableRow, "l | on"), (Paragraph, "That is all.")];
    assert_eq!(blocks(&note), wanted);
    assert_eq!(note.blocks[1].intro.as_deref(), Some("Key | Does"));
    assert_eq!(note.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [1, 5, 10, 12]);
    let drawing = "It looks so:\n  +---+    +---+\n  | a |--->| b |\n  +---+    +---+\n  a goes first\n  +---+\n";
    assert!(read(drawing).blocks.iter().all(|block| block.kind != TableRow));
}

#[test]
fn marks_of_bold_words_and_targets_of_links_are_no_text() {
    let note =
        read("The **due date** is set by <the user> [Users.txt],\nor not.\n\n * <fs> [Quota.FS.txt]: Filesystem.\n");
    assert_eq!(blocks(&note), [(Paragraph, "The due date is set by the user, or not."), (ListItem, "fs: Filesystem.")]);
}
