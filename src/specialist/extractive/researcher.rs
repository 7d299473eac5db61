//! Researcher: searches, reads, cross-checks against other pages, and reports the answers to its task, best first.

mod begins;
mod chosen;
mod considered;
mod elsewhere;
mod reading;
mod report;
mod siblings;
mod unanswered;
mod value;

use std::cell::OnceCell;
use std::collections::BTreeSet;

pub use unanswered::closest_once;

use super::ask::Ask;
use super::candidate::Candidate;
use super::kinds::Kinds;
use super::near_duplicates::Shingles;
use super::rank::{MOST_RANKED, Ranked, Ranking};
use super::tool_results::ToolResults;
use super::topic::{Topic, initials};
use super::{named_in, pros_and_cons, question_list, rank};
use crate::numbers::date;
use crate::{Assigned, Specialist, Step};
use run::budget::Cap;
use run::handoff::{Payload, PlannedTask};
use run::plan::{Shape, Task};
use run::stage::Research;
use run::tool::ToolCall;
use run::transcript::{Did, Transcript};
use text::{Clean, Named};

/// The stages in order, unless a message of the person comes in between.
const ORDER: [Research; 4] = [Research::Search, Research::Read, Research::CrossCheck, Research::ReadCrossCheck];

/// The description of a stage, in a sentence.
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

/// The researcher, with the weights with which it ranks sentences.
pub(super) struct Researcher<'a>(pub &'a Ranking);

impl Specialist for Researcher<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.waits() {
            return Step::Wait;
        }
        let Some(work) = Work::of(&assigned.handoff.payload, transcript, self.0) else {
            return Step::failed("the handoff carries no task");
        };
        let last = assigned.turns_left <= 1 || transcript.is_refused();
        let next = || match work.document() {
            Some(within) => work.read_beginnings(within, transcript),
            None => work.heed(transcript).or_else(|| work.next(transcript)),
        };
        if !last && let Some((stage, mut requests)) = next() {
            // The last reads are ordered by their promise: read as many as the cap allows.
            if stage == Research::ReadCrossCheck
                && let Some(left) = assigned.left.cap(Cap::ToolCalls)
            {
                requests.truncate(usize::try_from(left).unwrap_or(usize::MAX).max(1));
            }
            return Step::Use { stage: stage.into(), why: in_words(stage), requests };
        }
        work.report(assigned, transcript)
    }
}

/// A task with all results so far.
struct Work<'a> {
    task: &'a Task,
    shape: Shape,
    question: Clean,
    /// The things that the question names.
    named: Named,
    wishes: Vec<String>,
    /// The earlier findings of this task, when the person asks for more.
    known: Vec<Shingles>,
    results: ToolResults,
    ranking: &'a Ranking,
    // Derived from the results once, for all decisions of one step.
    topic: OnceCell<Topic>,
    ask: OnceCell<Ask>,
    ranked: OnceCell<Ranked>,
}

