use super::super::tests::{archive, blocks};
use crate::{Document, parse};
use run::evidence::BlockKind::*;

const STYLES: &str = r#"<w:styles>
    <w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
    <w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:basedOn w:val="Standard"/></w:style>
    <w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
    <w:style w:type="paragraph" w:styleId="Abschnitt"><w:name w:val="Abschnitt"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
    <w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
    <w:style w:type="paragraph" w:styleId="Aufz"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="Quelltext"><w:name w:val="Source Code"/></w:style>
    <w:style w:type="paragraph" w:styleId="Kopf"><w:name w:val="Table Heading"/></w:style>
    <w:style w:type="character" w:styleId="Geheim"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>
    </w:styles>"#;

/// A paragraph with these properties.
fn styled(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{}</w:p>", run(text))
}

fn paragraph(text: &str) -> String {
    styled("", text)
}

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn style(id: &str, text: &str) -> String {
    styled(&format!("<w:pStyle w:val=\"{id}\"/>"), text)
}

fn item(level: u8, list: u8, text: &str) -> String {
    styled(&format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr>"), text)
}

fn read_with(body: &str, others: &[(&str, &str)]) -> Document {
    let text = format!("<w:document><w:body>{body}<w:sectPr/></w:body></w:document>");
    let mut parts = vec![("word/styles.xml", STYLES), ("word/document.xml", &text)];
    parts.extend(others);
    parse(&archive(&parts), "report.docx").expect("text in the document")
}

fn read(body: &str) -> Document {
    read_with(body, &[])
}

#[test]
fn headings_are_told_by_the_names_and_levels_of_their_styles() {
    let document = read(
        &[
            style("Titel", "The report"),
            paragraph("Before."),
            style("berschrift1", "One"),
            paragraph("In one."),
            style("Abschnitt", "Deeper"),
            paragraph("In deeper."),
            style("Kapitel", "Two"),
            styled("<w:outlineLvl w:val=\"1\"/>", "By its level"),
            paragraph("In two."),
        ]
        .concat(),
    );
    assert_eq!(document.title, "The report");
    assert_eq!(
        blocks(&document),
        [
            (Paragraph, "Before.".to_owned()),
            (Paragraph, "One / In one.".to_owned()),
            (Paragraph, "One / Deeper / In deeper.".to_owned()),
            (Paragraph, "Two / By its level / In two.".to_owned()),
        ]
    );
}

#[test]
fn the_title_is_that_of_the_text_or_the_declared_one_if_it_is_one() {
    let core = |title: &str| format!("<cp:coreProperties><dc:title>{title}</dc:title></cp:coreProperties>");
    let text = paragraph("Text.");
    for (body, declared, title) in [
        (style("Titel", "Shown") + &text, "Declared", "Shown"),
        (style("Titel", "In two") + &style("Titel", "lines") + &text, "", "In two lines"),
        (text.clone(), "Declared", "Declared"),
        (text.clone(), "Microsoft Word - final.doc", "report.docx"),
        (text.clone(), "", "report.docx"),
        (style("berschrift1", "One") + &text, "", "One"),
        (style("berschrift1", "One") + &text + &style("Abschnitt", "In one") + &text, "", "One"),
        (style("berschrift1", "One") + &text + &style("berschrift1", "Two") + &text, "", "report.docx"),
    ] {
        let document = read_with(&body, &[("docProps/core.xml", &core(declared))]);
        assert_eq!(document.title, title, "{body}");
    }
}

#[test]
fn lists_have_their_introductions_and_go_on_after_text_between_their_items() {
    let document = read(
        &[
            paragraph("It has the following parts:"),
            item(0, 1, "one"),
            item(1, 1, "of these:"),
            item(2, 1, "deep"),
            item(0, 1, "two"),
            paragraph("Text between."),
            item(0, 1, "three"),
            style("Aufz", "by style"),
            item(0, 0, "not in a list"),
        ]
        .concat(),
    );
    let parts = Some("It has the following parts:");
    let read: Vec<_> = document.blocks.iter().map(|b| (b.kind, b.text.as_str(), b.intro.as_deref())).collect();
    assert_eq!(
        read,
        [
            (Paragraph, "It has the following parts:", None),
            (ListItem, "one", parts),
            (ListItem, "of these:", Some("one:")),
            (ListItem, "deep", Some("of these:")),
            (ListItem, "two", parts),
            (Paragraph, "Text between.", None),
            (ListItem, "three", parts),
            (ListItem, "by style", None),
            (Paragraph, "not in a list", None),
        ]
    );
}

#[test]
fn terms_have_their_definitions() {
    let styles = ["Definition Term", "Definition"]
        .map(|name| format!("<w:style w:type=\"paragraph\" w:styleId=\"{name}\"><w:name w:val=\"{name}\"/></w:style>"));
    let styles = format!("<w:styles>{}</w:styles>", styles.concat());
    let body = [
        paragraph("They are these."),
        style("Definition Term", "heap"),
        style("Definition", "A tree in a list."),
        style("Definition Term", "push"),
        style("Definition Term", "pop"),
        style("Definition", "Adds one."),
        style("Definition", "Takes one away."),
        paragraph("No more."),
        style("Definition Term", "alone"),
    ];
    let body = format!("<w:document>{}</w:document>", body.concat());
    let document = parse(&archive(&[("word/styles.xml", &styles), ("word/document.xml", &body)]), "a.docx").unwrap();
    assert_eq!(
        blocks(&document),
        [
            (Paragraph, "They are these.".to_owned()),
            (KeyValue, "heap: A tree in a list.".to_owned()),
            (Paragraph, "push, pop / Adds one.".to_owned()),
            (Paragraph, "push, pop / Takes one away.".to_owned()),
            (Paragraph, "No more.".to_owned()),
            (Paragraph, "alone".to_owned()),
        ]
    );
}

fn row(properties: &str, cells: &[&str]) -> String {
    let cells = cells.iter().map(|cell| match cell.strip_prefix('^') {
        Some(cell) => format!("<w:tc><w:tcPr><w:vMerge/></w:tcPr>{}</w:tc>", paragraph(cell)),
        None => format!("<w:tc>{}</w:tc>", paragraph(cell)),
    });
    format!("<w:tr><w:trPr>{properties}</w:trPr>{}</w:tr>", cells.collect::<String>())
}

fn table(look: &str, rows: &[String]) -> String {
    format!("<w:tbl><w:tblPr><w:tblLook {look}/></w:tblPr>{}</w:tbl>{}", rows.concat(), paragraph("After."))
}

#[test]
fn a_row_stands_below_the_names_of_its_columns() {
    let rows = |document: &Document| -> Vec<(String, Option<String>)> {
        let rows = document.blocks.iter().filter(|block| block.kind == TableRow);
        rows.map(|row| (row.text.to_string(), row.intro.as_ref().map(ToString::to_string))).collect()
    };
    let names = || Some("Name | Size".to_owned());
    let marked =
        read(&table("", &[row("<w:tblHeader/>", &["Name", "Size"]), row("", &["a", "1"]), row("", &["^", "2"])]));
    // A cell that reaches down is repeated in each row.
    assert_eq!(rows(&marked), [("a | 1".to_owned(), names()), ("a | 2".to_owned(), names())]);
    let by_look = read(&table("w:firstRow=\"1\"", &[row("", &["Name", "Size"]), row("", &["a", "1"])]));
    assert_eq!(rows(&by_look), [("a | 1".to_owned(), names())]);
    let by_old_look = read(&table("w:val=\"04A0\"", &[row("", &["Name", "Size"]), row("", &["a", "1"])]));
    assert_eq!(rows(&by_old_look), [("a | 1".to_owned(), names())]);
    let bold = row("", &["Name", "Size"]).replace("<w:t ", "<w:rPr><w:b/></w:rPr><w:t ");
    assert_eq!(rows(&read(&table("", &[bold, row("", &["a", "1"])]))), [("a | 1".to_owned(), names())]);
    let by_style = row("", &["Name", "1"]).replace("<w:pPr>", "<w:pPr><w:pStyle w:val=\"Kopf\"/>");
    assert_eq!(
        rows(&read(&table("", &[by_style, row("", &["a", "1"])]))),
        [("a | 1".to_owned(), Some("Name | 1".to_owned()))]
    );
    let values = read(&table("w:firstRow=\"1\"", &[row("", &["Total", "12"]), row("", &["Rest", "3"])]));
    assert_eq!(rows(&values), [("Total | 12".to_owned(), None), ("Rest | 3".to_owned(), None)]);
    let alone = read(&table("", &[row("<w:tblHeader/>", &["Name", "Size"])]));
    assert_eq!(rows(&alone), [("Name | Size".to_owned(), None)]);
    let deleted = read(&table("", &[row("", &["a", "1"]), row("<w:del/>", &["b", "2"])]));
    assert_eq!(rows(&deleted), [("a | 1".to_owned(), None)]);
}

#[test]
fn a_table_of_one_column_or_around_another_is_layout() {
    let cell =
        |inner: &str| format!("<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl>");
    let document = read(&cell(&(style("Quelltext", "let x = 1;") + &paragraph("It is one."))));
    assert_eq!(blocks(&document), [(Code, "let x = 1;".to_owned()), (Paragraph, "It is one.".to_owned())]);
    let inner = format!("<w:tbl>{}</w:tbl>", row("", &["a", "b"]));
    let outer = format!("<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{inner}<w:p/></w:tc></w:tr></w:tbl>", paragraph("Left."));
    assert_eq!(blocks(&read(&outer)), [(Paragraph, "Left.".to_owned()), (TableRow, "a | b".to_owned())]);
}

#[test]
fn program_text_is_told_by_style_or_by_letters_of_one_width() {
    let fixed = |text: &str| {
        format!("<w:p><w:r><w:rPr><w:rFonts w:ascii=\"Courier New\"/></w:rPr><w:t>{text}</w:t></w:r></w:p>")
    };
    let document = read(
        &[
            paragraph("Run:"),
            style("Quelltext", "for x in y {"),
            style("Quelltext", ""),
            style("Quelltext", "    z(x);"),
            style("Quelltext", "}"),
            paragraph("Or:"),
            fixed("ls -l"),
            fixed("pwd"),
            paragraph("End."),
        ]
        .concat(),
    );
    assert_eq!(
        blocks(&document)[1..],
        [
            (Code, "for x in y {\n\n    z(x);\n}".to_owned()),
            (Paragraph, "Or:".to_owned()),
            (Code, "ls -l\npwd".to_owned()),
            (Paragraph, "End.".to_owned()),
        ]
    );
    let all = STYLES.replace(
        "<w:styles>",
        "<w:styles><w:docDefaults><w:rPr><w:rFonts w:ascii=\"Courier\"/></w:rPr></w:docDefaults>",
    );
    let body = format!("<w:document>{}</w:document>", fixed("A letter as of a typewriter."));
    let typed = parse(&archive(&[("word/styles.xml", &all), ("word/document.xml", &body)]), "a.docx").unwrap();
    assert_eq!(typed.blocks[0].kind, Paragraph);
}

#[test]
fn changes_are_read_as_accepted() {
    let document = read(
        "<w:p><w:r><w:t xml:space=\"preserve\">It is </w:t></w:r><w:del><w:r><w:delText>not </w:delText></w:r></w:del>\
         <w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>\
         <w:moveTo><w:r><w:t>.</w:t></w:r></w:moveTo></w:p>\
         <w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t xml:space=\"preserve\">Two </w:t></w:r></w:p>\
         <w:p><w:pPr><w:pStyle w:val=\"Quelltext\"/><w:pPrChange><w:pPr><w:pStyle w:val=\"Titel\"/></w:pPr></w:pPrChange></w:pPr>\
         <w:r><w:t>lines</w:t></w:r></w:p>",
    );
    assert_eq!(blocks(&document), [(Paragraph, "It is new.".to_owned()), (Code, "Two lines".to_owned())]);
}

#[test]
fn what_is_not_printed_is_left_out() {
    let field = |instruction: &str, result: &str| {
        format!(
            "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>{instruction}</w:instrText></w:r>\
             <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{result}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>"
        )
    };
    let control = |property: &str, text: &str| {
        format!("<w:sdt><w:sdtPr>{property}</w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>", paragraph(text))
    };
    let hidden = |property: &str| format!("<w:r><w:rPr>{property}</w:rPr><w:t>secret</w:t></w:r>");
    let document = read(
        &[
            field(" TOC \\o \"1-3\" ", &format!("{}</w:p>{}<w:p>", run("One 1"), paragraph("Two 2"))),
            style("Verzeichnis1", "Three 3"),
            field(" HYPERLINK \"http://x\" ", &run("A link.")),
            format!("<w:p>{}{}{}</w:p>", run("Shown."), hidden("<w:vanish/>"), hidden("<w:rStyle w:val=\"Geheim\"/>")),
            format!("<w:p>{}</w:p>", hidden("<w:vanish w:val=\"0\"/>")),
            format!("<w:p>{}{}</w:p>", run("It is 2"), hidden("<w:strike/>")),
            format!(
                "<w:p>{}<w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t>10</w:t></w:r></w:p>",
                run("At most 2")
            ),
            control("<w:docPartObj><w:docPartGallery w:val=\"Table of Contents\"/></w:docPartObj>", "Four 4"),
            control("<w:showingPlcHdr/>", "Click here to enter text."),
            control("", "Filled in."),
            "<w:p><w:fldSimple w:instr=\" TOC \"><w:r><w:t>Five 5</w:t></w:r></w:fldSimple></w:p>".to_owned(),
        ]
        .concat(),
    );
    let read: Vec<_> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(read, ["A link.", "Shown.", "secret", "It is 2", "At most 2^10", "Filled in."]);
}

#[test]
fn a_table_of_contents_that_never_ends_ends_with_the_next_heading() {
    let begin = "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/><w:instrText>TOC</w:instrText>\
        <w:fldChar w:fldCharType=\"separate\"/><w:t>One 1</w:t></w:r></w:p>";
    let document = read(&[begin, &style("berschrift1", "One"), &paragraph("Text.")].concat());
    assert_eq!(blocks(&document), [(Paragraph, "Text.".to_owned())]);
}

#[test]
fn notes_stand_at_the_end_of_their_section_and_once() {
    let note = |id: u8| format!("<w:r><w:footnoteReference w:id=\"{id}\"/></w:r>");
    let body = [
        style("berschrift1", "Title"),
        style("berschrift1", "One"),
        format!("<w:p>{}{}{}</w:p>", run("First"), note(2), run(".")),
        paragraph("Second."),
        style("berschrift1", "Two"),
        format!("<w:p>{}{}<w:r><w:endnoteReference w:id=\"2\"/></w:r></w:p>", run("Third."), note(2)),
    ];
    let notes = format!(
        "<w:footnotes><w:footnote w:type=\"separator\" w:id=\"0\">{}</w:footnote><w:footnote w:id=\"2\">{}{}</w:footnote></w:footnotes>",
        paragraph("separator"),
        paragraph("A note"),
        paragraph("in two.")
    );
    let ends = format!("<w:endnotes><w:endnote w:id=\"2\">{}</w:endnote></w:endnotes>", paragraph("An end."));
    let document = read_with(&body.concat(), &[("word/footnotes.xml", &notes), ("word/endnotes.xml", &ends)]);
    let texts: Vec<String> = blocks(&document).into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        texts,
        ["One / First.", "One / Second.", "One / A note", "One / in two.", "Two / Third.", "Two / An end."]
    );
}

