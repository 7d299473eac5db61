//! Questions asked by rule: no model, no journal, no cost.

use std::path::PathBuf;
use std::sync::Arc;

use super::Asked;
use crate::engine::runtime;
use crate::exit::Failure;
use crate::output::{Output, shown};
use crate::place::Places;
use ::eval::{Answer, Bench, Competitor, FEATURES, Ranking, Results, Row, VERSION, table};
use desk::{LibraryTools, Tools};
use text::Clean;
use tool::{Library, Readers};

/// Asks all questions. Returns the result, and the table of scores by rule.
///
/// # Errors
/// The weights are wrong, or a run does not finish.
pub fn ask(places: &Places, asked: &Asked<'_>) -> Result<(Results, String), Failure> {
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
    let runtime = runtime()?;
    let sentences = asked.args.sentences.as_deref().map(Output::open).transpose()?;
    let mut scores = Vec::new();
    for (question, brief) in asked.set.questions.iter().zip(&asked.briefs) {
        let score = runtime.block_on(bench.ask(question)).map_err(Failure::other)?;
        if let Some(brief) = brief {
            brief.write(&score.brief)?;
        }
        scores.push(score);
    }
    if let Some(sentences) = sentences {
        sentences.write(&scores.iter().map(|score| score.weighed.as_str()).collect::<String>())?;
    }
    let table = table(&scores);
    let rows = asked.set.questions.iter().zip(scores).map(|(question, score)| Row {
        id: Clean::line(&question.id),
        ask: Clean::new(&question.ask),
        unanswerable: question.unanswerable,
        team: Answer::scored(score),
        baseline: None,
        judged: None,
    });
    let results = Results {
        masthead_eval: VERSION,
        program: env!("CARGO_PKG_VERSION").into(),
        set: asked.named.clone(),
        words,
        team: Competitor { name, models: Vec::new() },
        baseline: None,
        judge: None,
        questions: rows.collect(),
    };
    Ok((results, table))
}

fn ranking(asked: &Asked<'_>) -> Result<Ranking, Failure> {
    let mut ranking = match asked.args.ranking.as_deref() {
        None => Ranking::built_in().clone(),
        Some(file) => {
            let wrong = |what: String| Failure::Usage(format!("the weights in {} cannot be used: {what}", shown(file)));
            let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
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
