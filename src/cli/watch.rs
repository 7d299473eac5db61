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
    let mut shown: Option<(Vec<Row>, Option<Winsize>)> = None;
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

/// The cells between an alarm and a question.
const GAP: usize = 2;
/// A question with fewer cells than this is left out.
const LEAST_OF_QUESTION: usize = 4;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// State, id, costs; or a message in place of a run.
    head: String,
    /// The reason to look at it; empty without a reason.
    alarm: String,
    question: String,
}

impl Row {
    fn message(head: String) -> Row {
        Row { head, alarm: String::new(), question: String::new() }
    }

    fn whole(&self) -> String {
        format!("{}{}{}", self.head, self.alarm, self.question)
    }

    /// The row in `cells` cells. The alarm goes before the question; one that has no room by itself leaves the question a share of it.
    fn in_cells(&self, cells: usize) -> String {
        let room = cells.saturating_sub(tui::width(&self.head));
        let alarm = self.alarm.trim_end();
        if alarm.is_empty() {
            return tui::cut(&format!("{}{}", self.head, self.question), cells).into_owned();
        }
        let share = tui::width(&self.question).min(room * 2 / 5);
        let is_whole = tui::width(alarm) <= room;
        let alarm = tui::cut(alarm, if is_whole { room } else { room.saturating_sub(share + GAP) });
        let left = room.saturating_sub(tui::width(&alarm) + GAP);
        let question = if left < LEAST_OF_QUESTION { "".into() } else { tui::cut(&self.question, left) };
        let row = format!("{}{alarm}{:GAP$}{question}", self.head, "");
        tui::cut(row.trim_end(), cells).into_owned()
    }
}

/// The rows that a terminal of this size shows without folding a line.
fn fitting(rows: &[Row], size: Option<Winsize>) -> Vec<String> {
    let Some(size) = size.filter(|size| size.ws_col > 1 && size.ws_row > 3) else {
        return rows.iter().map(Row::whole).collect();
    };
    let most = usize::from(size.ws_row) - 3;
    let cells = usize::from(size.ws_col) - 1;
    let mut fit: Vec<String> = rows.iter().take(most).map(|row| row.in_cells(cells)).collect();
    let more = format!("and {} more: masthead runs", rows.len().saturating_sub(most));
    let below = ["  Ctrl-C ends this list; the runs go on"];
    let below = (rows.len() > most).then_some(more.as_str()).into_iter().chain(below);
    fit.extend(below.map(|line| tui::cut(line, cells).into_owned()));
    fit
}

fn table(places: &Places, watched: &mut Watched) -> Result<Vec<Row>, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(vec![Row::message("no runs yet".into())]) };
    let mut rows: Vec<RunRow> = reader.runs()?.into_iter().filter(is_open).collect();
    watched.keep(rows.iter().map(|row| &row.id));
    let mark = |row: &RunRow| Mark::of_word(state(row));
    rows.sort_by_key(|row| mark(row) != Mark::NeedsYou);
    let mut table = Vec::new();
    for row in &rows {
        let run = watched.read(&reader, &row.id)?;
        let alarm = alarm::of(run).map(|alarm| format!("! {}  ", Clean::line(&alarm)));
        table.push(Row {
            head: format!("{} {:<8} {:<13} {:>16}  ", mark(row).symbol(), row.id.as_str(), state(row), spent(run)),
            alarm: alarm.unwrap_or_default(),
            question: Clean::line(&row.headline.question).to_string(),
        });
    }
    if table.is_empty() {
        table.push(Row::message("no run is at work, and none waits for you".into()));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_and_an_alarm_stand_whole_where_they_have_room_and_are_marked_where_they_are_cut() {
        let alarm = "! the token cap of 15k has no room for what comes next: 5462 are left  ";
        let question = "Compare the trade-offs of pgvector, Qdrant and Pinecone";
        let row = |alarm: &str| Row { head: "◆ 7f3k  ".into(), alarm: alarm.into(), question: question.into() };
        assert_eq!(row("").in_cells(120), format!("◆ 7f3k  {question}"));
        assert_eq!(row(alarm).in_cells(150), format!("◆ 7f3k  {alarm}{question}"));
        for cells in 20..130 {
            let shown = row(alarm).in_cells(cells);
            assert!(tui::width(&shown) <= cells, "{shown}");
            let parts = shown.trim_start_matches("◆ 7f3k").split("  ").filter(|part| !part.is_empty());
            for part in parts {
                assert!(part.ends_with('…') || part == alarm.trim_end() || part == question, "{cells}: {shown}");
            }
        }
    }
}
