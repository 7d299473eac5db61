//! Research in the pipeline: hands out tasks, has findings merged, and puts them before the person.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use super::planning::plan_of;
use super::{Progress, hand_off, sending};
use crate::delegation::{
    Again, Delegation, Next, TaskAttempt, for_tasks, may_not_group, merged, task_attempts, task_handoffs,
};
use run::brief::{Draft, Section};
use run::checkpoint::Subject;
use run::finding::Finding;
use run::id::{Role, TaskId};
use run::join::Join;
use run::plan::{Group, Plan};
use run::stage::Leading;
use run::team::{Member, Order};
use run::tool::builtin;
use run::transcript::Sent;
use run::{Outcome, Payload};
use specialist::gate::{is_found, is_gap, names_what_is_missing};
use specialist::{Sending, Step};
use text::sentence::sentences;
use text::words::{Language, content_stems};
use text::{Clean, count};

/// A task or a file that fell short, and the reason.
pub(super) struct Shortfall {
    of: Clean,
    became: Clean,
    /// Whether nothing was found.
    is_absence: bool,
}

/// Whether a finding of another task states what a gap of this one says is missing.
fn is_told_by_another(task: Option<TaskId>, gap: &str, approved: &[Finding], things: &[Clean]) -> bool {
    approved.iter().any(|finding| finding.task != task && is_found(gap, finding, things))
}

/// The line of a brief on a task that was searched for in vain.
const NOTHING_FOUND: &str = "nothing was found in the sources.";

impl Shortfall {
    fn new(of: &Clean, became: impl Into<Clean>) -> Shortfall {
        let of = Clean::from(of.trim_end_matches('?'));
        Shortfall { of, became: became.into(), is_absence: false }
    }

    /// Its line under the gaps of a brief.
    pub(super) fn line(&self) -> Clean {
        format!("{}: {}", self.of, self.became).into()
    }

    /// Whether a draft tells of it all the same: other tasks have found the sentences under its heading.
    pub(super) fn is_told_in(&self, draft: &Draft) -> bool {
        let is_its = |section: &&Section| section.heading.trim_end_matches('?').eq_ignore_ascii_case(&self.of);
        self.is_absence
            && draft
                .sections
                .iter()
                .filter(is_its)
                .flat_map(|section| &section.pieces)
                .any(|piece| piece.sentences().next().is_some())
    }

    /// Whether a line under the gaps mentions it, in its own words or in a model's.
    pub(super) fn is_said(&self, gap: &Clean) -> bool {
        let stems = |text: &str| content_stems(text, Language::English).into_iter().collect::<BTreeSet<String>>();
        // "topic 4: not researched: the run's tool-call cap of 8" says nothing of topic 8.
        let of = stems(&self.of);
        gap.split(": ").any(|part| of.is_subset(&stems(part)))
    }
}

