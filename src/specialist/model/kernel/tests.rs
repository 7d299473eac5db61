use std::sync::Arc;

use serde_json::json;

use super::*;
use run::attempt::{Attempt, Class, Fault};
use run::handoff::Handoff;
use run::model::{Arguments, Content, Untouched, Usage};
use run::tool::builtin::Search;
use run::transcript::{CallEnd, Exchange, ExchangeEnd, Turn};
use run::{AssignmentId, At, CallId, HandoffNo, Limits, ModelRequest, Payload};

/// One talk of a role with its model, told step by step.
struct Story {
    member: Member,
    model: AssignedModel,
    role: Role,
    transcript: Transcript,
}

impl Story {
    fn of(role: &str) -> Story {
        let role = Role::new(role);
        let mut member = team::embedded().members[&role].clone();
        member.tools = if role.as_str() == Role::RESEARCHER { vec!["search".into(), "read".into()] } else { vec![] };
        let model = AssignedModel {
            id: "a/b".parse().unwrap(),
            prompt: "You do research.".into(),
            rates: None,
            density: Default::default(),
            context: None,
            max_tokens: 1_000,
            structured_output: StructuredOutput::Tool,
            thinking: Default::default(),
            thinking_room: 0,
            most_output: None,
        };
        let handoff = Handoff {
            no: HandoffNo(1),
            from: None,
            to: None,
            names: ("supervisor".into(), "researcher".into()),
            title: "x".into(),
            payload: Payload { question: Some("Why?".into()), ..Payload::default() },
        };
        let transcript = Transcript::new(Arc::new(handoff));
        Story { member, model, role, transcript }
    }

    fn next(&self) -> Step {
        let team = Team::default();
        let specialist = ModelSpecialist::new(&team, &self.role, &self.member, &self.model);
        let turns_left = 12 - self.transcript.turns_of_model() as u32;
        let handoff = &self.transcript.handoff;
        let left = Limits::default();
        let assigned = Assigned { id: AssignmentId::nth(1), handoff, turns_left, is_over: false, left, known: None };
        specialist.next(assigned, &self.transcript)
    }

    /// It asks, and the request ends so.
    fn asks(&mut self, end: ExchangeEnd, attempts: Vec<Attempt>) -> &mut Story {
        let Step::Ask { stage, why, request } = self.next() else { panic!("{:?}", self.next()) };
        let call = CallId::new(AssignmentId::nth(1), self.transcript.turns.len() as u32 + 1);
        let exchange = Exchange::new(call, Arc::new(request), attempts, end);
        self.transcript.push(Turn { stage, why, did: Did::Asked(exchange) });
        self
    }

    fn answered(&mut self, stop: StopReason, content: Vec<Content>) -> &mut Story {
        let reply = Reply {
            content,
            raw: Untouched::from(json!([])),
            stop,
            usage: Usage::default(),
            served_by: "b".into(),
            request_id: None,
            first_ms: 0,
            whole_ms: 0,
            recorded: None,
        };
        self.asks(ExchangeEnd::Answered(Arc::new(reply)), Vec::new())
    }

    fn failed(&mut self, class: Class) -> &mut Story {
        let fault = Some(Fault::before_sending(class, "it failed".into()));
        let attempt = Attempt { n: 1, not_before: At(0), sent_at: Some(At(0)), fault };
        self.asks(ExchangeEnd::Failed("it failed".into()), vec![attempt])
    }

    /// Its next message, as one text.
    fn says(&self) -> String {
        match self.next() {
            Step::Ask { request: ModelRequest { said, .. }, .. } => format!("{said:?}"),
            other => panic!("{other:?}"),
        }
    }

    fn outcome(&self) -> String {
        match self.next() {
            Step::Report { outcome, .. } => format!("{outcome:?}"),
            other => panic!("{other:?}"),
        }
    }
}

fn text(text: &str) -> Vec<Content> {
    vec![Content::Text { text: text.into() }]
}

fn calls(name: &str, arguments: Arguments) -> Vec<Content> {
    vec![Content::Call { id: "c1".into(), name: name.into(), arguments }]
}

#[test]
fn a_refusal_is_kept_and_nobody_else_is_asked() {
    let mut story = Story::of(Role::RESEARCHER);
    assert!(story.answered(StopReason::Refusal("cyber".into()), vec![]).outcome().contains("declined: cyber"));
    let mut story = Story::of(Role::RESEARCHER);
    assert!(story.answered(StopReason::Refusal("".into()), text("I ca")).outcome().contains("no reason"));
}

#[test]
fn an_empty_answer_is_asked_for_again_and_never_becomes_an_empty_finding() {
    for role in [Role::RESEARCHER, Role::WRITER] {
        let mut story = Story::of(role);
        assert!(story.answered(StopReason::End, vec![]).says().contains("was empty"));
        story.answered(StopReason::End, vec![]).answered(StopReason::End, text("  "));
        assert!(story.outcome().starts_with("Failed"), "{}", story.outcome());
    }
}

