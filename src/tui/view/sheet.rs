//! A transcript laid out block by block: the whole of a short one, of a long one the part that is shown. The height of the rest is
//! known if it was shown before, else estimated.

use std::sync::Arc;

use super::transcript::{Laid, Source};
use crate::prelude::*;
use run::Seq;

/// The lines of a transcript, as far as they were needed.
#[derive(Default)]
pub struct Sheet {
    /// The event that changed the transcript last.
    at: Seq,
    blocks: Vec<Block>,
    /// The searched words, the event after which the search was made, and the lines that hold them.
    found: Option<(Clean, Seq, Vec<usize>)>,
    /// Whether it is too long to be laid out whole.
    is_long: bool,
    /// By how much blocks of a long one were taller than was thought.
    corrected: isize,
}

#[derive(Default)]
struct Block {
    height: usize,
    was_laid: bool,
    /// Whether nothing that happens later changes it.
    is_settled: bool,
    laid: Option<Arc<Laid>>,
    is_used: bool,
}

/// The part of a sheet that is shown.
#[derive(Default)]
pub struct Window {
    /// The first line shown, and the highest first line.
    pub at: usize,
    pub most: usize,
    /// The number of all lines, from which the number of new ones follows.
    pub lines: usize,
    /// The blocks that are shown, with the line at which each begins.
    pub parts: Vec<(usize, Arc<Laid>)>,
    /// The first line of the part below all blocks.
    pub below: usize,
}

/// A transcript of probably this many lines is laid out whole.
const SHORT: usize = 4_000;
/// The most lines of blocks that are not shown and are kept.
const KEPT: usize = 20_000;

impl Sheet {
    /// Takes in the new events.
    pub fn follow(&mut self, source: &Source<'_>) {
        let changed = source.changed();
        if changed < self.at {
            *self = Sheet::default();
        }
        if changed > self.at || self.blocks.is_empty() {
            // The last two stand below all turns.
            self.blocks.truncate(self.blocks.len().saturating_sub(2));
            for block in self.blocks.iter_mut().filter(|block| !block.is_settled) {
                block.laid = None;
            }
            let known = self.blocks.len();
            let more = known..source.blocks();
            self.blocks.extend(more.map(|n| Block { height: source.height(n), ..Block::default() }));
            self.at = changed;
        }
        self.blocks.iter_mut().for_each(|block| block.is_used = false);
        self.is_long = self.height() > SHORT;
        if !self.is_long {
            (0..self.blocks.len()).for_each(|n| drop(self.laid(source, n)));
        }
    }

    fn height(&self) -> usize {
        self.blocks.iter().map(|block| block.height).sum()
    }

    /// The first line of a block.
    fn begins(&self, n: usize) -> usize {
        self.blocks[..n].iter().map(|block| block.height).sum()
    }

    fn laid(&mut self, source: &Source<'_>, n: usize) -> Arc<Laid> {
        let block = &mut self.blocks[n];
        block.is_used = true;
        if let Some(laid) = &block.laid {
            return laid.clone();
        }
        let laid = Arc::new(source.lay(n));
        if self.is_long && !std::mem::replace(&mut block.was_laid, true) {
            self.corrected += laid.lines.len() as isize - block.height as isize;
        }
        (block.height, block.is_settled) = (laid.lines.len(), source.is_settled(n));
        block.laid = Some(laid.clone());
        laid
    }

    /// The visible part from this line on, in `rows` rows; None follows the end. `below` lines stand below all blocks.
    pub fn window(&mut self, source: &Source<'_>, from: Option<usize>, rows: usize, below: usize) -> Window {
        let mut from = from;
        loop {
            let all = self.height() + below;
            let most = all.saturating_sub(rows);
            let Some(at) = from.filter(|from| *from < most) else {
                // The end: the blocks above it have the height that they turn out to have.
                let mut room = rows.saturating_sub(below);
                for n in (0..self.blocks.len()).rev() {
                    if room == 0 {
                        break;
                    }
                    room = room.saturating_sub(self.laid(source, n).lines.len());
                }
                let most = (self.height() + below).saturating_sub(rows);
                return self.shown(source, most, most, rows, below);
            };
            let (mut n, mut begins) = (0, 0);
            while n < self.blocks.len() && begins + self.blocks[n].height <= at {
                begins += self.blocks[n].height;
                n += 1;
            }
            let mut at = at;
            if let Some(block) = self.blocks.get(n) {
                // Scrolled up into a block that is taller than reckoned, the view stays at its end.
                let (thought, into) = (block.height, at - begins);
                let tall = self.laid(source, n).lines.len();
                if tall != thought {
                    let into = if into > 0 && 2 * into >= thought {
                        tall.saturating_sub(thought - into)
                    } else {
                        into.min(tall)
                    };
                    at = begins + into;
                }
            }
            let mut room = (at + rows).saturating_sub(begins);
            while n < self.blocks.len() && room > 0 {
                room = room.saturating_sub(self.laid(source, n).lines.len());
                n += 1;
            }
            let most = (self.height() + below).saturating_sub(rows);
            if at <= most {
                return self.shown(source, at, most, rows, below);
            }
            from = None;
        }
    }

