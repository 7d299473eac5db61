//! Questions asked as runs, one after the other: each by the team, by the baseline if there is one, and judged, with
//! the same caps, ledger and journal as a brief. Recorded runs are reused; those not begun are reported.

mod cost;
mod say;

use std::sync::Arc;

use super::judging::{self, Bench};
use super::recorded::{self, Recorded};
use super::{Asked, Came, Ended, interrupted, say_ended, write_brief};
use crate::args::{Brief, Caps, Face};
use crate::engine::{self, Audience, Changes, Found, Prepared};
use crate::exit::{self, Failure};
use crate::log;
use crate::place::Places;
use crate::{against_one, work};
use ::eval::{Answer, Competitor, End, Judged, Opponent, Question, Results, Row, VERSION, Winner};
use cost::{CostOfAll, Purse, paid};
use desk::{Halt, Policy};
use run::event::{Opening, PartOfEval};
use run::state::Asks;
use run::{Cap, Money, Notice, Role, Run, RunId, forecast};
use say::{say_judge, say_side};
use text::Clean;

/// One of the teams that answer.
struct Side {
    /// Its name in messages: `the team`, `the baseline`.
    called: &'static str,
    /// The arguments of each of its runs, without the question.
    brief: Brief,
    /// The opening of each of its runs, without the question and its sources.
    opening: Opening,
    /// Its models and their notes, in words; None where it works by rule.
    models: Option<String>,
    /// Warnings that are shown before its runs begin.
    warnings: Vec<String>,
}

/// The reason why no further run begins.
enum Ends {
    /// A signal, by its number.
    Signal(i32),
    /// A model refuses all calls until the person has done this.
    Latched(String),
}

/// Asks all questions.
///
/// # Errors
/// A team, model or rubric cannot be used, nobody is there to approve the cost, or a run cannot be stored.
pub fn ask(places: &Places, asked: &Asked<'_>) -> Result<Came, Failure> {
    let sides = sides(places, asked)?;
    let mut bench = Bench::of(places, asked)?;
    if let Some(bench) = &mut bench {
        let own: Vec<(&str, &run::Team)> = sides.iter().map(|side| (side.called, &side.opening.team)).collect();
        bench.note_own(&own);
    }
    let mut evaluation =
        Evaluation { places, asked, sides, bench, purse: Purse { cap: None, share: None, spent: 0 }, ends: None };
    evaluation.share_out()?;
    let plan = evaluation.plan()?;
    if !evaluation.may_begin(&plan)? {
        return Ok(Came::Stopped(exit::DONE));
    }
    evaluation.work(plan)
}

/// The team, and the baseline if there is one.
fn sides(places: &Places, asked: &Asked<'_>) -> Result<Vec<Side>, Failure> {
    let args = asked.args;
    let mut brief = Brief {
        words: Some(args.words),
        team: args.team.clone(),
        no_memory: true,
        no_mcp: args.no_mcp,
        thinking: args.thinking.clone(),
        caps: Caps { max_cost: None, ..args.caps },
        face: Face { in_doubt: args.in_doubt, ..Face::default() },
        ..Brief::default()
    };
    // With any models available: if no team and no model is named, the questions are asked by rule.
    if args.team.is_none() && args.thinking.models.is_empty() && args.thinking.agents.is_empty() {
        brief.thinking.extractive = true;
    }
    let team = side(places, asked, "the team", brief.clone())?;
    let Some(name) = &args.baseline else { return Ok(vec![team]) };
    let baseline = match name == team::ALONE {
        true => against_one::alone(&brief, against_one::model_of(Some(&team.opening))?),
        false => {
            let members = team::load(&places.config, name).map_err(Failure::usage)?.members;
            let prompts = team::prompts(&places.config, name).map_err(Failure::usage)?;
            let mut brief = Brief { team: Some(name.clone()), ..brief };
            let has = |role: &Role| members.contains_key(role) || prompts.contains_key(role);
            brief.thinking.models.retain(|model| model.role.as_ref().is_none_or(has));
            brief
        }
    };
    let baseline = side(places, asked, "the baseline", baseline)?;
    if recorded::digest(&baseline.opening) == recorded::digest(&team.opening) {
        return Err(Failure::Usage(format!(
            "the baseline is the team itself ({}): name another with --baseline, as in --baseline alone",
            team.opening.team.name
        )));
    }
    Ok(vec![team, baseline])
}

