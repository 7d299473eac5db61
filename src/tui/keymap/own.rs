//! The person's own keys, from `keymap.toml`: they stand in place of built-in ones in dispatch, hints, help and palette.
//!
//! ```toml
//! [findings]              # a heading of the help
//! A = "Y"                 # what A does there is done by Y
//! t = ["t", "s"]
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crossterm::event::KeyCode;
use serde::Deserialize;

use super::{Action, Key, Row};
use crate::screens::{all_keys, together};
use text::Clean;

/// The rows of the tables that the person changed, by their headings.
type Own = BTreeMap<&'static str, Vec<Row>>;

/// Set once, before the first screen is shown.
static OWN: OnceLock<Own> = OnceLock::new();

/// The rows of a table as the person has set them; None where they left it as it is.
pub(super) fn rows_of(title: &str) -> Option<&'static [Row]> {
    OWN.get()?.get(title).map(Vec::as_slice)
}

/// A keymap that can be used.
#[derive(Debug, Default)]
pub struct Keymap {
    own: Own,
    changed: usize,
}

impl Keymap {
    /// Reads the text of a `keymap.toml`.
    ///
    /// # Errors
    /// The error is its faults, a line of text for each, with the line of the file.
    pub fn read(text: &str) -> Result<Keymap, Vec<String>> {
        let line_of = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let tables: BTreeMap<String, BTreeMap<toml::Spanned<String>, Written>> =
            toml::from_str(text).map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                vec![format!("line {}: {}", line_of(at), Clean::line(error.message()))]
            })?;
        let mut read = Reading::default();
        for (title, rows) in &tables {
            for (key, new) in rows {
                let line = line_of(key.span().start);
                if let Err(why) = read.set(title, key.get_ref(), new, line) {
                    read.wrong.push((line, why));
                }
            }
        }
        read.find_conflicts();
        let Reading { own, lines, mut wrong } = read;
        wrong.sort();
        match wrong.is_empty() {
            true => Ok(Keymap { changed: lines.len(), own }),
            false => Err(wrong.into_iter().map(|(line, why)| format!("line {line}: {why}")).collect()),
        }
    }

    /// The number of actions whose keys are not the built-in ones.
    pub fn changed(&self) -> usize {
        self.changed
    }

    /// Puts it in force for the life of the program; a second one changes nothing.
    pub fn install(self) {
        let _ = OWN.set(self.own);
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a key is written \"Y\", several [\"Y\", \"Ctrl-y\"]")]
enum Written {
    One(String),
    Several(Vec<String>),
}

/// The part of a file that has been read.
#[derive(Default)]
struct Reading {
    own: Own,
    /// The lines that set the keys of these rows, by heading and place.
    lines: BTreeMap<(&'static str, usize), usize>,
    wrong: Vec<(usize, String)>,
}

impl Reading {
    fn set(&mut self, title: &str, key: &str, new: &Written, line: usize) -> Result<(), String> {
        let keys = all_keys().into_iter().find(|keys| keys.title == title).ok_or_else(|| {
            let titles: Vec<&str> = all_keys().iter().map(|keys| keys.title).collect();
            format!("there is no `{}` in the help; there are: {}", Clean::line(title), titles.join(", "))
        })?;
        let built_in = parse(key)?;
        let place = keys.built_in().position(|row| row.keys.contains(&built_in));
        let place = place.ok_or_else(|| format!("no key {built_in} does anything in {title}"))?;
        let new: Vec<Key> = match new {
            Written::One(one) => vec![parse(one)?],
            Written::Several(several) => several.iter().map(|one| parse(one)).collect::<Result<_, _>>()?,
        };
        if new.is_empty() {
            return Err(format!("{built_in} would have no key left in {title}"));
        }
        let rows = self.own.entry(keys.title).or_insert_with(|| keys.built_in().cloned().collect());
        if is_kept(&rows[place]) {
            return Err(format!("{built_in} does what it does everywhere: leave it to that"));
        }
        if let Some(before) = self.lines.insert((keys.title, place), line) {
            return Err(format!("the same was set in line {before}"));
        }
        // Read once in the life of the program.
        rows[place].keys = Vec::leak(new);
        Ok(())
    }

    /// Keys that would mean two things in one place, where the person set one of them.
    fn find_conflicts(&mut self) {
        let mut found = BTreeSet::new();
        for ((title, place), line) in &self.lines {
            let row = &self.own[title][*place];
            for key in row.keys.iter().filter(|key| self.is_new(title, *place, **key)) {
                if takes_words(title) && matches!(key, Key::Plain(KeyCode::Char(_))) {
                    found.insert((*line, format!("{key} is a letter {title}: take another key")));
                }
                for (other, at, said) in
                    self.meanings(title, *key).filter(|(other, at, _)| (*other, *at) != (title, *place))
                {
                    // Of two lines that take the same key the later one is reported.
                    let told = self.lines.get(&(other, at)).is_none_or(|there| there < line);
                    if told {
                        found.insert((*line, format!("{key} is taken in {other}: {said}")));
                    }
                }
            }
        }
        self.wrong.extend(found);
    }

    fn is_new(&self, title: &str, place: usize, key: Key) -> bool {
        let keys = all_keys().into_iter().find(|keys| keys.title == title);
        keys.and_then(|keys| keys.built_in().nth(place)).is_some_and(|row| !row.keys.contains(&key))
    }

