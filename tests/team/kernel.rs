//! The kernel of specialists that think with a model, step by step over a transcript: a model answers, tools bring their results,
//! and its next step follows from that alone.

use std::sync::Arc;

use run::attempt::{Attempt, Class, Fault};
use run::budget::{Cap, Refusal};
use run::evidence::{Corpus, Hit, Hits};
use run::handoff::{Colleague, PlannedTask};
use run::model::{Arguments, Content, Form, Said, StopReason, Untouched, Usage};
use run::plan::{Shape, Task};
use run::price::Rates;
use run::stage::Conversation;
use run::steer::Message;
use run::team::{AssignedModel, Kind, Member, StructuredOutput};
use run::tool::builtin::{Read, Search};
use run::transcript::{Call, CallEnd, Did, Exchange, ExchangeEnd, Turn};
use run::{
    AssignmentId, At, Block, BlockKind, CallId, Excerpt, Handoff, Limits, ModelRequest, Outcome, Payload, Reply, Role,
    SourceRef, Standing, TaskId, Team, ToolCall, ToolName, ToolResult, Transcript, price,
};
use serde_json::{Value, json};
use specialist::model::ModelSpecialist;
use specialist::{Assigned, Specialist, Step};
use text::Clean;

const SENTENCE: &str = "An index build needs 512 MB of memory for a million rows.";

/// A researcher at work, and its input.
struct Work {
    member: Member,
    role: &'static str,
    transcript: Transcript,
    turns: u32,
    left: Limits,
    /// The number of passages that each search finds. Only the first says something of use.
    hits: u32,
    /// The tokens of input that the model's server counts.
    told: u64,
}

fn work(structured_output: StructuredOutput) -> Work {
    let model = AssignedModel {
        prompt: "You find facts.".into(),
        rates: Some(Rates { output: 1_000_000, ..Rates::default() }),
        density: Default::default(),
        context: Some(20_000),
        max_tokens: 1_000,
        // It cannot give out more, so that nothing is asked again with more room.
        most_output: Some(1_000),
        structured_output,
        ..kit::assigned_model("a/b")
    };
    let member = Member {
        description: "finds".into(),
        kind: Kind::Model,
        tools: vec!["search".into(), "read".into()],
        turns: 20,
        model: Some(model),
        ..Member::default()
    };
    let task = Task {
        topic: vec!["memory".into()],
        ..Task::new(TaskId(1), "memory".into(), "How much memory does an index take?".into())
    };
    let payload = Payload {
        question: Some("What does an index cost?".into()),
        task: Some(PlannedTask { task, shape: Shape::Facets }),
        ..Payload::default()
    };
    let transcript = Transcript::new(Arc::new(kit::handoff("memory", payload)));
    Work { member, role: Role::RESEARCHER, transcript, turns: 20, left: Limits::default(), hits: 1, told: 100 }
}

fn source() -> SourceRef {
    kit::source("0123456789ab", "notes.md", "Notes")
}

impl Work {
    /// Its next step.
    fn step(&self) -> Step {
        let assigned = Assigned {
            id: AssignmentId::nth(1),
            handoff: &self.transcript.handoff,
            turns_left: self.turns - self.transcript.turns_of_model() as u32,
            is_over: false,
            left: self.left,
            known: None,
        };
        let model = self.member.model.as_ref().unwrap();
        let team = Team::default();
        ModelSpecialist::new(&team, &Role::new(self.role), &self.member, model).next(assigned, &self.transcript)
    }

    /// It asks its model: the request.
    fn asks(&self) -> ModelRequest {
        match self.step() {
            Step::Ask { request, .. } => request,
            other => panic!("it does not ask: {other:?}"),
        }
    }

    /// It uses tools: the requests.
    fn uses(&self) -> Vec<ToolCall> {
        match self.step() {
            Step::Use { requests, .. } => requests,
            other => panic!("it uses no tools: {other:?}"),
        }
    }

    fn reports(&self) -> (Outcome, Payload) {
        match self.step() {
            Step::Report { outcome, payload, .. } => (outcome, payload),
            other => panic!("it does not report: {other:?}"),
        }
    }

    /// Its calls are refused: they were made before.
    fn refused(&mut self) -> &mut Work {
        let did = Did::Refused { why: "the same calls were made before".into(), unsent: None };
        self.transcript.push(Turn { stage: Conversation::Tools.into(), why: Clean::default(), did });
        self
    }

