//! Answers the questions of the home screen: paths, contents of sources, texts of runs, costs of runs, exports, deletions.

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use super::args::{Brief, Caps, LeadBy};
use super::engine;
use super::exit::Failure;
use super::inspect;
use super::place::Places;
use super::runs;
use super::standing::{self, Watched};
use journal::Deleted;
use run::RunId;
use run::search::Searched;
use text::locked::Locked;
use text::{Clean, count, shell};
use tool::{Library, Readers};
use tui::{Aid, Ask, Settings, Told};

/// The most places where a path can go on that are named.
const MOST_NAMED: usize = 40;

pub fn aid(places: &Places) -> Aid {
    let (places, watched) = (places.clone(), Arc::<Mutex<Watched>>::default());
    Arc::new(move |ask, tell| match ask {
        Ask::Complete(typed) => say(&tell, complete(typed)),
        Ask::Keep { question, sources } => keep(&places, &question, &sources),
        Ask::Delete(id) => {
            let says = match runs::delete(&places, &id) {
                Ok(Deleted::TextInLog) => Some(runs::TEXT_IN_LOG.into()),
                Ok(Deleted::WithText | Deleted::NoSuchRun) => None,
                Err(failure) => Some(words(failure)),
            };
            says.into_iter().for_each(|says| say(&tell, Told::Said(says)));
        }
        Ask::Export(id) => say(&tell, Told::Said(export(&places, &id).unwrap_or_else(words))),
        // These may take a while.
        ask => {
            let (places, watched) = (places.clone(), watched.clone());
            std::thread::spawn(move || look_up(&places, &watched, ask, &tell));
        }
    })
}

fn look_up(places: &Places, watched: &Mutex<Watched>, ask: Ask, tell: &Sender<Told>) {
    match ask {
        Ask::Count(sources) => {
            let says = counted(places, &sources);
            say(tell, Told::Counted { sources, says });
        }
        Ask::Runs => {
            let mut watched = watched.locked();
            let lines = standing::lines(places, Some(&mut watched));
            say(tell, lines.map_or_else(|failure| Told::Said(words(failure)), Told::Runs));
        }
        Ask::Offer(settings) => {
            let says = offer(places, &settings).unwrap_or_else(words);
            say(tell, Told::Offered { settings, says });
        }
        Ask::Texts => {
            // A journal that cannot be read has been reported when the list was made.
            let _ = texts(places, tell);
            say(tell, Told::AllTexts);
        }
        Ask::Complete(_) | Ask::Export(_) | Ask::Delete(_) | Ask::Keep { .. } => {}
    }
}

/// The screen may be closed already.
fn say(tell: &Sender<Told>, told: Told) {
    let _ = tell.send(told);
}

fn words(failure: Failure) -> Clean {
    Clean::line(&failure.to_string())
}

/// Expands `~/` as a shell would.
pub fn with_home(source: &str) -> PathBuf {
    PathBuf::from(shell::with_home(source, std::env::var("HOME").ok().as_deref()))
}

/// Completes a path as far as all paths that begin like it are the same.
fn complete(typed: String) -> Told {
    let (folder, begun) = typed.rsplit_once('/').map_or(("", typed.as_str()), |(folder, begun)| (folder, begun));
    let prefix = typed[..typed.len() - begun.len()].to_owned();
    let place = match (folder, prefix.is_empty()) {
        (_, true) => PathBuf::from("."),
        ("", false) => PathBuf::from("/"),
        (folder, false) => with_home(&format!("{folder}/")),
    };
    let hidden = begun.starts_with('.');
    let mut names: Vec<String> = std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(|name| Clean::line(name) == name.as_str())?;
            let slash = if entry.path().is_dir() { "/" } else { "" };
            (name.starts_with(begun) && (hidden || !name.starts_with('.'))).then(|| format!("{name}{slash}"))
        })
        .collect();
    names.sort();
    let common = names.iter().skip(1).fold(names.first().cloned(), |common, name| {
        let common = common?;
        let same = common.char_indices().zip(name.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(0, |((at, a), _)| at + a.len_utf8());
        Some(common[..end].to_owned())
    });
    let path = common.map_or(typed.clone(), |common| format!("{prefix}{common}"));
    names.truncate(MOST_NAMED);
    // One that is alone is whole, and so is one that nothing begins like: counting names its kind.
    let choices = if names.len() == 1 { Vec::new() } else { names };
    Told::Completed { asked: typed, path, choices }
}

