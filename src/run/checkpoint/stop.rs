//! The stop at a breakpoint. The person sees the message that is about to be delivered, and sends it with or without changes,
//! refuses it, or drops it.
//!
//! Only a person answers: no model, and not `--yes`. The original is kept; edits are stored next to it.

use serde::{Deserialize, Serialize};

use super::{Checkpoint, Subject, Topic, findings};
use crate::breakpoint::{self, Condition};
use crate::brief::Draft;
use crate::evidence::Place;
use crate::finding::{Finding, Standing, WordsOf};
use crate::handoff::{Contract, Outcome, Passage, Payload, Sending};
use crate::id::{AssignmentId, FindingId, Role, Seq};
use crate::stage::{Leading, Stage};
use crate::steer::Steer;
use crate::{Run, Team};
use text::{Clean, count};

/// A stop at a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// The conditions met.
    pub met: Vec<Condition>,
    /// The thing that is stopped.
    pub what: What,
    /// Whether other assignments continue meanwhile; else nothing new starts before the person answers.
    #[serde(default)]
    pub others_go_on: bool,
    /// The stored passages that its findings quote; a quote that the person changes is looked up in them. Empty in
    /// journals from before this was recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
}

/// The thing that is stopped at a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Handoffs that are about to be sent: all those of one step.
    Handoffs {
        /// The sending role.
        from: Role,
        /// The stage of the sender.
        stage: Stage,
        /// The sender's reason.
        why: Clean,
        /// The handoffs.
        handoffs: Vec<Waiting>,
    },
    /// A report that is about to be delivered.
    Report {
        /// The reporting assignment.
        by: AssignmentId,
        /// Its role.
        from: Role,
        /// The receiving role; None for the person.
        to: Option<Role>,
        /// The end of the work.
        outcome: Outcome,
        /// A short title.
        title: Clean,
        /// The payload of the report.
        payload: Box<Payload>,
        /// Whether the person drops it.
        #[serde(default)]
        is_dropped: bool,
    },
    /// An event was recorded, and the run has not acted on it yet.
    Happened {
        /// The event.
        seq: Seq,
        /// A description of the event, in a line.
        says: Clean,
    },
}

/// A handoff that is stopped at a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Whether this handoff met the breakpoint, and not only another of the same step.
    pub is_met: bool,
    /// Whether the person drops it.
    #[serde(default)]
    pub is_dropped: bool,
    /// The handoff with the person's changes.
    pub sending: Sending,
}

/// A change that a person makes at a stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum Edit {
    /// Sends this payload instead.
    Payload {
        /// The index of the stopped handoff, from 0.
        of: u32,
        /// The whole payload.
        payload: Box<Payload>,
    },
    /// Drops a handoff: its receiver never works on it.
    Drop {
        /// The index of the stopped handoff, from 0.
        of: u32,
    },
    /// Takes back a drop.
    Keep {
        /// The index of the stopped handoff, from 0.
        of: u32,
    },
    /// Sets whether other assignments continue meanwhile.
    Others {
        /// Whether they continue.
        go_on: bool,
    },
}

/// The person's answer at a stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Sends the message as it is now.
    Go {
        /// A condition to stop at next, besides the breakpoints that are set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Condition>,
    },
    /// Refuses it: the sender takes another step.
    Refuse {
        /// The reason, in the person's words.
        why: Clean,
    },
}

/// One stopped payload, for display.
#[derive(Clone, Copy, Debug)]
pub struct Standstill<'a> {
    /// The sending role.
    pub from: &'a Role,
    /// The receiving role; None for the person.
    pub to: Option<&'a Role>,
    /// A short title.
    pub title: &'a Clean,
    /// The outcome, for a report.
    pub outcome: Option<&'a Outcome>,
    /// The payload that stands still.
    pub payload: &'a Payload,
    /// Whether this payload met the breakpoint.
    pub is_met: bool,
    /// Whether the person drops it.
    pub is_dropped: bool,
}

