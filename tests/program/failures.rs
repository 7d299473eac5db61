//! The table of failures names tests that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn functions_in(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            functions_in(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path).unwrap();
        let (mut tested, mut listed) = (false, false);
        for line in text.lines().map(str::trim) {
            // The names of the suite that is run over each kind of journal.
            listed = line == "over_every_store! {" || (listed && line != "}");
            found.extend(listed.then(|| line.to_owned()));
            // Within `proptest!` the attribute may be left out.
            if ["#[test]", "::test]", "::test(", "proptest! {"].iter().any(|sign| line.contains(sign)) {
                tested = true;
            } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| tested) {
                found.extend(rest.split(['(', '<']).next().map(str::to_owned));
                tested = false;
            }
        }
    }
}

#[test]
fn every_failure_in_the_table_has_a_test_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = BTreeSet::new();
    ["src", "tests"].iter().for_each(|folder| functions_in(&root.join(folder), &mut tests));
    let table = fs::read_to_string(root.join("docs/failures.md")).unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).collect();
    let rows: Vec<&str> = rows.into_iter().filter(|row| !row.starts_with("| failure |")).collect();
    assert!(rows.len() > 60, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{row}");
        let named: Vec<&str> = cells[2].split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test: {row}");
        for name in named {
            assert!(tests.contains(name), "there is no test `{name}`: {row}");
        }
    }
}
