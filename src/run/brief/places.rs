//! The places of a source that a brief cites, in short.

use super::markdown::without_marks;
use crate::evidence::Place;
use text::count;

/// The most sections that are named.
const MOST: usize = 3;

/// The sections with the lines where the passages begin, in their order: "; Filters, lines 54 and 80; Costs, line 91". A passage below
/// no heading but the title of the document has its line alone.
pub(super) fn in_short(places: &[&Place]) -> String {
    let mut sections: Vec<(&str, Vec<u32>)> = Vec::new();
    let mut places = places.to_vec();
    places.sort_by_key(|place| (place.line, place.block));
    for place in places {
        let heading = place.headings.last().map_or("", |heading| heading.as_str());
        let heading = if heading == place.source.title.as_str() { "" } else { heading };
        let at = sections.iter().position(|(known, _)| *known == heading).unwrap_or_else(|| {
            sections.push((heading, Vec::new()));
            sections.len() - 1
        });
        if !sections[at].1.contains(&place.line) {
            sections[at].1.push(place.line);
        }
    }
    let in_words = |(heading, lines): &(&str, Vec<u32>)| match (heading.is_empty(), in_lines(lines)) {
        (true, lines) => format!("; {lines}"),
        (false, lines) => format!("; {}, {lines}", without_marks(heading)),
    };
    let named: String = sections.iter().take(MOST).map(in_words).collect();
    match sections.len().saturating_sub(MOST) {
        0 => named,
        more => format!("{named}; {}", count(more, "more section")),
    }
}

/// "line 54", "lines 54 and 80", "lines 54 to 91".
fn in_lines(lines: &[u32]) -> String {
    match lines {
        [] => String::new(),
        [one] => format!("line {one}"),
        [one, other] => format!("lines {one} and {other}"),
        [first, .., last] => format!("lines {first} to {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::SourceRef;

    fn place(heading: Option<&str>, line: u32) -> Place {
        let source = SourceRef::sample("a", "Tuning");
        let headings = heading.map(Into::into).into_iter().collect();
        Place { source, block: line, headings, line, start: 0, end: 1 }
    }

    #[test]
    fn the_places_of_a_source_are_its_sections_with_their_lines() {
        let told = |places: &[(Option<&str>, u32)]| {
            let places: Vec<Place> = places.iter().map(|(heading, line)| place(*heading, *line)).collect();
            in_short(&places.iter().collect::<Vec<_>>())
        };
        assert_eq!(told(&[]), "");
        assert_eq!(told(&[(Some("Tuning"), 5)]), "; line 5", "the title is not said twice");
        assert_eq!(
            told(&[(Some("Filters"), 80), (Some("Costs"), 91), (Some("Filters"), 54), (Some("Filters"), 54)]),
            "; Filters, lines 54 and 80; Costs, line 91"
        );
        assert_eq!(
            told(&[(Some("Filters"), 1), (Some("Filters"), 2), (Some("Filters"), 9)]),
            "; Filters, lines 1 to 9"
        );
        let many = [(None, 1), (Some("A"), 2), (Some("B"), 3), (Some("C"), 4), (Some("D"), 5)];
        assert_eq!(told(&many), "; line 1; A, line 2; B, line 3; 2 more sections");
    }
}