impl<'a> Work<'a> {
    /// The task of a payload, with the results so far; None without a task.
    fn of(payload: &'a Payload, transcript: &Transcript, ranking: &'a Ranking) -> Option<Work<'a>> {
        let PlannedTask { task, shape } = payload.task.as_ref()?;
        let (question, shape) = question_list::asked(&payload.question.clone().unwrap_or_default(), task, *shape);
        let messages = transcript.messages.iter().map(|message| message.text.to_string());
        let wishes: Vec<String> = payload.notes().iter().map(|note| note.to_string()).chain(messages).collect();
        let results = ToolResults::of(transcript);
        let known = payload.findings().iter().map(|finding| Shingles::of(&finding.quote)).collect();
        // A question of a list stands alone: only its own names count.
        let named = match payload.question.as_ref() == Some(&question) {
            true => named_in(payload).into_owned(),
            false => Named::read(&question),
        };
        let (topic, ask, ranked) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Some(Work { task, shape, question, named, wishes, known, results, ranking, topic, ask, ranked })
    }

    /// The topic, with the other compared things, and the short forms that the sources introduce.
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
        let initials = initials(name);
        let long = initials.chars().count() >= 3;
        let bracketed = format!("({initials})");
        let texts = self.results.hits().flat_map(|(_, hits)| hits.hits.iter().map(|hit| hit.snippet.as_str()));
        let blocks = self.results.blocks.values().map(|(_, block)| block.text.as_str());
        let texts: Vec<&str> = texts.chain(blocks).filter(|text| text.contains(['(', '.'])).collect();
        let is_introduced = |text: &str| {
            text.contains(&bracketed)
                || text.contains(&format!("{initials}.")) && text.to_lowercase().contains(&name.to_lowercase())
        };
        match long && texts.iter().any(|text| is_introduced(text)) {
            true => Some(initials),
            false => texts.iter().find_map(|text| short_form_of_more(text, name)),
        }
    }

    fn asks(&self) -> &Ask {
        self.ask.get_or_init(|| Ask::of(self.task, self.shape, &self.question, &self.wishes, &self.results))
    }

    /// The next stage and its calls; None when only the report is left.
    fn next(&self, transcript: &Transcript) -> Option<(Research, Vec<ToolCall>)> {
        let for_messages = transcript.turns_at(Research::Message) + transcript.turns_at(Research::ReadMessage);
        let done_turns = transcript.turns.len() - for_messages;
        let done = ORDER.iter().rposition(|stage| transcript.turns_at(*stage) > 0).map_or(0, |last| last + 1);
        let requests = |stage: Research| match stage {
            Research::Search | Research::Message => self.searches(),
            Research::Read | Research::ReadMessage | Research::ReadCrossCheck => self.windows(),
            Research::CrossCheck => self.sections_and_checks(),
        };
        // A message may have led to the work of a stage already: continue with the next.
        let most = if transcript.messages.is_empty() { 1 } else { ORDER.len() };
        let stages = ORDER.into_iter().skip(done_turns.max(done)).take(most).map(|stage| (stage, requests(stage)));
        stages.into_iter().find(|(_, requests)| !requests.is_empty())
    }

    /// The calls that follow first from a message that arrived since the work began.
    fn heed(&self, transcript: &Transcript) -> Option<(Research, Vec<ToolCall>)> {
        let last = transcript.turns.last()?;
        if let Some(searches) = self.unread(transcript) {
            return Some((Research::Message, searches));
        }
        let searched = last.stage == Research::Message.into() && matches!(last.did, Did::Tools(_));
        let reads = if searched { self.windows() } else { Vec::new() };
        (!reads.is_empty()).then_some((Research::ReadMessage, reads))
    }

    /// Whether the task asks for a part of the question.
    fn is_part(&self) -> bool {
        *self.task.question != *self.question
    }

    /// Lists of advantages or drawbacks, if the question asks for these.
    fn sides_listed<'c>(&self, candidates: impl Iterator<Item = &'c Candidate> + Clone) -> Vec<Candidate> {
        let share = |stems: &BTreeSet<&str>| self.asks().share_where(|stem| stems.contains(stem));
        pros_and_cons::lists(&self.task.question, candidates, share)
    }

    /// The kinds of a thing, or the rows of a table of it, if the question asks for these and the sources list them.
    fn kinds_listed(&self) -> Vec<Candidate> {
        let listed = match &self.asks().kinds {
            Some(kinds) => kinds.listed(&self.results),
            None => Kinds::of_a_table(&self.task.question).map_or_else(Vec::new, |kinds| kinds.in_rows(&self.results)),
        };
        self.unknown(listed)
    }

    /// The items of a list that the person has not seen yet.
    fn unknown(&self, mut items: Vec<Candidate>) -> Vec<Candidate> {
        items.retain(|item| !self.is_known(item));
        items
    }

    /// Whether the person has already seen it.
    fn is_known(&self, candidate: &Candidate) -> bool {
        self.known.iter().any(|known| known.is_near_duplicate(candidate.shingles()))
    }

    /// The remaining candidates, best first.
    fn ranked(&self) -> &Ranked {
        self.ranked.get_or_init(|| self.rank(MOST_RANKED))
    }

    fn rank(&self, compared: usize) -> Ranked {
        rank::ranked(self.considered(), self.asks(), self.topic(), &self.results, self.ranking, compared)
    }
}

/// The most words between a name and its short form that are letters of it, too.
const MORE_WORDS: usize = 2;

/// The short form of a name with a word or two more: PBC of "push button" in "push-button configuration (PBC)".
fn short_form_of_more(text: &str, name: &str) -> Option<String> {
    let plain = text.replace('-', " ");
    let lower = plain.to_lowercase();
    let name = name.replace('-', " ").to_lowercase();
    // Some capitals have small letters of another length.
    let ends = lower.match_indices(&name).map(|(at, _)| at + name.len()).filter(|_| lower.len() == plain.len());
    let behind = ends.filter_map(|end| plain[end..].split_once('(').filter(|(more, _)| more.starts_with(' ')));
    behind.into_iter().find_map(|(more, rest)| {
        let (form, _) = rest.split_once(')')?;
        let words = more.split_whitespace().count();
        let fits = (1..=MORE_WORDS).contains(&words)
            && form.len() > 2
            && form == initials(&format!("{name}{}", more.trim_end()));
        fits.then(|| form.to_owned())
    })
}

/// A sentence that a rule-based researcher has ranked for its task.
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
    /// The share of the question's weight in words that the sources have.
    pub known: f64,
}

/// The sentences that a researcher has ranked, best first, from its handoff and its transcript.
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

/// The date of a statement in a history: its own, or that of its section or page.
fn dated(candidate: &Candidate) -> Option<String> {
    let above = candidate.block.headings.iter().rev();
    above.chain([&candidate.source.title]).find_map(|text| date(text)).or_else(|| date(&candidate.claim.text))
}

#[cfg(test)]
mod tests {
    use super::short_form_of_more;

    #[test]
    fn a_short_form_may_have_letters_of_the_words_behind_the_name() {
        let of = |text: &str| short_form_of_more(text, "push button");
        assert_eq!(of("It has push-button configuration (PBC) and a PIN.").as_deref(), Some("PBC"));
        for text in
            ["Press the push button (red).", "The push button of the printer in the hall (PBC)", "push buttons (PB)"]
        {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
