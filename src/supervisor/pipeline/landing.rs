//! The end of a run in the pipeline: with the draft that passed, with the best that did not, or without a draft.

use std::collections::{BTreeMap, BTreeSet};

use super::research::Shortfall;
use super::{Judged, Progress, failed, hand_off, quotes};
use crate::delegation::{TaskAttempt, standing, task_attempts};
use crate::failure_policy;
use run::brief::{Draft, Piece, Section, Sentence, Wording};
use run::checkpoint::findings::Answer;
use run::finding::FindingKind;
use run::plan::Plan;
use run::stage::Leading;
use run::verdict::{Concern, Issue};
use run::{Finding, FindingId, Outcome, Payload, Role, coverage};
use specialist::model::UNJUDGED;
use specialist::{Step, extractive};
use text::{Clean, count};

/// The most findings of a sub-topic that are added to a draft which leaves it out.
const MOST_ADDED: usize = 5;

impl Progress<'_> {
    /// The number of tasks handed out; a retried task counts once.
    fn tasks_handed_out(&self) -> usize {
        let (named, others): (Vec<TaskAttempt>, Vec<TaskAttempt>) =
            self.counted(task_attempts(self.failures())).into_iter().partition(|attempt| attempt.task.is_some());
        let named: BTreeSet<_> = named.iter().filter_map(|attempt| attempt.task).collect();
        named.len() + others.iter().filter(|attempt| !attempt.tried_again).count()
    }

    /// Ends with a draft, and names its shortfalls.
    pub(crate) fn finish(&self, judged: &Judged<'_>) -> Step {
        self.finish_early(judged, None)
    }

    /// Ends with a draft, early if there is a reason.
    fn finish_early(&self, judged: &Judged<'_>, why: Option<&str>) -> Step {
        let mut draft = judged.draft.clone();
        let mut short = self.short_of(judged, why);
        let struck = self.strike_unsupported(&mut draft, judged);
        self.strike_labels(&mut draft, judged);
        let stale = self.strike_stale(&mut draft);
        let added = self.tell_what_is_left_out(&mut draft, judged);
        let is_gone = struck + stale > 0 && draft.sentences().next().is_none();
        if is_gone {
            short.push("no sentence of the draft is left".into());
            draft = self.listed_quotes();
        }
        self.say_what_is_missing(&mut draft);
        if draft.wording == Wording::Reworded {
            // One side of it, or both as plain facts, would pass for what the sources say.
            let untold = extractive::untold_disagreements(&draft, &self.approved());
            draft.disagreements.extend(untold);
        }
        say_what_reviewers_miss(&mut draft, judged);
        extractive::note_what_is_yours(&mut draft, &self.approved());
        let mut vetoed = None;
        if !is_gone {
            if judged.changed > 0 {
                draft.notes.push(format!("Changed by you: {}.", count(judged.changed as usize, "sentence")).into());
            }
            vetoed = self.issues_left(judged, &draft);
            draft.notes.extend(vetoed.iter().map(|vetoed| Clean::from(format!("Best effort: {vetoed}."))));
            draft.notes.extend(refused_by_reviewers(judged, &draft));
        }
        if !short.is_empty() {
            draft.notes.push(format!("Partial: {}.", short.join("; ")).into());
        }
        if struck > 0 && !is_gone {
            short.push(format!("{} taken out", count(struck, "sentence")));
        }
        if added > 0 && !is_gone {
            short.push(format!("{} added from the findings", count(added, "sub-topic")));
        }
        short.extend(vetoed);
        let approved = self.approved();
        // The closest passages are no answer.
        let is_answered = approved.iter().any(|finding| finding.kind != FindingKind::Closest);
        let outcome = match short.is_empty() {
            true if !is_answered && !approved.is_empty() => Outcome::NothingFound,
            true => Outcome::Done,
            false => Outcome::Partial(short.join("; ").into()),
        };
        let title = format!("brief, {}", count(draft.words(), "word"));
        let payload = Payload {
            draft: Some(draft),
            findings: Some(approved),
            verdicts: Some(judged.verdicts.clone()),
            ..Payload::default()
        };
        Step::Report { outcome, title: title.into(), payload }
    }

    /// The shortfalls of a brief from this draft, besides those that its checks found: the reason for an early end first.
    fn short_of(&self, judged: &Judged<'_>, why: Option<&str>) -> Vec<String> {
        let mut short: Vec<String> = why.into_iter().map(String::from).collect();
        let mut writers = self.transcript.sent().filter(|sent| sent.role.as_str() == self.order().writes());
        let stopped = writers.find_map(|writer| match &writer.report {
            Some((outcome @ Outcome::OutOfBudget(_), _)) => Some(format!("the writer {outcome}")),
            _ => None,
        });
        short.extend(stopped.filter(|stopped| !short.contains(stopped)));
        let unfinished = self.standing().iter().filter(|attempt| attempt.is_short()).count();
        if unfinished > 0 {
            let why = self.common_reason().map_or_else(String::new, |why| format!(" ({why})"));
            let all = self.tasks_handed_out();
            short.push(format!("{unfinished} of {all} research tasks did not finish{why}; see Gaps"));
        }
        if let Some((role, outcome)) = &judged.unchecked {
            // The same cause is said once.
            let is_said = outcome.why().is_some_and(|why| short.iter().any(|said| said.contains(why.as_str())));
            let became = if is_said { outcome.word().to_owned() } else { outcome.to_string() };
            short.push(format!("not every check could be run (the {role} {became})"));
        } else if self.asks_model(&Role::new(Role::REVIEWER)) && judged.gated && !judged.reviewed {
            short.push("the reviewer has not seen this draft".into());
        }
        let unsought = self.unsought();
        if unsought > 0 {
            let were = if unsought == 1 { "was" } else { "were" };
            short.push(format!("{} that the question names {were} not researched; see Gaps", count(unsought, "point")));
        }
        short.extend(self.unseen_by_the_writer());
        short
    }

    /// Takes out the sentences that code finds no support for; how many. Where nothing else cites a finding of theirs, its claim stands
    /// in their place.
    fn strike_unsupported(&self, draft: &mut Draft, judged: &Judged<'_>) -> usize {
        let is_out = |sentence: &Sentence| judged.is_struck(sentence) || judged.is_undecided(sentence);
        let mut kept = draft.clone();
        let struck = kept.strike(is_out);
        if struck == 0 {
            return 0;
        }
        let mut put = 0;
        if kept.sentences().next().is_none() {
            *draft = kept;
        } else {
            let is_wrong = |issue: &&Issue| matches!(issue.concern, Concern::Citations | Concern::Quotes);
            let wrong: Vec<FindingId> =
                judged.issues().filter(is_wrong).flat_map(|issue| issue.findings.clone()).collect();
            let mut open: Vec<Finding> = self.approved();
            open.retain(|one| !wrong.contains(&one.id) && !kept.sentences().any(|kept| kept.cites.contains(&one.id)));
            draft.replace(is_out, |sentence| {
                let (own, others) =
                    std::mem::take(&mut open).into_iter().partition(|one| sentence.cites.contains(&one.id));
                open = others;
                let words: Vec<Sentence> = Vec::into_iter(own).filter_map(quotes::alone).collect();
                put += words.len();
                words
            });
        }
        let (what, instead) = (count(struck, "sentence"), instead(put));
        let what = format!("Taken out: {what} that code could not find support for{instead}.");
        draft.notes.push(what.into());
        struck
    }

    /// Adds a section for each sub-topic of which a writer cites nothing though findings on it are approved: their claims; how many. A
    /// draft that a person has cut is left as they want it.
    fn tell_what_is_left_out(&self, draft: &mut Draft, judged: &Judged<'_>) -> usize {
        if draft.wording == Wording::Quoted || !draft.struck.is_empty() || draft.sentences().next().is_none() {
            return 0;
        }
        let of_draft = |issue: &&Issue| issue.sentence.is_none() && issue.concern == Concern::Coverage;
        let approved = self.approved();
        let mut told: Vec<Clean> = Vec::new();
        for issue in judged.issues().filter(of_draft) {
            if draft.cited().any(|id| issue.findings.contains(&id)) {
                continue;
            }
            let own = approved.iter().filter(|finding| issue.findings.contains(&finding.id));
            told.extend(put_below(draft, own.take(MOST_ADDED).cloned().collect()).into_iter().next());
        }
        if !told.is_empty() {
            let names = told.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ");
            let what = format!("Added in the words of the findings, since the draft cites nothing on it: {names}.");
            draft.notes.push(what.into());
        }
        told.len()
    }

    /// The issues that are left of a draft, in words: none of a sentence that is not in it, or of findings that it cites by now. Issues
    /// under the gaps are mended.
    fn issues_left(&self, judged: &Judged<'_>, draft: &Draft) -> Option<String> {
        let cites = |draft: &Draft, issue: &Issue| draft.cited().any(|id| issue.findings.contains(&id));
        let is_mended = |issue: &Issue| cites(draft, issue) && !cites(judged.draft, issue);
        let is_there = |issue: &&Issue| match &issue.sentence {
            Some(text) => draft.holds(text),
            None => !is_mended(issue),
        };
        let left: Vec<&Issue> = judged.issues().filter(|issue| issue.missing.is_none()).filter(is_there).collect();
        let concerns: BTreeSet<String> = left.iter().map(|issue| issue.concern.to_string()).collect();
        let after = if self.team.revisions > 0 { " after revision" } else { "" };
        let (issues, concerns) = (count(left.len(), "issue"), Vec::from_iter(concerns).join(", "));
        (!left.is_empty()).then(|| format!("{issues} left{after} ({concerns})"))
    }

    /// Takes out the title, headings and names in tables that no quote supports: the run's own titles take their places.
    fn strike_labels(&self, draft: &mut Draft, judged: &Judged<'_>) {
        if draft.wording == Wording::Quoted {
            return;
        }
        let is_vetoed = |label: &Clean| judged.vetoed.contains(label) || judged.undecided.contains(label);
        let approved = self.approved();
        let subtopic = |section: &Section| {
            let mut cited = section.pieces.iter().flat_map(Piece::sentences).flat_map(|sentence| &sentence.cites);
            let finding = cited.find_map(|id| approved.iter().find(|finding| finding.id == *id));
            finding.map(|finding| finding.subtopic.clone()).unwrap_or_default()
        };
        let before: BTreeSet<FindingId> = draft.cited().collect();
        let mut struck = draft.strike_labels(is_vetoed, subtopic);
        if is_vetoed(&draft.title) {
            draft.title = self.title();
            struck += 1;
        }
        // The findings of a row that went with its name.
        let left: BTreeSet<FindingId> = draft.cited().collect();
        let lost = approved.into_iter().filter(|one| before.contains(&one.id) && !left.contains(&one.id));
        let instead = instead(put_below(draft, lost.collect()).len());
        if struck > 0 {
            let what = count(struck, "label");
            draft.notes.push(
                format!("Taken out: {what} of headings or tables that stated what no quote says{instead}.").into(),
            );
        }
    }

    /// The reason of all partial research, if it is the same for all tasks that fell short.
    fn common_reason(&self) -> Option<Clean> {
        let standing = self.standing();
        let mut short = standing.iter().filter(|attempt| attempt.is_short());
        let why = |attempt: &TaskAttempt| match &attempt.end {
            Some(Outcome::Partial(why)) => Some(why.clone()),
            _ => None,
        };
        let first = why(short.next()?)?;
        short.all(|attempt| why(attempt).as_ref() == Some(&first)).then_some(first)
    }

    /// Removes sentences on findings that the person no longer approves: a draft may be older than their last answer.
    fn strike_stale(&self, draft: &mut Draft) -> usize {
        let approved: BTreeSet<_> = self.approved().iter().map(|finding| finding.id).collect();
        // Citations without a finding are struck by the gates.
        let known: std::collections::BTreeSet<_> =
            self.drafts().flat_map(|writer| writer.handoff.payload.findings()).map(|finding| finding.id).collect();
        let is_stale =
            |sentence: &Sentence| sentence.cites.iter().any(|id| known.contains(id) && !approved.contains(id));
        let stale = draft.strike(is_stale);
        if stale > 0 {
            let what = format!("Taken out: {} on findings that you did not approve again.", count(stale, "sentence"));
            draft.notes.push(what.into());
        }
        stale
    }

    /// The number of points of the question, or of planned tasks, that did not fit into the plan. Those that the person
    /// removed do not count.
    fn unsought(&self) -> usize {
        let named = if self.team.check_plan { 0 } else { self.not_looked_for().len() };
        named.max(self.no_room_for().len())
    }

    /// The brief where no sentence of a draft is left: the approved findings, and nothing of the draft that is gone.
    fn listed_quotes(&self) -> Draft {
        Draft {
            title: self.title(),
            notes: vec![quotes::NOTE.into()],
            sections: quotes::sections(self.approved()),
            gaps: self.shortfalls(),
            ..Draft::default()
        }
    }

    /// Ends with a short brief that reports that nothing was found, and why.
    pub(super) fn nothing(&self, plan: &Plan) -> Step {
        let stopped = standing(self.failures()).into_iter().find_map(|attempt| match attempt.end? {
            Outcome::OutOfBudget(cap) => Some(cap),
            _ => None,
        });
        if let Some(cap) = stopped {
            return self.nothing_in_time(cap);
        }
        let all = task_attempts(self.failures());
        let failure = |attempt: &TaskAttempt| match attempt.end.as_ref()? {
            Outcome::Failed(why) => Some(format!("{}: {why}", attempt.title)),
            _ => None,
        };
        let failures: Vec<String> = all.iter().filter_map(failure).collect();
        if !failures.is_empty() && failures.len() == all.len() {
            return failed(format!("all research failed; {}", by_reason(&all)));
        }
        let cancelled = |attempt: &&TaskAttempt| matches!(attempt.end, Some(Outcome::Cancelled));
        let ended: Vec<&Clean> = all.iter().filter(cancelled).map(|attempt| &attempt.title).collect();
        if !ended.is_empty() && ended.len() == all.len() {
            return self.nothing_before_its_end();
        }
        let partial: Vec<(&Clean, &Clean)> = all
            .iter()
            .filter_map(|attempt| match attempt.end.as_ref()? {
                Outcome::Partial(why) => Some((&attempt.title, why)),
                _ => None,
            })
            .collect();
        if let Some((_, why)) = partial.first().filter(|_| partial.len() == all.len()) {
            return self.nothing_of_a_part(why);
        }
        let unsearched = self.titles_not_searched_for();
        let titles = plan.tasks.iter().map(|task| task.title.clone());
        let looked_for: Vec<Clean> =
            titles.filter(|title| !unsearched.contains(title) && partial.iter().all(|(of, _)| *of != title)).collect();
        let corpus = self.transcript.handoff.payload.corpus.clone().unwrap_or_default();
        // Let the person judge the closest matches.
        let reports = self.transcript.sent().filter_map(|sent| sent.report.as_ref());
        let empty = reports.filter(|(outcome, _)| *outcome == Outcome::NothingFound);
        let notes: BTreeSet<Clean> =
            empty.flat_map(|(_, report)| report.payload.notes().iter().map(|note| (*note).clone())).collect();
        let mut draft = extractive::nothing_found(&self.question(), plan, &corpus, &looked_for, &notes);
        draft.gaps.extend(failures.iter().map(|failure| format!("Not looked into: {failure}.").into()));
        draft
            .gaps
            .extend(ended.iter().map(|title| format!("Not looked into: {title}: its research was ended.").into()));
        draft.gaps.extend(partial.iter().map(|(title, why)| format!("Looked into in part: {title}: {why}.").into()));
        draft.gaps.extend(self.no_room_for().iter().map(Shortfall::line));
        draft.gaps.extend(self.not_found(&draft.gaps));
        draft.gaps.extend(extractive::closest_once(notes));
        let payload = Payload { draft: Some(draft), findings: Some(Vec::new()), ..Payload::default() };
        Step::Report { outcome: Outcome::NothingFound, title: "nothing found".into(), payload }
    }

    /// Ends because a cap stopped the research before it found anything: the brief does not claim that the sources lack
    /// it.
    fn nothing_in_time(&self, cap: Clean) -> Step {
        let draft = Draft {
            title: self.title(),
            gaps: self.shortfalls_beside(Some(&cap)),
            notes: vec![format!("Partial: {cap} before anything was found.").into()],
            ..Draft::default()
        };
        let payload = Payload { draft: Some(draft), findings: Some(Vec::new()), ..Payload::default() };
        Step::Report { outcome: Outcome::OutOfBudget(cap), title: "stopped by a budget".into(), payload }
    }

    /// Ends if all research found nothing in the sources that could be asked, which were not all: nothing is said to be missing.
    fn nothing_of_a_part(&self, why: &Clean) -> Step {
        let draft = Draft {
            title: self.title(),
            gaps: self.shortfalls(),
            notes: vec![format!("Partial: nothing was found, and not all could be asked ({why}).").into()],
            ..Draft::default()
        };
        let payload = Payload { draft: Some(draft), findings: Some(Vec::new()), ..Payload::default() };
        Step::Report { outcome: Outcome::Partial(why.clone()), title: "nothing found".into(), payload }
    }

    /// Ends where all research was ended, or dropped before it began: nothing is said to be missing from the sources.
    fn nothing_before_its_end(&self) -> Step {
        let draft = Draft {
            title: self.title(),
            gaps: self.shortfalls(),
            notes: vec!["All research was ended before it found anything.".into()],
            ..Draft::default()
        };
        let payload = Payload { draft: Some(draft), findings: Some(Vec::new()), ..Payload::default() };
        Step::Report { outcome: Outcome::NothingFound, title: "nothing found".into(), payload }
    }

    /// Ends with the best draft, or fails with the reason.
    pub(super) fn land(&self, why: &str) -> Step {
        match self.best(&self.judged()) {
            Some(judged) => self.finish_early(judged, Some(why)),
            None => self.unwritten(why),
        }
    }

    /// Has the rules write where the writer was ended, or a cap left no room for it, before it had brought any draft; None where
    /// there is one, or no rules are left.
    pub(super) fn written_by_rule(&self) -> Option<Step> {
        let writer = self.drafts().last()?;
        let why = match &writer.report.as_ref()?.0 {
            Outcome::Cancelled => "the writer was ended: the rules write",
            Outcome::OutOfBudget(_) => "the writer is out of budget: the rules write",
            _ => return None,
        };
        let rules = self.team.by_rule(&writer.role).filter(|rules| writer.worker != *rules)?;
        let is_first = self.best(&self.judged()).is_none();
        let sending = failure_policy::again(writer, rules, 0);
        is_first.then(|| hand_off(Leading::Write, why, vec![sending]))
    }

    /// Ends without a draft: the approved findings are the brief. They are paid for.
    fn unwritten(&self, why: &str) -> Step {
        let is_approved = matches!(self.last_answer(), Some((_, Answer::Approved { .. }, _)));
        let findings = if is_approved { self.approved() } else { Vec::new() };
        if findings.is_empty() {
            return failed(why.to_string());
        }
        let mut draft = self.listed_quotes();
        self.say_what_is_missing(&mut draft);
        draft.notes.push(format!("Partial: {why}.").into());
        let title = format!("brief, {}", count(draft.words(), "word"));
        let payload = Payload { draft: Some(draft), findings: Some(findings), ..Payload::default() };
        Step::Report { outcome: Outcome::Partial(why.into()), title: title.into(), payload }
    }
}