/// "15 documents, 288 passages", or why they cannot be read.
fn counted(places: &Places, sources: &[String]) -> Result<Clean, Clean> {
    let paths: Vec<PathBuf> = sources.iter().map(|source| with_home(source)).collect();
    let library = Library::open(&paths, &places.data, Readers::of_this_program());
    let corpus = library.and_then(|library| library.survey(|_| {})).map_err(|error| Clean::line(&error.to_string()))?;
    let many = |n: u32, one: &str| count(usize::try_from(n).unwrap_or(usize::MAX), one);
    if corpus.documents == 0 {
        let unread = corpus.unread();
        let there = if unread.is_empty() { "no file".into() } else { unread };
        return Ok(Clean::line(&format!("no document to read: {there}")));
    }
    let archives = corpus.left_out.archives;
    let unpacked = (archives > 0).then(|| format!(", {} not read", many(archives, "archive")));
    let skipped = if corpus.skipped_count > 0 { format!(", {} skipped", corpus.skipped_count) } else { String::new() };
    let skipped = skipped + &unpacked.unwrap_or_default();
    Ok(Clean::line(&format!("{}, {}{skipped}", many(corpus.documents, "document"), many(corpus.blocks, "passage"))))
}

/// The settings of the home screen as arguments of `brief`.
pub fn set(brief: Brief, settings: &Settings) -> Result<Brief, Failure> {
    let cap = settings.cap.trim().trim_start_matches('$');
    let max_cost = match cap.is_empty() {
        true => None,
        false => Some(cap.parse().map_err(|why| Failure::Usage(format!("the cap `{}`: {why}", Clean::line(cap))))?),
    };
    let lead = settings.by_model.map(|by_model| if by_model { LeadBy::Model } else { LeadBy::Pipeline });
    let team = (!settings.team.is_empty()).then(|| settings.team.to_string());
    Ok(Brief { team, lead, caps: Caps { max_cost, ..brief.caps }, ..brief })
}

fn offer(places: &Places, settings: &Settings) -> Result<Clean, Failure> {
    engine::offer(places, &set(Brief::default(), settings)?)
}

fn texts(places: &Places, tell: &Sender<Told>) -> Result<(), Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(()) };
    for row in reader.runs()? {
        let (run, _) = engine::load(&reader, &row.id)?;
        say(tell, Told::Text { run: row.id, text: Searched::of(&run) });
    }
    Ok(())
}

fn export(places: &Places, id: &RunId) -> Result<Clean, Failure> {
    let (id, reader) = engine::find(places, id.as_str())?;
    let (run, _) = engine::load(&reader, &id)?;
    let Some(brief) = export::markdown(&run) else {
        return Err(inspect::no_brief(&id, &run, true));
    };
    let file = tui::save(&format!("masthead-{id}.md"), &brief);
    let file = file.map_err(|why| Failure::NotWritten(why.to_string()))?;
    Ok(Clean::line(&format!("the brief of run {id} is in {file}")))
}

/// The file with a question that was written and not asked, and the one with its sources.
fn kept_files(places: &Places) -> [PathBuf; 2] {
    ["unasked.txt", "unasked-sources.txt"].map(|name| places.data.join(name))
}

/// The question that was written and not asked the last time, and its sources, if there is one.
pub fn unasked(places: &Places) -> (String, Vec<String>) {
    let [question, sources] = kept_files(places).map(|file| std::fs::read_to_string(file).unwrap_or_default());
    (question, sources.lines().map(String::from).collect())
}

fn keep(places: &Places, question: &str, sources: &[String]) {
    let sources = if question.is_empty() { String::new() } else { sources.join("\n") };
    for (file, text) in kept_files(places).into_iter().zip([question, &sources]) {
        let kept = if text.is_empty() { std::fs::remove_file(file) } else { std::fs::write(file, text) };
        match kept {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, "what was written on the home screen could not be kept");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_on_as_far_as_it_is_certain_and_then_its_ways_are_named() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["documents", "downloads"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        std::fs::write(dir.path().join("notes.md"), "x").unwrap();
        let at = |typed: &str| match complete(format!("{}/{typed}", dir.path().display())) {
            Told::Completed { path, choices, .. } => {
                (path.strip_prefix(&format!("{}/", dir.path().display())).unwrap().to_owned(), choices)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(at("d"), ("do".into(), vec!["documents/".into(), "downloads/".into()]));
        assert_eq!(at("doc"), ("documents/".into(), vec![]));
        assert_eq!(at("n"), ("notes.md".into(), vec![]));
        assert_eq!(at("x"), ("x".into(), vec![]));
    }
}
