use super::super::{Document, parse};
use super::is_source;
use run::evidence::BlockKind::{self, *};

fn told(document: &Document) -> Vec<(String, BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.headings.join("/"), block.kind, block.text.as_str())).collect()
}

fn of<'t>(wanted: &[(&str, BlockKind, &'t str)]) -> Vec<(String, BlockKind, &'t str)> {
    wanted.iter().map(|(path, kind, text)| ((*path).to_owned(), *kind, *text)).collect()
}

#[test]
fn headings_of_a_wiki_are_read_in_either_order() {
    let zim = "Content-Type: text/x-zim-wiki\nWiki-Format: zim 0.6\n\n====== FAQ ======\n\nMail [[a@example.org|me]].\n===== Is it fast? =====\nYes, see [[Help:Speed|Speed]].\n* one\n\t* within **it**\n\n==== More ====\n'''\nrun //it//\n'''\n===== Version 2 =====\nIt is new.\n";
    let page = parse(zim.as_bytes(), "FAQ.txt").unwrap();
    assert_eq!(page.title, "FAQ");
    let wanted = [
        ("", Paragraph, "Mail me."),
        ("Is it fast?", Paragraph, "Yes, see Speed."),
        ("Is it fast?", ListItem, "one"),
        ("Is it fast?", ListItem, "within it"),
        ("Is it fast?/More", Code, "run //it//"),
        ("Version 2", Paragraph, "It is new."),
    ];
    assert_eq!(told(&page), of(&wanted));
    assert_eq!(page.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [6, 8, 9, 10, 14, 17]);
    let moin = "#format wiki\n= Store =\n\nIt is '''small'''.\n\n== Use ==\n * Open it.\n * Close it.\n\n=== Keys ===\n{{{\nopen 7;\n}}}\n== Limits ==\n|| '''Key''' || '''Does''' ||\n|| j || next ||\n|| k || back ||\n----\nNone.\n";
    let page = parse(moin.as_bytes(), "store.wiki").unwrap();
    assert_eq!(page.title, "Store");
    let wanted = [
        ("", Paragraph, "It is small."),
        ("Use", ListItem, "Open it."),
        ("Use", ListItem, "Close it."),
        ("Use/Keys", Code, "open 7;"),
        ("Limits", TableRow, "j | next"),
        ("Limits", TableRow, "k | back"),
        ("Limits", Paragraph, "None."),
    ];
    assert_eq!(told(&page), of(&wanted));
}

#[test]
fn counted_items_of_mediawiki_are_items() {
    let page = "== Rules ==\nA fee is raised if,\n\n# The original says so.\n\n# The fee is higher.\n";
    let page = parse(page.as_bytes(), "rules.mediawiki").unwrap();
    let items: Vec<&str> =
        page.blocks.iter().filter(|block| block.kind == ListItem).map(|block| block.text.as_str()).collect();
    assert_eq!(items, ["The original says so.", "The fee is higher."]);
}

#[test]
fn a_text_with_marks_of_equality_is_no_wiki() {
    for text in [
        "if (a == b) {\n== c ==\n}\n",
        "a == b\n== \n== ==\n===\n",
        "=====\nTitle\n=====\n\n== start\n",
        "=== RUN   TestA\n=== RUN   TestB\n",
        "======= FAILURES =======\n======= PASSES =======\n",
        "==x==\n==y==\n",
    ] {
        assert!(!is_source(text), "{text}");
    }
    assert!(!is_source(&format!("{}== One ==\na\n== Two ==\nb\n", "Version 1.0\n\n".repeat(30))));
    assert!(is_source("== One ==\na\n== Two ==\nb\n"));
}

#[test]
fn a_page_of_a_wiki_with_html_in_it_is_read_as_a_page() {
    let page = "<title>Branches</title>\n<h2>Background</h2>\n\nAll is\nlinear, see [./dag.wiki | the graph].\n\nMore <i>of</i> it [3].\n\n<verbatim type=\"pikchr\">\ncircle\n\narrow\n</verbatim>\n\n  *  One\n  *  Two [/help/ui|ui]\n\n<h2 id=\"a\">Commands</h2>\n<verbatim>\nfossil <b>\n</verbatim>\n\nIt ends.\n";
    let page = parse(page.as_bytes(), "branching.wiki").unwrap();
    assert_eq!(page.title, "Branches");
    let wanted = [
        ("Background", Paragraph, "All is linear, see the graph."),
        ("Background", Paragraph, "More of it [3]."),
        ("Background", ListItem, "One"),
        ("Background", ListItem, "Two ui"),
        ("Commands", Code, "fossil <b>"),
        ("Commands", Paragraph, "It ends."),
    ];
    assert_eq!(told(&page), of(&wanted));
    assert_eq!(page.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [4, 7, 15, 16, 20, 23]);
}

#[test]
fn bold_questions_of_a_page_with_html_are_headings() {
    let bold = |words: &str| format!("<p id=\"x\"><b>{words}</b></p>\n\n<blockquote>So it is.</blockquote>\n\n");
    let page = format!("<title>FAQ</title>\n<hr>\n{}", ["(1) How?", "Why\nnot?", "When?"].map(bold).concat());
    let page = parse(page.as_bytes(), "faq.wiki").unwrap();
    let paths: Vec<String> = told(&page).into_iter().map(|(path, ..)| path).collect();
    assert_eq!(paths, ["(1) How?", "Why not?", "When?"]);
    let page = format!("<title>FAQ</title>\n\n{}", ["Fast", "Small", "Is it?"].map(bold).concat());
    assert!(told(&parse(page.as_bytes(), "faq.wiki").unwrap()).iter().all(|(path, ..)| path.is_empty()));
}
