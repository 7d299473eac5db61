//! `eval`: asks the questions of a set, measures the briefs, and compares them. By rule, without a model, nothing is
//! stored (`eval/by_rule.rs`); otherwise each question is a run of its own (`eval/runs.rs`).

mod by_rule;
mod judging;
mod recorded;
mod runs;

use std::collections::btree_map::Entry;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::args::{Eval, EvalFormat};
use super::exit::{self, Failure};
use super::inspect;
use super::output::{Output, shown};
use super::place::Places;
use ::eval::{Against, Answer, Collections, End, Question, Questions, Results, Set, Tolerance};
use run::{Money, RunId};
use text::{Clean, count};

/// The longest rubric, in bytes: it is a part of every prompt of the judge.
const LONGEST_RUBRIC: usize = 20_000;
/// The largest file that is read as an earlier result, in bytes.
const LONGEST_RESULT: u64 = 64 << 20;

/// The arguments, checked as far as possible before anything is asked.
struct Asked<'a> {
    args: &'a Eval,
    set: Questions,
    named: Set,
    collections: Collections,
    /// The earlier result with its name.
    earlier: Option<(Clean, Results)>,
    /// The file for the brief of each question, in their order; None where briefs are not written to files.
    briefs: Vec<Option<Output>>,
    output: Option<Output>,
    /// Whether it goes by rule, without runs in the journal.
    by_rule: bool,
}

/// The end of an evaluation.
enum Came {
    /// The result, whole or not.
    Results(Box<Results>),
    /// A signal of this number ended it: the result of the questions until then, which nothing else has.
    Cut(Box<Results>, i32),
    /// Nothing was begun, or a signal ended it and the journal has the finished part: the exit code.
    Stopped(u8),
}

/// Asks the questions and returns or writes the result.
///
/// # Errors
/// The command line or a file is wrong, a run cannot begin or be stored, or the result cannot be written.
pub fn eval(places: &Places, args: &Eval) -> Result<u8, Failure> {
    let set = ::eval::load(&args.questions).map_err(Failure::usage)?;
    let collections = collections(&args.sources)?;
    set.check(&collections).map_err(Failure::usage)?;
    let name = args.questions.file_name().unwrap_or_default().to_string_lossy();
    let named = Set { name: Clean::line(&name), digest: set.digest().into(), questions: set.questions.len() };
    let earlier = args.against.as_deref().map(|file| earlier(file, &named, args.words)).transpose()?;
    let output = args.output.as_deref().map(Output::open).transpose()?;
    let briefs = briefs(args, &set)?;
    let asked = Asked { args, set, named, collections, earlier, briefs, output, by_rule: !has_runs(args) };
    let came = if asked.by_rule { by_rule::ask(places, &asked)? } else { runs::ask(places, &asked)? };
    match came {
        Came::Results(results) => whole(&results, &asked),
        Came::Cut(results, number) => cut(&results, &asked, number),
        Came::Stopped(code) => Ok(code),
    }
}

/// Whether each question is a run of its own.
fn has_runs(args: &Eval) -> bool {
    let thinking = &args.thinking;
    args.team.is_some()
        || args.baseline.is_some()
        || args.judge.is_some()
        || thinking.extractive
        || !(thinking.models.is_empty() && thinking.agents.is_empty())
}

/// Compares and gives the result of an evaluation that came to its end; returns the exit code.
fn whole(results: &Results, asked: &Asked<'_>) -> Result<u8, Failure> {
    let args = asked.args;
    let tolerance = Tolerance { share: args.tolerance, cost: args.cost_tolerance, time: args.time_tolerance };
    let against = asked.earlier.as_ref().map(|(name, then)| ::eval::against(results, then, name.clone(), tolerance));
    let against = against.transpose().map_err(Failure::usage)?;
    give(results, against.as_ref(), asked, asked.output.as_ref())?;
    Ok(code(results, against.as_ref()))
}

/// Writes the brief of an answer to its file, if there are both.
fn write_brief(file: Option<&Output>, answer: &Answer) -> Result<(), Failure> {
    file.filter(|_| answer.has_brief()).map_or(Ok(()), |file| file.write(&answer.brief))
}

/// Prints the result of the questions until an interrupt; returns the exit code. A file of an earlier result stays as it is.
fn cut(results: &Results, asked: &Asked<'_>, number: i32) -> Result<u8, Failure> {
    let args = asked.args;
    match (results.questions.is_empty(), &asked.output) {
        (true, _) => {}
        (false, None) => give(results, None, asked, None)?,
        (false, Some(_)) => drop(inspect::print(table(results, None, asked).as_bytes())?),
    }
    let files = [("-o", args.output.is_some()), ("--sentences", args.sentences.is_some())];
    let files: Vec<&str> = files.iter().filter(|(_, given)| *given).map(|(flag, _)| *flag).collect();
    let rest = match files[..] {
        [] => String::new(),
        [one] => format!("; the file of {one} is not written"),
        _ => format!("; the files of {} are not written", files.join(" and ")),
    };
    Ok(interrupted(results.questions.len(), asked, &rest, number))
}

/// Reports the finished part of an interrupted evaluation, and returns its exit code.
fn interrupted(done: usize, asked: &Asked<'_>, rest: &str, number: i32) -> u8 {
    exit::say(&format!("interrupted: {done} of {} are done{rest}", count(asked.set.questions.len(), "question")));
    128 + u8::try_from(number).unwrap_or(2)
}

