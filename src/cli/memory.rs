//! `masthead memory`, and which notes a run uses.

use std::io::Write as _;
use std::path::PathBuf;

use super::exit::{self, Failure};
use super::inspect::still_open;
use super::output::shown;
use super::place::Places;
use config::{self, Config};
use notes::{MOST_READ, Notes, Survey};
use run::{Role, RunId, Team};
use text::count;

const NAMED: usize = 5;

/// The notes for runs of a team; None if it uses none.
pub fn notes_of(places: &Places, team: &Team) -> Result<Option<Notes>, Failure> {
    if !team.members.contains_key(&Role::new(Role::MEMORY)) {
        return Ok(None);
    }
    let config = load(places)?;
    Ok((!is_off(&config)).then(|| notes(places, &config)))
}

pub fn forget(team: &mut Team) {
    team.members.remove(&Role::new(Role::MEMORY));
}

/// Prints the place of the notes, their content, and the way to turn memory off.
pub fn memory(places: &Places) -> Result<u8, Failure> {
    let config = load(places)?;
    let notes = notes(places, &config);
    let mut out = std::io::stdout().lock();
    let in_words = match notes.survey() {
        Ok(survey) => in_words(&survey),
        Err(why) => {
            exit::say(&why.to_string());
            return Ok(exit::FAILED);
        }
    };
    still_open(writeln!(out, "{}\n{in_words}{}", shown(notes.path()), turning_off_hint(places, &config)))?;
    Ok(exit::DONE)
}

/// The file with notes of a run, if it has left any that can be read.
pub fn with_notes_of(places: &Places, run: &RunId) -> Option<PathBuf> {
    let notes = notes(places, &load(places).ok()?);
    notes.are_of(run).is_ok_and(|are| are).then(|| notes.path().to_path_buf())
}

/// The place of the notes, in one line.
pub fn in_a_line(places: &Places) -> Result<String, Failure> {
    let config = load(places)?;
    Ok(match is_off(&config) {
        true => "off (config.toml)".into(),
        false => format!("{} (--no-memory for a run without it)", shown(notes(places, &config).path())),
    })
}

/// The reason why the notes cannot be used, if they are used at all.
pub fn problem(places: &Places) -> Result<Option<String>, Failure> {
    let config = load(places)?;
    let survey = (!is_off(&config)).then(|| notes(places, &config).survey());
    Ok(survey.and_then(Result::err).map(|why| why.to_string()))
}

fn load(places: &Places) -> Result<Config, Failure> {
    config::load(&places.config).map_err(Failure::usage)
}

fn is_off(config: &Config) -> bool {
    config.memory.off.unwrap_or(false)
}

fn notes(places: &Places, config: &Config) -> Notes {
    Notes::at(config.memory.file.clone().unwrap_or_else(|| usual(places)))
}

/// The notes file where no setting names one.
pub fn usual(places: &Places) -> PathBuf {
    places.data.join("memory").join("notes.md")
}

fn in_words(survey: &Survey) -> String {
    let Some(bytes) = survey.bytes else {
        return "Nothing is kept yet: a run that ends with a brief keeps what was approved.\n".into();
    };
    let mut parts = vec![
        format!("{} from {}", count(survey.findings, "finding"), count(survey.runs, "run")),
        format!("{} of yours", count(survey.own_words, "line")),
        count(survey.gaps, "gap"),
        format!("{} KiB", bytes.div_ceil(1024)),
    ];
    if survey.without_source > 0 {
        parts.push(format!("{} without a source", count(survey.without_source, "finding")));
    }
    if !survey.whole {
        parts.push(format!("only the newest {} MiB are read", MOST_READ >> 20));
    }
    let mut text = format!("{}\n", parts.join(" · "));
    for question in survey.questions.iter().rev().take(NAMED) {
        text.push_str(&format!("  {question}\n"));
    }
    if survey.questions.len() > NAMED {
        text.push_str(&format!("  and {} before\n", survey.questions.len() - NAMED));
    }
    text
}

fn turning_off_hint(places: &Places, config: &Config) -> String {
    let file = config::path(&places.config);
    match is_off(config) {
        true => format!("Memory is off: {} says so.", shown(&file)),
        false => format!(
            "The file is yours to edit. --no-memory leaves it out of a run; for good: [memory] off = true in {}",
            shown(&file)
        ),
    }
}