impl Standstill<'_> {
    /// "supervisor → writer".
    pub fn ends(&self) -> String {
        format!("{} → {}", self.from, self.to.map_or("you", Role::as_str))
    }
}

impl Stop {
    /// A stop with the stored passages that its findings quote.
    pub fn new(run: &Run, met: Vec<Condition>, what: What, others_go_on: bool) -> Stop {
        let mut stop = Stop { met, what, others_go_on, passages: Vec::new() };
        let all = stop.payloads();
        let findings: Vec<Finding> = all.iter().flat_map(|standing| standing.payload.findings()).cloned().collect();
        stop.passages = run.passages(&findings);
        stop
    }

    /// The stopped payloads, in order; empty for an event.
    pub fn payloads(&self) -> Vec<Standstill<'_>> {
        match &self.what {
            What::Handoffs { from, handoffs, .. } => handoffs
                .iter()
                .map(|Waiting { is_met, is_dropped, sending }| Standstill {
                    from,
                    to: Some(&sending.role),
                    title: &sending.title,
                    outcome: None,
                    payload: &sending.payload,
                    is_met: *is_met,
                    is_dropped: *is_dropped,
                })
                .collect(),
            What::Report { from, to, outcome, title, payload, is_dropped, .. } => vec![Standstill {
                from,
                to: to.as_ref(),
                title,
                outcome: Some(outcome),
                payload,
                is_met: true,
                is_dropped: *is_dropped,
            }],
            What::Happened { .. } => Vec::new(),
        }
    }

    /// Whether refusing it ends the work of its sender: rules hand work out in one way, and end with their findings so far if that
    /// is refused. A model that leads may do something else, and so may the one that reports.
    pub fn refusal_ends(&self, run: &Run, sender: AssignmentId) -> bool {
        let What::Handoffs { handoffs, .. } = &self.what else { return false };
        let refused = handoffs.iter().find(|waiting| waiting.is_met).or(handoffs.first());
        // The tasks of an editor are handed out one by one then.
        refused.is_some_and(|refused| refused.sending.role.as_str() != Role::EDITOR)
            && run
                .assignment(sender)
                .is_some_and(|sender| run.model_of(sender).is_none() || sender.transcript.relieved().is_some())
    }

    fn payload_mut(&mut self, of: u32) -> Option<(&mut Payload, &mut bool)> {
        match &mut self.what {
            What::Handoffs { handoffs, .. } => {
                let waiting = handoffs.get_mut(of as usize)?;
                Some((&mut waiting.sending.payload, &mut waiting.is_dropped))
            }
            What::Report { payload, is_dropped, .. } if of == 0 => Some((payload, is_dropped)),
            _ => None,
        }
    }

    /// Whether this payload may be sent in place of the stopped one.
    fn admits(&self, of: u32, payload: &Payload, run: &Run) -> Result<(), String> {
        let ids: Vec<_> = payload.findings().iter().map(|finding| finding.id).collect();
        if let Some(twice) = ids.iter().enumerate().find(|(n, id)| ids[..*n].contains(id)) {
            return Err(format!("two findings are called {}", twice.1));
        }
        match &self.what {
            What::Handoffs { handoffs, .. } => {
                let sending =
                    handoffs.get(of as usize).map(|waiting| &waiting.sending).ok_or("there is no such handoff")?;
                let Some(opening) = &run.opening else { return Ok(()) };
                if let Some(contract) = Contract::of(&sending.role) {
                    contract.check_sent(payload)?;
                }
                if payload.task().map(|task| task.id) != sending.payload.task().map(|task| task.id) {
                    return Err("the task it is for cannot become another: its number names the work".into());
                }
                findings::check_approved(run, &sending.role, payload)?;
                match opening.team.takes_in(&sending.role, sending.worker) {
                    Some(most) if payload.tokens() > most => Err(format!(
                        "it takes about {} tokens, and the {} takes in {most}",
                        payload.tokens(),
                        sending.role
                    )),
                    _ => Ok(()),
                }
            }
            What::Report { from, to, outcome, .. } => {
                if to.is_none() {
                    every_claim_has_a_finding(payload)?;
                }
                let order = run.opening.as_ref().map(|opening| opening.team.order).unwrap_or_default();
                Contract::within(order, from).map_or(Ok(()), |contract| contract.check_returned(outcome, payload))
            }
            What::Happened { .. } => Err(NOTHING_CROSSES.into()),
        }
    }
}

