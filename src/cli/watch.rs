//! `runs --watch`: every run of the data folder that is at work or waits, as they go on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use super::exit::{self, Failure};
use super::inspect::still_open;
use super::place::Places;
use super::runs::{spent, state};
use journal::Tail;
use run::alarm;
use run::{Run, RunId};
use text::Clean;
use tui::Mark;

const EVERY: Duration = Duration::from_millis(500);

pub fn runs(places: &Places) -> Result<u8, Failure> {
    let on_terminal = std::io::stdout().is_terminal();
    let (mut shown, mut lines) = (None, 0);
    let mut known = Known::new();
    loop {
        let now = table(places, &mut known)?;
        if shown.as_ref() != Some(&now) {
            let mut out = std::io::stdout().lock();
            // On a terminal the table is written over the one before; elsewhere each change is appended.
            let back = if on_terminal && lines > 0 { format!("\x1b[{lines}F\x1b[J") } else { String::new() };
            if !still_open(write!(out, "{back}{now}").and_then(|()| out.flush()))? {
                return Ok(exit::DONE);
            }
            lines = now.lines().count();
            shown = Some(now);
        }
        std::thread::sleep(EVERY);
    }
}

/// Runs as far as they are read; only what is new of them is read again.
type Known = BTreeMap<RunId, (Run, Tail)>;

fn table(places: &Places, known: &mut Known) -> Result<String, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok("no runs yet\n".into()) };
    let mut rows = Vec::new();
    for row in reader.runs()? {
        let word = state(&row).to_owned();
        let mark = Mark::of_word(&word);
        if !row.active && !matches!(mark, Mark::NeedsYou) {
            continue;
        }
        let (run, tail) = known.entry(row.id.clone()).or_default();
        reader.events_after(&row.id, tail, |envelope| run.apply(&envelope))?;
        rows.push((mark != Mark::NeedsYou, row, word, mark));
    }
    known.retain(|id, _| rows.iter().any(|(_, row, ..)| row.id == *id));
    rows.sort_by_key(|(works, ..)| *works);
    let mut text = String::new();
    for (_, row, word, mark) in &rows {
        let Some((run, _)) = known.get(&row.id) else { continue };
        let question: String = Clean::line(&row.headline.question).chars().take(48).collect();
        let alarm: Option<String> = alarm::of(run).map(|alarm| Clean::line(&alarm).chars().take(72).collect());
        let _ = writeln!(
            text,
            "{} {:<8} {word:<13} {:>16}  {question}{}",
            mark.symbol(),
            row.id.as_str(),
            spent(run),
            alarm.map(|alarm| format!("  ! {alarm}")).unwrap_or_default()
        );
    }
    if rows.is_empty() {
        text.push_str("no run is at work, and none waits for you\n");
    }
    Ok(text)
}
