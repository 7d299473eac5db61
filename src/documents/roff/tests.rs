use std::time::Duration;

use crate::tests::Spent;

use super::super::format::Format;
use super::super::{Document, parse};
use super::arguments;
use run::evidence::BlockKind::{self, *};

fn page(source: &str) -> Document {
    assert_eq!(Format::by_name("ls.1").settle(source), Format::Manual);
    parse(source.as_bytes(), "ls.1").expect("text in the page")
}

fn blocks(document: &Document) -> Vec<(BlockKind, String, &str)> {
    let headings =
        |block: &run::evidence::Block| block.headings.iter().map(ToString::to_string).collect::<Vec<_>>().join(" / ");
    document.blocks.iter().map(|block| (block.kind, headings(block), block.text.as_str())).collect()
}

#[test]
fn macros_that_a_page_defines_and_its_list_of_contents_are_no_text() {
    let page = page(
        r#".de1 rstReportMargin
\\$1 \\n[an-margin]
level \\n[rst2man-indent-level]
..
.TH "QMP-REF" "7" "May 25, 2026" "7.2"
.SH NAME
qmp-ref \- the manual of QMP
.SS Contents
.IP \(bu 2
Introduction
.SH INTRODUCTION
.PP
It has commands.
"#,
    );
    assert_eq!(page.title, "qmp-ref(7): the manual of QMP");
    assert!(page.blocks.iter().all(|block| !block.text.contains("level")), "{:?}", page.blocks);
}

#[test]
fn a_page_whose_name_is_no_word_is_called_as_its_first_line_says() {
    for (head, name, wanted) in [
        (r#""tool backup" 1"#, r"tool\-cache, tool\-store \- work on the cache", "tool-cache(1): work on the cache"),
        ("REGEX 3", r"regexp \- match text", "regex(3): match text"),
        (r#""tool backup" 1"#, "work on the cache", "tool backup(1)"),
    ] {
        let document = page(&format!(".TH {head}\n.SH NAME\n{name}\n.SH DESCRIPTION\nIt works.\n"));
        assert_eq!(document.title, wanted, "{head}");
    }
}

#[test]
fn a_page_of_man_has_its_title_its_headings_and_its_terms() {
    let page = page(
        r#".\" A comment.
.TH LS 1 "September 2022"
.SH NAME
ls \- list directory contents
.SH "EXIT STATUS"
.PP
It is one of
.BR 0 ,
.B 1
or \fI2\fP.
.TP
\fB\-a\fR, \fB\-\-all\fR
do not ignore entries that begin with a dot
.TP
.BI \-w " cols"
Set the width of the output. There is no limit if it is zero, and
the output is then one line.
.RS
.TP
.I cols
The number of columns, from 0 to 255, in which the names of the files and of the directories are put, so that none of them is
cut, and so that all of them begin in the same place in each line.
It is not looked at where the output is no terminal, or where the names are put out one to a line.
.PP
More of it.
.RE
.PP
What comes after.
.nf
$ ls \-a
.B all
.fi
"#,
    );
    assert_eq!(page.title, "ls(1): list directory contents");
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, "NAME".into(), "ls - list directory contents"),
            (Paragraph, "EXIT STATUS".into(), "It is one of 0, 1 or 2."),
            (KeyValue, "EXIT STATUS".into(), "-a, --all: do not ignore entries that begin with a dot"),
            (
                Paragraph,
                "EXIT STATUS / -w cols".into(),
                "Set the width of the output. There is no limit if it is zero, and the output is then one line.",
            ),
            (
                Paragraph,
                "EXIT STATUS / -w cols / cols".into(),
                "The number of columns, from 0 to 255, in which the names of the files and of the directories are put, so that \
                 none of them is cut, and so that all of them begin in the same place in each line. It is not looked at where the \
                 output is no terminal, or where the names are put out one to a line.",
            ),
            (Paragraph, "EXIT STATUS / -w cols".into(), "More of it."),
            (Paragraph, "EXIT STATUS".into(), "What comes after."),
            (Code, "EXIT STATUS".into(), "$ ls -a\nall"),
        ]
    );
    assert_eq!(page.blocks[1].line, 7);
}