/// Whether each sentence of a brief cites only findings of the same payload.
fn every_claim_has_a_finding(payload: &Payload) -> Result<(), String> {
    let is_there = |id: &FindingId| payload.findings().iter().any(|finding| finding.id == *id);
    for sentence in payload.draft.iter().flat_map(Draft::sentences) {
        if sentence.cites.is_empty() {
            return Err(format!("“{}” cites no finding", sentence.text));
        }
        if let Some(missing) = sentence.cites.iter().find(|id| !is_there(id)) {
            return Err(format!("the brief cites {missing}, which is not among its findings: “{}”", sentence.text));
        }
    }
    Ok(())
}

const NOTHING_CROSSES: &str = "nothing is about to cross here: this has happened, and is on record";

impl Topic for Stop {
    type Edit = Edit;
    type Answer = Answer;

    fn stage(&self) -> Leading {
        Leading::Ask
    }

    fn why(&self) -> &'static str {
        "the run stands at a breakpoint"
    }

    fn title(&self) -> Clean {
        "breakpoint".into()
    }

    fn asked(&self) -> String {
        let met: Vec<String> = self.met.iter().map(Condition::to_string).collect();
        let stands = match &self.what {
            What::Happened { seq, says } => format!("after event {}: {says}", seq.0),
            _ => {
                let all = self.payloads();
                let shown = all.iter().filter(|standing| standing.is_met).map(|standing| {
                    let parts: Vec<String> = standing.payload.parts().map(|part| part.name().to_string()).collect();
                    let carries = if parts.is_empty() { "nothing".into() } else { parts.join(", ") };
                    let ended = standing.outcome.map(|outcome| format!(", {outcome}")).unwrap_or_default();
                    format!("{} “{}”{ended}, which carries {carries}", standing.ends(), standing.title)
                });
                let rest = all.iter().filter(|standing| !standing.is_met).count();
                let rest = if rest == 0 {
                    String::new()
                } else {
                    format!("; {} {} with it", count(rest, "handoff"), if rest == 1 { "waits" } else { "wait" })
                };
                format!("before {}{rest}", shown.collect::<Vec<_>>().join("; "))
            }
        };
        format!("breakpoint {} — {stands}", met.join(", "))
    }

    fn said(&self, answer: &Answer) -> String {
        let left: Vec<_> = self.payloads();
        let dropped = left.iter().filter(|standing| standing.is_dropped).count();
        let until = |until: &Option<Condition>| {
            until.as_ref().map_or_else(String::new, |until| format!(", until the next stop at {until}"))
        };
        match answer {
            Answer::Refuse { why } => format!("refused back: {why}"),
            Answer::Go { until: to } if left.is_empty() => format!("goes on{}", until(to)),
            Answer::Go { until: to } if dropped == 0 => format!("sent on{}", until(to)),
            Answer::Go { until: to } if dropped == left.len() => format!("dropped{}", until(to)),
            Answer::Go { until: to } => format!("{dropped} of {} dropped, the rest sent on{}", left.len(), until(to)),
        }
    }

    fn approval(&self) -> Answer {
        Answer::Go { until: None }
    }

    fn by_policy(&self) -> String {
        "sends it on".into()
    }

    fn allows(&self, answer: &Answer, run: &Run) -> Result<(), String> {
        let Answer::Refuse { why } = answer else { return Ok(()) };
        if why.trim().is_empty() {
            return Err("give a reason for the refusal: the sender reads it".into());
        }
        match &self.what {
            What::Handoffs { .. } => Ok(()),
            What::Report { by, .. } => run.accepts(*by, &Steer::Tell { text: why.clone() }),
            What::Happened { .. } => Err(NOTHING_CROSSES.into()),
        }
    }

    fn accepts(&self, edit: &Edit, _at: &Checkpoint, run: &Run) -> Result<(), String> {
        let same = || "that is how it is already".to_string();
        let all = self.payloads();
        let payload_at = |of: u32| {
            all.get(of as usize).copied().ok_or_else(|| match &self.what {
                What::Happened { .. } => NOTHING_CROSSES.to_string(),
                _ => "there is no such handoff here".to_string(),
            })
        };
        match edit {
            Edit::Payload { of, payload } if *payload_at(*of)?.payload == **payload => Err(same()),
            Edit::Payload { of, payload } => self.admits(*of, payload, run),
            Edit::Drop { of } if payload_at(*of)?.is_dropped => Err(same()),
            Edit::Keep { of } if !payload_at(*of)?.is_dropped => Err(same()),
            Edit::Drop { of } if payload_at(*of)?.to.is_none() => {
                Err("the last report is the end of the run: x stops the run for good instead".into())
            }
            Edit::Drop { .. } | Edit::Keep { .. } => Ok(()),
            Edit::Others { go_on } if *go_on == self.others_go_on => Err(same()),
            Edit::Others { .. } => Ok(()),
        }
    }

    fn take(&mut self, edit: &Edit) -> Option<()> {
        match edit {
            Edit::Payload { of, payload } => {
                let mut payload = (**payload).clone();
                let stands = self.payloads().get(*of as usize)?.payload;
                mark_words_of_person(stands, &mut payload, &self.passages);
                *self.payload_mut(*of)?.0 = payload;
            }
            Edit::Drop { of } => *self.payload_mut(*of)?.1 = true,
            Edit::Keep { of } => *self.payload_mut(*of)?.1 = false,
            Edit::Others { go_on } => self.others_go_on = *go_on,
        }
        Some(())
    }

    fn others_go_on(&self) -> bool {
        self.others_go_on
    }

    fn is_for_a_person(&self) -> bool {
        true
    }
}

