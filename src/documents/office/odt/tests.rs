use super::super::tests::{archive, blocks};
use crate::{Document, parse};
use run::evidence::BlockKind::*;

const STYLES: &str = r#"<office:document-styles><office:font-face-decls>
    <style:font-face style:name="F" svg:font-family="Some Font" style:font-pitch="fixed"/></office:font-face-decls><office:styles>
    <style:style style:name="Title" style:family="paragraph"/>
    <style:style style:name="Preformatted_20_Text" style:display-name="Preformatted Text" style:family="paragraph"/>
    <style:style style:name="Table_20_Heading" style:display-name="Table Heading" style:family="paragraph"/>
    </office:styles><office:master-styles><style:master-page><style:header><text:p>Head of each page</text:p></style:header>
    </style:master-page></office:master-styles></office:document-styles>"#;
const AUTOMATIC: &str = r#"<office:automatic-styles>
    <style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>
    <style:style style:name="P2" style:family="paragraph" style:parent-style-name="Table_20_Heading"/>
    <style:style style:name="T1" style:family="text"><style:text-properties style:font-name="F"/></style:style>
    <style:style style:name="T2" style:family="text"><style:text-properties text:display="none"/></style:style>
    </office:automatic-styles>"#;

fn read_with(body: &str, others: &[(&str, &str)]) -> Document {
    let text = format!(
        "<office:document-content>{AUTOMATIC}<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    let mut parts =
        vec![("mimetype", "application/vnd.oasis.opendocument.text"), ("styles.xml", STYLES), ("content.xml", &text)];
    parts.extend(others);
    parse(&archive(&parts), "report.odt").expect("text in the document")
}

fn read(body: &str) -> Document {
    read_with(body, &[])
}

fn texts(body: &str) -> Vec<String> {
    read(body).blocks.iter().map(|block| block.text.to_string()).collect()
}

#[test]
fn a_text_falls_into_its_sections_lists_and_code() {
    let document = read_with(
        "<text:h text:outline-level=\"1\">One</text:h><text:p>It has:</text:p>\
         <text:list><text:list-item><text:p>a</text:p><text:p>more of a:</text:p><text:list><text:list-item><text:p>deep</text:p>\
         </text:list-item></text:list></text:list-item></text:list><text:p>Between.</text:p>\
         <text:list text:continue-numbering=\"true\"><text:list-item><text:p>b</text:p></text:list-item></text:list>\
         <text:h text:outline-level=\"2\">Deeper</text:h><text:p text:style-name=\"P1\">if x {</text:p>\
         <text:p text:style-name=\"P1\"><text:s text:c=\"4\"/>y();<text:line-break/>}</text:p>\
         <text:p><text:span text:style-name=\"T1\">ls -l</text:span></text:p><text:p>End.</text:p>",
        &[(
            "meta.xml",
            "<office:document-meta><office:meta><dc:title>A report</dc:title></office:meta></office:document-meta>",
        )],
    );
    assert_eq!(document.title, "A report");
    let read: Vec<_> = document.blocks.iter().map(|b| (b.kind, b.text.as_str(), b.intro.as_deref())).collect();
    assert_eq!(
        read,
        [
            (Paragraph, "It has:", None),
            (ListItem, "a", Some("It has:")),
            (ListItem, "more of a:", Some("It has:")),
            (ListItem, "deep", Some("more of a:")),
            (Paragraph, "Between.", None),
            (ListItem, "b", Some("It has:")),
            (Code, "if x {\n    y();\n}\nls -l", None),
            (Paragraph, "End.", None),
        ]
    );
    assert_eq!(document.blocks[7].headings[..], ["One", "Deeper"]);
}

#[test]
fn a_row_stands_below_the_names_of_its_columns_whose_cells_may_be_merged() {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let row = |cells: &str| format!("<table:table-row>{cells}</table:table-row>");
    let wide = "<table:table-cell table:number-columns-spanned=\"2\"><text:p>wide</text:p></table:table-cell><table:covered-table-cell/>";
    let high = "<table:table-cell table:number-rows-spanned=\"2\"><text:p>high</text:p></table:table-cell>";
    let header = row(&[cell("A"), cell("B"), cell("C")].concat());
    let rows = [
        row(&[wide, &cell("c")].concat()),
        row(&[high, &cell("b"), &cell("c")].concat()),
        row(&["<table:covered-table-cell/>".to_owned(), cell("b2"), cell("c2")].concat()),
    ];
    let document = read(&format!(
        "<table:table><table:table-column table:number-columns-repeated=\"3\"/><table:table-header-rows>{header}</table:table-header-rows>{}</table:table>",
        rows.concat()
    ));
    assert_eq!(
        blocks(&document).iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
        ["wide | | c", "high | b | c", "high | b2 | c2"]
    );
    assert!(document.blocks.iter().all(|block| block.intro.as_deref() == Some("A | B | C")));
    let named = header.replace("<text:p>", "<text:p text:style-name=\"P2\">");
    let document =
        read(&format!("<table:table>{named}{}</table:table>", row(&[cell("1"), cell("2"), cell("3")].concat())));
    assert_eq!(document.blocks[0].intro.as_deref(), Some("A | B | C"));
}

#[test]
fn what_is_not_printed_is_left_out_and_notes_stand_at_the_end_of_their_section() {
    assert_eq!(
        texts(
            "<text:tracked-changes><text:changed-region><text:deletion><text:p>Deleted.</text:p></text:deletion></text:changed-region>\
             </text:tracked-changes><text:table-of-content><text:index-body><text:p>One 1</text:p></text:index-body></text:table-of-content>\
             <text:h text:outline-level=\"1\">T</text:h><text:p>A word<text:note><text:note-citation>1</text:note-citation><text:note-body>\
             <text:p>The note.</text:p></text:note-body></text:note> with<office:annotation><text:p>A comment.</text:p></office:annotation> a note\
             <text:span text:style-name=\"T2\">hidden</text:span>.</text:p><text:p>Next<text:tab/>one<text:soft-page-break/>s.</text:p>\
             <text:section text:display=\"none\"><text:p>Hidden.</text:p></text:section><text:h text:outline-level=\"1\">Two</text:h>\
             <text:p>Last<draw:frame><svg:title>A picture</svg:title><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame>.</text:p>"
        ),
        ["A word with a note.", "Next ones.", "The note.", "Last.", "In a box."]
    );
}

#[test]
fn white_space_is_one_space_unless_it_has_elements() {
    assert_eq!(texts("<text:p>  a\n   b<text:span> </text:span> c<text:s/>d  </text:p>"), ["a b c d"]);
    assert_eq!(texts("<text:p text:style-name=\"P1\">a  <text:s text:c=\"2\"/>b</text:p>"), ["a   b"]);
}

#[test]
fn formulas_are_told_from_other_objects() {
    let manifest = "<manifest:manifest><manifest:file-entry manifest:full-path=\"Object 1/\" \
        manifest:media-type=\"application/vnd.oasis.opendocument.formula\"/></manifest:manifest>";
    let object = |no: u8| format!("<draw:frame><draw:object xlink:href=\"./Object {no}\"/></draw:frame>");
    let document = read_with(
        &format!("<text:p>It is {}, as {}shown.</text:p>", object(1), object(2)),
        &[("META-INF/manifest.xml", manifest)],
    );
    assert_eq!(document.blocks[0].text, "It is \u{25a1}, as shown.");
}

#[test]
fn a_text_in_a_single_file_is_read_as_well() {
    let text = format!(
        "<?xml version=\"1.0\"?><office:document><office:meta><dc:title>Flat</dc:title></office:meta>{}{AUTOMATIC}<office:body><office:text>\
         <text:p>Text.</text:p><text:p text:style-name=\"P1\">code</text:p></office:text></office:body></office:document>",
        STYLES.replace("office:document-styles", "office:part")
    );
    let document = parse(text.as_bytes(), "a.fodt").unwrap();
    assert_eq!(document.title, "Flat");
    assert_eq!(blocks(&document), [(Paragraph, "Text.".to_owned()), (Code, "code".to_owned())]);
}
