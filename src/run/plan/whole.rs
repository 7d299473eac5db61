//! Checks whether a plan covers the question: points without a task, sides that a task leaves out, sides cut as things,
//! several slivers of one fact. Mends these by rule.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Bounds;
use super::flaw::{Flaw, Which};
use super::wording::Wording;
use super::{Plan, Task};
use crate::coverage::{asks, asks_in_stems, is_near, of_clause, tells_of};
use crate::id::{Role, TaskId};
use text::{Clean, Named};

/// The fewest tasks on one thing, without a side, that are slivers.
const SLIVERS: usize = 3;
/// The most questions of a list that are looked for in the words of every task.
const LOOKED_FOR: usize = 50;

/// The things and sides that a task names, as indexes in the question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    things: Vec<usize>,
    sides: Vec<usize>,
    years: Vec<usize>,
}

/// The names in the question, as words.
struct Names {
    things: Vec<Wording>,
    sides: Vec<Wording>,
    years: Vec<Wording>,
}

impl Names {
    fn of(named: &Named) -> Names {
        let words = |of: &[Clean]| of.iter().map(|name| Wording::of(name)).collect();
        Names { things: words(&named.things), sides: words(&named.sides), years: words(&named.years) }
    }

    fn within(of: &[Wording], text: &Wording) -> Vec<usize> {
        (0..of.len()).filter(|at| text.names(&of[*at])).collect()
    }

    /// The subject of a task: by its title, topic and aspects; if these name nothing, by its question.
    fn key(&self, task: &Task) -> Key {
        let mut own = task.title.to_string();
        task.topic.iter().chain(&task.aspects).for_each(|more| {
            own.push(' ');
            own.push_str(more);
        });
        let (own, asked) = (Wording::of(&own), Wording::of(&task.question));
        let named = |of: &[Wording]| match Names::within(of, &own) {
            none if none.is_empty() => Names::within(of, &asked),
            some => some,
        };
        // A name that contains another ("apt-get" and "apt") does not name the shorter one.
        let things = named(&self.things);
        let is_part =
            |at: &usize| things.iter().any(|other| other != at && self.things[*other].names(&self.things[*at]));
        let things = things.iter().copied().filter(|at| !is_part(at)).collect();
        Key { things, sides: named(&self.sides), years: named(&self.years) }
    }
}

impl Plan {
    /// The flaws that keep the plan from covering the question.
    pub(super) fn coverage_flaws(&self, named: &Named) -> Vec<Flaw> {
        if named.is_empty() || self.tasks.is_empty() {
            return Vec::new();
        }
        let names = Names::of(named);
        let asked: Vec<Wording> = self.tasks.iter().map(asks).collect();
        let keys: Vec<Key> = self.tasks.iter().map(|task| names.key(task)).collect();
        let mut flaws = Vec::new();
        let missing = self.missing(named, &names, &asked);
        if !missing.is_empty() {
            flaws.push(Flaw::Missing { names: missing });
        }
        flaws.extend(self.sides_alone(named, &keys));
        flaws.extend(self.lacks_sides(named, &names, &asked));
        flaws.extend(self.slivers(named, &keys));
        if let Some(number) = named.number.filter(|number| self.tasks.len() < *number as usize) {
            flaws.push(Flaw::TooFew { tasks: self.tasks.len() as u64, asked: number.into() });
        }
        flaws
    }

    /// Things, questions, clauses and years that no task names; sides too, if the question has no things.
    fn missing(&self, named: &Named, names: &Names, asked: &[Wording]) -> Vec<Clean> {
        let is_asked = |words: &Wording| words.is_empty() || asked.iter().any(|task| task.names(words));
        let open = |of: &[Clean], words: &[Wording]| -> Vec<Clean> {
            of.iter().zip(words).filter(|(_, words)| !is_asked(words)).map(|(name, _)| name.clone()).collect()
        };
        let mut missing = open(&named.things, &names.things);
        if named.things.is_empty() {
            missing.extend(open(&named.sides, &names.sides));
        }
        missing.extend(open(&named.years, &names.years));
        let own: BTreeSet<&str> =
            self.tasks.iter().flat_map(|task| [task.question.as_str(), task.title.as_str()]).collect();
        let left: Vec<&Clean> = named.questions.iter().filter(|question| !own.contains(question.as_str())).collect();
        let near = |question: &Wording| question.is_empty() || asked.iter().any(|task| is_near(task, question));
        match left.len() > LOOKED_FOR {
            true => missing.extend(left.into_iter().cloned()),
            false => missing.extend(left.into_iter().filter(|question| !near(&Wording::of(question))).cloned()),
        }
        if !named.clauses.is_empty() {
            let stems: Vec<Wording> = self.tasks.iter().map(asks_in_stems).collect();
            let is_left = |words: &Wording| !words.is_empty() && !stems.iter().any(|task| task.meets(words));
            missing.extend(named.clauses.iter().filter(|clause| is_left(&of_clause(clause))).cloned());
        }
        missing
    }

