//! Answers the question whole: points without a finding are searched for once more by name, and points still missing are listed
//! under the gaps of the brief, each with the attempts on it.
//!
//! The searched points are read from the reports, which have them from the recorded calls.

use std::collections::{BTreeMap, BTreeSet};

use super::Progress;
use run::brief::Draft;
use run::coverage::{Coverage, Point};
use run::finding::Standing;
use run::id::{Role, TaskId};
use run::join::Join;
use run::plan::{Plan, Task};
use run::team::Kind;
use run::transcript::Sent;
use text::named::MOST_THINGS;
use text::{Clean, Named};

/// The most follow-up tasks.
const MOST: usize = 8;
/// Turns that must be left for follow-up tasks.
const LEAST_TURNS: u32 = 16;

/// The reason why a point of the question is missing from the brief.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Missing {
    /// It was searched for by name.
    Absent,
    /// It was searched for by name, and its task found something that does not name it.
    Unnamed,
    /// It was not searched for by name.
    Unsearched,
    /// The quote of each finding on it is in no source.
    Unquoted,
    /// The person did not approve the findings on it.
    Dropped,
    /// It has approved findings that the brief does not use.
    Unwritten,
}

/// The points of the question and their state. Computed from the words of every finding, so once a step.
pub(super) struct Known {
    coverage: Coverage,
    /// Points that were searched for by name.
    searched: BTreeSet<Point>,
    /// Points without a finding.
    unfound: Vec<Point>,
    /// Points of those whose findings have a quote that is in no source.
    unquoted: BTreeSet<Point>,
    /// Points of tasks for which a model found something.
    researched: Vec<Point>,
    /// Whether there is any finding.
    is_any: bool,
}

impl<'a> Progress<'a> {
    /// The points and their state; None if the question names nothing.
    fn known(&self) -> Option<&Known> {
        let read = || {
            let coverage = Coverage::of(self.named()?, self.adopted());
            let mut found = self.adopted().map_or_else(Vec::new, |plan| self.gathered(plan));
            let (unfound, is_any) = (coverage.without_finding(found.iter()), !found.is_empty());
            // Rules find by the words of the question; a model's finding may say the same in others.
            let usable = found.iter().filter(|finding| self.looks_by_model() && finding.usable());
            let researched = coverage.researched(usable);
            found.retain(|finding| finding.standing == Standing::Unquoted);
            let subjects = coverage.reads(found.iter());
            let told_of = |point: &&Point| !coverage.about(point, &subjects).is_empty();
            let unquoted = unfound.iter().filter(told_of).cloned().collect();
            Some(Known { unfound, unquoted, researched, searched: self.searched(), coverage, is_any })
        };
        self.known.get_or_init(read).as_ref()
    }

    /// The points that the question names; None if it names nothing.
    pub(crate) fn coverage(&self) -> Option<&Coverage> {
        self.known().map(|known| &known.coverage)
    }

    /// Whether a model does the research.
    fn looks_by_model(&self) -> bool {
        let role = Role::new(self.order().looks());
        self.team.members.get(&role).is_some_and(|member| member.kind == Kind::Model)
    }

