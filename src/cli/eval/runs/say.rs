//! Messages for the person before the runs of an evaluation begin: the questions to each side, and the reading of the judge.

use super::{Planned, Side};
use crate::eval::recorded::Recorded;
use crate::exit;
use ::eval::Judge;
use run::forecast;
use text::count;

/// Reports the questions to a side, and the risks; returns the number of its runs that have not ended.
pub(super) fn say_side(n: usize, side: &Side, plan: &[Planned]) -> usize {
    let recorded = |is: fn(&Recorded) -> bool| plan.iter().filter(|one| is(&one.answers[n].1)).count();
    let ended = recorded(|one| matches!(one, Recorded::Ended(_)));
    let open = recorded(|one| matches!(one, Recorded::Open(_)));
    let mut said = format!("{} ({}): {}", side.called, side.opening.team.name, count(plan.len(), "question"));
    if ended > 0 {
        said += &format!(", {ended} recorded and taken up (--fresh asks anew)");
    }
    if open > 0 {
        said += &format!(", {open} begun and resumed");
    }
    said += &format!("; {}", side.models.as_deref().unwrap_or("by rule"));
    exit::say(&said);
    side.warnings.iter().for_each(|warning| exit::say(&format!("{}: {warning}", side.called)));
    for one in plan {
        if let Recorded::Anew(why) = &one.answers[n].1 {
            exit::say(&format!("{}: {why}; it is asked anew, and paid again", one.answers[n].0.question));
        }
    }
    let reach = forecast::reach_before(&side.opening).filter(|reach| reach.fit == 0 && ended < plan.len());
    if let Some(reach) = reach {
        exit::say(&format!("{} may fall short: {reach}", side.called));
    }
    plan.len() - ended
}

/// Reports the reading of the judge: `pairs` pairs of briefs of `all`.
pub(super) fn say_judge(judge: &Judge, all: usize, pairs: usize) {
    let taken_up = match all - pairs {
        0 => String::new(),
        n => format!(", {n} recorded and taken up"),
    };
    exit::say(&format!(
        "the judge: {} by the rubric {}, {} against {}, each in both orders{taken_up}",
        judge.model,
        judge.rubric,
        count(all, "pair"),
        judge.opponent
    ));
    judge.notes.iter().for_each(|note| exit::say(note));
}
