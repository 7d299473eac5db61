use super::super::{Document, parse};
use run::evidence::BlockKind::{self, *};

fn read(text: &str) -> Document {
    parse(text.as_bytes(), "page.rst").expect("text in the page")
}

fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
}

#[test]
fn titles_nest_in_the_order_their_adornments_appear() {
    let page = read("=====\nTitle\n=====\n\nIntro\ntext.\n\nOne\n===\n\na.\n\nDeep\n----\n\nb.\n\nTwo\n===\n\nc.\n");
    assert_eq!(page.title, "Title");
    let paths: Vec<String> = page.blocks.iter().map(|b| b.headings.join("/")).collect();
    assert_eq!(paths, ["", "One", "One/Deep", "Two"]);
    assert_eq!(blocks(&page)[0], (Paragraph, "Intro text."));
    assert_eq!(page.blocks.iter().map(|b| b.line).collect::<Vec<_>>(), [5, 11, 16, 21]);
}

#[test]
fn lists_keep_wrapped_items_and_their_introduction() {
    let page =
        read("Benefits include:\n\n* It is\n  quick.\n\n* It is small:\n\n  - very\n\nEnd.\n\n1. One.\n#. Two.\n");
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, "Benefits include:"),
            (ListItem, "It is quick."),
            (ListItem, "It is small:"),
            (ListItem, "very"),
            (Paragraph, "End."),
            (ListItem, "One."),
            (ListItem, "Two."),
        ]
    );
    assert_eq!(page.blocks[1].intro.as_deref(), Some("Benefits include:"));
    assert_eq!(page.blocks[3].intro.as_deref(), Some("It is small:"));
}

#[test]
fn an_item_that_goes_on_at_the_margin_is_a_sentence() {
    let page = read("(a) For some it reads\nbetter than this.\n");
    assert_eq!(blocks(&page), [(Paragraph, "(a) For some it reads better than this.")]);
}

#[test]
fn code_is_code_whether_announced_or_directed() {
    let page = read(
        "Run this::\n\n   x = 1\n   y\n\n.. code-block:: json\n   :linenos:\n\n   {\n     \"a\": 1\n   }\n\nAfter.\n",
    );
    assert_eq!(
        blocks(&page),
        [(Paragraph, "Run this:"), (Code, "x = 1\ny"), (Code, "{\n  \"a\": 1\n}"), (Paragraph, "After.")]
    );
}

#[test]
fn directives_give_their_text_and_machinery_is_left_out() {
    let page = read(
        ".. _label:\n\n.. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\n.. note:: Mind\n   this.\n\n.. warning::\n\n   And this.\n\n\
         .. versionadded:: 3.5\n   The option.\n\n.. a comment\n   that goes on\n\n.. function:: push(x)\n\n   Adds ``x``.\n\n   Slowly.\n",
    );
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, "Mind this."),
            (Paragraph, "And this."),
            (Paragraph, "New in version 3.5: The option."),
            (Paragraph, "Adds x."),
            (Paragraph, "Slowly."),
        ]
    );
    assert_eq!(page.blocks[3].headings[..], ["push(x)"]);
}

#[test]
fn terms_and_fields_are_keys_with_values() {
    let page = read(":Author: Somebody\n:Date: today\n\nheap\n   A tree.\n\nText after.\n");
    assert_eq!(
        blocks(&page),
        [
            (KeyValue, "Author: Somebody"),
            (KeyValue, "Date: today"),
            (KeyValue, "heap: A tree."),
            (Paragraph, "Text after.")
        ]
    );
}

#[test]
fn a_table_without_header_ends_at_its_second_rule() {
    let table = |name: &str| format!("=====  ======\n{name}     123456\n=====  ======\n");
    let page = read(&format!("{}\nText between the tables.\n\n{}\nEnd.\n", table("sm"), table("la")));
    let found: Vec<&str> = page.blocks.iter().map(|block| block.text.as_str()).collect();
    let tabbed = read("==========  ======\nname\t    123456\n==========  ======\n\nEnd.\n");
    assert_eq!(tabbed.blocks[0].text, "name | 123456");
    assert_eq!(found, ["sm | 123456", "Text between the tables.", "la | 123456", "End."]);
}

#[test]
fn tables_of_every_kind_have_rows_under_their_header() {
    let simple = "=====  ======\nName   Size\n=====  ======\nsmall  1 kB\nlarge  up to\n       1 MB\n=====  ======\n";
    let grid = "+-------+-------+\n| Name  | Size  |\n+=======+=======+\n| small | 1 kB  |\n+-------+-------+\n| large | up to |\n|       | 1 MB  |\n+-------+-------+\n";
    let list = ".. list-table::\n   :header-rows: 1\n\n   * - Name\n     - Size\n   * - small\n     - 1 kB\n   * - large\n     - up to\n       1 MB\n";
    for table in [simple, grid, list] {
        let page = read(&format!("{table}\nEnd.\n"));
        let rows = [(TableRow, "small | 1 kB"), (TableRow, "large | up to 1 MB"), (Paragraph, "End.")];
        assert_eq!(blocks(&page), rows, "{table}");
        assert_eq!(page.blocks[0].intro.as_deref(), Some("Name | Size"));
    }
}

#[test]
fn a_cell_of_a_grid_stands_in_each_column_that_it_reaches_into() {
    let grid = "+-------+-------+-------+\n| Plan  | Users | Disk  |\n+=======+=======+=======+\n| Basic | unlimited use |\n+-------+---------------+\n";
    let page = read(&format!("{grid}\nEnd.\n"));
    assert_eq!(blocks(&page)[0], (TableRow, "Basic | unlimited use | unlimited use"));
}

#[test]
fn deep_nesting_is_survived() {
    let text: String = (0..3000).map(|depth| format!("{}* x{depth}\n\n", "  ".repeat(depth))).collect();
    assert!(!read(&text).blocks.is_empty());
}