#[test]
fn an_answer_that_its_limit_cut_is_no_report() {
    let mut story = Story::of(Role::WRITER);
    assert!(
        story
            .answered(StopReason::Length, text("# A brief\n\nIt is fast [1]"))
            .says()
            .contains("cut at its token limit")
    );
    let mut story = Story::of(Role::RESEARCHER);
    let cut = Arguments::Broken("{\"findings\": [{\"claim\": \"x".into());
    let asked = |story: &Story| match story.next() {
        Step::Ask { request, stage, .. } => (stage, request.max_tokens, format!("{:?}", request.said)),
        other => panic!("{other:?}"),
    };
    // It is not a report that cannot be taken: there was no room for it.
    let (stage, room, said) = asked(story.answered(StopReason::Length, calls(offer::REPORT, cut.clone())));
    assert_eq!((stage, room), (Conversation::Room.into(), 2_000));
    assert!(said.contains("more room") && !said.contains("cannot be taken"), "{said}");
    // Once: from then on it is told to be shorter, and keeps the room that it has.
    let (stage, room, said) = asked(story.answered(StopReason::Length, calls(offer::REPORT, cut.clone())));
    assert_eq!((stage, room), (Conversation::Correct.into(), 2_000), "{said}");
    // It is not shorter: to ask for more of the same is of no use.
    assert!(story.answered(StopReason::Length, calls(offer::REPORT, cut)).outcome().contains("cut at its token limit"));
    // A whole report shows by itself that it is whole.
    let whole = text("{\"findings\": [], \"gaps\": \"nothing there\"}");
    assert_eq!(Story::of(Role::RESEARCHER).answered(StopReason::Length, whole).outcome(), "NothingFound");
}

#[test]
fn a_model_that_can_give_no_more_is_told_to_be_shorter_at_once() {
    let mut story = Story::of(Role::WRITER);
    story.model.most_output = Some(1_000);
    let says = story.answered(StopReason::Length, text("# A brief\n\nIt is fast [1]")).says();
    assert!(says.contains("Answer again, shorter"), "{says}");
    let outcome = story.answered(StopReason::Length, text("# A brief\n\nIt is fast [1]")).outcome();
    assert!(outcome.contains("cut at its token limit"), "{outcome}");
    let mut story = Story::of(Role::WRITER);
    story.model.thinking_room = 500;
    story.model.thinking.effort = Some(run::thinking::Effort::Low);
    let Step::Ask { request, .. } = story.next() else { panic!("{:?}", story.next()) };
    assert_eq!((request.max_tokens, request.thinking), (1_500, story.model.thinking));
}

#[test]
fn a_call_whose_arguments_are_no_json_is_told_to_the_model_and_not_done() {
    let mut story = Story::of(Role::RESEARCHER);
    story.answered(StopReason::Tools, calls("search", Arguments::Broken("{\"query\": \"ef".into())));
    let Step::Ask { request, .. } = story.next() else { panic!("{:?}", story.next()) };
    let [Said::Results { results }] = &request.said[..] else { panic!("{:?}", request.said) };
    assert!(results[0].failed && results[0].text.contains("not whole JSON"), "{results:?}");
}

#[test]
fn what_stopped_nobody_knows_why_is_not_done_and_no_tool_is_used_on_its_word() {
    let search = || calls("search", Arguments::Whole(json!({"query": "why"})));
    let mut story = Story::of(Role::RESEARCHER);
    assert!(matches!(story.answered(StopReason::Tools, search()).next(), Step::Use { .. }));
    let mut story = Story::of(Role::RESEARCHER);
    assert!(story.answered(StopReason::Other("abort".into()), search()).says().contains("unknown way (abort)"));
    let mut story = Story::of(Role::WRITER);
    assert!(story.answered(StopReason::Other("none".into()), text("# A brief")).says().contains("unknown way"));
    // A whole report shows by itself that it is whole.
    let whole = json!({"findings": [], "gaps": "nothing there"});
    let mut story = Story::of(Role::RESEARCHER);
    assert_eq!(
        story.answered(StopReason::Other("x".into()), calls(offer::REPORT, Arguments::Whole(whole))).outcome(),
        "NothingFound"
    );
}

#[test]
fn a_paused_answer_goes_on_five_times_and_not_for_ever() {
    let mut story = Story::of(Role::RESEARCHER);
    for _ in 0..5 {
        let Step::Ask { request, .. } = story.answered(StopReason::Pause, text("so far")).next() else { panic!() };
        assert!(request.said.is_empty(), "it goes back as it is");
    }
    assert!(story.answered(StopReason::Pause, text("so far")).outcome().contains("again and again"));
}

