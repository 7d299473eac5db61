//! Questions asked by rule: no model, no journal, no cost.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use super::{Asked, Came, Ended, say_ended, write_brief};
use crate::engine;
use crate::exit::Failure;
use crate::output::{Output, shown};
use crate::place::Places;
use ::eval::{Answer, Bench, Competitor, FEATURES, Ranking, Results, Row, VERSION};
use desk::{LibraryTools, Tools};
use text::Clean;
use tool::{Library, Readers};

/// Asks all questions, until a signal comes.
///
/// # Errors
/// The weights or the team cannot be used, or a file cannot be written.
pub fn ask(places: &Places, asked: &Asked<'_>) -> Result<Came, Failure> {
    let ranking = ranking(asked)?;
    let open = |folders: &[PathBuf]| -> Result<Arc<dyn Tools>, String> {
        let library =
            Library::open(folders, &places.data, Readers::of_this_program()).map_err(|error| error.to_string())?;
        Ok(Arc::new(LibraryTools::new(library)))
    };
    let team = team::load(&places.config, team::BRIEF).map_err(Failure::usage)?;
    let name = team.name.clone();
    let words = asked.args.words;
    let bench = Bench { team, words, collections: asked.collections.clone(), tools: &open, ranking };
    let sentences = asked.args.sentences.as_deref().map(Output::open).transpose()?;
    let mut told = Told::default();
    let runtime = engine::runtime()?;
    let signal = runtime.block_on(all(asked, &bench, &mut told))?;
    // Work that a signal has stopped is not waited for.
    runtime.shutdown_background();
    if let (Some(sentences), None) = (sentences, signal) {
        sentences.write(&told.weighed)?;
    }
    let results = Results {
        masthead_eval: VERSION,
        program: env!("CARGO_PKG_VERSION").into(),
        set: asked.named.clone(),
        words,
        team: Competitor { name, models: Vec::new() },
        baseline: None,
        judge: None,
        questions: told.rows,
    };
    Ok(match signal {
        None => Came::Results(Box::new(results)),
        Some(number) => Came::Cut(Box::new(results), number),
    })
}

/// The results of the questions so far.
#[derive(Default)]
struct Told {
    rows: Vec<Row>,
    /// The weighed sentences, one a line.
    weighed: String,
}

/// Asks one question after the other, and writes each brief. Returns the number of the signal that ended it, if one did.
async fn all(asked: &Asked<'_>, bench: &Bench<'_>, told: &mut Told) -> Result<Option<i32>, Failure> {
    let mut signal = pin!(engine::signalled());
    for (question, brief) in asked.set.questions.iter().zip(&asked.briefs) {
        let one = tokio::select! {
            biased;
            number = &mut signal => return Ok(Some(number)),
            one = bench.answer(question) => one,
        };
        write_brief(brief.as_ref(), &one.answer)?;
        let Answer { outcome, cost, worked_ms, .. } = &one.answer;
        let (cost, worked_ms) = (*cost, *worked_ms);
        say_ended(question, Ended { called: "the team", outcome, cost, worked_ms, run: None });
        told.weighed += &one.weighed;
        told.rows.push(Row::of(question, one.answer));
    }
    Ok(None)
}

fn ranking(asked: &Asked<'_>) -> Result<Ranking, Failure> {
    let mut ranking = match asked.args.ranking.as_deref() {
        None => Ranking::built_in().clone(),
        Some(file) => {
            let wrong = |what: String| Failure::Usage(format!("the weights in {} cannot be used: {what}", shown(file)));
            let bytes = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
            let text = text::utf8(bytes).map_err(wrong)?;
            Ranking::read(&text).map_err(wrong)?
        }
    };
    for feature in &asked.args.without {
        ranking = ranking.without(feature).ok_or_else(|| {
            Failure::Usage(format!(
                "there is no feature `{}` to leave out; there are {}",
                Clean::line(feature),
                FEATURES.join(", ")
            ))
        })?;
    }
    Ok(ranking)
}
