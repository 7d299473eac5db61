//! The first line in which two texts differ, as it is shown to a person.

/// The place where two texts part, and the words of each there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line, from 1.
    pub line: usize,
    /// The words of the first text there: in quotation marks, shortened around the difference; or "nothing".
    pub first: String,
    /// The words of the second text there.
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

/// A line of one of two texts, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aligned<'a> {
    /// It is in both.
    Both(&'a str),
    /// It is only in the first.
    First(&'a str),
    /// It is only in the second.
    Second(&'a str),
}

/// The most pairs of lines that are compared with each other; of longer texts all that is not alike at their ends is taken
/// as another.
const MOST_PAIRS: usize = 4_000_000;

/// The lines of two texts in an order in which as many as can be stand in both.
pub fn aligned<'a>(first: &'a [String], second: &'a [String]) -> Vec<Aligned<'a>> {
    let begins = first.iter().zip(second).take_while(|(a, b)| a == b).count();
    let (one, two) = (&first[begins..], &second[begins..]);
    let ends = one.iter().rev().zip(two.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, two) = (&one[..one.len() - ends], &two[..two.len() - ends]);
    let mut lines: Vec<Aligned<'a>> = first[..begins].iter().map(|line| Aligned::Both(line)).collect();
    let width = two.len() + 1;
    // The number of lines that both rests have in common from here on, in order.
    let mut common = vec![0u32; if one.len() * two.len() <= MOST_PAIRS { (one.len() + 1) * width } else { 0 }];
    if !common.is_empty() {
        for (a, line) in one.iter().enumerate().rev() {
            for (b, other) in two.iter().enumerate().rev() {
                let here = a * width + b;
                common[here] = match line == other {
                    true => common[here + width + 1] + 1,
                    false => common[here + width].max(common[here + 1]),
                };
            }
        }
    }
    let of = |a: usize, b: usize| common.get(a * width + b).copied().unwrap_or_default();
    let (mut a, mut b) = (0, 0);
    while a < one.len() || b < two.len() {
        if a < one.len() && b < two.len() && one[a] == two[b] {
            lines.push(Aligned::Both(&one[a]));
            (a, b) = (a + 1, b + 1);
        } else if b == two.len() || (a < one.len() && of(a + 1, b) >= of(a, b + 1)) {
            lines.push(Aligned::First(&one[a]));
            a += 1;
        } else {
            lines.push(Aligned::Second(&two[b]));
            b += 1;
        }
    }
    lines.extend(first[first.len() - ends..].iter().map(|line| Aligned::Both(line)));
    lines
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
    fn as_many_lines_as_can_be_stand_in_both() {
        let lines = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let shown = |first: &str, second: &str| {
            let (first, second) = (lines(first), lines(second));
            let mark = |one: &Aligned<'_>| match one {
                Aligned::Both(line) => format!("={line}"),
                Aligned::First(line) => format!("-{line}"),
                Aligned::Second(line) => format!("+{line}"),
            };
            aligned(&first, &second).iter().map(mark).collect::<String>()
        };
        assert_eq!(shown("abcd", "abxd"), "=a=b-c+x=d");
        assert_eq!(shown("abc", "bcd"), "-a=b=c+d");
        assert_eq!((shown("", "a"), shown("a", "")), ("+a".into(), "-a".into()));
        assert_eq!(shown("aa", "aaa"), "=a=a+a");
    }

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