/// Marks findings that a person changed or added as theirs, whatever their mark says. A changed quote counts as one
/// only if it stands verbatim in a stored passage; otherwise the finding rests on the person's words. A changed draft
/// gets a note.
fn mark_words_of_person(before: &Payload, after: &mut Payload, passages: &[Passage]) {
    for finding in after.findings.iter_mut().flatten() {
        let was = before.findings().iter().find(|was| was.id == finding.id);
        match was {
            Some(was) if was == finding => {}
            Some(was) if (&was.quote, &was.place) == (&finding.quote, &finding.place) => {
                let is_reworded = was.claim != finding.claim;
                match (was.words_of, was.standing) {
                    (of, Standing::Unquoted) if is_reworded && of != WordsOf::Person => in_own_words(finding),
                    (of, standing) => {
                        let of_person = if of == WordsOf::Person { of } else { WordsOf::PersonEdited };
                        finding.words_of = if is_reworded { of_person } else { of };
                        finding.edits = if is_reworded { Vec::new() } else { was.edits.clone() };
                        finding.also_at = was.also_at.clone();
                        finding.announced = was.announced.clone();
                        // A finding whose quote is not in its source stays out until the person rewords it.
                        if standing == Standing::Unquoted && finding.standing != Standing::Dropped {
                            finding.standing = standing;
                        }
                    }
                }
            }
            Some(was) => match stands_at(was, finding, passages) {
                Some(place) => over_quote(was, finding, place),
                None => in_own_words(finding),
            },
            None => in_own_words(finding),
        }
    }
    if let (Some(was), Some(draft)) = (&before.draft, &mut after.draft)
        && was != draft
    {
        let note = Clean::from("Changed by you at a breakpoint.");
        if !draft.notes.contains(&note) {
            draft.notes.push(note);
        }
    }
}