    /// The model answers its next request.
    fn answered(&mut self, content: Vec<Content>, stop: StopReason) -> &mut Work {
        let reply = Reply {
            content,
            raw: Untouched::from(json!(null)),
            stop,
            usage: Usage { input: self.told, output: 10, ..Usage::default() },
            served_by: "b".into(),
            request_id: None,
            first_ms: 1,
            whole_ms: 2,
            recorded: None,
        };
        self.ended(ExchangeEnd::Answered(Arc::new(reply)), None)
    }

    fn ended(&mut self, end: ExchangeEnd, fault: Option<Fault>) -> &mut Work {
        let Step::Ask { stage, why, request } = self.step() else { panic!("it does not ask: {:?}", self.step()) };
        let attempt = Attempt { n: 1, not_before: At(0), sent_at: Some(At(0)), fault };
        let call = CallId::new(AssignmentId::nth(1), self.transcript.turns.len() as u32 + 1);
        let exchange = Exchange::new(call, Arc::new(request), vec![attempt], end);
        self.transcript.push(Turn { stage, why, did: Did::Asked(exchange) });
        self
    }

    fn says(&mut self, text: &str) -> &mut Work {
        self.answered(vec![Content::Text { text: text.into() }], StopReason::End)
    }

    fn calls(&mut self, calls: &[(&str, Value)]) -> &mut Work {
        let call = |(n, (name, value)): (usize, &(&str, Value))| Content::Call {
            id: format!("c{n}").as_str().into(),
            name: (*name).into(),
            arguments: Arguments::Whole(value.clone()),
        };
        self.answered(calls.iter().enumerate().map(call).collect(), StopReason::Tools)
    }

    /// Its tools perform its calls.
    fn tools_answer(&mut self) -> &mut Work {
        let Step::Use { stage, why, requests } = self.step() else { panic!("it uses no tools: {:?}", self.step()) };
        // Each search finds other passages.
        let before = self.transcript.turns.iter().filter(|turn| matches!(turn.did, Did::Tools(_))).count() as u32;
        let call = |request: ToolCall| {
            let result = match request.of::<Read>() {
                Some(Read { from, to, .. }) => ToolResult::Excerpt(Excerpt {
                    source: source(),
                    blocks: (from..to).map(|no| Arc::new(block(no))).collect(),
                    of: 9,
                }),
                None => ToolResult::Hits(Hits {
                    hits: (0..self.hits).map(|n| Hit { block: 3 + n + 100 * before, ..hit(n) }).collect(),
                    titled: vec![],
                    terms: vec![],
                    documents: 1,
                    blocks: 9,
                    notes: vec![],
                }),
            };
            let id = CallId::new(AssignmentId::nth(1), 90);
            Call::new(id, Arc::new(request), CallEnd::Returned(Arc::new(result)))
        };
        let calls = requests.into_iter().map(call).collect();
        self.transcript.push(Turn { stage, why, did: Did::Tools(calls) });
        self
    }
}

/// The hits of a search in this place: first the sentence, then passages of three hundred bytes.
fn hit(n: u32) -> Hit {
    let snippet = if n == 0 { SENTENCE.into() } else { format!("Passage {n} {}.", "and more".repeat(36)).into() };
    Hit { source: source(), block: 3 + n, headings: Arc::new([]), columns: None, snippet, score: 100 - n }
}

fn block(no: u32) -> Block {
    Block {
        no,
        kind: BlockKind::Paragraph,
        headings: Arc::new([]),
        intro: None,
        text: if no % 100 == 3 { SENTENCE.into() } else { format!("Passage {no}.").into() },
        line: 1,
        start: 0,
        lead: false,
        breaks: vec![],
    }
}

fn report(quote: &str) -> Value {
    let source = source().id.to_string();
    json!({ "findings": [{ "claim": "An index build needs 512 MB for a million rows.", "quote": quote, "source": source }], "gaps": "" })
}

fn last_words(request: &ModelRequest) -> String {
    match request.said.last().unwrap() {
        Said::System { text } | Said::User { text } => text.to_string(),
        Said::Results { results } => results.iter().map(|result| format!("{}\n", result.text)).collect(),
    }
}

#[test]
fn it_looks_first_and_hands_its_model_the_task_with_what_was_found() {
    let mut work = work(StructuredOutput::Tool);
    assert_eq!(work.uses(), [Search::new("memory much index take", 8).into()]);
    let request = work.tools_answer().asks();
    assert!(request.afresh);
    assert_eq!(request.said[0], Said::System { text: "You find facts.".into() });
    let told = last_words(&request);
    assert!(told.contains("How much memory") && told.contains(SENTENCE) && told.contains("call `report`"), "{told}");
    let offered: Vec<&str> = request.offers.iter().map(|offer| &*offer.name).collect();
    assert_eq!((offered.as_slice(), request.form), (["search", "read", "report"].as_slice(), Form::Free));
}

