//! Checks whether a question is answered whole: for each point that it names, whether it has a finding, whether it was
//! searched for by name, and whether a brief cites something on it or lists it as missing.
//!
//! Checks words only, and leniently: a text that contains the words of a name, in any of their forms, is about it. Gates and the
//! supervisor decide on the consequences.

mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::brief::{Draft, Sentence};
use super::finding::Finding;
use super::id::{FindingId, TaskId};
use super::plan::{Plan, Task, Wording};
use super::tool::builtin::Search;
use super::transcript::{CallEnd, Transcript};
use text::identifiers::identifiers;
use text::named::telling;
use text::{Clean, Named};

/// The most questions of a list that are checked.
const MOST: usize = 200;

/// A point that a question names: a thing, a side, a side of a thing, a year, a question of a list, or a clause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// Its name in the question.
    pub name: Clean,
    /// The thing of which it is a side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Clean>,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            Some(of) => write!(f, "{} of {of}", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}

impl Point {
    fn new(name: &Clean, of: Option<&Clean>) -> Point {
        Point { name: name.clone(), of: of.cloned() }
    }

    /// The thing it belongs to; a thing belongs to itself, as does a side of no thing.
    pub fn thing(&self) -> &Clean {
        self.of.as_ref().unwrap_or(&self.name)
    }
}

/// A point, with its words.
struct Wanted {
    point: Point,
    name: Wording,
    /// Other words by which texts tell of it; any one is enough.
    other_words: Wording,
    of: Option<Wording>,
    /// Whether it is a clause, of which one word that tells it from the others is enough.
    is_clause: bool,
}

impl Wanted {
    fn is_in(&self, text: &Wording) -> bool {
        self.is_named_by(text) && self.of.as_ref().is_none_or(|of| text.names(of))
    }

    /// Whether a text has its name or another word for it.
    fn is_named_by(&self, text: &Wording) -> bool {
        text.names(&self.name) || self.is_clause && text.meets(&self.name) || text.meets(&self.other_words)
    }

    /// The thing it belongs to; a thing belongs to itself.
    fn thing(&self) -> &Wording {
        self.of.as_ref().unwrap_or(&self.name)
    }
}

/// The points of a question, prepared for searching texts.
pub struct Coverage {
    wanted: Vec<Wanted>,
    /// The words of each task, if the plan is known.
    tasks: BTreeMap<TaskId, Wording>,
    /// The things among the points.
    things: Vec<Wording>,
    /// The sides that are asked for.
    sides: Vec<Wording>,
    /// The years among the points.
    years: Vec<Wording>,
    is_list: bool,
}

impl Coverage {
    /// The points of a question and the plan for it. A very long list has no points.
    pub fn of(named: &Named, plan: Option<&Plan>) -> Coverage {
        let questions = Some(&named.questions).filter(|questions| questions.len() <= MOST).into_iter().flatten();
        let mut points: Vec<Point> = questions.map(|question| Point::new(question, None)).collect();
        for thing in &named.things {
            points.push(Point::new(thing, None));
            points.extend(named.sides.iter().map(|side| Point::new(side, Some(thing))));
        }
        if named.things.is_empty() {
            points.extend(named.sides.iter().map(|side| Point::new(side, None)));
        }
        points.extend(named.years.iter().map(|year| Point::new(year, None)));
        points.extend(named.clauses.iter().map(|clause| Point::new(clause, None)));
        let of_thing = |name: &Clean| names::of_thing(name, named.things.iter().map(Clean::as_str));
        let wanted = points.into_iter().map(|point| {
            let is_thing = point.of.is_none() && named.things.contains(&point.name);
            let is_clause = named.clauses.contains(&point.name);
            let name = match () {
                () if is_thing => of_thing(&point.name),
                () if is_clause => of_clause(&point.name),
                () => Wording::of_stems(&point.name),
            };
            let is_side = named.sides.contains(&point.name);
            let other_words = if is_side { names::other_words(&name) } else { Wording::default() };
            Wanted { name, other_words, of: point.of.as_ref().map(of_thing), point, is_clause }
        });
        Coverage {
            // A name without content words cannot be searched for.
            wanted: wanted.filter(|wanted| !wanted.name.is_empty() && !wanted.thing().is_empty()).collect(),
            things: named.things.iter().map(of_thing).filter(|words| !words.is_empty()).collect(),
            sides: named.sides.iter().map(|side| Wording::of_stems(side)).filter(|words| !words.is_empty()).collect(),
            years: named.years.iter().map(|year| Wording::of_stems(year)).collect(),
            is_list: !named.questions.is_empty(),
            tasks: plan
                .into_iter()
                .flat_map(|plan| &plan.tasks)
                .map(|task| (task.id, Wording::of_stems(&asked_by(task))))
                .collect(),
        }
    }