/// The verbatim place of the quote in its passage, the nearest to its previous place; None if the passage does not
/// contain it.
fn stands_at(was: &Finding, finding: &Finding, passages: &[Passage]) -> Option<Place> {
    let place = finding.place.as_ref().or(was.place.as_ref())?;
    let is_there = |passage: &&Passage| (&passage.source.id, passage.block.no) == (&place.source.id, place.block);
    let Passage { source, block } = passages.iter().find(is_there)?;
    let quote = finding.quote.as_str();
    let all = block.text.match_indices(quote).filter(|_| !quote.trim().is_empty());
    let (start, _) = all.min_by_key(|(start, _)| start.abs_diff(place.start as usize))?;
    Some(Place::new(source, block, start..start + quote.len()))
}

/// The finding with a new quote. The person vouches that it supports the claim, unless the claim is the quote.
fn over_quote(was: &Finding, finding: &mut Finding, place: Place) {
    finding.words_of = if finding.claim == finding.quote { WordsOf::Source } else { WordsOf::PersonEdited };
    finding.edits.clear();
    finding.announced.clear();
    (finding.place, finding.also_at) = (Some(place), was.also_at.clone());
    let Finding { quote, numbers, date, .. } = finding;
    numbers.retain(|number| quote.contains(&*number.value));
    *date = date.take().filter(|date| quote.contains(&**date));
    if finding.standing == Standing::Unquoted {
        finding.standing = Standing::Proposed;
    }
}

fn in_own_words(finding: &mut Finding) {
    finding.words_of = WordsOf::Person;
    (finding.quote, finding.place, finding.also_at, finding.announced) = Default::default();
    finding.edits.clear();
    if finding.standing == Standing::Unquoted {
        finding.standing = Standing::Proposed;
    }
}

impl Checkpoint {
    /// The stop, if this is one.
    pub fn stop(&self) -> Option<&Stop> {
        if let Subject::Stop(stop) = &*self.subject { Some(stop) } else { None }
    }
}

impl Run {
    /// The breakpoints that a handoff meets, with the condition of the last answered stop.
    pub fn met_by(&self, crossing: &breakpoint::Crossing<'_>) -> Vec<Condition> {
        self.conditions().filter(|on| on.is_crossed(crossing)).cloned().collect()
    }

