//! Researcher: searches, reads, checks whether another page says otherwise, and reports what answers its task, best first.

use std::cell::{LazyCell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use super::ask::Ask;
use super::candidate::{Candidate, Code, candidates, unlocked};
use super::changelog::{asks_of_changes, is_changelog, is_dated};
use super::edition;
use super::entries;
use super::headings::{asks_for_law, bare, is_of_law, member};
use super::named_in;
use super::near_duplicates::Shingles;
use super::numbers::{date, numbers};
use super::phrases::is_cue;
use super::program_text;
use super::pros_and_cons;
use super::question::{asks_how, asks_which_to_use};
use super::question_list;
use super::rank::{self, MOST_RANKED, Ranked, Ranking, kind, slot};
use super::select::{Slot, best_of_sides, overlaps, select, select_by_slot};
use super::standalone::{addresses_machine, is_code_like};
use super::steps;
use super::synonyms::reworded;
use super::tool_results::{ToolResults, key};
use super::topic::{Name, Tokens, Topic};
use crate::{Assigned, Specialist, Step};
use run::evidence::{BlockKind, Hit, Place, SourceRef};
use run::finding::{Finding, FindingKind};
use run::handoff::{Outcome, Payload, PlannedTask};
use run::id::{FindingId, SourceId};
use run::plan::{AskedWord, Shape, Task};
use run::stage::Research;
use run::tool::builtin::{BuiltIn, Outline, Read, Search};
use run::tool::{ToolCall, ToolResult};
use run::transcript::{CallEnd, Did, Transcript};
use text::words::{Language, is_stop, stem, words};
use text::{Clean, Named, count};

/// Passages asked of each search, and sections of one by meaning.
const HITS: u32 = 25;
const SECTIONS: u32 = 8;
/// The blocks that are read of a section that was found by its meaning.
const READ_OF_SECTION: u32 = 24;
/// If a sentence is so alike to the question, it is not searched by meaning: no section is more alike.
const ALIKE_ENOUGH: f64 = 0.9;
/// Words of a task that are searched alone.
const MOST_WORDS: usize = 6;
/// Words of a task in whose place others are searched for.
const MOST_REWORDED: usize = 2;
/// So many words of a passage are shown where nothing answers.
const FIRST_WORDS: usize = 12;
/// Windows read in one turn.
const MOST_READS: usize = 16;
/// Statements that are checked against the rest of the collection.
const MOST_CROSS_CHECKS: usize = 4;

/// The most findings: more than a brief of the usual length has room for.
const MOST: usize = 32;
/// The most on one of several things.
const MOST_OF_ONE: usize = 12;
/// The least score of a finding, as a share of what the best sections have on average in their best sentence, besides that of
/// [`Ranking`]: what is weaker is about something else.
const FLOOR: f64 = 0.7;
const BEST_SECTIONS: usize = 3;
/// Until there are so many findings, weaker ones are taken too: a brief is not half as long as it was to be for one strong sentence.
const ENOUGH: usize = 10;
const LEAST_FLOOR: f64 = 0.6;
/// A question or part counts as unanswered if no sentence is so alike to it. Of the labelled questions that tells six of ten without an
/// answer, and one of eight with one (docs/evaluation.md).
const UNANSWERED_BELOW: f64 = 0.42;
/// A question or part counts as unanswered if no sentence is so alike to it, and the sources lack its words as well.
const DOUBTED_BELOW: f64 = 0.5;
/// If a sentence is so alike, words that stand nowhere in the sources do not count against an answer.
const SURE_FROM: f64 = 0.65;
/// The least share of a question's words ([`Ranked::answered`]) with which the sources do not lack them.
const LEAST_ANSWERED: f64 = 0.33;
/// The same for a part of a question, whose words lean on the rest of it.
const LEAST_OF_PART: f64 = 0.28;

/// Where words that the sources nowhere have weigh so much of a question, in thousandths, it is about what they stand for.
const MOST_NOWHERE: u32 = 400;

/// The most sentences whose meaning is compared to see what else to read.
const COMPARED_TO_READ: usize = 20;

/// The longest query that is made of what the person said, in characters.
const MOST_OF_A_MESSAGE: usize = 300;

/// The stages in order, unless a message of the person comes in between.
const ORDER: [Research; 4] = [Research::Search, Research::Read, Research::CrossCheck, Research::ReadCrossCheck];

/// What is done at a stage, in a sentence.
fn in_words(stage: Research) -> Clean {
    Clean::from(match stage {
        Research::Search => "Find where the sources speak of it.",
        Research::Read => "Read around the best passages and see how their pages are laid out.",
        Research::CrossCheck => {
            "Read the best sections whole; look for others that put it in other words, and whether a page says otherwise."
        }
        Research::ReadCrossCheck => "Read what the cross-check found.",
        Research::Message => "Search for what the person has just asked for.",
        Research::ReadMessage => "Read what that search found.",
    })
}

/// The researcher, with the weights that it ranks sentences by.
pub(super) struct Researcher<'a>(pub &'a Ranking);

