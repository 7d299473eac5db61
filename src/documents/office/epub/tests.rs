use super::super::Fault;
use super::super::tests::{archive, blocks};
use crate::{Document, Unread, parse};
use run::evidence::BlockKind::*;

const CONTAINER: &str = "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>";

/// The list of chapters of a book: pages with their properties, and all else that is said of it.
fn package(pages: &[(&str, &str)], said: &str) -> String {
    let items: String = pages
        .iter()
        .map(|(page, properties)| {
            format!(
                "<item id=\"{page}\" href=\"{page}\" media-type=\"application/xhtml+xml\" properties=\"{properties}\"/>"
            )
        })
        .collect();
    let order: String = pages
        .iter()
        .map(|(page, properties)| {
            let linear = if *properties == "aside" { "no" } else { "yes" };
            format!("<itemref idref=\"{page}\" linear=\"{linear}\"/>")
        })
        .collect();
    format!(
        "<package><metadata><dc:title>The book</dc:title></metadata><manifest>{items}\
         <item id=\"old\" href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/></manifest><spine>{order}</spine>{said}</package>"
    )
}

fn page(body: &str) -> String {
    format!("<?xml version=\"1.0\"?><html><head><title/><script src=\"x\"/></head><body>{body}</body></html>")
}

fn read(package: &str, others: &[(&str, &str)]) -> Result<Document, Unread> {
    let mut parts =
        vec![("mimetype", "application/epub+zip"), ("META-INF/container.xml", CONTAINER), ("OEBPS/book.opf", package)];
    parts.extend(others);
    parse(&archive(&parts), "book.epub")
}

fn texts(document: &Document) -> Vec<String> {
    blocks(document).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn chapters_are_read_in_their_order_and_only_the_text_of_the_book() {
    let pages =
        [("cover.xhtml", ""), ("two%20b.xhtml", ""), ("nav.xhtml", "nav"), ("one.xhtml", ""), ("notes.xhtml", "aside")];
    let said = "<guide><reference type=\"cover\" href=\"cover.xhtml\"/><reference type=\"toc\" href=\"one.xhtml#toc\"/></guide>";
    let document = read(
        &package(&pages, said),
        &[
            ("OEBPS/cover.xhtml", &page("<p>By somebody.</p>")),
            ("OEBPS/nav.xhtml", &page("<nav epub:type=\"toc\"><ol><li><a href=\"one.xhtml\">One</a></li></ol></nav><p>Contents of it.</p>")),
            ("OEBPS/one.xhtml", &page("<h1>One</h1><p>First<sup><a href=\"#n\">1</a></sup>.<span epub:type=\"pagebreak\">12</span></p>\
                <aside epub:type=\"footnote\"><p>A note.</p></aside>")),
            ("OEBPS/two b.xhtml", &page("<h1>Two</h1><p>Second<a epub:type=\"noteref\" href=\"#n\">*</a>.</p><ul><li>an item</li></ul>")),
            ("OEBPS/notes.xhtml", &page("<p>Aside.</p>")),
        ],
    )
    .unwrap();
    assert_eq!(document.title, "The book");
    assert_eq!(texts(&document), ["Two / Second.", "Two / an item", "One / First.", "One / A note."]);
    assert!(document.blocks.windows(2).all(|pair| pair[0].line <= pair[1].line));
}

#[test]
fn the_table_of_contents_names_chapters_without_headings_and_nests_the_others() {
    let contents = "<ncx><navMap><navPoint><navLabel><text>Part I</text></navLabel><content src=\"part.xhtml\"/>\
        <navPoint><navLabel><text>Chapter 1</text></navLabel><content src=\"one.xhtml\"/>\
        <navPoint><navLabel><text>1.1 A\n section</text></navLabel><content src=\"one.xhtml#s\"/></navPoint></navPoint>\
        </navPoint><navPoint><navLabel><text>Part II</text></navLabel><content src=\"more.xhtml\"/></navPoint></navMap></ncx>";
    let pages = [("part.xhtml", ""), ("one.xhtml", ""), ("split.xhtml", ""), ("more.xhtml", "")];
    let document = read(
        &package(&pages, ""),
        &[
            ("OEBPS/toc.ncx", contents),
            ("OEBPS/part.xhtml", &page("<p class=\"t\">Part I</p><p>About it.</p>")),
            ("OEBPS/one.xhtml", &page("<h1>Chapter 1</h1><p>In it.</p><p class=\"bold\">1.1 A section</p><p>In the section.</p><h2>Other</h2><p>Else.</p>")),
            ("OEBPS/split.xhtml", &page("<p>Goes on.</p>")),
            ("OEBPS/more.xhtml", &page("<h1>Part II</h1><p>End.</p>")),
        ],
    )
    .unwrap();
    assert_eq!(
        texts(&document),
        [
            "Part I / About it.",
            "Part I / Chapter 1 / In it.",
            "Part I / Chapter 1 / 1.1 A section / In the section.",
            "Part I / Chapter 1 / Other / Else.",
            "Part I / Chapter 1 / Other / Goes on.",
            "Part II / End.",
        ]
    );
}

#[test]
fn a_chapter_is_read_once_however_often_it_is_in_the_order() {
    let pages: Vec<(&str, &str)> = std::iter::repeat_n(("one.xhtml", ""), 1000).collect();
    let document = read(&package(&pages, ""), &[("OEBPS/one.xhtml", &page("<h1>One</h1><p>Text.</p>"))]).unwrap();
    assert_eq!(blocks(&document), [(Paragraph, "One / Text.".to_owned())]);
}

#[test]
fn encrypted_text_is_refused_and_encrypted_fonts_are_not() {
    let encryption = |method: &str, part: &str| {
        format!(
            "<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm=\"{method}\"/><enc:CipherData><enc:CipherReference URI=\"{part}\"/>\
            </enc:CipherData></enc:EncryptedData></encryption>"
        )
    };
    let read = |encryption: &str| {
        let one = page("<p>Text.</p>");
        let parts = [("OEBPS/one.xhtml", one.as_str()), ("META-INF/encryption.xml", encryption)];
        read(&package(&[("one.xhtml", "")], ""), &parts)
    };
    let aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
    assert!(matches!(read(&encryption(aes, "OEBPS/one.xhtml")), Err(Unread::Office(Fault::Protected))));
    assert!(read(&encryption(aes, "OEBPS/fonts/a.OTF")).is_ok());
    assert!(read(&encryption("http://www.idpf.org/2008/embedding", "OEBPS/fonts/a")).is_ok());
}

#[test]
fn a_book_without_its_list_of_chapters_is_refused() {
    let parts = [("META-INF/container.xml", CONTAINER)];
    assert!(matches!(parse(&archive(&parts), "a.epub"), Err(Unread::Office(Fault::NoDocument))));
}