#[test]
fn each_of_its_calls_is_answered_in_order_those_that_cannot_be_done_in_words() {
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer().calls(&[("search", json!({ "query": "rows" })), ("shell", json!({})), ("read", json!({}))]);
    assert_eq!(work.uses(), [Search::new("rows", 8).into()]);
    let request = work.tools_answer().asks();
    let Said::Results { results } = &request.said[0] else { panic!("{request:?}") };
    let names: Vec<(&str, &str, bool)> = results.iter().map(|r| (&*r.call, &*r.name, r.failed)).collect();
    assert_eq!(names, [("c0", "search", false), ("c1", "shell", true), ("c2", "read", true)]);
    assert!(results[1].text.contains("no tool `shell`") && results[2].text.contains("`source` is missing"));
    assert!(!request.afresh, "only what is new is said");
}

#[test]
fn a_quote_from_a_search_result_is_read_in_its_place_before_it_counts() {
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer().calls(&[("report", report(SENTENCE))]);
    let reads = work.uses();
    let [read] = &reads[..] else { panic!("{reads:?}") };
    assert!(matches!(read.of(), Some(Read { from: 0..=3, to: 4.., .. })), "{read:?}");
    let (outcome, payload) = work.tools_answer().reports();
    assert_eq!(outcome, Outcome::Done);
    let finding = &payload.findings()[0];
    assert_eq!((&*finding.quote, finding.standing == Standing::Unquoted), (SENTENCE, false));
    assert!(finding.place.is_some());
}

#[test]
fn what_no_source_says_is_marked_as_not_quoted() {
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer();
    // Its model is told, and says the same again.
    for is_again in [false, true] {
        work.calls(&[("report", report("An index needs no memory at all."))]);
        if matches!(work.step(), Step::Use { .. }) {
            assert!(!is_again, "what was read is not read again");
            work.tools_answer();
        }
    }
    let (_, payload) = work.reports();
    assert_eq!((payload.findings()[0].standing, payload.findings()[0].place.is_some()), (Standing::Unquoted, false));
}

#[test]
fn a_report_that_cannot_be_read_is_asked_for_again_in_its_form_and_then_given_up() {
    for (output, form) in
        [(StructuredOutput::Tool, Form::Tool { name: "report".into() }), (StructuredOutput::Text, Form::Free)]
    {
        let mut work = work(output);
        work.tools_answer().says("{\"findings\": 7}");
        let request = work.asks();
        assert!(last_words(&request).contains("`findings` is missing"), "{request:?}");
        assert_eq!(request.form, form);
        work.says("{\"findings\": 8}").says("{\"findings\": 9}");
        let (outcome, _) = work.reports();
        assert!(matches!(&outcome, Outcome::Failed(why) if why.contains("`findings` is missing")), "{outcome:?}");
    }
    let mut work = work(StructuredOutput::Schema);
    work.tools_answer().says("{\"findings\": 7}");
    assert!(matches!(work.asks().form, Form::Json { .. }));
}

#[test]
fn talk_is_neither_a_report_nor_a_call_and_is_answered_once_before_the_form_is_forced() {
    let mut work = work(StructuredOutput::Schema);
    work.tools_answer().says("I will now look into it.");
    assert_eq!(work.asks().form, Form::Free, "it may still look something up");
    work.says("Just a moment.");
    assert!(matches!(work.asks().form, Form::Json { .. }));
    work.says(&format!("Here: {}", report(SENTENCE)));
    assert!(matches!(work.step(), Step::Use { .. }), "the report is found behind the talk");
}

#[test]
fn a_cut_answer_of_a_model_that_can_give_no_more_is_asked_for_shorter_and_a_refusal_is_final() {
    let mut cut = work(StructuredOutput::Text);
    let half = || vec![Content::Text { text: "{\"findings\": [{\"cl".into() }];
    cut.tools_answer().answered(half(), StopReason::Length);
    assert!(last_words(&cut.asks()).contains("shorter"));
    let mut rows = work(StructuredOutput::Schema);
    let cut = "{\"findings\": [{\"claim\": \"One.\", \"quote\": \"a\"}, {\"claim\": \"Tw";
    rows.tools_answer().answered(vec![Content::Text { text: cut.into() }], StopReason::Length);
    assert!(last_words(&rows.asks()).contains("shorter"), "a row of it is not the report");
    let mut refused = work(StructuredOutput::Text);
    refused.tools_answer().answered(vec![], StopReason::Refusal("policy".into()));
    assert_eq!(refused.reports().0, Outcome::Failed("the model declined: policy".into()));
}

