use std::time::Duration;

use crate::tests::Spent;

use super::super::format::Format;
use super::super::{Document, parse};
use super::inline::Inline;
use run::evidence::BlockKind::{self, *};

fn read(text: &str) -> Document {
    parse(text.as_bytes(), "page.adoc").expect("text in the page")
}

fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
}

fn told(document: &Document) -> Vec<String> {
    document.blocks.iter().map(|block| format!("{}|{}", block.headings.join(" / "), block.text)).collect()
}

#[test]
fn a_page_has_its_title_its_sections_and_no_header() {
    let page = read(
        "// A comment.\n= Heaps: a guide\nAnn Example <ann@example.org>; Bo Example\nv1.2, 2024-05-01\n:name: heap\n:long: one \\\n  two\n\n\
         A {name} is {long} {unknown}.\n\n[[limits]]\n== Limits ==\n\nThere are\nsome. // no comment\n// one\nSee <<limits>>.\n\n\
         [discrete]\n=== Deep\n\na.\n\n## More\n\nb.\n",
    );
    assert_eq!(page.title, "Heaps: a guide");
    assert_eq!(
        told(&page),
        [
            "|A heap is one two {unknown}.",
            "Limits|There are some. // no comment See Limits.",
            "Limits / Deep|a.",
            "More|b.",
        ]
    );
    assert_eq!(page.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [9, 14, 22, 26]);
}

#[test]
fn a_manual_page_of_git_is_called_as_a_formatted_one() {
    let source = "git-log(1)\n==========\n\nNAME\n----\ngit-log - Show commit logs\n\nSYNOPSIS\n--------\n[verse]\n'git log' [<options>]\n\
                  \t  [--follow]\n\nOPTIONS\n-------\n--no-decorate::\n--decorate[=short|no]::\n\tPrint out the names. Possible values\n\tare:\n+\n--\n\
                  short;; their prefixes are not printed.\n\nno;; nothing is.\n--\n+\nThe option is new, and it does nothing at all where the output goes to a file, to a pipe, or to \
                  another program that reads it, since such programs would have to take it away again.\n\n[[v]]-v::\n  Says more. See linkgit:git[1].\n\n\
                  \u{2d}-bare::\n\nGIT\n---\nPart of the linkgit:git[1] suite\n";
    assert_eq!(Format::by_name("git-log.txt").settle(source), Format::AsciiDoc);
    let page = read(source);
    assert_eq!(page.title, "git-log(1): Show commit logs");
    assert_eq!(
        told(&page),
        [
            "NAME|git-log - Show commit logs",
            "SYNOPSIS|git log [<options>]\n   [--follow]",
            "OPTIONS / --no-decorate, --decorate[=short|no]|Print out the names. Possible values are:",
            "OPTIONS / --no-decorate, --decorate[=short|no]|short: their prefixes are not printed.",
            "OPTIONS / --no-decorate, --decorate[=short|no]|no: nothing is.",
            "OPTIONS / --no-decorate, --decorate[=short|no]|The option is new, and it does nothing at all where the output goes to a \
             file, to a pipe, or to another program that reads it, since such programs would have to take it away again.",
            "OPTIONS|-v: Says more. See git(1).",
            "OPTIONS|--bare",
            "GIT|Part of the git(1) suite",
        ]
    );
}

#[test]
fn lists_nest_and_keep_what_is_joined_to_them_and_their_introduction() {
    let page = read(
        "It has these:\n\n* one\n  goes on\n** deep:\n... [x] deeper\n* two\n+\nJoined.\n+\n----\ncode\n----\n\n  literal\n\n- three\n+\n[NOTE]\n====\nMind.\n\n* x\n====\n\n\
         End.\n\n1. First\n2. Second +\nline\n",
    );
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, "It has these:"),
            (ListItem, "one goes on"),
            (ListItem, "deep:"),
            (ListItem, "deeper"),
            (ListItem, "two"),
            (ListItem, "Joined."),
            (Code, "code"),
            (Code, "literal"),
            (ListItem, "three"),
            (Paragraph, "Mind."),
            (ListItem, "x"),
            (Paragraph, "End."),
            (ListItem, "First"),
            (ListItem, "Second line"),
        ]
    );
    let intro = |at: usize| page.blocks[at].intro.as_deref();
    assert_eq!(
        (intro(1), intro(3), intro(4), intro(12)),
        (Some("It has these:"), Some("deep:"), Some("It has these:"), None)
    );
}

#[test]
fn indented_sentences_are_read_as_sentences() {
    let said = "This applies the patches while it looks for slips of the pen and corrects them, it moves the branches of the \
                integration and of the tests, and it makes the release.\n  Whoever has a question of it should ask on the list, \
                where all of those who work on it will see it and can give an answer.";
    let page = read(&format!(" - Integration\n\n  {said}\n\n  $ run\n"));
    assert_eq!(page.blocks.iter().map(|block| block.kind).collect::<Vec<_>>(), [ListItem, Paragraph, Code]);
}