    /// The points, in the order of the question; each thing before its sides.
    pub fn points(&self) -> impl Iterator<Item = &Point> {
        self.wanted.iter().map(|wanted| &wanted.point)
    }

    /// Whether a text names the thing of this point and no other thing; for a point without a thing, at most one. A
    /// thing whose name is part of this one's does not count as another.
    fn is_alone(&self, wanted: &Wanted, text: &Wording) -> bool {
        let is_other = |thing: &&Wording| *thing != wanted.thing() && !wanted.thing().names(thing);
        let most = usize::from(!self.things.contains(wanted.thing()));
        self.things.iter().filter(is_other).filter(|thing| text.names(thing)).count() <= most
    }

    /// The points without a finding.
    pub fn without_finding<'f>(&self, findings: impl Iterator<Item = &'f Finding>) -> Vec<Point> {
        let about: Vec<About> =
            findings.filter(|finding| finding.usable()).map(|finding| self.about_of(finding)).collect();
        let open = self.wanted.iter().filter(|wanted| !about.iter().any(|about| self.is_about(wanted, about)));
        open.map(|wanted| wanted.point.clone()).collect()
    }

    /// Reads the subjects of findings, once for all points.
    pub fn reads<'f>(&self, findings: impl Iterator<Item = &'f Finding>) -> Subjects<'f> {
        Subjects(findings.map(|finding| (finding, self.about_of(finding))).collect())
    }

    /// The findings that are about a point.
    pub fn about<'f>(&self, point: &Point, findings: &Subjects<'f>) -> Vec<&'f Finding> {
        let wanted = self.wanted.iter().find(|wanted| wanted.point == *point);
        let own = findings.0.iter().filter(|(_, about)| wanted.is_some_and(|wanted| self.is_about(wanted, about)));
        own.map(|(finding, _)| *finding).collect()
    }

    /// Whether a finding is about a point: the finding names it, or its task is about the point alone.
    fn is_about(&self, wanted: &Wanted, about: &About) -> bool {
        let (claim, task) = (&about.claim, &about.task);
        if self.is_list {
            return is_near(&about.asked, &wanted.name);
        }
        if wanted.is_clause {
            return [&about.asked, claim, &about.above].into_iter().any(|text| wanted.is_named_by(text));
        }
        let is_year = self.years.contains(&wanted.name);
        let of_task =
            task.names(wanted.thing()) && self.is_alone(wanted, task) && (!is_year || self.is_of_one_year(task));
        let of_thing = of_task || claim.names(wanted.thing());
        match &wanted.of {
            None => {
                // A statement on another thing, on the page of this one, is about the other.
                let of_other = self.things.iter().any(|thing| thing != wanted.thing() && claim.names(thing));
                of_thing || about.above.names(&wanted.name) && self.is_alone(wanted, &about.above) && !of_other
            }
            Some(_) => {
                of_thing && (wanted.is_named_by(claim) || wanted.is_named_by(&about.above))
                    || of_task && task.names(&wanted.name) && self.has_one_side(task)
            }
        }
    }

    /// Whether a task is about a single year. The title of the only task has all that the question says.
    fn is_of_one_year(&self, task: &Wording) -> bool {
        self.tasks.len() > 1 && self.years.iter().filter(|year| task.names(year)).count() == 1
    }

    /// The points that a task asks for which some of these findings were found.
    pub fn researched<'f>(&self, findings: impl Iterator<Item = &'f Finding>) -> Vec<Point> {
        let asked: Vec<&Wording> = findings.filter_map(|finding| self.tasks.get(&finding.task?)).collect();
        let is_asked = |wanted: &&Wanted| asked.iter().any(|asked| wanted.is_in(asked));
        self.wanted.iter().filter(is_asked).map(|wanted| wanted.point.clone()).collect()
    }

    fn has_one_side(&self, text: &Wording) -> bool {
        self.sides.iter().filter(|side| text.names(side)).count() == 1
    }

    fn about_of(&self, finding: &Finding) -> About {
        let title = Wording::of_stems(&finding.subtopic);
        let asked = finding.task.and_then(|task| self.tasks.get(&task)).cloned();
        About::of(finding, asked.unwrap_or_else(|| title.clone()), title)
    }

    /// The points on which a draft cites nothing and which it does not name under its gaps.
    pub fn unanswered<'f>(&self, draft: &Draft, findings: impl Iterator<Item = &'f Finding>) -> Vec<Point> {
        let about: BTreeMap<FindingId, About> = {
            let cited: BTreeSet<_> = draft.cited().collect();
            findings
                .filter(|finding| cited.contains(&finding.id))
                .map(|finding| (finding.id, self.about_of(finding)))
                .collect()
        };
        let mut sentences: Vec<CitedWords<'_>> = Vec::new();
        for section in &draft.sections {
            let of_section = section.pieces.iter().flat_map(|piece| piece.sentences());
            sentences.extend(of_section.map(|sentence| CitedWords::of(&section.heading, sentence, &about)));
        }
        let disagreement = |sentence| CitedWords { may_answer: true, ..CitedWords::of("", sentence, &about) };
        sentences.extend(draft.disagreements.iter().map(disagreement));
        let gaps: Vec<Wording> = draft.gaps.iter().map(|gap| Wording::of_stems(gap)).collect();
        let is_open = |wanted: &&Wanted| {
            !sentences.iter().any(|sentence| self.is_answered(wanted, sentence))
                && !gaps.iter().any(|gap| self.is_gap(wanted, gap))
        };
        self.wanted.iter().filter(is_open).map(|wanted| wanted.point.clone()).collect()
    }

    /// Whether a sentence answers a point: it cites something and names the point, or it cites a finding about it. A
    /// sentence on another thing does not, even if it also cites a finding about this one.
    fn is_answered(&self, wanted: &Wanted, sentence: &CitedWords<'_>) -> bool {
        let of_other = || self.things.iter().any(|thing| thing != wanted.thing() && sentence.text.names(thing));
        let is_cited = || sentence.cites.iter().any(|about| self.is_about(wanted, about));
        sentence.may_answer && wanted.is_in(&sentence.headed)
            || (sentence.text.names(wanted.thing()) || !of_other()) && is_cited()
    }

    /// Whether a line under the gaps reports a point as missing: it names the point, its side without any thing, or its thing without any
    /// side.
    fn is_gap(&self, wanted: &Wanted, gap: &Wording) -> bool {
        wanted.is_in(gap)
            || gap.names(&wanted.name) && !self.things.iter().any(|thing| gap.names(thing))
            || wanted.of.is_some() && gap.names(wanted.thing()) && !self.sides.iter().any(|side| gap.names(side))
    }

    /// The points that a line under the gaps reports as missing; for a thing with a side, only that side.
    pub fn named_in(&self, gap: &str) -> Vec<Point> {
        let gap = Wording::of_stems(gap);
        let named: Vec<&Wanted> = self.wanted.iter().filter(|wanted| wanted.is_in(&gap)).collect();
        let has_side =
            |wanted: &Wanted| named.iter().any(|other| other.of.is_some() && other.thing() == wanted.thing());
        let own = named.iter().filter(|wanted| wanted.of.is_some() || !has_side(wanted));
        own.map(|wanted| wanted.point.clone()).collect()
    }
}