impl Specialist for Researcher<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.waits() {
            return Step::Wait;
        }
        let Some(work) = Work::of(&assigned.handoff.payload, transcript, self.0) else {
            return Step::failed("the handoff carries no task");
        };
        let last = assigned.turns_left <= 1 || transcript.refusal().is_some();
        if !last && let Some((stage, requests)) = work.heed(transcript).or_else(|| work.next(transcript)) {
            return Step::Use { stage: stage.into(), why: in_words(stage), requests };
        }
        work.report(assigned, transcript)
    }
}

/// One task with everything in hand.
struct Work<'a> {
    task: &'a Task,
    shape: Shape,
    question: Clean,
    /// What the question names.
    named: Named,
    wishes: Vec<String>,
    /// What was found for this task before, when the person asks for more.
    known: Vec<Shingles>,
    results: ToolResults,
    ranking: &'a Ranking,
    // Derived from the results once, for all decisions of one step.
    topic: OnceCell<Topic>,
    ask: OnceCell<Ask>,
    ranked: OnceCell<Ranked>,
}

impl<'a> Work<'a> {
    /// The work on the task of a payload, with what was found so far; None without a task.
    fn of(payload: &'a Payload, transcript: &Transcript, ranking: &'a Ranking) -> Option<Work<'a>> {
        let PlannedTask { task, shape } = payload.task.as_ref()?;
        let (question, shape) = question_list::asked(&payload.question.clone().unwrap_or_default(), task, *shape);
        let told = transcript.messages.iter().map(|message| message.text.to_string());
        let wishes: Vec<String> = payload.notes().iter().map(|note| note.to_string()).chain(told).collect();
        let results = ToolResults::of(transcript);
        let known = payload.findings().iter().map(|finding| Shingles::of(&finding.quote)).collect();
        // A question of a list is worked on alone: what it names, it names itself.
        let named = match payload.question.as_ref() == Some(&question) {
            true => named_in(payload).into_owned(),
            false => Named::read(&question),
        };
        let (topic, ask, ranked) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Some(Work { task, shape, question, named, wishes, known, results, ranking, topic, ask, ranked })
    }

    /// The topic with the other things that the question compares, and short forms that the sources introduce.
    fn topic(&self) -> &Topic {
        self.topic.get_or_init(|| self.named_topic())
    }

    fn named_topic(&self) -> Topic {
        let mut names: Vec<String> = self.task.topic.iter().map(|name| name.to_string()).collect();
        for name in names.clone() {
            names.extend(self.short_form(&name));
        }
        let things = self.named.things.iter().filter(|_| self.named.things.len() > 1);
        Topic::new(names, things.map(ToString::to_string))
    }

    /// "global interpreter lock (GIL)" makes GIL a name of the global interpreter lock.
    fn short_form(&self, name: &str) -> Option<String> {
        let initials: String =
            name.split([' ', '-']).filter_map(|word| word.chars().next()).flat_map(char::to_uppercase).collect();
        let long = initials.chars().count() >= 3;
        let bracketed = format!("({initials})");
        let texts = self.results.hits().flat_map(|(_, hits)| hits.hits.iter().map(|hit| hit.snippet.as_str()));
        let mut texts = texts.chain(self.results.blocks.values().map(|(_, block)| block.text.as_str()));
        (long
            && texts.any(|text| {
                text.contains(&bracketed)
                    || text.contains(&format!("{initials}.")) && text.to_lowercase().contains(&name.to_lowercase())
            }))
        .then_some(initials)
    }

    fn asks(&self) -> &Ask {
        self.ask.get_or_init(|| Ask::of(self.task, self.shape, &self.question, &self.wishes, &self.results))
    }

    fn searches(&self) -> Vec<ToolCall> {
        let topic = self.task.topic.first().map_or("", |name| name.as_str());
        let mut queries: Vec<String> = vec![format!("{} {}", topic, self.task.question)];
        queries.extend(self.task.topic.iter().map(|name| name.to_string()));
        queries.extend(self.wishes.iter().map(|wish| format!("{topic} {wish}")));
        queries.extend(self.task.aspects.iter().map(|aspect| format!("{topic} {aspect}")));
        // Each side by its own name, also one that the sources do not seem to know.
        let others = self.named.sides.iter().filter(|side| !self.task.aspects.contains(side));
        queries.extend(others.chain(&self.named.years).map(|name| format!("{topic} {name}")));
        queries.push(self.question.to_string());
        if self.named.things.len() < 2 {
            // A question on one of several things is in the planner's words already.
            queries.extend(reworded(&self.task.question, MOST_REWORDED));
        }
        // Each word alone finds the page that is called so.
        let alone = words(&self.task.question).filter(|word| word.len() > 2 && !is_stop(word) && !is_cue(word));
        queries.extend(alone.take(MOST_WORDS).map(String::from));
        if asks_which_to_use(&self.question) {
            queries.push(format!("when to use {topic} suitable appropriate recommended"));
        }
        match self.shape {
            Shape::Comparison | Shape::ProsAndCons => {
                queries.push(format!("advantages of {topic}"));
                queries.push(format!("disadvantages of {topic}"));
                queries.push(format!("{topic} limits default trade-off"));
            }
            Shape::Causes => queries.push(format!("{topic} because reason")),
            Shape::History => queries.push(format!("{topic} added changed new version")),
            _ => {}
        }
        let mut seen = BTreeSet::new();
        queries.retain(|query| !query.trim().is_empty() && seen.insert(query.to_lowercase()));
        queries.truncate(9 + MOST_WORDS + (self.named.sides.len() + self.named.years.len()).min(6));
        queries.into_iter().map(|query| Search::new(Clean::line(&query), HITS).into()).collect()
    }

    /// What comes next in the order of the work; None when there is only to report.
    fn next(&self, transcript: &Transcript) -> Option<(Research, Vec<ToolCall>)> {
        let for_messages = transcript.turns_at(Research::Message) + transcript.turns_at(Research::ReadMessage);
        let taken = transcript.turns.len() - for_messages;
        let done = ORDER.iter().rposition(|stage| transcript.turns_at(*stage) > 0).map_or(0, |last| last + 1);
        let requests = |stage: Research| match stage {
            Research::Search | Research::Message => self.searches(),
            Research::Read | Research::ReadMessage | Research::ReadCrossCheck => self.windows(),
            Research::CrossCheck => self.sections_and_checks(),
        };
        // What a message has led to may have been a stage's work already; the work goes on with the next.
        let most = if transcript.messages.is_empty() { 1 } else { ORDER.len() };
        let stages = ORDER.into_iter().skip(taken.max(done)).take(most).map(|stage| (stage, requests(stage)));
        stages.into_iter().find(|(_, requests)| !requests.is_empty())
    }

    /// What is done first because of a message that came in since it began.
    fn heed(&self, transcript: &Transcript) -> Option<(Research, Vec<ToolCall>)> {
        let last = transcript.turns.last()?;
        if let Some(searches) = self.unread(transcript) {
            return Some((Research::Message, searches));
        }
        let searched = last.stage == Research::Message.into() && matches!(last.did, Did::Tools(_));
        let reads = if searched { self.windows() } else { Vec::new() };
        (!reads.is_empty()).then_some((Research::ReadMessage, reads))
    }

    /// Searches for what the person said since it began, if they have said something.
    fn unread(&self, transcript: &Transcript) -> Option<Vec<ToolCall>> {
        let topic = self.task.topic.first().map_or("", |name| name.as_str());
        let unread = transcript.messages.iter().filter(|message| transcript.read_in(message, false).is_none());
        let query = |text: &Clean| format!("{topic} {}", text.chars().take(MOST_OF_A_MESSAGE).collect::<String>());
        let request = |text: &Clean| ToolCall::from(Search::new(Clean::line(query(text).trim()), HITS));
        let mut requests: Vec<ToolCall> = unread.map(|message| request(&message.text)).collect();
        // What was searched for before brings nothing new.
        requests.retain(|request| !transcript.calls().any(|call| *call.request == *request));
        (!requests.is_empty()).then_some(requests)
    }

    /// Windows around the best passages that have not been read, and outlines of the best pages.
    fn windows(&self) -> Vec<ToolCall> {
        let topic = self.topic();
        let of_changes = asks_of_changes(&self.question, self.shape);
        let scores = self.results.passage_scores();
        let mut pages: BTreeMap<String, (SourceRef, f64)> = BTreeMap::new();
        let mut places: Vec<(f64, String, u32)> = Vec::new();
        let mut titled = 0;
        for (_, hits) in self.results.hits() {
            for hit in &hits.hits {
                let aside = !of_changes && is_changelog(&hit.source);
                let score = scores.get(&key(hit)).copied().unwrap_or(0.0) * if aside { 0.2 } else { 1.0 };
                let page = pages.entry(hit.source.path.to_string()).or_insert_with(|| (hit.source.clone(), 0.0));
                page.1 += score;
                if !self.results.has(&hit.source.path, hit.block)
                    && !places.iter().any(|(_, path, no)| *path == *hit.source.path && *no == hit.block)
                {
                    places.push((score, hit.source.path.to_string(), hit.block));
                }
            }
            // Pages that are titled the topic are read from their beginning: that is where they say what it is.
            let mut called: Vec<&SourceRef> = hits.titled.iter().collect();
            called.sort_by_key(|source| !self.is_called(source, topic));
            for source in called {
                let page = pages.entry(source.path.to_string()).or_insert_with(|| (source.clone(), 0.0));
                page.1 += 1.0;
                if !self.results.has(&source.path, 0)
                    && !places.iter().any(|(score, path, no)| *path == *source.path && *no == 0 && *score > 1.0)
                {
                    places.retain(|(_, path, no)| *path != *source.path || *no != 0);
                    places.push((if titled < 3 { 3.0 } else { 0.9 }, source.path.to_string(), 0));
                    titled += 1;
                }
            }
        }
        places.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (&a.1, a.2).cmp(&(&b.1, b.2))));
        places.truncate(40);
        let mut windows: BTreeMap<&str, Vec<(u32, u32, f64)>> = BTreeMap::new();
        for (score, path, no) in &places {
            // The beginning of a page titled the topic is read further: there it says what it is about.
            let (from, to) = if *score > 1.0 { (0, 30) } else { (no.saturating_sub(4), no + 10) };
            let of = windows.entry(path).or_default();
            let joins =
                |(f, t, _): &&mut (u32, u32, f64)| from <= *t && *f <= to && to.max(*t) - from.min(*f) <= Read::MOST;
            match of.iter_mut().find(joins) {
                Some(window) => *window = (window.0.min(from), window.1.max(to), window.2 + score),
                None => of.push((from, to, *score)),
            }
        }
        let mut reads: Vec<(f64, &str, u32, u32)> = windows
            .iter()
            .flat_map(|(path, of)| of.iter().map(|(from, to, score)| (*score, *path, *from, *to)))
            .collect();
        reads.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        reads.truncate(MOST_READS);
        let unread = self.results.sections().filter(|hit| !self.results.has(&hit.source.path, hit.block));
        let sections = unread
            .map(|hit| Read { source: hit.source.id.clone(), from: hit.block, to: hit.block + READ_OF_SECTION }.into());
        let mut requests: Vec<ToolCall> = sections.collect();
        requests.extend(
            reads.into_iter().filter_map(|(_, path, from, to)| {
                Some(Read { source: pages.get(path)?.0.id.clone(), from, to }.into())
            }),
        );
        let mut best: Vec<&(SourceRef, f64)> = pages.values().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.path.cmp(&b.0.path)));
        let outlines = best.iter().take(4).filter(|(source, _)| !self.results.outlined.contains(&source.id));
        requests.extend(outlines.map(|(source, _)| Outline { source: source.id.clone() }.into()));
        requests
    }

    /// The rest of the best sections, and searches for statements that another page might contradict.
    fn sections_and_checks(&self) -> Vec<ToolCall> {
        let ranked = self.rank(COMPARED_TO_READ);
        let near = ranked.near();
        let mut requests = Vec::new();
        requests.extend(ranked.most_alike.and_then(|alike| self.search_by_meaning(alike)));
        let mut asked: BTreeSet<(SourceId, u32)> = BTreeSet::new();
        let listed = self.sides_listed(ranked.candidates.iter().chain(&ranked.rest));
        for candidate in listed.iter().chain(near.iter().take(12)) {
            let Some(outline) = self.results.outlines.get(candidate.source.path.as_str()) else { continue };
            let holds = |section: &&run::evidence::Section| (section.first..section.end).contains(&candidate.block.no);
            let Some(section) = outline.sections.iter().find(holds) else { continue };
            let unread = (section.first..section.end).any(|no| !self.results.has(&candidate.source.path, no));
            if unread && asked.len() < 5 && asked.insert((candidate.source.id.clone(), section.first)) {
                let to = section.end.min(section.first + Read::MOST);
                requests.push(Read { source: candidate.source.id.clone(), from: section.first, to }.into());
            }
        }
        let mut checked: Vec<&Candidate> = Vec::new();
        for candidate in near.iter().filter(|candidate| candidate.gives_a_value()) {
            if checked.len() == MOST_CROSS_CHECKS {
                break;
            }
            if !checked.iter().any(|other| other.shingles().overlap(candidate.shingles()) > 0.5) {
                checked.push(candidate);
                let (query, limit) = (Clean::line(&candidate.claim.text), 6);
                // What a page says is known to the world; what a document says is the user's.
                let search = Search { here: !candidate.source.is_page(), ..Search::new(query, limit) };
                requests.push(search.into());
            }
        }
        requests
    }

    /// A search for sections more alike to the question than any sentence that was found by its words: the sources may use others.
    fn search_by_meaning(&self, most_alike: f64) -> Option<ToolCall> {
        let asked = self.asks().wordings().first()?;
        let pays = most_alike < ALIKE_ENOUGH && self.shape != Shape::History;
        let least = (most_alike * 1000.0).ceil() as u32;
        pays.then(|| Search::by_meaning(Clean::line(asked), SECTIONS, least).into())
    }

    /// Whether the task asks how something is done; of a question's parts one may, and the others not.
    fn asks_how(&self) -> bool {
        match self.is_part() {
            true => asks_how(&self.task.question, Shape::Overview),
            false => asks_how(&self.question, self.shape),
        }
    }

    /// Whether the task asks for a part of the question.
    fn is_part(&self) -> bool {
        *self.task.question != *self.question
    }

    /// Lists of advantages or drawbacks, where these are asked for.
    fn sides_listed<'c>(&self, candidates: impl Iterator<Item = &'c Candidate> + Clone) -> Vec<Candidate> {
        let share = |stems: &BTreeSet<&str>| self.asks().share_where(|stem| stems.contains(stem));
        pros_and_cons::lists(&self.task.question, candidates, share)
    }

    /// The candidates that are left, best first.
    fn ranked(&self) -> &Ranked {
        self.ranked.get_or_init(|| self.rank(MOST_RANKED))
    }

    fn rank(&self, compared: usize) -> Ranked {
        let (topic, ask) = (self.topic(), self.asks());
        let code = if self.asks_how() { Code::Told } else { Code::LeftOut };
        let mut found = candidates(&self.results, topic, code);
        if self.shape == Shape::History {
            // Of one step of the history only what is dated so.
            let step = |aspect: &Clean| date(&format!("version {}", aspect.rsplit(' ').next().unwrap_or(aspect)));
            let steps: Vec<String> = self.task.aspects.iter().filter_map(step).collect();
            found.retain(|candidate| dated(candidate).is_some_and(|date| steps.is_empty() || steps.contains(&date)));
        } else if !asks_of_changes(&self.question, self.shape)
            && found.iter().any(|candidate| !self.is_changelog(&candidate.source))
        {
            found.retain(|candidate| !self.is_changelog(&candidate.source));
        }
        if self.shape != Shape::History && self.named.span.is_none() {
            edition::keep_asked(&mut found, &self.question);
            entries::keep_asked(&mut found, &self.question);
            pros_and_cons::keep_asked(&mut found, &self.task.question);
        }
        if self.shape == Shape::Comparison {
            found.retain(|candidate| slot(candidate, ask, topic).is_some());
        } else {
            // A cell of two words says something only beside the cells of others, or where its row and its column are asked for.
            let says = |c: &Candidate| says_something(&c.block.text[c.claim.range.clone()]) || is_asked_cell(c, ask);
            found.retain(|candidate| candidate.block.kind != BlockKind::TableRow || says(candidate));
        }
        program_text::drop_introductions(&mut found);
        if !asks_for_law(&self.question) {
            found.retain(|c| !c.block.headings.iter().any(|heading| is_of_law(heading)));
        }
        // What the person has seen already is not more.
        found.retain(|c| !self.known.iter().any(|known| known.is_near_duplicate(c.shingles())));
        rank::ranked(found, ask, topic, &self.results, self.ranking, compared)
    }

    fn is_changelog(&self, source: &SourceRef) -> bool {
        is_changelog(source) || self.results.outlines.get(source.path.as_str()).is_some_and(is_dated)
    }

    /// Whether a page's title, up to a dash or a colon, is a name of the topic and no more.
    fn is_called(&self, source: &SourceRef, topic: &Topic) -> bool {
        let called = Tokens::of(member(&bare(&source.title))).content();
        topic.names.iter().any(|name| called.len() == name.len() && name.stems().all(|stem| called.contains(stem)))
    }

    fn report(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let (topic, ask) = (self.topic(), self.asks());
        let ranked = self.ranked();
        let [all, ranked, rest] = match self.is_unanswered(ranked) {
            true => [&[][..]; 3],
            false => [&ranked.candidates[..], ranked.near(), &ranked.rest],
        };
        let best = best_of_sections(ranked);
        // Of one of several things there is less, and each of its slots is to be filled.
        let floor = (FLOOR * best).max(self.ranking.good) * if topic.rivals.is_empty() { 1.0 } else { 0.5 };
        let contradiction = self.contradiction(all, topic);
        // Where the sources disagree is worth a reader's knowing; the other side is the partner of its finding and
        // takes no place of its own.
        let most = if topic.rivals.is_empty() { MOST } else { MOST_OF_ONE };
        let most = if contradiction.is_some() { most - 1 } else { most };
        let sides: Vec<BTreeSet<String>> = self.named.sides.iter().map(|side| Tokens::of(side).content()).collect();
        let first = best_of_sides(ranked, &sides, most, floor * 0.5);
        let mut chosen = if self.shape == Shape::Comparison {
            let slots: Vec<Slot> =
                ranked.iter().map(|candidate| slot(candidate, ask, topic).unwrap_or(Slot::Other)).collect();
            select_by_slot(ranked, &slots, first, most, floor)
        } else {
            let strong = select(ranked, first, most, floor);
            let least = (LEAST_FLOOR * best).max(self.ranking.fair);
            if strong.len() < ENOUGH { select(ranked, strong, ENOUGH, least) } else { strong }
        };
        let mut extra: Vec<Candidate> = Vec::new();
        if self.asks_how() {
            let taken: Vec<&Candidate> = chosen.iter().map(|at| &ranked[*at]).collect();
            extra = steps::left_out(&taken, all.iter().chain(rest));
        }
        let mut listed = self.sides_listed(all.iter().chain(rest));
        // If the task asks for one side and the sources list it, other sentences do not answer.
        if let Some(side) = pros_and_cons::side_of(&self.task.question).filter(|_| !listed.is_empty()) {
            chosen.retain(|at| kind(&ranked[*at], ask, topic) == side);
        }
        let are_told =
            |c: &Candidate| chosen.iter().any(|at| overlaps(&ranked[*at], c)) || extra.iter().any(|e| overlaps(e, c));
        listed.retain(|item| !are_told(item));
        // The list is the answer.
        listed.iter_mut().for_each(|item| item.score = ranked.first().map_or(item.score, |best| best.score));
        extra.append(&mut listed);
        if let Some((first, second)) = contradiction {
            chosen.retain(|at| !overlaps(&ranked[*at], &first) && !overlaps(&ranked[*at], &second));
            extra.extend([first, second]);
        }
        let findings: Vec<Finding> = chosen
            .iter()
            .map(|at| &ranked[*at])
            .chain(&extra)
            .zip(1..)
            .map(|(candidate, n)| self.finding(candidate, ask, topic, FindingId::new(assigned.id, n)))
            .collect();
        let refused = transcript.refusal();
        let title = match findings.len() {
            0 => "nothing found".into(),
            n => count(n, "finding").into(),
        };
        let unasked = unasked(transcript);
        let outcome = match (refused, findings.is_empty()) {
            (Some(refusal), true) => Outcome::OutOfBudget(format!("too little was left of {refusal}").into()),
            (Some(refusal), false) => {
                Outcome::Partial(format!("too little was left of {refusal}; these are the findings so far").into())
            }
            // What could not be asked says nothing about whether there is an answer.
            (None, true) => unasked.map_or(Outcome::NothingFound, Outcome::Failed),
            (None, false) => unasked.map_or(Outcome::Done, Outcome::Partial),
        };
        let payload = if findings.is_empty() {
            let searched = self.results.passage_scores().len();
            Payload::note(format!(
                "Searched {searched} passages; none answers “{}”.{}",
                self.task.title,
                self.closest()
            ))
        } else {
            Payload { findings: Some(findings), ..Payload::default() }
        };
        Step::Report { outcome, title, payload }
    }

    /// Whether the sources know nothing of what is asked, though they have words of it.
    fn is_unanswered(&self, ranked: &Ranked) -> bool {
        let alike = |least: f64| ranked.most_alike.is_some_and(|alike| alike >= least);
        // Another word may stand for one that is nowhere, and none for a version.
        let is_number = |asked: &&AskedWord| asked.word.starts_with(|c: char| c.is_ascii_digit());
        if self.nowhere() >= MOST_NOWHERE && (!alike(SURE_FROM) || self.missing().any(|asked| is_number(&asked))) {
            return true;
        }
        let least = if self.is_part() { LEAST_OF_PART } else { LEAST_ANSWERED };
        let is_far = ranked.most_alike.is_some() && !alike(UNANSWERED_BELOW);
        self.topic().rivals.is_empty() && (is_far || ranked.answered < least && !alike(DOUBTED_BELOW))
    }

    /// The weight of the task's words that nothing searched has, in thousandths: a page of the web may have what no file has.
    fn nowhere(&self) -> u32 {
        self.missing().map(|asked| u32::from(asked.weight)).sum()
    }

    /// The words of the task that nothing searched has.
    fn missing(&self) -> impl Iterator<Item = &AskedWord> {
        let is_found =
            |asked: &AskedWord| self.results.count(&stem(&asked.word, Language::English)).is_some_and(|n| n > 0);
        self.task.words.iter().filter(move |asked| asked.nowhere && !is_found(asked))
    }

    /// The passages that come closest to the question, for a person to judge.
    fn closest(&self) -> String {
        let scores = self.results.passage_scores();
        let mut hits: Vec<&Hit> = self.results.hits().flat_map(|(_, hits)| &hits.hits).collect();
        hits.retain(|hit| !addresses_machine(&hit.snippet));
        let score = |hit: &Hit| scores.get(&key(hit)).copied().unwrap_or(0.0);
        hits.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| key(a).cmp(&key(b))));
        hits.dedup_by_key(|hit| key(hit));
        let told: Vec<String> =
            hits.iter().take(3).map(|hit| format!("“{}” ({})", beginning(&hit.snippet), hit.source.path)).collect();
        if told.is_empty() { String::new() } else { format!(" The closest: {}.", told.join("; ")) }
    }

    /// The weightiest pair of statements that contradict each other, at least one of them about the topic.
    fn contradiction(&self, ranked: &[Candidate], topic: &Topic) -> Option<(Candidate, Candidate)> {
        // The other side may leave the topic unnamed, where it names the same setting to the letter.
        let names: Vec<Name> = Vec::new();
        let anywhere = Topic { names, rivals: topic.rivals.clone() };
        let others: LazyCell<Vec<Candidate>, _> = LazyCell::new(|| unlocked(&self.results, &anywhere));
        // The first is the weightiest: they are ranked.
        ranked.iter().enumerate().filter(|(_, c)| c.gives_a_value()).take(40).find_map(|(first, candidate)| {
            let inside = ranked[first + 1..].iter().find(|other| other.is_against(candidate));
            let other = inside.or_else(|| others.iter().find(|other| other.is_against(candidate)))?;
            Some((candidate.clone(), other.clone()))
        })
    }

    fn finding(&self, candidate: &Candidate, ask: &Ask, topic: &Topic, id: FindingId) -> Finding {
        let quote = &candidate.block.text[candidate.claim.range.clone()];
        let dated = if self.shape == Shape::History { dated(candidate) } else { date(&candidate.claim.text) };
        Finding {
            task: Some(self.task.id),
            subtopic: self.task.title.clone(),
            edits: candidate.claim.edits.clone(),
            quote: quote.into(),
            place: Some(Place::new(&candidate.source, &candidate.block, candidate.claim.range.clone())),
            kind: match kind(candidate, ask, topic) {
                FindingKind::Event if self.shape != Shape::History => FindingKind::Fact,
                kind => kind,
            },
            numbers: numbers(quote),
            date: dated.map(Into::into),
            score: (candidate.score * 1000.0) as i32,
            ..Finding::new(id, candidate.claim.text.as_str().into())
        }
    }
}

