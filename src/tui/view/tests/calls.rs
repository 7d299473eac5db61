//! Tool calls in a pane: each with its own time, and those that were not made with the reason.

use super::*;
use crate::places::{Sort, next};
use crate::prelude::Line;
use crate::view::transcript::{Shape, Tab, laid};
use run::model::{Content, Said, ToolAnswer};
use run::{At, CallId};

/// A run in which a search took three seconds, and the model was told that a second call of the same answer was not made.
fn searched() -> (Run, Vec<Arc<Envelope>>) {
    let search = CallId::new(AssignmentId::nth(2), 2);
    let (mut later, mut changed) = (0, Vec::new());
    for envelope in model::events(model::Stage::Working) {
        let mut envelope = (*envelope).clone();
        match &mut envelope.event {
            Event::ToolReturned { call, .. } if *call == search => later = 3_000,
            Event::ModelReplied { call, reply, .. } if call.assignment == search.assignment => {
                let mut asks_more = (**reply).clone();
                let content = asks_more.content.last().cloned().expect("it calls a tool");
                let Content::Call { arguments, .. } = content else { panic!("{content:?}") };
                asks_more.content.push(Content::Call { id: "toolu_2".into(), name: "wipe".into(), arguments });
                *reply = Arc::new(asks_more);
            }
            Event::ModelCalled { by, request, .. }
                if *by == search.assignment && request.answers().next().is_some() =>
            {
                let mut told = (**request).clone();
                let Some(Said::Results { results }) = told.said.first_mut() else { panic!("{:?}", told.said) };
                results.push(ToolAnswer {
                    call: "toolu_2".into(),
                    name: "wipe".into(),
                    text: "there is no tool `wipe`".into(),
                    failed: true,
                    not_made: true,
                });
                *request = Arc::new(told);
            }
            _ => {}
        }
        envelope.at = At(envelope.at.0 + later);
        changed.push(Arc::new(envelope));
    }
    (Run::fold(changed.iter().map(|envelope| &**envelope)), changed)
}

fn lines(run: &Run, tab: Tab) -> Vec<String> {
    let assignment = run.assignment(AssignmentId::nth(2)).expect("the researcher of pgvector");
    let shape = Shape { tab, ..Shape::default() };
    let text = |line: Line<'static>| line.spans.iter().map(|span| &*span.content).collect::<String>();
    laid(run, assignment, shape, 100, &theme()).lines.into_iter().map(text).collect()
}

#[test]
fn a_tool_has_its_own_time_and_what_its_model_took_stands_at_the_answer() {
    let (run, _) = searched();
    let all = lines(&run, Tab::Transcript);
    let at = |what: &str| all.iter().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {all:#?}"));
    let (answer, tool) = (at("3.2s"), at("▸ search"));
    assert!(all[answer].contains('←') && all[answer].contains('$') && answer < tool, "{all:#?}");
    assert!(all[tool].contains(" · 3.") && !all[tool].contains('$'), "{}", all[tool]);
    let calls = lines(&run, Tab::Calls);
    assert!(calls.iter().any(|line| line.contains("▸ search") && line.contains(" · 3.")), "{calls:#?}");
}

#[test]
fn a_call_that_was_not_made_is_marked_with_the_reason_and_is_a_failure_to_go_to() {
    let (run, events) = searched();
    let all = lines(&run, Tab::Transcript);
    let call = all.iter().position(|line| line.contains("! wipe")).unwrap_or_else(|| panic!("{all:#?}"));
    assert!(all[call].contains("not made") && all[call + 1].contains("there is no tool `wipe`"), "{all:#?}");
    assert!(!all.iter().any(|line| line.contains("! search")), "the other one was made: {all:#?}");
    let told = events.iter().position(|envelope| {
        matches!(&envelope.event, Event::ModelCalled { request, .. } if request.answers().any(|answer| answer.not_made))
    });
    let told = told.expect("the model is told") + 1;
    assert_eq!(next(&events, told - 1, Sort::Failure, true), Some(told));
}