/// The points that a transcript has searched for by name: a successful search named the point and no other thing, for a
/// task about it. A question of a list counts if it is the task's.
pub fn searched(named: &Named, transcript: &Transcript) -> Vec<Point> {
    let came_back = transcript.calls().filter(|call| matches!(call.end, CallEnd::Returned(_)));
    let queries: Vec<Clean> = came_back.filter_map(|call| Some(call.request.of::<Search>()?.query)).collect();
    // A planner searches for names, not for findings.
    let Some(task) = transcript.handoff.payload.task().filter(|_| !queries.is_empty()) else { return Vec::new() };
    if !named.questions.is_empty() {
        if let Some(own) = named.questions.iter().find(|question| **question == task.question) {
            return vec![Point::new(own, None)];
        }
        let asked = Wording::of_stems(&asked_by(task));
        let near = named.questions.iter().take(MOST).filter(|question| is_near(&asked, &Wording::of_stems(question)));
        return near.map(|question| Point::new(question, None)).collect();
    }
    let coverage = Coverage::of(named, None);
    let queries: Vec<Wording> = queries.iter().map(|query| Wording::of_stems(query)).collect();
    // A look at another thing in passing, for instance to check a statement on other pages, does not count.
    let asked = Wording::of_stems(&asked_by(task));
    let is_own = |wanted: &Wanted| !coverage.things.contains(wanted.thing()) || asked.names(wanted.thing());
    let is_searched = |wanted: &&Wanted| {
        is_own(wanted) && queries.iter().any(|query| wanted.is_in(query) && coverage.is_alone(wanted, query))
    };
    coverage.wanted.iter().filter(is_searched).map(|wanted| wanted.point.clone()).collect()
}

