//! Why a key cannot be used now, in words for the person.

use super::{answering, asked, may_not_change, plan, raising, steering};
use crate::keymap::Action;
use crate::select;
use crate::stage::Mode;
use crate::ui::{Moment, Overlay, Page, Ui};
use run::{Act, Run};
use text::Clean;

/// Why an action is not to be had now; None if it is.
pub fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    match action {
        Action::PauseOrContinue | Action::Cancel => may_not_change(ui, run).or_else(|| {
            let waits = action == Action::PauseOrContinue && run.is_at_a_checkpoint();
            waits.then(|| "the run waits for you already: nothing is running that could be paused".into())
        }),
        Action::Drop
        | Action::Title
        | Action::Who
        | Action::After
        | Action::MoveDown
        | Action::MoveUp
        | Action::Another => may_not_change(ui, run).or_else(|| plan::why_not(run, action)),
        Action::Edit | Action::Add | Action::Approve | Action::Undo if ui.page == Page::Plan => {
            may_not_change(ui, run).or_else(|| plan::why_not(run, action))
        }
        Action::GoPlan if run.proposals.is_empty() => {
            Some("this run does not stop for its plan: --check-plan makes one that does".into())
        }
        Action::Toggle | Action::Edit | Action::Add | Action::More | Action::Approve | Action::Undo => {
            decision(ui, run, action)
        }
        Action::Retry | Action::Skip | Action::RetryAll | Action::SkipAll | Action::TryAgain => {
            asked::why_not(ui, run, action)
        }
        Action::Answer => answering::why_not(ui, run),
        Action::Raise => raising::why_not(ui, run),
        Action::Higher
        | Action::Lower
        | Action::HoldOne
        | Action::CancelOne
        | Action::RetryOne
        | Action::Reassign
        | Action::Tell => steering::why_not(ui, run, action),
        Action::Exchange if select::last_exchange(ui, run).is_none() => Some(match select::front(ui, run) {
            Some(front) => Clean::line(&format!("{} has asked no model", front.role)),
            None => "no model was asked yet".into(),
        }),
        Action::GoFindings if run.checkpoints.is_empty() => Some(match run.ended() {
            Some(_) => "this run never came to a findings checkpoint".into(),
            None => "there are no findings to go through yet".into(),
        }),
        Action::GoBrief if run.brief().is_none() => Some(match run.ended() {
            Some(outcome) => Clean::line(&format!("there is no brief: {outcome}")),
            None => "the brief is not written yet".into(),
        }),
        Action::Handoffs if run.handoffs.is_empty() => Some("nothing has been handed over yet".into()),
        Action::Earlier | Action::First if run.seq.0 <= 1 => Some("this is the first event".into()),
        Action::Later | Action::Latest if ui.moment == Moment::Latest => Some("this is the latest event".into()),
        Action::Play if ui.moment == Moment::Latest && ui.mode != Mode::Replay && run.ended().is_none() => {
            Some("this is happening now: nothing to play again yet".into())
        }
        Action::Open | Action::Next | Action::Previous
            if ui.page == Page::Brief && matches!(ui.overlay, Overlay::None) && no_citations(run) =>
        {
            Some("this brief cites nothing".into())
        }
        _ => None,
    }
}

fn no_citations(run: &Run) -> bool {
    run.brief().is_none_or(|(draft, findings)| select::citations(draft, findings).is_empty())
}

fn decision(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    if let Some(why) = may_not_change(ui, run) {
        return Some(why);
    }
    let Some(checkpoint) = run.open_checkpoint() else {
        return Some("this checkpoint is closed: what was approved has gone to the writer".into());
    };
    match action {
        Action::Toggle | Action::Edit if select::findings(ui, checkpoint).is_empty() => {
            Some("no finding is selected".into())
        }
        Action::Undo => checkpoint.accepts(&Act::Undo).err().map(Clean::from),
        Action::More => {
            let most = run.opening.as_ref().map_or(0, |opening| opening.team.more_rounds);
            let asked = run.checkpoints.len() - 1;
            (asked >= most as usize).then(|| {
                Clean::line(&format!("more research was asked for {asked} times already, the most this team allows"))
            })
        }
        _ => None,
    }
}
