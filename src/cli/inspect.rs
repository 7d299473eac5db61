//! Read-only commands: exports and the journal.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::args::Format;
use super::engine::{find, load};
use super::exit::{self, Failure};
use super::form::Form;
use super::output::Output;
use super::place::Places;
use super::recording::{self, Recording};
use super::telemetry_out;
use desk::{Clock, SystemClock};
use journal::JournalError;
use model::prices::{self, Prices};
use run::compare::{self, Comparison};
use run::model::ModelId;
use run::record::Sums;
use run::record::redacted::Redactor;
use run::{Run, RunId, record};
use text::{Clean, count};

/// Two runs, each by its name or from a file, compared.
pub fn compared(places: &Places, first: &str, second: &str) -> Result<Comparison, Failure> {
    Ok(compare::compare(&Recording::whole(places, first)?, &Recording::whole(places, second)?))
}

/// Prints two compared runs.
pub fn print_compared(compared: &Comparison, form: Form) -> Result<u8, Failure> {
    let text = match form {
        Form::Json => export::compared_json(compared),
        Form::Lines => export::compared(compared),
    };
    print(format!("{}\n", text.trim_end()).as_bytes())
}

/// Whether output can go on: a closed pipe ends it without an error.
pub fn still_open(written: std::io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::output(error)),
    }
}

pub fn print(bytes: &[u8]) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    still_open(out.write_all(bytes).and_then(|()| out.flush()))?;
    Ok(exit::DONE)
}

/// The reason why a run has no brief, and the command, or the key of the home screen, that shows it or goes on with it.
pub fn no_brief(id: &RunId, run: &Run, at_home: bool) -> Failure {
    let state = run.phase().word();
    let judges = run.opening.as_ref().is_some_and(|opening| opening.briefs.is_some());
    let (why, by_command, by_key) = match run.ended() {
        _ if run.is_imported() => (
            "is of another program, and has no brief".to_owned(),
            format!("--format html shows who worked on it, `masthead journal dump {id}` prints every event"),
            "Enter shows who worked on it",
        ),
        _ if judges => (
            "judged two briefs, and has none of its own".to_owned(),
            format!("`masthead replay {id}` shows what was said"),
            "Enter shows what was said",
        ),
        Some(_) => (
            format!("ended without a brief ({state})"),
            format!("`masthead replay {id}` shows it, `masthead fork` starts from one of its events"),
            "Enter shows it",
        ),
        None => (
            format!("has no brief yet ({state})"),
            format!("`masthead resume {id}` goes on with it"),
            "Enter goes on with it",
        ),
    };
    Failure::Usage(format!("run {id} {why}: {}", if at_home { by_key } else { &by_command }))
}

pub fn export(places: &Places, name: &str, format: Format, output: Option<&Path>) -> Result<u8, Failure> {
    let output = output.map(Output::open).transpose()?;
    let run = match recording::file(name) {
        Some(_) => Recording::whole(places, name)?,
        None => {
            let (id, reader) = find(places, name)?;
            load(&reader, &id)?.0
        }
    };
    let no_beginning = || Failure::Usage(format!("{} has no beginning of a run", Clean::line(name)));
    let id = run.opening.as_ref().map(|opening| opening.run.clone()).ok_or_else(no_beginning)?;
    let no_brief = || match recording::file(name) {
        Some(_) => {
            Failure::Usage(format!("the run in {0} has no brief: `masthead replay {0}` shows it", Clean::line(name)))
        }
        None => no_brief(&id, &run, false),
    };
    let text = match format {
        Format::Md => export::markdown(&run).ok_or_else(no_brief)?,
        Format::Json if run.is_imported() => return Err(no_brief()),
        Format::Json => export::json(&run).ok_or_else(no_beginning)? + "\n",
        Format::Html => export::html(&run).ok_or_else(no_beginning)?,
        Format::Bibtex => export::bibtex(&run).ok_or_else(no_brief)?,
        Format::Csl => export::csl(&run).ok_or_else(no_brief)? + "\n",
    };
    match output {
        Some(output) => {
            output.write(&text)?;
            let what = match format {
                Format::Md => "the brief is",
                Format::Json | Format::Html => "the run is",
                Format::Bibtex | Format::Csl => "the sources are",
            };
            output.named().iter().for_each(|file| exit::say(&format!("{what} in {file}")));
            Ok(exit::DONE)
        }
        None => print(text.as_bytes()),
    }
}

/// Names the damage of a journal that cannot be gone through, without the advice to verify it.
fn damaged(error: JournalError) -> Result<u8, Failure> {
    if !error.is_damage() {
        return Err(error.into());
    }
    exit::say(&error.what_is_wrong());
    Ok(exit::DAMAGED)
}