/// Whether two texts have a word in common that carries meaning.
pub fn meets(text: &str, other: &str) -> bool {
    Wording::of(text).meets(&Wording::of(other))
}

/// Whether one of these lines under the gaps reports this as missing: it has more than half of its words, and all its identifiers.
pub fn is_told(missing: &str, gaps: &[Clean]) -> bool {
    let wanted = Wording::of(missing);
    let names_it = |gap: &Clean| identifiers(missing).all(|wanted| identifiers(gap).any(|known| known == wanted));
    gaps.iter().any(|gap| is_near(&Wording::of(gap), &wanted) && names_it(gap))
}

/// Whether a text has more than half of the words of a question.
pub(crate) fn is_near(text: &Wording, question: &Wording) -> bool {
    text.shared(question) * 2 > question.len()
}

/// Findings, each with its subject.
pub struct Subjects<'f>(Vec<(&'f Finding, About)>);

/// The subject of a finding, in words.
struct About {
    /// The words of its claim and its quote, and its date.
    claim: Wording,
    /// The headings and titles above it.
    above: Wording,
    /// The title of the task that it was found for.
    task: Wording,
    /// Everything that this task asks.
    asked: Wording,
}

impl About {
    fn of(finding: &Finding, asked: Wording, task: Wording) -> About {
        let mut above = String::new();
        for place in finding.places() {
            for part in place.headings.iter().chain([&place.source.title, &place.source.path]) {
                above.push_str(part);
                above.push(' ');
            }
        }
        let date = finding.date.as_deref().unwrap_or_default();
        About {
            claim: Wording::of_stems(&format!("{} {} {date}", finding.claim, finding.quote)),
            above: Wording::of_stems(&above),
            task,
            asked,
        }
    }
}

/// The words of a sentence of a draft, with the subjects of the findings it cites.
struct CitedWords<'a> {
    text: Wording,
    /// Its words with the heading of its section.
    headed: Wording,
    /// Whether it cites something, or compares two sources.
    may_answer: bool,
    cites: Vec<&'a About>,
}

