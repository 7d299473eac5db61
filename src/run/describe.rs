//! Describes events in words for a person: for headless lines, the journal line, the log, and spans.

mod line;
mod report;

use crate::attempt::{Class, Fault};
use crate::budget::{Account, Amounts, Cap, Refusal};
use crate::checkpoint::{Approver, Subject};
use crate::event::{Admission, Allotment, Called, DoubtAnswer, Envelope, Event, Opening};
use crate::evidence::{Corpus, changed_in_words};
use crate::forecast;
use crate::foreign::NoteKind;
use crate::fork::Fork;
use crate::handoff::{Handoff, Outcome, Unsent};
use crate::id::{AssignmentId, CallId};
use crate::mark::Mark::{Cancelled, Done, Failed, NeedsYou, Paused, Running, Waiting, Warning};
use crate::model::ModelId;
use crate::plan::Plan;
use crate::stage::Conversation;
use crate::state::Intent;
use crate::team::Order;
use crate::timeouts::in_words;
use crate::verdict::Verdict;
use crate::{Assignment, Money, Run};
use line::{ended, line};
use report::{after, came_to, reported};
use text::{Clean, count};

pub use line::{Description, Kind, Level, Line};

/// The most skipped files that are listed by name.
const MOST_SKIPPED: usize = 5;
/// The most issues of a brief that are told in full.
const MOST_ISSUES: usize = 3;

/// Describes an event. `run` must already include the event.
pub fn describe(envelope: &Envelope, run: &Run) -> Description {
    let lines = stage(envelope, run);
    let (level, lines) = match lines.is_empty() {
        false => (Level::Stage, lines),
        true => (Level::Step, vec![step(&envelope.event, run)]),
    };
    Description { kind: Kind::of(&envelope.event), level, lines }
}

