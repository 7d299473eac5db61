//! `runs --watch`: every run of the data folder that is at work or waits, as they go on.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use super::engine;
use super::exit::{self, Failure};
use super::inspect::still_open;
use super::place::Places;
use super::runs::{spent, state};
use run::alarm;
use text::Clean;
use tui::Mark;

const EVERY: Duration = Duration::from_millis(500);

pub fn runs(places: &Places) -> Result<u8, Failure> {
    let on_terminal = std::io::stdout().is_terminal();
    let (mut shown, mut lines) = (None, 0);
    loop {
        let now = table(places)?;
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

fn table(places: &Places) -> Result<String, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok("no runs yet\n".into()) };
    let mut rows = Vec::new();
    for row in reader.runs()? {
        let word = state(&row).to_owned();
        let mark = Mark::of_word(&word);
        if !row.active && !matches!(mark, Mark::NeedsYou) {
            continue;
        }
        let (run, _) = engine::load(&reader, &row.id)?;
        rows.push((mark != Mark::NeedsYou, row, word, mark, run));
    }
    rows.sort_by_key(|(works, ..)| *works);
    let mut text = String::new();
    for (_, row, word, mark, run) in &rows {
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
