//! `masthead runs`: lists runs, finds words and tags in them, says how one stands, tags and deletes.

use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;

use rustix::termios::tcgetwinsize;
use serde::Serialize;
use serde_json::Value;

use super::args::Runs;
use super::engine::{find, load};
use super::exit::{self, Failure};
use super::input;
use super::inspect::{print, still_open};
use super::memory;
use super::output::shown;
use super::place::Places;
use super::recording;
use super::standing::{Unseen, unseen_in};
use desk::{Clock, SystemClock};
use journal::{Claimed, Deleted, Reader, RunRow, Tag};
use run::budget::Cap;
use run::foreign::{Format, Imported, Pricing};
use run::search::{Searched, Wanted};
use run::status::{Status, Taken};
use run::{Mark, Money, Phase, Run, RunId};
use text::{Clean, count};

#[derive(Serialize)]
struct RunLine<'a> {
    id: &'a RunId,
    state: &'a str,
    /// Whether a process works on it now.
    active: bool,
    question: &'a str,
    tags: Vec<&'a str>,
    opened_at: i64,
    touched_at: i64,
    age_seconds: u64,
    events: u64,
    /// Null for an imported run of which nobody knows a price.
    cost_pico_dollars: Option<u64>,
    /// The form of the files of an imported run, which is read only; not there for a run of this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Format>,
    /// The part of an imported run's money that is known; not there if an earlier version kept it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pricing: Option<Pricing>,
    /// The most that calls of unknown outcome can have cost; null if an earlier version recorded the run.
    in_doubt_pico_dollars: Option<u64>,
    /// The run that it was forked from, and the event of that one at which it forks; not there for a run that is no fork.
    #[serde(skip_serializing_if = "Option::is_none")]
    forked_from: Option<Parent<'a>>,
    /// The places of the searched words; not there if there was no search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<Passage>,
    /// Its status; only where one run was asked for.
    #[serde(flatten)]
    status: Option<Status>,
}

#[derive(Serialize)]
struct Parent<'a> {
    run: &'a str,
    at: u64,
}

#[derive(Serialize)]
struct Passage {
    r#in: &'static str,
    text: Clean,
}

/// The most matching passages that are printed of a run.
const MOST_PASSAGES: usize = 5;
/// The most characters of a passage that are listed below a run, where no terminal says how wide it is.
const MOST_SHOWN: usize = 100;
/// The least of them.
const LEAST_SHOWN: usize = 20;

