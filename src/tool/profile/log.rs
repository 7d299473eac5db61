//! A log: failures and the lines before them, gaps, and repeated starts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::moment::{self, Moment};
use super::{Line, lines, measure, overview, places, shown};
use run::Block;
use run::profile::{Ailment, Measure};

/// The most kinds of errors that are listed.
const MOST_ERRORS: usize = 4;
/// The number of lines above an error that may precede it.
const ABOVE: usize = 3;
/// The fewest starts of a service that are an anomaly.
const MANY_STARTS: usize = 3;
/// Seconds within which several lines are a burst.
const BURST: i64 = 60;

/// A line with its time and its text with numbers masked.
struct Entry<'a> {
    text: &'a str,
    block: &'a Arc<Block>,
    moment: Option<Moment>,
    template: String,
    fails: bool,
}

pub(super) fn of(name: &str, all: &[Line<'_>]) -> Vec<Measure> {
    let entries: Vec<Entry<'_>> = all.iter().map(entry).collect();
    let mut measures = Vec::new();
    measures.extend(whole(name, &entries));
    measures.extend(errors(name, &entries));
    measures.extend(restarts(name, &entries));
    measures.extend(silence(name, &entries));
    measures.extend(out_of_order(name, &entries));
    measures
}

fn entry<'a>(line: &'a Line<'a>) -> Entry<'a> {
    let text = &*line.text;
    let moment = moment::of(text);
    let rest = text.get(moment.as_ref().map_or(0, |moment| moment.end)..).unwrap_or("");
    Entry { text, block: line.block, template: template(rest), fails: fails(text), moment }
}

/// The text of a line with everything variable masked: numbers, ids, quoted text.
fn template(text: &str) -> String {
    let mut masked: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let differs = word.chars().any(|c| c.is_ascii_digit());
        let word = match (differs, word.split_once('=')) {
            (true, Some((key, _))) => format!("{key}=#"),
            (true, None) => "#".into(),
            (false, _) => word.to_owned(),
        };
        if masked.last().is_none_or(|last| *last != word || word != "#") {
            masked.push(word);
        }
    }
    masked.join(" ")
}

/// Whether a line reports a failure: by its level, or by the status of a request.
fn fails(line: &str) -> bool {
    let level = |word: &str| {
        matches!(word.trim_matches(['[', ']', ':', '|']), "ERROR" | "FATAL" | "CRITICAL" | "PANIC" | "SEVERE" | "EMERG")
    };
    if line.split_whitespace().take(8).any(level) {
        return true;
    }
    let status = line.split_once("HTTP/").and_then(|(_, rest)| rest.split_once("\" ")).map(|(_, rest)| rest);
    // The bytes and not the text: any character may stand there.
    let status = status.and_then(|rest| rest.as_bytes().get(..3));
    status.is_some_and(|status| status[0] == b'5' && status.iter().all(u8::is_ascii_digit))
}

fn whole(name: &str, entries: &[Entry<'_>]) -> Option<Measure> {
    let (first, _) = entries.iter().find_map(|entry| Some((entry, entry.moment.as_ref()?)))?;
    let times = || entries.iter().filter_map(|entry| entry.moment.as_ref());
    let (from, to) = (times().min_by_key(|moment| moment.second)?, times().max_by_key(|moment| moment.second)?);
    let failed = entries.iter().filter(|entry| entry.fails).count();
    let say = if failed == 0 { "none of them says".into() } else { format!("{failed} of them say") };
    let (lines, from, to) = (entries.len(), &from.written, &to.written);
    let says = format!("{name} has {lines} lines from {from} to {to}; {say} that something failed.");
    Some(overview(entries.len(), first.block, says))
}

/// Errors by their text, the most frequent first, each with the line that usually precedes it.
fn errors(name: &str, entries: &[Entry<'_>]) -> Vec<Measure> {
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.fails) {
        kinds.entry(&entry.template).or_default().push(at);
    }
    let mut kinds: Vec<Vec<usize>> = kinds.into_values().collect();
    kinds.sort_by_key(|places| (std::cmp::Reverse(places.len()), places[0]));
    let mut measures = Vec::new();
    for places in kinds.iter().take(MOST_ERRORS) {
        let first = &entries[places[0]];
        let what = text_of(first);
        let when = when(entries, places);
        let says = format!("{name}: {} {}{when}.", lines(places.len(), "says", "say"), shown(&what));
        measures.push(measure(Ailment::Errors, places.len(), first.block, says));
        measures.extend(before(name, entries, places, &what));
    }
    measures
}

/// The text of a line, after its time.
fn text_of(entry: &Entry<'_>) -> String {
    let from = entry.moment.as_ref().map_or(0, |moment| moment.end);
    let rest = entry.text.get(from..).unwrap_or("");
    // Skip the rest of the time: fractions, the zone, a bracket.
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || ".,Z+:]".contains(c)).trim();
    let rest = rest.strip_prefix("+0000]").unwrap_or(rest);
    rest.trim().to_owned()
}

/// The time of it, in words: once, over a time, or mostly in a burst.
fn when(entries: &[Entry<'_>], places: &[usize]) -> String {
    let times: Vec<&Moment> = places.iter().filter_map(|at| entries[*at].moment.as_ref()).collect();
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return format!("; the first is line {}", entries[places[0]].block.line);
    };
    let line = entries[places[0]].block.line;
    if times.len() == 1 {
        return format!(", at {} (line {line})", first.written);
    }
    if let Some((begin, most)) = busiest(&times)
        && most >= 5
        && most * 10 >= times.len() * 6
    {
        return format!(", {most} of them within {BURST} s from {} on (the first is line {line})", begin.written);
    }
    format!(", from {} to {} (the first is line {line})", first.written, last.written)
}

