use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// A program that stands in for the child.
fn parsed_by(script: &str, patience: Duration) -> Result<Document, String> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("reader");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    loop {
        match parse_in(&mut None, &program, &Asked::file("a.md"), b"some text\n", patience) {
            // Another test was just starting a child, which held the script open.
            Err(Unread::NoReader(why)) if why.kind() == io::ErrorKind::ExecutableFileBusy => {}
            answer => return answer.map_err(|why| why.to_string()),
        }
    }
}

const LONG: Duration = Duration::from_secs(30);
const GREET: &str = "printf 'masthead-reader 1\\n'";

#[test]
fn the_process_that_reads_is_told_nothing_of_the_environment() {
    let told = parsed_by(
        &format!("{GREET}; read line; read text; printf '{{\"Err\":{{\"Said\":\"%s %s\"}}}}\\n' \"$*\" \"$HOME\""),
        LONG,
    );
    assert_eq!(told.unwrap_err(), "read-documents ");
}

#[test]
fn a_process_that_hangs_is_ended() {
    let why = parsed_by(&format!("{GREET}; exec sleep 600"), Duration::from_millis(300)).unwrap_err();
    assert!(why.contains("not parsed within"), "{why}");
}

#[test]
fn a_process_that_fails_gives_no_document() {
    for (script, says) in [
        ("read line; kill -ABRT $$", "out of memory or of depth"),
        ("read line; exit 1", "out of memory or of depth"),
        ("read line; printf '{\"Ok\"'", "out of memory or of depth"),
        ("read line; echo no answer; exec sleep 600", "out of memory or of depth"),
        ("read line; kill -KILL $$", "ended by the system"),
        ("read line; kill -XCPU $$", "not parsed within"),
    ] {
        let why = parsed_by(&format!("{GREET}; {script}"), LONG).unwrap_err();
        assert!(why.contains(says), "{script}: {why}");
    }
}

#[test]
fn a_slot_is_free_again_after_a_panic() {
    let (pool, freed) = (Mutex::new(Pool::default()), Condvar::new());
    let panicked = std::panic::catch_unwind(|| {
        let _slot = Slot::take(&pool, &freed, 1);
        panic!("a fault in what has the slot");
    });
    assert!(panicked.is_err());
    drop(Slot::take(&pool, &freed, 1));
    assert_eq!(pool.locked().at_work, 0);
}

#[test]
fn a_process_that_never_stops_writing_is_cut_off() {
    let why = parsed_by(&format!("{GREET}; read line; exec cat /dev/zero"), LONG).unwrap_err();
    assert!(why.contains("more text"), "{why}");
}

#[test]
fn another_program_in_its_place_is_no_fault_of_the_document() {
    for script in ["echo running 0 tests", "exit 0"] {
        let why = parsed_by(script, LONG).unwrap_err();
        assert!(why.contains("cannot be started"), "{script}: {why}");
    }
    let nowhere = Readers::of("/nowhere/at/all".into()).parse(&Asked::file("a.md"), b"text".to_vec());
    assert!(matches!(nowhere, Err(Unread::NoReader(_))), "{nowhere:?}");
}

#[test]
fn one_that_was_ended_while_it_had_nothing_to_do_is_followed_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("reader");
    fs::write(
        &program,
        format!("#!/bin/sh\n{GREET}; read line; read text; printf '{{\"Err\":{{\"Said\":\"read\"}}}}\\n'\n"),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let mut idle = None;
    for _ in 0..3 {
        // It reads one document, of one line, and ends.
        let answer = parse_in(&mut idle, &program, &Asked::file("a.md"), b"some text\n", LONG);
        if let Err(Unread::NoReader(why)) = &answer
            && why.kind() == io::ErrorKind::ExecutableFileBusy
        {
            continue;
        }
        assert_eq!(answer.unwrap_err().to_string(), "read");
        idle.as_mut().unwrap().child.wait().unwrap();
    }
}
