use std::time::Duration;

use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

use super::*;
use run::BlockKind;
use text::is_forbidden;

/// The processor time that this thread has used since a moment: other processes on the machine do not count.
pub(crate) struct Spent(Duration);

impl Spent {
    pub(crate) fn now() -> Spent {
        Spent(Spent::by_now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        Spent::by_now() - self.0
    }

    fn by_now() -> Duration {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}

const NAMES: [&str; 19] = [
    "a.md", "a.html", "a.dbk", "a.rst", "a.adoc", "a.txt", "a.csv", "a.mbox", "a.fodt", "a", "a.org", "a.tex", "a.pod",
    "a.ipynb", "a.texi", "a.eml", "a.srt", "a.vtt", "a.wiki",
];
/// The head of a file of subtitles: what follows is said.
const CUE: &str = "WEBVTT\n\n00:01.000 --> 00:02.000\n";

/// The rules that hold for every document, made from any format.
pub(super) fn check(document: &Document) {
    let mut start = 0;
    // Pieces of a line, put together.
    let mut lines: Vec<String> = Vec::new();
    for (block, no) in document.blocks.iter().zip(0u32..) {
        let before = no.checked_sub(1).map(|before| &document.blocks[before as usize]);
        match before.filter(|before| block.continues(before)) {
            Some(before) => {
                assert!(before.kind == block.kind && before.line == block.line, "{block:?}");
                assert!(matches!(block.kind, BlockKind::Code | BlockKind::TableRow), "{block:?}");
                start -= 1;
            }
            None => lines.push(String::new()),
        }
        lines.last_mut().unwrap().push_str(&block.text);
        assert_eq!((block.no, block.start), (no, start));
        start += block.text.len() as u64 + 1;
        assert!(block.text.len() <= 2400, "{block:?}");
        assert!(!block.text.chars().any(|c| c != '\n' && is_forbidden(c)), "{block:?}");
        assert!(block.line > 0);
    }
    assert!(lines.iter().all(|line| line.chars().any(char::is_alphanumeric)), "{lines:?}");
    assert_eq!(document.bytes + 1, start);
    let mut next = 0;
    for section in &document.sections {
        assert!(section.first == next && section.first <= section.end, "{section:?}");
        next = section.end;
        for no in section.first..section.end {
            assert_eq!(document.blocks[no as usize].headings, section.headings);
        }
    }
    assert_eq!(next as usize, document.blocks.len());
    assert!(!document.title.contains('\n'));
}

/// Sources of manual pages.
fn macros() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "SH", "SS", "PP", "TP", "TQ", "IP", "RS", "RE", "B", "BR", "nf", "fi", "TS", "TE", "Sh", "Bl", "It", "El",
        "Bd", "Ed", "Nm", "Fl", "Op", "Oo", "Oc", "Xr", "Ns", "Dl", "de", "if", "ig", "EQ",
    ]);
    let line = prop_oneof![
        (name, "( [a-z]{1,4}| Fl| Op| -tag| \"| \\\\fB| [.,(]){0,3}")
            .prop_map(|(name, rest)| format!(".{name}{rest}\n")),
        "[a-z .\\\\(*\t]{0,12}\n".prop_map(|line| line),
    ];
    proptest::collection::vec(line, 0..40).prop_map(|lines| format!(".TH A 1\n{}", lines.concat()))
}

/// Lines of AsciiDoc.
fn asciidoc() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "",
        "+",
        "--",
        "----",
        "====",
        "=====",
        "****",
        "____",
        "....",
        "++++",
        "////",
        "|===",
        "!===",
        ",===",
        "```",
        "= T",
        "== S",
        "=== D",
        "* a",
        "** b",
        "- c",
        ". d",
        ".. e",
        "1. f",
        "<1> g",
        "t:: x",
        "t::",
        "u::: y",
        "v;;",
        "  literal",
        "text *b* _i_ `c",
        "word",
        "[verse]",
        "[source]",
        "[cols=2,%header]",
        "[[id]]",
        "[NOTE]",
        "[stem]",
        ".Title",
        ":a: {a}x",
        ":a!:",
        "{a} {nbsp}",
        "|a |b",
        "2+|c .2+|d",
        "3*|e",
        "a|",
        "<<id,x>> link:y[z] \\*",
        "NOTE: n",
        "// c",
        "'''",
        "image::x[]",
        "include::x[]",
        "x(1)",
        "NAME",
        "a - b",
        "+++<b>+++",
        "``q'' '`q`'",
        "footnote:[x",
        "((t)) (((u",
    ]);
    proptest::collection::vec(line, 0..60).prop_map(|lines| lines.join("\n"))
}