/// The lines of an event that is a stage of the run; empty for a step within a stage.
pub fn stage(envelope: &Envelope, run: &Run) -> Vec<Line> {
    let of = |id: AssignmentId| run.assignment(id);
    let about = |id, word, sentence: String| of(id).map(|a| line(name(a), Warning, word, sentence));
    match &envelope.event {
        Event::RunOpened(opening) => opened(opening),
        Event::Forked(fork) => vec![forked(fork, run)],
        Event::SourcesRead { corpus } => sources_read(corpus),
        Event::Noted { by, note } if note.kind.is_of_the_person() => {
            of(*by).map(|a| line(name(a), Done, note.kind.word(), note.text.to_string())).into_iter().collect()
        }
        Event::PlanAdopted { plan, .. } => plan_adopted(plan, run),
        Event::CheckpointOpened { subject, .. } => checkpoint_opened(subject, run),
        Event::CheckpointAnswered { checkpoint, by, answer } => {
            let said = run.checkpoint(*checkpoint).and_then(|checkpoint| checkpoint.subject.said(answer));
            let who = if *by == Approver::Policy { "--yes" } else { "you" };
            vec![line(who, Done, "answered", said.unwrap_or_default())]
        }
        Event::HandedOff { by: Some(_), opened, .. } => {
            let opened = opened.iter().filter_map(|opened| of(opened.assignment));
            opened.map(|a| line(name(a), Running, "started", handed_by(a))).collect()
        }
        Event::StepRefused { by, why, unsent, .. } => {
            let carried = unsent.as_deref().map(carried).unwrap_or_default();
            about(*by, "refused", format!("{why}{carried}")).into_iter().collect()
        }
        Event::Relieved { by, why, to } => {
            let model = to.and_then(|worker| run.opening.as_ref()?.team.model_of(&of(*by)?.role, worker));
            let leads = model.map_or("the rules of the team lead".into(), |model| format!("{} leads", model.id));
            let takes_over = format!("{why}; from here on {leads}");
            about(*by, "relieved", takes_over).into_iter().collect()
        }
        Event::ToolsCalled { by, calls, .. } => not_sent(calls)
            .and_then(|(refused, first)| {
                let calls = if refused == 1 { "a tool call".into() } else { count(refused, "tool call") };
                about(*by, "not sent", format!("{calls}: it would have passed {first}"))
            })
            .into_iter()
            .collect(),
        Event::Reported { by, outcome, handoff } if *by != AssignmentId::ROOT => {
            of(*by).map(|a| reported(a, outcome, handoff, envelope, run)).into_iter().collect()
        }
        Event::Reported { outcome, handoff, .. } => {
            std::iter::once(run_ended(outcome, handoff, run)).chain(issues_left(outcome, handoff, run)).collect()
        }
        Event::Attached { .. } => {
            run.in_doubt.iter().map(|(call, reserved)| in_doubt(*call, reserved.amounts, run)).collect()
        }
        Event::AttemptFailed { call, attempt, fault, .. } => attempt_failed(*call, *attempt, fault, run),
        Event::ModelFailed { call, error } => {
            vec![line(caller(*call, run), Failed, "given up", format!("{}: {error}", nth(*call)))]
        }
        Event::DoubtAnswered { call, answer } => vec![doubt_answered(*call, *answer, run)],
        Event::BreakpointSet { breakpoint, on } => {
            vec![line("you", Done, "breakpoint", format!("{breakpoint}. {on}"))]
        }
        Event::BreakpointCleared { breakpoint } => {
            vec![line("you", Done, "cleared", format!("breakpoint {breakpoint}"))]
        }
        Event::CapRaised { to } => vec![line("you", Done, "raised", to.in_words())],
        Event::Steered { assignment, act } => {
            let Some(assignment) = of(*assignment) else { return Vec::new() };
            vec![line("you", Done, "steered", format!("{}: {}", run.called(assignment), act.in_words()))]
        }
        Event::NoLongerNeeded { assignment } => {
            let Some(assignment) = of(*assignment) else { return Vec::new() };
            let by = assignment.parent().and_then(of).map_or("run", |parent| parent.role.as_str());
            vec![line(by, Cancelled, "ended", format!("{}: not waited for: enough is in", run.called(assignment)))]
        }
        Event::Paused => vec![line("you", Paused, "paused", "")],
        Event::Continued => vec![line("you", Running, "continued", "")],
        Event::Cancelled => vec![line("you", Cancelled, "cancelled", "")],
        Event::SourcesChanged { documents } => {
            vec![line("sources", Warning, "changed", changed_in_words(documents))]
        }
        Event::StoodStill { worked_until } => vec![stood_still(envelope.at.since(*worked_until))],
        // A failed tool of ours is for its specialist to handle; a failed tool of an imported run is for a person to see.
        Event::ToolFailed { call, error, .. } if run.is_imported() => {
            vec![tool_failed(*call, error, run)]
        }
        Event::Noted { by, note } if matches!(note.kind, NoteKind::Vetoed | NoteKind::Failed) => {
            about(*by, note.kind.word(), Clean::line(&note.text).to_string()).into_iter().collect()
        }
        Event::HandedOff { by: None, .. }
        | Event::Allotted { .. }
        | Event::RanShort { .. }
        | Event::CallAdmitted { .. }
        | Event::ToolStarted { .. }
        | Event::ToolReturned { .. }
        | Event::ToolFailed { .. }
        | Event::ModelCalled { .. }
        | Event::AttemptSent { .. }
        | Event::AttemptDue { .. }
        | Event::ModelReplied { .. }
        | Event::Noted { .. }
        | Event::CheckpointEdited { .. } => Vec::new(),
    }
}

fn plan_adopted(plan: &Plan, run: &Run) -> Vec<Line> {
    let titles: Vec<&str> = plan.tasks.iter().map(|task| task.title.as_str()).collect();
    let plans = line("supervisor", Running, "plans", format!("{} ({})", titles.join(" · "), plan.why));
    let short = forecast::reach(run, plan).map(|reach| line("budget", Warning, "short", reach.to_string()));
    std::iter::once(plans).chain(short).collect()
}

/// The parts that a refused handoff carried.
fn carried(unsent: &Unsent) -> String {
    let names: Vec<String> = unsent.payload.parts().map(|part| part.name().to_string()).collect();
    format!(" (it carried {})", names.join(", "))
}

fn doubt_answered(call: CallId, answer: DoubtAnswer, run: &Run) -> Line {
    let answer = match answer {
        DoubtAnswer::Retry => "it is made again",
        DoubtAnswer::Skip => "it counts as failed",
    };
    line("you", Done, "answered", format!("{}, {}: {answer}", caller(call, run), nth(call)))
}

fn tool_failed(call: CallId, error: &Clean, run: &Run) -> Line {
    let caller_of = run.assignment(call.assignment);
    let made = caller_of.and_then(|caller| caller.transcript.calls().find(|made| made.id == call));
    let tool = made.map_or_else(|| nth(call), |made| made.request.name.to_string());
    // The specialist goes on: it has not failed.
    line(caller(call, run), Warning, "tool failed", format!("{tool}: {}", Clean::line(error)))
}

