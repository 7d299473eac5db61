//! Macros within a line: the fonts of man(7), and the semantic macros of mdoc(7), which call each other.

use super::control;
use super::escapes::plain;

/// The macros of mdoc that another may call.
const CALLABLE: [&str; 58] = [
    "Ad", "An", "Ap", "Aq", "Ar", "At", "Bc", "Bo", "Bq", "Brq", "Bsx", "Bx", "Cd", "Cm", "Dc", "Do", "Dq", "Dv", "Em",
    "Er", "Ev", "Fa", "Fl", "Fn", "Ft", "Fx", "Ic", "In", "Li", "Lk", "Ms", "Mt", "Nm", "No", "Ns", "Nx", "Oc", "Oo",
    "Op", "Ox", "Pa", "Pc", "Pf", "Po", "Pq", "Qc", "Ql", "Qo", "Qq", "Sc", "So", "Sq", "Sx", "Sy", "Tn", "Ux", "Va",
    "Xr",
];
/// Marks without a space before them.
const CLOSING: [&str; 9] = [".", ",", ":", ";", ")", "]", "?", "!", "\u{201d}"];

#[derive(Default)]
pub(super) struct Inline {
    is_mdoc: bool,
    /// The name that `.Nm` prints.
    name: String,
}

impl Inline {
    pub(super) fn of(text: &str) -> Inline {
        let is_mdoc = text.lines().filter_map(control).any(|(name, _)| name == "Dd" || name == "Sh");
        Inline { is_mdoc, name: String::new() }
    }

    /// The text of a macro within a paragraph, and whether it joins the word before it; None for all other macros.
    pub(super) fn text(&mut self, name: &str, arguments: &[String]) -> Option<(String, bool)> {
        let words = || arguments.iter().map(|argument| plain(argument));
        let said = match name {
            "B" | "I" | "R" | "SM" | "SB" => words().collect::<Vec<_>>().join(" "),
            "BR" | "RB" | "BI" | "IB" | "IR" | "RI" => words().collect(),
            "UE" | "ME" => return arguments.first().map(|after| (plain(after), true)),
            "MR" => words().enumerate().map(|(at, word)| if at == 1 { format!("({word})") } else { word }).collect(),
            "Nd" => format!("\u{2014} {}", words().collect::<Vec<_>>().join(" ")),
            "Nm" if self.name.is_empty() && self.is_mdoc => {
                self.name = words().next()?;
                self.name.clone()
            }
            "Ns" if self.is_mdoc => return Some((self.line(arguments), true)),
            _ if self.is_mdoc && CALLABLE.binary_search(&name).is_ok() => {
                let called: Vec<String> = std::iter::once(name.to_owned()).chain(arguments.iter().cloned()).collect();
                self.line(&called)
            }
            _ => return None,
        };
        let is_glued = name == "Oc" || name == "Pc" || name == "Dc";
        (!said.is_empty()).then_some((said, is_glued))
    }

    /// The text of a line of words and macro calls.
    pub(super) fn line(&self, arguments: &[String]) -> String {
        let mut line = Line::default();
        let is_call = |word: &String| self.is_mdoc && CALLABLE.binary_search(&word.as_str()).is_ok();
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            at += 1;
            if !is_call(word) {
                line.add(&plain(word));
                continue;
            }
            let has_words = arguments.get(at).is_some_and(|next| !is_call(next) && !CLOSING.contains(&next.as_str()));
            let is_long = at >= 2 && arguments[at - 2] == "Fl";
            line.prefix = match word == "Fl" {
                true if is_long => "--",
                true => "-",
                false => "",
            };
            match word.as_str() {
                "Ns" => line.is_close = true,
                "Pf" if has_words => {
                    line.add(&plain(&arguments[at]));
                    line.is_close = true;
                    at += 1;
                }
                "Ap" => {
                    line.is_close = true;
                    line.add("'");
                    line.is_close = true;
                }
                "Fl" if !has_words && arguments.get(at).is_none_or(|next| next != "Fl") => line.add(""),
                "Nm" if !has_words => line.add(&self.name),
                "Xr" if has_words => {
                    let section = arguments.get(at + 1).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
                    let section = section.map(|section| format!("({})", plain(section))).unwrap_or_default();
                    line.add(&format!("{}{section}", plain(&arguments[at])));
                    at += 1 + usize::from(!section.is_empty());
                }
                "At" => line.add("AT&T UNIX"),
                "Bsx" => line.add("BSD/OS"),
                "Bx" => line.add("BSD"),
                "Fx" => line.add("FreeBSD"),
                "Nx" => line.add("NetBSD"),
                "Ox" => line.add("OpenBSD"),
                "Ux" => line.add("UNIX"),
                "Oo" | "Op" | "Bo" | "Bq" => line.open("[", "]", matches!(word.as_str(), "Op" | "Bq")),
                "Po" | "Pq" => line.open("(", ")", word == "Pq"),
                "Brq" => line.open("{", "}", true),
                "Aq" => line.open("<", ">", true),
                "Do" | "Dq" => line.open("\u{201c}", "\u{201d}", word == "Dq"),
                "So" | "Sq" | "Ql" => line.open("\u{2018}", "\u{2019}", word != "So"),
                "Qo" | "Qq" => line.open("\"", "\"", word == "Qq"),
                "Oc" | "Bc" => line.close("]"),
                "Pc" => line.close(")"),
                "Dc" => line.close("\u{201d}"),
                "Sc" => line.close("\u{2019}"),
                "Qc" => line.close("\""),
                _ => {}
            }
        }
        line.end()
    }
}

/// The output of a line.
#[derive(Default)]
struct Line {
    text: String,
    /// Whether no space comes before the next word.
    is_close: bool,
    /// The prefix of each word.
    prefix: &'static str,
    /// Closing marks for the end of the line, the innermost last.
    ends: Vec<&'static str>,
}

impl Line {
    fn add(&mut self, word: &str) {
        let closes = CLOSING.contains(&word);
        if closes {
            // Punctuation at the end of a line follows the closing marks.
            self.close_all();
        } else if !self.is_close && !self.text.is_empty() {
            self.text.push(' ');
        }
        if !closes {
            self.text.push_str(self.prefix);
        }
        self.text.push_str(word);
        self.is_close = matches!(word, "(" | "[");
    }

    fn open(&mut self, begin: &str, end: &'static str, to_the_end: bool) {
        if !self.is_close && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(begin);
        self.is_close = true;
        self.ends.extend(to_the_end.then_some(end));
    }

    fn close(&mut self, end: &str) {
        self.text.push_str(end);
        self.is_close = false;
    }

    fn close_all(&mut self) {
        while let Some(end) = self.ends.pop() {
            self.text.push_str(end);
        }
    }

    fn end(mut self) -> String {
        self.close_all();
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_sorted_so_that_they_can_be_found() {
        assert!(CALLABLE.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