/// Elements of XML that are closed, never opened, or never closed.
fn elements() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "info",
        "title",
        "section",
        "para",
        "itemizedlist",
        "listitem",
        "varlistentry",
        "term",
        "note",
        "table",
        "row",
        "entry",
        "thead",
        "screen",
        "refentry",
        "refmeta",
        "refnamediv",
        "refname",
        "refpurpose",
        "keycombo",
        "arg",
        "group",
        "xref",
        "item",
        "terms",
        "steps",
        "page",
        "footnote",
        "quote",
        "equation",
        "code",
        "question",
        "db:para",
    ]);
    let piece = prop_oneof![
        (name.clone(), "( id=\"a\"| linkend=\"a\"| choice='req'|/){0,2}")
            .prop_map(|(name, rest)| format!("<{name}{rest}>")),
        name.prop_map(|name| format!("</{name}>")),
        "( word|&lt;|&a;|&amp|<!\\[CDATA\\[|\\]\\]>|<!--|-->|<\\?|\\?>|<!DOCTYPE|<!ENTITY a 'b|\\[|'>|\n){0,3}"
            .prop_map(|text| text),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Elements of Word documents, of OpenDocument texts and of the packages of e-books, closed, never opened, or never closed.
fn office_elements() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "w:body",
        "w:p",
        "w:pPr",
        "w:r",
        "w:rPr",
        "w:t",
        "w:pStyle",
        "w:numPr",
        "w:numId",
        "w:ilvl",
        "w:tbl",
        "w:tr",
        "w:tc",
        "w:tcPr",
        "w:vMerge",
        "w:gridSpan",
        "w:del",
        "w:ins",
        "w:sdt",
        "w:sdtPr",
        "w:showingPlcHdr",
        "w:fldChar",
        "w:instrText",
        "w:footnote",
        "w:footnoteReference",
        "w:txbxContent",
        "mc:AlternateContent",
        "mc:Choice",
        "mc:Fallback",
        "w:style",
        "w:name",
        "w:basedOn",
        "office:body",
        "office:text",
        "text:p",
        "text:h",
        "text:list",
        "text:list-item",
        "text:span",
        "text:s",
        "text:note",
        "text:note-body",
        "table:table",
        "table:table-column",
        "table:table-header-rows",
        "table:table-row",
        "table:table-cell",
        "table:covered-table-cell",
        "text:table-of-content",
        "style:style",
        "package",
        "metadata",
        "dc:title",
        "manifest",
        "item",
        "spine",
        "itemref",
        "rootfile",
        "nav",
        "ol",
        "a",
        "navPoint",
        "navLabel",
        "text",
        "content",
    ]);
    let attribute = "( w:val=\"[a1]\"| w:type=\"separate\"| w:fldCharType=\"(begin|separate|end)\"| w:id=\"1\"| text:c=\"9\"| \
        style:name=\"a\"| style:parent-style-name=\"a\"| text:style-name=\"a\"| full-path=\"a\"| href=\"a\"| src=\"a\"| id=\"a\"| \
        idref=\"a\"| media-type=\"text/html\"| properties=\"nav\"| table:number-columns-spanned=\"[039]\"){0,2}/{0,1}";
    let piece = prop_oneof![
        (name.clone(), attribute).prop_map(|(name, rest)| format!("<{name}{rest}>")),
        name.clone().prop_map(|name| format!("</{name}>")),
        (name.clone(), name).prop_map(|(outer, inner)| format!("<{outer}><{inner}>Some words.</{inner}></{outer}>")),
        "( word|TOC|&lt;|&a;|<!\\[CDATA\\[|\\]\\]>|<!--|-->|<\\?|\n){0,3}".prop_map(|text| text),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Pieces of Org, LaTeX and Pod.
fn commands() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\n",
        "\n\n",
        " ",
        "  ",
        "word ",
        "Two words. ",
        "* ",
        "** TODO ",
        "- ",
        " 1. ",
        " :: ",
        ":work:",
        ":DRAWER:\n",
        ":END:\n",
        "#+begin_src\n",
        "#+end_src\n",
        "#+begin_quote\n",
        "#+title: T\n",
        "| a | b |\n",
        "|---+---|\n",
        ": fixed\n",
        "[[a][",
        "]]",
        "[fn:",
        "]",
        "{{{k(",
        ")}}}",
        "@@",
        "<<",
        ">>",
        "<2026-01-05>",
        "~",
        "=",
        "/",
        "_",
        "+",
        "\\",
        "\\\\",
        "{",
        "}",
        "[",
        "$",
        "$$",
        "&",
        "%",
        "--",
        "``",
        "''",
        "\\begin{document}",
        "\\begin{itemize}",
        "\\end{itemize}",
        "\\begin{tabular}{l}",
        "\\end{tabular}",
        "\\hline",
        "\\item",
        "\\item[a]",
        "\\section{S}",
        "\\title{T}",
        "\\frac",
        "\\verb|",
        "\\cite{",
        "\\'e",
        "\\(",
        "\\)",
        "\\begin{verbatim}",
        "\\end{verbatim}",
        "\\begin{equation}",
        "=head1 H\n\n",
        "=over\n\n",
        "=item a\n\n",
        "=item *\n\n",
        "=back\n\n",
        "=cut\n\n",
        "=begin x\n\n",
        "B<",
        "C<< ",
        " >>",
        ">",
        "E<lt>",
        "L<a|b>",
        "\u{202e}",
        "\u{fc}",
    ]);
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_commands_become_a_sound_document_or_a_reason(text in commands()) {
        for name in ["a.org", "a.tex", "a.pod"] {
            if let Ok(document) = parse(text.as_bytes(), name) {
                check(&document);
            }
        }
    }
}

