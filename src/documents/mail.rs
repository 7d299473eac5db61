//! Mails and mailboxes to blocks: the subject becomes the title or a heading, followed by sender, date and text.
//!
//! Signatures, list footers and the lines that announce a quotation are dropped; patches are code. Attachments of plain
//! text are read below their names, all others are only named.

use mail_parser::{Encoding, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::draft::{Draft, TERM_LEVEL};
use super::format::Format;
use super::line_count::LineCount;
use super::other_format::OtherFormat;
use super::{Unread, html, plain};
use run::evidence::BlockKind;

/// The bytes that are searched for the header of a mail, and the least number of its fields.
const HEAD: usize = 64 << 10;
const LEAST_FIELDS: usize = 3;

/// The lines of the header at the beginning of a text. A mailbox has a line above each, which begins with `From `.
fn header(text: &str) -> Vec<&str> {
    let head = &text[..text.floor_char_boundary(HEAD)];
    let mut lines = head.lines().skip_while(|line| line.trim().is_empty()).peekable();
    lines.next_if(|line| line.starts_with("From "));
    lines.take_while(|line| !line.trim().is_empty()).collect()
}

/// Whether a text begins like a web page that a browser saved in one file: a mail that is from nobody.
pub(super) fn is_saved_page(text: &str) -> bool {
    let head = header(text).join("\n").to_ascii_lowercase();
    let has = |name: &str| head.starts_with(name) || head.contains(&format!("\n{name}"));
    let is_saved = has("snapshot-content-location:") || has("from: <saved by ") || has("from: \"saved by ");
    is_saved && has("mime-version:") && head.contains("multipart/related")
}

/// Parses a web page that a browser saved in one file. Its lines are those of the page, not of the file.
///
/// # Errors
/// There is no page in it.
pub(super) fn parse_saved_page(bytes: &[u8], draft: &mut Draft) -> Result<(), Unread> {
    let message = MessageParser::default().parse(bytes).ok_or(OtherFormat::SavedPage)?;
    let page = message.parts.iter().find_map(|part| match &part.body {
        PartType::Html(page) => Some(page),
        _ => None,
    });
    if let Some(subject) = message.subject() {
        draft.page_title(subject);
    }
    html::parse(page.ok_or(OtherFormat::SavedPage)?, draft);
    Ok(())
}

/// Whether a text begins with the header of a mail.
pub(super) fn is_mail(text: &str) -> bool {
    let head = header(text);
    let fields: Vec<&str> = head.iter().filter(|line| !line.starts_with([' ', '\t'])).copied().collect();
    let has = |name: &str| fields.iter().any(|field| field.starts_with(name));
    fields.len() >= LEAST_FIELDS
        && fields.iter().all(|field| is_field(field))
        && has("From: ")
        && (has("Subject: ") || has("Message-ID: ") || has("Message-Id: "))
        && has("Date: ")
}

/// Whether a line is a field of a header, `Name: value`.
fn is_field(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    name.len() < line.len() && !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic())
}

pub(super) fn parse(bytes: &[u8], draft: &mut Draft) {
    let mails = mails(bytes);
    let is_box = mails.len() > 1;
    if is_box {
        draft.title_by_name();
    }
    let parser = MessageParser::default();
    for (mail, line) in mails {
        let Some(message) = parser.parse(mail) else { continue };
        let subject = message.subject().unwrap_or("(no subject)");
        match is_box {
            true => draft.heading(1, subject),
            false => draft.page_title(subject),
        }
        if let Some(sender) = message.from().and_then(|from| from.first()) {
            let sender = sender.name.as_deref().or(sender.address.as_deref()).unwrap_or_default();
            draft.push(BlockKind::KeyValue, None, &format!("From: {sender}"), line);
        }
        if let Some(date) = message.date() {
            let date = format!("Date: {}-{:02}-{:02}", date.year, date.month, date.day);
            draft.push(BlockKind::KeyValue, None, &date, line);
        }
        body(&message, line, u8::from(is_box), draft);
    }
}

