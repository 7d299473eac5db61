//! `masthead open`: runs of other programs on these screens. Files are read, nothing is sent anywhere, nothing is changed.

mod find;
mod follow;
mod listen;
mod table;

use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::SystemTime;

use super::args::{Look, Open};
use super::engine;
use super::exit::{self, Failure};
use super::inspect::{print, still_open};
use super::output::shown;
use super::place::Places;
use super::runs::ago;
use super::{lines, look, show, work};
use find::Source;
use follow::{State, follow, follow_printing, state_of};
use import::{Detected, Import, Story};
use journal::{Claimed, Headline};
use run::{Envelope, Notice, Run, RunId};
use table::Table;
use text::{Clean, count};

/// The bytes of a file that are read at a time.
const PIECE: usize = 1 << 20;

pub fn open(places: &Places, look: &Look, asked: &Open) -> Result<u8, Failure> {
    if asked.list {
        return list(asked);
    }
    if let Some(address) = asked.listen {
        return listen::listen(places, look, asked, address);
    }
    if asked.paths.is_empty() {
        return Err(Failure::Usage(
            "say what to open: `masthead open PATH` (a file, a folder, or - for standard input); `masthead open --list` shows the \
             sessions on this machine, `masthead open --listen` takes traces as they come"
                .into(),
        ));
    }
    if asked.follow && asked.paths.iter().any(|path| path.as_os_str() == "-") {
        let why = "standard input cannot be followed: it is read to its end, and once; give the file that grows";
        return Err(Failure::Usage(why.into()));
    }
    let theme = look::theme(places, look)?;
    let prices = Table::of(places)?;
    // Looked at before it is read: text written in between is read again.
    let state = if asked.follow { state_of(asked) } else { State::new() };
    let story = match read(asked, &exit::say)? {
        Found::One(story) => *story,
        Found::Many(found) => {
            for (is_asked, flag) in [(asked.keep, "--keep"), (asked.follow, "--follow")] {
                if is_asked {
                    let runs = count(found.len(), "run");
                    let why = format!(
                        "{flag} takes one run, and there are {runs} in it: --run ID names one; without {flag} they are listed"
                    );
                    return Err(Failure::Usage(why));
                }
            }
            let mut out = std::io::stdout().lock();
            for found in &found {
                let line = if asked.json { &found.json } else { &found.line };
                if !still_open(writeln!(out, "{line}"))? {
                    break;
                }
            }
            exit::say(&format!("{} in it: --run ID opens one", count(found.len(), "run")));
            return Ok(exit::DONE);
        }
    };
    if asked.json && !asked.keep {
        return print_summary(&prices.run(story));
    }
    let events = prices.events(story, &[]);
    let fold = |events: &[Arc<Envelope>]| Run::fold(events.iter().map(|envelope| &**envelope));
    if !asked.json {
        // Gaps are reported in the first event.
        let opened = fold(&events[..events.len().min(1)]);
        for gap in opened.origin().map(run::Origin::gaps).unwrap_or_default() {
            exit::say(&gap);
        }
    }
    if asked.keep {
        let run = fold(&events);
        keep(places, &run, &events)?.iter().for_each(|words| exit::say(words));
        if asked.json {
            return print_summary(&run);
        }
    }
    match (work::has_screens() && !asked.headless, asked.follow) {
        (false, false) => lines::print_recorded(&events),
        (false, true) => follow_printing(asked, &prices, state, events),
        (true, false) => show::imported(theme, events, None),
        (true, true) => {
            let (asked, prices, known) = (asked.clone(), prices, events.clone());
            let follow = move |notices: &Sender<Notice>| follow(&asked, &prices, (state, known), notices);
            show::imported(theme, events, Some(Box::new(follow)))
        }
    }
}

fn print_summary(run: &Run) -> Result<u8, Failure> {
    let run::foreign::Pricing { told_calls, estimated_calls, unknown_calls, .. } = run.pricing;
    let untold = estimated_calls + unknown_calls;
    if told_calls > 0 && untold > 0 {
        let calls = count(untold, "call");
        exit::say(&format!(
            "cost_usd is what was told there: {calls} told none, and with estimates it is {}",
            run.pricing
        ));
    }
    let summary = import::summary::Summary::of(run).json() + "\n";
    print(summary.as_bytes())
}

