use std::io::Write;
use std::time::Duration;

use crate::tests::Spent;

use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::super::{Document, Unread, parse};
use super::Fault;
use run::evidence::BlockKind;

/// An archive with these parts.
pub(in super::super) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, text) in parts {
        let (mut entry, config) =
            archive.new_file(*name).compression_method(CompressionMethod::DEFLATE).start().unwrap();
        let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast()));
        writer.write_all(text.as_bytes()).unwrap();
        let (packer, descriptor) = writer.finish().unwrap();
        packer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// Its blocks, each with its headings before it.
pub(super) fn blocks(document: &Document) -> Vec<(BlockKind, String)> {
    let whole = |block: &run::evidence::Block| {
        block.headings.iter().map(|heading| format!("{heading} / ")).collect::<String>() + &block.text
    };
    document.blocks.iter().map(|block| (block.kind, whole(block))).collect()
}

/// The reason why a file is not read.
fn why(bytes: &[u8], name: &str) -> Unread {
    parse(bytes, name).expect_err("no document")
}

fn fault(bytes: &[u8], name: &str) -> Fault {
    match why(bytes, name) {
        Unread::Office(fault) => fault,
        other => panic!("{other:?}"),
    }
}

const WORD: &str = "<w:document><w:body><w:p><w:r><w:t>Some text.</w:t></w:r></w:p></w:body></w:document>";
const ODT: &str = "<office:document-content><office:body><office:text><text:p>Some text.</text:p></office:text>\
    </office:body></office:document-content>";

#[test]
fn a_document_is_told_by_its_parts_whatever_its_name() {
    for name in ["a.docx", "a.odt", "a.epub"] {
        for part in [("word/document.xml", WORD), ("content.xml", ODT)] {
            assert_eq!(parse(&archive(&[part]), name).unwrap().blocks[0].text, "Some text.");
        }
        assert_eq!(fault(&archive(&[("xl/workbook.xml", "<workbook/>")]), name), Fault::NoDocument);
        assert_eq!(
            fault(&archive(&[("content.xml", &ODT.replace("office:text", "office:spreadsheet"))]), name),
            Fault::NoDocument
        );
        assert_eq!(fault(b"Just text, under a name that is not its own.\n", name), Fault::NoDocument);
    }
}

#[test]
fn what_cannot_be_opened_is_refused_with_what_to_do() {
    let compound = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [super::COMPOUND, &[0; 600], &name].concat()
    };
    assert_eq!(fault(&compound("EncryptedPackage"), "a.docx"), Fault::Locked);
    for name in ["a.docx", "a.doc", "A.DOC", "a"] {
        assert_eq!(fault(&compound("WordDocument"), name), Fault::OldWord, "{name}");
    }
    // Without bytes that are no text; and a compound file of another program.
    let name: Vec<u8> = "WordDocument".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let dense = [super::COMPOUND, &[b'a'; 600], &name].concat();
    assert_eq!(fault(&dense, "a.doc"), Fault::OldWord);
    assert!(matches!(crate::parse(&compound("Book"), "a.docx"), Err(crate::Unread::Binary)));
    let whole = archive(&[("word/document.xml", &WORD.replace("Some", &"Some more ".repeat(100)))]);
    assert_eq!(fault(&whole[..whole.len() / 2], "a.docx"), Fault::Damaged, "cut short");
    let mut broken = whole.clone();
    broken[80] ^= 0xff;
    assert_eq!(fault(&broken, "a.docx"), Fault::Damaged, "another checksum");
    assert_eq!(fault(&archive(&[("word/document.xml", "<w:p><w:r></w:p>")]), "a.docx"), Fault::Malformed("its text"));
    let manifest =
        "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    assert_eq!(fault(&archive(&[("META-INF/manifest.xml", manifest), ("content.xml", "?")]), "a.odt"), Fault::Locked);
    for fault in [Fault::Locked, Fault::OldWord, Fault::Damaged, Fault::Method(9)] {
        assert!(fault.to_string().contains("save it"), "{fault}");
    }
}