/// The mails of a mailbox, or the single mail of a file, each with its first line number.
fn mails(bytes: &[u8]) -> Vec<(&[u8], u32)> {
    // The beginning of the line above each, the beginning of the mail itself, and its line.
    let mut found: Vec<(usize, usize, u32)> = Vec::new();
    let (mut at, mut is_after_blank) = (0, true);
    let mut lines = bytes.split_inclusive(|b| *b == b'\n').zip(1u32..).peekable();
    while let Some((line, no)) = lines.next() {
        let (end, is_blank) = (at + line.len(), line.trim_ascii().is_empty());
        if is_after_blank && is_separator(line) && lines.peek().is_some_and(|(next, _)| begins_header(next)) {
            found.push((at, end, no + 1));
        }
        // Without a separator at its top a file is one mail, and a line like one is part of its text.
        if !is_blank && found.is_empty() {
            break;
        }
        is_after_blank = is_blank;
        at = end;
    }
    if found.is_empty() {
        found.push((0, 0, 1));
    }
    let ends = found.iter().skip(1).map(|(above, ..)| *above).chain([bytes.len()]);
    found.iter().zip(ends).map(|((_, from, no), end)| (&bytes[*from..end], *no)).collect()
}

/// Whether a line separates the mails of a mailbox: `From ada@example.org Mon Jan  3 10:00:00 2011`.
fn is_separator(line: &[u8]) -> bool {
    let is_time =
        |word: &[u8]| word.len() >= 5 && word.iter().all(|b| b.is_ascii_digit() || *b == b':') && word.contains(&b':');
    line.starts_with(b"From ") && line.split(u8::is_ascii_whitespace).skip(2).any(is_time)
}

/// Whether a line is the first of a header.
fn begins_header(line: &[u8]) -> bool {
    str::from_utf8(line.trim_ascii_end()).is_ok_and(is_field)
}

/// Reads the text of a mail that begins at this line.
fn body(message: &Message<'_>, first: u32, above: u8, draft: &mut Draft) {
    let raw = message.raw_message();
    let mut lines = LineCount::new(raw, first);
    let mut line_of = |part: &MessagePart<'_>| lines.at(part.offset_body as usize);
    for id in &message.text_body {
        let Some(part) = message.part(*id) else { continue };
        match &part.body {
            PartType::Text(text) => written(&numbered(part, text, line_of(part)), above, draft),
            PartType::Html(text) => html::fragment(text, draft, line_of(part)),
            _ => {}
        }
    }
    for part in message.attachments() {
        let Some(name) = part.attachment_name().filter(|name| !name.trim().is_empty()) else { continue };
        let line = line_of(part);
        match &part.body {
            PartType::Text(text) if Format::by_name(name) != Format::NotADocument => {
                draft.term(TERM_LEVEL, name);
                written(&numbered(part, text, line), TERM_LEVEL, draft);
                draft.close(TERM_LEVEL);
            }
            _ => draft.push(BlockKind::KeyValue, None, &format!("Attachment: {name} (not read)"), line),
        }
    }
}

/// The lines of a part that begins at this line of the file. Those of an encoded part are others in the file: all are
/// said to stand where it begins.
fn numbered<'t>(part: &MessagePart<'_>, text: &'t str, first: u32) -> Vec<(&'t str, u32)> {
    let last = if part.encoding == Encoding::None { u32::MAX } else { first };
    text.lines().zip((first..).map(|no| no.min(last))).collect()
}

/// Reads the text of a mail, with quotations separate from their answers.
fn written(lines: &[(&str, u32)], above: u8, draft: &mut Draft) {
    let end = lines.iter().position(|(line, _)| ends_text(line)).unwrap_or(lines.len());
    for group in lines[..end].chunk_by(|(a, _), (b, _)| depth(a) == depth(b)) {
        let (text, patch) = group.split_at(patch(group).unwrap_or(group.len()));
        plain::parse_below(without_announcements(text).into_iter(), above, draft);
        if let Some((_, no)) = patch.first() {
            let code: String = patch.iter().map(|(line, _)| format!("{}\n", unquoted(line))).collect();
            draft.push(BlockKind::Code, None, &code, *no);
        }
    }
}

/// Whether a line ends the text: above the signature, or the footer of a list.
fn ends_text(line: &str) -> bool {
    let is_rule = line.len() > 20 && line.bytes().all(|b| b == b'_');
    line == "-- " || line == "--" || is_rule || line.starts_with("-------------- next part")
}

/// The number of quotation marks before a line.
fn depth(line: &str) -> usize {
    let marks = &line[..line.len() - unquoted(line).len()];
    marks.bytes().filter(|b| *b == b'>').count()
}

fn unquoted(line: &str) -> &str {
    let mut rest = line;
    while let Some(inner) = rest.strip_prefix('>').or_else(|| rest.strip_prefix(" >")) {
        rest = inner;
    }
    if rest.len() < line.len() { rest.strip_prefix(' ').unwrap_or(rest) } else { rest }
}