    /// The reason why this run can never meet a condition; None if it can.
    pub(crate) fn never_met(&self, on: &Condition) -> Option<String> {
        let team: &Team = &self.opening.as_ref()?.team;
        let account = self.ledger.run();
        on.flaw(team, account.limits, account.spent.plus(account.in_doubt).money())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Edit as Any;
    use crate::evidence::{Block, BlockKind, SourceRef};
    use crate::finding::Number;
    use crate::{CheckpointId, SourceId};
    use std::sync::Arc;

    const TEXT: &str = "It stores up to 2,000 dimensions. It is small.";

    fn passage() -> Passage {
        let text = |text: &str| Clean::from(text);
        let source = SourceRef::sample("a", "A");
        let headings = [text("Limits")].into();
        let block = Block {
            no: 3,
            kind: BlockKind::Paragraph,
            headings,
            intro: None,
            text: TEXT.into(),
            line: 9,
            breaks: Vec::new(),
            start: 0,
            lead: false,
        };
        Passage { source, block: Arc::new(block) }
    }

    fn found() -> Finding {
        let Passage { source, block } = passage();
        let whole = &TEXT[..33];
        Finding {
            quote: whole.into(),
            place: Some(Place::new(&source, &block, 0..33)),
            numbers: vec![Number { value: "2,000".into(), unit: "dimensions".into() }],
            ..Finding::new(FindingId::new(AssignmentId::nth(1), 1), whole.into())
        }
    }

    /// The finding after the person changed it in a report.
    fn changed(was: Finding, change: impl FnOnce(&mut Finding)) -> Finding {
        let payload = |finding: Finding| Box::new(Payload { findings: Some(vec![finding]), ..Payload::default() });
        let mut now = was.clone();
        change(&mut now);
        let (by, from) = (AssignmentId::nth(1), Role::new(Role::RESEARCHER));
        let (outcome, title) = (Outcome::Done, Clean::default());
        let what = What::Report { by, from, to: None, outcome, title, payload: payload(was), is_dropped: false };
        let stop = Stop { met: Vec::new(), what, others_go_on: false, passages: vec![passage()] };
        let mut it = Checkpoint::open(CheckpointId(1), by, Arc::new(Subject::Stop(stop)));
        it.edited(&Any::Stop(Edit::Payload { of: 0, payload: payload(now) })).unwrap();
        it.stop().unwrap().payloads()[0].payload.findings()[0].clone()
    }

    fn words(finding: &Finding) -> String {
        finding.place.as_ref().map(|place| place.words(&passage().block).to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_changed_quote_that_stands_in_the_stored_passage_is_a_quote_of_it() {
        let shorter = changed(found(), |it| it.quote = "up to 2,000 dimensions".into());
        assert_eq!((&*words(&shorter), shorter.words_of), ("up to 2,000 dimensions", WordsOf::PersonEdited));
        assert_eq!(shorter.place.as_ref().map(|place| (place.line, place.start)), Some((9, 10)));
        let longer = changed(found(), |it| (it.quote, it.claim) = (TEXT.into(), TEXT.into()));
        assert_eq!(
            (&*words(&longer), longer.words_of),
            (TEXT, WordsOf::Source),
            "and a claim that is the quote is its words"
        );
        let other = changed(found(), |it| it.quote = "It is small.".into());
        assert_eq!((&*words(&other), other.numbers.len()), ("It is small.", 0), "its numbers are those of the quote");
    }

    #[test]
    fn a_quote_that_a_model_got_wrong_is_mended_by_one_that_stands_there() {
        let wrong = Finding { standing: Standing::Unquoted, quote: "It stores 2000.".into(), ..found() };
        let mended = changed(wrong.clone(), |it| it.quote = "It stores up to 2,000 dimensions.".into());
        assert_eq!((mended.standing, &*words(&mended)), (Standing::Proposed, "It stores up to 2,000 dimensions."));
        assert_eq!(changed(wrong, |it| it.subtopic = "else".into()).standing, Standing::Unquoted);
    }

    #[test]
    fn a_changed_quote_that_stands_nowhere_leaves_the_words_of_the_person_alone() {
        for quote in ["It stores up to 3,000 dimensions.", "it stores", " ", ""] {
            let own = changed(found(), |it| it.quote = quote.into());
            assert_eq!((own.words_of, own.place, &*own.quote), (WordsOf::Person, None, ""), "{quote:?}");
        }
        // The quote is not looked up in a document that the person names.
        let elsewhere = changed(found(), |it| {
            it.quote = "It is small.".into();
            it.place.as_mut().unwrap().source.id = SourceId("t".into());
        });
        assert_eq!((elsewhere.words_of, elsewhere.place), (WordsOf::Person, None));
    }

    #[test]
    fn a_place_that_the_person_changed_is_the_one_at_which_the_quote_stands() {
        let moved = changed(found(), |it| {
            let place = it.place.as_mut().unwrap();
            (place.start, place.end, place.line) = (4, 7, 1);
            place.source.path = "another.md".into();
        });
        assert_eq!(moved.place, found().place);
        let also = changed(found(), |it| it.also_at = it.place.iter().cloned().collect());
        assert_eq!(also.also_at, [], "nor does it stand anywhere else for their saying so");
    }
}