    /// The meanings of a key in this table: heading, place and description.
    fn meanings(&self, title: &str, key: Key) -> impl Iterator<Item = (&'static str, usize, &'static str)> {
        together(title).into_iter().flat_map(move |keys| {
            let own = self.own.get(keys.title);
            let rows: Vec<Row> = own.cloned().unwrap_or_else(|| keys.built_in().cloned().collect());
            let is_of = move |(_, row): &(usize, Row)| row.keys.contains(&key);
            let found: Vec<_> = rows.into_iter().enumerate().filter(is_of).collect();
            found.into_iter().map(move |(at, row)| (keys.title, at, row.description))
        })
    }
}

/// Whether letters are written where this table is looked up.
fn takes_words(title: &str) -> bool {
    let letter = |row: &Row| row.keys.iter().any(|key| matches!(key, Key::Plain(KeyCode::Char(_))));
    let writes = title.starts_with("while ") || title == "the question";
    writes && all_keys().into_iter().find(|keys| keys.title == title).is_some_and(|keys| !keys.built_in().any(letter))
}

/// Whether the keys of a row are the same everywhere, with any settings.
fn is_kept(row: &Row) -> bool {
    matches!(row.action, Action::Interrupt | Action::Suspend | Action::Redraw)
}

/// A key by its name, as the help and the manual write it.
fn parse(name: &str) -> Result<Key, String> {
    let plain = |code| Ok(Key::Plain(code));
    let one = |text: &str| {
        let mut letters = text.chars();
        letters.next().filter(|letter| letters.next().is_none() && !letter.is_control())
    };
    match name {
        "space" => return plain(KeyCode::Char(' ')),
        "Enter" => return plain(KeyCode::Enter),
        "Esc" => return plain(KeyCode::Esc),
        "Tab" => return plain(KeyCode::Tab),
        "Shift-Tab" => return plain(KeyCode::BackTab),
        "Up" | "↑" => return plain(KeyCode::Up),
        "Down" | "↓" => return plain(KeyCode::Down),
        "Left" | "←" => return plain(KeyCode::Left),
        "Right" | "→" => return plain(KeyCode::Right),
        "PgUp" => return plain(KeyCode::PageUp),
        "PgDn" => return plain(KeyCode::PageDown),
        "Home" => return plain(KeyCode::Home),
        "End" => return plain(KeyCode::End),
        _ => {}
    }
    let ctrl = name.strip_prefix("Ctrl-").or(name.strip_prefix('^').filter(|rest| !rest.is_empty()));
    if let Some(letter) = ctrl.and_then(one) {
        return Ok(Key::Ctrl(letter.to_ascii_lowercase()));
    }
    if let Some(Ok(n @ 1..=12)) = name.strip_prefix('F').map(str::parse) {
        return plain(KeyCode::F(n));
    }
    one(name).map(|letter| Key::Plain(KeyCode::Char(letter))).ok_or_else(|| {
        format!("`{}` is no key: write a letter, Ctrl-x, F2, space, Enter, Tab, Up and so on", Clean::line(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::Keys;

    #[test]
    fn keys_of_ones_own_stand_in_place_of_the_built_in_ones() {
        let text = "[findings]\nA = \"Y\"\nt = [\"t\", \"Ctrl-t\"]\n[\"on every page\"]\nj = [\"j\", \"Down\"]\n";
        let keymap = Keymap::read(text).unwrap();
        let row = |title: &str, action| keymap.own[title].iter().find(|row| row.action == action).unwrap().written();
        assert_eq!(row("findings", Action::Approve), "Y");
        assert_eq!(row("findings", Action::Toggle), "space", "the others keep theirs");
        assert_eq!(row("on every page", Action::Down), "j ↓");
        assert_eq!((keymap.own.len(), keymap.changed()), (2, 3));
        assert!(Keymap::read("").unwrap().own.is_empty());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, says) in [
            ("[findings]\nA = \"t\"\n", "line 2: t is taken in findings"),
            ("[findings]\n\nA = \"Y\"\nt = \"Y\"\n", "line 4: Y is taken in findings"),
            ("[findings]\nA = \"p\"\n", "line 2: p is taken in on every page: pause the run"),
            ("[\"on every page\"]\np = \"A\"\n", "line 2: A is taken in findings"),
            ("[findings]\nA = \"Ctrl-c\"\n", "line 2: ^C is taken in everywhere"),
            ("[everywhere]\nCtrl-c = \"x\"\n", "line 2: ^C does what it does everywhere"),
            ("[findings]\nA = []\n", "line 2: A would have no key left"),
            ("[findings]\nA = \"Entre\"\n", "line 2: `Entre` is no key"),
            ("[findings]\n\nQ = \"x\"\n", "line 3: no key Q does anything in findings"),
            ("[findnigs]\nA = \"x\"\n", "line 2: there is no `findnigs`"),
            ("[\"while writing a command\"]\nEnter = \"y\"\n", "line 2: y is a letter while writing"),
            ("[findings]\nA = 3\n", "line 2"),
            ("A = \n", "line 1"),
        ] {
            let wrong = Keymap::read(text).unwrap_err().join("\n");
            assert!(wrong.contains(says), "{text}: {wrong}");
        }
    }

    #[test]
    fn every_key_is_read_as_it_is_written() {
        for row in all_keys().into_iter().flat_map(Keys::built_in) {
            for key in row.keys {
                assert_eq!(parse(&key.to_string()).as_ref(), Ok(key));
            }
        }
    }
}
