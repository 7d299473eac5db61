//! Checks a plan for flaws, in about linear time: some six microseconds a task (`benches/plan.rs`).

use std::collections::{BTreeMap, BTreeSet};

use super::flaw::{Flaw, Several, Which};
use super::wording::{Wording, content, number};
use super::{Plan, Task};
use crate::coverage::asks;
use crate::handoff::Colleague;
use crate::id::{Role, TaskId};
use crate::team::Team;
use text::common::share;
use text::{Clean, Named, nearest};

/// A task is too fine if it takes at most this fraction of its supervisor's room.
const TOO_FINE: u64 = 20;
/// A word in more than this share of ordinary text belongs to no domain.
const EVERYWHERE: f64 = 0.02;

/// The requirements on a plan.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The most tasks.
    pub most: usize,
    /// The roles that take tasks, the researcher first.
    pub colleagues: Vec<Colleague>,
    /// The things that the question names.
    pub named: Named,
    /// The question, where a model plans by its words; None where tasks follow from the sources.
    pub question: Option<Clean>,
    /// Tokens that the supervisor of the tasks has room for; None without a model.
    pub room: Option<u64>,
    /// Whether the planner has confirmed the plan, after it was told which tasks hold several: then none is split.
    pub confirmed: bool,
}

impl Bounds {
    /// The requirements of a team.
    pub fn of(team: &Team) -> Bounds {
        let leads = team.members.get(&Role::new(Role::SUPERVISOR)).and_then(|member| member.model.as_ref());
        Bounds {
            most: team.most_tasks as usize,
            colleagues: team.colleagues(),
            named: Named::default(),
            question: None,
            room: leads.and_then(|model| model.context),
            confirmed: false,
        }
    }

    /// With this question, to whose words the tasks are held.
    #[must_use]
    pub fn asking(mut self, question: Clean) -> Bounds {
        self.question = Some(question);
        self
    }

    /// With the points of this question.
    #[must_use]
    pub fn naming(mut self, named: Named) -> Bounds {
        self.named = named;
        self
    }

    pub(super) fn takes_tasks(&self, role: &Role) -> bool {
        self.colleagues.iter().any(|colleague| colleague.role == *role)
    }

    /// The role closest in name to one that the team lacks, else the first that takes tasks.
    pub(super) fn nearest(&self, role: &Role) -> Option<Role> {
        let named = nearest(role.as_str(), self.colleagues.iter().map(|colleague| colleague.role.as_str()));
        named.map(Role::new).or_else(|| self.colleagues.first().map(|colleague| colleague.role.clone()))
    }
}

impl Plan {
    /// All flaws of the plan, in the order of its tasks; those that block it come first.
    pub fn check(&self, bounds: &Bounds) -> Vec<Flaw> {
        let mut flaws = self.blocking_flaws(bounds);
        flaws.extend(self.twice());
        flaws.extend(self.too_fine(bounds));
        flaws.extend(self.too_coarse(bounds));
        flaws.extend(self.coverage_flaws(&bounds.named));
        flaws.extend(self.unrelated(bounds));
        flaws
    }

    /// Tasks that share no word with the question, if others do, and if the question names sides of its things. The words of a
    /// question on a thing at large are not those of its answers.
    pub(super) fn unrelated(&self, bounds: &Bounds) -> Vec<Flaw> {
        let Some(question) = bounds.question.as_ref().filter(|_| !bounds.named.sides.is_empty()) else {
            return Vec::new();
        };
        let asked = Wording::in_stems(question);
        let shares = |task: &&Task| Wording::in_stems(&format!("{} {}", task.title, task.question)).meets(&asked);
        let (own, others): (Vec<&Task>, Vec<&Task>) = self.tasks.iter().partition(shares);
        let others = others.into_iter().filter(|_| !own.is_empty());
        others.map(|task| Flaw::Unrelated { task: Which::of(task) }).collect()
    }

