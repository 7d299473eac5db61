//! What is in front: which pane, which finding, which citation. Pure answers from the screen's state and the run.

use super::link::Mode;
use super::live::Progress;
use super::mark::{Mark, State};
use super::screens::Page;
use super::ui::{Desk, Moment, Ui};
use run::brief::{Draft, Numbering};
use run::transcript::{Did, Exchange, ExchangeEnd};
use run::{Assignment, AssignmentId, CallId, Checkpoint, Finding, FindingId, HandoffNo, Phase, Plan, Run, Subject};

/// Where the run is, as the screen says it: work that nobody does any more is not called running.
pub fn state(ui: &Ui, run: &Run) -> State {
    let mut state = State::from(&run.phase());
    // Others may be at work meanwhile: that a person is waited for is worth more.
    if run.ended().is_none() && !run.held && run.asks().is_some() {
        state = State::from(&Phase::NeedsYou);
    }
    if state.mark == Mark::Running && run.is_all_held() {
        state = State { mark: Mark::Paused, word: "all paused".into() };
    }
    match &ui.desk {
        Desk::Stopped(_) if state.mark == Mark::Running && ui.moment == Moment::Latest => {
            State { mark: Mark::Paused, word: "stopped".into() }
        }
        _ => state,
    }
}

/// The assignment whose pane is in front: the one chosen, else whoever did something last.
pub fn front<'a>(ui: &Ui, run: &'a Run) -> Option<&'a Assignment> {
    if let Some(chosen) = ui.team.pane.and_then(|id| run.assignment(id)) {
        return Some(chosen);
    }
    let busy = |a: &&Assignment| a.id != AssignmentId::ROOT;
    let latest = |a: &&Assignment| (a.ended.is_none(), a.touched_at, std::cmp::Reverse(a.id));
    run.assignments.iter().filter(busy).max_by_key(latest).or(run.root())
}

/// A model call and what became of it.
pub fn exchange(run: &Run, call: CallId) -> Option<&Exchange> {
    run.assignment(call.assignment)?.transcript.exchanges().find(|exchange| exchange.call == call)
}

/// The last model call of the assignment whose pane is in front.
pub fn last_exchange<'a>(ui: &Ui, run: &'a Run) -> Option<&'a Exchange> {
    front(ui, run)?.transcript.exchanges().next_back()
}

/// How far the model call is that an assignment waits for, where that is known and of the moment shown.
pub fn live<'a>(ui: &'a Ui, assignment: &'a Assignment) -> Option<(&'a Exchange, &'a Progress)> {
    let Did::Asked(exchange) = &assignment.transcript.turns.last()?.did else { return None };
    let goes_on = matches!(exchange.end, ExchangeEnd::Queued | ExchangeEnd::Pending);
    let shown = goes_on && assignment.ended.is_none() && ui.moment == Moment::Latest && ui.mode != Mode::Replay;
    ui.live.of(exchange.call).filter(|_| shown).map(|progress| (exchange, progress))
}

/// The selected handoff: the one chosen, else the latest.
pub fn handoff(ui: &Ui, run: &Run) -> Option<HandoffNo> {
    let latest = u32::try_from(run.handoffs.len()).ok().filter(|count| *count > 0).map(HandoffNo);
    ui.team.handoff.filter(|no| run.handoff(*no).is_some()).or(latest)
}

/// The page on which a checkpoint is answered; None where that is done in a box over any page.
pub fn page_of(checkpoint: &Checkpoint) -> Option<Page> {
    match &*checkpoint.subject {
        Subject::Findings(_) => Some(Page::Findings),
        Subject::Plan(_) => Some(Page::Plan),
        _ => None,
    }
}

/// The page on which the person is to answer at a checkpoint now.
pub fn waiting_page(run: &Run) -> Option<Page> {
    run.open_checkpoint().and_then(page_of)
}

/// The first checkpoint that waits to be answered in a box.
pub fn boxed(run: &Run) -> Option<&Checkpoint> {
    run.waiting().find(|checkpoint| page_of(checkpoint).is_none())
}

/// What the findings page shows: the last findings checkpoint, open or not, and the findings as they stand.
pub fn findings_page(run: &Run) -> Option<(&Checkpoint, &[Finding])> {
    run.findings_checkpoints().next_back()
}

/// What the plan page shows: the last plan checkpoint, open or not, and the plan as it stands.
pub fn plan_page(run: &Run) -> Option<(&Checkpoint, &Plan)> {
    run.plan_checkpoints().next_back()
}

/// The findings that pass the filter, in order.
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
    all.iter().filter(holds).collect()
}

/// The selected one of these findings, by its place among them.
pub fn finding(ui: &Ui, shown: &[&Finding]) -> usize {
    ui.findings.selected.and_then(|id| shown.iter().position(|finding| finding.id == id)).unwrap_or(0)
}

/// The selected task of a plan before the person, by its place; None if it has none.
pub fn task(ui: &Ui, plan: &Plan) -> Option<usize> {
    let tasks = &plan.tasks;
    let chosen = ui.plan.selected.and_then(|id| tasks.iter().position(|task| task.id == id));
    (!tasks.is_empty()).then_some(chosen.unwrap_or(0))
}

/// The citations of a draft in reading order: one for each source a sentence names, with the findings behind it.
pub fn citations(draft: &Draft, findings: &[Finding]) -> Vec<Vec<FindingId>> {
    let numbering = Numbering::new(draft, findings);
    draft.sentences().flat_map(|sentence| by_number(&numbering, &sentence.cites)).map(|(_, ids)| ids).collect()
}

/// The findings of one sentence, gathered under the numbers of their sources.
pub fn by_number(numbering: &Numbering<'_>, cites: &[FindingId]) -> Vec<(usize, Vec<FindingId>)> {
    let mut marks: Vec<(usize, Vec<FindingId>)> = Vec::new();
    for id in cites {
        let Some(number) = numbering.of(*id) else { continue };
        match marks.iter_mut().find(|(known, _)| *known == number) {
            Some((_, ids)) => ids.push(*id),
            None => marks.push((number, vec![*id])),
        }
    }
    marks
}

/// A finding wherever the run has it: as the brief rests on it, else as the person left it.
pub fn find(run: &Run, id: FindingId) -> Option<&Finding> {
    let briefed = run.brief().and_then(|(_, findings)| findings.iter().find(|finding| finding.id == id));
    let left = || run.findings_checkpoints().rev().flat_map(|(_, findings)| findings);
    briefed.or_else(|| left().find(|finding| finding.id == id))
}
