//! The checkpoint at a cap of the run: work waits for which a cap has no room, and the person raises it, or has the run finish with
//! its findings so far.
//!
//! It is opened once nothing else goes on. No cap is passed before the person has raised it, and none by any other answer.

use serde::{Deserialize, Serialize};

use super::{Checkpoint, NoEdit, Subject, Topic};
use crate::budget::{Cap, Limits};
use crate::stage::Leading;
use crate::{Run, forecast};
use text::{Clean, count};

/// Work that waits at a cap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The caps of the run that have no room for the next call, as they were.
    pub reached: Limits,
    /// The amounts of these caps that are left for work; empty in journals from before they were recorded.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left: Limits,
    /// The amounts of these caps that the waiting work needs to go on, as far as they are known.
    #[serde(default, skip_serializing_if = "is_none")]
    pub needs: Limits,
    /// The specialists that wait for room, in words: "researcher · Qdrant".
    pub waits: Vec<Clean>,
    /// Higher caps that are proposed, the lowest first.
    pub offers: Vec<Limits>,
}

/// The answer of a person at a cap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Caps are raised to these.
    Raise {
        /// The new caps, of those that are raised.
        to: Limits,
    },
    /// The run finishes with its findings so far.
    Finish,
}

impl Budget {
    /// Caps that were reached, with higher ones to propose: twice as high, or the expected cost at the end of the run if that is
    /// more, and twice that.
    pub fn at(run: &Run, reached: Limits, needs: Limits, waits: Vec<Clean>) -> Budget {
        let (for_work, taken) = (run.ledger.for_work(), run.ledger.run().committed());
        let left = reached.caps().filter(|(cap, _)| *cap != Cap::Time).fold(Limits::default(), |all, (cap, is)| {
            all.with(cap, Some(for_work.cap(cap).unwrap_or(is).min(is).saturating_sub(taken.get(cap))))
        });
        let likely = forecast::of(run).map_or(0, |forecast| forecast.likely.0);
        let higher = |times: u64| {
            reached.caps().fold(Limits::default(), |all, (cap, is)| {
                let least = if cap == Cap::Money { cents_above(likely) } else { 0 };
                all.with(cap, Some(is.saturating_mul(2).max(least).saturating_mul(times)))
            })
        };
        let offers = [higher(1), higher(2)].into_iter();
        let are_higher = |to: &Limits| to.caps().all(|(cap, n)| reached.cap(cap).is_some_and(|is| n > is));
        Budget { offers: offers.filter(are_higher).collect(), reached, left, needs, waits }
    }

    /// The amounts left and needed, in words: "9.6k are left for work, and 12k are needed".
    fn room(&self) -> String {
        let told: Vec<String> = self
            .left
            .caps()
            .map(|(cap, left)| {
                let needs = self.needs.cap(cap).filter(|needs| *needs > left);
                let needs = needs.map_or_else(String::new, |needs| {
                    let is = if cap == Cap::Money { "is" } else { "are" };
                    format!(", and {} {is} needed", cap.about(needs))
                });
                let of = if self.left.caps().count() == 1 { String::new() } else { format!(" of the {cap}") };
                let is = if cap == Cap::Money { "is" } else { "are" };
                format!("{}{of} {is} left for work{needs}", cap.about(left))
            })
            .collect();
        told.join("; ")
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.reached.caps().map(|(cap, n)| format!("{cap} of {}", cap.written(n))).collect();
        names.join(" and the ")
    }
}

fn is_none(limits: &Limits) -> bool {
    limits.caps().next().is_none()
}

/// Pico-dollars of a cent.
const CENT: u64 = 10_000_000_000;

fn cents_above(money: u64) -> u64 {
    money.div_ceil(CENT).saturating_mul(CENT)
}

impl Topic for Budget {
    type Edit = NoEdit;
    type Answer = Answer;

    fn stage(&self) -> Leading {
        Leading::Ask
    }