/// Changes a number of two bytes in the headers of all parts: there, and so far into the header.
fn patch(bytes: &mut [u8], local: usize, central: usize, value: u16) {
    for at in 0..bytes.len() - 4 {
        let field = match &bytes[at..at + 4] {
            b"PK\x03\x04" => at + local,
            b"PK\x01\x02" => at + central,
            _ => continue,
        };
        bytes[field..field + 2].copy_from_slice(&value.to_le_bytes());
    }
}

#[test]
fn other_ways_of_packing_and_encrypted_parts_are_named() {
    let mut other = archive(&[("word/document.xml", WORD)]);
    patch(&mut other, 8, 10, 9);
    assert_eq!(fault(&other, "a.docx"), Fault::Method(9));
    let mut locked = archive(&[("word/document.xml", WORD)]);
    patch(&mut locked, 6, 8, 1);
    assert_eq!(fault(&locked, "a.docx"), Fault::Locked);
}

#[test]
fn no_more_is_unpacked_than_is_read_of_one_file() {
    let bomb = " ".repeat(crate::MOST_PDF_BYTES as usize + 1);
    let bomb = archive(&[("word/document.xml", &bomb)]);
    assert!(bomb.len() < 1 << 20);
    assert!(matches!(why(&bomb, "a.docx"), Unread::TooMuchText));
    // Nor is more text read than of any file, which a few bytes of markup may stand for.
    let spaces = "<text:s text:c=\"1000000000\"/>".repeat(300_000);
    let spaces = archive(&[("content.xml", &ODT.replace("Some text.", &spaces))]);
    assert!(matches!(why(&spaces, "a.odt"), Unread::TooMuchText));
}

#[test]
fn of_parts_with_one_name_the_first_counts_and_none_is_looked_for_elsewhere() {
    let other = WORD.replace("Some", "Other");
    let twice = archive(&[("word/document.xml", WORD), ("Word/Document.xml", &other), ("../../etc/passwd", "x")]);
    assert_eq!(parse(&twice, "a.docx").unwrap().blocks[0].text, "Some text.");
    let elsewhere = "<Relationships><Relationship Type=\"http://x/officeDocument\" Target=\"../../../word/document.xml\"/></Relationships>";
    let inside = archive(&[("_rels/.rels", elsewhere), ("word/document.xml", WORD)]);
    assert_eq!(parse(&inside, "a.docx").unwrap().blocks[0].text, "Some text.");
    let outside = elsewhere.replace("../../../word/document.xml", "file:///etc/passwd");
    assert_eq!(fault(&archive(&[("_rels/.rels", &outside), ("word/document.xml", WORD)]), "a.docx"), Fault::NoDocument);
}