/// Pieces that markup is made of, so that chance hits upon structure.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\n\n"),
        Just("  "),
        Just("    "),
        Just("* "),
        Just("1. "),
        Just("- "),
        Just("# "),
        Just("## "),
        Just("====\n"),
        Just("----\n"),
        Just("=== ===\n"),
        Just("+--+--+\n"),
        Just("| a | b |\n"),
        Just("|--|--|\n"),
        Just("::\n\n"),
        Just(".. note:: "),
        Just(".. code-block:: x\n\n"),
        Just(":ref:`x <y>`"),
        Just(":Key: value\n"),
        Just("``"),
        Just("**"),
        Just("`"),
        Just("[1]_"),
        Just("<p>"),
        Just("</p>"),
        Just("<ul><li>"),
        Just("</ul>"),
        Just("<table><tr><td>"),
        Just("</table>"),
        Just("<th>"),
        Just("<dl><dt>"),
        Just("<dd>"),
        Just("</dl>"),
        Just("<nav>"),
        Just("</nav>"),
        Just("<pre>"),
        Just("</pre>"),
        Just("<code>"),
        Just("</code>"),
        Just("<pre><code>some words in code</code></pre><p>"),
        Just("<main>"),
        Just("</main>"),
        Just("<h2>"),
        Just("</h2>"),
        Just("<title>"),
        Just("</title>"),
        Just("<!--"),
        Just("-->"),
        Just("<script>"),
        Just("&amp;"),
        Just("\""),
        Just("a,b\n"),
        Just("word "),
        Just("Two words. "),
        Just("CAPITALS"),
        Just("Key: value"),
        Just("\u{1b}[31m"),
        Just("\u{202e}"),
        Just("ümlaut"),
        Just("\u{6771}\u{4eac}"),
        Just("```\n"),
        Just("---\n"),
        Just("> "),
        Just("\t"),
        Just("\u{a0}"),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_become_a_sound_document_or_a_reason(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for name in NAMES {
            if let Ok(document) = parse(&bytes, name) {
                check(&document);
            }
        }
    }

    #[test]
    fn any_markup_becomes_a_sound_document_or_a_reason(text in markup()) {
        for name in NAMES {
            if let Ok(document) = parse(text.as_bytes(), name) {
                check(&document);
                prop_assert_eq!(parse(text.as_bytes(), name).unwrap(), document);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_manual_page_becomes_a_sound_document_or_a_reason(text in macros()) {
        if let Ok(document) = parse(text.as_bytes(), "a.1") {
            check(&document);
        }
    }
}

proptest! {
    #[test]
    fn any_lines_of_asciidoc_become_a_sound_document_or_a_reason(text in asciidoc()) {
        if let Ok(document) = parse(text.as_bytes(), "a.adoc") {
            check(&document);
        }
    }
}

proptest! {
    #[test]
    fn any_xml_becomes_a_sound_document_or_a_reason(text in elements()) {
        if let Ok(document) = parse(text.as_bytes(), "a.dbk") {
            check(&document);
            prop_assert_eq!(parse(text.as_bytes(), "a.dbk").unwrap(), document);
        }
    }
}

proptest! {
    #[test]
    fn any_parts_of_an_archive_become_a_sound_document_or_a_reason(text in office_elements(), other in office_elements()) {
        let page = |text: &str| format!("<html>{text}</html>");
        for parts in [
            [("word/document.xml", text.clone()), ("word/styles.xml", other.clone()), ("word/footnotes.xml", text.clone())],
            [("content.xml", format!("<office:body><office:text>{text}")), ("styles.xml", other.clone()), ("meta.xml", other.clone())],
            [("META-INF/container.xml", "<rootfile full-path=\"a\">".to_owned()), ("a", text.clone()), ("toc", page(&other))],
        ] {
            let parts: Vec<(&str, &str)> = parts.iter().map(|(name, text)| (*name, text.as_str())).collect();
            if let Ok(document) = parse(&office::tests::archive(&parts), "a.docx") {
                check(&document);
            }
        }
    }

    #[test]
    fn any_chapter_of_a_book_becomes_a_sound_document_or_a_reason(text in markup(), name in "[a-z ]{0,6}") {
        let package = "<package><manifest><item id=\"c\" href=\"c\" media-type=\"text/html\"/><item id=\"t\" href=\"t\" \
            media-type=\"application/x-dtbncx+xml\"/></manifest><spine><itemref idref=\"c\"/></spine></package>";
        let contents = format!("<navPoint><navLabel><text>{name}</text></navLabel><content src=\"c\"/></navPoint>").repeat(3);
        let parts = [("META-INF/container.xml", "<rootfile full-path=\"a\">"), ("a", package), ("t", &contents), ("c", &text)];
        if let Ok(document) = parse(&office::tests::archive(&parts), "a.epub") {
            check(&document);
        }
    }

    #[test]
    fn any_change_to_an_archive_leaves_a_sound_document_or_a_reason(at in 0..600_usize, byte: u8, cut in 0..600_usize) {
        let text = "<w:p><w:r><w:t>Some words.</w:t></w:r></w:p>";
        let mut bytes = office::tests::archive(&[("word/document.xml", text), ("word/styles.xml", "<w:styles/>")]);
        let at = at % bytes.len();
        bytes[at] = byte;
        for bytes in [&bytes[..], &bytes[..cut.min(bytes.len())], &bytes[cut.min(bytes.len())..]] {
            if let Ok(document) = parse(bytes, "a.docx") {
                check(&document);
            }
        }
    }
}

#[test]
fn a_compressed_document_is_read_as_its_content_and_no_further_than_one_file() {
    let packed = |text: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, text).unwrap();
        packer.finish().unwrap()
    };
    let read = |name: &str, bytes: Vec<u8>| parse_here(&Asked::file(name), bytes);
    let document = read("notes.md.gz", packed(b"# Notes\n\nOne *word*.\n")).unwrap();
    assert_eq!((document.title.as_str(), document.blocks[0].text.as_str()), ("Notes", "One word."));
    assert_eq!(read("notes.gz", packed(b"Plain text.\n")).unwrap().blocks[0].text, "Plain text.");
    // A file that only bears the name is read as it is; one that is damaged, or unfolds beyond the limit, is refused.
    assert_eq!(read("notes.gz", b"Plain text.\n".to_vec()).unwrap().blocks[0].text, "Plain text.");
    assert!(matches!(read("notes.gz", packed(b"Plain text.\n")[..20].to_vec()), Err(Unread::Damaged)));
    let bomb = packed(&vec![b'a'; MOST_BYTES as usize + 1]);
    assert!(bomb.len() < 1 << 20 && matches!(read("notes.gz", bomb), Err(Unread::TooMuchText)));
}

