//! The home screen, and what is chosen there, one after another, until the person leaves.

use super::forks::with_forks;
use super::{AtWork, Resume, code_of, enter_beside, followed_from, on_screen, played, worked_on};
use crate::aid::{self, with_home};
use crate::args::Brief;
use crate::engine::{self, Changes, Found};
use crate::example;
use crate::exit::{self, Failure};
use crate::inspect;
use crate::mcp;
use crate::place::Places;
use crate::standing;
use desk::Policy;
use run::RunId;
use text::Clean;
use tui::{App, Choice, Home, Leave, Opens, Piece, Read, Reading, Settings, Theme};

/// Shows the home screen, and from there one run after another.
pub fn home(places: &Places, theme: Theme) -> Result<u8, Failure> {
    // Earlier runs are shown despite a wrong setting; a new run reports it again.
    let (models, message) = match engine::default_models(places) {
        Ok((models, unused)) => (models, (!unused.is_empty()).then(|| unused.join("; ").into())),
        Err(failure) => (None, Some(failure.to_string().into())),
    };
    let mut screen = enter_beside(places, theme)?;
    let here = || std::env::current_dir().iter().map(|dir| dir.to_string_lossy().into_owned()).collect();
    let (question, sources) = aid::unasked(places);
    let mut at_home = Home {
        sources: if sources.is_empty() { here() } else { sources },
        models,
        message,
        question,
        teams: team::names(&places.config).into_iter().map(Clean::from).collect(),
        drills: ::drill::ALL.iter().map(|drill| (drill.exercise.name, drill.exercise.goes_wrong)).collect(),
        aid: Some(aid::aid(places)),
        ..Home::default()
    };
    let not_deleted = loop {
        at_home.runs = standing::lines(places, None)?;
        let shown = Home { looked_at: at_home.looked_at.take(), ..at_home.clone() };
        let (choice, stays) = screen.home(shown).map_err(Failure::output)?;
        at_home.stays = stays;
        let not_deleted = at_home.stays.not_deleted.take();
        if choice == Choice::Quit {
            break not_deleted;
        }
        let left = follow_choice(&mut screen, places, &mut at_home, choice);
        (at_home.message, at_home.wrong_source) = (not_deleted.clone(), false);
        match left {
            Ok(Leave::Quit) => break not_deleted,
            Ok(Leave::Home | Leave::TakeOver | Leave::Fork { .. }) => at_home.question = aid::unasked(places).0,
            // The input stays as typed, and the cursor goes where it is wrong.
            Err(failure) => {
                at_home.wrong_source = at_home.stays.sources.iter().flatten().any(|source| is_missing(source));
                let messages = not_deleted.iter().map(ToString::to_string).chain([failure.to_string()]);
                at_home.message = Some(messages.collect::<Vec<_>>().join("; ").into());
            }
        }
    };
    let code = code_of(&screen);
    drop(screen);
    not_deleted.iter().for_each(|why| exit::say(why));
    Ok(code)
}

/// Carries out the person's choice on the home screen; returns the way in which they left it.
fn follow_choice(screen: &mut App, places: &Places, at_home: &mut Home, choice: Choice) -> Result<Leave, Failure> {
    match choice {
        Choice::Quit => Ok(Leave::Quit),
        Choice::Ask { question, sources, settings } => {
            at_home.question = question.to_string();
            ask(screen, places, &at_home.question, &sources, &settings)
        }
        Choice::Open(id) => {
            at_home.looked_at = Some(id.clone());
            open(screen, places, &id, Opens::Latest)
                .and_then(|left| Ok(with_forks(screen, places, id.as_str(), left)?.0))
        }
        Choice::Compare(first, second) => {
            at_home.looked_at = Some(second.clone());
            inspect::compared(places, first.as_str(), second.as_str())
                .and_then(|compared| screen.read(tui::compared(&compared)).map_err(Failure::output))
                .map(|read| if read == Read::Quit { Leave::Quit } else { Leave::Home })
        }
        Choice::Replay(id) => {
            at_home.looked_at = Some(id.clone());
            replay(screen, places, &id, Opens::Latest)
                .and_then(|left| Ok(with_forks(screen, places, id.as_str(), left)?.0))
        }
        Choice::Fork(id) => {
            at_home.looked_at = Some(id.clone());
            replay(screen, places, &id, Opens::Places)
                .and_then(|left| Ok(with_forks(screen, places, id.as_str(), left)?.0))
        }
        Choice::Drill(name) => drill(screen, places, name),
        Choice::Example => example(screen, places, &at_home.stays.settings),
    }
}

