//! The targets of output: files that `-o` names, standard output that is full or closed, and names that would drive the terminal.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kit::run;

const BRIEF: [&str; 6] = ["brief", "How does Gizmo keep tables?", "--headless", "--yes", "--sources", "gizmo.md"];

/// The program in a folder with one small document.
fn masthead(home: &Path) -> Command {
    let document = "# Gizmo\n\nGizmo keeps tables in three files. Gizmo is written in Rust.\n";
    std::fs::write(home.join("gizmo.md"), document).unwrap();
    let mut command = crate::masthead(home);
    command.current_dir(home);
    command
}

fn brief(home: &Path) -> Command {
    let mut command = masthead(home);
    command.args(BRIEF);
    command
}

/// A home in which a run is done, and its brief.
fn a_run_that_is_done() -> (tempfile::TempDir, String) {
    let home = tempfile::tempdir().unwrap();
    let (code, _, err) = run(&mut brief(home.path()));
    assert_eq!(code, 0, "{err}");
    let (_, exported, _) = run(masthead(home.path()).args(["export", "last"]));
    assert!(exported.starts_with("# "), "{exported}");
    (home, exported)
}

/// A named pipe, and the text read from it until its writer is done.
fn pipe(folder: &Path) -> (PathBuf, std::thread::JoinHandle<String>) {
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = pipe.clone();
    let read = std::thread::spawn(move || {
        let mut text = String::new();
        File::open(reader).unwrap().read_to_string(&mut text).unwrap();
        text
    });
    (pipe, read)
}

#[test]
fn a_pipe_and_a_device_are_written_into_and_never_replaced() {
    let (home, exported) = a_run_that_is_done();
    let (pipe, read) = pipe(home.path());
    let device = home.path().join("nowhere");
    symlink("/dev/null", &device).unwrap();
    for file in [&pipe, &device] {
        let (code, out, err) = run(masthead(home.path()).args(["export", "last", "-o"]).arg(file));
        assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""), "{file:?}");
    }
    assert!(pipe.metadata().unwrap().file_type().is_fifo());
    assert_eq!(read.join().unwrap(), exported);
    assert!(device.is_symlink() && device.metadata().unwrap().file_type().is_char_device());
}