fn opened(opening: &Opening) -> Vec<Line> {
    let opened = line("run", Waiting, "opened", format!("{} · {}", opening.run, Clean::line(&opening.question)));
    let ready = line("team", Waiting, "ready", format!("{}: {}", opening.team.name, team(opening)));
    let short = opening.without_room().map(|short| line("plan", Warning, "short", short));
    [opened, ready].into_iter().chain(short).collect()
}

fn forked(fork: &Fork, run: &Run) -> Line {
    let changed: Vec<&str> = fork.changed.iter().map(text::Clean::as_str).collect();
    let changed =
        if changed.is_empty() { "nothing is changed".into() } else { format!("changed: {}", changed.join("; ")) };
    let from = format!("{} from {} at #{}; {changed}", run_id(run), fork.parent, fork.named().0);
    line("run", Done, "forked", from)
}

fn sources_read(corpus: &Corpus) -> Vec<Line> {
    let skipped = match corpus.skipped_count {
        0 => String::new(),
        n => format!(", {n} skipped"),
    };
    let [documents, passages] =
        [(corpus.documents, "document"), (corpus.blocks, "passage")].map(|(n, noun)| count(n, noun));
    let of_files = format!("{documents}, {passages}{skipped}");
    let read = if corpus.web.is_empty() { of_files } else { format!("{}{skipped}", corpus.searched()) };
    let named = corpus.skipped.iter().take(MOST_SKIPPED);
    let unnamed = (corpus.skipped_count as usize).saturating_sub(named.len());
    let named = named.map(|s| format!("{}: {}", s.path, s.why));
    let more = (unnamed > 0).then(|| format!("{unnamed} more"));
    let data =
        (corpus.data > 0).then(|| format!("{}: data or source code, not read", count(corpus.data as usize, "file")));
    let archives = corpus.left_out.archives as usize;
    let archives =
        (archives > 0).then(|| format!("{}, not read: unpack what is to be read", count(archives, "archive")));
    let skipped = named.chain(more).chain(data).chain(archives).map(|what| line("sources", Cancelled, "skipped", what));
    std::iter::once(line("sources", Done, "read", read)).chain(skipped).collect()
}

fn checkpoint_opened(subject: &Subject, run: &Run) -> Vec<Line> {
    let tasks = if let Subject::Plan(plan) = subject { &plan.tasks[..] } else { &[] };
    let tasks = tasks.iter().map(|task| line("plan", Waiting, "task", format!("{} ({})", task.in_words(), task.role)));
    let options = subject.options().into_iter().filter_map(|option| subject.said(&option)).zip(1..);
    let options = options.map(|(option, n)| line("you", Waiting, "choice", format!("{n}. {option}")));
    let details = subject.details(run).into_iter().map(|detail| line("you", Waiting, "note", detail));
    let asked = std::iter::once(line("you", NeedsYou, "needs you", subject.asked()));
    asked.chain(details).chain(tasks).chain(options).collect()
}

/// The end of the run: its result, and its use.
fn run_ended(outcome: &Outcome, handoff: &Handoff, run: &Run) -> Line {
    let Account { limits, spent, overrun, in_doubt, .. } = run.ledger.run();
    let (calls, tokens, money) = (spent.get(Cap::ToolCalls), spent.tokens(), spent.money());
    let calls = count(calls, "tool call");
    let money = if run.is_imported() { run.pricing.to_string() } else { money.to_string() };
    let mut sum = format!("{calls} · {tokens} tok · {money}");
    sum = after(came_to(outcome, &handoff.title), sum);
    if let Some(forked) = run.forked.as_ref().filter(|forked| forked.spent.money() > Money::default()) {
        sum = format!("{sum} ({} of it paid by {})", forked.spent.money(), forked.fork.parent);
    }
    if *overrun != Amounts::default() {
        sum = format!("{sum} · overrun {}", overrun.in_words());
    }
    let doubts = [
        (in_doubt.tokens() > 0, format!("{} tok", in_doubt.tokens())),
        (in_doubt.money() > Money::default(), in_doubt.money().to_string()),
    ];
    let doubts: Vec<String> = doubts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, told)| told).collect();
    if !doubts.is_empty() {
        sum = format!("{sum} · {} in doubt", doubts.join(" and "));
    }
    for (kind, cap) in limits.caps().filter(|(kind, cap)| spent.get(*kind) > *cap) {
        sum = format!("{sum} · the {kind} of {} was passed, and nothing more was called", kind.written(cap));
    }
    for takeover in run.takeovers() {
        sum = format!("{sum} · {takeover}");
    }
    for estimated in run.estimated() {
        sum = format!("{sum} · {estimated}");
    }
    ended("run", outcome, sum)
}

