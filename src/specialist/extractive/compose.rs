//! Composes a brief: which findings it contains, in which order and form, within a number of words.
//!
//! It stops when the findings get weak rather than pad, and never changes a word of a claim.

mod disagreements;
mod gaps;
mod layout;
mod selection;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use super::english::NOT_JUDGED;
use super::overview;
use super::planner::WHOLE;
pub use disagreements::untold_disagreements;
use gaps::nowhere;
use run::brief::{self, Draft, Piece, Section};
use run::evidence::Corpus;
use run::finding::{Finding, FindingKind, WordsOf};
use run::id::{FindingId, TaskId};
use run::plan::{AskedWord, Plan, Shape};
use text::listed::title_of;
use text::{Clean, count};

/// The note under the title of every extractive brief.
pub(super) const NOTE: &str = "Extractive: every sentence is taken from the sources, edited only as marked.";
const NOTE_BUT_YOURS: &str =
    "Extractive: every sentence is taken from the sources, edited only as marked, but those marked ✎: these are yours.";

const NOTE_OF_MODEL: &str = "Arranged by rule from findings, some of them in a model's words; every quote was checked against its stored source.";

/// The heading over the passages that come closest to a question that nothing answers.
const CLOSEST: &str = "No answer: the closest passages";

/// The heading over findings of superseded documents, and the most of them.
const FORMER: &str = "In superseded documents";
const MOST_FORMER: usize = 6;

/// The input of a brief.
pub(super) struct Commission<'a> {
    pub question: &'a Clean,
    pub plan: &'a Plan,
    /// The usable findings.
    pub findings: Vec<&'a Finding>,
    pub words: usize,
    pub shortfalls: &'a [Clean],
    /// Findings that must be included, even with a low score.
    pub required: BTreeSet<FindingId>,
    /// The task under which a finding appears, where it differs from the one that it was found for.
    pub parts: BTreeMap<FindingId, TaskId>,
}

/// The brief if nothing was found: short, and saying so. `reported` are the notes of the researchers.
pub fn nothing_found(
    question: &Clean,
    plan: &Plan,
    corpus: &Corpus,
    looked_for: &[Clean],
    reported: &BTreeSet<Clean>,
) -> Draft {
    let first = match reported.iter().any(|note| note.contains(NOT_JUDGED)) {
        true => format!("No answer was found in the sources ({}), and there may be one.", corpus.searched()),
        false => format!("Nothing in the sources ({}) answers the question.", corpus.searched()),
    };
    let mut gaps: Vec<Clean> = vec![first.into()];
    gaps.extend(nowhere(question, plan, &[]));
    let names: Vec<String> =
        looked_for.iter().filter(|name| **name != *WHOLE).map(|name| format!("“{name}”")).collect();
    if !names.is_empty() {
        gaps.push(format!("Looked for: {}.", names.join(", ")).into());
    }
    if corpus.skipped_count > 0 {
        let unread = count(corpus.skipped_count as usize, "file");
        gaps.push(format!("{unread} skipped, which may hold the answer.").into());
    }
    if corpus.data > 0 {
        let data = count(corpus.data as usize, "file");
        gaps.push(format!("{data} of data or source code not read, which may hold the answer.").into());
    }
    Draft { title: title_of(question), notes: notes(question, plan), sections: vec![], gaps, ..Draft::default() }
}

/// The notes under the title: the way in which the brief was made, of one about the documents as such also the plan, and the reading of
/// misspelt words of the question.
fn notes(question: &str, plan: &Plan) -> Vec<Clean> {
    let read = |asked: &AskedWord| {
        let meant = asked.read_as.as_ref()?;
        Some(format!("Read “{}” as “{meant}”: the sources do not contain the word as typed.", asked.word))
    };
    let planned = overview::is_planned(question, plan).then(|| plan.why.to_string());
    [NOTE.to_owned()].into_iter().chain(planned).chain(of_words(plan, read)).map(Clean::from).collect()
}

/// The notes on synonyms that the sources have in place of words of the question.
fn notes_on_synonyms(plan: &Plan) -> impl Iterator<Item = Clean> {
    let other = |asked: &AskedWord| {
        let other = asked.instead.as_ref()?;
        Some(format!("“{}” does not occur in the sources; “{other}” does.", asked.word))
    };
    of_words(plan, other).into_iter().map(Clean::from)
}