#[test]
fn a_join_behind_a_blank_line_leads_to_the_outer_item() {
    let page = read("term:: It has:\n* one\n\n+\nMore of the term.\n");
    assert_eq!(blocks(&page), [(Paragraph, "It has:"), (ListItem, "one"), (Paragraph, "More of the term.")]);
    assert!(page.blocks.iter().all(|block| block.headings[..] == ["term"]));
}

#[test]
fn fences_enclose_code_and_blocks_and_what_is_no_text() {
    let page = read(
        "[source,sh]\n.Title\n----\nrun // <1>\nx <2>\n== no title\n----\n<1> It runs.\n\n```json\n{}1\n```\n\n[source]\nint x;\n\n////\nlost\n\nlost\n////\n\
         ++++\n<b>lost</b>\n++++\n\nNOTE: Mind\nthis.\n\n====\nWithin.\n\n****\nDeeper.\n****\n====\n\n[quote, Ann]\n____\nSaid.\n____\n\n\
         image::x.png[lost]\n'''\ninclude::lost.adoc[]\nifdef::x[]\nKept.\nendif::[]\n\n[comment]\nlost\n\n....\nleft open\n",
    );
    assert_eq!(
        blocks(&page),
        [
            (Code, "run\nx\n== no title"),
            (ListItem, "It runs."),
            (Code, "{}1"),
            (Code, "int x;"),
            (Paragraph, "Mind this."),
            (Paragraph, "Within."),
            (Paragraph, "Deeper."),
            (Paragraph, "Said."),
            (Paragraph, "Kept."),
            (Code, "left open"),
        ]
    );
}

#[test]
fn tables_have_rows_under_their_header_however_the_cells_are_written() {
    let lines = "|===\n|Name |Size\n\n|small |1 kB\n\n|large\n|up to\n`1` MB\n|===\n";
    let given = "[%header,cols=\"1,^.>2a\"]\n|===\n|Name\n|Size\n|small\na|\n1 kB\n|large |up to +\n1 MB\n|===\n";
    let csv = "[options=\"header\"]\n,===\nName,Size\nsmall,1 kB\n\"large\",up to 1 MB\n,===\n";
    for table in [lines, given, csv] {
        let page = read(&format!("{table}\nEnd.\n"));
        let rows = [(TableRow, "small | 1 kB"), (TableRow, "large | up to 1 MB"), (Paragraph, "End.")];
        assert_eq!(blocks(&page), rows, "{table}");
        assert_eq!(page.blocks[0].intro.as_deref(), Some("Name | Size"), "{table}");
    }
    let page = read("[cols=3]\n|===\n2+|wide |a\n.2+|tall 2*|b\n|c \\| d\ne|e\n|===\n");
    assert_eq!(blocks(&page), [(TableRow, "wide | | a"), (TableRow, "tall | b | b"), (TableRow, "tall | c|d | e")]);
}

#[test]
fn markup_is_taken_off_and_text_stays() {
    for (raw, shown) in [
        ("*bold* _it_ `c` #m# **b**old __i__t ``c``ode", "bold it c m bold it code"),
        ("a *_both_* and [.role]#marked# and [.x]*y*", "a both and marked and y"),
        ("snake_case_name 2 * 3 * 4 a*b* *.c and *.h", "snake_case_name 2 * 3 * 4 a*b* *.c and *.h"),
        ("`snake_case` or `__init__`, `*.java`", "snake_case or __init__, *.java"),
        ("C++ and g++, a + b + c, #1 and #2", "C++ and g++, a + b + c, #1 and #2"),
        ("`+a_{b}_+` ++<x>++ +++<y>+++ $$*z*$$ pass:q[*p*]", "a_{b}_ <x> <y> *z* *p*"),
        ("H~2~O and x^2^, HEAD^ and ~/a", "H2O and x^2, HEAD^ and ~/a"),
        ("link:a/b.html[the *text*,window=_blank] link:c.html[]", "the text c.html"),
        (
            "https://x.org/a_b_c[Site^], https://x.org/_a_ or <https://y.org>",
            "Site, https://x.org/_a_ or <https://y.org>",
        ),
        ("https://x.org[role=y] https://x.org[\"a, b\",role=y] mailto:a@b.c[Ann]", "https://x.org a, b Ann"),
        ("{url}/a.html[Text] {unknown} {asterisk}{nbsp}{litdd}", "Text {unknown} * --"),
        ("xref:m:page.adoc#id[Page] xref:m:a/page.adoc[] <<id,`Text`>> <<_some_title>>", "Page page Text some title"),
        ("linkgit:git-log[1] linkgit:git-web{litdd}browse[1]", "git-log(1) git-web--browse(1)"),
        ("a image:x.png[alt] b footnote:[See https://x.org[it].]. [[anchor]]c", "a  b. c"),
        ("kbd:[Ctrl+C] btn:[OK] menu:File[Save > As]", "Ctrl+C OK File > Save > As"),
        ("label:new[Since 5] javadoc:org.x.Name[] note:12", "Since 5 Name note:12"),
        (
            "(C) 2024 -- a--b ... \"`q`\" '`q`' it's",
            "\u{a9} 2024 \u{2014} a\u{2014}b ... \u{201c}q\u{201d} \u{2018}q\u{2019} it's",
        ),
        ("&#160;&lt;&#x41;&gt; a & b &unknown;", "\u{a0}<A> a & b &unknown;"),
        (r"\*a* \_b_ \{c} \https://x.org[y] C:\dir \n", r"*a* _b_ {c} https://x.org[y] C:\dir \n"),
        ("((term)) (((entry,sub))) f((x)) ((a) + (b))", "term  f((x)) ((a) + (b))"),
        ("open *never `closed [[ << link:x[ (((", "open *never `closed [[ << link:x[ ((("),
        ("*a `b* c` d", "a `b c` d"),
    ] {
        assert_eq!(Inline::default().plain(raw), shown, "{raw}");
    }
}