/// The issues of the last checks that go out with a brief, each with the specialist that found it.
fn issues_left(outcome: &Outcome, handoff: &Handoff, run: &Run) -> Vec<Line> {
    let (Outcome::Partial(_), Some(draft)) = (outcome, &handoff.payload.draft) else { return Vec::new() };
    let is_in = |sentence: &Clean| draft.sentences().any(|in_draft| in_draft.text == *sentence);
    let gave = |one: &&Assignment, verdict: &Verdict| {
        let ended = one.ended.as_ref().filter(|_| one.parent().is_some());
        ended.is_some_and(|(_, report)| report.payload.verdicts().contains(verdict))
    };
    let by = |verdict: &Verdict| run.assignments().rfind(|one| gave(one, verdict)).map(name);
    let issues = handoff.payload.verdicts().iter().flat_map(|verdict| {
        let blocking = verdict.issues.iter().filter(|issue| issue.blocking);
        blocking.map(move |issue| (verdict, issue))
    });
    let left: Vec<_> = issues.filter(|(_, issue)| issue.sentence.as_ref().is_none_or(is_in)).collect();
    let told = left.iter().take(MOST_ISSUES).map(|(verdict, issue)| {
        line(by(verdict).unwrap_or_else(|| "check".into()), Warning, "not mended", issue.what.to_string())
    });
    let more = left.len().saturating_sub(MOST_ISSUES);
    let more = (more > 0).then(|| line("run", Warning, "not mended", format!("{} more", count(more, "issue"))));
    told.chain(more).collect()
}

fn in_doubt(call: CallId, reserved: Amounts, run: &Run) -> Line {
    let nth = nth(call);
    let unknown = match run.intent(call) {
        Some(Intent::Tool(request)) => {
            let shown = run.shown(request);
            format!("{nth} was started, and its outcome is unknown: `{shown}` may have taken effect")
        }
        _ => format!(
            "{nth} was sent, and its outcome is unknown; it may have cost up to {} ({} tok)",
            reserved.money(),
            reserved.tokens()
        ),
    };
    line(caller(call, run), NeedsYou, "in doubt", unknown)
}

fn attempt_failed(call: CallId, attempt: u32, fault: &Fault, run: &Run) -> Vec<Line> {
    let failed = line(caller(call, run), Warning, "failed", format!("{}, attempt {attempt}: {fault}", nth(call)));
    // The newest is the last.
    let latch = run.latches.last().filter(|_| fault.class.latches() && fault.class != Class::Differs);
    let latch = latch.map(|latch| match stand_in(call, run) {
        Some(other) => {
            line(caller(call, run), Running, "goes on", format!("with {other}: {latch} is not called again"))
        }
        None => line("you", NeedsYou, "needs you", format!("{latch} is not called until that is mended")),
    });
    std::iter::once(failed).chain(latch).collect()
}

/// The run goes on after this many milliseconds in which nothing could happen.
fn stood_still(stood: u64) -> Line {
    let unit = if stood < 120_000 { 1_000 } else { 60_000 };
    let stood = in_words(stood / unit * unit);
    line("run", Running, "goes on", format!("after {stood} in which the program stood still; they do not count"))
}

fn run_id(run: &Run) -> &str {
    run.opening.as_ref().map_or("the run", |opening| opening.run.as_str())
}

