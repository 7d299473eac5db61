//! Forks that the person asks for on the screen of a run. Each is shown first, and none begins without their consent.

use clap::Parser;

use super::super::args::{self, Args};
use super::super::engine;
use super::super::exit::Failure;
use super::super::fork::{self, Proposed, Wanted};
use super::super::place::Places;
use super::super::recording;
use super::home::open;
use super::{on_screen, played};
use desk::Policy;
use run::{Run, RunId, Seq};
use text::Clean;
use tui::{App, Leave, Opens, Piece, Read, Reading};

/// Goes from a run that was left to the fork that the person asks for there, and on to forks of that. Returns how the last
/// one was left, and the last fork that began.
pub(super) fn with_forks(
    screen: &mut App,
    places: &Places,
    name: &str,
    mut left: Leave,
) -> Result<(Leave, Option<(RunId, Run)>), Failure> {
    let mut name = name.to_owned();
    let mut last = None;
    while let Leave::Fork { at, with } = left {
        let (page, proposed) = match proposed(places, &name, at, &with) {
            Ok(proposed) => (proposal(&proposed.lines), Some(proposed)),
            Err(why) => (refusal(&why), None),
        };
        left = match (screen.read(page).map_err(Failure::output)?, proposed) {
            (Read::Begin, Some(proposed)) => {
                let prepared = proposed.begun(true);
                let id = prepared.id.clone();
                let (left, run) = on_screen(screen, prepared, Policy::Ask)?;
                name = id.to_string();
                last = Some((id, run));
                left
            }
            (Read::Quit, _) => Leave::Quit,
            (Read::Back | Read::Begin, proposed) => {
                // Its name is free again before the run that it is of is taken up.
                drop(proposed);
                reopened(screen, places, &name, Opens::Forking { at, with })?
            }
        };
    }
    Ok((left, last))
}

fn proposed(places: &Places, name: &str, at: Seq, with: &str) -> Result<Proposed, Failure> {
    let at = at.0.to_string();
    let words = ["masthead", "fork", name, "--at", &at].map(str::to_owned);
    let with = text::shell::words(with).map_err(|why| Failure::Usage(format!("{why} in: {with}")))?;
    let read = Args::try_parse_from(words.into_iter().chain(with));
    match read.map_err(|error| Failure::Usage(refused(&error)))?.command {
        Some(args::Command::Fork(fork)) => fork::prepare(places, &Wanted::from(&fork)),
        _ => Err(Failure::Usage(ONLY_FLAGS.into())),
    }
}

const ONLY_FLAGS: &str = "write flags of `masthead fork` alone: `masthead fork --help` lists them";

/// The reason why the parser refuses the command: its first sentences, without the usage of the command line.
fn refused(error: &clap::Error) -> String {
    if !error.use_stderr() {
        return ONLY_FLAGS.into();
    }
    let said = error.render().to_string();
    let end = ["\nUsage:", "\nFor more information"].iter().filter_map(|from| said.find(from)).min();
    let said = said[..end.unwrap_or(said.len())].trim();
    said.strip_prefix("error: ").unwrap_or(said).to_owned()
}

fn proposal(lines: &[String]) -> Reading {
    let pieces = lines.iter().skip(1).map(|line| Piece::Text(Clean::line(line)));
    let asked = Piece::Text("Nothing is asked, and nothing is written, before you press y.".into());
    let title = lines.first().map(|line| Clean::line(line)).unwrap_or_default();
    let pieces = std::iter::once(Piece::Title(title)).chain(pieces).chain([Piece::Title(Clean::default()), asked]);
    Reading { title: "a fork".into(), pieces: pieces.collect(), asks: true, columns: None }
}

fn refusal(why: &Failure) -> Reading {
    let said = why.to_string();
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let back = Piece::Text("q goes back to what you wrote.".into());
    let pieces =
        lines.map(|line| Piece::Text(Clean::line(line))).chain([Piece::Title(Clean::default()), back]).collect();
    Reading { title: "it cannot be forked like that".into(), pieces, asks: false, columns: None }
}

/// Shows a run again that was left for a fork of it.
fn reopened(screen: &mut App, places: &Places, name: &str, opens: Opens) -> Result<Leave, Failure> {
    match recording::file(name) {
        Some(path) => played(screen, recording::replayed(path)?.events, opens),
        None => open(screen, places, &engine::find(places, name)?.0, opens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_of_a_fork_that_is_wrong_is_refused_in_a_sentence() {
        let refused = |words: &[&str]| {
            let words = ["masthead", "fork", "7f3k", "--at", "9"].iter().chain(words);
            super::refused(&Args::try_parse_from(words).unwrap_err())
        };
        let said = refused(&["--modle", "writer=x"]);
        assert!(said.starts_with("unexpected argument '--modle' found"), "{said}");
        assert!(said.contains("--model") && !said.contains("Usage") && !said.contains("--help"), "{said}");
        assert_eq!(refused(&["--help"]), ONLY_FLAGS);
    }
}