/// The moment that most others follow within [`BURST`] seconds, the earliest of several, with their number and its own.
fn busiest<'a>(times: &[&'a Moment]) -> Option<(&'a Moment, usize)> {
    let mut sorted = times.to_vec();
    // Times may go back.
    sorted.sort_by_key(|time| time.second);
    let mut end = 0;
    let followed = sorted.iter().enumerate().map(|(from, time)| {
        end += sorted[end..].iter().take_while(|later| later.second - time.second <= BURST).count();
        (from, end - from)
    });
    let (from, most) = followed.max_by_key(|(from, most)| (*most, std::cmp::Reverse(*from)))?;
    Some((sorted[from], most))
}

/// The line right above most errors of a kind, if there is one.
fn before(name: &str, entries: &[Entry<'_>], places: &[usize], what: &str) -> Option<Measure> {
    // In a row of errors only the first has a line before it.
    let begins: Vec<usize> =
        places.iter().copied().filter(|at| *at > 0 && entries[*at - 1].template != entries[*at].template).collect();
    let mut above: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for at in &begins {
        let mut seen: Vec<&str> = Vec::new();
        for n in (at.saturating_sub(ABOVE)..*at).rev() {
            let entry = &entries[n];
            if entry.template != entries[*at].template && !seen.contains(&&*entry.template) {
                seen.push(&entry.template);
                above.entry(&entry.template).or_default().push(n);
            }
        }
    }
    // A line that is everywhere explains nothing: it must be more frequent here than elsewhere.
    let everywhere = |template: &str| entries.iter().filter(|entry| entry.template == template).count();
    let telling = |(template, at): &(&str, Vec<usize>)| {
        at.len() >= 2.min(begins.len()) && at.len() * 10 >= begins.len() * 6 && everywhere(template) <= at.len() * 2
    };
    let (_, at) = above.into_iter().filter(telling).max_by_key(|(_, at)| (at.len(), std::cmp::Reverse(at[0])))?;
    let cause = &entries[at[0]];
    let says = format!(
        "{name}: right before {} of {} times that {} begins stands {} (line {}).",
        at.len(),
        begins.len(),
        shown(what),
        shown(&text_of(cause)),
        cause.block.line
    );
    Some(measure(Ailment::Before, at.len(), cause.block, says))
}

fn restarts(name: &str, entries: &[Entry<'_>]) -> Option<Measure> {
    let starts = |entry: &&Entry<'_>| {
        let text = entry.template.to_lowercase();
        !entry.fails && ["starting", "started", "booting", "listening on"].iter().any(|word| text.contains(word))
    };
    let mut kinds: BTreeMap<&str, Vec<&Entry<'_>>> = BTreeMap::new();
    entries.iter().filter(starts).for_each(|entry| kinds.entry(&entry.template).or_default().push(entry));
    let times = kinds
        .into_values()
        .filter(|times| times.len() >= MANY_STARTS)
        .max_by_key(|times| (times.len(), std::cmp::Reverse(times[0].block.line)))?;
    let blocks: Vec<&Arc<Block>> = times.iter().map(|entry| entry.block).collect();
    let says = format!(
        "{name}: it starts {} times, each time saying {} ({}).",
        times.len(),
        shown(&text_of(times[0])),
        places(&blocks)
    );
    Some(measure(Ailment::Restarts, times.len(), times[1].block, says))
}

/// The lines with a timestamp, each with its moment.
fn timed<'a>(entries: &'a [Entry<'a>]) -> Vec<(&'a Entry<'a>, &'a Moment)> {
    entries.iter().filter_map(|entry| Some((entry, entry.moment.as_ref()?))).collect()
}

/// The longest time in which nothing was written, if it is long for this log.
fn silence(name: &str, entries: &[Entry<'_>]) -> Option<Measure> {
    let timed = timed(entries);
    let mut gaps: Vec<i64> =
        timed.windows(2).map(|pair| pair[1].1.second - pair[0].1.second).filter(|gap| *gap >= 0).collect();
    if gaps.len() < 10 {
        return None;
    }
    gaps.sort_unstable();
    let (usual, longest) = (gaps[gaps.len() * 9 / 10], gaps[gaps.len() - 1]);
    if longest < 300 || longest < usual.max(1) * 8 {
        return None;
    }
    let pair = timed.windows(2).find(|pair| pair[1].1.second - pair[0].1.second == longest)?;
    let (last, next) = (&pair[0], &pair[1]);
    let says = format!(
        "{name}: nothing was written for {}, between {} (line {}) and {} (line {}).",
        moment::long(longest),
        last.1.written,
        last.0.block.line,
        next.1.written,
        next.0.block.line
    );
    Some(measure(Ailment::Silence, 1, next.0.block, says))
}

fn out_of_order(name: &str, entries: &[Entry<'_>]) -> Option<Measure> {
    let timed = timed(entries);
    let back: Vec<&Arc<Block>> =
        timed.windows(2).filter(|pair| pair[1].1.second < pair[0].1.second).map(|pair| pair[1].0.block).collect();
    let first = back.first()?;
    let says = format!("{name}: the time goes back in {}.", places(&back));
    Some(measure(Ailment::OutOfOrder, back.len(), first, says))
}