/// A sentence that a researcher by rule has weighed for its task, best first.
#[derive(Clone, Debug)]
pub struct Weighed {
    pub claim: String,
    pub path: Clean,
    pub block: u32,
    /// The headings and the title above it.
    pub above: String,
    /// Its features, in the order of [`rank::FEATURES`].
    pub features: Vec<f64>,
    pub score: f64,
    /// The share of the question's weight that is in words which the sources have.
    pub known: f64,
}

/// The sentences that a researcher has weighed, from what it was handed and its transcript.
pub fn weighed(transcript: &Transcript, ranking: &Ranking) -> Vec<Weighed> {
    let Some(work) = Work::of(&transcript.handoff.payload, transcript, ranking) else { return Vec::new() };
    let (ask, ranked) = (work.asks(), work.ranked());
    let with = |(candidate, features): (&Candidate, &[f64; rank::FEATURES.len()])| Weighed {
        known: ask.known_share(),
        above: format!("{} / {}", candidate.section, candidate.source.title),
        claim: candidate.claim.text.clone(),
        path: candidate.source.path.clone(),
        block: candidate.block.no,
        features: features.to_vec(),
        score: candidate.score,
    };
    ranked.candidates.iter().zip(&ranked.features).map(with).collect()
}

/// The mean score of the best sentences of the best sections: one sentence that happens to have all words sets no measure for
/// the others.
fn best_of_sections(ranked: &[Candidate]) -> f64 {
    let mut sections = BTreeSet::new();
    let mut is_new = |c: &Candidate| sections.insert((c.source.path.clone(), c.section.clone()));
    let best: Vec<f64> = ranked.iter().filter(|c| is_new(c)).take(BEST_SECTIONS).map(|c| c.score).collect();
    best.iter().sum::<f64>() / best.len().max(1) as f64
}