#[test]
fn a_definition_that_holds_the_beginning_of_another_keeps_its_section() {
    check(&parse(b"<dl><dt>ab<dd>cd<table><tr><td>x<dl><dt><dd>", "a.html").unwrap());
}

#[test]
fn hostile_repetition_takes_time_linear_to_its_length() {
    const LENGTH: usize = 50_000;
    let patterns = [
        "<div>",
        "</div>",
        "<p",
        "<a href=",
        "<li>",
        "<table><tr><td>",
        "<dl><dt>x<dd>",
        "&",
        "<!--",
        "<b>x</i>",
        "`",
        "``",
        "**",
        "*a ",
        "[",
        "[x]_",
        "|",
        "| a ",
        "_",
        ":a:`",
        "\\",
        "* ",
        "> ",
        "- - ",
        "  * x\n",
        "x\n===\n",
        "== ==\n",
        "+-+\n",
        ",",
        "\"",
        "\"\n",
        "+--+\n|\n",
        "a: b\n",
        "..",
        ".. x::\n",
        ":",
        ":x: ",
        "x::\n\n ",
        "# ",
        "\t",
        "\n ",
        "![",
        "](",
        "x  y  z\n",
        "- x\n\n",
        "a.b.",
        "... ",
        "1) ",
        "\u{1b}[",
        "\u{1b}]",
        "\u{301}",
        "<td>",
        "e.g. ",
        "A. ",
        "\"x\" ",
        "<h1>x",
        "\u{85}",
        "<section><title>x</title>",
        "<varlistentry><term>x",
        "<quote>",
        "<row><entry/>",
        "<xref linkend=\"a\"",
        "<xref linkend=\"a\"/>",
        "<xref/><x id=\"a\"><title>",
        "&a;",
        "&not",
        "<![CDATA[",
        "<?",
        "<!DOCTYPE",
        "<!DOCTYPE a [<!ENTITY b '",
        "<!ENTITY ",
        "<!DOCTYPE a [<!ENTITY b '&b;&b;'>]>&b;",
        ".TH A 1\n",
        ".TP\nx\n",
        ".RS\n",
        ".Bl -tag\n.It x\n",
        ".Op ",
        ".TS\nl.\na\tT{\n",
        "\\f(",
        ".if \\{\n",
        ".de\n",
        ".nf\n",
        "\u{1f}\nFile: a,  Node: b\n\n",
        "*note a: b",
        "(1) (*note a-Footnote-1::)",
        "* Menu:\n\n* a::\n\n",
        "From a Mon Jan  3 10:00:00 2022\nFrom: a\n\n",
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n",
        "--b\nContent-Type: message/rfc822\n\n",
        ">",
        "> a wrote:\n\n",
        "\u{c}\na\n",
        "\u{c}\n",
        "a [Page 1]\n",
        "1. A\n\n",
        "1.1 A\n",
        "a ..... 1\n",
        "o a\n\n",
        "+-+\n|a|b|\n+-+\n",
        "[[",
        "<<",
        "((",
        "|===\n",
        "|===\n|a\n",
        "|a ",
        "3*|a\n",
        "****\n",
        "====\n\n",
        "--\n",
        "----\n",
        "////\n",
        "x::\n",
        "x:: y\n",
        "* a\n** b\n",
        "* a\n+\n",
        "[x]\n",
        ":a: {a}{a}b\n",
        "{a}",
        "link:x[",
        "footnote:[",
        "[[a]]\n== b\n",
        "\\section{",
        "\\section{{}",
        "\\begin{itemize}\\item[",
        "\\begin{equation}",
        "\\begin{equation}x\\end{equation}\n",
        "\\begin{equation*}x\\end{equation*}\n",
        "\\begin{tabular}{l}",
        "\\frac{",
        "\\frac{a}{",
        "\\verb|",
        "\\(",
        "$ ",
        "a & ",
        "\\cite{a} ",
        "{",
        ":a:\n",
        ":a:\n\n",
        "#+begin_src\n",
        "#+begin_a\n",
        "- a ::\n",
        "*a ",
        "=a ",
        "[[a][",
        "{{{a",
        "@@a",
        "B<",
        "B<a>",
        "B<B<>",
        "C<< a",
        "=over\n\n",
        "=item a\n\n",
        "=begin a\n\n",
        "=head1 a\n\n",
        "@code{",
        "@xref{a",
        "@xref{a,,b}",
        "@verb{|",
        "@c ",
        "@verbatim\n",
        "@example\n",
        "@table\n@item a\n",
        "@multitable\n@item a @tab b\n",
        "00:01.000 --> 00:02.000\na\n\n",
        "{\\\\a",
        "Q: a?\nA: b\n",
        "Q: a?\n\nA: A: A: ",
        "A: A: ",
        "\n\n\n\tA b\n\na\n",
        "* **a?**\n\n  b\n\n",
        "**1**\n\n",
        "- - **a?** ",
        "== a ==\n",
        "== a ==\n[[a|b]] ",
        "''a",
        "<<a",
        "'''\n",
        "|| a ||\n",
        "^ a ^\n",
        "<p>\n[a|b]\n\n",
        "<verbatim>\n",
        "<p><b>a?</b></p>\n\n",
        "  *  a\n",
        "<a> [b.txt] ",
        "x\n+-+\n|a|b|\n+-+\n",
        "Figure 1. A\n",
    ];
    for pattern in patterns {
        let head = match pattern {
            _ if pattern.starts_with(['.', '\\']) => ".TH A 1\n",
            _ if pattern.contains("*note") => "\u{1f}\nFile: a,  Node: b\n\n",
            _ if pattern.contains('>') || pattern.contains("--b") => "From: a\nDate: b\nSubject: c\n",
            _ => "",
        };
        for name in NAMES {
            let head = if matches!(name, "a.srt" | "a.vtt") { CUE } else { head };
            let text = head.to_owned() + &pattern.repeat(LENGTH / pattern.len());
            let started = Spent::now();
            if let Ok(document) = parse(text.as_bytes(), name) {
                check(&document);
            }
            // Linear is far below a second even without optimisation; quadratic would be minutes.
            assert!(started.elapsed() < Duration::from_secs(5), "{pattern:?} in {name} took {:?}", started.elapsed());
        }
    }
}

