//! Selections: which pane, checkpoint, finding, task or citation the screen's state and the run put in front.

use std::borrow::Cow;

use text::listed::listed;

use super::live::Progress;
use super::mark::{self, State};
use super::screens::Page;
use super::screens::findings::Order;
use crate::prelude::*;
use run::brief::{Draft, Numbering};
use run::checkpoint::draft::Review;
use run::checkpoint::stop::Stop;
use run::checkpoint::{Answer, draft, findings, plan};
use run::transcript::{Did, Exchange, ExchangeEnd};
use run::{Assignment, AssignmentId, CallId, Checkpoint, Finding, FindingId, HandoffNo, Phase, Plan, Subject};

/// The state of the run in words: a run without a working desk is not called running.
pub fn state(ui: &Ui, run: &Run) -> State {
    let mut state = State::from(&run.phase());
    // Others may be at work meanwhile: that a person is waited for is worth more.
    if run.ended().is_none() && !run.paused && run.asks().is_some() {
        state = State::from(&Phase::NeedsYou);
    }
    if state.mark == Mark::Running && run.is_all_paused() {
        state = State { mark: Mark::Paused, word: "all paused".into() };
    }
    if state.mark != Mark::Running {
        return state;
    }
    if let Some(stalls) = stall::all(ui, run).filter(|stalls| stalls.is_all) {
        return State { mark: Mark::Limited, word: Clean::line(&stalls.in_words(ui.now)) };
    }
    match (&ui.desk, ui.moment, &ui.mode) {
        // A run shown from its past does not run any more.
        (Desk::Stopped(_), Moment::Latest, _) | (_, Moment::Latest, Mode::Replay) => {
            State { mark: Mark::Paused, word: mark::stopped(run).into() }
        }
        (_, Moment::Earlier { .. }, _) => State { mark: Mark::Paused, ..state },
        _ => state,
    }
}

/// The assignment whose pane is in front: the chosen one, else the one that worked last.
pub fn front<'a>(ui: &Ui, run: &'a Run) -> Option<&'a Assignment> {
    if let Some(chosen) = ui.team.pane.and_then(|id| run.assignment(id)) {
        return Some(chosen);
    }
    let busy = |a: &&Assignment| a.id != AssignmentId::ROOT;
    let latest = |a: &&Assignment| (a.ended.is_none(), a.touched_at, std::cmp::Reverse(a.id));
    run.assignments().filter(busy).max_by_key(latest).or(run.root())
}

pub fn exchange(run: &Run, call: CallId) -> Option<&Exchange> {
    run.assignment(call.assignment)?.transcript.exchanges().find(|exchange| exchange.call == call)
}

pub fn last_exchange<'a>(ui: &Ui, run: &'a Run) -> Option<&'a Exchange> {
    front(ui, run)?.transcript.exchanges().next_back()
}

/// The open model call of an assignment with its progress, if that belongs to the moment shown.
pub fn live<'a>(ui: &'a Ui, assignment: &'a Assignment) -> Option<(&'a Exchange, &'a Progress)> {
    let Did::Asked(exchange) = &assignment.transcript.turns.last()?.did else { return None };
    let goes_on = matches!(exchange.end, ExchangeEnd::Queued | ExchangeEnd::Pending);
    let shown = goes_on && assignment.ended.is_none() && ui.moment == Moment::Latest && ui.mode != Mode::Replay;
    ui.live.of(exchange.call).filter(|_| shown).map(|progress| (exchange, progress))
}

pub fn handoff(ui: &Ui, run: &Run) -> Option<HandoffNo> {
    let latest = u32::try_from(run.handoffs.len()).ok().filter(|count| *count > 0).map(HandoffNo);
    ui.team.handoff.filter(|no| run.handoff(*no).is_some()).or(latest)
}

/// The page on which a checkpoint is answered; None if that is done in a box over any page.
pub fn page_of(checkpoint: &Checkpoint) -> Option<Page> {
    match &*checkpoint.subject {
        Subject::Findings(_) => Some(Page::Findings),
        Subject::Plan(_) => Some(Page::Plan),
        Subject::Stop(_) => Some(Page::Stop),
        Subject::Draft(_) => Some(Page::Draft),
        _ => None,
    }
}

/// The state of a checkpoint with a page of its own, and how it was answered; None while it is open.
pub fn answered(checkpoint: &Checkpoint) -> (Mark, Option<&'static str>) {
    match checkpoint.answer.as_ref().map(|answered| &answered.answer) {
        None => (Mark::NeedsYou, None),
        Some(Answer::Findings(findings::Answer::More { .. })) => (Mark::Waiting, Some("more was asked for")),
        Some(Answer::Plan(plan::Answer::Another { .. })) => (Mark::Waiting, Some("another was asked for")),
        Some(Answer::Draft(draft::Answer::Revise)) => (Mark::Waiting, Some("sent back to the writer")),
        Some(_) => (Mark::Done, Some("approved")),
    }
}

/// The page on which the person is to answer now.
pub fn waiting_page(run: &Run) -> Option<Page> {
    run.open_checkpoint().and_then(page_of)
}

/// The first checkpoint that is answered in a box.
pub fn boxed(run: &Run) -> Option<&Checkpoint> {
    run.waiting().find(|checkpoint| page_of(checkpoint).is_none())
}

/// The last findings checkpoint, open or not, with the findings as they are now.
pub fn findings_page(run: &Run) -> Option<(&Checkpoint, &[Finding])> {
    run.findings_checkpoints().next_back()
}