/// The line of an event that is a step within a stage.
fn step(event: &Event, run: &Run) -> Line {
    let of = |id: AssignmentId| run.assignment(id).map(name).unwrap_or_default();
    match event {
        Event::ToolsCalled { by, calls, stage, .. } => {
            let asks = if *stage == Conversation::Verify.into() { "checks its quotes by" } else { "asks" };
            let first = calls.iter().take(MOST_ISSUES).map(|called| run.shown(&called.request));
            let more = calls.len().saturating_sub(MOST_ISSUES);
            let more = (more > 0).then(|| format!("{more} more"));
            let what = first.chain(more).collect::<Vec<_>>().join(", ");
            line(of(*by), Running, asks, format!("{}: {what}", count(calls.len(), "tool call")))
        }
        Event::CallAdmitted { call, .. } => line(caller(*call, run), Running, "admitted", call.to_string()),
        Event::Allotted { parts } => match parts[..] {
            [Allotment { to, part }] => line(of(to), Running, "allotted", part.in_words()),
            _ => line("supervisor", Running, "allots", format!("{} of the caps", count(parts.len(), "part"))),
        },
        Event::RanShort { assignment } => {
            line(of(*assignment), Waiting, "waits", "for a larger part of the caps: other work may leave some")
        }
        Event::ToolStarted { call } => line(caller(*call, run), Running, "started", call.to_string()),
        Event::ToolReturned { call, .. } => line(caller(*call, run), Done, "returned", call.to_string()),
        Event::ToolFailed { call, error, .. } => line(caller(*call, run), Failed, "failed", format!("{call}: {error}")),
        Event::ModelCalled { by, call, request, .. } => {
            line(of(*by), Running, "asks", format!("{call}: {}", request.model))
        }
        Event::AttemptSent { call, attempt } => {
            line(caller(*call, run), Running, "sent", format!("{call}, attempt {attempt}"))
        }
        Event::AttemptDue { call, attempt, .. } => {
            line(caller(*call, run), Waiting, "tries again", format!("{call}, attempt {attempt}"))
        }
        Event::ModelReplied { call, .. } => line(caller(*call, run), Done, "answered", call.to_string()),
        Event::CheckpointEdited { checkpoint, .. } => {
            let title = run.checkpoint(*checkpoint).map(|checkpoint| checkpoint.subject.title());
            line("you", Done, "changed", format!("the {}", title.unwrap_or_default()))
        }
        Event::Noted { by, note } => line(of(*by), Done, note.kind.word(), note.text.to_string()),
        Event::Attached { version, .. } => line("run", Running, "taken up", format!("by version {version}")),
        Event::HandedOff { .. } => line("run", Running, "started", ""),
        // A stage event of an unknown assignment: it does not fit the run.
        other => line("run", Warning, "does not fit", other.name()),
    }
}

/// The number of refused tool calls, and the cap that the first would have passed.
fn not_sent(calls: &[Called]) -> Option<(usize, Refusal)> {
    let refusal = |called: &Called| match called.admission {
        Admission::Refused(refusal) => Some(refusal),
        _ => None,
    };
    let refused: Vec<Refusal> = calls.iter().filter_map(refusal).collect();
    Some((refused.len(), *refused.first()?))
}

/// The means of a team: models, rules, or a script.
fn team(opening: &Opening) -> String {
    if let Some(origin) = &opening.origin {
        let gaps: Vec<String> = origin.gaps().iter().map(ToString::to_string).collect();
        let of = format!("{} · read only", origin.id);
        return if gaps.is_empty() { of } else { format!("{of} · {}", gaps.join(" · ")) };
    }
    if opening.drill.is_some() {
        return "scripted specialists, real guards".into();
    }
    let models = opening.team.models();
    if models.is_empty() && opening.team.order == Order::Inspect {
        return "by rule, no model; every statement is counted over a whole file, and rests on a line of it".into();
    }
    if models.is_empty() {
        return "extractive, no model; every sentence is the sources' own".into();
    }
    let names: Vec<String> = models.iter().map(|(model, members)| format!("{model} for {members}")).collect();
    let names = names.join(", ");
    match &opening.answers_from {
        Some(from) => format!("{names}, as they answered in {from}; no model is called; the rest by rule"),
        None => format!("{names}; the rest by rule"),
    }
}

/// The name of an assignment: "researcher · pgvector".
pub fn name(assignment: &Assignment) -> String {
    match assignment.subject() {
        Some(subject) => format!("{} · {subject}", assignment.role),
        None => assignment.role.to_string(),
    }
}

/// A call, numbered within its assignment: "call 3".
pub fn nth(call: CallId) -> String {
    format!("call {}", call.n)
}

/// The specialist that handed out the work, and the number of the attempt.
fn handed_by(assignment: &Assignment) -> String {
    let from = &assignment.transcript.handoff.names.0;
    match assignment.id.attempt() {
        0 | 1 => format!("from {from}"),
        n => format!("from {from}, try {n}"),
    }
}

/// The name of the assignment that makes a call.
pub fn caller(call: CallId, run: &Run) -> String {
    run.assignment(call.assignment).map(name).unwrap_or_default()
}

/// The model that has the work of a call whose own model refuses all calls.
fn stand_in(call: CallId, run: &Run) -> Option<&ModelId> {
    let assignment = run.assignment(call.assignment)?;
    let worker = run.stand_in(&assignment.role, assignment.worker)?;
    Some(&run.opening.as_ref()?.team.model_of(&assignment.role, worker)?.id)
}