/// Prepares the first question, to check team, models and documents, and to get the opening of its runs.
fn side(places: &Places, asked: &Asked<'_>, called: &'static str, brief: Brief) -> Result<Side, Failure> {
    let first = asked.set.questions.first().ok_or_else(|| Failure::Usage("there is no question".into()))?;
    let prepared = engine::prepare_new(places, &asking(asked, &brief, first)?)?;
    let opening = prepared.opening().cloned().ok_or_else(|| Failure::Other("a run has no beginning".into()))?;
    // The cost of all runs is reported once, in total.
    let (models, warnings) = prepared.outlook.map(|outlook| (outlook.models, outlook.warnings)).unwrap_or_default();
    Ok(Side { called, brief, opening, models, warnings })
}

/// The arguments with a question and its folders.
fn asking(asked: &Asked<'_>, brief: &Brief, question: &Question) -> Result<Brief, Failure> {
    let sources = question.folders(&asked.collections).map_err(Failure::usage)?;
    Ok(Brief { question: Some(question.ask.clone()), sources, ..brief.clone() })
}

/// A question before its runs.
struct Planned {
    /// The openings and records, one for each side.
    answers: Vec<(Opening, Recorded)>,
}

struct Evaluation<'a> {
    places: &'a Places,
    asked: &'a Asked<'a>,
    sides: Vec<Side>,
    bench: Option<Bench>,
    purse: Purse,
    ends: Option<Ends>,
}