enum Found {
    One(Box<Story>),
    /// Several runs, of which none is opened.
    Many(Vec<Listed>),
}

/// One of several runs, as it is listed.
struct Listed {
    line: String,
    /// The same for programs.
    json: String,
}

impl Listed {
    fn of_session(source: &Source) -> Listed {
        let json = serde_json::json!({"id": source.id(), "path": source.path.to_string_lossy(), "bytes": source.bytes, "title": source.title()});
        Listed { line: line_of(source), json: text::escape_in_json(json.to_string()) }
    }

    fn of_story(story: &Story) -> Listed {
        let Story { origin, title, agents, .. } = story;
        let json =
            serde_json::json!({"id": origin.id, "format": origin.format, "agents": agents.len(), "title": title});
        Listed { line: line_of_story(story), json: text::escape_in_json(json.to_string()) }
    }
}

/// Files below this size are read before anybody wonders.
const MUCH: u64 = 4_000_000;

/// Says that much is being read: until it is, there is nothing to show, and an empty terminal looks broken.
fn say_how_much(sources: &[Source], say: &dyn Fn(&str)) {
    let sizes = sources.iter().filter_map(|source| Some(std::fs::metadata(&source.path).ok()?.len()));
    let size: u64 = sizes.sum();
    if size >= MUCH && std::io::stderr().is_terminal() {
        say(&format!("reading {} MB in {}", size / 1_000_000, count(sources.len(), "file")));
    }
}

/// Reads the files that were asked for; `say` is told the remarks for the person.
fn read(asked: &Open, say: &dyn Fn(&str)) -> Result<Found, Failure> {
    let mut sources = Vec::new();
    for path in asked.paths.iter().filter(|path| path.as_os_str() != "-") {
        let files = find::below(path)?;
        if let Some(what) = files.passed_over() {
            say(&format!("{}: {what}", shown(path)));
        }
        sources.extend(files.sources);
    }
    sources.retain(Source::is_read);
    let sessions = find::sessions(&sources);
    let wanted = asked.run.as_deref();
    let is_named = wanted.is_some_and(|wanted| sessions.iter().any(|source| source.stem().starts_with(wanted)));
    if sessions.len() > 1 {
        // Reading all of them to show one would take as long as there is to read.
        let fits: Vec<&Source> = sessions
            .iter()
            .filter(|source| wanted.is_none_or(|wanted| source.stem().starts_with(wanted)))
            .copied()
            .collect();
        match fits[..] {
            [one] => {
                let one = one.clone();
                sources.retain(|source| source.belongs_to(&one));
            }
            [] => {
                return Err(Failure::Usage(format!(
                    "no session begins with `{}`: without --run they are listed",
                    Clean::line(wanted.unwrap_or_default())
                )));
            }
            _ => return Ok(Found::Many(fits.iter().map(|source| Listed::of_session(source)).collect())),
        }
    }
    say_how_much(&sources, say);
    let mut import = Import::new(asked.format);
    if asked.paths.iter().any(|path| path.as_os_str() == "-") {
        import.begin("standard input");
        give(&mut import, std::io::stdin().lock())
            .map_err(|error| Failure::Usage(format!("standard input cannot be read: {error}")))?;
    }
    for source in &sources {
        import.begin(&source.name);
        let wrong = |error: std::io::Error| Failure::Usage(format!("{} cannot be read: {error}", shown(&source.path)));
        match File::open(&source.path).and_then(|file| give(&mut import, file)) {
            Ok(()) => {}
            // In a folder some files are usually not for everybody.
            Err(error) if sources.len() > 1 => say(&wrong(error).to_string()),
            Err(error) => return Err(wrong(error)),
        }
    }
    import.finish();
    let strangers: Vec<(String, Detected)> = import.strangers().to_vec();
    let mut stories = import.stories();
    if !stories.is_empty() && !strangers.is_empty() && sources.len() > 1 {
        say(&format!("{} of another form: left out", count(strangers.len(), "file")));
    }
    // A session is found by the name of its file, too.
    if let (Some(wanted), false) = (wanted, is_named && stories.len() == 1) {
        only_wanted(&mut stories, wanted)?;
    }
    if stories.len() > 1 {
        return Ok(Found::Many(stories.iter().map(Listed::of_story).collect()));
    }
    stories.pop().map(|story| Found::One(Box::new(story))).ok_or_else(|| nothing_in(&asked.paths, &strangers))
}