/// Why some of what there is to search was not searched: the first reason.
fn unasked(transcript: &Transcript) -> Option<Clean> {
    transcript.calls().find_map(|call| match (&call.end, call.result()) {
        (CallEnd::Failed(why), _) if call.request.name == Search::NAME => Some(why.clone()),
        (_, Some(ToolResult::Hits(hits))) => hits.notes.first().cloned(),
        _ => None,
    })
}

/// The first words of a passage.
fn beginning(snippet: &str) -> String {
    let words: Vec<&str> = snippet.split_whitespace().collect();
    let more = if words.len() > FIRST_WORDS { " …" } else { "" };
    format!("{}{more}", words[..words.len().min(FIRST_WORDS)].join(" "))
}

/// Whether a question names the row of a cell whole, and of its column some word.
fn is_asked_cell(c: &Candidate, ask: &Ask) -> bool {
    let Some((label, _)) = c.claim.text.strip_prefix('[').and_then(|text| text.split_once("]: ")) else { return false };
    let Some((column, row)) = label.split_once(", ") else { return false };
    let asked =
        |text: &str| -> Vec<bool> { Tokens::of(text).content().iter().map(|stem| ask.weight_of(stem) > 0.0).collect() };
    let row = asked(row);
    !row.is_empty() && row.iter().all(|is_asked| *is_asked) && asked(column).contains(&true)
}

/// Whether a cell says something outside its table: words, not a figure or a path.
fn says_something(quote: &str) -> bool {
    let plain = |word: &&str| word.len() >= 2 && word.chars().all(|c| c.is_alphabetic() || c == '-');
    words(quote).filter(plain).count() >= 3 && !is_code_like(quote)
}

/// The date of a statement in a history: its own, or that of the section or the page that lists what changed then.
fn dated(candidate: &Candidate) -> Option<String> {
    let above = candidate.block.headings.iter().rev();
    above.chain([&candidate.source.title]).find_map(|text| date(text)).or_else(|| date(&candidate.claim.text))
}
