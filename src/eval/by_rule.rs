//! Answers questions by rule, without a model or a journal: at no cost, and without storing anything.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::questions::{Collections, EvalError, Question};
use crate::results::{Answer, End};
use crate::weighed::weighed;
use desk::{Desk, Halt, NoModels, Policy, SystemClock, Tools, World, opening_events};
use journal::MemoryJournal;
use run::event::Opening;
use run::team::Worker;
use run::{Role, Run, RunId, Team};
use specialist::Specialist;
use specialist::extractive::{self, Ranking};
use supervisor::{Roster, Staff};
use text::Clean;

/// Opens tools over some folders. The error is a message for the person.
pub type OpenTools<'a> = dyn Fn(&[PathBuf]) -> Result<Arc<dyn Tools>, String> + 'a;

/// The subject of an evaluation: the team, the length of briefs, and the document collections.
pub struct Bench<'a> {
    /// The team that answers.
    pub team: Team,
    /// The words of a brief.
    pub words: u32,
    /// The collections that questions are asked about.
    pub collections: Collections,
    /// Opens the tools over a collection.
    pub tools: &'a OpenTools<'a>,
    /// The weights with which researchers rank sentences.
    pub ranking: Ranking,
}

/// An answer by rule.
pub struct ByRule {
    /// The brief, measured.
    pub answer: Answer,
    /// The ranked sentences of the researchers, one a line, as [`weighed`] formats them.
    pub weighed: String,
}

/// The roster of the program, with these ranking weights for researchers.
struct Ranked(Ranking);

impl Roster for Ranked {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        match role.as_str() == Role::RESEARCHER && team.model_of(role, worker).is_none() {
            true => Some(extractive::researcher(&self.0)),
            false => Staff.specialist(team, role, worker),
        }
    }
}

impl Bench<'_> {
    /// Answers one question and measures the brief. If there is none, the answer says why.
    pub async fn answer(&self, question: &Question) -> ByRule {
        match self.run(question).await {
            Ok(run) => {
                let answer = Answer { run: None, ..Answer::of(question, &run) };
                ByRule { answer, weighed: weighed(question, &run, &self.ranking) }
            }
            Err(error) => {
                let why = Clean::line(&error.to_string());
                ByRule { answer: Answer::without(question, None, End::Failed, why), weighed: String::new() }
            }
        }
    }

    /// The ended run on one question, which is stored nowhere.
    ///
    /// # Errors
    /// A collection is missing, or the run does not end.
    pub async fn run(&self, question: &Question) -> Result<Run, EvalError> {
        let folders = question.folders(&self.collections)?;
        let tools = (self.tools)(&folders).map_err(|why| EvalError::Stopped(why.into()))?;
        // Notes of earlier runs must not affect the result.
        let mut team = self.team.clone();
        team.members.remove(&Role::new(Role::MEMORY));
        let opening = Opening {
            sources: folders.iter().map(|folder| folder.display().to_string()).collect(),
            words: self.words,
            ..Opening::new(RunId::from_random([0; 6]), question.ask.as_str().into(), team)
        };
        let id = opening.run.clone();
        let journal = MemoryJournal::default();
        let (_commands, orders) = mpsc::unbounded_channel();
        let mut desk = Desk::new(
            Run::default(),
            World {
                journal: Arc::new(journal.clone()),
                tools,
                models: Arc::new(NoModels),
                roster: Arc::new(Ranked(self.ranking.clone())),
                clock: Arc::new(SystemClock),
            },
            Policy::Approve,
            orders,
            Arc::new(|_| {}),
        );
        let why = match desk.work(opening_events(opening)).await {
            Halt::Ended(_) => return Ok(Run::fold(&journal.events(&id))),
            Halt::Parked => "it waits for a person, and nobody can answer a run that is not kept".into(),
            Halt::Left => "nobody waits for it any more".into(),
            Halt::Sources(why) => why,
            Halt::Journal(error) => error.to_string().into(),
            Halt::Fault => "a fault in the program".into(),
        };
        Err(EvalError::Stopped(why))
    }
}