    /// Tasks that name a side and no thing, beside tasks that name things.
    fn sides_alone(&self, named: &Named, keys: &[Key]) -> Vec<Flaw> {
        let of_things = keys.iter().any(|key| !key.things.is_empty());
        if named.things.len() < 2 || !of_things {
            return Vec::new();
        }
        let alone = self.tasks.iter().zip(keys).filter(|(_, key)| key.things.is_empty() && !key.sides.is_empty());
        alone.map(|(task, _)| Flaw::SideAlone { task: Which::of(task), of: named.things.clone() }).collect()
    }

    /// For each thing with a task, the sides that none of its tasks asks for; reported for its first task.
    fn lacks_sides(&self, named: &Named, names: &Names, asked: &[Wording]) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let stems: Vec<Wording> = self.tasks.iter().map(asks_in_stems).collect();
        for thing in &names.things {
            let own: Vec<usize> = (0..asked.len()).filter(|at| asked[*at].names(thing)).collect();
            let Some(first) = own.first() else { continue };
            let of_none = |task: &Wording| !names.things.iter().any(|thing| task.names(thing));
            let is_asked = |(side, words): (&Clean, &Wording)| {
                let tells = |at: usize| asked[at].names(words) || tells_of(&stems[at], side);
                (0..asked.len()).any(|at| (own.contains(&at) || of_none(&asked[at])) && tells(at))
            };
            let lacks: Vec<Clean> = named
                .sides
                .iter()
                .zip(&names.sides)
                .filter(|(side, words)| !words.is_empty() && !is_asked((side, words)))
                .map(|(side, _)| side.clone())
                .collect();
            if !lacks.is_empty() {
                flaws.push(Flaw::LacksSides { task: Which::of(&self.tasks[*first]), lacks });
            }
        }
        flaws
    }

    /// Tasks with the same things and sides, between which the question makes no difference.
    fn slivers(&self, named: &Named, keys: &[Key]) -> Vec<Flaw> {
        let mut alike: BTreeMap<(&Role, &Key), Vec<&Task>> = BTreeMap::new();
        for (task, key) in
            self.tasks.iter().zip(keys).filter(|(task, key)| is_plain(task, named) && key.things.len() == 1)
        {
            alike.entry((&task.role, key)).or_default().push(task);
        }
        let mut flaws: Vec<Flaw> = Vec::new();
        for ((_, key), tasks) in alike {
            let exact = key.sides.len() + key.years.len() > 0;
            if tasks.len() < if exact { 2 } else { SLIVERS } {
                continue;
            }
            let sides: Vec<&str> = key.sides.iter().map(|at| named.sides[*at].as_str()).collect();
            let thing = &named.things[key.things[0]];
            let of =
                if sides.is_empty() { thing.clone() } else { Clean::line(&format!("{thing}: {}", sides.join(", "))) };
            flaws.push(Flaw::Slivers { tasks: tasks.into_iter().map(Which::of).collect(), of });
        }
        flaws
    }

    /// The flaws in how the plan is cut: slivers of one fact, sides cut as things.
    pub fn cut_flaws(&self, named: &Named) -> Vec<Flaw> {
        let flaws = self.coverage_flaws(named).into_iter();
        flaws.filter(|flaw| matches!(flaw, Flaw::Slivers { .. } | Flaw::SideAlone { .. })).collect()
    }

    /// The plan without the flaws of [`Plan::cut_flaws`]; every other task keeps its number.
    #[must_use]
    pub fn recut(&self, named: &Named) -> Plan {
        let mut plan = self.clone();
        let has_side_alone = self.coverage_flaws(named).iter().any(|flaw| matches!(flaw, Flaw::SideAlone { .. }));
        plan.join_slivers(named);
        for flaw in plan.coverage_flaws(named).into_iter().filter(|_| has_side_alone) {
            if let Flaw::LacksSides { task, lacks } = flaw {
                plan.add_sides(task.id, lacks, named);
            }
        }
        plan
    }

    /// Joins slivers into one task, and moves sides into the tasks of their things.
    pub(super) fn join_slivers(&mut self, named: &Named) {
        for flaw in self.coverage_flaws(named) {
            match flaw {
                Flaw::Slivers { tasks, of } => {
                    let [first, others @ ..] = &tasks[..] else { continue };
                    let into: BTreeMap<TaskId, TaskId> = others.iter().map(|task| (task.id, first.id)).collect();
                    into.keys().for_each(|from| self.fold_in(*from, first.id, true));
                    if let Some(task) = self.tasks.iter_mut().find(|task| task.id == first.id) {
                        task.title = of;
                    }
                    self.replace(&into);
                }
                Flaw::SideAlone { task, .. } => {
                    // Without the task of the side its things lack the side: add it there.
                    let Some(at) = self.tasks.iter().position(|known| known.id == task.id) else { continue };
                    self.tasks.remove(at);
                }
                _ => {}
            }
        }
        self.forget_unknown();
    }

    /// Adds missing sides to tasks, and a task for each thing without one, as far as there is room.
    pub(super) fn complete(&mut self, bounds: &Bounds) {
        for flaw in self.coverage_flaws(&bounds.named) {
            match flaw {
                Flaw::LacksSides { task, lacks } => self.add_sides(task.id, lacks, &bounds.named),
                Flaw::Missing { names } => {
                    let years: Vec<Clean> =
                        names.iter().filter(|name| bounds.named.years.contains(name)).cloned().collect();
                    if !years.is_empty() {
                        for task in &mut self.tasks {
                            task.question = Clean::line(&format!("{} ({})", task.question, joined(&years)));
                        }
                    }
                    for name in names.iter().filter(|name| !years.contains(name)) {
                        self.add(name, bounds);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds sides to a task's question. If it is the only task on the thing, it is named after the thing.
    fn add_sides(&mut self, id: TaskId, lacks: Vec<Clean>, named: &Named) {
        let names = Names::of(named);
        let keys: Vec<Key> = self.tasks.iter().map(|task| names.key(task)).collect();
        let Some(at) = self.tasks.iter().position(|task| task.id == id) else { return };
        let own = keys[at].things.first().filter(|_| keys[at].things.len() == 1);
        let only = own.filter(|own| keys.iter().filter(|key| key.things.contains(own)).count() == 1);
        let task = &mut self.tasks[at];
        let asks_already = !task.aspects.is_empty();
        task.question = Clean::line(&format!("{} ({})", task.question, joined(&lacks)));
        if let Some(own) = only {
            let thing = &named.things[*own];
            if !Wording::of(&task.question).names(&names.things[*own]) {
                task.question = Clean::line(&format!("{thing}: {}", task.question));
            }
            (task.title, task.topic) = (thing.clone(), vec![thing.clone()]);
            task.aspects = named.sides.clone();
        } else if asks_already {
            task.aspects.extend(lacks);
        }
    }

    /// Adds a task for a point of the question, at its place in the question.
    fn add(&mut self, name: &Clean, bounds: &Bounds) {
        if self.tasks.len() >= bounds.most {
            return;
        }
        let Named { things, sides, questions, clauses, .. } = &bounds.named;
        let is_thing = things.contains(name);
        let is_question = bounds.named.is_question(name);
        let question = match (is_thing, sides.is_empty(), is_question) {
            (true, false, _) => format!("{name}: {}", joined(sides)),
            (true, true, _) => format!("{name}: what it is, what speaks for it and against it"),
            (_, _, true) => name.to_string(),
            _ => format!("{name}: what there is to be said of it"),
        };
        let role = bounds.colleagues.first().map_or(Role::new(Role::RESEARCHER), |first| first.role.clone());
        let task = Task {
            role,
            topic: if is_thing { vec![name.clone()] } else { Vec::new() },
            aspects: if is_thing { sides.clone() } else { Vec::new() },
            ..Task::new(self.next_id(), name.clone(), Clean::line(&question))
        };
        // After the task of the preceding point.
        let before: Vec<&Clean> =
            things.iter().chain(questions).chain(clauses).take_while(|other| *other != name).collect();
        let place = self.tasks.iter().rposition(|task| {
            let (title, stems) = (Wording::of(&task.title), Wording::of_stems(&task.title));
            before.iter().any(|other| match clauses.contains(other) {
                true => stems.meets(&of_clause(other)),
                false => title.names(&Wording::of(other)),
            })
        });
        let first = before.is_empty() && (is_thing || is_question);
        let at = place.map_or(if first { 0 } else { self.tasks.len() }, |at| at + 1);
        self.tasks.insert(at, task);
    }

    /// Removes tasks that were merged; their dependents wait for the tasks they were merged into.
    fn replace(&mut self, into: &BTreeMap<TaskId, TaskId>) {
        self.tasks.retain(|task| !into.contains_key(&task.id));
        for id in self.tasks.iter_mut().flat_map(|task| &mut task.after) {
            if let Some(to) = into.get(id) {
                *id = *to;
            }
        }
    }
}

/// Whether only its words distinguish a task: it has no section of a source and no sides of its own.
fn is_plain(task: &Task, named: &Named) -> bool {
    task.within.is_none()
        && task.apart.is_empty()
        && !task.follows_up
        && task.aspects.iter().all(|aspect| named.sides.iter().any(|side| side.eq_ignore_ascii_case(aspect)))
}

fn joined(names: &[Clean]) -> String {
    names.iter().map(Clean::as_str).collect::<Vec<_>>().join(", ")
}