    /// The flaws that make the plan unworkable.
    pub fn blocking_flaws(&self, bounds: &Bounds) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        if self.tasks.is_empty() {
            flaws.push(Flaw::NoTask);
        }
        if self.tasks.len() > bounds.most {
            flaws.push(Flaw::TooMany { tasks: self.tasks.len() as u64, most: bounds.most as u64 });
        }
        let ids: BTreeSet<TaskId> = self.tasks.iter().map(|task| task.id).collect();
        let mut seen = BTreeSet::new();
        for task in &self.tasks {
            if !seen.insert(task.id) {
                flaws.push(Flaw::SameId { task: Which::of(task) });
            }
            if task.question.trim().is_empty() {
                flaws.push(Flaw::Unasked { task: Which::of(task) });
            }
            let unknown = task.after.iter().filter(|id| !ids.contains(id));
            flaws.extend(unknown.map(|after| Flaw::Unknown { task: Which::of(task), after: *after }));
            if !bounds.takes_tasks(&task.role) {
                let nearest = bounds.nearest(&task.role);
                flaws.push(Flaw::Nobody { task: Which::of(task), role: task.role.clone(), nearest });
            }
        }
        for round in self.rounds() {
            let mut tasks: Vec<Which> = round.into_iter().map(|at| Which::of(&self.tasks[at])).collect();
            flaws.push(match tasks.len() {
                2 => {
                    let second = tasks.remove(1);
                    Flaw::WrongCut { tasks: Box::new([tasks.remove(0), second]) }
                }
                _ => Flaw::Cycle { tasks },
            });
        }
        flaws
    }

    /// Tasks that wait for each other, by their place in the plan: the strongly connected parts of more than one task,
    /// and tasks that wait for themselves (Tarjan, without recursion: a plan may be a chain of thousands).
    pub(super) fn rounds(&self) -> Vec<Vec<usize>> {
        let place: BTreeMap<TaskId, usize> =
            self.tasks.iter().enumerate().map(|(at, task)| (task.id, at)).rev().collect();
        let after: Vec<Vec<usize>> =
            self.tasks.iter().map(|task| task.after.iter().filter_map(|id| place.get(id).copied()).collect()).collect();
        let count = self.tasks.len();
        let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
        let mut on_stack = vec![false; count];
        let (mut stack, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        let mut rounds = Vec::new();
        let mut next = 0;
        for root in 0..count {
            if index[root] != usize::MAX {
                continue;
            }
            path.push((root, 0));
            while let Some((at, edge)) = path.pop() {
                if edge == 0 {
                    (index[at], low[at], on_stack[at]) = (next, next, true);
                    next += 1;
                    stack.push(at);
                }
                if let Some(other) = after[at].get(edge).copied() {
                    path.push((at, edge + 1));
                    if index[other] == usize::MAX {
                        path.push((other, 0));
                    } else if on_stack[other] {
                        low[at] = low[at].min(index[other]);
                    }
                    continue;
                }
                if let Some((before, _)) = path.last() {
                    low[*before] = low[*before].min(low[at]);
                }
                if low[at] == index[at] {
                    let from = stack.iter().rposition(|on| *on == at).unwrap_or(0);
                    let mut round = stack.split_off(from);
                    round.iter().for_each(|left| on_stack[*left] = false);
                    round.sort_unstable();
                    if round.len() > 1 || after[at].contains(&at) {
                        rounds.push(round);
                    }
                }
            }
        }
        rounds.sort_unstable();
        rounds
    }

    /// The tasks among these whose words are those of no task of this plan: nothing here asks the same.
    pub fn lacks<'t>(&self, others: impl Iterator<Item = &'t Task>) -> Vec<&'t Task> {
        let ours: Vec<Wording> = self.tasks.iter().map(asks).collect();
        others.filter(|other| !ours.contains(&asks(other))).collect()
    }

    /// A task of this role that asks the same already, in these words or in others.
    pub fn asks_already(&self, role: &Role, title: &str, question: &str) -> Option<&Task> {
        let same = |a: &str, b: &str| match (Wording::in_stems(a), Wording::in_stems(b)) {
            (a_words, b_words) if a_words.is_empty() && b_words.is_empty() => a.trim().eq_ignore_ascii_case(b.trim()),
            (a_words, b_words) => a_words == b_words,
        };
        let whole = |title: &str, question: &str| format!("{title} {question}");
        let is_other = |task: &Task| differ_by_title(&task.title, title, &Wording::of(question));
        let asks = |task: &&Task| {
            let in_words =
                same(&task.question, question) || same(&whole(&task.title, &task.question), &whole(title, question));
            in_words && !is_other(task)
        };
        self.tasks.iter().filter(|task| task.role == *role).find(asks)
    }

    /// Tasks that ask the same as an earlier one.
    fn twice(&self) -> Vec<Flaw> {
        let mut known: BTreeMap<(Wording, u64), Vec<usize>> = BTreeMap::new();
        let mut flaws = Vec::new();
        for (at, task) in self.tasks.iter().enumerate() {
            let question = Wording::of(&task.question);
            let asks = if question.is_empty() { Wording::of(&task.title) } else { question };
            if asks.is_empty() {
                continue;
            }
            let alike = known.entry((asks.clone(), distinction(task))).or_default();
            match alike.iter().find(|other| !differ_by_title(&task.title, &self.tasks[**other].title, &asks)) {
                Some(other) => {
                    flaws.push(Flaw::Twice { task: Which::of(task), of: Which::of(&self.tasks[*other]) });
                }
                None => alike.push(at),
            }
        }
        flaws
    }

    /// Tasks that are, by their own estimate, too small to hand over.
    fn too_fine(&self, bounds: &Bounds) -> Vec<Flaw> {
        let Some(room) = bounds.room.filter(|_| self.tasks.len() > 1) else { return Vec::new() };
        let small = |task: &&Task| tokens(task).is_some_and(|tokens| tokens <= room / TOO_FINE);
        let flaw = |task: &Task| Flaw::TooFine { task: Which::of(task), tokens: tokens(task).unwrap_or(0), room };
        self.tasks.iter().filter(small).map(flaw).collect()
    }

    fn too_coarse(&self, bounds: &Bounds) -> Vec<Flaw> {
        let things: Vec<(&Clean, Wording)> = bounds
            .named
            .things
            .iter()
            .map(|thing| (thing, Wording::of(thing)))
            .filter(|(_, words)| !words.is_empty())
            .collect();
        let domains = domains(&bounds.colleagues);
        if bounds.confirmed || things.len() < 2 && domains.len() < 2 {
            return Vec::new();
        }
        let titles: Vec<Wording> = self.tasks.iter().map(|task| Wording::of(&task.title)).collect();
        let named =
            |words: &Wording| -> Vec<usize> { (0..things.len()).filter(|n| words.names(&things[*n].1)).collect() };
        // A thing has a task of its own if the title of one names it and no other.
        let own: BTreeSet<usize> =
            titles.iter().map(named).filter_map(|named| if let [one] = named[..] { Some(one) } else { None }).collect();
        let asked: BTreeSet<(&Role, &Clean)> = self.tasks.iter().map(|task| (&task.role, &task.question)).collect();
        let mut flaws = Vec::new();
        for (task, title) in self.tasks.iter().zip(&titles) {
            let words = title.with(&Wording::of(&task.question));
            let several: Vec<usize> = named(&words).into_iter().filter(|n| !own.contains(n)).collect();
            if several.len() > 1 {
                let holds = several.into_iter().map(|n| things[n].0.clone()).collect();
                flaws.push(Flaw::TooCoarse { task: Which::of(task), holds, what: Several::Compared });
                continue;
            }
            let crossed: Vec<&Role> =
                domains.iter().filter(|(_, domain)| words.meets(domain)).map(|(role, _)| *role).collect();
            // If each domain has a task with this question, it has been cut.
            let cut = crossed.iter().all(|role| asked.contains(&(*role, &task.question)));
            if crossed.len() > 1 && !cut {
                let holds = crossed.into_iter().map(|role| role.as_str().into()).collect();
                flaws.push(Flaw::TooCoarse { task: Which::of(task), holds, what: Several::Domains });
            }
        }
        flaws
    }
}

