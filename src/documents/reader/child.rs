//! The process that parses documents: limits itself, then parses one document after another from its standard input.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::panic::Location;
use std::process::ExitCode;
use std::sync::Mutex;

use super::super::parse_here;
use super::wire::{Answer, GREETING, Refusal, Request, Written};
use text::locked::Locked;

/// The most memory of the process, in bytes: the need of the largest valid documents.
const MEMORY: u64 = 768 << 20;
/// The most processor time, in seconds, in case the parent dies. The parent's own limit is stricter.
const SECONDS: u64 = 60;

/// Parses documents until standard input ends. Only for the hidden subcommand [`super::SUBCOMMAND`]: it lowers the
/// limits of the whole process for good.
pub fn child_main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The place of the last panic in the source, for reports of the fault.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps a place in the source: the line, and the file with its folder, since the whole path is one of the machine that built it.
fn remember(place: Option<&Location<'_>>) {
    let parts = |place: &Location<'_>| {
        let path: Vec<&str> = place.file().rsplit(['/', '\\']).take(2).collect();
        format!("{}:{}", path.into_iter().rev().collect::<Vec<_>>().join("/"), place.line())
    };
    *LAST.locked() = place.map(parts);
}

/// The place of the last panic, in brackets with a blank before it; empty if it is not known.
fn last_place() -> String {
    LAST.locked().take().map_or_else(String::new, |place| format!(" ({place})"))
}

fn serve() -> io::Result<()> {
    limit()?;
    // The PDF library prints warnings: keep them out of the answers.
    let mut answers = BufWriter::with_capacity(1 << 16, File::from(rustix::io::dup(rustix::stdio::stdout())?));
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    std::panic::set_hook(Box::new(|panic| remember(panic.location())));
    answers.write_all(GREETING.as_bytes())?;
    answers.flush()?;
    let mut requests = io::stdin().lock();
    let mut line = String::new();
    while requests.read_line(&mut line)? > 0 {
        let request: Request = serde_json::from_str(&line)?;
        line.clear();
        let mut bytes = vec![0; request.bytes];
        requests.read_exact(&mut bytes)?;
        // A panic while parsing costs that document alone; the process continues.
        let parsed = std::panic::catch_unwind(|| parse_here(&request.asked, bytes));
        let answer: Answer = match parsed {
            Ok(Ok(document)) => Ok(Written::from(document)),
            Ok(Err(why)) => Err(why.into()),
            Err(_) => Err(Refusal::Said(format!("it could not be parsed: a fault of this program{}", last_place()))),
        };
        serde_json::to_writer(&mut answers, &answer)?;
        answers.write_all(b"\n")?;
        answers.flush()?;
    }
    Ok(())
}

/// Limits memory and time to the needs of valid documents; forbids writing files and core dumps.
fn limit() -> rustix::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (what, most) in [
        (Resource::As, MEMORY),
        (Resource::Cpu, SECONDS),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nofile, 32),
    ] {
        setrlimit(what, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}