#[test]
fn items_know_what_introduces_them_and_tables_have_their_columns() {
    let page = page(
        r#".TH SIZES 7
.SH LIMITS
These are the sizes:
.IP \(bu 3
small
.IP \(bu
large
.PP
In a table:
.TS
tab(;);
lb l.
Kind;Size
_
small;T{
one
.B kB
T}
large;1 MB
.TE
"#,
    );
    assert_eq!(
        blocks(&page).into_iter().map(|(kind, _, text)| (kind, text)).collect::<Vec<_>>(),
        [
            (Paragraph, "These are the sizes:"),
            (ListItem, "small"),
            (ListItem, "large"),
            (Paragraph, "In a table:"),
            (TableRow, "small | one kB"),
            (TableRow, "large | 1 MB"),
        ]
    );
    assert_eq!(page.blocks[1].intro.as_deref(), Some("These are the sizes:"));
    assert_eq!(page.blocks[4].intro.as_deref(), Some("Kind | Size"));
}

#[test]
fn a_page_made_from_docbook_has_its_terms() {
    let page = page(
        r#".TH UNIT 5
.SH OPTIONS
.PP
\fIType=\fR
.RS 4
Configures the start\-up\&. It is one of these:
.sp
.RS 4
.ie n \{\
\h'-04'\(bu\h'+03'\c
.\}
.el \{\
.IP \(bu 2.3
.\}
If set to
\fBsimple\fR, the process is the main one of the service, and the manager takes the unit for started as soon as it was forked off, before the new one runs.
.RE
.RE
.PP
Other text\&.
"#,
    );
    let said: Vec<String> =
        page.blocks.iter().map(|block| format!("{}|{:.30}", block.headings.join(" / "), block.text)).collect();
    assert_eq!(
        said,
        [
            "OPTIONS / Type=|Configures the start-up. It is",
            "OPTIONS / Type=|If set to simple, the process ",
            "OPTIONS|Other text.",
        ]
    );
}

#[test]
fn a_page_of_mdoc_calls_macros_within_its_lines() {
    let page = page(
        r#".Dd $Mdocdate: March 5 2022 $
.Dt SSH 1
.Os
.Sh NAME
.Nm ssh
.Nd OpenSSH remote login client
.Sh DESCRIPTION
.Nm
(SSH client) is a program for logging in, see
.Xr sshd 8 .
.Pp
The options are as follows:
.Bl -tag -width Ds
.It Fl b Ar bind_address
Use
.Ar bind_address
on the local machine as the source address of the connection. Only useful on systems with more than one address, and where
the addresses do not change while it runs, since the connection ends otherwise.
.It Fl v , Fl Fl verbose
Print more
.Pq at most three times .
.El
.Pp
It ends with
.Dq 0 ,
or with the status of
.Op Ar command Op Fl n
that was run.
.Bd -literal -offset indent
Host *
    ForwardAgent no
.Ed
"#,
    );
    assert_eq!(page.title, "ssh(1): OpenSSH remote login client");
    let said: Vec<String> = page
        .blocks
        .iter()
        .map(|block| format!("{}|{}", block.headings.last().map_or("", |heading| heading.as_str()), block.text))
        .collect();
    assert_eq!(
        said,
        [
            "NAME|ssh \u{2014} OpenSSH remote login client",
            "DESCRIPTION|ssh (SSH client) is a program for logging in, see sshd(8).",
            "DESCRIPTION|The options are as follows:",
            "DESCRIPTION|-b bind_address: Use bind_address on the local machine as the source address of the connection. Only useful on \
             systems with more than one address, and where the addresses do not change while it runs, since the connection \
             ends otherwise.",
            "DESCRIPTION|-v, --verbose: Print more (at most three times).",
            "DESCRIPTION|It ends with \u{201c}0\u{201d}, or with the status of [command [-n]] that was run.",
            "DESCRIPTION|Host *\n    ForwardAgent no",
        ]
    );
}

#[test]
fn definitions_conditions_and_odd_pages_are_survived() {
    let source = r#"'\" t
.de Sp
.if t .sp
..
.ie \n(.g .ds Aq \(aq
.el .ds Aq '
.if n \{\
.ad l
left out
.\}
.TH X 1
.SH
NAME
.TP
.TP
term
.RE
.RE
.El
.Bl
.It
.fi
.nf
left open"#;
    assert!(!blocks(&page(source)).iter().any(|(_, _, text)| text.contains("left out")));
    for odd in [
        ".TH",
        ".TH A 1\n.SH",
        ".TH A 1\n.de",
        ".Dd\n.It Fl\n.Xr\n.Nm\n.Oc\n.Bl -tag\n.It",
        ".TH A 1\n.TS\nx\n.IP \"\n.BR \"a",
    ] {
        let _ = parse(odd.as_bytes(), "x.1");
    }
}

#[test]
fn words_in_quotes_are_one_argument() {
    for (rest, wanted) in [
        (r#"a "b c" d"#, &["a", "b c", "d"] as &[&str]),
        (r#""say ""yes""" \" a comment"#, &[r#"say "yes""#]),
        (r"one\ word two", &[r"one\ word", "two"]),
        (r#""never closed"#, &["never closed"]),
        ("", &[]),
    ] {
        assert_eq!(arguments(rest), wanted, "{rest}");
    }
}

#[test]
fn a_hostile_line_takes_time_linear_to_its_length() {
    for pattern in ["\"a\" ", "\\h", "\\h'", "\\f[", "Op ", "Fl "] {
        for head in [".TH A 1\n.B ", ".Dd\n.Dt A 1\n.Sh NAME\n.Ar ", ".TH A 1\n.SH NAME\n"] {
            let text = format!("{head}{}", pattern.repeat(100_000));
            let started = Spent::now();
            let _ = parse(text.as_bytes(), "a.1");
            assert!(started.elapsed() < Duration::from_secs(5), "{pattern:?} took {:?}", started.elapsed());
        }
    }
}