#[test]
fn what_a_shell_hands_over_is_written_into_by_every_command_that_takes_a_file() {
    let (home, exported) = a_run_that_is_done();
    for args in ["export last", "resume last --headless --events jsonl"] {
        let script = |script: &str| {
            let script = script.replace("MASTHEAD", &format!("{} --data-dir data {args}", crate::PROGRAM));
            let mut command = Command::new("bash");
            command.args(["-c", &script]).current_dir(home.path());
            let (code, out, err) = run(command.env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin"));
            assert_eq!((code, err.as_str()), (0, ""), "{script}");
            out
        };
        assert_eq!(script("MASTHEAD -o /dev/stdout"), exported, "{args}");
        assert_eq!(script("MASTHEAD -o - && test ! -e ./-"), exported, "{args}");
        let substituted =
            "MASTHEAD -o >(cat > kept && mv kept whole); until [ -e whole ]; do :; done; cat whole; rm whole";
        assert_eq!(script(substituted), exported, "{args}");
        // Text in the same file before and after stays.
        let around = format!("before\n{exported}after\n");
        let output = "{ echo before; MASTHEAD -o /dev/stdout; echo after; } > kept; cat kept";
        assert_eq!(script(output), around, "{args}");
        let third = "{ echo before >&3; MASTHEAD -o /dev/fd/3; echo after >&3; } 3>> kept3; cat kept3; rm kept3";
        assert_eq!(script(third), around, "{args}");
    }
}

#[test]
fn a_file_that_cannot_be_replaced_is_written_into() {
    let (home, exported) = a_run_that_is_done();
    let (mounted, out) = (home.path().join("mounted.md"), home.path().join("out.md"));
    for file in [&mounted, &out] {
        std::fs::write(file, "a longer text than the brief, which was there before\n".repeat(100)).unwrap();
    }
    let mounts = |then: &mut Command| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", "mount --bind \"$0\" \"$1\" && shift && exec \"$@\""]).args([&mounted, &out]);
        command.arg(then.get_program()).args(then.get_args()).current_dir(home.path());
        run(command.env("HOME", home.path()))
    };
    // Not every system lets one mount.
    if mounts(&mut Command::new("true")).0 != 0 {
        return;
    }
    let (code, _, err) = mounts(masthead(home.path()).args(["export", "last", "-o", "out.md"]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(std::fs::read_to_string(&mounted).unwrap(), exported);
}

#[test]
fn a_regular_file_is_replaced_whole_keeps_its_permissions_and_the_link_to_it() {
    let (home, exported) = a_run_that_is_done();
    let (file, link) = (home.path().join("brief.md"), home.path().join("link.md"));
    std::fs::write(&file, "before").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("brief.md", &link).unwrap();
    let held = File::open(&file).unwrap();
    let (code, _, err) = run(masthead(home.path()).args(["export", "last", "-o"]).arg(&link));
    assert_eq!(code, 0, "{err}");
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), exported);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::io::read_to_string(held).unwrap(), "before", "a reader keeps what it has opened");
    let fresh = home.path().join("fresh.md");
    symlink("fresh.md", home.path().join("to-fresh.md")).unwrap();
    let (code, _, err) = run(masthead(home.path()).args(["resume", "last", "-o"]).arg(home.path().join("to-fresh.md")));
    assert_eq!(code, 0, "{err}");
    assert_eq!(std::fs::read_to_string(&fresh).unwrap(), exported);
    let left = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.starts_with(".masthead")).count(), 0, "no temporary file stays");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_is_done() {
    let home = tempfile::tempdir().unwrap();
    let (a, b) = (home.path().join("a"), home.path().join("b"));
    symlink(&a, &b).unwrap();
    symlink(&b, &a).unwrap();
    for file in [home.path().join("missing/x.md"), home.path().to_path_buf(), a, "/proc/x.md".into(), "new/".into()] {
        let (code, out, err) = run(brief(home.path()).arg("-o").arg(&file));
        assert_eq!((code, out.as_str()), (2, ""), "{file:?}: {err}");
        assert!(err.contains("cannot be written"), "{file:?}: {err}");
    }
    let (_, listed, _) = run(masthead(home.path()).arg("runs"));
    assert_eq!(listed, "", "no run was begun");
}

#[test]
fn output_that_is_not_whole_is_said_and_has_its_own_code_and_a_closed_pipe_is_no_fault() {
    let (home, _) = a_run_that_is_done();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    let jsonl: Vec<&str> = BRIEF.into_iter().chain(["--events", "jsonl"]).collect();
    for args in [
        &BRIEF[..],
        &jsonl[..],
        &["runs"],
        &["runs", "--json"],
        &["export", "last"],
        &["export", "last", "--format", "json"],
        &["export", "last", "-o", "/dev/stdout"],
        &["journal", "dump"],
        &["journal", "verify"],
        &["replay", "last"],
        &["drill"],
        &["drill", "loop-of-two", "--headless"],
        &["memory"],
        &["doctor"],
        &["doctor", "--json"],
        &["man"],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
    ] {
        let printing_to = |out: Stdio| {
            let mut command = masthead(home.path());
            let output = command.args(args).stdout(out).stderr(Stdio::piped()).spawn().unwrap();
            let output = output.wait_with_output().unwrap();
            (output.status.code(), String::from_utf8(output.stderr).unwrap())
        };
        let (code, err) = printing_to(Stdio::from(closed()));
        assert_eq!(code, Some(0), "{args:?}: {err}");
        let (code, err) = printing_to(Stdio::from(full()));
        assert_eq!(code, Some(74), "{args:?}: {err}");
        assert!(err.contains("No space left on device"), "{args:?}: {err}");
    }
    let (_, listed, _) = run(masthead(home.path()).args(["runs"]));
    assert!(!listed.contains("stopped"), "the work goes on: {listed}");
}