fn is_missing(source: &str) -> bool {
    !source.starts_with("web:") && !with_home(source).exists()
}

fn replay(screen: &mut App, places: &Places, id: &RunId, opens: Opens) -> Result<Leave, Failure> {
    let (_, reader) = engine::find(places, id.as_str())?;
    played(screen, engine::load(&reader, id)?.1, opens)
}

pub(super) fn drill(screen: &mut App, places: &Places, name: &str) -> Result<Leave, Failure> {
    Ok(on_screen(screen, engine::prepare_drill(places, name)?, Policy::Ask)?.0)
}

/// Asks the example question of the example documents.
fn example(screen: &mut App, places: &Places, settings: &Settings) -> Result<Leave, Failure> {
    let folder = example::folder(places)?;
    let sources = vec![folder.to_string_lossy().into_owned()];
    ask(screen, places, example::QUESTION, &sources, settings)
}

fn ask(
    screen: &mut App,
    places: &Places,
    question: &str,
    sources: &[String],
    settings: &Settings,
) -> Result<Leave, Failure> {
    let brief = aid::set(brief(question, sources), settings)?;
    let prepared = with_servers_approved(screen, places, || engine::prepare_new(places, &brief))?;
    let id = prepared.id.clone();
    let left = on_screen(screen, prepared, Policy::Ask)?.0;
    Ok(with_forks(screen, places, id.as_str(), left)?.0)
}

/// Prepares a run. If an MCP server is not approved as it is, the person is shown it and asked; a server that they do not approve
/// is not begun.
fn with_servers_approved<T>(
    screen: &mut App,
    places: &Places,
    prepare: impl Fn() -> Result<T, Failure>,
) -> Result<T, Failure> {
    loop {
        let (name, why) = match prepare() {
            Err(Failure::Unapproved { name, why }) => (name, why),
            prepared => return prepared,
        };
        let offer = mcp::offer(places, &name)?;
        let piece = |text: &str| Piece::Text(Clean::line(text));
        let title = Piece::Title(Clean::line(&format!("{name}: {why}. y approves it as it is now, and begins.")));
        let pieces = std::iter::once(title).chain(offer.text.lines().map(piece)).collect();
        let page = Reading { title: "an MCP server to approve".into(), pieces, asks: true, columns: None };
        match screen.read(page).map_err(Failure::output)? {
            Read::Begin => offer.approve(places)?,
            Read::Back | Read::Quit => return Err(Failure::Unapproved { name, why }),
        }
    }
}

/// The input of the home screen as arguments of `brief`. A source `web:wikipedia` stands for `--web wikipedia`.
pub(super) fn brief(question: &str, sources: &[String]) -> Brief {
    let web = |source: &String| source.strip_prefix("web:").map(|names| names.trim().to_owned());
    Brief {
        question: Some(question.to_owned()),
        sources: sources.iter().filter(|source| web(source).is_none()).map(|source| with_home(source)).collect(),
        web: sources.iter().filter_map(web).flat_map(|names| split(&names)).collect(),
        ..Brief::default()
    }
}

fn split(names: &str) -> Vec<String> {
    names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

pub(super) fn open(screen: &mut App, places: &Places, id: &RunId, opens: Opens) -> Result<Leave, Failure> {
    let (_, reader) = engine::find(places, id.as_str())?;
    let (run, recorded) = engine::load(&reader, id)?;
    if run.ended().is_some() || run.is_imported() {
        return played(screen, recorded, opens);
    }
    drop(reader);
    let resume = Resume { in_doubt: None, policy: Policy::Ask };
    let prepare = || engine::prepare_resume(places, id.as_str(), resume.in_doubt, &Changes::default());
    match with_servers_approved(screen, places, prepare)? {
        Found::Ours(prepared) => Ok(worked_on(screen, *prepared, resume.policy, opens, None)?.0),
        Found::Theirs { id, worker } => followed_from(screen, places, AtWork { id, worker }, resume, opens),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_web_is_a_line_among_the_sources() {
        let sources = ["docs", "web:wikipedia, searxng", "/tmp/notes.md", "web:arxiv"].map(String::from).to_vec();
        let brief = brief("Why?", &sources);
        assert_eq!(brief.sources, [PathBuf::from("docs"), PathBuf::from("/tmp/notes.md")]);
        assert_eq!(brief.web, ["wikipedia", "searxng", "arxiv"]);
    }
}