    fn why(&self) -> &'static str {
        "a cap of the run has no room for what comes next"
    }

    fn title(&self) -> Clean {
        let caps: Vec<String> = self.reached.caps().map(|(cap, _)| cap.to_string()).collect();
        Clean::line(&format!("work waits at the {}", caps.join(" and the ")))
    }

    fn asked(&self) -> String {
        let waits = match &self.waits[..] {
            [] => "there is more to do".to_string(),
            [one] => format!("{one} waits for room"),
            [one, rest @ ..] => format!("{one} and {} wait for room", count(rest.len(), "other")),
        };
        let have = if self.reached.caps().count() == 1 { "has" } else { "have" };
        let room = self.room();
        let room = if room.is_empty() { room } else { format!(": {room}") };
        format!("the {} {have} no room for what comes next{room}; {waits}", self.names())
    }

    fn said(&self, answer: &Answer) -> String {
        match answer {
            Answer::Raise { to } => format!("raise it: {}", to.in_words()),
            Answer::Finish => "finish with what there is".into(),
        }
    }

    fn approval(&self) -> Answer {
        Answer::Finish
    }

    fn by_policy(&self) -> String {
        let flags: Vec<&str> = self.reached.caps().filter_map(|(cap, _)| cap.flag()).collect();
        let raises = match &flags[..] {
            [] => String::new(),
            flags => format!(", `--headless {} ...` raises it and goes on", flags.join(" ... ")),
        };
        format!("finishes with what there is{raises}")
    }

    fn allows(&self, answer: &Answer, run: &Run) -> Result<(), String> {
        let Answer::Raise { to } = answer else { return Ok(()) };
        let higher = run.ledger.run().limits.raised(*to).map_err(|why| why.to_string())?;
        if !self.is_raised_by(higher) {
            return Err(format!("work waits at the {}: raise that", self.names()));
        }
        Ok(())
    }

    fn accepts(&self, edit: &NoEdit, _at: &Checkpoint, _run: &Run) -> Result<(), String> {
        match *edit {}
    }

    fn take(&mut self, edit: &NoEdit) -> Option<()> {
        match *edit {}
    }

    fn options(&self) -> Vec<Answer> {
        let raise = self.offers.iter().map(|to| Answer::Raise { to: *to });
        raise.chain([Answer::Finish]).collect()
    }

    fn others_go_on(&self) -> bool {
        true
    }

    fn details(&self, run: &Run) -> Vec<String> {
        let account = run.ledger.run();
        let taken = self.reached.caps().filter(|(cap, _)| *cap != Cap::Time).map(|(cap, is)| {
            let mut parts = vec![format!("{} spent", cap.about(account.spent.get(cap)))];
            for (amounts, word) in [(&account.overrun, "overrun"), (&account.in_doubt, "in doubt")] {
                if amounts.get(cap) > 0 {
                    parts.push(format!("{} {word}", cap.about(amounts.get(cap))));
                }
            }
            let for_work = run.ledger.for_work().cap(cap).unwrap_or(is);
            if for_work < is {
                parts.push(format!("{} kept back for landing", cap.about(is - for_work)));
            }
            format!("{cap} {}: {}", cap.written(is), parts.join(" · "))
        });
        let forecast = forecast::of(run).filter(|_| self.reached.cap(Cap::Money).is_some());
        let forecast = forecast.map(|forecast| format!("the run is thought to cost {} by its end", forecast.likely));
        // The question names the first that waits.
        let others: Vec<&str> = self.waits.iter().skip(1).map(Clean::as_str).collect();
        let others = (!others.is_empty()).then(|| format!("also waiting: {}", others.join(", ")));
        // Under a low cap a run may end here with an empty brief.
        let nothing = !run
            .assignments()
            .any(|one| one.ended.as_ref().is_some_and(|(_, report)| !report.payload.findings().is_empty()));
        let nothing =
            nothing.then(|| "nothing has been found yet: to finish now is to end without a finding".to_owned());
        let reach = run.plan.as_deref().and_then(|plan| forecast::reach(run, plan)).map(|reach| reach.to_string());
        taken.chain(forecast).chain(reach).chain(nothing).chain(others).collect()
    }
}

impl Budget {
    /// Whether these higher caps are of those at which work waits.
    pub(crate) fn is_raised_by(&self, to: Limits) -> bool {
        to.caps().any(|(cap, _)| self.reached.cap(cap).is_some())
    }
}

impl Checkpoint {
    /// The subject as a budget: work that waits at a cap of the run; None for other subjects.
    pub fn budget(&self) -> Option<&Budget> {
        if let Subject::Budget(budget) = &*self.subject { Some(budget) } else { None }
    }
}

impl Run {
    /// The checkpoint at a cap that waits for the person.
    pub fn waits_at_cap(&self) -> Option<(&Checkpoint, &Budget)> {
        self.waiting().find_map(|open| Some((open, open.budget()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> Budget {
        let (reached, needs) = (Limits::of(Cap::Tokens, 100), Limits::default());
        Budget::at(&Run::default(), reached, needs, vec!["researcher".into(), "writer".into()])
    }

    #[test]
    fn a_cap_that_was_reached_is_raised_or_the_run_finishes() {
        let it = budget();
        assert_eq!(it.offers, [Limits::of(Cap::Tokens, 200), Limits::of(Cap::Tokens, 400)]);
        assert_eq!(it.options().len(), 3);
        assert_eq!(it.approval(), Answer::Finish, "nothing but a person raises a cap");
        let mut run = Run::default();
        run.ledger = crate::Ledger::new(Limits::of(Cap::Tokens, 100).with(Cap::ToolCalls, Some(5)), 10);
        let raise = |cap, n| it.allows(&Answer::Raise { to: Limits::of(cap, n) }, &run);
        assert_eq!((raise(Cap::Tokens, 101), it.allows(&Answer::Finish, &run)), (Ok(()), Ok(())));
        assert!(raise(Cap::Tokens, 99).unwrap_err().contains("only ever raised"));
        assert!(raise(Cap::ToolCalls, 9).unwrap_err().contains("work waits at the token cap of 100"));
        assert!(it.asked().contains("researcher and 1 other wait for room"), "{}", it.asked());
        assert_eq!(it.details(&run).last().unwrap(), "also waiting: writer");
    }

    #[test]
    fn it_says_what_is_left_and_what_the_next_work_needs() {
        let mut run = Run::default();
        run.ledger = crate::Ledger::new(Limits::of(Cap::Tokens, 20_000), 10);
        let (reached, needs) = (Limits::of(Cap::Tokens, 20_000), Limits::of(Cap::Tokens, 25_432));
        let it = Budget::at(&run, reached, needs, vec!["researcher · Qdrant".into()]);
        let says = "the token cap of 20k has no room for what comes next: 18k are left for work, and 25k are \
                    needed; researcher · Qdrant waits for room";
        assert!(it.asked().starts_with(says), "{}", it.asked());
        // A journal from before this was recorded.
        let old: Budget = serde_json::from_str(&serde_json::to_string(&budget()).unwrap()).unwrap();
        assert_eq!(old.needs, Limits::default());
    }

    #[test]
    fn nothing_is_proposed_where_twice_the_cap_is_no_more() {
        assert_eq!(
            Budget::at(&Run::default(), Limits::of(Cap::Calls, 0), Limits::default(), vec![]).options(),
            [Answer::Finish]
        );
    }
}
