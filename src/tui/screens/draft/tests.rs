use super::*;
use crate::fixture::pauses::with_draft;
use run::brief::{Draft, Piece, Section, Sentence};
use run::event::Event;

/// The run that stops with its draft, which has these pieces.
fn run_with(pieces: Vec<Piece>) -> Run {
    let mut run = Run::default();
    for mut envelope in with_draft() {
        if let Event::CheckpointOpened { subject, .. } = &mut std::sync::Arc::make_mut(&mut envelope).event
            && let run::checkpoint::Subject::Draft(review) = std::sync::Arc::make_mut(subject)
        {
            review.draft =
                Draft { sections: vec![Section { heading: "All".into(), pieces: pieces.clone() }], ..Draft::default() };
        }
        run.apply(&envelope);
    }
    run
}

fn sentence(text: &str) -> Sentence {
    Sentence { text: text.into(), cites: Vec::new() }
}

fn sentences(texts: &[&str]) -> Run {
    run_with(vec![Piece::Paragraph { sentences: texts.iter().map(|text| sentence(text)).collect() }])
}

const LISTING: &str = "[server]\n    port = 80\n    host = \"a  b\"";

fn listing() -> Run {
    run_with(vec![Piece::Code { label: None, sentence: sentence(LISTING) }])
}

/// The sentences of the draft after these effects.
fn after(run: &Run, effects: &[Effect]) -> Vec<String> {
    let mut checkpoint = select::draft_page(run).unwrap().0.clone();
    for effect in effects {
        let Effect::Send(Command::Edit { edit, .. }) = effect else { panic!("{effect:?}") };
        checkpoint.edited(edit).unwrap();
    }
    checkpoint.review().unwrap().draft.sentences().map(|one| one.text.to_string()).collect()
}

/// The sentences after a person wrote the draft like this in their editor; or the fault of their text.
fn written(run: &Run, words: &str) -> Result<Vec<String>, (Option<usize>, String)> {
    let effects = submit(run, Wording::Whole, &words.into()).map_err(|wrong| (wrong.line, wrong.why))?;
    Ok(after(run, &effects))
}

#[test]
fn a_draft_that_is_read_in_the_editor_and_left_as_it_was_stays_so() {
    for run in [sentences(&["A is.", "B is."]), listing()] {
        let whole = format!("{HOW}\n{}", sentences_of(select::draft_page(&run).unwrap().1));
        assert_eq!(submit(&run, Wording::Whole, &whole.as_str().into()).ok(), Some(Vec::new()), "{whole}");
    }
}

#[test]
fn sentences_written_in_the_editor_are_those_of_the_draft() {
    let table: [(&[&str], &str, &[&str]); 8] = [
        (&["A.", "B."], "1 A.\n2 C.", &["A.", "C."]),
        (&["A.", "B."], "2 B.", &["B."]),
        (&["A.", "B."], "2 A.", &["A."]),
        (&["A.", "B.", "C."], "1. C.\n2 A.", &["C.", "A."]),
        (&["A.", "B.", "C."], "# a remark\n\n3 B.", &["B."]),
        (&["A.", "B.", "A."], "2 B.", &["B."]),
        (&["A.", "B.", "A."], "2 B.\n3 D.", &["B.", "D."]),
        (&["A.", "B."], "", &[]),
    ];
    for (was, words, expected) in table {
        let is = written(&sentences(was), words).unwrap();
        assert_eq!(is, expected, "{was:?} and {words:?}");
    }
}

#[test]
fn a_draft_goes_out_at_once_unless_code_refuses_a_sentence_of_it() {
    let run = |vetoed: &[&str]| {
        let mut run = sentences(&["A.", "B."]);
        let at = run.checkpoints.len() - 1;
        let subject = std::sync::Arc::make_mut(&mut run.checkpoints[at].subject);
        let run::checkpoint::Subject::Draft(review) = subject else { panic!("it stands at its draft") };
        review.vetoed = vetoed.iter().map(|text| (*text).into()).collect();
        run
    };
    let press = |run: &Run, keys: &[Action]| {
        let mut ui = Ui::new(Mode::Live, run::At(0));
        let done = keys.iter().map(|action| {
            let screen = ui.overlay.screen().unwrap_or(&SCREEN);
            (screen.on)(&mut ui, run, *action).unwrap_or_default()
        });
        let done: Vec<Effect> = done.collect::<Vec<_>>().concat();
        (done, ui)
    };
    let accepted = |run: &Run| answer(select::draft_page(run).unwrap().0, Of::Accepted);
    for open in [run(&[]), run(&["C."])] {
        assert_eq!(press(&open, &[Action::Approve]).0, accepted(&open));
    }
    let run = run(&["B."]);
    let (done, ui) = press(&run, &[Action::Approve]);
    assert!(done.is_empty() && matches!(ui.overlay, Overlay::Accepting(_)), "{done:?}");
    assert_eq!(press(&run, &[Action::Approve, Action::Submit]).0, accepted(&run));
    let (done, ui) = press(&run, &[Action::Approve, Action::Back]);
    assert!(done.is_empty() && matches!(ui.overlay, Overlay::None), "{done:?}");
    for (action, wording) in [(Action::Edit, Wording::Sentence(1)), (Action::SendBack, Wording::Remark(Some(1)))] {
        let (done, ui) = press(&run, &[Action::Approve, action]);
        let Overlay::Writing(writing) = &ui.overlay else { panic!("{:?}", ui.overlay) };
        assert!(done.is_empty() && writing.purpose == Purpose::Draft(wording) && ui.draft.selected == 1);
    }
}

#[test]
fn a_line_that_cannot_be_read_is_named() {
    let run = sentences(&["A.", "B."]);
    for (words, line, why) in [
        ("1 A.\nB.", 1, "it begins with no number of a sentence"),
        ("0 A.", 0, "the draft has 2 sentences"),
        ("1 A.\n3 B.", 1, "the draft has 2 sentences"),
        ("-1 A.", 0, "it begins with no number of a sentence"),
        ("1 A.\n1 B.", 1, "there are two lines for sentence 1"),
    ] {
        let (at, says) = written(&run, words).unwrap_err();
        assert!(at == Some(line) && says.contains(why), "{words:?}: {at:?}, {says}");
    }
}

#[test]
fn program_text_that_is_looked_at_in_the_field_stays_program_text() {
    let run = listing();
    let mut ui = Ui::new(Mode::Live, run::At(0));
    on(&mut ui, &run, Action::Edit).unwrap();
    let Overlay::Writing(writing) = &ui.overlay else { panic!("{:?}", ui.overlay) };
    assert_eq!(writing.field.text(), LISTING);
    assert_eq!(submit(&run, Wording::Sentence(0), &writing.field.text()).ok(), Some(Vec::new()));
    let other = LISTING.replace("80", "8080");
    let effects = submit(&run, Wording::Sentence(0), &Clean::new(&other)).ok().unwrap();
    assert_eq!(after(&run, &effects), [other]);
}