#[test]
fn it_is_told_when_turns_run_short_and_then_held_to_its_report() {
    for turns in 3..8 {
        let mut work = work(StructuredOutput::Tool);
        work.turns = turns;
        work.tools_answer();
        // Two answers are kept for the report; every other one may use tools, and the last of these is told so.
        for round in 0..turns - 2 {
            let is_last_round = round == turns - 3;
            let told = last_words(&work.asks());
            assert_eq!(told.contains("One more round of tool calls"), is_last_round, "{turns}, {round}: {told}");
            work.calls(&[("search", json!({ "query": format!("a{round}") }))]);
            assert_eq!(work.uses().len(), 1, "{turns}, {round}: what it was promised is done");
            work.tools_answer();
        }
        let request = work.asks();
        assert!(request.said.iter().any(|said| matches!(said, Said::User { text } if text.contains("last answer"))));
        assert_eq!(request.form, Form::Tool { name: "report".into() });
        work.calls(&[("search", json!({ "query": "c" }))]);
        let Said::Results { results } = &work.asks().said[0] else { panic!("{:?}", work.step()) };
        assert!(results[0].not_made && results[0].text.contains("no turn is left for tools"), "{results:?}");
        work.calls(&[("search", json!({ "query": "d" }))]);
        assert!(work.reports().0.why().is_some_and(|why| why.contains("in the turns it had")), "{:?}", work.reports());
    }
}

#[test]
fn of_more_calls_than_one_answer_may_have_the_others_are_refused_with_that_number() {
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer();
    let queries: Vec<String> = (0..8).map(|n| format!("a{n}")).collect();
    let calls: Vec<(&str, Value)> = queries.iter().map(|query| ("search", json!({ "query": query }))).collect();
    work.calls(&calls);
    assert_eq!(work.uses().len(), 6);
    work.tools_answer();
    let Said::Results { results } = &work.asks().said[0] else { panic!("{:?}", work.step()) };
    let refused: Vec<bool> =
        results.iter().map(|it| it.text.contains("at most 6 calls in one answer") && it.not_made).collect();
    assert_eq!(refused, [[false; 6].as_slice(), &[true; 2]].concat(), "{results:?}");
}

#[test]
fn it_is_held_to_its_report_when_its_budget_lasts_for_one_more_answer() {
    let mut work = work(StructuredOutput::Tool);
    work.left = Limits::of(Cap::Tokens, 2_500);
    assert_eq!(work.tools_answer().asks().form, Form::Tool { name: "report".into() });
    work.left = Limits::of(Cap::Tokens, 50_000);
    assert_eq!(work.asks().form, Form::Free);
    work.left = Limits::of(Cap::ToolCalls, 0);
    assert_eq!(work.asks().form, Form::Tool { name: "report".into() });
}

/// The reservation, in tokens, of its next request and the shortest useful answer.
fn reserved(work: &Work) -> u64 {
    let request = work.asks();
    price::Input::of(work.transcript.said_before(None, false), &request).most(Default::default()) + 1_000
}

#[test]
fn research_goes_on_while_there_is_room_for_a_call_and_a_last_answer_though_not_for_two_reservations() {
    let mut work = work(StructuredOutput::Tool);
    work.hits = 8;
    work.tools_answer();
    let twice = 2 * reserved(&work);
    work.left = Limits::of(Cap::Tokens, twice * 9 / 10);
    assert_eq!(work.asks().form, Form::Free);
    work.left = Limits::of(Cap::Tokens, twice / 2 + 1_000);
    assert_eq!(work.asks().form, Form::Tool { name: "report".into() });
}

#[test]
fn who_had_to_report_because_of_a_cap_says_so_and_who_had_finished_does_not() {
    let after = |left: u64, found: Value| {
        let mut work = work(StructuredOutput::Tool);
        work.tools_answer();
        work.left = Limits::of(Cap::Tokens, left);
        work.calls(&[("report", found)]);
        if matches!(work.step(), Step::Use { .. }) {
            work.tools_answer();
        }
        work.reports().0
    };
    let nothing = || json!({ "findings": [], "gaps": "" });
    let why = || Clean::from("the cap left no room for more research");
    assert_eq!(after(2_500, report(SENTENCE)), Outcome::Partial(why()));
    assert_eq!(after(2_500, nothing()), Outcome::OutOfBudget(why()));
    assert_eq!(after(50_000, report(SENTENCE)), Outcome::Done);
    assert_eq!(after(50_000, nothing()), Outcome::NothingFound);
}

