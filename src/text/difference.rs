//! The first line in which two texts differ, as it is shown to a person.

/// Where two texts part, and what each says there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line, from 1.
    pub line: usize,
    /// What the first text says there: in quotation marks, shortened around the difference; or "nothing".
    pub first: String,
    /// What the second text says there.
    pub second: String,
}

/// The first difference of two texts; None if their lines are the same.
pub fn of<'a>(
    first: impl IntoIterator<Item = &'a str>,
    second: impl IntoIterator<Item = &'a str>,
) -> Option<Difference> {
    let (mut first, mut second, mut line) = (first.into_iter(), second.into_iter(), 1);
    loop {
        match (first.next(), second.next()) {
            (None, None) => return None,
            (a, b) if a == b => line += 1,
            (a, b) => {
                let both = a.unwrap_or_default().chars().zip(b.unwrap_or_default().chars());
                let alike = both.take_while(|(a, b)| a == b).count();
                let shown =
                    |line: Option<&str>| line.map_or("nothing".into(), |line| format!("“{}”", around(line, alike)));
                return Some(Difference { line, first: shown(a), second: shown(b) });
            }
        }
    }
}

/// The part of a line around the character at `at`.
fn around(line: &str, at: usize) -> String {
    const BEFORE: usize = 40;
    const ALL: usize = 120;
    let from = at.saturating_sub(BEFORE);
    let shown: String = line.chars().skip(from).take(ALL).collect();
    let begins = if from > 0 { "…" } else { "" };
    let ends = if line.chars().count() > from + ALL { "…" } else { "" };
    format!("{begins}{shown}{ends}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_two_texts_part_is_shown_however_far_into_a_line_that_is() {
        let long = "x".repeat(200);
        let (one, two) = (format!("same\n{long}one"), format!("same\n{long}two"));
        let told = of(one.lines(), two.lines()).unwrap();
        assert_eq!(told.line, 2);
        assert!(told.first.ends_with("xone”") && told.second.ends_with("xtwo”"), "{told:?}");
        assert!(told.first.starts_with("“…x"), "{told:?}");
        let added = Difference { line: 2, first: "nothing".into(), second: "“b”".into() };
        assert_eq!(of("a".lines(), "a\nb".lines()), Some(added));
        assert_eq!(of("a\nb".lines(), "a\nb\n".lines()), None);
    }
}
