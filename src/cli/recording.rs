//! Loads recorded runs to replay their answers: from the journal, or from a file of `journal dump`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engine;
use super::exit::Failure;
use super::place::Places;
use run::event::{Event, Opening};
use run::model::StopReason;
use run::price::Rates;
use run::record::{Changed, Records, Sums};
use run::stage::Conversation;
use run::team::{Kind, Member};
use run::transcript::Exchange;
use run::{Cap, Envelope, Limits, Role, Run, RunId, Seq, Transcript};
use text::Clean;
use text::difference::{self, Difference};

pub struct Recording {
    pub run: Run,
    pub events: Vec<Arc<Envelope>>,
    /// Its origin: its id, or the absolute path of its file.
    pub from: Clean,
    /// A sentence if it is a file that was cut.
    pub cut: Option<String>,
    opening: Opening,
}

impl Recording {
    /// Loads the run with this name; or a file, if the name is a path or ends in `.jsonl`, also one that was cut.
    pub fn load(places: &Places, name: &str) -> Result<Recording, Failure> {
        Recording::load_up_to(places, name, Seq(0)).map(|(recording, _)| recording)
    }

    /// The same, and the run as it was after this event.
    pub fn load_up_to(places: &Places, name: &str, at: Seq) -> Result<(Recording, Run), Failure> {
        let mut then = Run::default();
        let each = |run: &Run| {
            if run.seq == at {
                then = run.clone();
            }
        };
        let (run, events, from, cut) = match file(name) {
            Some(path) => of_file(path, each)?,
            None => {
                let (id, reader) = engine::find(places, name)?;
                let (run, events) = engine::load_seeing(&reader, &id, each)?;
                (run, events, id.as_str().into(), None)
            }
        };
        let opening = run.opening.as_deref().cloned();
        let opening = opening.ok_or_else(|| Failure::Usage(format!("there is no beginning of a run in {from}")))?;
        Ok((Recording { run, events, from, cut, opening }, then))
    }

    /// The run with this name, with all its events.
    pub fn whole(places: &Places, name: &str) -> Result<Run, Failure> {
        let Recording { run, cut, .. } = Recording::load(places, name)?;
        match cut {
            None => Ok(run),
            Some(cut) => Err(Failure::Usage(format!("{cut}. `masthead replay` shows the events that are there"))),
        }
    }

    /// The runs that this one was forked from, the nearest first, as far as they are still there.
    pub fn ancestors(&self, places: &Places) -> Vec<Run> {
        ancestors(places, &self.run).unwrap_or_else(|(found, _)| found)
    }

    /// A sentence for each role whose prompt has changed since the recording: the recorded answers were given to the old
    /// prompt, and will be replayed for the new one.
    pub fn changed_prompts(&self, places: &Places) -> Vec<String> {
        let Recording { from, opening, .. } = self;
        // A team that is gone or broken has nothing to compare with.
        let Ok(prompts) = team::prompts(&places.config, &opening.team.name) else { return Vec::new() };
        let changed = |(role, member): (&Role, &Member)| {
            let then = &member.model.as_ref().filter(|_| member.kind == Kind::Model)?.prompt;
            let now = prompts.get(role).map(|prompt| prompt.text.as_str()).unwrap_or_default();
            let Difference { line, first, second } = difference::of(then.lines(), now.lines())?;
            Some(format!(
                "the prompt of the {role} is another today than in {from}: line {line} said {first}, and now says {second}"
            ))
        };
        opening.team.members.iter().filter_map(changed).collect()
    }

    /// Opens the same question and team as a new run in which answers are free. Caps not given are those of the
    /// recorded run.
    pub fn opened_as(self, id: RunId, given: Limits) -> Result<Opening, Failure> {
        let Recording { from, opening, run, .. } = self;
        let mut team = opening.team;
        // If a cut answer was not asked for again then, it is not now: there is no other answer to give.
        for assignment in run.assignments().filter(|assignment| took_a_cut_answer(&assignment.transcript)) {
            let member = team.members.get_mut(&assignment.role);
            for model in member.into_iter().flat_map(|member| member.model.iter_mut().chain(&mut member.fallbacks)) {
                model.most_output = Some(model.room());
            }
        }
        for model in team.members.values_mut().flat_map(|member| member.model.iter_mut().chain(&mut member.fallbacks)) {
            model.rates = Some(Rates { as_of: "recorded".into(), ..Rates::default() });
        }
        let limits = given.or(opening.limits).with(Cap::Money, given.money().map(|money| money.0));
        let version = env!("CARGO_PKG_VERSION").into();
        Ok(Opening { run: id, team, limits, version, answers_from: Some(from), part_of_eval: None, ..opening })
    }
}