/// Searches of the processor's own are so fast that only long files show them to be quadratic.
#[test]
fn what_never_closes_in_a_long_file_takes_time_linear_to_its_length() {
    const LENGTH: usize = 1_000_000;
    const INFO: &str = "\u{1f}\nFile: a,  Node: b\n\n";
    let two_cues = "\n00:01.000 --> 00:02.000\na b c d\n\n00:02.000 --> 00:03.000\ne f g h\n";
    for (name, head, pattern) in [
        ("a.srt", CUE, "<"),
        ("a.srt", CUE, "<a"),
        ("a.vtt", CUE, "{\\a"),
        ("a.vtt", CUE, two_cues),
        ("a.info", INFO, "*note a: b. "),
        ("a.info", INFO, "*Note a: b.\n"),
        ("a.texi", "@top a\n", "@verb{|"),
        ("a.texi", "@top a\n", "@code{a"),
        ("a.texi", "@top a\n", "@xref{a"),
    ] {
        let closed = "}".repeat(if pattern.starts_with('@') { LENGTH / pattern.len() } else { 0 });
        let text = format!("{head}Words.{}{closed}", pattern.repeat(LENGTH / pattern.len()));
        let started = Spent::now();
        check(&parse(text.as_bytes(), name).unwrap());
        let took = started.elapsed();
        // Linear is about a second without optimisation; quadratic would be a minute and more.
        assert!(took < Duration::from_secs(20), "{pattern:?} in {name} took {took:?}");
    }
}

