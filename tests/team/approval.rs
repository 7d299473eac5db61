//! Approval by policy: it says no more than a person may.

use std::sync::Arc;

use desk::Halt;
use journal::MemoryJournal;
use kit::{Folder, Scene, Script, Story, opening, play_until_stop, report};
use run::checkpoint::draft::Review;
use run::checkpoint::{Approver, Subject};
use run::{Command, Draft, Limits, Outcome, Payload};
use specialist::Step;
use tool::{Library, Readers};

/// The person is asked about a draft of which nothing is left; then the run ends.
fn nothing_left(scene: Scene<'_>) -> Step {
    match scene.transcript.turns.len() {
        0 => Step::Checkpoint(Subject::Draft(Review::of(Draft::default(), Vec::new()))),
        _ if scene.transcript.waits() => Step::Wait,
        _ => report(Outcome::Done, Payload::default()),
    }
}

#[test]
fn a_draft_of_which_nothing_is_left_is_not_approved() {
    let mut story = Story::begin(opening(team::embedded(), Limits::default()), Script::new(nothing_left));
    story.settle();
    let checkpoint = story.run.open_checkpoint().expect("it asks").id;
    let approved = Command::Approve { checkpoint }.fact(&story.run, Approver::Policy);
    assert!(approved.unwrap_err().contains("nothing is left"));
}

#[test]
fn a_desk_that_approves_stops_for_a_person_where_nothing_can_be_approved() {
    let (data, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(docs.path().join("a.md"), "# Heaps\n\nA heap is a tree.\n").unwrap();
    let library = Library::open(&[docs.path().to_owned()], data.path(), Readers::in_this_process()).unwrap();
    let opening = opening(team::embedded(), Limits::default());
    let roster = Arc::new(Script::new(nothing_left));
    let stop = play_until_stop(Arc::new(MemoryJournal::default()), opening, roster, Arc::new(Folder(library)));
    assert!(matches!(stop, Halt::Parked), "{stop:?}");
}
