//! The `drill` command: lists drills, finds the drill of a run, and prints its lesson.

use std::fmt::Write as _;

use super::exit::{self, Failure};
use super::inspect;
use ::drill::Drill;
use run::Run;
use run::event::Opening;

pub fn list() -> Result<u8, Failure> {
    const NAME: usize = 20;
    const CELLS: usize = 80;
    let mut text = String::from("Each shows a failure of a supervised team, and what catches it:\n\n");
    for drill in &::drill::ALL {
        let wrong = drill.exercise.goes_wrong;
        for (n, line) in tui::wrap(wrong, CELLS - NAME - 3).into_iter().enumerate() {
            let name = if n == 0 { drill.exercise.name } else { "" };
            let _ = writeln!(text, "  {name:<NAME$} {}", &wrong[line]);
        }
    }
    text.push_str("\n`masthead drill NAME` plays one: scripted specialists, real guards, no cost.\n");
    inspect::print(text.as_bytes())
}

pub fn find(name: &str) -> Result<&'static Drill, Failure> {
    ::drill::named(name).ok_or_else(|| {
        let names: Vec<&str> = ::drill::ALL.iter().map(|drill| drill.exercise.name).collect();
        Failure::Usage(format!("there is no drill `{}`: there are {}", text::Clean::line(name), names.join(", ")))
    })
}

/// The drill that a run plays; None if it is not a drill.
pub fn of(opening: &Opening) -> Result<Option<&'static Drill>, Failure> {
    opening.drill.as_ref().map(|name| find(name)).transpose()
}

/// The lesson of a finished drill; None if the run is not a drill.
pub fn lesson(run: &Run) -> Option<String> {
    let drill = Drill::of(run)?;
    let lesson = drill.exercise.lesson(run)?;
    let text: Vec<String> = lesson.told.iter().map(|sentence| format!("\n  {sentence}")).collect();
    Some(format!("{}: {}.{}", drill.exercise.name, lesson.word(), text.concat()))
}

/// The exit code of a finished run: for a drill, whether its failure was caught.
pub fn code(run: &Run) -> u8 {
    match Drill::of(run).and_then(|drill| drill.exercise.lesson(run)) {
        Some(lesson) if lesson.caught => exit::DONE,
        Some(_) => exit::FAILED,
        None => exit::of_ended(run),
    }
}