/// The words that were found, with as much around them as fits into a line of `columns` cells.
fn passage_line(wanted: &Wanted, passage: &Passage, columns: Option<usize>) -> String {
    let head = format!("          {}: ", passage.r#in);
    // A sign stands at each end that is cut.
    let room = columns.map(|columns| columns.saturating_sub(head.len() + 2).max(LEAST_SHOWN));
    let line = format!("{head}{}", wanted.shown_in(&passage.text, room.unwrap_or(MOST_SHOWN)));
    columns.map_or_else(|| line.clone(), |columns| tui::cut(&line, columns.max(LEAST_SHOWN)).into_owned())
}

pub fn runs(places: &Places, asked: &Runs) -> Result<u8, Failure> {
    match asked.what.split_first() {
        Some((first, more)) if first.starts_with('/') => {
            if asked.delete || !asked.untag.is_empty() {
                return Err(Failure::Usage("name one run by its id to change or delete it".into()));
            }
            let typed = [&[first[1..].to_owned()], more].concat().join(" ");
            list(places, asked, &Wanted::new(&typed))
        }
        Some((name, [])) if asked.delete => delete_asked(places, name, asked.yes),
        Some((name, [])) => one(places, name, asked),
        Some(_) => Err(Failure::Usage(
            "name one run; words to look for come after a slash, as in: masthead runs /pgvector recall".into(),
        )),
        None => list(places, asked, &Wanted::default()),
    }
}

fn list(places: &Places, asked: &Runs, wanted: &Wanted) -> Result<u8, Failure> {
    let reader = places.journal().read()?;
    let rows = reader.as_ref().map_or_else(|| Ok(Vec::new()), Reader::runs)?;
    let all = rows.len();
    let now = SystemClock.now();
    let columns =
        tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut shown = 0;
    let mut unseen = Unseen::default();
    for row in rows.iter().filter(|row| asked.tag.iter().all(|tag| row.tags.contains(tag))) {
        let mut found = Vec::new();
        if let (false, Some(reader)) = (wanted.is_empty(), &reader) {
            let text = Searched::of(&load(reader, &row.id)?.0);
            let beside = format!("{} {}", row.id, tagged(row));
            if !wanted.all(|word| text.has(word) || beside.contains(word)) {
                continue;
            }
            let best = text.best(wanted, MOST_PASSAGES);
            found.extend(best.into_iter().map(|(place, text)| Passage { r#in: place.word(), text: text.clone() }));
        }
        shown += 1;
        let unseen = reader.as_ref().and_then(|reader| unseen.of(reader, row));
        let written = if asked.json {
            writeln!(out, "{}", json_line(row, unseen, found, None)?)
        } else {
            let age = now.since(row.touched_at) / 1_000;
            let first = found
                .first()
                .map_or_else(String::new, |passage| format!("\n{}", passage_line(wanted, passage, columns)));
            writeln!(out, "{}{first}", run_line(row, unseen, age, columns))
        };
        if !still_open(written)? {
            return Ok(exit::DONE);
        }
    }
    still_open(out.flush())?;
    if shown == 0 && !asked.json {
        exit::say(match all {
            0 => "no runs yet. Begin with: masthead brief \"What do you want to know?\" --sources DIR",
            _ if wanted.is_empty() => "no run has these tags",
            _ => "no run has all of these words in its question, findings, brief or tags",
        });
    }
    Ok(exit::DONE)
}

fn json_line(
    row: &RunRow,
    unseen: Option<Money>,
    found: Vec<Passage>,
    status: Option<Status>,
) -> Result<String, Failure> {
    let line = RunLine {
        id: &row.id,
        state: state_with(row, unseen),
        active: row.active,
        question: &row.headline.question,
        tags: row.tags.iter().map(Tag::as_str).collect(),
        opened_at: row.opened_at.0,
        touched_at: row.touched_at.0,
        age_seconds: SystemClock.now().since(row.touched_at) / 1_000,
        events: row.head.0,
        cost_pico_dollars: match &row.headline.imported {
            Some(Imported { pricing, .. }) => {
                pricing.filter(|pricing| !pricing.is_unknown()).map(|known| known.known().0)
            }
            None => Some(row.headline.cost),
        },
        origin: row.headline.imported.map(|imported| imported.format),
        pricing: row.headline.imported.and_then(|imported| imported.pricing),
        in_doubt_pico_dollars: in_doubt(row, unseen).map(|money| money.0),
        forked_from: row.headline.forked.as_ref().map(|(run, at)| Parent { run, at: *at }),
        found,
        status,
    };
    serde_json::to_string(&line).map(text::escape_in_json).map_err(Failure::other)
}

/// One run: tagged, if tags are given, or how it stands.
fn one(places: &Places, name: &str, asked: &Runs) -> Result<u8, Failure> {
    if recording::file(name).is_some_and(Path::exists) {
        let file = Clean::line(name);
        let why = format!(
            "{file} is a file, and no run of the journal: `masthead replay {file}` and `masthead export {file}` take one"
        );
        return Err(Failure::Usage(why));
    }
    let (id, reader) = find(places, name)?;
    let changes = !(asked.tag.is_empty() && asked.untag.is_empty());
    if changes {
        places.journal().tag(&id, &asked.tag, &asked.untag)?;
    }
    let row = row_of(&reader, &id)?;
    if changes && !asked.json {
        let tags = tagged(&row);
        exit::say(&format!("run {id} {}", if tags.is_empty() { "has no tags".into() } else { format!("is {tags}") }));
        return Ok(exit::DONE);
    }
    // The row was read before the events, so that a process that ended meanwhile has left all it wrote.
    let (run, _) = load(&reader, &id)?;
    let status = Status::of(&run, SystemClock.now(), row.active);
    if asked.json {
        return print(format!("{}\n", json_line(&row, unseen_in(&row, &run), Vec::new(), Some(status))?).as_bytes());
    }
    print(in_words(&row, &run, &status).as_bytes())
}

/// The latest wanted runs, as `runs --json` tells them.
pub fn lines(places: &Places, most: usize, is_wanted: impl Fn(&Reader, &RunId) -> bool) -> Result<Vec<Value>, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(Vec::new()) };
    let rows = reader.runs()?;
    let mut unseen = Unseen::default();
    let line = |row: &RunRow| read(&json_line(row, unseen.of(&reader, row), Vec::new(), None)?);
    rows.iter().filter(|row| is_wanted(&reader, &row.id)).take(most).map(line).collect()
}

/// A run, as `runs RUN --json` tells it.
pub fn line_of(places: &Places, name: &str) -> Result<Value, Failure> {
    let (id, reader) = find(places, name)?;
    let row = row_of(&reader, &id)?;
    let (run, _) = load(&reader, &id)?;
    let status = Status::of(&run, SystemClock.now(), row.active);
    read(&json_line(&row, unseen_in(&row, &run), Vec::new(), Some(status))?)
}

fn read(line: &str) -> Result<Value, Failure> {
    serde_json::from_str(line).map_err(Failure::other)
}

fn row_of(reader: &Reader, id: &RunId) -> Result<RunRow, Failure> {
    let row = reader.runs()?.into_iter().find(|row| row.id == *id);
    Ok(row.ok_or_else(|| journal::JournalError::NoSuchRun(id.to_string()))?)
}

fn in_words(row: &RunRow, run: &Run, status: &Status) -> String {
    let age = ago(SystemClock.now().since(row.touched_at) / 1_000);
    let mut lines = vec![format!("{}  {}  {age}  {}", row.id, state_with(row, unseen_in(row, run)), spent(run))];
    lines.push(format!("  {}", Clean::line(&row.headline.question)));
    let about = [origin(row), forked(row), Some(tagged(row)).filter(|tags| !tags.is_empty())];
    lines.extend(about.into_iter().flatten().map(|about| format!("  {about}")));
    lines.extend(status.alarm.iter().map(|alarm| format!("  ! {}", Clean::line(alarm))));
    for member in &status.open {
        let title = if member.id == "0" { "" } else { member.title.as_str() };
        let who = [member.role.as_str(), title].map(str::to_owned);
        let who = who.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
        let who = Clean::line(&who);
        let who = tui::cut(&who, 40);
        lines.push(format!("  {:<9}  {who:<40}  {}  {}s", member.state.word(), member.what, member.for_seconds));
    }
    for task in &status.to_come {
        let title = tui::cut(&task.title, 40);
        let after = task.after.join(", ");
        let after = if after.is_empty() { String::new() } else { format!("after {after}") };
        lines.push(format!("  {:<9}  {title:<40}  {after}", "to come").trim_end().to_owned());
    }
    lines.push(format!("  {} ended", count(status.ended, "assignment")));
    if let Some(forked) = run.forked.as_ref().filter(|forked| forked.spent.money() > Money::default()) {
        lines.push(format!("  {} of the money was paid by {}", forked.spent.money(), forked.fork.parent));
    }
    if let Some(corpus) = &run.corpus {
        let unread = corpus.unread();
        lines.extend((!unread.is_empty()).then(|| format!("  not read: {unread}")));
        lines.extend(corpus.skipped.iter().map(|skipped| format!("    {}: {}", skipped.path, skipped.why)));
    }
    lines.extend(status.taken.iter().map(|taken| format!("  {}", of_cap(taken))));
    lines.extend(status.fallbacks.iter().chain(&status.estimates).map(|told| format!("  ! {told}")));
    lines.join("\n") + "\n"
}

/// "23k tokens of 200k, 3k reserved".
fn of_cap(taken: &Taken) -> String {
    // Time is that of the clock on the screens.
    let is_time = taken.kind == Cap::Time;
    let written = |n: u64| if is_time { text::clock(n) } else { taken.kind.written(n) };
    let mut line = if is_time { format!("{} time", written(taken.spent)) } else { taken.kind.counted(taken.spent) };
    if let Some(cap) = taken.cap {
        line.push_str(&format!(" of {}", taken.kind.written(cap)));
    }
    for (n, what) in [(taken.reserved, "reserved"), (taken.in_doubt, "in doubt")] {
        if n > 0 {
            line.push_str(&format!(", {} {what}", written(n)));
        }
    }
    line
}

/// Said of a deleted run whose text is still in the journal's log.
pub const TEXT_IN_LOG: &str =
    "another process is reading the journal: the text of the run goes from the disk once that has closed it";

fn delete_asked(places: &Places, name: &str, yes: bool) -> Result<u8, Failure> {
    let (id, reader) = find(places, name)?;
    let rows = reader.runs()?;
    let row = row_of(&reader, &id)?;
    let question = Clean::line(&row.headline.question);
    let question = tui::cut(&question, 72);
    let tags = tagged(&row);
    let what = format!("run {id} ({question}), {}{}{tags}", count(row.head.0 as usize, "event"), sep(&tags));
    if !yes {
        if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
            return Err(Failure::Usage(format!("{what}: --yes deletes it without asking")));
        }
        exit::ask(&format!("Delete {what} for good? y deletes it, anything else leaves it: "));
        if !matches!(input::answer()?.as_deref(), Some("y" | "yes")) {
            return Ok(exit::DONE);
        }
    }
    let notes = memory::with_notes_of(places, &id);
    drop(reader);
    let deleted = delete(places, &id)?;
    exit::say(&format!("{what} is deleted"));
    if deleted == Deleted::TextInLog {
        exit::say(TEXT_IN_LOG);
    }
    let is_fork = |row: &&RunRow| row.headline.forked.as_ref().is_some_and(|(parent, _)| parent == id.as_str());
    let forks: Vec<String> = rows.iter().filter(is_fork).map(|row| row.id.to_string()).collect();
    if !forks.is_empty() {
        exit::say(&format!("its {} keep what they took over: {}", count(forks.len(), "fork"), forks.join(", ")));
    }
    if let Some(notes) = notes {
        exit::say(&format!("what it left in the notes stays, they are yours to edit: {}", shown(&notes)));
    }
    Ok(exit::DONE)
}

fn sep(after: &str) -> &'static str {
    if after.is_empty() { "" } else { ", " }
}