#[test]
fn what_is_printed_as_json_drives_no_terminal_and_means_the_same() {
    let home = tempfile::tempdir().unwrap();
    let folder = "evil \u{9b}31m \u{7f}\u{202e}\u{e0041}\u{feff}";
    std::fs::create_dir(home.path().join(folder)).unwrap();
    let copy = home.path().join(folder).join("gizmo\u{9b}.md");
    let mut command = masthead(home.path());
    std::fs::copy(home.path().join("gizmo.md"), copy).unwrap();
    let args = [&BRIEF[..5], &[folder, "--events", "jsonl"]].concat();
    let (code, printed, err) = run(command.args(args));
    assert_eq!((code, err.as_str()), (0, ""), "{printed}");
    let (_, dumped, _) = run(masthead(home.path()).args(["journal", "dump"]));
    let (_, exported, _) = run(masthead(home.path()).args(["export", "last", "--format", "json"]));
    let (_, listed, _) = run(masthead(home.path()).args(["runs", "--json"]));
    for text in [&printed, &dumped, &exported, &listed] {
        let driving: Vec<char> = text.chars().filter(|c| *c != '\n' && text::is_forbidden(*c)).collect();
        assert!(driving.is_empty(), "{driving:?}: {text}");
    }
    for text in [printed, dumped] {
        let opened: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let source = opened["opening"]["sources"][0].as_str().or(opened["sources"][0].as_str());
        assert!(source.unwrap().ends_with(folder), "{opened}");
    }
}

#[test]
fn a_process_that_holds_keys_leaves_no_core_dump_behind() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::fs::MetadataExt;
    let (home, _) = a_run_that_is_done();
    let pipe = home.path().join("unread");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = masthead(home.path());
    let mut child = command.args(["export", "last", "-o"]).arg(&pipe).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.contains("waiting until something reads the pipe"), "{said}");
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    let limits = std::fs::read_to_string(process.join("limits")).unwrap();
    let cores = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let memory_is_read_by = process.join("mem").metadata().unwrap().uid();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(cores.split_whitespace().filter(|word| *word == "0").count(), 2, "{cores}");
    assert_eq!(memory_is_read_by, 0, "root alone");
}

#[test]
fn what_is_typed_does_not_drive_the_terminal_when_a_message_repeats_it() {
    let home = tempfile::tempdir().unwrap();
    let evil = "x\x1b]0;owned\x07\u{9b}31m\u{202e}\u{e0041}y";
    let file = format!("/nowhere/{evil}/x.md");
    let data = format!("{}/{evil}", home.path().display());
    for args in [
        &[evil][..],
        &["brief", "q", &format!("--{evil}")],
        &["brief", "q", "--max-cost", evil],
        &["brief", "q", "--team", evil, "--sources", "."],
        &["brief", "q", "--model", evil, "--sources", "."],
        &["brief", "q", "--web", evil, "--sources", "."],
        &["brief", "q", "--sources", &file],
        &["brief", "q", "--sources", ".", "-o", &file],
        &["brief", "--answers-from", &file],
        &["eval", &file, "--sources", "a=b"],
        &["eval", &file, "--sources", evil],
        &["export", evil],
        &["resume", evil],
        &["drill", evil],
        &["--data-dir", &data, "resume", "last"],
        &["--data-dir", &data, "memory"],
        &["--data-dir", &data, "doctor"],
        &["completions", evil],
    ] {
        // The program's own data directory is named before; the last one counts.
        let mut command = Command::new(crate::PROGRAM);
        command.env_clear().env("HOME", home.path()).stdin(Stdio::null()).args(args);
        let (_, out, err) = run(&mut command);
        let said = format!("{out}{err}");
        assert!(!said.is_empty(), "{args:?}");
        let driving = |c: char| c != '\n' && text::is_forbidden(c);
        assert!(!said.contains(driving), "{args:?}: {said:?}");
        assert!(!said.contains("owned"), "{args:?}: {said:?}");
    }
}
