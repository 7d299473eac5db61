//! Drills on the command line: which there are, which one a run is, and what it has shown.

use std::fmt::Write as _;

use super::exit::{self, Failure};
use super::inspect;
use ::drill::Drill;
use run::Run;
use run::event::Opening;

/// The names of all drills with what goes wrong in each.
pub fn list() -> Result<u8, Failure> {
    let mut told = String::from("Each shows a failure of a supervised team, and what catches it:\n\n");
    for drill in &::drill::ALL {
        let _ = writeln!(told, "  {:<20} {}", drill.exercise.name, drill.exercise.goes_wrong);
    }
    told.push_str("\n`masthead drill NAME` plays it: scripted specialists, real guards, some seconds, no cost.\n");
    inspect::print(told.as_bytes())
}

/// The drill of this name.
pub fn find(name: &str) -> Result<&'static Drill, Failure> {
    ::drill::named(name).ok_or_else(|| {
        let names: Vec<&str> = ::drill::ALL.iter().map(|drill| drill.exercise.name).collect();
        Failure::Usage(format!("there is no drill `{}`: there are {}", text::Clean::line(name), names.join(", ")))
    })
}

/// The drill that a run is; None if it is none.
pub fn of(opening: &Opening) -> Result<Option<&'static Drill>, Failure> {
    opening.drill.as_ref().map(|name| find(name)).transpose()
}

/// What a run that has ended has shown, for a person; None if it is no drill.
pub fn lesson(run: &Run) -> Option<String> {
    let drill = Drill::of(run)?;
    let lesson = drill.exercise.lesson(run)?;
    let told: Vec<String> = lesson.told.iter().map(|sentence| format!("\n  {sentence}")).collect();
    Some(format!("{}: {}.{}", drill.exercise.name, lesson.word(), told.concat()))
}

/// The exit code of a run that has ended: of a drill, whether its failure was caught.
pub fn code(run: &Run) -> u8 {
    match Drill::of(run).and_then(|drill| drill.exercise.lesson(run)) {
        Some(lesson) if lesson.caught => exit::DONE,
        Some(_) => exit::FAILED,
        None => exit::of_ended(run),
    }
}