    fn shown(&mut self, source: &Source<'_>, at: usize, most: usize, rows: usize, below: usize) -> Window {
        let mut parts = Vec::new();
        let mut begins = 0;
        for n in 0..self.blocks.len() {
            let ends = begins + self.blocks[n].height;
            if ends > at && begins < at + rows {
                let laid = self.laid(source, n);
                parts.push((begins, laid));
            }
            begins = ends;
        }
        let lines = (begins + below).saturating_add_signed(-self.corrected);
        self.forget();
        Window { at, most, lines, parts, below: begins }
    }

    /// Keeps only a part of the blocks that are not shown.
    fn forget(&mut self) {
        let mut kept = 0;
        for block in self.blocks.iter_mut().filter(|block| !block.is_used && block.laid.is_some()) {
            kept += block.height;
            if kept > KEPT {
                block.laid = None;
            }
        }
    }

    /// The line at which a step begins.
    pub fn step(&mut self, source: &Source<'_>, nth: usize) -> Option<usize> {
        let mut before = 0;
        for n in 0..self.blocks.len() {
            let steps = source.steps(n);
            if nth < before + steps {
                let laid = self.laid(source, n);
                return Some(self.begins(n) + laid.steps.get(nth - before)?);
            }
            before += steps;
        }
        None
    }

    /// The number of steps that begin above a line.
    pub fn steps_above(&mut self, source: &Source<'_>, line: usize) -> usize {
        let (mut begins, mut steps) = (0, 0);
        for n in 0..self.blocks.len() {
            if begins >= line {
                break;
            }
            if begins + self.blocks[n].height >= line {
                let laid = self.laid(source, n);
                return steps + laid.steps.iter().filter(|step| begins + **step < line).count();
            }
            begins += self.blocks[n].height;
            steps += source.steps(n);
        }
        steps
    }

    /// The lines that hold these words, in any case; to find them, all text is laid out.
    pub fn found(&mut self, source: &Source<'_>, words: &Clean) -> Vec<usize> {
        if words.is_empty() {
            return Vec::new();
        }
        if let Some((known, at, found)) = &self.found
            && (known, *at) == (words, self.at)
        {
            return found.clone();
        }
        let wanted = words.to_lowercase();
        let (mut found, mut begins) = (Vec::new(), 0);
        for n in 0..self.blocks.len() {
            let laid = self.laid(source, n);
            let holds = |line: &Line<'_>| line.to_string().to_lowercase().contains(&wanted);
            found.extend((begins..).zip(&laid.lines).filter(|(_, line)| holds(line)).map(|(at, _)| at));
            begins += laid.lines.len();
            // It is not kept for this alone.
            self.blocks[n].is_used = false;
            self.forget();
        }
        self.found = Some((words.clone(), self.at, found.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Until};
    use crate::view::transcript::{Shape, laid};
    use run::transcript::Turn;
    use run::{Assignment, Run};

    /// A researcher that has repeated its one turn `times` times.
    fn long(times: usize) -> (Run, Assignment) {
        let run = fixture::run(Until::Done);
        let mut one = run.assignments().find(|one| one.task.is_some()).unwrap().clone();
        let mut transcript = (*one.transcript).clone();
        let turns: Vec<Arc<Turn>> = transcript.turns.to_vec();
        transcript.turns = turns.iter().cycle().take(turns.len() * times).cloned().collect();
        one.transcript = Arc::new(transcript);
        (run, one)
    }

    fn texts(window: &Window, rows: usize) -> Vec<String> {
        let parts = window.parts.iter();
        let all = parts.flat_map(|(begins, laid)| (*begins..).zip(laid.lines.iter().map(ToString::to_string)));
        all.filter(|(at, _)| (window.at..window.at + rows).contains(at)).map(|(_, line)| line).collect()
    }

    #[test]
    fn a_long_transcript_is_shown_as_if_the_whole_of_it_were_laid_out() {
        const ROWS: usize = 20;
        let theme = Theme::load("default", None).unwrap();
        let (run, one) = long(2_000);
        let source = Source::new(&run, &one, Shape::default(), 40, &theme);
        let whole: Vec<String> =
            laid(&run, &one, Shape::default(), 40, &theme).lines.iter().map(ToString::to_string).collect();
        assert!(whole.len() > 2 * SHORT);
        let mut sheet = Sheet::default();
        sheet.follow(&source);
        assert!(sheet.is_long);
        let window = sheet.window(&source, None, ROWS, 0);
        assert_eq!(texts(&window, ROWS), whole[whole.len() - ROWS..]);
        // Up from the end line by line: nothing is left out, and nothing comes twice.
        let mut at = window.at;
        let mut seen = texts(&window, ROWS);
        for _ in 0..300 {
            sheet.follow(&source);
            let window = sheet.window(&source, Some(at - 1), ROWS, 0);
            at = window.at;
            seen.insert(0, texts(&window, ROWS)[0].clone());
        }
        assert_eq!(seen, whole[whole.len() - ROWS - 300..]);
        // From the beginning down.
        let window = sheet.window(&source, Some(0), ROWS, 0);
        assert_eq!(texts(&window, ROWS), whole[..ROWS]);
        let laid = sheet.blocks.iter().filter_map(|block| block.laid.as_ref()).map(|laid| laid.lines.len());
        assert!(laid.sum::<usize>() <= 1_000, "the rest is not laid out");
        let wanted = Clean::new("search");
        let found = sheet.found(&source, &wanted);
        let holds = |at: &usize| whole[*at].to_lowercase().contains("search");
        assert!(found.len() > 1_000 && found.iter().all(holds));
    }
}