#[test]
fn an_older_page_is_read_as_it_was_written() {
    let mut inline = Inline::default();
    inline.is_older = true;
    for (raw, shown) in [
        (
            "'git log' isn't ``it'' or `--x', `*a* {b}`",
            "git log isn't \u{201c}it\u{201d} or \u{2018}--x\u{2019}, *a* {b}",
        ),
        ("'gui''s `a` and `git log -- '*.c'`", "gui's a and git log -- '*.c'"),
    ] {
        assert_eq!(inline.plain(raw), shown, "{raw}");
    }
}

#[test]
fn text_is_told_to_be_asciidoc_by_marks_that_nothing_else_has() {
    for (text, format) in [
        ("= Guide\n:toc:\n\n[NOTE]\n====\nMind.\n====\n\ninclude::x.adoc[]\n", Format::AsciiDoc),
        ("x(1)\n====\n\n-a::\n\tAll.\n", Format::AsciiDoc),
        ("core.a::\n\tOne. See linkgit:git[1].\n\ncore.b::\n\tTwo.\n", Format::AsciiDoc),
        ("Title\n=====\n\nCode::\n\n    x\n\n.. note:: y\n\n[1]_\n", Format::Plain),
        ("Title\n=====\n\n* a [link](x)\n\n----\n\n```\nlink:x\n```\n", Format::Plain),
        ("== Wiki ==\n\nText [[link]].\n\n|===\n", Format::Plain),
        ("f :: Int\ng :: Int\n", Format::Plain),
        ("A note\n\nTo whom it may concern:: nobody.\n", Format::Plain),
    ] {
        assert_eq!(Format::Plain.settle(text), format, "{text}");
    }
}

#[test]
fn values_of_attributes_do_not_grow_beyond_a_bound() {
    let long = "x".repeat(900);
    let entries: String = (0..20).map(|n| format!(":a{}: {{a{n}}}{{a{n}}}\n", n + 1)).collect();
    let text = format!("= T\n:a0: {long}\n{entries}\n{}\n\n{{a20}}\n", "{a0}".repeat(100_000));
    let page = read(&text);
    assert!(page.bytes < 4 << 20, "{}", page.bytes);
}

#[test]
fn deep_nesting_is_survived() {
    let fences: String = (4..600).map(|length| format!("{}\n\nx{length}\n\n", "=".repeat(length))).collect();
    let lists =
        ["*", "**", "***", "-", ".", "..", "...", "1.", "a.", "i)", "<1>"].map(|marker| format!("{marker} x\n"));
    let terms = "a:: x\nb::: x\nc:::: x\nd;; x\n";
    let text = format!("{}\n{fences}{}{terms}", lists.concat(), lists.concat());
    assert!(read(&text.repeat(20)).blocks.len() > 1000);
}

#[test]
fn a_hostile_paragraph_takes_time_linear_to_its_length() {
    for pattern in [
        "[[",
        "<<",
        "((",
        "(((",
        "`",
        "``",
        "*",
        "**",
        "_a ",
        "*a ",
        "'a ",
        "#a ",
        "+a ",
        "++",
        "^a",
        "~",
        "\"`",
        "link:",
        "link:x[",
        "https://",
        "[.a]#",
        "{a}",
        "{",
        "\\*",
        "\\",
        "footnote:[",
        "xref:a[b ",
        "&#",
        "--",
        "[a]",
        "<<a,",
        "`+",
        "pass:[",
        "]",
        "linkgit:a[1",
    ] {
        for (is_older, tail) in [(false, ""), (true, ""), (true, " x]# x>> x)) x''% x'%")] {
            let mut inline = Inline::default();
            inline.is_older = is_older;
            let text = pattern.repeat(100_000 / pattern.len()) + tail;
            let started = Spent::now();
            inline.plain(&text);
            assert!(started.elapsed() < Duration::from_secs(5), "{pattern:?} took {:?}", started.elapsed());
        }
    }
}

#[test]
fn cells_that_stand_for_many_do_not_grow_beyond_a_bound() {
    let long = "x".repeat(900);
    for cell in ["100*|", "100.100+|", ".100+|"] {
        let page = read(&format!("[cols=100*]\n|===\n{}|===\n", format!("{cell}{long}\n").repeat(1_000)));
        assert!(page.bytes < 8 << 20, "{cell} came to {}", page.bytes);
    }
}