/// A note on each word of the question that has one, each once.
fn of_words(plan: &Plan, note: impl Fn(&AskedWord) -> Option<String>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in plan.tasks.iter().flat_map(|task| &task.words).filter_map(note) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// Keeps the note under the title of an extractive brief true of a draft that says something in the person's words.
pub fn note_what_is_yours<'a>(draft: &mut Draft, findings: impl IntoIterator<Item = &'a Finding>) {
    let numbering = brief::Numbering::new(draft, findings);
    if draft.sentences().any(|sentence| numbering.is_in_your_words(sentence)) {
        draft.notes.iter_mut().filter(|note| note.as_str() == NOTE).for_each(|note| *note = NOTE_BUT_YOURS.into());
    }
}

impl Commission<'_> {
    /// The task under which a finding appears.
    fn task_of(&self, finding: &Finding) -> Option<TaskId> {
        self.parts.get(&finding.id).copied().or(finding.task)
    }

    pub fn compose(&self) -> Draft {
        let disagreements = self.disagreements();
        let editions = self.of_editions();
        let contested: BTreeSet<FindingId> = self.contested();
        let gaps = self.gaps();
        let count = |text: &str| text.split_whitespace().count();
        let of_editions = editions.iter().flat_map(|section| &section.pieces).flat_map(Piece::sentences);
        let spent = disagreements.iter().chain(of_editions).map(|s| count(&s.text)).sum::<usize>()
            + gaps.iter().map(|g| count(g)).sum::<usize>();
        let table = self.table(&contested);
        let in_table: BTreeSet<FindingId> = table.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
        let table_words = table.as_ref().map_or(0, |(piece, _)| piece.sentences().map(|s| count(&s.text)).sum());
        let body = self.words.saturating_sub(spent + table_words);
        let is_told = |f: &&Finding| contested.contains(&f.id) || in_table.contains(&f.id) || !self.is_bare_cell(f);
        let told: BTreeSet<Option<TaskId>> =
            self.findings.iter().copied().filter(is_told).map(|f| self.task_of(f)).collect();
        // A bare cell is better than nothing on its thing.
        let is_open = |f: &&Finding| {
            !in_table.contains(&f.id)
                && !contested.contains(&f.id)
                && (!self.is_bare_cell(f) || !told.contains(&self.task_of(f)))
        };
        let open: Vec<&Finding> = self.findings.iter().copied().filter(is_open).collect();
        let no_longer = self.no_longer();
        let (former, open): (Vec<&Finding>, Vec<&Finding>) = open.into_iter().partition(|f| no_longer.contains(&f.id));
        let chosen = self.choose(&open, body);
        let left = body.saturating_sub(chosen.iter().map(|f| count(&f.claim)).sum());
        let mut former = self.choose(&former, left);
        former.truncate(MOST_FORMER);
        let mut sections: Vec<Section> = Vec::new();
        let (closest, chosen): (Vec<&Finding>, Vec<&Finding>) =
            chosen.into_iter().partition(|f| f.kind == FindingKind::Closest);
        for task in &self.plan.tasks {
            let own: Vec<&Finding> = chosen.iter().copied().filter(|f| self.task_of(f) == Some(task.id)).collect();
            sections.extend(self.sections(&task.title, own));
        }
        let known: BTreeSet<_> = self.plan.tasks.iter().map(|task| task.id).collect();
        let others: Vec<&Finding> =
            chosen.iter().copied().filter(|f| self.task_of(f).is_none_or(|task| !known.contains(&task))).collect();
        if !others.is_empty() {
            sections.push(Section { heading: "Besides".into(), pieces: self.pieces(others, "") });
        }
        if !closest.is_empty() {
            sections.push(Section { heading: CLOSEST.into(), pieces: self.pieces(closest, "") });
        }
        sections.extend(editions);
        if !former.is_empty() {
            sections.push(Section { heading: FORMER.into(), pieces: self.pieces(former, "") });
        }
        if let Some((piece, _)) = table {
            sections.push(Section { heading: "Numbers side by side".into(), pieces: vec![piece] });
        }
        let mut draft = Draft {
            title: title_of(self.question),
            notes: notes(self.question, self.plan).into_iter().chain(notes_on_synonyms(self.plan)).collect(),
            sections,
            gaps,
            disagreements,
            ..Draft::default()
        };
        // The note must stay true of words that are a model's or the person's.
        if self.tells_in_words_of_model(&draft) {
            draft.notes[0] = NOTE_OF_MODEL.into();
        }
        note_what_is_yours(&mut draft, self.findings.iter().copied());
        draft
    }

    fn tells_in_words_of_model(&self, draft: &Draft) -> bool {
        let of_model = self.findings.iter().filter(|finding| finding.words_of == WordsOf::Model);
        let of_model: BTreeSet<FindingId> = of_model.map(|finding| finding.id).collect();
        draft.sentences().flat_map(|sentence| &sentence.cites).any(|id| of_model.contains(id))
    }

    /// Findings of superseded documents, to be told last: those of tasks that have others as well. A history has none.
    fn no_longer(&self) -> BTreeSet<FindingId> {
        if self.plan.shape == Shape::History {
            return BTreeSet::new();
        }
        let holds = |finding: &&&Finding| !finding.is_superseded();
        let answered: BTreeSet<Option<TaskId>> = self.findings.iter().filter(holds).map(|f| self.task_of(f)).collect();
        let is_former = |f: &&&Finding| {
            let must = f.words_of.is_of_person() || self.required.contains(&f.id);
            f.is_superseded() && !must && answered.contains(&self.task_of(f))
        };
        self.findings.iter().filter(is_former).map(|f| f.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::edit::insert;
    use super::*;
    use crate::sample::{finding, source};
    use run::evidence::SourceRef;
    use run::finding::{Conflict, EditRule, WordsOf};
    use run::plan::Task;

    /// A finding with its label, if it has one.
    fn labelled(n: u32, quote: &str, label: &str) -> Finding {
        let mut finding = finding(n, "Networks", quote);
        if !label.is_empty() {
            finding.edits = vec![insert(EditRule::NameSubject, 0, format!("[{label}]: "))];
            finding.claim = Clean::line(&format!("[{label}]: {quote}"));
        }
        finding
    }

    fn told(findings: &[Finding], heading: &str) -> String {
        asked("How do I join a network?", findings, heading, Shape::Procedure)
    }

    /// The brief on a question with one task of this title.
    fn asked(question: &str, findings: &[Finding], title: &str, shape: Shape) -> String {
        let plan = Plan { shape, tasks: vec![Task::new(TaskId(1), title.into(), "?".into())], why: "".into() };
        let question = Clean::from(question);
        let (required, parts) = (BTreeSet::new(), BTreeMap::new());
        let findings: Vec<&Finding> = findings.iter().collect();
        let all = findings.clone();
        let draft =
            Commission { question: &question, plan: &plan, findings, words: 500, shortfalls: &[], required, parts }
                .compose();
        brief::markdown(&draft, all)
    }

    #[test]
    fn where_words_are_short_the_finding_that_answers_best_is_told_however_long() {
        let long = format!("A network is hidden {}if it does not send its name.", "from all of them ".repeat(122));
        let mut findings = [labelled(1, &long, ""), labelled(2, "A network has a name.", "")];
        (findings[0].score, findings[1].score) = (4_000, 3_900);
        let brief = told(&findings, "Joining");
        assert!(brief.contains("is hidden") && !brief.contains("has a name"), "{brief}");
    }

    #[test]
    fn room_that_is_left_is_not_filled_up_with_what_is_short_and_weaker() {
        let long = |n: u32| {
            format!("The network number {n} is kept {}until it is closed.", "for one more day and ".repeat(20))
        };
        let mut findings: Vec<Finding> = (1..=5).map(|n| labelled(n, &long(n), "")).collect();
        findings.push(labelled(6, "A network has several names.", ""));
        (0..).zip(&mut findings).for_each(|(n, finding)| finding.score = 4_000 - 200 * n);
        let brief = told(&findings, "Joining");
        assert!(brief.contains("number 4") && !brief.contains("number 5"), "{brief}");
        assert!(!brief.contains("several names"), "{brief}");
    }

    #[test]
    fn each_of_many_compared_things_has_a_sentence_however_few_words_there_are() {
        const THINGS: [&str; 10] =
            ["Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Feldspar", "Garnet", "Hematite", "Iolite", "Jasper"];
        let long = "is a mineral that is found in mountains of all kinds and is cut, ground and sold as a gem";
        let findings: Vec<Finding> = (1..)
            .zip(THINGS)
            .flat_map(|(n, thing)| {
                let of = |no: u32, score, claim: String| Finding {
                    task: Some(TaskId(n)),
                    score,
                    ..finding(10 * n + no, thing, &claim)
                };
                // Of the later things less is said, and nothing better.
                let best = of(1, 9_000 - 500 * i32::try_from(n).unwrap(), format!("{thing} {long}."));
                [best, of(2, 100, format!("{thing} is hard."))]
            })
            .collect();
        let tasks = (1..).zip(THINGS).map(|(n, thing)| Task::new(TaskId(n), thing.into(), "?".into())).collect();
        let plan = Plan { shape: Shape::Comparison, tasks, why: "".into() };
        let question = Clean::from("Compare them");
        for (words, whole) in [(500, 10), (120, 0), (40, 0)] {
            let (required, parts) = (BTreeSet::new(), BTreeMap::new());
            let findings = findings.iter().collect();
            let draft =
                Commission { question: &question, plan: &plan, findings, words, shortfalls: &[], required, parts }
                    .compose();
            let told = |thing: &str| draft.sentences().filter(|one| one.text.starts_with(thing)).count();
            assert!(THINGS.iter().all(|thing| told(thing) > 0), "{words} words: {draft:#?}");
            assert!(draft.sentences().filter(|one| one.text.contains(long)).count() >= whole, "{words} words");
        }
    }

    #[test]
    fn only_a_brief_without_words_of_a_model_is_called_extractive() {
        let note = |words_of| {
            let question = Clean::from("What is a device?");
            let task = Task::new(TaskId(1), question.clone(), question.clone());
            let plan = Plan { shape: Shape::Overview, tasks: vec![task], why: "".into() };
            let found = [Finding { words_of, ..labelled(1, "A device has a name of its own.", "") }];
            let (required, parts) = (BTreeSet::new(), BTreeMap::new());
            let findings = found.iter().collect();
            let commission =
                Commission { question: &question, plan: &plan, findings, words: 500, shortfalls: &[], required, parts };
            commission.compose().notes[0].to_string()
        };
        assert_eq!(note(WordsOf::Source), NOTE);
        assert_eq!(note(WordsOf::Model), NOTE_OF_MODEL);
    }

    #[test]
    fn a_brief_says_that_nothing_found_has_the_word_that_the_question_is_about() {
        let gaps = |weight: u16, read_as: Option<&str>| {
            let word = AskedWord {
                word: "encrypt".into(),
                weight,
                read_as: read_as.map(Into::into),
                nowhere: false,
                instead: None,
            };
            let question = Clean::from("How do I encrypt a network?");
            let task = Task { words: vec![word], ..Task::new(TaskId(1), question.clone(), question.clone()) };
            let plan = Plan { shape: Shape::Procedure, tasks: vec![task], why: "".into() };
            let found = [labelled(1, "A device has a name of its own.", "")];
            let (required, parts) = (BTreeSet::new(), BTreeMap::new());
            let findings = found.iter().collect();
            let commission =
                Commission { question: &question, plan: &plan, findings, words: 500, shortfalls: &[], required, parts };
            commission.gaps()
        };
        assert_eq!(gaps(600, None), ["No sentence that was found says “encrypt”."]);
        assert!(gaps(300, None).is_empty(), "the question is about other words, too");
        assert!(gaps(600, Some("device")).is_empty(), "it was read as a word that is told");
    }

    #[test]
    fn parts_are_looked_for_and_the_task_for_the_whole_question_is_none() {
        let plan = Plan { shape: Shape::Overview, tasks: vec![], why: "".into() };
        let looked_for = ["How long is it".into(), WHOLE.into()];
        let draft = nothing_found(&"?".into(), &plan, &Corpus::default(), &looked_for, &BTreeSet::new());
        assert_eq!(draft.gaps[1].as_str(), "Looked for: “How long is it”.");
    }

    #[test]
    fn of_a_question_in_another_language_no_words_are_listed_as_missing() {
        let missing = |question: &str| {
            let asked = |word: &&str| AskedWord {
                word: (*word).into(),
                weight: 500,
                read_as: None,
                nowhere: true,
                instead: None,
            };
            let words = question.split(' ').collect::<Vec<_>>().iter().map(asked).collect();
            let task = Task { words, ..Task::new(TaskId(1), question.into(), question.into()) };
            let plan = Plan { shape: Shape::Overview, tasks: vec![task], why: "".into() };
            nowhere(question, &plan, &[]).expect("words are missing")
        };
        let german = missing("Wie funktioniert die Sicherung einer Datenbank und wann wird sie wiederhergestellt");
        assert!(german.contains("seems to be in German") && !german.contains('“'), "{german}");
        assert_eq!(missing("voodoo drivers").as_str(), "“voodoo” and “drivers” do not occur in the sources.");
    }

    #[test]
    fn the_kinds_that_are_asked_for_stand_in_one_list_below_the_sentence_that_names_them() {
        let member = |n: u32, quote: &str, label: &str| Finding {
            kind: FindingKind::Member,
            score: 5_000,
            ..labelled(n, quote, label)
        };
        let names = labelled(4, "There are two kinds of networks: open ones and hidden ones.", "");
        let findings = [
            labelled(1, "A network is a group of devices.", ""),
            member(2, "It sends its name.", "Open"),
            member(3, "It does not send its name.", "Hidden"),
            names,
        ];
        let brief = asked("Which kinds of networks are there?", &findings, "Networks", Shape::Overview);
        let list = "hidden ones. [1]\n\n- [Open]: It sends its name. [1]\n- [Hidden]: It does not send its name. [1]\n\nA network";
        assert!(!brief.contains(list), "the title of the task does not ask for them: {brief}");
        let question = "Which kinds of networks are there?";
        let brief = asked(question, &findings, question, Shape::Overview);
        assert!(brief.contains(list), "{brief}");
    }

    #[test]
    fn a_yes_to_the_same_question_goes_first_where_yes_or_no_is_asked() {
        let answer = labelled(3, "Yes, a network may have two.", "May a network have two names?");
        let findings =
            [labelled(1, "A network is a group of devices.", ""), labelled(2, "A name is long.", ""), answer];
        let ask = |question: &str| asked(question, &findings, question, Shape::Overview);
        let brief = ask("Can a network have two names?");
        assert!(
            brief.contains("sources say\n\n[May a network have two names?]: Yes, a network may have two. [1] A"),
            "{brief}"
        );
        assert!(ask("Names of a network").contains("sources say\n\nA network is a group"));
    }

    #[test]
    fn where_yes_or_no_is_asked_and_no_source_says_so_the_best_sentence_goes_first() {
        let mut findings = [
            labelled(1, "A network is a group of devices.", ""),
            labelled(2, "A name is long.", ""),
            labelled(3, "Never give a network two names.", ""),
        ];
        findings[2].score = 9_000;
        let ask = |question: &str| asked(question, &findings, question, Shape::Overview);
        let brief = ask("May a network have two names?");
        assert!(brief.contains("sources say\n\nNever give a network two names. [1] A network"), "{brief}");
    }

    #[test]
    fn what_is_superseded_is_told_last_and_only_where_something_holds() {
        let mut findings = [labelled(1, "A network has one name.", ""), labelled(2, "A network has two names.", "")];
        let old = SourceRef { superseded: Some("Status: obsolete.".into()), ..source("Old networks") };
        findings[0].place.as_mut().unwrap().source = old;
        findings[0].score = 9_000;
        let brief = told(&findings, "Joining");
        assert!(
            brief.contains("two names. [1]\n\n## In superseded documents\n\nA network has one name. [2]\n"),
            "{brief}"
        );
        let brief = told(&findings[..1], "Joining");
        assert!(brief.contains("## Joining\n\nA network has one name. [1]\n"), "{brief}");
        assert!(brief.ends_with("(superseded: “Status: obsolete.”); line 1\n"), "{brief}");
        let with = findings[1].id;
        findings[0].conflicts.push(Conflict { with, reason: "one here, two there".into() });
        let brief = told(&findings, "Joining");
        assert!(brief.contains("## In superseded documents") && !brief.contains("Disagreements"), "{brief}");
        findings[0].words_of = WordsOf::PersonEdited;
        assert!(!told(&findings, "Joining").contains("In superseded"), "what the person wrote stays where it is");
    }

    #[test]
    fn what_editions_of_a_document_say_differently_is_told_by_edition_the_newest_first() {
        let contradicting = |titles: [&str; 2]| {
            let mut findings =
                [labelled(1, "A network has one name.", ""), labelled(2, "A network has two names.", "")];
            let ids = [findings[1].id, findings[0].id];
            for ((finding, title), with) in findings.iter_mut().zip(titles).zip(ids) {
                finding.place.as_mut().unwrap().source = source(title);
                finding.conflicts.push(Conflict { with, reason: "one here, two there".into() });
            }
            told(&findings, "Joining")
        };
        let brief = contradicting(["Networks 1.0", "Networks 2.0 [draft]"]);
        let newest = brief.find("**Networks 2.0 [draft]**\n\n- A network has two names.");
        let oldest = brief.find("**Networks 1.0**\n\n- A network has one name.");
        assert!(newest.is_some() && newest < oldest && !brief.contains("Disagreements"), "{brief}");
        let brief = contradicting(["Networks", "Names of networks"]);
        assert!(brief.contains("Disagreements") && !brief.contains("In each edition"), "{brief}");
    }

    #[test]
    fn the_best_definition_goes_first_wherever_it_stands() {
        let mut findings = [
            labelled(1, "A network has a name.", ""),
            labelled(2, "A network is one of two kinds.", ""),
            labelled(3, "A network is a group of devices that are connected.", ""),
        ];
        findings[1..].iter_mut().for_each(|finding| finding.kind = FindingKind::Definition);
        findings[2].score = 2_000;
        let brief = told(&findings, "Joining");
        let order =
            "A network is a group of devices that are connected. [1] A network is one of two kinds. [1] A network has";
        assert!(brief.contains(order), "{brief}");
    }

    #[test]
    fn what_goes_on_with_the_definition_stands_behind_it() {
        let mut findings = [
            labelled(1, "A relay of networks provides a way to join them.", ""),
            labelled(2, "A network is a group of devices that are connected.", ""),
            labelled(3, "Its devices have addresses.", ""),
        ];
        findings[..2].iter_mut().for_each(|finding| finding.kind = FindingKind::Definition);
        findings[0].score = 9_000;
        findings[0].place.as_mut().unwrap().source = source("Relays");
        let brief = told(&findings, "Joining");
        assert!(brief.contains("connected. [1] Its devices have addresses. [1] A relay"), "{brief}");
    }

    #[test]
    fn in_a_section_on_a_limit_the_sentence_that_gives_it_goes_first() {
        let mut findings = [
            labelled(1, "A network is a group of devices.", ""),
            labelled(2, "Names are cut where they exceed it.", ""),
            labelled(3, "A name has at most 32 bytes.", ""),
        ];
        findings[0].kind = FindingKind::Definition;
        let brief = asked("max size of a name", &findings, "Max size of a name", Shape::Overview);
        assert!(brief.contains("A name has at most 32 bytes. [1] A network is"), "{brief}");
    }

    #[test]
    fn items_of_one_label_stand_below_it_once() {
        let steps = [
            labelled(1, "Open the menu.", "To join"),
            labelled(2, "Choose the network.", "To join"),
            labelled(3, "6 to 24 hours", "Time"),
        ];
        let list = "**To join**\n\n- Open the menu. [1]\n- Choose the network. [1]\n\n- [Time]: 6 to 24 hours [1]\n";
        assert!(told(&steps, "Joining").contains(list), "{}", told(&steps, "Joining"));
        let below = told(&steps, "To join");
        assert!(below.contains("## To join\n\n- Open the menu. [1]\n- Choose"), "the heading says it already: {below}");
    }

    #[test]
    fn items_of_one_label_in_two_sections_are_two_lists() {
        let mut items = [
            labelled(1, "Faster times of the build", "Trade-offs"),
            labelled(2, "Fewer times of the build", "Trade-offs"),
            labelled(3, "Needs the newest compiler", "Trade-offs"),
            labelled(4, "Needs a larger disk", "Trade-offs"),
        ];
        for (item, heading) in items.iter_mut().zip(["Cache", "Cache", "Frontend", "Frontend"]) {
            item.place.as_mut().unwrap().headings = [heading.into()].into();
        }
        let brief = told(&items, "Joining");
        assert_eq!(brief.matches("**Trade-offs**").count(), 2, "{brief}");
    }

    #[test]
    fn program_text_is_a_piece_of_its_own_below_its_label() {
        let mut command = labelled(2, "nmcli connect home", "To connect it");
        command.kind = FindingKind::Code;
        let brief = told(&[labelled(1, "A network has a name.", ""), command.clone()], "Joining");
        assert!(
            brief.contains("A network has a name. [1]\n\nTo connect it: [1]\n\n```\nnmcli connect home\n```\n"),
            "{brief}"
        );
        (command.words_of, command.claim) = (WordsOf::PersonEdited, "Use nmcli.".into());
        let brief = told(&[command], "Joining");
        assert!(
            !brief.contains("```") && brief.contains("Use nmcli. \u{270e} [1]"),
            "words of the person are no code: {brief}"
        );
    }
}
