//! Pieces of an answer that came together, heard as one: what is shown while it arrives costs by the piece.

use std::sync::{Mutex, PoisonError};

use super::reader::{Hear, Listener};
use run::progress::Doing;
use text::Clean;

/// Gathers what is heard, and lets it be heard when it is dropped.
pub(super) struct Gathered<'a> {
    hear: Hear<'a>,
    text: Mutex<String>,
}

impl<'a> Gathered<'a> {
    pub fn new(hear: Hear<'a>) -> Gathered<'a> {
        Gathered { hear, text: Mutex::default() }
    }
}

impl Listener for Gathered<'_> {
    fn begins(&self) {
        self.hear.begins();
    }

    fn is_at(&self, doing: Doing, bytes: usize) {
        self.hear.is_at(doing, bytes);
    }

    fn hears(&self, text: Clean) {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
    }
}

impl Drop for Gathered<'_> {
    fn drop(&mut self) {
        let text = std::mem::take(self.text.get_mut().unwrap_or_else(PoisonError::into_inner));
        if !text.is_empty() {
            self.hear.hears(text.into());
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
        ["it ", "is", ""].iter().for_each(|piece| gathered.hears((*piece).into()));
        assert!(heard.lock().unwrap().is_empty());
        drop(gathered);
        drop(Gathered::new(&hear));
        assert_eq!(*heard.lock().unwrap(), ["it is"]);
    }
}