#[test]
fn text_boxes_are_read_once_and_after_the_paragraph_around_them() {
    let boxed = |text: &str| format!("<w:txbxContent>{}</w:txbxContent>", paragraph(text));
    let document = read(&format!(
        "<w:p>{}<w:r><mc:AlternateContent><mc:Choice>{}</mc:Choice><mc:Fallback><w:pict>{}</w:pict></mc:Fallback>\
         </mc:AlternateContent></w:r>{}</w:p><w:p><w:r><mc:AlternateContent><mc:Fallback>{}</mc:Fallback></mc:AlternateContent></w:r></w:p>",
        run("Around "),
        boxed("In the box."),
        boxed("In the box."),
        run("it."),
        boxed("In another.")
    ));
    let read: Vec<_> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(read, ["Around it.", "In the box.", "In another."]);
}

#[test]
fn breaks_tabs_hyphens_and_formulas_are_read_as_such() {
    let document = read(
        "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>three</w:t>\
         <w:noBreakHyphen/><w:t>fold hy</w:t><w:softHyphen/><w:t>phen and soft\u{ad}ly</w:t></w:r>\
         <m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath></w:p>",
    );
    assert_eq!(document.blocks[0].text, "one two three-fold hyphen and softly\u{25a1}");
}

#[test]
fn parts_are_found_where_the_relationships_say_and_under_any_namespace() {
    let relations = |kind: &str, target: &str| {
        format!(
            "<Relationships><Relationship Type=\"http://purl.oclc.org/ooxml/officeDocument/relationships/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let text = "<document xmlns=\"http://purl.oclc.org/ooxml/wordprocessingml/main\"><body><p><pPr><pStyle val=\"K\"/></pPr>\
        <r><t>Head</t></r></p><p><r><t>Text.</t></r></p></body></document>";
    let styles = "<styles><style styleId=\"K\"><name val=\"Heading 1\"/></style></styles>";
    let document = parse(
        &archive(&[
            ("_rels/.rels", &relations("officeDocument", "/word/document2.xml")),
            ("word/_rels/document2.xml.rels", &relations("styles", "other/styles.xml")),
            ("word/document2.xml", text),
            ("word/other/styles.xml", styles),
        ]),
        "a.docx",
    );
    let document = document.unwrap();
    assert_eq!((document.title.as_str(), blocks(&document)), ("Head", vec![(Paragraph, "Text.".to_owned())]));
}