/// Deletes a run with all that belongs to it, unless a process works on it.
pub fn delete(places: &Places, id: &RunId) -> Result<Deleted, Failure> {
    let claim = match places.journal().claim(id)? {
        Claimed::Ours(claim) => claim,
        Claimed::Theirs(worker) => {
            return Err(Failure::Usage(format!("run {id} is not deleted: {worker} works on it. End that first")));
        }
    };
    Ok(places.journal().delete(id, claim)?)
}

/// The phases in which a process works on a run.
const AT_WORK: [Phase; 8] = [
    Phase::Reading,
    Phase::Planning,
    Phase::Deciding,
    Phase::Researching,
    Phase::Merging,
    Phase::Writing,
    Phase::Reviewing,
    Phase::Keeping,
];

/// The state of a run in a word or two; a run whose process ended is stopped, and an imported one has not ended where its
/// record tells of no end.
pub fn state(row: &RunRow) -> &str {
    let phase = row.headline.state.as_str();
    if row.headline.imported.is_some() && phase == Phase::Elsewhere.word() {
        return Mark::NOT_ENDED;
    }
    let is_at_work = AT_WORK.iter().any(|at_work| at_work.word() == phase);
    if is_at_work && !row.active { Mark::STOPPED } else { phase }
}

/// [`state`], where it may be known that calls were sent whose end nobody saw: then the person has to decide on them.
pub fn state_with(row: &RunRow, unseen: Option<Money>) -> &str {
    if unseen.is_some() { Phase::NeedsYou.word() } else { state(row) }
}

