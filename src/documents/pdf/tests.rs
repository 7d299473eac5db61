use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// A program that stands in for the child.
fn reader(folder: &Path, script: &str) -> std::path::PathBuf {
    let path = folder.join("reader");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path
}

fn answer(script: &str, patience: Duration) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let reader = reader(folder.path(), script);
    loop {
        match extract(&reader, Path::new("/tmp/x.pdf"), patience) {
            // Another test was just starting a child, which held the script open.
            Err(Unread::NoPdfReader(why)) if why.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
            answer => return answer.map_err(|why| why.to_string()),
        }
    }
}

const LONG: Duration = Duration::from_secs(30);

#[test]
fn the_child_is_told_the_file_and_nothing_of_the_environment() {
    let told = answer("printf 'masthead-pdf 1\\n%s %s %s' \"$1\" \"$2\" \"$HOME\"", LONG);
    assert_eq!(told.unwrap(), "read-pdf /tmp/x.pdf ");
}

#[test]
fn a_child_that_hangs_is_ended() {
    let why = answer("exec sleep 600", Duration::from_millis(300)).unwrap_err();
    assert!(why.contains("longer than"), "{why}");
}

#[test]
fn a_child_that_fails_or_is_another_program_gives_no_text() {
    for script in ["kill -ABRT $$", "exit 1", "echo running 0 tests", "printf 'masthead-pdf 1\\nhalf'; exit 3"] {
        let why = answer(script, LONG).unwrap_err();
        assert!(why.contains("damaged"), "{script}: {why}");
    }
}

#[test]
fn a_child_that_never_stops_writing_is_cut_off() {
    let why = answer("printf 'masthead-pdf 1\\n'; exec cat /dev/zero", LONG).unwrap_err();
    assert!(why.contains("more text"), "{why}");
}

/// The smallest file that shows a line of text.
#[cfg(feature = "pdf")]
fn pdf(line: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Title (A small guide) >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let table = file.len();
    file.push_str("xref\n0 7\n0000000000 65535 f \n");
    places.iter().for_each(|at| file.push_str(&format!("{at:010} 00000 n \n")));
    file.push_str(&format!("trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

#[test]
#[cfg(feature = "pdf")]
fn the_child_reads_title_and_text() {
    let text = super::child::extract(&pdf("Heaps are trees.")).unwrap();
    let (title, pages) = text.split_once('\n').unwrap();
    assert_eq!(title, "A small guide");
    assert_eq!(pages.trim(), "Heaps are trees.");
}

#[test]
#[cfg(feature = "pdf")]
fn a_damaged_file_is_an_error_to_the_child() {
    let mut broken = pdf("x");
    broken.truncate(200);
    assert!(super::child::extract(&broken).is_err());
}