/// The stop at a breakpoint that waits for the person, or else the last one.
pub fn stop_page(run: &Run) -> Option<(&Checkpoint, &Stop)> {
    let of = |checkpoint| Checkpoint::stop(checkpoint).map(|stop| (checkpoint, stop));
    run.waiting().find_map(of).or_else(|| run.checkpoints.iter().rev().find_map(of))
}

/// The last draft checkpoint, open or not, with the draft as it is now.
pub fn draft_page(run: &Run) -> Option<(&Checkpoint, &Review)> {
    run.checkpoints.iter().rev().find_map(|checkpoint| Some((checkpoint, checkpoint.review()?)))
}

/// The last plan checkpoint, open or not, with the plan as it is now.
pub fn plan_page(run: &Run) -> Option<(&Checkpoint, &Plan)> {
    run.plan_checkpoints().next_back()
}

pub fn findings<'a>(ui: &Ui, all: &'a [Finding]) -> Vec<&'a Finding> {
    let filter = ui.findings.filter.to_lowercase();
    let words: Vec<&str> = filter.split_whitespace().collect();
    let holds = |finding: &&Finding| {
        words.iter().all(|word| {
            let within = |text: &str| text.to_lowercase().contains(word);
            within(&finding.claim)
                || within(&finding.subtopic)
                || finding.place.as_ref().is_some_and(|place| within(&place.source.path))
        })
    };
    let mut shown: Vec<&Finding> = all.iter().filter(holds).collect();
    match ui.findings.order {
        Order::Topic => {}
        Order::Source => shown.sort_by_key(|finding| {
            finding.place.as_ref().map(|place| (place.source.path.clone(), place.block, place.start))
        }),
        Order::Best => shown.sort_by_key(|finding| std::cmp::Reverse(finding.score)),
    }
    shown
}

/// The findings at which a selection may stand: all but those below the first of a folded section.
pub fn stops(ui: &Ui, shown: &[&Finding]) -> Vec<usize> {
    let section = |n: usize| ui.findings.order.section(shown[n]);
    let folded = |n: usize| section(n).is_some_and(|name| ui.findings.folded.contains(&name));
    (0..shown.len()).filter(|n| *n == 0 || !folded(*n) || section(*n) != section(*n - 1)).collect()
}

pub fn finding(ui: &Ui, shown: &[&Finding]) -> usize {
    ui.findings.selected.and_then(|id| shown.iter().position(|finding| finding.id == id)).unwrap_or(0)
}

/// The index of the selected task; None if the plan has none.
pub fn task(ui: &Ui, plan: &Plan) -> Option<usize> {
    let tasks = &plan.tasks;
    let chosen = ui.plan.selected.and_then(|id| tasks.iter().position(|task| task.id == id));
    (!tasks.is_empty()).then_some(chosen.unwrap_or(0))
}

/// The citations of a draft in reading order: one per source that a sentence cites, with the findings behind it.
pub fn citations(draft: &Draft, findings: &[Finding]) -> Vec<Vec<FindingId>> {
    let numbering = Numbering::new(draft, findings);
    draft.sentences().flat_map(|sentence| numbering.shown(sentence)).map(|(_, ids)| ids).collect()
}

/// A finding as the brief uses it, else as the person left it.
pub fn find(run: &Run, id: FindingId) -> Option<&Finding> {
    let briefed = run.brief().and_then(|(_, findings)| findings.iter().find(|finding| finding.id == id));
    let left = || run.findings_checkpoints().rev().flat_map(|(_, findings)| findings);
    briefed.or_else(|| left().find(|finding| finding.id == id))
}

/// A question in one line; of a list of them how many there are, for how many of them the plan has `room`, and the first of them.
pub fn question(asked: &str, room: Option<u32>) -> Cow<'_, str> {
    // More than a line shows is not looked at.
    const ENOUGH: usize = 4;
    let listed = listed(asked).questions;
    let is_one_line = !asked.trim().contains('\n');
    // A list may have been put on one line: of a few questions that is read as it stands.
    if listed.is_empty() || is_one_line && listed.len() <= ENOUGH {
        return flat(asked);
    }
    let first: Vec<String> = listed.iter().take(ENOUGH).map(|one| flat(one).into_owned()).collect();
    let more = if listed.len() > ENOUGH { " …" } else { "" };
    let fit = room.filter(|room| listed.len() > *room as usize);
    let fit = fit.map_or_else(String::new, |room| format!(" (the plan has room for {room})"));
    Cow::Owned(format!("{}{fit}: {}{more}", count(listed.len(), "question"), first.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_questions_is_shown_as_so_many_and_not_with_its_bullets() {
        assert_eq!(
            question("* What is pgvector?\n* What is Qdrant?\n", Some(2)),
            "2 questions: What is pgvector? What is Qdrant?"
        );
        assert_eq!(question("Why\nso?", Some(1)), "Why so?");
        assert_eq!(question("What is pgvector? What is Qdrant?", Some(1)), "What is pgvector? What is Qdrant?");
    }

    #[test]
    fn a_long_list_on_one_line_is_counted_too() {
        let asked: Vec<String> = (1..=60).map(|n| format!("{n}. What does subject {n} cost?")).collect();
        let said = question(&asked.join(" "), Some(40)).into_owned();
        assert!(said.starts_with("60 questions (the plan has room for 40): "), "{said}");
    }

    #[test]
    fn of_a_list_that_is_longer_than_a_plan_it_is_said_from_the_beginning_how_many_have_room() {
        assert_eq!(
            question("* What is pgvector?\n* What is Qdrant?\n", Some(1)),
            "2 questions (the plan has room for 1): What is pgvector? What is Qdrant?"
        );
    }
}
