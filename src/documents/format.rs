//! Detects the format of a file by its name, and by its content if the name is not enough.

use std::path::Path;

use super::{asciidoc, html, info, mail, markdown, packed, roff, subtitles, texinfo, wiki};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Html,
    Rst,
    AsciiDoc,
    /// The source of a manual page; detected by content.
    Manual,
    /// An Info manual of a GNU program; detected by content.
    Info,
    /// A mail, or a mailbox.
    Mail,
    /// A web page with its pictures in one file, in the form of a mail: MHTML.
    SavedPage,
    /// PDF; detected by its first bytes.
    Pdf,
    /// A Word document, an OpenDocument text or an e-book; detected by its parts.
    Office,
    /// An OpenDocument text in one file of XML.
    FlatOffice,
    /// Tables of cells: CSV, TSV.
    Separated,
    /// DocBook, Mallard, DITA; detected by content.
    Xml,
    /// A file named as XML: mostly data; a document is detected by content.
    Data,
    /// Notes and manuals of Emacs' Org mode.
    Org,
    Latex,
    /// Documentation of Perl.
    Pod,
    /// A Jupyter notebook.
    Notebook,
    /// The source of a GNU manual.
    Texinfo,
    /// The source of a page of a wiki; a text without such an ending is detected by content.
    Wiki,
    /// Subtitles of a film: SubRip, WebVTT.
    Subtitles,
    /// One record a line: logs, JSON lines.
    Lines,
    Plain,
    /// Not known from the name.
    Unknown,
    /// Source code, pictures, archives, program data.
    NotADocument,
}

/// Extensions of files that are no documents; they are skipped silently.
const NOT_DOCUMENTS: &[&str] = &[
    "7z", "a", "ai", "apk", "asm", "avi", "avif", "bash", "bat", "bib", "bin", "bmp", "bst", "bz2", "c", "cc", "cfg",
    "class", "cls", "cmake", "cmd", "conf", "cpp", "cs", "css", "cxx", "dart", "db", "deb", "dll", "doctree", "dot",
    "ds_store", "dtx", "dylib", "ear", "eot", "eps", "erl", "ex", "exe", "exs", "fig", "fish", "flac", "gif", "go",
    "gz", "h", "hpp", "hs", "ico", "ily", "ins", "inv", "iso", "jar", "java", "jpeg", "jpg", "js", "json", "jsx", "kt",
    "less", "lock", "lua", "ly", "lz", "lz4", "m", "map", "mjs", "ml", "mo", "mov", "mp3", "mp4", "o", "obj", "odg",
    "ogg", "otf", "parquet", "pem", "php", "pickle", "pl", "pm", "png", "po", "pot", "ppm", "proto", "ps", "ps1",
    "psd", "py", "pyc", "pyi", "r", "rar", "rb", "rlib", "rpm", "rs", "sass", "scala", "scss", "sh", "so", "sql",
    "sqlite", "sqlite3", "sty", "svg", "swift", "swp", "tar", "tgz", "tif", "tiff", "toml", "ts", "tsx", "ttf", "vim",
    "vue", "war", "wasm", "wav", "webm", "webp", "whl", "wmv", "woff", "woff2", "xsd", "xsl", "xz", "yaml", "yml",
    "zip", "zsh", "zst",
];

/// Those of them whose text somebody may expect an answer from: settings, records, source code.
const WRITTEN: &[&str] = &[
    "asm", "bash", "bat", "bib", "c", "cc", "cfg", "cmake", "cmd", "conf", "cpp", "cs", "css", "cxx", "dart", "erl",
    "ex", "exs", "fish", "go", "h", "hpp", "hs", "java", "js", "json", "jsx", "kt", "less", "lua", "m", "mjs", "ml",
    "php", "pl", "pm", "po", "proto", "ps1", "py", "pyi", "r", "rb", "rs", "sass", "scala", "scss", "sh", "sql",
    "swift", "toml", "ts", "tsx", "vim", "vue", "xsd", "xsl", "yaml", "yml", "zsh",
];

/// Whether a file that is no document by its name is written text: data or source code, not a picture or an archive.
pub(super) fn is_written(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| WRITTEN.binary_search(&ending.as_str()).is_ok())
}

impl Format {
    pub fn by_name(name: &str) -> Format {
        if let Some(inner) = packed::name_within(name) {
            return Format::by_name(inner);
        }
        let name = name.to_ascii_lowercase();
        // Word's note of who has a document open.
        if name.starts_with("~$") {
            return Format::NotADocument;
        }
        if name.ends_with(".rst.txt") {
            return Format::Rst;
        }
        if name.ends_with(".md.txt") {
            return Format::Markdown;
        }
        let Some((stem, ending)) = name.rsplit_once('.') else { return Format::Unknown };
        if stem.is_empty() {
            return Format::Unknown;
        }
        match ending {
            "md" | "markdown" | "mdown" | "mkd" | "mdx" => Format::Markdown,
            "html" | "htm" | "xhtml" => Format::Html,
            "rst" | "rest" => Format::Rst,
            "adoc" | "asciidoc" | "asc" => Format::AsciiDoc,
            "eml" | "mbox" => Format::Mail,
            "mhtml" | "mht" => Format::SavedPage,
            "pdf" => Format::Pdf,
            "docx" | "docm" | "odt" | "epub" => Format::Office,
            "fodt" => Format::FlatOffice,
            "csv" | "tsv" => Format::Separated,
            "log" | "jsonl" | "ndjson" => Format::Lines,
            "org" => Format::Org,
            "tex" | "ltx" | "latex" => Format::Latex,
            "pod" => Format::Pod,
            "ipynb" => Format::Notebook,
            "texi" | "texinfo" | "txi" => Format::Texinfo,
            "srt" | "vtt" => Format::Subtitles,
            "wiki" | "mediawiki" => Format::Wiki,
            "docbook" | "dbk" | "dita" => Format::Xml,
            "xml" => Format::Data,
            "txt" | "text" => Format::Plain,
            _ if NOT_DOCUMENTS.binary_search(&ending).is_ok() => Format::NotADocument,
            _ => Format::Unknown,
        }
    }