impl Evaluation<'_> {
    /// Divides the cap on money evenly among the runs that cost anything, and checks that each part is large enough.
    fn share_out(&mut self) -> Result<(), Failure> {
        let Some(cap) = self.asked.args.caps.max_cost else {
            return Ok(());
        };
        let mut openings: Vec<(&str, &mut Opening)> =
            self.sides.iter_mut().map(|side| (side.called, &mut side.opening)).collect();
        openings.extend(self.bench.iter_mut().map(|bench| ("the judge", &mut bench.opening)));
        let costs =
            |opening: &Opening| forecast::before(opening).is_some_and(|forecast| forecast.high > Money::default());
        let runs =
            (openings.iter().filter(|(_, opening)| costs(opening)).count() * self.asked.set.questions.len()) as u64;
        let share = Money(cap.0 / runs.max(1));
        for (called, opening) in openings.iter_mut().filter(|(_, opening)| costs(opening)) {
            opening.limits = opening.limits.with(Cap::Money, Some(share.0));
            let low = forecast::before(opening).map(|forecast| forecast.low).unwrap_or_default();
            if share < low {
                let least = Money(low.0.saturating_mul(runs));
                return Err(Failure::Usage(format!(
                    "--max-cost {cap} is for the whole evaluation, {share} for each of its {runs} runs, and {called} takes {low} if all \
                     goes well: it would take {least} at least, or fewer questions"
                )));
            }
        }
        for side in &mut self.sides {
            side.brief.caps.max_cost = side.opening.limits.money();
        }
        (self.purse.cap, self.purse.share) = (Some(cap), Some(share));
        Ok(())
    }

    /// The recorded runs of each question.
    fn plan(&self) -> Result<Vec<Planned>, Failure> {
        let one = |question: &Question| {
            let answers = self.sides.iter().map(|side| {
                let folders = question.folders(&self.asked.collections).map_err(Failure::usage)?;
                let sources = engine::sources(&folders, false)?;
                let opening = Opening {
                    question: engine::question(&question.ask),
                    sources: sources.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
                    ..side.opening.clone()
                };
                let recorded = self.recorded(&opening)?;
                Ok((opening, recorded))
            });
            Ok(Planned { answers: answers.collect::<Result<_, Failure>>()? })
        };
        self.asked.set.questions.iter().map(one).collect()
    }

    fn recorded(&self, opening: &Opening) -> Result<Recorded, Failure> {
        let found = recorded::find(self.places, opening, &recorded::digest(opening))?;
        Ok(match found {
            Recorded::Ended(_) if self.asked.args.fresh => Recorded::Nothing,
            found => found,
        })
    }

    /// Reports the questions, the reused results, and the probable cost; then asks the person. Returns whether to begin.
    fn may_begin(&self, plan: &[Planned]) -> Result<bool, Failure> {
        let mut all = CostOfAll::default();
        for (n, side) in self.sides.iter().enumerate() {
            let runs = say_side(n, side, plan);
            all.add(&side.opening, runs);
        }
        if let Some(bench) = &self.bench {
            let pairs = self.pairs_to_judge(bench, plan)?;
            say_judge(&bench.judge, plan.len(), pairs);
            all.add(&bench.opening, pairs);
        }
        if all.high == 0 {
            return Ok(true);
        }
        exit::say(&all.in_words(&self.purse));
        use std::io::IsTerminal as _;
        if self.asked.args.yes {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() {
            return Err(Failure::Usage(
                "nobody is there to be asked, and nothing was begun: --yes begins it, --max-cost caps what it costs"
                    .into(),
            ));
        }
        work::begins()
    }

    /// The number of pairs of briefs that are not judged yet.
    fn pairs_to_judge(&self, bench: &Bench, plan: &[Planned]) -> Result<usize, Failure> {
        let mut pairs = plan.len();
        for (question, one) in self.asked.set.questions.iter().zip(plan) {
            let brief = |(_, recorded): &(Opening, Recorded)| match recorded {
                Recorded::Ended(run) => Some(Answer::of(question, run).brief),
                _ => None,
            };
            let known: Option<Vec<Clean>> = one.answers.iter().map(brief).collect();
            let briefs = known.and_then(|briefs| pair(self.asked, bench.judge.opponent, question, &briefs));
            let opening =
                briefs.map(|briefs| bench.opening_of(&one.answers[0].0.question, briefs, bench.opening.limits));
            if let Some(opening) = opening
                && matches!(self.recorded(&opening)?, Recorded::Ended(_))
            {
                pairs -= 1;
            }
        }
        Ok(pairs)
    }

    fn work(mut self, plan: Vec<Planned>) -> Result<Came, Failure> {
        let mut rows = Vec::new();
        for ((question, planned), brief) in self.asked.set.questions.iter().zip(plan).zip(&self.asked.briefs) {
            let mut answers = Vec::new();
            for (n, (opening, recorded)) in planned.answers.into_iter().enumerate() {
                let answer = self.answer(n, question, opening, recorded)?;
                answers.push(answer);
            }
            let judged = match self.bench.is_some() {
                true => Some(self.judge(question, &answers)?),
                false => None,
            };
            if let Some(Ends::Signal(number)) = self.ends {
                let rest = ", and nothing of them is lost. The same command takes them up and goes on";
                return Ok(Came::Stopped(interrupted(rows.len(), self.asked, rest, number)));
            }
            let mut answers = answers.into_iter();
            let team = answers.next().ok_or_else(|| Failure::Other("a question has no answer".into()))?;
            write_brief(brief.as_ref(), &team)?;
            rows.push(Row { baseline: answers.next(), judged, ..Row::of(question, team) });
        }
        let mut competitors = self.sides.iter().map(|side| competitor(&side.opening));
        let team = competitors.next().ok_or_else(|| Failure::Other("there is no team".into()))?;
        Ok(Came::Results(Box::new(Results {
            masthead_eval: VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            set: self.asked.named.clone(),
            words: self.asked.args.words,
            team,
            baseline: competitors.next(),
            judge: self.bench.as_ref().map(|bench| bench.judge.clone()),
            questions: rows,
        })))
    }

    /// The answer of a side: recorded, or from a run.
    fn answer(
        &mut self,
        n: usize,
        question: &Question,
        opening: Opening,
        recorded: Recorded,
    ) -> Result<Answer, Failure> {
        if let Recorded::Ended(run) = recorded {
            return Ok(Answer { taken_up: true, ..Answer::of(question, &run) });
        }
        let called = self.sides[n].called;
        let brief = asking(self.asked, &self.sides[n].brief, question)?;
        let places = self.places;
        let new = || engine::prepare_new(places, &brief);
        Ok(match self.run(question, called, &opening, &recorded, new)? {
            Ran::Ended(run) => Answer::of(question, &run),
            Ran::Waits(run, why) => Answer::without(question, Some(&run), End::Waiting, why),
            Ran::Elsewhere(why) => Answer::without(question, None, End::Waiting, why),
            Ran::LeftOut(why) => Answer::without(question, None, End::LeftOut, why),
        })
    }

    /// Has the answers to a question judged.
    fn judge(&mut self, question: &Question, answers: &[Answer]) -> Result<Judged, Failure> {
        let Some(bench) = self.bench.take() else { return Ok(judging::unjudged("there is no judge")) };
        let judged = self.judged_by(&bench, question, answers);
        self.bench = Some(bench);
        judged
    }

    fn judged_by(&mut self, bench: &Bench, question: &Question, answers: &[Answer]) -> Result<Judged, Failure> {
        let briefs: Vec<Clean> = answers
            .iter()
            .map(|answer| if answer.has_brief() { answer.brief.clone() } else { Clean::default() })
            .collect();
        let Some(briefs) = pair(self.asked, bench.judge.opponent, question, &briefs) else {
            return Ok(judging::unjudged("one of the two has no brief"));
        };
        let opening = bench.opening_of(&engine::question(&question.ask), briefs, bench.opening.limits);
        let recorded = self.recorded(&opening)?;
        if let Recorded::Ended(run) = recorded {
            return Ok(judging::judged(&run, true));
        }
        let (places, asked) = (self.places, self.asked);
        let new = || bench.prepare(places, asked, &opening);
        let judged = match self.run(question, "the judge", &opening, &recorded, new)? {
            Ran::Ended(run) => judging::judged(&run, false),
            Ran::Waits(run, why) => Judged { why: why.into(), ..judging::judged(&run, false) },
            Ran::Elsewhere(why) | Ran::LeftOut(why) => judging::unjudged(&why),
        };
        Ok(judged)
    }

    /// Works on a run, new or begun, and reports its end.
    fn run(
        &mut self,
        question: &Question,
        called: &str,
        opening: &Opening,
        recorded: &Recorded,
        new: impl FnOnce() -> Result<Prepared, Failure>,
    ) -> Result<Ran, Failure> {
        match &self.ends {
            Some(Ends::Signal(_)) => return Ok(Ran::LeftOut("interrupted".into())),
            Some(Ends::Latched(why)) => return Ok(Ran::LeftOut(why.clone())),
            None => {}
        }
        let prepared = match recorded {
            Recorded::Open(id) => {
                let changes = Changes { no_mcp: self.asked.args.no_mcp, ..Changes::default() };
                match engine::prepare_resume(self.places, id.as_str(), self.asked.args.in_doubt, &changes)? {
                    Found::Ours(prepared) => *prepared,
                    Found::Theirs { id, .. } => {
                        return Ok(Ran::Elsewhere(format!("another process works on run {id}")));
                    }
                }
            }
            _ if !self.purse.allows(opening.limits.money()) => return Ok(Ran::LeftOut(self.purse.refuses())),
            _ => {
                let part = PartOfEval { question: Clean::line(&question.id), digest: recorded::digest(opening).into() };
                new()?.of_eval(part)
            }
        };
        let id = prepared.id.clone();
        let begun = Run::fold(prepared.recorded.iter().map(|envelope| &**envelope));
        let before = paid(&begun);
        let rest = begun.ledger.run().limits.money().map(|cap| Money(cap.0.saturating_sub(before)));
        if begun.opening.is_some() && !self.purse.allows(rest) {
            return Ok(Ran::LeftOut(self.purse.refuses()));
        }
        if let Some(number) = worked_on(prepared)? {
            self.ends = Some(Ends::Signal(number));
            return Ok(Ran::LeftOut("interrupted".into()));
        }
        let (_, reader) = engine::find(self.places, id.as_str())?;
        let (run, _) = engine::load(&reader, &id)?;
        self.purse.spent = self.purse.spent.saturating_add(paid(&run).saturating_sub(before));
        let Some(outcome) = run.ended() else { return Ok(self.waits(question, called, run, &id)) };
        let came = match run.preferences() {
            [] => outcome.to_string(),
            preferences => Winner::of(preferences).in_words().to_owned(),
        };
        let (cost, took) = (run.ledger.run().spent.money(), run.worked(run.at));
        say_ended(question, Ended { called, outcome: &came, cost, worked_ms: took, run: Some(&id) });
        Ok(Ran::Ended(Box::new(run)))
    }

    /// Reports the wait of a run that has not ended.
    fn waits(&mut self, question: &Question, called: &str, run: Run, id: &RunId) -> Ran {
        let why = match run.asks() {
            Some(Asks::Latch(latch)) => {
                let why = latch.why.trim_end_matches('.').to_owned();
                self.ends = Some(Ends::Latched(format!("not begun: {why}")));
                why
            }
            Some(Asks::Doubt(_)) => {
                "the outcome of a call is unknown (--in-doubt retry or skip says what to do)".into()
            }
            _ => "it has a question".into(),
        };
        let why = format!("run {id} waits for you: {why}");
        exit::say(&format!(
            "{}: {called}: {why}. `masthead resume {id}` opens it, and the same command takes it up",
            question.id
        ));
        Ran::Waits(Box::new(run), why)
    }
}

