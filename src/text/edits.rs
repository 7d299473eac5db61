//! The distance between two words: letters inserted, left out, replaced, or swapped with their neighbour.

/// The number of edits between two words.
pub fn distance(a: &str, b: &str) -> usize {
    prefix_distances(a, b).pop().and_then(|mut row| row.pop()).unwrap_or(0)
}

/// The number of edits between each prefix of one word (rows) and each prefix of the other, from the empty ones on, in
/// characters.
pub fn prefix_distances(a: &str, b: &str) -> Vec<Vec<usize>> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let exchanged = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = exchanged.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_count_what_fingers_do() {
        for (a, b, wanted) in [
            ("unstabel", "unstable", 1),
            ("recieve", "receive", 1),
            ("retension", "retention", 1),
            ("snapshot", "snapshot", 0),
            ("isolaton", "isolation", 1),
            ("alive", "alias", 2),
            ("", "abc", 3),
            ("größe", "grösse", 2),
        ] {
            assert_eq!(distance(a, b), wanted, "{a} {b}");
        }
    }
}
