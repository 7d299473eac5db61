//! Commands that work on a run or show one, on screens or headless.

use std::io::IsTerminal;
use std::path::Path;

use super::against_one;
use super::args::{Brief, Face, Fork, Look};
use super::engine::{self, Changes, Found, Prepared};
use super::exit::{self, Failure};
use super::fork::{self, Wanted};
use super::form::Form;
use super::input;
use super::inspect;
use super::lines;
use super::look::theme;
use super::mcp::{self, Answered};
use super::output::Output;
use super::place::Places;
use super::recording::{self, Replayed};
use super::show::{self, AtWork, Resume};
use desk::Policy;
use run::Seq;

pub fn brief(places: &Places, look: &Look, mut brief: Brief) -> Result<u8, Failure> {
    if let (Some(run), Some(prompts)) = (&brief.answers_from, &brief.with_prompts) {
        let Brief { caps, face, breaks, check_plan, check_draft, output, .. } = &brief;
        let (prompts, limits, breaks) = (Some(prompts.as_path()), caps.limits(), &breaks.on[..]);
        let (check_plan, check_draft, in_doubt) = (*check_plan, *check_draft, face.in_doubt);
        let wanted =
            Wanted { run, at: Seq(1), prompts, limits, breaks, check_plan, check_draft, in_doubt, ..Wanted::default() };
        return forked(places, look, &wanted, face, output.as_deref());
    }
    // The parser waives the requirement of a flag that conflicts with something given, here with the question.
    if brief.with_prompts.is_some() {
        return Err(Failure::Usage(
            "--with-prompts tries prompts against the record of a run, which --answers-from RUN names; no question is given with \
             it. `masthead fork RUN --at SEQ --with-prompts DIR` tries them from any event of a run"
                .into(),
        ));
    }
    if brief.compare {
        return against_one::brief(places, &brief);
    }
    let output = brief.output.as_deref().map(Output::open).transpose()?;
    if in_lines(&brief.face) {
        let Some(prepared) = with_servers_approved(places, &mut brief)? else { return Ok(exit::DONE) };
        let Some(prepared) = first_asked(places, &mut brief, prepared)? else { return Ok(exit::DONE) };
        // If money is concerned, it has been told with the question.
        if let Some(outlook) = prepared.outlook.as_ref().filter(|outlook| !outlook.unasked) {
            exit::say(&outlook.message());
        }
        return lines::in_plain_lines(prepared, &brief.face, output.as_ref());
    }
    // A name that is wrong is said to be, also where no screen shows the theme.
    let theme = theme(places, look)?;
    if without_terminal(&brief.face) {
        let prepared = engine::prepare_new(places, &brief)?;
        if let Some(outlook) = &prepared.outlook {
            if outlook.unasked && !brief.face.yes {
                return Err(Failure::Usage(format!(
                    "no flag or setting asks for models that cost money, and nobody is there to ask. Available are {}. \
                     --yes or --model uses them, --max-cost caps what they cost, --extractive works without a model",
                    outlook.message()
                )));
            }
            exit::say(&outlook.message());
        }
        return lines::without_screens(prepared, &brief.face, output.as_ref());
    }
    let Some(prepared) = with_servers_approved(places, &mut brief)? else { return Ok(exit::DONE) };
    let Some(prepared) = first_asked(places, &mut brief, prepared)? else { return Ok(exit::DONE) };
    show::one(places, theme, prepared, policy_at_screen(&brief.face), output.as_ref())
}

/// Prepares a new run. If an MCP server is not approved as it is, the person is asked; None if they leave.
fn with_servers_approved(places: &Places, brief: &mut Brief) -> Result<Option<Prepared>, Failure> {
    loop {
        match engine::prepare_new(places, brief) {
            Err(Failure::Unapproved { name, why }) => match asked_to_approve(places, &name, &why)? {
                Answered::Approved => {}
                Answered::Without => brief.no_mcp = true,
                Answered::Leave => return Ok(None),
            },
            prepared => return prepared.map(Some),
        }
    }
}

fn asked_to_approve(places: &Places, name: &str, why: &str) -> Result<Answered, Failure> {
    exit::say(&format!("the MCP server {name}: {why}"));
    mcp::ask_first(places, name)
}