    /// The things that the question names, as read when the run began.
    pub(crate) fn named(&self) -> Option<&'a Named> {
        self.transcript.handoff.payload.named.as_ref()
    }

    /// Points searched for by name so far.
    pub(super) fn searched(&self) -> BTreeSet<Point> {
        let reports = self.transcript.sent().filter_map(|sent: &Sent| sent.report.as_ref());
        reports.flat_map(|(_, report)| report.payload.searched().iter().cloned()).collect()
    }

    /// Points without a finding that were not searched for by name.
    pub(crate) fn not_looked_for(&self) -> Vec<Point> {
        let Some(known) = self.known() else { return Vec::new() };
        let open = known.unfound.iter().filter(|point| !known.searched.contains(point));
        let open: Vec<Point> = open.cloned().collect();
        without_sides_of(&open)
    }

    /// Titles of tasks that the question names and that were not searched for by name.
    pub(super) fn titles_not_searched_for(&self) -> BTreeSet<Clean> {
        let (Some(known), Some(plan)) = (self.known(), self.adopted()) else { return BTreeSet::new() };
        let is_unsearched = |title: &Clean| {
            let named = known.coverage.named_in(title);
            !named.is_empty() && named.iter().all(|point| !known.searched.contains(point))
        };
        plan.tasks.iter().map(|task| task.title.clone()).filter(is_unsearched).collect()
    }

    /// Titles of tasks on which another task found something: on the points in the title, or on a part of the question
    /// that the task asks whole.
    pub(super) fn titles_found(&self) -> BTreeSet<Clean> {
        let (Some(known), Some(plan)) = (self.known(), self.adopted()) else { return BTreeSet::new() };
        let question = self.transcript.handoff.payload.question.as_ref();
        let is_found = |task: &&Task| {
            let named = known.coverage.named_in(&task.title);
            known.is_any && Some(&task.question) == question
                || !named.is_empty() && named.iter().all(|point| !known.unfound.contains(point))
        };
        plan.tasks.iter().filter(is_found).map(|task| task.title.clone()).collect()
    }

    /// The plan with a follow-up task for each thing without a finding or with sides that were not searched for; None
    /// if none is needed. Follow-ups come once a run, and not where the same rules have already searched for the same
    /// name.
    pub(super) fn with_follow_ups(&self, plan: &Plan) -> Option<Plan> {
        let (named, Known { coverage, .. }) = (self.named()?, self.known()?);
        let is_late = self.turns_left <= LEAST_TURNS || self.last_answer().is_some();
        if is_late
            || self.order().is_alone()
            || plan.tasks.iter().any(|task| task.follows_up)
            || matches!(self.team.joins.merge, Join::AtLeast(_))
        {
            return None;
        }
        let (found, searched) = (self.gathered(plan), self.searched());
        let open = coverage.without_finding(found.iter());
        let role = Role::new(self.order().looks());
        let by_model = self.looks_by_model();
        let short = self.standing().into_iter().filter(|attempt| attempt.is_short());
        let ended_short: Vec<Point> = short.flat_map(|attempt| coverage.named_in(&attempt.title)).collect();
        let planned: Vec<Point> = plan.tasks.iter().flat_map(|task| coverage.named_in(&task.title)).collect();
        let mut wanted: BTreeMap<usize, (Clean, Vec<Clean>)> = BTreeMap::new();
        for (at, point) in coverage.points().enumerate().filter(|(_, point)| open.contains(point)) {
            let thing = point.thing();
            let is_year = named.years.contains(&point.name);
            // A task ended by a cap or a failure is not repeated, under any title: the brief reports it.
            let fell_short = ended_short.iter().any(|short| short.thing() == thing);
            // A task that the person removed stays out.
            let is_planned = planned.iter().any(|planned| planned.thing() == thing);
            if is_year || fell_short || self.team.check_plan && !is_planned {
                continue;
            }
            let is_searched = searched.contains(point);
            // A question of a list, or a clause, would be asked in the same words.
            let by_model = by_model && named.questions.is_empty() && named.clauses.is_empty();
            match &point.of {
                None if !is_searched || by_model => {
                    wanted.insert(at, (thing.clone(), Vec::new()));
                }
                // A thing without any finding is asked for whole.
                Some(_) if !is_searched && !open.iter().any(|point| point.of.is_none() && point.name == *thing) => {
                    let known = wanted.values_mut().find(|(name, _)| name == thing);
                    match known {
                        Some((_, sides)) => sides.push(point.name.clone()),
                        None => {
                            wanted.insert(at, (thing.clone(), vec![point.name.clone()]));
                        }
                    }
                }
                _ => {}
            }
        }
        let room = (self.team.most_tasks as usize).saturating_sub(plan.tasks.len()).min(MOST);
        let numbers = self.plans().flat_map(|(_, plan)| &plan.tasks).map(|task| task.id.0).max().unwrap_or(0);
        let mut grown = plan.clone();
        for ((thing, sides), n) in wanted.into_values().take(room).zip(1..) {
            grown.tasks.push(follow_up(TaskId(numbers + n), &role, named, &thing, &sides));
        }
        (grown.tasks.len() > plan.tasks.len()).then(|| self.settled(grown))
    }

    /// Points without an approved finding, a sentence each; those that `said` already names are left out. On a side that was
    /// searched for and has a task with findings, one of them may tell in other words: only a brief shows whether it does.
    pub(super) fn not_found(&self, said: &[Clean]) -> Vec<Clean> {
        let Some(known) = self.known() else { return Vec::new() };
        let may_be_told =
            |point: &Point| point.of.is_some() && known.searched.contains(point) && known.researched.contains(point);
        let open = known.coverage.without_finding(self.approved().iter()).into_iter();
        let open: Vec<Point> = open.filter(|point| !may_be_told(point)).collect();
        known.in_words(&open, &open, said).into_iter().chain(self.things_without_room()).collect()
    }

    /// The things at the end of a list that is too long to be read to its end, in a sentence; None if none were left out.
    fn things_without_room(&self) -> Option<Clean> {
        let left_out = self.named().map(|named| &named.left_out[..]).filter(|left_out| !left_out.is_empty())?;
        let names: Vec<&str> = left_out.iter().map(Clean::as_str).collect();
        let names = names.join(", ");
        Some(format!("Not researched, because the question names more than {MOST_THINGS} things: {names}.").into())
    }

    /// Adds to the gaps each task that fell short and each point that the draft does not answer, and removes gaps that
    /// claim more than was searched for. A writer may have omitted them.
    pub(super) fn say_what_is_missing(&self, draft: &mut Draft) {
        let known = self.known();
        if let Some(known) = known {
            let shortfalls = self.shortfalls();
            let is_searched =
                |gap: &Clean| known.coverage.named_in(gap).iter().all(|point| known.searched.contains(point));
            draft.gaps.retain(|gap| shortfalls.contains(gap) || is_searched(gap));
            self.forget_what_was_withheld(draft);
        }
        for shortfall in self.of_tasks(None) {
            if shortfall.is_told_in(draft) {
                draft.gaps.retain(|gap| *gap != shortfall.line());
            } else if !draft.gaps.iter().any(|gap| shortfall.is_said(gap)) {
                draft.gaps.push(shortfall.line());
            }
        }
        let Some(known) = known else { return };
        let approved = self.approved();
        let open = known.coverage.unanswered(draft, approved.iter());
        let unapproved = if open.is_empty() { Vec::new() } else { known.coverage.without_finding(approved.iter()) };
        let more = known.in_words(&open, &unapproved, &draft.gaps);
        draft.gaps.extend(more);
        draft.gaps.extend(self.things_without_room().filter(|line| !draft.gaps.contains(line)));
        if let Some(number) = self.named().and_then(|named| named.number) {
            let answered: BTreeSet<Option<TaskId>> = draft
                .cited()
                .filter_map(|id| approved.iter().find(|finding| finding.id == id))
                .map(|finding| finding.task)
                .collect();
            if answered.len() < number as usize {
                let what =
                    format!("{number} things were to be compared; this brief cites something on {}.", answered.len());
                draft.gaps.push(what.into());
            }
        }
    }
}

