//! A model call needs the person: one nobody saw the end of, or a provider that refuses every call.

use super::{Action, Effect, may_not_change};
use crate::stage::Command;
use crate::ui::Ui;
use run::Run;
use run::event::DoubtAnswer;
use text::Clean;

/// What the person says becomes of it.
pub(super) fn answer(run: &Run, action: Action) -> Vec<Effect> {
    let (answer, most) = match action {
        Action::Retry => (DoubtAnswer::Retry, 1),
        Action::Skip => (DoubtAnswer::Skip, 1),
        Action::RetryAll => (DoubtAnswer::Retry, usize::MAX),
        Action::SkipAll => (DoubtAnswer::Skip, usize::MAX),
        _ => return vec![Effect::Send(Command::Continue)],
    };
    run.in_doubt.keys().take(most).map(|call| Effect::Send(Command::Settle { call: *call, answer })).collect()
}

/// Why there is nothing to answer, for the person.
pub(super) fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    let said = match action {
        Action::TryAgain if run.latch.is_none() => "no provider refuses its calls: there is nothing to try again",
        Action::Retry | Action::Skip if run.in_doubt.is_empty() => "no model call is in doubt",
        Action::RetryAll | Action::SkipAll if run.in_doubt.len() < 2 => "there are not several model calls in doubt",
        _ => return may_not_change(ui, run),
    };
    Some(said.into())
}