fn tokens(task: &Task) -> Option<u64> {
    task.estimate.map(|estimate| estimate.tokens()).filter(|tokens| *tokens > 0)
}

/// A key of the properties that distinguish tasks of one question besides their titles: role, aspects and sections.
fn distinction(task: &Task) -> u64 {
    let mut key = task.role.to_string();
    for aspect in &task.aspects {
        key.push('\n');
        key.push_str(aspect);
    }
    if let Some(within) = &task.within {
        key.push_str(&format!("\n{} {} {}", within.source, within.from, within.to));
    }
    number(&key)
}

/// Whether two titles name different parts of a question that both tasks ask: "the keyboard layout and the language".
fn differ_by_title(a: &str, b: &str, asks: &Wording) -> bool {
    let (a, b) = (Wording::of(a), Wording::of(b));
    a != b && asks.names(&a) && asks.names(&b) && asks != &a && asks != &b
}

/// For each specialist but the researcher, the rare words that only its own description uses.
fn domains(colleagues: &[Colleague]) -> Vec<(&Role, Wording)> {
    let special: Vec<&Colleague> =
        colleagues.iter().filter(|colleague| colleague.role.as_str() != Role::RESEARCHER).collect();
    let words_of: Vec<Wording> = special
        .iter()
        .map(|colleague| {
            let rare: Vec<String> = content(&colleague.description).filter(|word| share(word) < EVERYWHERE).collect();
            Wording::of(&rare.join(" ")).with(&Wording::of(&colleague.role.as_str().replace('-', " ")))
        })
        .collect();
    let others = |n: usize| {
        let others = words_of.iter().enumerate().filter(|(other, _)| *other != n);
        others.fold(Wording::default(), |all, (_, words)| all.with(words))
    };
    special.iter().enumerate().map(|(n, colleague)| (&colleague.role, words_of[n].without(&others(n)))).collect()
}