#[test]
fn results_that_a_budget_would_not_pay_an_answer_to_are_left_out_and_the_report_is_still_asked_for() {
    let mut work = work(StructuredOutput::Tool);
    work.hits = 8;
    let searches = [("search", json!({ "query": "a" })), ("search", json!({ "query": "b" }))];
    work.tools_answer().calls(&searches).tools_answer();
    let whole = reserved(&work);
    work.left = Limits::of(Cap::Tokens, whole - 1);
    let request = work.asks();
    let told = last_words(&request);
    let Said::Results { results } = &request.said[0] else { panic!("{request:?}") };
    assert!(results[0].text.contains(SENTENCE) && !results[0].failed, "{results:?}");
    assert!(results[1].text.contains("the budget has no room") && results[1].failed, "{results:?}");
    assert!(told.contains("This is your last answer"), "{told}");
    assert!(reserved(&work) < whole);
}

#[test]
fn a_conversation_that_is_too_long_begins_anew_with_what_was_read_and_only_once() {
    let mut work = work(StructuredOutput::Tool);
    let read = json!({ "source": source().id.to_string(), "from": 3, "to": 4 });
    work.tools_answer().calls(&[("read", read)]).tools_answer();
    let too_long = || Fault::before_sending(Class::TooLong, "too long".into());
    work.ended(ExchangeEnd::Failed("too long".into()), Some(too_long()));
    let request = work.asks();
    assert!(request.afresh);
    assert!(last_words(&request).contains("read these passages already") && last_words(&request).contains(SENTENCE));
    work.ended(ExchangeEnd::Failed("too long".into()), Some(too_long()));
    assert!(matches!(work.reports().0, Outcome::Failed(_)));
}

/// A researcher whose model has a context of `context` tokens, and whose searches find `hits` passages.
fn work_within(context: u64, hits: u32) -> Work {
    let mut work = work(StructuredOutput::Tool);
    work.member.model.as_mut().unwrap().context = Some(context);
    Work { hits, told: context * 2 / 3, ..work }
}

#[test]
fn a_conversation_that_begins_anew_has_the_best_of_what_searches_have_found_and_is_told_which_they_were() {
    let mut work = work_within(6_000, 20);
    let first = last_words(&work.tools_answer().asks());
    assert!(first.contains("Passage 19") && !first.contains("no room"), "{first}");
    let query = json!({ "query": "rows of an index" });
    let request = work.calls(&[("search", query)]).tools_answer().asks();
    assert!(request.afresh, "the results do not fit: {request:?}");
    let told = last_words(&request);
    assert!(told.contains("read these passages already") && told.contains(SENTENCE), "{told}");
    let at = |passage: &str| told.find(passage);
    assert!(at(SENTENCE) < at("Passage 1 ") && at("Passage 1 ") < at("Passage 2 "), "the best first: {told}");
    assert_eq!(told.matches("block=\"3\"").count(), 1, "each once: {told}");
    assert!(told.contains("“rows of an index”") && told.contains("“memory much index take”"), "{told}");
    work.calls(&[("report", report(SENTENCE))]).tools_answer();
    assert_eq!(work.reports().0, Outcome::Done);
}

#[test]
fn what_a_first_search_has_found_is_cut_to_what_a_small_context_has_room_for_and_the_model_is_told() {
    let told = last_words(&work_within(4_000, 40).tools_answer().asks());
    assert!(told.contains(SENTENCE) && told.contains("There is no room for"), "{told}");
    assert!(!told.contains("Passage 39"), "{told}");
}

#[test]
fn nothing_is_said_to_be_missing_from_sources_of_which_not_all_that_was_found_could_be_looked_at() {
    let nothing = || json!({ "findings": [], "gaps": "nothing" });
    let mut small = work_within(4_000, 40);
    small.tools_answer().calls(&[("report", nothing())]);
    let (outcome, _) = small.reports();
    let told =
        matches!(&outcome, Outcome::OutOfBudget(why) if why.contains("the conversation with a/b had no room for"));
    assert!(told, "{outcome:?}");
    let mut large = work_within(100_000, 40);
    large.tools_answer().calls(&[("report", nothing())]);
    assert_eq!(large.reports().0, Outcome::NothingFound, "all of it was looked at");
}