/// Works on a run until it stops; returns the number of the signal that ended it, if one did.
fn worked_on(prepared: Prepared) -> Result<Option<i32>, Failure> {
    let id = prepared.id.clone();
    let audience: Audience = Arc::new(|notice| {
        if let Notice::Said(what) = notice {
            exit::say(&what);
        }
    });
    match engine::start(prepared, Policy::Approve, audience).wait() {
        Ok(Halt::Journal(error)) => Err(Failure::Journal(error)),
        Ok(Halt::Sources(why)) => {
            Err(Failure::NotWritten(format!("{why}\nNothing is lost: the same command tries run {id} again")))
        }
        Ok(Halt::Fault) => Err(Failure::Fault { log: log::folder() }),
        Err(number) => Ok(Some(number)),
        Ok(Halt::Ended(_) | Halt::Parked | Halt::Left) => Ok(None),
    }
}

/// The two briefs of a question for a judge, the team's first; None if one is missing.
fn pair(asked: &Asked<'_>, opponent: Opponent, question: &Question, briefs: &[Clean]) -> Option<[Clean; 2]> {
    let other = match opponent {
        Opponent::Baseline => briefs.get(1).cloned(),
        Opponent::Earlier => {
            let (_, earlier) = asked.earlier.as_ref()?;
            let row = earlier.questions.iter().find(|row| row.id == Clean::line(&question.id))?;
            row.team.has_brief().then(|| row.team.brief.clone())
        }
    };
    let pair = [briefs.first()?.clone(), other?];
    pair.iter().all(|brief| !brief.trim().is_empty()).then_some(pair)
}

/// The end of a run.
enum Ran {
    Ended(Box<Run>),
    /// It waits for the person, for this reason.
    Waits(Box<Run>, String),
    /// Another process works on it.
    Elsewhere(String),
    /// It was not begun, or did not end, for this reason.
    LeftOut(String),
}

/// A team with its models, grouped by model.
fn competitor(opening: &Opening) -> Competitor {
    let mut models: Vec<(String, Vec<&str>)> = Vec::new();
    for (role, member) in &opening.team.members {
        let Some(model) = member.model.as_ref().map(|model| model.id.to_string()) else { continue };
        match models.iter_mut().find(|(name, _)| *name == model) {
            Some((_, roles)) => roles.push(role.as_str()),
            None => models.push((model, vec![role.as_str()])),
        }
    }
    let models = models.iter().map(|(model, roles)| Clean::line(&format!("{} with {model}", roles.join(", "))));
    Competitor { name: opening.team.name.clone(), models: models.collect() }
}