#[test]
fn a_conversation_that_grew_too_long_begins_anew_once() {
    let mut story = Story::of(Role::RESEARCHER);
    story.answered(StopReason::Tools, calls("search", Arguments::Whole(json!({"query": "why"}))));
    let request = Arc::new(Search::new("why", 8).into());
    let end = CallEnd::Failed("no".into());
    let call = Call::new(CallId::new(AssignmentId::nth(1), 9), request, end);
    story.transcript.push(Turn { stage: Conversation::Tools.into(), why: "".into(), did: Did::Tools(vec![call]) });
    let Step::Ask { request, .. } = story.failed(Class::TooLong).next() else { panic!("{:?}", story.next()) };
    assert!(request.afresh && matches!(request.said[0], Said::System { .. }));
    assert!(story.failed(Class::TooLong).outcome().contains("does not fit"));
}

#[test]
fn reasoning_that_its_provider_does_not_take_back_is_left_behind_once() {
    let mut story = Story::of(Role::RESEARCHER);
    story.answered(StopReason::End, text("I shall look."));
    let Step::Ask { request, .. } = story.failed(Class::Stale).next() else { panic!("{:?}", story.next()) };
    assert!(request.afresh, "none of what it wrote goes back");
    let outcome = story.failed(Class::Stale).outcome();
    assert!(outcome.contains("it failed") && !outcome.contains("context"), "{outcome}");
}

#[test]
fn a_call_that_was_given_up_is_a_failed_report_with_its_reason() {
    for class in [Class::Malformed, Class::NoSuchModel, Class::TooLarge, Class::Redirected, Class::Server] {
        assert!(Story::of(Role::RESEARCHER).failed(class).outcome().contains("it failed"), "{class:?}");
    }
}

/// The sentences beside turns in this version of the program, and in version 1.
const OUR_OWN_SENTENCES: [&str; 15] = [
    "a first search with the words of its task",
    "the model is handed its assignment",
    "the model that leads is handed the question",
    "the model looks further",
    "the tools have answered",
    "what was handed out has come back",
    "its report could not be taken",
    "it neither reported nor used a tool",
    "its answer was neither a whole report nor a call of a tool",
    "nothing came of what it said",
    "the person sent a message before it had reported",
    "the passages of its quotes are read, so that they can be checked",
    "its provider paused the answer, which goes on",
    "the conversation cannot go on: it begins anew with what was read",
    "Search for what the person has just asked for.",
];

/// The way that a research takes whose model begins each answer with these words: the stage of each turn and how it ends.
fn way_of_a_model_that_begins_with(words: &str) -> Vec<String> {
    let mut story = Story::of(Role::RESEARCHER);
    let search = |n: usize| Content::Call {
        id: "c1".into(),
        name: "search".into(),
        arguments: Arguments::Whole(json!({ "query": format!("why {n}") })),
    };
    let report = json!({ "findings": [], "gaps": "nothing there" });
    let answers = [
        (StopReason::Tools, Some(search(1))),
        (StopReason::Pause, None),
        (StopReason::Tools, Some(search(2))),
        (StopReason::End, None),
        (StopReason::Tools, Some(search(3))),
        (StopReason::End, calls(offer::REPORT, Arguments::Whole(report)).pop()),
    ];
    let (mut way, mut answers) = (Vec::new(), answers.into_iter());
    loop {
        match story.next() {
            Step::Use { stage, why, requests } => {
                way.push(format!("{} {requests:?}", stage.name()));
                let id = CallId::new(AssignmentId::nth(1), 9);
                let call = |request| Call::new(id, Arc::new(request), CallEnd::Failed("no".into()));
                let did = Did::Tools(requests.into_iter().map(call).collect());
                story.transcript.push(Turn { stage, why, did });
            }
            Step::Ask { stage, request, .. } => {
                way.push(format!("{} {:?} {:?}", stage.name(), request.said, request.form));
                let Some((stop, call)) = answers.next() else { panic!("it goes on and on: {way:?}") };
                story.answered(stop, text(words).into_iter().chain(call).collect());
            }
            step => {
                way.push(format!("{step:?}"));
                return way;
            }
        }
    }
}

#[test]
fn a_model_that_begins_with_a_sentence_of_the_program_takes_the_same_way_as_any_other() {
    let other = way_of_a_model_that_begins_with("I will look for more.");
    let stages: Vec<&str> = other.iter().filter_map(|turn| turn.split(' ').next()).collect();
    assert_eq!(
        stages[..7],
        [
            "conversation.begin",
            "conversation.tools",
            "conversation.results",
            "conversation.continue",
            "conversation.tools",
            "conversation.results",
            "conversation.nudge"
        ]
    );
    for sentence in OUR_OWN_SENTENCES {
        assert_eq!(way_of_a_model_that_begins_with(sentence), other, "{sentence}");
        let more = format!("{sentence}\nAnd more.");
        assert_eq!(way_of_a_model_that_begins_with(&more), other, "{sentence}");
    }
}
