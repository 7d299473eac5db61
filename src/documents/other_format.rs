//! Formats that are not read: detects them by name and content, and tells what to save the file as instead.
//!
//! It reads no text of them, and no file that is read under another name.

use super::office;

/// A format that is not read, and what to do with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OtherFormat {
    #[error("a spreadsheet; save each sheet as CSV")]
    Spreadsheet,
    #[error("slides; save them as PDF")]
    Slides,
    #[error("a mail of Outlook; save it as .eml")]
    OutlookMail,
    #[error("a document of another word processor; save it as .docx or PDF")]
    WordProcessor,
    #[error("an archive; unpack it")]
    Archive,
    #[error("a picture; its text is not read")]
    Picture,
    #[error("Rich Text (.rtf); save it as .docx or as plain text")]
    RichText,
    #[error("a saved web page (.mhtml) without a page in it; save the page as HTML")]
    SavedPage,
}

/// Endings of names, without the dot.
const ENDINGS: [(OtherFormat, &[&str]); 6] = [
    (OtherFormat::Spreadsheet, &["xls", "xlsx", "xlsm", "xlsb", "xlt", "xltx", "ods", "ots", "numbers"]),
    (OtherFormat::Slides, &["ppt", "pptx", "pptm", "pps", "ppsx", "odp", "otp", "key"]),
    (OtherFormat::OutlookMail, &["msg"]),
    (OtherFormat::WordProcessor, &["wpd", "wps", "pages", "sxw", "hwp"]),
    (OtherFormat::Archive, &["7z", "bz2", "cab", "gz", "jar", "rar", "tar", "tbz2", "tgz", "txz", "xz", "zip", "zst"]),
    (
        OtherFormat::Picture,
        &["avif", "bmp", "gif", "heic", "ico", "jpeg", "jpg", "png", "ppm", "psd", "tif", "tiff", "webp"],
    ),
];

/// The first bytes of pictures and archives.
const BEGINNINGS: [(OtherFormat, &[u8]); 7] = [
    (OtherFormat::Picture, b"\x89PNG\r\n"),
    (OtherFormat::Picture, b"\xff\xd8\xff"),
    (OtherFormat::Picture, b"GIF8"),
    (OtherFormat::Archive, b"7z\xbc\xaf\x27\x1c"),
    (OtherFormat::Archive, b"Rar!\x1a\x07"),
    (OtherFormat::Archive, b"\x1f\x8b"),
    (OtherFormat::Archive, b"\xfd7zXZ\0"),
];

impl OtherFormat {
    /// The format of a file with this ending of its name.
    pub(super) fn by_ending(ending: &str) -> Option<OtherFormat> {
        let is_one = |endings: &[&str]| endings.iter().any(|one| one.eq_ignore_ascii_case(ending));
        ENDINGS.iter().find(|(_, endings)| is_one(endings)).map(|(format, _)| *format)
    }

    /// The format of a file that is no text; None if it is not known.
    pub(super) fn of(name: &str, bytes: &[u8]) -> Option<OtherFormat> {
        let by_name = name.rsplit_once('.').and_then(|(_, ending)| OtherFormat::by_ending(ending));
        let by_content = || BEGINNINGS.iter().find(|(_, begin)| bytes.starts_with(begin)).map(|(format, _)| *format);
        by_name.or_else(|| office::other_format(bytes)).or_else(by_content)
    }

    /// Whether a text is Rich Text, whatever its name.
    pub(super) fn is_rich_text(bytes: &[u8]) -> bool {
        bytes.starts_with(b"{\\rtf")
    }
}

#[cfg(test)]
mod tests {
    use super::super::office::tests::archive;
    use super::super::parse;
    use crate::Unread;

    fn told(name: &str, bytes: &[u8]) -> String {
        parse(bytes, name).expect_err("no document").to_string()
    }

    #[test]
    fn a_file_of_another_program_is_named_with_what_to_do() {
        let compound = |part: &str| {
            let part: Vec<u8> = part.encode_utf16().flat_map(u16::to_le_bytes).collect();
            [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 600], &part].concat()
        };
        let sheet = archive(&[("xl/workbook.xml", "<workbook/>")]);
        let calc = archive(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", "<x/>")]);
        let binary = [0; 64];
        for (name, bytes, says) in [
            ("prices.xlsx", sheet.as_slice(), "a spreadsheet; save each sheet as CSV"),
            ("prices", &sheet, "a spreadsheet; save each sheet as CSV"),
            ("prices.XLS", &compound("Workbook"), "a spreadsheet; save each sheet as CSV"),
            ("prices.bak", &compound("Workbook"), "a spreadsheet; save each sheet as CSV"),
            ("calc.dat", &calc, "a spreadsheet; save each sheet as CSV"),
            ("talk", &archive(&[("ppt/presentation.xml", "<p/>")]), "slides; save them as PDF"),
            ("talk.ppt", &compound("PowerPoint Document"), "slides; save them as PDF"),
            ("mail.msg", &compound("x"), "a mail of Outlook; save it as .eml"),
            ("mail", &compound("__substg1.0_1000001F"), "a mail of Outlook; save it as .eml"),
            ("letter.wpd", &binary, "a document of another word processor; save it as .docx or PDF"),
            ("docs.zip", &archive(&[("a.md", "text")]), "an archive; unpack it"),
            ("docs", &archive(&[("a.md", "text")]), "an archive; unpack it"),
            ("scan", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a picture; its text is not read"),
            ("menu.rtf", b"{\\rtf1\\ansi The menu.}", "Rich Text (.rtf); save it as .docx or as plain text"),
            ("menu.txt", b"{\\rtf1\\ansi The menu.}", "Rich Text (.rtf); save it as .docx or as plain text"),
            ("unknown.dat", &binary, "binary, not text"),
        ] {
            assert_eq!(told(name, bytes), says, "{name}");
        }
    }

    #[test]
    fn text_under_the_name_of_another_format_is_read() {
        for name in ["notes.key", "list.xls", "menu.rtf", "docs.pages", "a.msg"] {
            let document = parse(b"The menu is on the wall.\n", name);
            assert_eq!(document.map_err(|why: Unread| why.to_string()).unwrap().blocks.len(), 1, "{name}");
        }
        let document = parse(b"A text on {\\rtf1 as a mark.\n", "notes.txt").unwrap();
        assert_eq!(document.blocks.len(), 1);
    }
}