/// Puts the claims of findings below what is cited on their sub-topic, or into a section of its own; the sub-topic of each that can
/// stand alone.
fn put_below(draft: &mut Draft, findings: Vec<Finding>) -> Vec<Clean> {
    let mut put = Vec::new();
    for finding in findings {
        let heading = finding.subtopic.clone();
        let Some(sentence) = quotes::alone(finding) else { continue };
        let known = draft.sections.iter().rposition(|section| section.heading == heading);
        let at = known.unwrap_or_else(|| {
            draft.sections.push(Section { heading: heading.clone(), pieces: Vec::new() });
            draft.sections.len() - 1
        });
        let pieces = &mut draft.sections[at].pieces;
        match pieces.last_mut() {
            Some(Piece::List { items, .. }) => items.push(sentence.into()),
            _ => pieces.push(Piece::List { label: None, first: None, items: vec![sentence.into()] }),
        }
        put.push(heading);
    }
    put
}

/// The end of a note on what was taken out, by the number of findings whose words stand there instead.
fn instead(findings: usize) -> String {
    match findings {
        0 => String::new(),
        1 => "; the words of its finding stand there instead".into(),
        n => format!("; the words of {n} findings stand there instead"),
    }
}

/// The sentences of a draft that the models that reviewed it refuse or have not judged, a note for each kind.
fn refused_by_reviewers(judged: &Judged<'_>, draft: &Draft) -> Vec<Clean> {
    let kind = |issue: &Issue| match issue.concern {
        _ if issue.what.as_str() == UNJUDGED => "Not judged by the reviewer",
        Concern::Clarity => "Not clear, as the reviewer says",
        _ => "Not borne out, as the reviewer says",
    };
    let mut named: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for issue in &judged.noes {
        if let Some(text) = issue.sentence.as_ref().filter(|text| draft.holds(text)) {
            named.entry(kind(issue)).or_default().push(format!("“{text}”"));
        }
    }
    named.into_iter().map(|(kind, texts)| format!("{kind}: {}", texts.join("; ")).into()).collect()
}

/// Adds the things on which the reviewers of a draft found nothing to the gaps.
fn say_what_reviewers_miss(draft: &mut Draft, judged: &Judged<'_>) {
    for topic in judged.issues().filter_map(|issue| issue.missing.as_ref()) {
        if !coverage::is_told(topic, &draft.gaps) {
            draft.gaps.push(format!("{topic}: by the review, this brief says nothing on it.").into());
        }
    }
}

/// The failures by reason: "pgvector, Qdrant: no network".
fn by_reason(all: &[TaskAttempt]) -> String {
    let mut reasons: Vec<(&Clean, Vec<&str>)> = Vec::new();
    for attempt in all {
        let Some(Outcome::Failed(why)) = &attempt.end else { continue };
        if !reasons.iter().any(|(known, _)| *known == why) {
            reasons.push((why, Vec::new()));
        }
        for (_, titles) in reasons.iter_mut().filter(|(known, _)| *known == why) {
            if !titles.contains(&attempt.title.as_str()) {
                titles.push(&attempt.title);
            }
        }
    }
    let lines: Vec<String> = reasons.iter().map(|(why, titles)| format!("{}: {why}", titles.join(", "))).collect();
    lines.join("; ")
}
