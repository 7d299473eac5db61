//! A question in the form in which its lists are read: commas between items, and nothing in brackets behind one of them.

use super::{COMPARISONS, asks, last_end};

/// The most words of an item that ends at a semicolon.
const MOST_WORDS: usize = 4;

/// The question in that form.
pub(super) fn plain(text: &str) -> String {
    with_commas(with_words(without_asides(text)))
}

/// "Compare A & B" as "Compare A and B". If the items are joined by other marks, too, it is part of a name.
fn with_words(text: String) -> String {
    let compares = last_end(&text.to_ascii_lowercase(), COMPARISONS).is_some();
    let is_joined = [" and ", ", ", " vs ", " with ", " to "].iter().any(|joint| text.contains(joint));
    match compares && !is_joined && text.matches(" & ").count() == 1 {
        true => text.replace(" & ", " and "),
        false => text,
    }
}

/// "A (the extension), B (self-hosted) and C (cloud)" as "A, B and C". Brackets at the end alone may hold aspects.
fn without_asides(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut dropped) = (text, false);
    while let Some((before, open)) = rest.split_once(" (") {
        let Some((aside, after)) = open.split_once(')') else { break };
        plain.push_str(before);
        let is_followed = [",", ";", " and ", " or ", " with ", " vs"].iter().any(|mark| after.starts_with(mark));
        let is_last = dropped && after.is_empty() && !aside.contains([',', ';']);
        match is_followed || is_last {
            true => dropped = true,
            false => plain.push_str(&format!(" ({aside})")),
        }
        rest = after;
    }
    plain + rest
}

/// "A; B; C and D" as "A, B, C and D". Questions may follow one another behind semicolons, too: those stay.
fn with_commas(text: String) -> String {
    let items: Vec<&str> = text.split("; ").collect();
    let is_item = |item: &&str| item.split_whitespace().count() <= MOST_WORDS && !asks(&item.to_ascii_lowercase());
    match items.len() > 2 && !text.contains(',') && items[1..items.len() - 1].iter().all(is_item) {
        true => items.join(", "),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asides_and_semicolons_of_a_list_are_read_over_and_sides_in_brackets_are_not() {
        for (asked, read) in [
            ("Compare A (the extension), B (cloud) and C (cluster)", "Compare A, B and C"),
            ("Compare A; B; C", "Compare A, B, C"),
            ("Compare A & B", "Compare A and B"),
        ] {
            assert_eq!(plain(asked), read);
        }
        for same in [
            "Compare A and B (licence, cost)",
            "Compare A and B (licence)",
            "What is A; what does it cost; who made it?",
            "Compare A (open",
            "f(x) and g(x)",
            "Compare Johnson & Johnson and Pfizer",
            "What is R & D?",
        ] {
            assert_eq!(plain(same), same);
        }
    }
}