/// The same with what calls of unknown outcome can have cost besides: "$0 ($0.21 in doubt)".
pub fn cost_with_doubt(row: &RunRow, unseen: Option<Money>) -> String {
    let doubt = in_doubt(row, unseen).filter(|doubt| *doubt > Money::default());
    format!("{}{}", cost(row), doubt.map(|doubt| format!(" ({doubt} in doubt)")).unwrap_or_default())
}

/// The most that calls of unknown outcome can have cost; None if an earlier version recorded the run.
fn in_doubt(row: &RunRow, unseen: Option<Money>) -> Option<Money> {
    row.headline.in_doubt.map(|known| Money(known.saturating_add(unseen.unwrap_or_default().0)))
}

/// The cells of a question in the list, where no terminal says how wide it is; and the least of them where one does.
const QUESTION: usize = 72;
const LEAST_QUESTION: usize = 24;

/// A run in a line, of `columns` cells if known: its question gets the room that the rest leaves.
fn run_line(row: &RunRow, unseen: Option<Money>, age: u64, columns: Option<usize>) -> String {
    let state = state_with(row, unseen);
    let cost = cost(row);
    let doubt = in_doubt(row, unseen).filter(|doubt| *doubt > Money::default());
    let doubt = doubt.map(|doubt| format!("({doubt} in doubt)  ")).unwrap_or_default();
    let from: String = [origin(row), forked(row)].into_iter().flatten().map(|from| format!("({from})  ")).collect();
    let tags = tagged(row);
    let tags = if tags.is_empty() { tags } else { format!("  {tags}") };
    let head = format!("{:<8}  {:<13}  {:>8}  {:>7}  {doubt}{from}", row.id, state, ago(age), cost);
    let room = |columns: usize| columns.saturating_sub(tui::width(&head) + tui::width(&tags)).max(LEAST_QUESTION);
    let question = Clean::line(&row.headline.question);
    format!("{head}{}{tags}", tui::cut(&question, columns.map_or(QUESTION, room)))
}