#[test]
fn brackets_that_never_close_take_time_linear_to_their_number() {
    let started = Spent::now();
    check(&parse("(a ".repeat(300_000).as_bytes(), "a.txt").unwrap());
    // Quadratic would be half a minute.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn verbatim_paragraphs_take_time_linear_to_their_number() {
    let started = Spent::now();
    let text = format!("=pod\n\n{}", " some words\n\n".repeat(300_000));
    check(&parse(text.as_bytes(), "a.pod").unwrap());
    // Quadratic would be minutes.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_document_in_one_line_of_ten_megabytes_is_read() {
    let text = "word and another one ".repeat(500_000);
    check(&parse(text.as_bytes(), "a.txt").unwrap());
    check(&parse("x".repeat(10_000_000).as_bytes(), "a.txt").unwrap());
}

#[test]
fn a_document_of_too_many_pieces_is_refused() {
    for piece in ["- x\n\n", "# x\n\n"] {
        let text = piece.repeat(300_000);
        assert!(matches!(parse(text.as_bytes(), "a.md"), Err(Unread::TooManyBlocks)), "{piece:?}");
    }
}

#[test]
fn headings_nest_to_a_depth_that_a_person_would_write() {
    let document = parse("<dl><dt>x<dd>y".repeat(200).as_bytes(), "a.html").unwrap();
    check(&document);
    assert!(document.sections.iter().all(|section| section.headings.len() <= 12));
}