impl Known {
    /// A sentence for each missing thing, or for a side of several things, with the reason. `unapproved` are the points
    /// without an approved finding.
    fn in_words(&self, open: &[Point], unapproved: &[Point], said: &[Clean]) -> Vec<Clean> {
        let named: BTreeSet<Point> = said.iter().flat_map(|gap| self.coverage.named_in(gap)).collect();
        // A thing is told with all of its sides.
        let has_all_sides_told = |thing: &Point| {
            let mut sides = self.coverage.points().filter(|side| side.of.as_ref() == Some(&thing.name)).peekable();
            sides.peek().is_some() && sides.all(|side| named.contains(side))
        };
        let is_told = |point: &Point| {
            let thing = point.of.as_ref().map(|of| Point { name: of.clone(), of: None });
            named.contains(point) || thing.is_some_and(|thing| named.contains(&thing)) || has_all_sides_told(point)
        };
        let became = |point: &Point| match () {
            () if !unapproved.contains(point) => Missing::Unwritten,
            () if !self.unfound.contains(point) => Missing::Dropped,
            () if self.unquoted.contains(point) => Missing::Unquoted,
            () if self.searched.contains(point) && self.researched.contains(point) => Missing::Unnamed,
            () if self.searched.contains(point) => Missing::Absent,
            () => Missing::Unsearched,
        };
        let mut lines: Vec<(Point, Missing, Vec<Clean>)> = Vec::new();
        for point in without_sides_of(open).into_iter().filter(|point| !is_told(point)) {
            let became = became(&point);
            let same = |line: &&mut (Point, Missing, Vec<Clean>)| {
                point.of.is_some() && line.0.of.is_some() && line.0.name == point.name && line.1 == became
            };
            match lines.iter_mut().find(same) {
                Some((.., things)) => things.extend(point.of),
                None => {
                    let things = point.of.clone().into_iter().collect();
                    lines.push((point, became, things));
                }
            }
        }
        lines.into_iter().map(|(point, became, things)| line(&point, became, &things)).collect()
    }
}