pub fn verify(places: &Places) -> Result<u8, Failure> {
    let read = match places.journal().read() {
        Err(error) => return damaged(error),
        Ok(read) => read,
    };
    let Some(reader) = read else {
        let Some(missing) = places.journal().missed() else {
            exit::say(&format!("there is no journal at {}", places.journal().place()));
            return Ok(exit::DONE);
        };
        let journal = Clean::line(&places.journal().place());
        still_open(writeln!(std::io::stdout(), "damaged: the journal {journal} {missing}"))?;
        return Ok(exit::DAMAGED);
    };
    let check = match reader.verify() {
        Err(error) => return damaged(error),
        Ok(check) => check,
    };
    let mut out = std::io::stdout().lock();
    if check.damage.is_empty() {
        still_open(writeln!(out, "sound: {}, {}", count(check.runs, "run"), count(check.events, "event")))?;
        return Ok(exit::DONE);
    }
    for line in &check.damage {
        still_open(writeln!(out, "damaged: {line}"))?;
    }
    Ok(exit::DAMAGED)
}

/// The forms of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    Events,
    /// Events without their text.
    Redacted,
    Otlp,
}

pub fn dump(places: &Places, name: Option<&str>, form: Dump) -> Result<u8, Failure> {
    let (reader, runs) = match name {
        Some(name) => {
            let (id, reader) = find(places, name)?;
            (reader, vec![id])
        }
        None => {
            let Some(reader) = places.journal().read()? else { return Ok(exit::DONE) };
            let mut rows = reader.runs()?;
            rows.sort_by_key(|row| row.opened_at);
            (reader, rows.into_iter().map(|row| row.id).collect::<Vec<RunId>>())
        }
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    let prices = Prices::built_in();
    let today = prices::day(SystemClock.now());
    let is_public = |name: &str| {
        let is_sold = |id: ModelId| prices.known(&id, today).is_some();
        model::Profile::named(name).is_some()
            || [team::BRIEF, team::INSPECT].contains(&name)
            || name.parse().is_ok_and(is_sold)
    };
    let mut redactor = Redactor::new(&is_public);
    for run in &runs {
        // Once a pipe is closed, nobody reads the others.
        if written.is_err() {
            break;
        }
        if form == Dump::Otlp {
            let (_, events) = load(&reader, run)?;
            let mut documents = telemetry_out::documents(&events).into_iter().map(text::escape_in_json);
            written = documents.try_for_each(|document| writeln!(out, "{document}"));
            continue;
        }
        let mut sums = Sums::of(reader.last(run)?.0);
        reader.events(run, |envelope| {
            if written.is_ok() {
                let line = match form {
                    Dump::Redacted => redactor.dump_line(run, &envelope),
                    Dump::Events | Dump::Otlp => record::dump_line(run, &envelope),
                };
                written = writeln!(out, "{}", sums.stamp(&line));
            }
        })?;
    }
    if still_open(written.and_then(|()| out.flush()))? && form == Dump::Redacted {
        exit::say(&taken_out(&redactor));
    }
    Ok(exit::DONE)
}

/// The texts that a redacted dump leaves out, in words.
fn taken_out(redactor: &Redactor<'_>) -> String {
    let mut said = String::from("taken out:");
    for (n, (of, taken)) in redactor.taken().enumerate() {
        let comma = if n > 0 { "," } else { "" };
        let texts = count(taken.texts, "text");
        said.push_str(&format!("{comma} {of} ({texts}, {} kB)", taken.bytes.div_ceil(1_000)));
    }
    if redactor.taken().next().is_none() {
        said.push_str(" no text");
    }
    match redactor.names() {
        0 => {}
        names => said.push_str(&format!("; {} replaced by others", count(names, "name"))),
    }
    said + ". Ids, stages, sizes, costs and times stay"
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::event::{Envelope, Event, Opening};
    use run::{At, Seq, Team};

    #[test]
    fn why_a_run_has_no_brief_is_the_same_at_home_and_in_commands() {
        let id: RunId = "7f3k".parse().unwrap();
        let of = |briefs| {
            let opening = Opening { briefs, ..Opening::new(id.clone(), "Why?".into(), Team::default()) };
            Run::fold(&[Envelope { seq: Seq(1), at: At(1), event: Event::RunOpened(opening.into()) }])
        };
        for (briefs, why) in
            [(None, "has no brief yet (reading)"), (Some(["a".into(), "b".into()]), "judged two briefs")]
        {
            let run = of(briefs);
            let said = [false, true].map(|at_home| no_brief(&id, &run, at_home).to_string());
            assert!(said.iter().all(|said| said.contains(&format!("run 7f3k {why}"))), "{said:?}");
            assert!(said[0].contains("`masthead ") && said[1].contains(": Enter "), "{said:?}");
        }
    }
}