#[test]
fn nothing_is_said_to_be_missing_from_sources_that_could_not_be_asked() {
    for (tool, asked) in [("search", "search"), ("kb__look_up", "kb")] {
        let mut failing = work(StructuredOutput::Schema);
        failing.tools_answer();
        let Some(Did::Tools(calls)) = failing.transcript.turns.last().map(|turn| turn.did.clone()) else { panic!() };
        let failed = |call: Call| {
            let request = ToolCall { name: ToolName::new(tool), ..ToolCall::clone(&call.request) };
            Call { request: Arc::new(request), end: CallEnd::Failed("it is gone".into()), ..call }
        };
        let calls = calls.into_iter().map(failed).collect();
        let turn = failing.transcript.turns.pop().unwrap();
        failing.transcript.push(Turn { did: Did::Tools(calls), ..Turn::clone(&turn) });
        failing.calls(&[("report", json!({ "findings": [], "gaps": "nothing" }))]);
        let failed = Outcome::Failed(format!("no call to {asked} was answered: it is gone").into());
        assert_eq!(failing.reports().0, failed);
    }
}

#[test]
fn a_conversation_that_is_full_a_second_time_begins_anew_with_its_report() {
    let mut work = work_within(6_000, 20);
    work.tools_answer().calls(&[("search", json!({ "query": "a" }))]).tools_answer();
    assert_eq!(work.asks().form, Form::Free, "it may look further");
    work.calls(&[("search", json!({ "query": "b" }))]).tools_answer();
    let request = work.asks();
    assert!(request.afresh && request.form == Form::Tool { name: "report".into() }, "{request:?}");
    work.calls(&[("report", report(SENTENCE))]).tools_answer();
    assert_eq!(work.reports().0, Outcome::Done);
}

#[test]
fn a_call_that_was_given_up_fails_the_assignment_with_its_reason() {
    let mut work = work(StructuredOutput::Tool);
    let fault = Fault::before_sending(Class::Unreachable, "nobody there".into());
    work.tools_answer().ended(ExchangeEnd::Failed("nobody there".into()), Some(fault));
    let (outcome, payload) = work.reports();
    assert_eq!(outcome, Outcome::Failed("nobody there".into()));
    assert_eq!(payload, Payload::note("nobody there"));
}

#[test]
fn a_repeated_call_is_refused_and_the_research_goes_on_and_ends_with_the_second() {
    let mut work = work(StructuredOutput::Schema);
    work.tools_answer();
    for is_last in [false, true] {
        work.calls(&[("search", json!({ "query": "memory" }))]);
        work.refused();
        let request = work.asks();
        let Said::Results { results } = &request.said[0] else { panic!("{request:?}") };
        assert!(results[0].failed && results[0].text.contains("the same calls were made before"));
        assert_eq!(matches!(request.form, Form::Json { .. }), is_last, "{request:?}");
        assert_eq!(last_words(&request).contains("last answer"), is_last, "{request:?}");
    }
}

#[test]
fn a_call_or_a_report_that_is_written_as_text_is_one() {
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer().says("<think>I search {once}.</think><tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"disk\"}}</tool_call>");
    assert_eq!(work.uses(), [Search::new("disk", Search::HITS_OF_MODEL).into()]);
    work.tools_answer();
    let request = work.asks();
    let told = last_words(&request);
    assert!(told.starts_with("Your call of `search`:\n") && told.contains(SENTENCE), "{told}");
    assert_eq!(request.form, Form::Free, "it may look further");
    let report = json!({ "name": "report", "arguments": report(SENTENCE) });
    work.says(&format!("<tool_call>{report}</tool_call>")).tools_answer();
    assert_eq!(work.reports().0, Outcome::Done);
}

#[test]
fn a_report_that_was_sent_back_for_one_quote_stands_where_no_better_one_comes() {
    let mut rows = report(SENTENCE)["findings"].clone();
    rows.as_array_mut()
        .unwrap()
        .push(json!({ "claim": "An index is free.", "quote": "The index is free of charge.", "source": "" }));
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer().calls(&[("report", json!({ "findings": rows, "gaps": "" }))]).tools_answer();
    let told = format!("{:?}", work.asks().said);
    assert!(told.contains("1 quote is in no passage") && !told.contains("The nearest"), "{told}");
    work.says("").says("");
    let (outcome, payload) = work.reports();
    assert_eq!((outcome, payload.findings().len()), (Outcome::Done, 2));
}