impl<'a> Progress<'a> {
    /// The tasks of a plan and their progress. `again` goes along with tasks that are worked on again.
    pub(crate) fn delegation<'b>(&self, plan: &'b Plan, groups: &'b [Group], again: Option<Again<'b>>) -> Delegation<'b>
    where
        'a: 'b,
    {
        // After the person has asked for more, the merger waits for all of it.
        let merge = if self.last_answer().is_some() { Join::BestEffort } else { self.team.joins.merge };
        Delegation {
            failures: self.failures(),
            question: self.question(),
            named: for_tasks(&self.transcript.handoff.payload),
            plan,
            groups,
            again,
            fails_at_once: true,
            merge,
            had_enough: self.had_enough(),
        }
    }

    /// The tasks of each editor, if there are too many for the supervisor to lead.
    fn groups(&self, plan: &Plan) -> Vec<Group> {
        if may_not_group(self.transcript) { Vec::new() } else { self.team.groups(plan) }
    }

    /// Hands out every task that can begin, and failed ones as their failure policy demands; merges when all are back.
    pub(super) fn research(&self, plan: &Plan) -> Step {
        // A leading model judges its failed tasks itself.
        if self.is_led_by_model() {
            return self.merge(plan, "all research is in");
        }
        // Tasks are grouped once: when the first are handed out.
        let begun = task_handoffs(self.transcript).next().is_some();
        let groups = if begun { Vec::new() } else { self.groups(plan) };
        match self.delegation(plan, &groups, None).next() {
            Next::HandOut { why, handoffs } => hand_off(Leading::Research, why, self.with_length(handoffs)),
            Next::Ask(question) => Step::Checkpoint(Subject::Question(question)),
            Next::Fail(why) => self.land(&why),
            Next::Wait => Step::Wait,
            Next::Enough { of, .. } if !of.is_empty() => Step::Enough { of },
            Next::Enough { why, .. } => self.merge(plan, &why),
            Next::AllIn => match self.with_follow_ups(plan) {
                Some(grown) => Step::Adopt(grown),
                None => self.merge(plan, "all research is in"),
            },
        }
    }

    /// Adds the length of the brief to tasks of an agent that also writes.
    fn with_length(&self, mut handoffs: Vec<Sending>) -> Vec<Sending> {
        for sending in handoffs.iter_mut().filter(|sending| sending.role.as_str() == self.order().writes()) {
            sending.payload.length = Some(self.for_writer().1);
        }
        handoffs
    }

    /// Whether the person has seen findings before every task was handed out: the others stay left out.
    fn had_enough(&self) -> bool {
        self.last_answer().is_some() && matches!(self.team.joins.merge, Join::AtLeast(_))
    }

    /// Tasks left out because there was enough without them.
    fn left_out(&self) -> Vec<Shortfall> {
        let Some(plan) = self.adopted().filter(|_| self.had_enough()) else { return Vec::new() };
        let handed_out: BTreeSet<Option<TaskId>> =
            task_attempts(self.failures()).into_iter().map(|attempt| attempt.task).collect();
        let left = plan.tasks.iter().filter(|task| !handed_out.contains(&Some(task.id)));
        left.map(|task| Shortfall::new(&task.title, "not begun (enough was in without it).")).collect()
    }

    fn merge(&self, plan: &Plan, why: &str) -> Step {
        let findings = self.gathered(plan);
        if findings.is_empty() {
            return self.nothing(plan);
        }
        let Some(merger) = self.order().merges() else { return Step::Checkpoint(Subject::Findings(findings)) };
        let title = count(findings.len(), "finding");
        let question = Some(self.question());
        let payload = Payload { question, plan: Some(plan.clone()), findings: Some(findings), ..Payload::default() };
        hand_off(Leading::Merge, why, vec![sending(merger, &title, payload)])
    }

    /// The findings as the person left them, then those found since, in the order of the plan.
    pub(crate) fn gathered(&self, plan: &Plan) -> Vec<Finding> {
        let (mut findings, since) = match self.last_answer() {
            Some((turn, _, findings)) => (findings.to_vec(), turn),
            None => (Vec::new(), 0),
        };
        let known: BTreeSet<_> = findings.iter().map(|finding| finding.id).collect();
        let found = self.delegation(plan, &[], None).found(since);
        findings.extend(found.into_iter().filter(|finding| !known.contains(&finding.id)).cloned());
        if since == 0 {
            findings.extend(self.remembered(plan));
        }
        findings
    }

    /// Puts the findings before the person, unmerged where the merger failed.
    pub(super) fn put_findings(&self, merger: &Sent) -> Step {
        Step::Checkpoint(Subject::Findings(merged(self.transcript.result_of(merger)).to_vec()))
    }

    /// Hands out one task, or all, again.
    pub(super) fn more(&self, task: Option<TaskId>, wish: &Clean, findings: &[Finding]) -> Step {
        let Some(plan) = self.adopted() else { return self.land("there is no plan") };
        let again = Some(Again { known: findings, wish: Some(wish) });
        let single = task.map(|task| plan.part(&[task]));
        let groups = if single.is_some() { Vec::new() } else { self.groups(plan) };
        let again = self.delegation(single.as_ref().unwrap_or(plan), &groups, again).all_again();
        hand_off(Leading::Research, "the person asked for more", again)
    }

    /// The things that the brief must name as missing, with the reason: a sentence each.
    pub(super) fn shortfalls(&self) -> Vec<Clean> {
        self.shortfalls_beside(None)
    }

    /// [`Progress::shortfalls`], without repeating for each task a cap that is already named as the reason for no
    /// research.
    pub(super) fn shortfalls_beside(&self, cap: Option<&Clean>) -> Vec<Clean> {
        let mut seen = BTreeSet::new();
        let lines = self.of_tasks(cap).into_iter().map(|shortfall| shortfall.line());
        let mut short: Vec<Clean> = lines.filter(|line| seen.insert(line.clone())).collect();
        short.extend(self.not_found(&short));
        short.extend(self.missed());
        short
    }

    /// The gaps of researchers that have findings, as far as they say no more than that and no other task has found it.
    fn missed(&self) -> Vec<Clean> {
        let approved = self.approved();
        let told = approved.iter().flat_map(|finding| [&finding.claim, &finding.quote]);
        let known = told.fold(self.question().to_string(), |known, text| known + " " + text);
        let done = self.standing().into_iter().filter(|attempt| attempt.end == Some(Outcome::Done));
        let things = self.transcript.handoff.payload.things();
        let noted = done.filter_map(|TaskAttempt { task, title, note, .. }| Some((task, title, note?)));
        let lines = noted.flat_map(|(task, title, note)| {
            let known = format!("{known} {title}");
            let is_open = |gap: &str| !is_told_by_another(task, gap, &approved, things);
            let gaps = sentences(&note).into_iter().map(|range| &note[range]);
            let gaps = gaps.filter(|gap| is_gap(gap, &known) && names_what_is_missing(gap) && is_open(gap));
            let gaps: Vec<&str> = gaps.collect();
            (!gaps.is_empty()).then(|| Shortfall::new(&title, gaps.join(" ")).line())
        });
        lines.collect()
    }

    /// The shortfalls of tasks and files, other points of the question excluded.
    pub(super) fn of_tasks(&self, cap: Option<&Clean>) -> Vec<Shortfall> {
        let (unsearched, found) = (self.titles_not_searched_for(), self.titles_found());
        let approved = LazyCell::new(|| self.approved());
        let things = self.transcript.handoff.payload.things();
        // The gates would hold it against the line.
        let is_told = |task: Option<TaskId>, title: &Clean| {
            is_told_by_another(task, &format!("{title}: {NOTHING_FOUND}"), &approved, things)
        };
        let of_sides = |task: Option<TaskId>| {
            let task = task.and_then(|id| self.adopted()?.task(id));
            task.is_some_and(|task| task.follows_up && !task.aspects.is_empty())
        };
        let of_tasks =
            self.standing().into_iter().filter_map(|TaskAttempt { task, title, role, end, note, .. }| {
                let end = end?;
                let became = match &end {
                    Outcome::Done => return None,
                    // Another task has found it.
                    Outcome::NothingFound if found.contains(&title) || is_told(task, &title) => return None,
                    // Each side is told on its own, if nothing is found on it.
                    Outcome::NothingFound if of_sides(task) => return None,
                    Outcome::NothingFound if !self.searches(&role) => {
                        format!("the {role} found nothing; the sources were not searched for it.")
                    }
                    Outcome::NothingFound if unsearched.contains(&title) => {
                        "nothing was found; it was not searched for by its own name.".to_owned()
                    }
                    Outcome::NothingFound => NOTHING_FOUND.to_owned(),
                    Outcome::Partial(why) => format!("the research is partial ({why})."),
                    Outcome::OutOfBudget(why) if Some(why) == cap => "not researched.".to_owned(),
                    Outcome::OutOfBudget(why) => format!("not researched: {why}."),
                    Outcome::Failed(why) => format!("the research failed ({why})."),
                    Outcome::Cancelled => match note {
                        Some(why) => format!("the research was ended ({why})."),
                        None => "the research was cancelled.".to_owned(),
                    },
                };
                let is_absence = matches!(end, Outcome::NothingFound);
                Some(Shortfall { is_absence, ..Shortfall::new(&title, became) })
            });
        let adopted = self.adopted().map_or_else(Vec::new, |plan| self.not_handed_out_of(plan.clone()));
        let mut planned = self.not_handed_out();
        let known: BTreeSet<TaskId> = planned.iter().map(|task| task.id).collect();
        planned.extend(adopted.into_iter().filter(|task| !known.contains(&task.id)));
        let planned = planned.into_iter();
        let planned = planned.map(|task| Shortfall::new(&task.title, "planned, but not handed out."));
        of_tasks.chain(self.left_out()).chain(self.unread()).chain(planned).chain(self.no_room_for()).collect()
    }

    /// Whether a role can search the sources: a member with other tools alone says nothing of them.
    fn searches(&self, role: &Role) -> bool {
        let looks =
            |member: &Member| member.tools.is_empty() || member.tools.iter().any(|tool| builtin::spec(tool).is_some());
        self.team.members.get(role).is_none_or(looks)
    }

    /// Files that could not be read, for teams that need every file.
    fn unread(&self) -> Vec<Shortfall> {
        let corpus = self.transcript.handoff.payload.corpus.as_ref().filter(|_| self.order() == Order::Inspect);
        let skipped = corpus.map_or(&[][..], |corpus| &corpus.skipped);
        skipped.iter().map(|file| Shortfall::new(&file.path, format!("not looked at ({}).", file.why))).collect()
    }

    /// Tasks beyond the most that a plan may have.
    pub(super) fn no_room_for(&self) -> Vec<Shortfall> {
        let most = self.team.most_tasks;
        let planner = self.last_to(Role::PLANNER).and_then(|(turn, planner)| Some((turn, plan_of(planner)?)));
        let planned = planner.map(|(turn, plan)| self.numbered_apart(turn, plan.clone()));
        let (Some(planned), Some(adopted)) = (planned, self.adopted()) else { return Vec::new() };
        let beyond = planned.tasks.iter().skip(most as usize).filter(|task| adopted.task(task.id).is_none());
        // A question that was asked twice is researched once.
        let beyond = adopted.lacks(beyond);
        let became = format!("not researched (a plan has at most {most} tasks).");
        beyond.iter().map(|task| Shortfall::new(&task.title, &*became)).collect()
    }
}
