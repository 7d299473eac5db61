//! Steps that specialists take.

use run::handoff::PlannedTask;
use run::model::{Form, ModelRequest, Said};
use run::plan::Shape;
use run::stage::{Conversation, Leading, Research};
use run::tool::builtin::Search;
use run::{Finding, Outcome, Payload, Role, TaskId, ToolCall};
use specialist::{Sending, Step};

use crate::task;

/// The assignment ends so.
pub fn report(outcome: Outcome, payload: Payload) -> Step {
    Step::Report { outcome, title: "report".into(), payload }
}

/// The assignment is done, with these findings.
pub fn found(findings: Vec<Finding>) -> Step {
    report(Outcome::Done, Payload { findings: Some(findings), ..Payload::default() })
}

/// Others are handed work, in parallel.
pub fn hand_off(handoffs: Vec<Sending>) -> Step {
    Step::HandOff { stage: Leading::Research.into(), why: "in parallel".into(), handoffs }
}

/// A researcher is handed task `n` of the plan.
pub fn research(n: u32) -> Sending {
    let payload = Payload {
        question: Some("why?".into()),
        task: Some(PlannedTask { task: task(n), shape: Shape::Overview }),
        ..Payload::default()
    };
    Sending::new(&Role::new(Role::RESEARCHER), task(n).title, payload).of_task(TaskId(n))
}

/// These tools are used, in parallel.
pub fn use_tools(requests: Vec<ToolCall>) -> Step {
    Step::Use { stage: Research::Search.into(), why: "to look".into(), requests }
}

/// Up to five passages for a query.
pub fn search(query: &str) -> ToolCall {
    Search::new(query, 5).into()
}

/// A model is asked anew, for at most 100 tokens.
pub fn ask(model: &str) -> Step {
    let (model, said) = (model.parse().expect("PROVIDER/MODEL"), vec![Said::User { text: "?".into() }]);
    let request = ModelRequest {
        model,
        afresh: true,
        said,
        offers: vec![].into(),
        form: Form::Free,
        max_tokens: 100,
        thinking: Default::default(),
    };
    Step::Ask { stage: Conversation::Begin.into(), why: "to know".into(), request }
}