/// The lines without "On Monday, Ada wrote:", which may span two or three lines.
fn without_announcements<'a>(lines: &[(&'a str, u32)]) -> Vec<(&'a str, u32)> {
    const LONGEST: usize = 3;
    let says = |line: &str| ["wrote:", "writes:", "said:"].iter().any(|end| unquoted(line).trim_end().ends_with(end));
    let begins = |line: &str| unquoted(line).starts_with("On ");
    let mut kept: Vec<(&str, u32)> = Vec::new();
    let is_blank = |at: usize| lines.get(at).is_none_or(|(line, _)| line.trim().is_empty());
    for (line, next) in lines.iter().zip(1..) {
        kept.push(*line);
        if says(line.0) {
            let near = kept.len().saturating_sub(LONGEST);
            let from = kept[near..].iter().rposition(|(line, _)| begins(line)).map_or(kept.len() - 1, |at| near + at);
            // Without a date it is an announcement only where it stands alone: others go on in the next line.
            let is_alone = is_blank(next) && from.checked_sub(1).is_none_or(|before| kept[before].0.trim().is_empty());
            if begins(kept[from].0) || is_alone {
                kept.truncate(from);
            }
        }
    }
    kept
}

/// The beginning of a patch.
fn patch(lines: &[(&str, u32)]) -> Option<usize> {
    let is_first = |at: &usize| {
        let line = unquoted(lines[*at].0);
        let next = lines.get(at + 1).map_or("", |(line, _)| unquoted(line));
        line.starts_with("diff --git ") || line.starts_with("--- ") && next.starts_with("+++ ")
    };
    let first = (0..lines.len()).find(is_first)?;
    // The files that it changes are listed above it, below a rule.
    Some(lines[..first].iter().rposition(|(line, _)| unquoted(line).trim_end() == "---").unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::super::{Document, parse};
    use run::evidence::BlockKind::{self, *};

    fn told(document: &Document) -> Vec<(BlockKind, String, &str, u32)> {
        let blocks = document.blocks.iter();
        blocks.map(|block| (block.kind, block.headings.join("/"), block.text.as_str(), block.line)).collect()
    }

    const HEAD: &str = "From: Ada Lee <ada@example.org>\nTo: list@example.org\nDate: Mon, 3 Jan 2022 10:00:00 +0000\nSubject: Why the index\n is rebuilt\n";

    #[test]
    fn a_mail_is_called_by_what_it_is_about_and_read_without_its_trimmings() {
        let text = format!(
            "{HEAD}\nOn Sunday, Bo Ray\nwrote:\n> Is it rebuilt\n> each time?\nIt was damaged by a crash.\n\n---\n index.c | 2 +-\n\ndiff --git a/index.c b/index.c\n--- a/index.c\n+++ b/index.c\n+done\n-- \nAda Lee\nhttps://example.org\n"
        );
        let mail = parse(text.as_bytes(), "12.eml").expect("text in the file");
        assert_eq!(mail.title, "Why the index is rebuilt");
        let patch = "---\n index.c | 2 +-\n\ndiff --git a/index.c b/index.c\n--- a/index.c\n+++ b/index.c\n+done";
        assert_eq!(
            told(&mail),
            [
                (KeyValue, String::new(), "From: Ada Lee", 1),
                (KeyValue, String::new(), "Date: 2022-01-03", 1),
                (Paragraph, String::new(), "Is it rebuilt each time?", 9),
                (Paragraph, String::new(), "It was damaged by a crash.", 11),
                (Code, String::new(), patch, 13),
            ]
        );
    }

    #[test]
    fn lines_that_announce_a_quotation_are_no_text() {
        let text = format!(
            "{HEAD}\nBo Ray <bo@example.org> wrote:\n\n> It waits.\n> On Sunday, Cy Doe wrote:\n>> It stops.\n\nThe manual has said:\nnone.\n"
        );
        let mail = parse(text.as_bytes(), "12.eml").expect("text in the file");
        let texts: Vec<&str> = mail.blocks[2..].iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["It waits.", "It stops.", "The manual has said: none."]);
    }

    #[test]
    fn each_mail_of_a_mailbox_has_its_heading() {
        let separator = "From ada at example.org  Mon Jan  3 10:00:00 2022\n";
        let second = HEAD.replace("Why the index\n is rebuilt", "Re: locks");
        let text = format!(
            "{separator}{HEAD}\nIt was damaged.\n\nFrom then on it was whole.\n\n{separator}{second}\nThey are held.\n"
        );
        let mailbox = parse(text.as_bytes(), "2022-January.txt").expect("text in the file");
        assert_eq!(mailbox.title, "2022-January.txt");
        let told: Vec<_> = told(&mailbox).into_iter().filter(|(kind, ..)| *kind == Paragraph).collect();
        assert_eq!(
            told,
            [
                (Paragraph, "Why the index is rebuilt".to_owned(), "It was damaged.", 8),
                (Paragraph, "Why the index is rebuilt".to_owned(), "From then on it was whole.", 10),
                (Paragraph, "Re: locks".to_owned(), "They are held.", 18),
            ]
        );
    }

    #[test]
    fn a_line_of_text_like_the_top_of_a_mail_cuts_none() {
        let body = "It was damaged.\n\nFrom Monday on 10:30 it was whole.\n\nFrom then 11:00 on too.\n";
        let separator = "From ada@example.org Mon Jan  3 10:00:00 2022\n";
        for text in [format!("{HEAD}\n{body}"), format!("{separator}{HEAD}\n{body}")] {
            let mail = parse(text.as_bytes(), "12.eml").expect("text in the file");
            let texts: Vec<&str> = mail.blocks[2..].iter().map(|block| block.text.as_str()).collect();
            let whole = ["It was damaged.", "From Monday on 10:30 it was whole.", "From then 11:00 on too."];
            assert_eq!((mail.title.as_str(), texts.as_slice()), ("Why the index is rebuilt", whole.as_slice()));
        }
    }

    #[test]
    fn parts_are_decoded_and_attachments_are_read_or_named() {
        let parts = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nDie Gr=F6=DFe z=\n=E4hlt nicht.\n--b\nContent-Type: text/html\n\n<p>It has <b>two</b> parts.</p>\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nIt runs on Sundays.\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=b.pdf\nContent-Transfer-Encoding: base64\n\nJVBERg==\n--b--\n";
        let mail = parse(format!("{HEAD}{parts}").as_bytes(), "mail").expect("text in the file");
        let told = told(&mail);
        let told: Vec<_> =
            told[2..].iter().map(|(kind, headings, text, _)| (*kind, headings.as_str(), *text)).collect();
        assert_eq!(
            told,
            [
                (Paragraph, "", "Die Größe zählt nicht."),
                (Paragraph, "", "It has two parts."),
                (Paragraph, "a.txt", "It runs on Sundays."),
                (KeyValue, "", "Attachment: b.pdf (not read)"),
            ]
        );
    }

    #[test]
    fn of_a_saved_web_page_the_page_is_read() {
        let page = "------X\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<html><body><h1>Canteen</h1><p>It is open in the evening on Tuesdays =\nand Thursdays.</p></body></html>\n------X\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n------X--\n";
        let related =
            "MIME-Version: 1.0\nContent-Type: multipart/related;\n\ttype=\"text/html\"; boundary=\"----X\"\n\n";
        let chrome = format!(
            "From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/\nSubject: Canteen\nDate: Mon, 3 Jan 2022 10:00:00 +0000\n{related}{page}"
        );
        for (name, text) in [
            ("page.mhtml", chrome.clone()),
            ("page", chrome),
            ("page.mht", format!("From: \"Saved by Windows Internet Explorer 7\"\nSubject: Canteen\n{related}{page}")),
        ] {
            let saved = parse(text.as_bytes(), name).expect("a page");
            let texts: Vec<&str> = saved.blocks.iter().map(|block| block.text.as_str()).collect();
            assert_eq!(texts, ["It is open in the evening on Tuesdays and Thursdays."], "{name}");
            assert_eq!(saved.title, "Canteen", "{name}");
        }
        let without = parse(b"From: <Saved by Blink>\nMIME-Version: 1.0\n\nText.\n", "page.mhtml");
        assert!(without.unwrap_err().to_string().contains("save the page as HTML"));
        let mail = format!("{HEAD}{related}{page}");
        let mail = parse(mail.as_bytes(), "mail").expect("a mail");
        assert_eq!((mail.title.as_str(), mail.blocks[0].text.as_str()), ("Why the index is rebuilt", "From: Ada Lee"));
    }

    #[test]
    fn what_is_no_mail_is_told_from_one() {
        for text in [
            "From: Ada\nDate: today\n\nA note.",
            "From here on, all is well.\n",
            "Name: store\nDate: today\nFrom: Ada\n",
            "",
        ] {
            assert!(!super::is_mail(text), "{text}");
        }
    }
}