fn line(point: &Point, became: Missing, things: &[Clean]) -> Clean {
    let of = match things.split_last() {
        Some((last, [])) => format!("“{}” of {last}", point.name),
        Some((last, before)) => {
            let before: Vec<&str> = before.iter().map(Clean::as_str).collect();
            format!("“{}” of {} and {last}", point.name, before.join(", "))
        }
        None => point.name.trim_end_matches('?').to_string(),
    };
    Clean::line(&match became {
        Missing::Absent if things.is_empty() => format!("{of}: nothing was found in the sources."),
        Missing::Absent => format!("Nothing was found on {of}."),
        Missing::Unnamed => format!("{of}: no sentence of this brief names it."),
        Missing::Unsearched => format!("{of}: not researched (it was not searched for by its own name)."),
        Missing::Unquoted => format!("{of}: what was found is not in the words of a source, and was left out."),
        Missing::Dropped => format!("{of}: what was found was not approved."),
        Missing::Unwritten => format!("{of}: something was found, and is not in this brief."),
    })
}

/// Points without the sides of things that are missing whole.
fn without_sides_of(open: &[Point]) -> Vec<Point> {
    let is_whole = |of: &Clean| open.iter().any(|point| point.of.is_none() && point.name == *of);
    open.iter().filter(|point| !point.of.as_ref().is_some_and(is_whole)).cloned().collect()
}

/// A task that searches once more for a thing, or for sides of it, by name.
fn follow_up(id: TaskId, role: &Role, named: &Named, thing: &Clean, sides: &[Clean]) -> Task {
    let list = |sides: &[Clean]| sides.iter().map(Clean::as_str).collect::<Vec<_>>().join(", ");
    let is_question = named.is_question(thing);
    let title = if sides.is_empty() { thing.to_string() } else { format!("{thing}: {}", list(sides)) };
    let asks = match sides.is_empty() {
        _ if is_question => thing.to_string(),
        true if named.sides.is_empty() => format!("What do the sources say of {thing}? Search for it by this name."),
        true => format!("What do the sources say of {thing}: {}? Search for it by this name.", list(&named.sides)),
        false => format!("What do the sources say of {thing}: {}? Search for it by these names.", list(sides)),
    };
    Task {
        role: role.clone(),
        topic: if is_question { Vec::new() } else { vec![thing.clone()] },
        aspects: sides.to_vec(),
        follows_up: true,
        ..Task::new(id, Clean::line(&title), Clean::line(&asks))
    }
}