/// Asks first where the run would cost money that nobody asked to spend; None if the person leaves.
fn first_asked(places: &Places, brief: &mut Brief, prepared: Prepared) -> Result<Option<Prepared>, Failure> {
    let Some(outlook) = prepared.outlook.as_ref().filter(|outlook| outlook.unasked) else { return Ok(Some(prepared)) };
    match ask_first(&outlook.message())? {
        Start::AsTold => Ok(Some(prepared)),
        Start::ByRule => {
            brief.thinking.extractive = true;
            drop(prepared);
            engine::prepare_new(places, brief).map(Some)
        }
        Start::NotAtAll => Ok(None),
    }
}

pub fn drill(places: &Places, look: &Look, name: &str, face: &Face) -> Result<u8, Failure> {
    let theme = theme(places, look)?;
    if in_lines(face) {
        return lines::in_plain_lines(engine::prepare_drill(places, name)?, face, None);
    }
    if without_terminal(face) {
        let prepared = engine::prepare_drill(places, name)?;
        prepared
            .drill
            .iter()
            .for_each(|drill| exit::say(&format!("{}: {}", drill.exercise.name, drill.exercise.goes_wrong)));
        return lines::without_screens(prepared, face, None);
    }
    show::one(places, theme, engine::prepare_drill(places, name)?, policy_at_screen(face), None)
}

/// Begins a fork of a run.
pub fn fork(places: &Places, look: &Look, fork: &Fork) -> Result<u8, Failure> {
    forked(places, look, &Wanted::from(fork), &fork.face, fork.output.as_deref())
}

fn forked(
    places: &Places,
    look: &Look,
    wanted: &Wanted<'_>,
    face: &Face,
    output: Option<&Path>,
) -> Result<u8, Failure> {
    let output = output.map(Output::open).transpose()?;
    let theme = theme(places, look)?;
    let proposed = fork::prepare(places, wanted)?;
    let lines = proposed.lines.join("\n");
    if without_terminal(face) {
        if proposed.costs() && !face.yes {
            return Err(Failure::Usage(format!(
                "{lines}\nnobody is there to be asked, and nothing was begun: --yes begins it, --max-cost caps what it costs"
            )));
        }
        exit::say(&lines);
        let prepared = proposed.begun(face.yes);
        exit::say(&format!("the fork is run {}", prepared.id));
        return lines::without_screens(prepared, face, output.as_ref());
    }
    exit::say(&lines);
    if !face.yes && !begins()? {
        return Ok(exit::DONE);
    }
    match in_lines(face) {
        true => lines::in_plain_lines(proposed.begun(true), face, output.as_ref()),
        false => show::one(places, theme, proposed.begun(true), policy_at_screen(face), output.as_ref()),
    }
}

/// Asks whether the run that was just described is to begin.
pub fn begins() -> Result<bool, Failure> {
    loop {
        exit::ask("Enter begins it, q leaves: ");
        let Some(answer) = input::answer()? else { return Ok(false) };
        match answer.as_str() {
            "" | "y" | "yes" => return Ok(true),
            "q" | "n" | "no" => return Ok(false),
            _ => {}
        }
    }
}

/// The person's answer when models are available that were not requested.
enum Start {
    AsTold,
    ByRule,
    NotAtAll,
}

/// Asks before the first run that costs money without a request for models.
fn ask_first(message: &str) -> Result<Start, Failure> {
    exit::say(message);
    loop {
        exit::ask(
            "Enter begins, r does it by rule without models, q leaves (--model or config.toml says it for good): ",
        );
        let Some(answer) = input::answer()? else { return Ok(Start::NotAtAll) };
        match answer.as_str() {
            "" | "y" | "yes" => return Ok(Start::AsTold),
            "r" | "rule" => return Ok(Start::ByRule),
            "q" | "n" | "no" => return Ok(Start::NotAtAll),
            _ => {}
        }
    }
}