/// Leaves of several runs those whose ids begin like this.
fn only_wanted(stories: &mut Vec<Story>, wanted: &str) -> Result<(), Failure> {
    let without = match &stories[..] {
        [] => return Ok(()),
        [one] => format!("there is one, `{}`, and without --run it is opened", Clean::line(&one.origin.id)),
        _ => "without --run they are listed".to_owned(),
    };
    stories.retain(|story| story.origin.id.starts_with(wanted) || import::run_id(&story.origin).as_str() == wanted);
    match stories.is_empty() {
        true => Err(Failure::Usage(format!("no run begins with `{}`: {without}", Clean::line(wanted)))),
        false => Ok(()),
    }
}

fn give(import: &mut Import, mut from: impl Read) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece)? {
            0 => break,
            n => import.push(&piece[..n]),
        }
    }
    import.finish();
    Ok(())
}

/// The failure if nothing came of the given files, with the forms that were looked for.
fn nothing_in(paths: &[PathBuf], strangers: &[(String, Detected)]) -> Failure {
    let looked_for = "looked for: sessions of Claude Code and Codex, OTLP traces (JSON or protobuf), LangSmith runs, traces of the OpenAI Agents SDK, Langfuse exports";
    let first = paths.first().map(|path| shown(path)).unwrap_or_default();
    let what = match strangers.first().map(|(_, looked)| looked) {
        Some(Detected::Ours) => {
            return Failure::Usage(format!(
                "{first} is a recording of this program: `masthead replay {first}` shows it"
            ));
        }
        Some(Detected::Logs) => "it holds logs or metrics: the traces tell who was at work, give those".to_owned(),
        Some(Detected::Other(keys)) if keys.is_empty() => "its first record has no fields".to_owned(),
        Some(Detected::Other(keys)) => {
            let keys: Vec<&str> = keys.iter().map(Clean::as_str).collect();
            format!("its first fields are {}", keys.join(", "))
        }
        Some(Detected::Format(format)) => format!("it looks like {format}, and holds no run"),
        Some(Detected::Nothing) | None => match paths.first().and_then(|path| unreadable_form(path)) {
            Some(form) => form.to_owned(),
            None => "nothing in it can be read as one".to_owned(),
        },
    };
    Failure::Usage(format!("no run of another program was found in {first}: {what} ({looked_for})"))
}

/// The name of the form of a file that is compressed or not in UTF-8, by its first bytes; None for all others.
fn unreadable_form(path: &Path) -> Option<&'static str> {
    let mut head = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    match head {
        [0x1f, 0x8b, ..] => Some("it is compressed (gzip): unpack it first"),
        [0x28, 0xb5, 0x2f, 0xfd] => Some("it is compressed (zstd): unpack it first"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'{' | b'[', 0, _, 0] | [0, b'{' | b'[', 0, _] => {
            Some("it is UTF-16: write it as UTF-8")
        }
        _ => None,
    }
}