#[test]
fn a_planner_that_has_a_choice_says_whom_each_task_is_given_to() {
    let member = |role: &str| Colleague { role: Role::new(role), description: format!("{role} looks").as_str().into() };
    let plan = |team: Vec<Colleague>, who: &str| {
        let mut work = work(StructuredOutput::Text);
        let mut handoff = Handoff::clone(&work.transcript.handoff);
        handoff.payload = Payload {
            question: Some("Is it safe?".into()),
            corpus: Some(Corpus { documents: 3, blocks: 9, ..Corpus::default() }),
            team: Some(team).filter(|team| !team.is_empty()),
            ..Payload::default()
        };
        work.transcript.handoff = Arc::new(handoff);
        work.role = Role::PLANNER;
        let request = work.asks();
        let task = json!({ "title": "keys", "question": "Where are keys kept?", "who": who });
        work.says(&json!({ "shape": "facets", "tasks": [task], "why": "so" }).to_string());
        (last_words(&request), work.step())
    };
    let both = || vec![member("researcher"), member("auditor")];
    let (told, step) = plan(both(), "auditor");
    assert!(
        told.contains("- auditor: auditor looks") && told.contains("\"enum\":[\"researcher\",\"auditor\"]"),
        "{told}"
    );
    let Step::Report { payload, .. } = step else { panic!("{step:?}") };
    assert_eq!(payload.plan.as_ref().unwrap().tasks[0].role.as_str(), "auditor");
    let (_, step) = plan(both(), "nobody");
    assert!(matches!(&step, Step::Ask { request, .. } if last_words(request).contains("no `nobody`")), "{step:?}");
    let (told, step) = plan(vec![], "auditor");
    let Step::Report { payload, .. } = step else { panic!("{step:?}") };
    assert!(!told.contains("who"), "{told}");
    assert_eq!(payload.plan.as_ref().unwrap().tasks[0].role.as_str(), "researcher");
}

#[test]
fn where_the_model_brings_no_report_what_was_read_is_reported_by_rule_and_said_to_be() {
    let read = |work: &mut Work| {
        let read = json!({ "source": source().id.to_string(), "from": 2, "to": 5 });
        work.tools_answer().calls(&[("read", read)]).tools_answer();
    };
    let by_rule = |work: &Work, why: &str| {
        let (outcome, payload) = work.reports();
        assert!(
            matches!(&outcome, Outcome::Partial(told) if told.contains(why) && told.contains("by rule")),
            "{outcome:?}"
        );
        let findings = payload.findings();
        assert!(findings.iter().any(|finding| finding.quote.as_str() == SENTENCE), "{findings:?}");
    };
    let mut talks = work(StructuredOutput::Text);
    read(&mut talks);
    talks.says("Well.").says("Hm.").says("So.");
    by_rule(&talks, "it neither used a tool nor reported");

    let mut repeats = work(StructuredOutput::Text);
    read(&mut repeats);
    for _ in 0..2 {
        repeats.calls(&[("search", json!({ "query": "memory" }))]).refused();
    }
    repeats.calls(&[("search", json!({ "query": "memory" }))]);
    by_rule(&repeats, "the same calls were made before");

    let mut slow = work(StructuredOutput::Text);
    read(&mut slow);
    slow.turns = slow.transcript.turns_of_model() as u32;
    by_rule(&slow, "in the turns it had");

    let mut broke = work(StructuredOutput::Text);
    read(&mut broke);
    broke.ended(ExchangeEnd::Refused(Refusal { cap: Cap::Money, of: None, most: None }), None);
    let (outcome, payload) = broke.reports();
    assert!(matches!(outcome, Outcome::Partial(_)), "{outcome:?}");
    assert_eq!(payload.findings().len(), 1);

    // Another model would do better where this one answered in vain, and no better where a cap had no room.
    let failed = |work: &Work| {
        let (outcome, payload) = work.reports();
        work.transcript.failed_answer(&outcome, payload.by_rule.is_some())
    };
    for in_vain in [&talks, &repeats, &slow] {
        assert!(failed(in_vain), "{:?}", in_vain.reports().0);
    }
    assert!(!failed(&broke));
    let mut wrong = work(StructuredOutput::Text);
    read(&mut wrong);
    for _ in 0..3 {
        wrong.calls(&[("search", json!({ "qury": "memory" }))]);
    }
    by_rule(&wrong, "its calls could not be done");
    assert!(failed(&wrong));
}

/// The person says something to a researcher at work, now.
fn tell(work: &mut Work, text: &str) {
    let before = work.transcript.turns.len() as u32;
    work.transcript.messages.push(Message { text: text.into(), before, at: At(0) });
}

