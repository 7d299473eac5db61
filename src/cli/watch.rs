//! `runs --watch`: every run of the data folder that is at work or waits, as they go on.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use rustix::termios::{Winsize, tcgetwinsize};

use super::exit::{self, Failure};
use super::inspect::still_open;
use super::place::Places;
use super::runs::{spent, state};
use super::standing::{Watched, is_open};
use super::work::is_dumb;
use journal::RunRow;
use run::alarm;
use text::Clean;
use tui::Mark;

const EVERY: Duration = Duration::from_millis(500);

pub fn runs(places: &Places) -> Result<u8, Failure> {
    let mut shown: Option<(Vec<String>, Option<Winsize>)> = None;
    let mut watched = Watched::default();
    loop {
        let out = std::io::stdout();
        let size = if out.is_terminal() && !is_dumb() { tcgetwinsize(&out).ok() } else { None };
        let now = (table(places, &mut watched)?, size);
        if shown.as_ref() != Some(&now) {
            let (rows, before) = (fitting(&now.0, size), shown.take());
            // On a terminal the table is written over the one before, wherever its lines stand if they were folded since;
            // elsewhere each change is appended.
            let back = match (size, before) {
                (Some(_), Some((before, was))) if was == size => {
                    format!("\x1b[{}F\x1b[J", fitting(&before, was).len())
                }
                (Some(_), Some(_)) => "\x1b[H\x1b[J".into(),
                _ => String::new(),
            };
            let mut out = out.lock();
            if !still_open(writeln!(out, "{back}{}", rows.join("\n")).and_then(|()| out.flush()))? {
                return Ok(exit::DONE);
            }
            shown = Some(now);
        }
        std::thread::sleep(EVERY);
    }
}

/// As much of the rows as a terminal of this size shows without folding a line.
fn fitting(rows: &[String], size: Option<Winsize>) -> Vec<String> {
    let Some(size) = size.filter(|size| size.ws_col > 1 && size.ws_row > 3) else { return rows.to_vec() };
    let most = usize::from(size.ws_row) - 3;
    let row = |row: &String| tui::cut(row, usize::from(size.ws_col) - 1).into_owned();
    let mut fit: Vec<String> = rows.iter().take(most).map(row).collect();
    if rows.len() > most {
        fit.push(row(&format!("and {} more: masthead runs", rows.len() - most)));
    }
    fit.push(row(&"  Ctrl-C ends this list; the runs go on".to_owned()));
    fit
}

fn table(places: &Places, watched: &mut Watched) -> Result<Vec<String>, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(vec!["no runs yet".into()]) };
    let mut rows: Vec<RunRow> = reader.runs()?.into_iter().filter(is_open).collect();
    watched.keep(rows.iter().map(|row| &row.id));
    let mark = |row: &RunRow| Mark::of_word(state(row));
    rows.sort_by_key(|row| mark(row) != Mark::NeedsYou);
    let mut table = Vec::new();
    for row in &rows {
        let run = watched.read(&reader, &row.id)?;
        let question: String = Clean::line(&row.headline.question).chars().take(48).collect();
        let alarm: Option<String> = alarm::of(run).map(|alarm| Clean::line(&alarm).chars().take(72).collect());
        table.push(format!(
            "{} {:<8} {:<13} {:>16}  {}{question}",
            mark(row).symbol(),
            row.id.as_str(),
            state(row),
            spent(run),
            alarm.map(|alarm| format!("! {alarm}  ")).unwrap_or_default()
        ));
    }
    if table.is_empty() {
        table.push("no run is at work, and none waits for you".into());
    }
    Ok(table)
}