/// The outcome of a question for one of those that answer.
struct Ended<'a> {
    /// Their name in messages: `the team`.
    called: &'a str,
    outcome: &'a str,
    cost: Money,
    worked_ms: u64,
    /// The run, if it is kept.
    run: Option<&'a RunId>,
}

/// Reports an outcome as soon as it is there.
fn say_ended(question: &Question, Ended { called, outcome, cost, worked_ms, run }: Ended<'_>) {
    let cost = if cost == Money::default() { String::new() } else { format!(" · {cost}") };
    let run = run.map_or_else(String::new, |id| format!(" (run {id})"));
    let seconds = worked_ms as f64 / 1e3;
    exit::say(&format!("{}: {called}: {outcome}{cost} · {seconds:.1} s{run}", question.id));
}

/// The folders of collections, from the arguments.
fn collections(given: &[String]) -> Result<Collections, Failure> {
    let one = |source: &String| match source.split_once('=') {
        Some((name, folder)) if Path::new(folder).exists() => Ok((name.to_string(), PathBuf::from(folder))),
        Some((name, folder)) => Err(Failure::Usage(format!(
            "the folder of {} is not there: {}",
            Clean::line(name),
            shown(Path::new(folder))
        ))),
        None => Err(Failure::Usage(format!(
            "`{}` is not NAME=DIR, as in --sources python=/usr/share/doc/python3",
            Clean::line(source)
        ))),
    };
    let mut collections = Collections::new();
    for (name, folder) in given.iter().map(one).collect::<Result<Vec<_>, _>>()? {
        match collections.entry(name) {
            Entry::Vacant(entry) => drop(entry.insert(folder)),
            Entry::Occupied(entry) => {
                let name = Clean::line(entry.key());
                return Err(Failure::Usage(format!(
                    "the collection `{name}` is given twice: one folder belongs to a name, as in --sources {name}=DIR"
                )));
            }
        }
    }
    Ok(collections)
}

/// Reads an earlier result, and checks that it is comparable.
fn earlier(file: &Path, set: &Set, words: u32) -> Result<(Clean, Results), Failure> {
    let name = shown(file);
    let wrong = |what: String| Failure::Usage(format!("nothing can be compared with {name}: {what}"));
    let json = read(file, LONGEST_RESULT).map_err(wrong)?;
    let results = ::eval::read(&json).map_err(wrong)?;
    ::eval::comparable(&results, &set.name, &set.digest, words).map_err(|why| wrong(why.to_string()))?;
    Ok((name, results))
}

/// The text of a file of at most this many bytes. The error is a message for the person.
fn read(file: &Path, most: u64) -> Result<String, String> {
    let opened = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    opened.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it is longer than {most} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it is no text (UTF-8)".to_owned())
}

/// The judge's rubric with its name.
fn rubric(file: Option<&Path>) -> Result<(Clean, Clean), Failure> {
    let Some(file) = file else { return Ok(("built in".into(), Clean::new(team::RUBRIC))) };
    let wrong = |what: String| Failure::Usage(format!("the rubric {} cannot be used: {what}", shown(file)));
    let text = read(file, LONGEST_RUBRIC as u64).map_err(wrong)?;
    if text.trim().is_empty() {
        return Err(wrong("it is empty: it says by which points a brief is better".into()));
    }
    Ok((shown(file), Clean::new(text.trim())))
}

/// The files of the briefs, opened before anything is asked.
fn briefs(args: &Eval, set: &Questions) -> Result<Vec<Option<Output>>, Failure> {
    let Some(folder) = &args.briefs else { return Ok(set.questions.iter().map(|_| None).collect()) };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Usage(format!("{} cannot be made: {error}", shown(folder))))?;
    set.questions.iter().map(|question| Output::open(&folder.join(format!("{}.md", question.id))).map(Some)).collect()
}

/// The result as lines, with the comparison.
fn table(results: &Results, against: Option<&Against>, asked: &Asked<'_>) -> String {
    if !asked.by_rule {
        return ::eval::report(results, against);
    }
    let lines = against.iter().flat_map(|against| against.lines());
    std::iter::once(::eval::table(results)).chain(lines.map(|line| format!("{line}\n"))).collect()
}

/// Prints the result in the requested format; or writes it to a file and prints the table.
fn give(
    results: &Results,
    against: Option<&Against>,
    asked: &Asked<'_>,
    output: Option<&Output>,
) -> Result<(), Failure> {
    let table = || table(results, against, asked);
    let text = match if asked.args.json { EvalFormat::Json } else { asked.args.format } {
        EvalFormat::Table => table(),
        EvalFormat::Json => ::eval::written(results, against) + "\n",
        EvalFormat::Html => ::eval::page(results, against),
    };
    let Some(output) = output else { return inspect::print(text.as_bytes()).map(drop) };
    output.write(&text)?;
    let Some(file) = output.named() else { return Ok(()) };
    inspect::print(table().as_bytes())?;
    exit::say(&format!("the result is in {file}"));
    Ok(())
}

fn code(results: &Results, against: Option<&Against>) -> u8 {
    let mut answers = results.questions.iter().flat_map(|row| [Some(&row.team), row.baseline.as_ref()]).flatten();
    if answers.any(|answer| answer.end == End::Waiting) {
        exit::PARKED
    } else if !results.gaps().is_empty() {
        exit::PARTIAL
    } else if against.is_some_and(|against| !against.worse.is_empty()) {
        exit::FAILED
    } else {
        exit::DONE
    }
}