fn texts(request: &ModelRequest) -> String {
    let of = |said: &Said| match said {
        Said::User { text } => text.to_string(),
        Said::System { .. } | Said::Results { .. } => String::new(),
    };
    request.said.iter().map(of).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_message_of_the_person_is_said_to_the_model_once_with_what_is_asked_next() {
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer();
    let quiet = work.asks();
    work.calls(&[("search", json!({ "query": "memory" }))]);
    tell(&mut work, "Look at disks, too.");
    let message = work.transcript.messages[0].clone();
    work.tools_answer();
    assert_eq!(work.transcript.read_in(&message, true), None, "tools read nothing");
    let request = work.asks();
    let Said::Results { .. } = &request.said[0] else { panic!("what the tools brought comes first: {request:?}") };
    assert!(texts(&request).contains("The person you work for says:\nLook at disks, too.\n"), "{request:?}");
    work.calls(&[("search", json!({ "query": "disks" }))]);
    assert_eq!(work.transcript.read_in(&message, true), Some(3));
    work.tools_answer();
    assert!(!texts(&work.asks()).contains("disks, too"), "it is said once");
    assert!(!texts(&quiet).contains("The person"), "and nothing is said where nothing was");
}

#[test]
fn a_message_whose_words_a_request_has_anyway_is_not_read_by_that() {
    let mut work = work(StructuredOutput::Tool);
    work.tools_answer();
    let word = texts(&work.asks()).split_whitespace().next().expect("it says something").to_owned();
    work.calls(&[("search", json!({ "query": "memory" }))]);
    let message = Message { text: word.into(), before: 0, at: At(0) };
    assert_eq!(work.transcript.read_in(&message, true), None);
}

#[test]
fn a_message_that_comes_before_the_first_question_is_part_of_it() {
    let mut work = work(StructuredOutput::Text);
    tell(&mut work, "Only of this year.");
    work.tools_answer();
    let request = work.asks();
    assert!(matches!(request.said[..], [Said::System { .. }, Said::User { .. }]), "{request:?}");
    assert!(texts(&request).contains("Only of this year."));
}

#[test]
fn who_has_reported_reads_what_came_meanwhile_before_its_report_is_taken() {
    for output in [StructuredOutput::Tool, StructuredOutput::Schema, StructuredOutput::Text] {
        let mut work = work(output);
        work.tools_answer();
        // It reads, so that its quote is known; the message comes while it writes its report.
        work.calls(&[("read", json!({ "source": source().id.to_string(), "from": 0, "to": 5 }))]).tools_answer();
        let written = |work: &mut Work| {
            match output {
                StructuredOutput::Tool => work.calls(&[("report", report(SENTENCE))]),
                _ => work.says(&report(SENTENCE).to_string()),
            };
        };
        written(&mut work);
        assert!(matches!(work.reports().0, Outcome::Done), "{output:?}: without a message it is taken");
        tell(&mut work, "And disks?");
        let request = work.asks();
        assert!(texts(&request).contains("And disks?"), "{output:?}: {request:?}");
        let answered = request.said.iter().any(|said| matches!(said, Said::Results { results } if results.len() == 1));
        assert_eq!(answered, output == StructuredOutput::Tool, "a call is answered before anything else is said");
        written(&mut work);
        assert!(matches!(work.reports().0, Outcome::Done), "{output:?}: and the next report is");
    }
}

#[test]
fn who_has_no_turn_left_for_a_message_reports_and_does_not_go_on_for_it() {
    let mut work = work(StructuredOutput::Text);
    work.tools_answer();
    work.calls(&[("read", json!({ "source": source().id.to_string(), "from": 0, "to": 5 }))]).tools_answer();
    work.says(&report(SENTENCE).to_string());
    tell(&mut work, "And disks?");
    work.turns = work.transcript.turns_of_model() as u32;
    assert!(work.reports().0.usable());
}

#[test]
fn a_message_is_not_read_by_an_answer_that_failed() {
    let mut work = work(StructuredOutput::Text);
    work.tools_answer();
    tell(&mut work, "And disks?");
    let message = work.transcript.messages[0].clone();
    let fault = Fault::before_sending(Class::TooLong, "too long".into());
    work.ended(ExchangeEnd::Failed("too long".into()), Some(fault));
    assert_eq!(work.transcript.read_in(&message, true), None);
    let request = work.asks();
    assert!(request.afresh && texts(&request).contains("And disks?"), "where it begins anew it is told again");
}