/// Resumes an earlier run, with its changes from before it goes on.
pub fn resume(
    places: &Places,
    look: &Look,
    name: &str,
    mut changes: Changes,
    face: &Face,
    output: Option<&Path>,
) -> Result<u8, Failure> {
    let output = output.map(Output::open).transpose()?;
    let output = output.as_ref();
    let theme = theme(places, look)?;
    let plain = in_lines(face);
    let headless = without_terminal(face) && !plain;
    // Nobody is there to see the message at a breakpoint: the command itself says to go on.
    changes.goes_on = headless && changes.others.is_none();
    let found = loop {
        match engine::prepare_resume(places, name, face.in_doubt, &changes) {
            Err(Failure::Unapproved { name, why }) if !headless => match asked_to_approve(places, &name, &why)? {
                Answered::Approved => {}
                Answered::Without => changes.no_mcp = true,
                Answered::Leave => return Ok(exit::DONE),
            },
            found => break found?,
        }
    };
    match (found, headless) {
        (Found::Ours(prepared), _) if plain => lines::in_plain_lines(*prepared, face, output),
        (Found::Ours(prepared), true) => lines::without_screens(*prepared, face, output),
        (Found::Ours(prepared), false) => show::one(places, theme, *prepared, policy_at_screen(face), output),
        (Found::Theirs { id, worker }, headless) if headless || plain => {
            exit::say(&show::busy_message(&id, &worker));
            lines::follow(places, &id, face, output)
        }
        (Found::Theirs { id, worker }, _) => {
            let resume = Resume { in_doubt: face.in_doubt, policy: policy_at_screen(face) };
            show::followed(places, theme, AtWork { id, worker }, resume, output)
        }
    }
}

/// Replays the events of a run on the screens or as lines, without any work.
pub fn replay(places: &Places, look: &Look, name: &str, headless: bool) -> Result<u8, Failure> {
    let theme = theme(places, look)?;
    let replayed = match recording::file(name) {
        Some(path) => recording::replayed(path)?,
        None => {
            let (id, reader) = engine::find(places, name)?;
            let (run, events) = engine::load(&reader, &id)?;
            Replayed { run, events, cut: None }
        }
    };
    if headless || !has_screens() {
        if let Some(cut) = &replayed.cut {
            exit::say(cut);
        }
        if replayed.run.is_imported() {
            return lines::print_recorded(&replayed.events);
        }
        return lines::print_whole(&replayed.events);
    }
    show::replayed(places, theme, name, replayed)
}

/// Compares two runs: as a report in the form that is asked for, or else on a screen, and in lines where there is none.
pub fn compare(
    places: &Places,
    look: &Look,
    (first, second): (&str, &str),
    report: Option<Form>,
) -> Result<u8, Failure> {
    let theme = theme(places, look)?;
    let compared = inspect::compared(places, first, second)?;
    if let Some(form) = report.or_else(|| (!has_screens()).then_some(Form::Lines)) {
        return inspect::print_compared(&compared, form);
    }
    show::compared(theme, &compared)
}

pub fn home(places: &Places, look: &Look) -> Result<u8, Failure> {
    if has_terminal() && is_dumb() {
        return Err(Failure::Usage(
            "the home screen needs a terminal that can move its cursor, and TERM=dumb names one that cannot. There, lines do: \
             masthead brief \"QUESTION\" --sources DIR"
                .into(),
        ));
    }
    if !has_terminal() {
        return Err(Failure::Usage(
            "the home screen needs a terminal. Without one: masthead brief \"QUESTION\" --sources DIR --headless"
                .into(),
        ));
    }
    show::home(places, theme(places, look)?)
}

fn has_terminal() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// Whether the terminal can only append lines, as its name says.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// Whether there is a terminal that screens can be painted on.
pub fn has_screens() -> bool {
    has_terminal() && !is_dumb()
}

fn without_terminal(face: &Face) -> bool {
    face.headless || face.events.is_some() || !has_terminal()
}

/// Whether a run is told in lines that are only appended, with its questions: on request, or where nothing can be painted.
fn in_lines(face: &Face) -> bool {
    face.plain || !without_terminal(face) && is_dumb()
}

/// The policy where a person can give commands.
pub fn policy_at_screen(face: &Face) -> Policy {
    if face.yes { Policy::ApproveAndAsk } else { Policy::Ask }
}