/// Refuses to go on with a run, or to answer another from it, if another program wrote it.
///
/// # Errors
/// It did: `name` is how the person called the run.
pub fn check_ours(name: &str, run: &Run) -> Result<(), Failure> {
    let Some(origin) = run.origin() else { return Ok(()) };
    let (name, from) = (Clean::line(name), origin.format);
    Err(Failure::Usage(format!(
        "run {name} is of another program ({from}) and read only: nothing can go on with it here. `masthead replay {name}` shows it"
    )))
}

/// Whether an answer was cut at its limit and taken as it was: earlier versions never asked for it again.
fn took_a_cut_answer(transcript: &Transcript) -> bool {
    let is_cut = |exchange: &Exchange| exchange.reply().is_some_and(|reply| reply.stop == StopReason::Length);
    transcript.exchanges().any(is_cut) && transcript.turns_at(Conversation::Room) == 0
}

/// The most runs of a family whose answers are looked through.
const MOST_ANCESTORS: usize = 8;

/// The runs that a run was forked from, the nearest first.
///
/// # Errors
/// One cannot be read: those before it, and why.
pub fn ancestors(places: &Places, run: &Run) -> Result<Vec<Run>, (Vec<Run>, Failure)> {
    let mut found: Vec<Run> = Vec::new();
    while found.len() < MOST_ANCESTORS {
        let Some(forked) = &found.last().unwrap_or(run).forked else { break };
        match Recording::load(places, &forked.fork.from) {
            Ok(recording) => found.push(recording.run),
            Err(why) => return Err((found, why)),
        }
    }
    Ok(found)
}

/// The file that a name means: one that is a path or ends in `.jsonl`.
pub fn file(name: &str) -> Option<&Path> {
    (name.contains(std::path::MAIN_SEPARATOR) || name.ends_with(".jsonl")).then(|| Path::new(name))
}

/// The run in a file, its events, the absolute path, and a sentence if the file was cut.
type Filed = (Run, Vec<Arc<Envelope>>, Clean, Option<String>);

/// A run that is shown: its events, and a sentence if some are missing from the end.
pub struct Replayed {
    pub run: Run,
    pub events: Vec<Arc<Envelope>>,
    pub cut: Option<String>,
}

/// The run in a file of `journal dump`, and its events.
///
/// # Errors
/// It cannot be read, or is no dump of one run: a line is no event, is missing, was changed, or a newer version wrote it.
pub fn replayed(path: &Path) -> Result<Replayed, Failure> {
    let (run, events, _, cut) = of_file(path, |_| {})?;
    match run.opening {
        Some(_) => Ok(Replayed { run, events, cut }),
        None => Err(Failure::Usage(format!("there is no run in {}", Clean::line(&path.to_string_lossy())))),
    }
}

/// Reads a file of `journal dump`; passes the run as it is after each event to `each`.
fn of_file(path: &Path, mut each: impl FnMut(&Run)) -> Result<Filed, Failure> {
    let shown = Clean::line(&path.to_string_lossy());
    let unreadable = |error: std::io::Error| Failure::Usage(format!("the recording {shown} cannot be read: {error}"));
    let path: PathBuf = path.canonicalize().map_err(unreadable)?;
    let (mut run, mut events) = (Run::default(), Vec::new());
    let mut records = Records::default();
    let mut sums = Sums::default();
    let mut recorded: Option<RunId> = None;
    for (n, line) in BufReader::new(File::open(&path).map_err(unreadable)?).lines().enumerate() {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |what: &str| Failure::Usage(format!("line {} of the recording {shown} {what}", n + 1));
        let (of, envelope) = records.read_line(&line).map_err(|error| {
            wrong(&format!("is no event of a run ({error}): `masthead journal dump RUN > FILE.jsonl` writes one"))
        })?;
        sums.check(&line).map_err(|Changed| {
            wrong("is not as it was written: it was changed, or lines before it are missing. Ask for the file again")
        })?;
        if of.is_some_and(|of| *recorded.get_or_insert_with(|| of.clone()) != of) {
            return Err(wrong("belongs to another run: a recording is the dump of one run"));
        }
        let opens = matches!(envelope.event, Event::RunOpened(_));
        if envelope.seq != run.seq.next() || opens != run.opening.is_none() {
            return Err(wrong("is out of order: events are missing, or they were moved"));
        }
        run.apply(&envelope);
        if run.misfits > 0 {
            return Err(wrong("does not fit what is before it: it was changed, or lines are missing"));
        }
        each(&run);
        events.push(Arc::new(envelope));
    }
    let cut = sums.missing().map(|(gone, events)| {
        format!("the recording {shown} was cut: the last {gone} of its {events} events are missing")
    });
    Ok((run, events, path.to_string_lossy().as_ref().into(), cut))
}
