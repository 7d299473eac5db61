//! The place of runs: the data directory, or a place that the person names.

use kit::{example, run};

#[test]
fn a_journal_in_a_file_of_its_own_is_used_by_all_that_name_it_and_its_runs_are_claimed_there() {
    let (here, there, shared) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = shared.path().join("runs.db");
    let ask = ["brief", "How does HNSW search?", "--headless", "--yes", "--sources"];
    let first =
        run(crate::masthead(here.path()).arg("--journal").arg(&file).args(ask).arg(example("vector-databases")));
    assert_eq!(first.0, 0, "{first:?}");
    assert!(file.exists() && shared.path().join("claims").exists() && !here.path().join("data/journal.db").exists());
    let listed = |command: &mut std::process::Command| run(command.args(["runs", "--json"])).1.lines().count();
    assert_eq!(listed(crate::masthead(there.path()).env("MASTHEAD_JOURNAL", &file)), 1);
    // config.toml names it relative to itself; the command line comes first, and an empty name names nothing.
    let folder = there.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(&file, folder.join("team.db")).unwrap();
    std::fs::write(folder.join("config.toml"), "journal = \"team.db\"\n").unwrap();
    assert_eq!(listed(&mut crate::masthead(there.path())), 1);
    assert_eq!(listed(crate::masthead(there.path()).args(["--journal", ""])), 1);
    assert_eq!(listed(crate::masthead(there.path()).current_dir(there.path()).args(["--journal", "none.db"])), 0);
    // Claimed by any of its names, it is the same run.
    let name: serde_json::Value =
        serde_json::from_str(&run(crate::masthead(there.path()).args(["runs", "--json"])).1).unwrap();
    let id = name["id"].as_str().unwrap().parse().unwrap();
    let claim = journal::at(file.to_str().unwrap()).unwrap().claim(&id).unwrap();
    let (_, out, _) = run(crate::masthead(there.path()).args(["runs", "--json"]));
    assert!(out.contains("\"active\":true"), "{claim:?}: {out}");
    let (code, out, _) = run(crate::masthead(there.path()).arg("config"));
    let line = out.lines().find(|line| line.starts_with("journal ")).expect("a line");
    assert!(code == 0 && line.contains("team.db") && line.ends_with("config.toml"), "{line}");
}

#[test]
fn an_address_of_no_kind_of_journal_is_refused_without_its_password() {
    let home = tempfile::tempdir().unwrap();
    for url in ["mysql://ada:s3cret@h/x", "postgres://ada:s3cret@h/x?sslmode=prefer"] {
        let (code, out, err) = run(crate::masthead(home.path()).env("MASTHEAD_JOURNAL", url).arg("runs"));
        assert!(code == 2 && !(out + &err).contains("s3cret"), "{err}");
    }
}

#[test]
fn a_folder_is_no_journal() {
    let home = tempfile::tempdir().unwrap();
    for args in [&["runs"][..], &["journal", "verify"], &["resume", "last"]] {
        let (code, out, err) = run(crate::masthead(home.path()).arg("--journal").arg(home.path()).args(args));
        assert!(code == 2 && err.contains("is a folder: name a file"), "{args:?}: {code} {out}{err}");
    }
}

#[test]
fn a_journal_that_was_emptied_is_damaged_to_every_command_and_one_never_written_to_is_none() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("runs.db");
    let masthead = |args: &[&str]| run(crate::masthead(home.path()).arg("--journal").arg(&file).args(args));
    let sources = example("vector-databases");
    let ask = ["brief", "How does HNSW search?", "--headless", "--yes", "--sources", sources.to_str().unwrap()];
    std::fs::write(&file, "").unwrap();
    for (args, code) in [(&["journal", "verify"][..], 0), (&["runs"], 0), (&["resume", "last"], 2), (&ask, 0)] {
        let (is, out, err) = masthead(args);
        assert_eq!(is, code, "{args:?}: {out}{err}");
    }
    std::fs::write(&file, "").unwrap();
    for args in [&["journal", "verify"][..], &["runs"], &["resume", "last"], &["journal", "dump"], &ask] {
        let (code, out, err) = masthead(args);
        assert!(code == 65 && err.contains("is empty, and there have been runs"), "{args:?}: {code} {out}{err}");
        assert!(err.contains("Move it away") && !err.contains("journal verify"), "{args:?}: {err}");
    }
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 0, "nothing was built over it");
}
