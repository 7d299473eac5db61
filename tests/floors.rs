//! The floors of the house: each module uses only what the design's arrows name.

use std::fs;
use std::path::{Path, PathBuf};

/// Module of `src/` and the modules of ours that it may name. `cli` is the front and may name all.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("run", &["text"]),
    ("specialist", &["run", "text"]),
    ("supervisor", &["run", "specialist", "text"]),
    ("database", &[]),
    ("journal", &["database", "run", "text"]),
    ("config", &["run", "text"]),
    ("model", &["config", "run", "text", "wire"]),
    ("wire", &[]),
    ("source", &["database", "run", "text"]),
    ("tool", &["run", "source", "text"]),
    ("web", &["database", "run", "source", "text", "wire"]),
    ("team", &["run", "text"]),
    ("memory", &["run", "text"]),
    ("desk", &["journal", "memory", "model", "run", "supervisor", "text", "tool", "web"]),
    ("headless", &["run", "text"]),
    ("export", &["run", "text"]),
    ("eval", &["desk", "journal", "run", "supervisor", "text"]),
    ("drill", &["desk", "run", "specialist", "supervisor", "text"]),
    ("tui", &["desk", "drill", "run", "text"]),
];

/// What truth and mind never touch, whatever it is called there.
const OUTSIDE: &[&str] = &[
    "tokio",
    "rusqlite",
    "ratatui",
    "crossterm",
    "std::fs",
    "std::time::SystemTime",
    "std::time::Instant",
    "std::net",
    "std::process",
];

fn rust_files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            rust_files(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_path_buf());
    }
}

/// The code of a module, without the files and the parts that only tests see.
fn code_of(module: &str) -> Vec<(PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for path in [src.join(module), src.join(format!("{module}.rs"))] {
        if path.exists() {
            rust_files(&path, &mut files);
        }
    }
    assert!(!files.is_empty(), "there is no module {module}");
    let only_tests =
        |path: &Path| ["tests", "fixture", "sample"].iter().any(|stem| path.file_stem().is_some_and(|s| s == *stem));
    files.retain(|path| !only_tests(path));
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>();
            (path, lines.join("\n"))
        })
        .collect()
}

#[test]
fn a_module_names_only_the_floors_below_it() {
    for (module, may) in ARROWS {
        for (path, code) in code_of(module) {
            for (at, _) in code.match_indices("crate::") {
                let named: String =
                    code[at + "crate::".len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let fine = named.is_empty() || named == *module || may.contains(&named.as_str());
                assert!(fine, "{} names crate::{named}", path.display());
            }
        }
    }
}

#[test]
fn truth_and_mind_know_no_clock_no_runtime_no_file_and_no_terminal() {
    for module in ["text", "run", "specialist", "supervisor"] {
        for (path, code) in code_of(module) {
            for outside in OUTSIDE {
                assert!(!code.contains(&format!("{outside}::")), "{} names {outside}", path.display());
            }
        }
    }
}

#[test]
fn every_module_is_on_a_floor() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    for line in lib.lines().filter_map(|line| line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")) {
        let module = line.trim_end_matches(';');
        assert!(module == "cli" || ARROWS.iter().any(|(name, _)| *name == module), "{module} has no floor");
    }
}