#[test]
fn the_title_is_the_pages_without_its_sites_or_the_first_heading_or_the_name() {
    for (name, text, title, first_heading) in [
        ("a.html", "<title>Heaps \u{2014} Manual 3.1</title><h1>Heaps</h1><p>x", "Heaps", None),
        ("a.html", "<title>The Site | Heaps</title><h1>Heaps</h1><p>x", "Heaps", None),
        (
            "a.html",
            "<title>re \u{2014} Patterns \u{2014} Manual</title><h1>re \u{2014} Patterns</h1><p>x",
            "re \u{2014} Patterns",
            None,
        ),
        ("a.html", "<title>Costs: a comparison</title><h1>Costs</h1><p>x", "Costs: a comparison", None),
        ("a.html", "<title>Overview - The Site</title><h1>Welcome</h1><p>x", "Overview", Some("Welcome")),
        (
            "a.html",
            "<title>Heaps \u{2014} The Site</title><h1><a href=../index.html>The Site</a></h1><h1>Heaps</h1><p>x",
            "Heaps",
            None,
        ),
        ("a.html", "<title>Only a title</title><p>x", "Only a title", None),
        ("a.md", "# First\n\nx\n\n# Second\n\ny", "First", None),
        ("a.md", "x\n\n## Late\n\ny", "Late", None),
        ("my notes.txt", "just text", "my notes.txt", None),
    ] {
        let document = parse(text.as_bytes(), name).unwrap();
        assert_eq!(document.title, title, "{text}");
        assert_eq!(document.blocks[0].headings.first().map(|h| h.as_str()), first_heading, "{text}");
    }
}

#[test]
fn text_that_came_in_another_encoding_is_read() {
    let page = b"<meta charset=windows-1252><title>Caf\xe9</title><p>Un caf\xe9 cr\xe8me.";
    let document = parse(page, "a.html").unwrap();
    assert_eq!((document.title.as_str(), document.blocks[0].text.as_str()), ("Caf\u{e9}", "Un caf\u{e9} cr\u{e8}me."));
}

#[test]
fn right_to_left_text_is_kept_and_its_overrides_are_not() {
    let document = parse("שלום עולם \u{202e}abc\u{202c} text.\n".as_bytes(), "a.txt").unwrap();
    assert_eq!(document.blocks[0].text, "שלום עולם abc text.");
}

#[test]
fn an_item_that_is_a_name_introduces_the_list_within_it() {
    for (name, text) in [
        ("news.md", "# News\n\n- **Removed features**\n  - The driver for tapes is gone.\n- It is faster now.\n"),
        ("news.txt", "News\n====\n\n* Removed features\n  - The driver for tapes is gone.\n* It is faster now.\n"),
        (
            "news.rst",
            "News\n====\n\n* **Removed features**\n\n  * The driver for tapes is gone.\n\n* It is faster now.\n",
        ),
        ("news.adoc", "= News\n\n* Removed features\n** The driver for tapes is gone.\n* It is faster now.\n"),
        ("news.org", "* News\n\n- Removed features\n  - The driver for tapes is gone.\n- It is faster now.\n"),
        (
            "news.html",
            "<h1>News</h1><ul><li><p>Removed features</p><ul><li>The driver for tapes is gone.</li></ul></li><li>It is faster now.</li></ul>",
        ),
    ] {
        let document = parse(text.as_bytes(), name).unwrap();
        let intro = |words: &str| {
            let block = document.blocks.iter().find(|block| block.text.contains(words));
            block.unwrap_or_else(|| panic!("{name}: {words}")).intro.as_deref().map(str::to_owned)
        };
        assert_eq!(intro("driver").as_deref(), Some("Removed features:"), "{name}");
        assert_eq!(intro("faster"), None, "{name}: it is no item of that list");
    }
}
