use super::super::{Document, parse};
use run::evidence::BlockKind::{self, *};

fn read(text: &str) -> Document {
    parse(text.as_bytes(), "paper.tex").expect("text in the paper")
}

fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
}

#[test]
fn a_paper_falls_into_its_blocks() {
    let paper = read(
        r"\documentclass[11pt]{article}
\usepackage{amsmath}
\newcommand{\sys}{Engine}
\titleformat{\section}{\large}{\thesection}{1em}{}
\title{Fast \emph{Search}\thanks{Funded.}}
\author{A. Author}
\begin{document}
\maketitle
\begin{abstract}
We search 10\,\% faster.
\end{abstract}
\section{Method}\label{sec:method}
It is ``simple''~\cite[p.~3]{knuth}: % but not too simple
an index\footnote{A B-tree.} of $n$ words takes $O(n \log n)$ steps,
\begin{equation}
  t = \frac{n}{2} \times c
\end{equation}
as Se\~nor Fran\c{c}ois says.

There are two ways:
\begin{itemize}
  \item one, by \texttt{grep};
  \item[--] two, by hand
\end{itemize}
\begin{description}
  \item[fast] It takes a second.
\end{description}
\begin{verbatim}
grep -r word .
\end{verbatim}
\begin{table}[h]
\caption{Times.}
\begin{tabular}{l|r}
\hline
What & Seconds \\
\hline
small & 1 \\
large & 2--3 \\
\end{tabular}
\end{table}
\end{document}
",
    );
    assert_eq!(paper.title, "Fast Search");
    assert_eq!(
        blocks(&paper),
        [
            (Paragraph, "We search 10 % faster."),
            (
                Paragraph,
                "It is \u{201c}simple\u{201d}: an index of n words takes O(n log n) steps, t = (n)/(2) \u{d7} c as Se\u{f1}or Fran\u{e7}ois says."
            ),
            (Paragraph, "There are two ways:"),
            (ListItem, "one, by grep;"),
            (ListItem, "two, by hand"),
            (KeyValue, "fast: It takes a second."),
            (Code, "grep -r word ."),
            (TableRow, "small | 1"),
            (TableRow, "large | 2\u{2013}3"),
        ]
    );
    assert_eq!(paper.blocks[1].headings[..], ["Method"]);
    assert_eq!(paper.blocks[3].intro.as_deref(), Some("There are two ways:"));
    assert_eq!(paper.blocks[7].intro.as_deref(), Some("What | Seconds"));
    assert_eq!(paper.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [10, 13, 20, 22, 23, 26, 29, 37, 38]);
}

#[test]
fn a_chapter_without_a_beginning_is_read_whole() {
    let chapter = read(
        "\\chapter{Limits}\n\nA table without names:\n\n\\begin{tabular}{ll}\na & b \\\\\nc & d\n\\end{tabular}\n",
    );
    assert_eq!(chapter.title, "Limits");
    assert_eq!(blocks(&chapter)[1..], [(TableRow, "a | b"), (TableRow, "c | d")]);
    assert_eq!(chapter.blocks[1].intro, None);
}

#[test]
fn definitions_and_indexes_are_no_text() {
    let text = "\\def\\x#1{no #1}\n\\let\\a=\\b\n\\newcommand\\y[1]{no}\\newtheorem{thm}{Theorem}\n\
        \\section{\\texorpdfstring{$\\Pi$}{Pi}-types}\nA \\href{https://example.org}{type}\\indexdef{type!Pi} of $a\\equiv b$, as \\cref{sec:pi-types} says~\\cite{x}.\n\
        \\index{type}%\nAnd more.\n";
    let read = read(text);
    assert_eq!(read.title, "Pi-types");
    assert_eq!(blocks(&read), [(Paragraph, "A type of a equiv b, as pi-types says. And more.")]);
    assert!(parse(b"\\documentclass{book}\n\\input{main}\nx", "a.tex").is_err(), "nothing but set-up");
}

#[test]
fn text_stands_in_its_line_whatever_mark_it_begins_with() {
    let marked = read("First.\n\n\n``Quoted'' words.\n\n\n--- a dash, and more.\n\n\n$ open.\n");
    assert_eq!(marked.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [1, 4, 7, 10]);
}

#[test]
fn what_is_left_open_loses_no_text() {
    for (raw, kept) in [
        ("\\section{Open\n\nStill read.", "Still read."),
        ("It costs $5.", "It costs $5."),
        ("\\begin{itemize}\n\\item One.", "One."),
        ("\\emph{Two.", "Two."),
        ("Three. \\", "Three."),
        ("\\begin{tabular}{l} Four", "Four"),
    ] {
        let text: Vec<String> = read(raw).blocks.iter().map(|block| block.text.to_string()).collect();
        assert!(text.iter().any(|text| text.contains(kept)), "{raw}: {text:?}");
    }
}