    /// Whether running text is joined over the lines of the file, which blocks are said to stand in.
    pub fn joins_lines(self) -> bool {
        !matches!(
            self,
            Format::Separated
                | Format::Lines
                | Format::Notebook
                | Format::SavedPage
                | Format::FlatOffice
                | Format::Office
                | Format::Pdf
        )
    }

    /// The final format, given the text.
    pub fn settle(self, text: &str) -> Format {
        if !matches!(self, Format::Unknown | Format::Plain | Format::Data) {
            return self;
        }
        let begin: String = text.trim_start().chars().take(64).collect::<String>().to_ascii_lowercase();
        if begin.starts_with("<!doctype html") || begin.starts_with("<html") {
            return Format::Html;
        }
        match text {
            _ if html::is_xml_document(text) => Format::Xml,
            _ if roff::is_source(text) => Format::Manual,
            _ if info::is_manual(text) => Format::Info,
            _ if mail::is_saved_page(text) => Format::SavedPage,
            _ if mail::is_mail(text) => Format::Mail,
            _ if texinfo::is_source(text) => Format::Texinfo,
            _ if subtitles::is_source(text) => Format::Subtitles,
            _ if asciidoc::is_source(text) => Format::AsciiDoc,
            _ if markdown::is_source(text) => Format::Markdown,
            _ if wiki::is_source(text) => Format::Wiki,
            _ => Format::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_sorted_so_that_they_can_be_found() {
        assert!(NOT_DOCUMENTS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(WRITTEN.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(WRITTEN.iter().all(|ending| NOT_DOCUMENTS.contains(ending)));
    }

    #[test]
    fn a_name_tells_its_format() {
        for (name, format) in [
            ("guide.md", Format::Markdown),
            ("Page.HTML", Format::Html),
            ("index.rst.txt", Format::Rst),
            ("policy.rst", Format::Rst),
            ("git-log.adoc", Format::AsciiDoc),
            ("book.asc", Format::AsciiDoc),
            ("manual.pdf", Format::Pdf),
            ("report.docx", Format::Office),
            ("report.odt", Format::Office),
            ("~$report.docx", Format::NotADocument),
            ("Book.EPUB", Format::Office),
            ("report.fodt", Format::FlatOffice),
            ("notes.txt", Format::Plain),
            ("2009-November.mbox", Format::Mail),
            ("Page.mhtml", Format::SavedPage),
            ("sizes.csv", Format::Separated),
            ("index.docbook", Format::Xml),
            ("notes.org", Format::Org),
            ("paper.tex", Format::Latex),
            ("perlre.pod", Format::Pod),
            ("results.ipynb", Format::Notebook),
            ("talk.srt", Format::Subtitles),
            ("branching.wiki", Format::Wiki),
            ("sed.texi", Format::Texinfo),
            ("pom.xml", Format::Data),
            ("README", Format::Unknown),
            ("LICENSE.MIT", Format::Unknown),
            ("NEWS.gz", Format::Unknown),
            ("guide.html.gz", Format::Html),
            ("ls.1.gz", Format::Unknown),
            ("backup.tar.gz", Format::NotADocument),
            ("main.rs", Format::NotADocument),
            ("logo.PNG", Format::NotADocument),
        ] {
            assert_eq!(Format::by_name(name), format, "{name}");
        }
    }

    #[test]
    fn a_text_file_that_begins_as_a_page_is_one() {
        assert_eq!(Format::Unknown.settle("\n<!DOCTYPE html><p>x"), Format::Html);
        assert_eq!(Format::Plain.settle("a < b"), Format::Plain);
        let links: String =
            (1..4).map(|nth| format!("- [Fix {nth}.][{nth}]\n\n[{nth}]: https://example.org/{nth}\n")).collect();
        assert_eq!(Format::Unknown.settle(&format!("Version 1.2\n====\n\n{links}")), Format::Markdown);
        let notes: String =
            (1..4).map(|nth| format!("Fixed {nth} [{nth}].\n\n[{nth}]: https://example.org/{nth}\n")).collect();
        assert_eq!(Format::Unknown.settle(&notes), Format::Plain);
        assert_eq!(Format::Unknown.settle(".\\\" A comment\n.TH LS 1\n"), Format::Manual);
        assert_eq!(Format::Unknown.settle(".profile is read first.\n"), Format::Plain);
        assert_eq!(Format::Unknown.settle("<page xmlns=\"http://projectmallard.org/1.0/\">"), Format::Xml);
        assert_eq!(
            Format::Data.settle("<chapter><title>Saving</title><para>It is kept.</para></chapter>"),
            Format::Xml
        );
        assert_eq!(Format::Data.settle("<project><name>x</name></project>"), Format::Plain);
        assert_eq!(Format::Plain.settle("Words.\n\n== One ==\nIt is.\n\n== Two ==\n"), Format::Wiki);
        assert_eq!(Format::Plain.settle("== One ==\n\nif (a == b)\n"), Format::Plain);
        assert_eq!(Format::Markdown.settle("<html>"), Format::Markdown);
    }
}
