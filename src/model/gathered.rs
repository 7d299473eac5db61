//! Pieces of an answer that came together, heard as one: showing it as it arrives costs by the piece.

use std::sync::Mutex;
use text::locked::{Locked, Woken};

use super::reader::{Hear, Listener};
use run::progress::{Doing, Saying};
use text::Clean;

/// Gathers the pieces, and passes them on when it is dropped.
pub(super) struct Gathered<'a> {
    hear: Hear<'a>,
    /// Pieces of the same kind, one after another.
    pieces: Mutex<Vec<(Saying, String)>>,
}

impl<'a> Gathered<'a> {
    /// Nothing gathered yet; `hear` gets it in the end.
    pub fn new(hear: Hear<'a>) -> Gathered<'a> {
        Gathered { hear, pieces: Mutex::default() }
    }
}

impl Listener for Gathered<'_> {
    fn begins(&self) {
        self.hear.begins();
    }

    fn is_at(&self, doing: Doing, bytes: usize) {
        self.hear.is_at(doing, bytes);
    }

    fn hears(&self, what: Saying, text: Clean) {
        let mut pieces = self.pieces.locked();
        match pieces.last_mut().filter(|(last, _)| *last == what) {
            Some((_, so_far)) => so_far.push_str(&text),
            None => pieces.push((what, text.to_string())),
        }
    }
}

impl Drop for Gathered<'_> {
    fn drop(&mut self) {
        let pieces = std::mem::take(self.pieces.get_mut().woken());
        for (what, text) in pieces.into_iter().filter(|(_, text)| !text.is_empty()) {
            self.hear.hears(what, text.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_came_together_are_heard_as_one() {
        let heard = Mutex::new(Vec::new());
        let hear = |text: Clean| heard.lock().unwrap().push(text);
        let gathered = Gathered::new(&hear);
        ["it ", "is", ""].iter().for_each(|piece| gathered.hears(Saying::Answer, (*piece).into()));
        assert!(heard.lock().unwrap().is_empty());
        drop(gathered);
        drop(Gathered::new(&hear));
        assert_eq!(*heard.lock().unwrap(), ["it is"]);
    }
}