fn line_of(source: &Source) -> String {
    let age = source.changed.and_then(|at| SystemTime::now().duration_since(at).ok()).map_or(0, |age| age.as_secs());
    let title = source.title().unwrap_or_default();
    // Its id is the name of a file, and that may hold anything.
    format!("{:<36}  {:>8}  {:>7}  {title}", Clean::line(source.id()), ago(age), size(source.bytes))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn line_of_story(story: &Story) -> String {
    let agents = count(story.agents.len(), "agent");
    let title = tui::cut(&story.title, 60);
    format!("{}  {:<13}  {agents:>9}  {title}", story.origin.id, story.origin.format)
}

/// The sessions on this machine, the latest first.
fn list(asked: &Open) -> Result<u8, Failure> {
    let folder = |variable: &str, home: &str, inside: &str| {
        let named = std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
        let own = named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(home)));
        own.map(|own| own.join(inside)).filter(|folder| folder.is_dir())
    };
    let (claude, codex) =
        (folder("CLAUDE_CONFIG_DIR", ".claude", "projects"), folder("CODEX_HOME", ".codex", "sessions"));
    let below = |folder: &Option<PathBuf>| {
        let Some(folder) = folder else { return Ok(Vec::new()) };
        let files = find::below(folder)?;
        if let Some(what) = files.passed_over() {
            exit::say(&format!("{}: {what}", shown(folder)));
        }
        Ok::<_, Failure>(files.sources)
    };
    let (transcripts, rollouts) = (below(&claude)?, below(&codex)?);
    let mut sessions: Vec<&Source> = find::sessions(&transcripts);
    let threads = find::threads(&rollouts);
    let from = [(claude, sessions.len()), (codex, threads.len())];
    sessions.extend(threads);
    sessions.sort_by_key(|source| std::cmp::Reverse(source.changed));
    let mut out = std::io::stdout().lock();
    for source in &sessions {
        let Listed { line, json } = Listed::of_session(source);
        let line = if asked.json { json } else { line };
        if !still_open(writeln!(out, "{line}"))? {
            return Ok(exit::DONE);
        }
    }
    if from.iter().all(|(folder, _)| folder.is_none()) {
        exit::say(
            "there are no sessions of Claude Code or Codex on this machine (looked in CLAUDE_CONFIG_DIR or ~/.claude, and \
             CODEX_HOME or ~/.codex)",
        );
    }
    for (folder, n) in &from {
        match folder.as_deref().map(shown) {
            Some(folder) if *n == 0 => exit::say(&format!("there are no sessions in {folder}")),
            Some(folder) if *n == 1 && !asked.json => exit::say(&format!("`masthead open {folder}` opens it")),
            Some(folder) if !asked.json => {
                exit::say(&format!("`masthead open {folder} --run ID` opens one of its {n}"))
            }
            _ => {}
        }
    }
    Ok(exit::DONE)
}

/// Writes an imported run into the journal, or the new part of one that is there; returns a remark for the person.
fn keep(places: &Places, run: &Run, events: &[Arc<Envelope>]) -> Result<Option<String>, Failure> {
    let Some(opening) = &run.opening else { return Ok(None) };
    let id = opening.run.clone();
    let known = recorded(places, &id)?;
    let same = known.len() <= events.len() && known.iter().zip(events).all(|(a, b)| a.event == b.event);
    if !same {
        return Ok(Some(format!(
            "run {id} is in the journal as it was when it was kept; what has changed of it since is shown, and not kept"
        )));
    }
    let new = &events[known.len()..];
    if new.is_empty() {
        return Ok(Some(format!("run {id} is in the journal: `masthead replay {id}` shows it")));
    }
    let Claimed::Ours(_claim) = places.journal().claim(&id)? else {
        return Err(Failure::Usage(format!("run {id} is being kept by another process")));
    };
    let headline = || Headline::of(run).ok_or_else(|| Failure::other("a run without a beginning"));
    let journal = places.journal().write()?;
    let runtime = engine::runtime()?;
    for part in new.chunks(10_000) {
        let part = part.iter().map(|envelope| (**envelope).clone()).collect();
        runtime.block_on(journal.append(&id, part, headline()?))?;
    }
    let what = "with all that was said in it: prompts, answers, what tools brought";
    Ok(Some(format!("run {id} is kept in the journal, {what}; `masthead replay {id}` shows it")))
}

fn recorded(places: &Places, id: &RunId) -> Result<Vec<Arc<Envelope>>, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(Vec::new()) };
    if !reader.runs()?.iter().any(|row| row.id == *id) {
        return Ok(Vec::new());
    }
    Ok(engine::load(&reader, id)?.1)
}