/// The tags of a run: "#databases #2026".
pub fn tagged(row: &RunRow) -> String {
    row.tags.iter().map(Tag::to_string).collect::<Vec<_>>().join(" ")
}

/// The cost of a run in words; "?" where the price is not known, "~" before an estimate.
pub fn cost(row: &RunRow) -> String {
    match &row.headline.imported {
        Some(Imported { pricing, .. }) => pricing.map_or_else(|| "?".into(), |pricing| pricing.to_string()),
        None => Money(row.headline.cost).to_string(),
    }
}

/// The origin of a run that another program wrote: "claude-code, read only".
pub fn origin(row: &RunRow) -> Option<String> {
    row.headline.imported.map(|imported| imported.to_string())
}

/// The origin of a fork: "fork of 7f3k2m at #57".
pub fn forked(row: &RunRow) -> Option<String> {
    row.headline.forked.as_ref().map(|(parent, at)| format!("fork of {} at #{at}", Clean::line(parent)))
}

pub fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s ago"),
        60..3_600 => format!("{}m ago", seconds / 60),
        3_600..86_400 => format!("{}h ago", seconds / 3_600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

/// The amount spent, and its cap: "$0.12 / $1.00", or tokens if no money is capped.
pub fn spent(run: &Run) -> String {
    let account = run.ledger.run();
    match (account.limits.cap(Cap::Money), account.limits.cap(Cap::Tokens)) {
        (Some(cap), _) => format!("{} / {}", account.spent.money(), Money(cap)),
        (None, Some(cap)) => format!("{} / {} tok", text::short(account.spent.tokens()), text::short(cap)),
        (None, None) => run.money_in_words(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_as_long_as_the_terminal_is_wide_and_holds_the_words_looked_for() {
        let text = Clean::line(&format!("{} recall of the index {}", "before ".repeat(60), "after ".repeat(60)));
        let passage = Passage { r#in: "finding", text };
        let wanted = Wanted::new("recall");
        for columns in [40, 60, 80, 120, 200] {
            let line = passage_line(&wanted, &passage, Some(columns));
            assert!(line.contains("recall") && tui::width(&line) <= columns, "{columns}: {line}");
            assert!(tui::width(&line) + 12 > columns, "{columns}: {line}");
        }
        assert!(passage_line(&wanted, &passage, None).contains("recall"));
    }
}