#[test]
fn an_archive_of_very_many_parts_is_refused() {
    let names: Vec<String> = (0..=super::archive::MOST_PARTS).map(|no| format!("{no}")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    assert_eq!(fault(&archive(&parts), "a.epub"), Fault::TooManyParts);
}

#[test]
fn entities_of_a_document_unfold_to_nothing() {
    let lol = (1..10).fold("<!ENTITY l0 'lol'>".to_owned(), |all, no| {
        all + &format!("<!ENTITY l{no} '{}'>", format!("&l{};", no - 1).repeat(10))
    });
    let bomb = format!("<!DOCTYPE x [{lol}<!ENTITY passwords SYSTEM 'file:///etc/passwd'>]>{WORD}")
        .replace("Some", "Some &l9;&passwords;&amp;&lt;");
    let document = parse(&archive(&[("word/document.xml", &bomb)]), "a.docx").unwrap();
    assert_eq!(document.blocks[0].text, "Some &l9;&passwords;&< text.");
}

#[test]
fn text_in_other_encodings_and_in_sections_of_its_own_is_read() {
    let text = WORD.replace("Some", "<![CDATA[A & <b>]]> &#x20ac;");
    let document = parse(&archive(&[("word/document.xml", &text)]), "a.docx").unwrap();
    assert_eq!(document.blocks[0].text, "A & <b> \u{20ac} text.");
    let flat = "<office:document><office:body><office:text><text:p>Gr\u{fc}\u{df}e</text:p></office:text></office:body></office:document>";
    let wide: Vec<u8> = [0xfeff].into_iter().chain(flat.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(parse(&wide, "a.fodt").unwrap().blocks[0].text, "Gr\u{fc}\u{df}e");
}

#[test]
fn long_names_cost_no_more_than_their_length() {
    let long = "x".repeat(500_000);
    let based = format!(
        "<w:styles><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"{long}\"><w:numPr><w:numId w:val=\"{long}\"/></w:numPr>\
         </w:style><w:style w:styleId=\"a\"><w:basedOn w:val=\"{long}\"/></w:style></w:styles>"
    );
    let paragraph = "<w:p><w:pPr><w:pStyle w:val=\"a\"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:p/>".repeat(20_000);
    let list = format!("<text:list text:style-name=\"{long}\"><text:list-item>{}", "<text:p>a</text:p>".repeat(40_000));
    let children = format!("<{long}>{}", "<a/>".repeat(200_000));
    let items = "<item href=\"b\"/>".repeat(60_000);
    let container = format!("<rootfile full-path=\"{}\"/>", &long[..60_000]);
    for parts in [
        [("word/styles.xml", based.as_str()), ("word/document.xml", &paragraph)],
        [("styles.xml", &children), ("content.xml", &format!("<office:body><office:text>{list}"))],
        [("META-INF/container.xml", &container), (&long[..512], &items)],
    ] {
        let bytes = archive(&parts);
        let started = Spent::now();
        let _ = parse(&bytes, "a.docx");
        assert!(started.elapsed() < Duration::from_secs(5), "{} took {:?}", parts[0].0, started.elapsed());
    }
}

#[test]
fn hostile_nesting_and_repetition_take_time_linear_to_their_length() {
    const LENGTH: usize = 300_000;
    let word = [
        "<w:p>",
        "<w:p><w:r><w:t>a",
        "<w:tbl>",
        "<w:tbl><w:tr><w:tc>",
        "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr>",
        "<w:sdt>",
        "<w:tc><w:tcPr><w:gridSpan w:val=\"1000000000\"/>",
        "<w:fldChar w:fldCharType=\"begin\"/>",
        "<w:p/>",
        "<w:r/>",
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"99999999\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>",
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>",
        "<mc:AlternateContent>",
        "<w:p><w:r><w:footnoteReference w:id=\"1\"/></w:r></w:p>",
        "<w:txbxContent>",
        "<a",
        "&a;",
        "<![CDATA[",
        "<!--",
        "<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr></w:tc></w:tr>",
    ];
    let odt = [
        "<text:p>",
        "<text:list>",
        "<text:list><text:list-item><text:p>a</text:p>",
        "<table:table>",
        "<text:note>",
        "<text:span>",
        "<table:table><table:table-row><table:table-cell>",
        "<text:p>a<text:note><text:note-body><text:p>b",
        "<table:table-column table:number-columns-repeated=\"1000000000\"/>",
        "<table:table-row><table:table-cell table:number-columns-repeated=\"1000000000\"><text:p>a</text:p></table:table-cell></table:table-row>",
        "<table:table-row table:number-rows-repeated=\"1000000000\"><table:table-cell/></table:table-row>",
        "<table:covered-table-cell table:number-columns-repeated=\"1000000000\"/>",
        "<text:section>",
        "<draw:frame>",
        "<text:h text:outline-level=\"1000000000\">a</text:h>",
    ];
    let word = word.map(|pattern| ("word/document.xml", "<w:body><w:tbl>", pattern));
    let odt = odt.map(|pattern| ("content.xml", "<office:body><office:text><table:table>", pattern));
    for (part, head, pattern) in word.into_iter().chain(odt) {
        let bytes = archive(&[(part, &(head.to_owned() + &pattern.repeat(LENGTH / pattern.len())))]);
        let started = Spent::now();
        if let Ok(document) = parse(&bytes, "a.docx") {
            super::super::tests::check(&document);
        }
        assert!(started.elapsed() < Duration::from_secs(5), "{pattern:?} took {:?}", started.elapsed());
    }
}