impl<'a> CitedWords<'a> {
    fn of(heading: &str, sentence: &Sentence, about: &'a BTreeMap<FindingId, About>) -> CitedWords<'a> {
        CitedWords {
            text: Wording::of_stems(&sentence.text),
            headed: Wording::of_stems(&format!("{heading} {}", sentence.text)),
            may_answer: !sentence.cites.is_empty(),
            cites: sentence.cites.iter().filter_map(|id| about.get(id)).collect(),
        }
    }
}

/// The words of a clause that tell it from the others, in stems. Empty if it has none.
pub(crate) fn of_clause(clause: &str) -> Wording {
    Wording::of_stems(&telling(clause).join(" "))
}

/// The subject of a task's question, in words.
pub(crate) fn asks(task: &Task) -> Wording {
    Wording::of(&asked_by(task))
}

/// The question of a task, in the stems of its words.
pub(crate) fn asks_in_stems(task: &Task) -> Wording {
    Wording::of_stems(&asked_by(task))
}

/// Whether words in stems tell of a side, in any form of its own words or in other words for it.
pub(crate) fn tells_of(stems: &Wording, side: &str) -> bool {
    let side = Wording::of_stems(side);
    stems.names(&side) || stems.meets(&names::other_words(&side))
}

/// All that a task asks, as text.
fn asked_by(task: &Task) -> String {
    let mut text = format!("{} {}", task.title, task.question);
    for more in task.topic.iter().chain(&task.aspects) {
        text.push(' ');
        text.push_str(more);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::{Piece, Section};
    use crate::handoff::room::tests::finding;
    use crate::plan::Shape;

    fn named() -> Named {
        Named::read("Compare the licence and the cost of pgvector and Qdrant")
    }

    fn names_of(points: &[Point]) -> Vec<String> {
        points.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_question_of_two_things_and_two_sides_has_six_points() {
        let coverage = Coverage::of(&named(), None);
        let points: Vec<Point> = coverage.points().cloned().collect();
        let all =
            ["pgvector", "licence of pgvector", "cost of pgvector", "Qdrant", "licence of Qdrant", "cost of Qdrant"];
        assert_eq!(names_of(&points), all);
    }

    #[test]
    fn a_year_is_found_by_what_names_it_and_not_by_a_task_for_all_of_them() {
        let question = "What changed in 2015 and 2018?";
        let named = Named::read(question);
        let open = |titles: &[&str], year: &str, date: Option<&str>| {
            let tasks = titles.iter().zip(1..).map(|(title, n)| Task::new(TaskId(n), (*title).into(), question.into()));
            let plan = Plan { shape: Shape::Overview, tasks: tasks.collect(), why: "".into() };
            let mut found = finding(1, 5);
            found.claim = format!("The API was frozen{year}.").as_str().into();
            (found.quote, found.date) = (found.claim.clone(), date.map(Into::into));
            (found.task, found.subtopic) = (Some(TaskId(1)), titles[0].into());
            names_of(&Coverage::of(&named, Some(&plan)).without_finding([&found].into_iter()))
        };
        assert_eq!(open(&[question], "", None), ["2015", "2018"]);
        assert_eq!(open(&[question], " in 2015", None), ["2018"]);
        assert_eq!(open(&[question], "", Some("2018-05")), ["2015"]);
        assert_eq!(open(&["2015", "2018"], "", None), ["2018"]);
    }

    #[test]
    fn what_is_neither_cited_nor_under_the_gaps_is_open() {
        let coverage = Coverage::of(&named(), None);
        let mut found = finding(1, 5);
        found.claim = "pgvector is released under the PostgreSQL License.".into();
        let sentence = Sentence { text: found.claim.clone(), cites: vec![found.id] };
        let pieces = vec![Piece::Paragraph { sentences: vec![sentence] }];
        let mut draft = Draft { sections: vec![Section { heading: "".into(), pieces }], ..Draft::default() };
        let open = |draft: &Draft| names_of(&coverage.unanswered(draft, [&found].into_iter()));
        // Licence and license are one word.
        assert_eq!(open(&draft), ["cost of pgvector", "Qdrant", "licence of Qdrant", "cost of Qdrant"]);
        draft.gaps = vec!["Nothing was found on the cost of pgvector.".into(), "Qdrant: not researched.".into()];
        assert_eq!(open(&draft), [""; 0]);
        draft.gaps = vec!["Nothing is said about the cost.".into(), "Qdrant: not researched.".into()];
        assert_eq!(open(&draft), [""; 0], "a side of no thing is that of each");
        draft.gaps = vec!["Nothing was found on the cost of Qdrant.".into()];
        assert_eq!(open(&draft), ["cost of pgvector", "licence of Qdrant"]);
    }

    #[test]
    fn a_sentence_on_one_thing_says_nothing_of_another_whose_finding_it_cites_too() {
        let named = Named::read("Compare pgvector and Qdrant for filtered search");
        let coverage = Coverage::of(&named, None);
        let (mut own, mut other) = (finding(1, 5), finding(2, 5));
        own.claim = "Qdrant filters while it searches.".into();
        other.claim = "pgvector filters after the scan.".into();
        let open = |text: &str| {
            let sentence = Sentence { text: text.into(), cites: vec![own.id, other.id] };
            let pieces = vec![Piece::Paragraph { sentences: vec![sentence] }];
            let draft = Draft { sections: vec![Section { heading: "".into(), pieces }], ..Draft::default() };
            names_of(&coverage.unanswered(&draft, [&own, &other].into_iter()))
        };
        assert_eq!(open("Qdrant filters while it searches."), ["pgvector"]);
        assert_eq!(open("The two filter at different moments."), [""; 0]);
        assert_eq!(open("pgvector filters after the scan, and Qdrant during it."), [""; 0]);
    }

    #[test]
    fn another_form_of_a_word_names_the_same_point() {
        let coverage = Coverage::of(&Named::read("What are the limits, encryption and retries of Widget?"), None);
        let mut found = finding(1, 5);
        found.claim = "Widget encrypts payloads, and retried jobs are limited.".into();
        assert_eq!(names_of(&coverage.without_finding([&found].into_iter())), [""; 0]);
    }

    #[test]
    fn a_gap_is_about_the_side_that_it_names_and_else_about_the_thing() {
        let coverage = Coverage::of(&named(), None);
        assert_eq!(names_of(&coverage.named_in("The documents give no cost for Qdrant.")), ["cost of Qdrant"]);
        assert_eq!(names_of(&coverage.named_in("Qdrant: nothing was found.")), ["Qdrant"]);
        assert_eq!(names_of(&coverage.named_in("No figures were found.")), [""; 0]);
    }
}
