//! Finds the place of a quote in the passages read. A quote must be verbatim: the result is the source's own bytes, even if the
//! model changed white space, quotation marks or dashes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use run::evidence::{Block, BlockKind, Place, SourceRef};
use run::finding::Announced;
use run::transcript::{Call, Did, Turn};
use run::{Hit, ToolResult};
use text::Clean;

/// A shorter quote proves nothing: it could be found anywhere.
const FEWEST_WORDS: usize = 3;

/// A block that was read.
pub(super) struct Read<'a> {
    pub(super) source: &'a SourceRef,
    pub(super) block: &'a Arc<Block>,
}

/// Every block that was read in these turns, in order.
pub(super) fn blocks(turns: &[Arc<Turn>]) -> Vec<Read<'_>> {
    let mut read = Vec::new();
    for result in results(turns) {
        match result {
            ToolResult::Excerpt(excerpt) => {
                read.extend(excerpt.blocks.iter().map(|block| Read { source: &excerpt.source, block }));
            }
            ToolResult::Profile(profile) => {
                let lines = profile.measures.iter().map(|measure| &measure.line);
                read.extend(lines.map(|block| Read { source: &profile.source, block }));
            }
            _ => {}
        }
    }
    read
}

/// A passage of a tool's result, whole or its beginning.
#[derive(Clone, Copy)]
pub(super) struct Passage<'a> {
    pub(super) source: &'a SourceRef,
    pub(super) block: u32,
    pub(super) headings: &'a [Clean],
    pub(super) columns: Option<&'a Clean>,
    pub(super) text: &'a str,
}

impl<'a> From<&Read<'a>> for Passage<'a> {
    fn from(read: &Read<'a>) -> Passage<'a> {
        let Read { source, block } = read;
        Passage { source, block: block.no, headings: &block.headings, columns: block.columns(), text: &block.text }
    }
}

impl<'a> From<&'a Hit> for Passage<'a> {
    fn from(hit: &'a Hit) -> Passage<'a> {
        Passage {
            source: &hit.source,
            block: hit.block,
            headings: &hit.headings,
            columns: hit.columns.as_ref(),
            text: &hit.snippet,
        }
    }
}

/// Every passage that these turns have brought, once, the best first: read passages, the latest first, then hits of searches, the
/// best hit of each before the second of any.
pub(super) fn passages(turns: &[Arc<Turn>]) -> Vec<Passage<'_>> {
    let read = blocks(turns);
    let mut found: Vec<(usize, &Hit)> = Vec::new();
    let mut searches: Vec<&[Hit]> = results(turns).filter_map(hits_of).collect();
    searches.reverse();
    searches.iter().for_each(|hits| found.extend(hits.iter().enumerate()));
    found.sort_by_key(|(rank, _)| *rank);
    let all = read.iter().rev().map(Passage::from).chain(found.into_iter().map(|(_, hit)| Passage::from(hit)));
    let mut known = BTreeSet::new();
    all.filter(|passage| known.insert((&passage.source.id, passage.block))).collect()
}

fn hits_of(result: &ToolResult) -> Option<&[Hit]> {
    if let ToolResult::Hits(hits) = result { Some(&hits.hits) } else { None }
}

/// Every search hit of these turns, in order.
pub(super) fn hits(turns: &[Arc<Turn>]) -> impl Iterator<Item = &Hit> {
    results(turns).filter_map(hits_of).flatten()
}

fn results(turns: &[Arc<Turn>]) -> impl Iterator<Item = &ToolResult> {
    let calls = turns.iter().flat_map(|turn| if let Did::Tools(calls) = &turn.did { &calls[..] } else { &[] });
    calls.filter_map(Call::result)
}

/// Every file listed or profiled in these turns.
pub(super) fn listed(turns: &[Arc<Turn>]) -> Vec<&SourceRef> {
    let mut known = Vec::new();
    for result in results(turns) {
        match result {
            ToolResult::Files(files) => known.extend(files.files.iter().map(|file| &file.source)),
            ToolResult::Profile(profile) => known.push(&profile.source),
            _ => {}
        }
    }
    known
}

/// The sentence of these passages that a quote is most like, if it has most of the words of either.
pub(super) fn nearest<'a>(quote: &str, passages: &[Passage<'a>]) -> Option<&'a str> {
    let words_of = |text: &str| text::words::words(text).map(|word| text::words::fold(word).into_owned()).collect();
    let wanted: BTreeSet<String> = words_of(quote);
    let of_passage = |passage: &Passage<'a>| {
        let text = passage.text;
        text::sentence::sentences(text).into_iter().map(move |range| &text[range])
    };
    let shared = |sentence: &'a str| {
        let words: BTreeSet<String> = words_of(sentence);
        let shared = words.intersection(&wanted).count();
        (shared * 2 > words.len().min(wanted.len())).then_some((shared, std::cmp::Reverse(words.len()), sentence))
    };
    passages.iter().flat_map(of_passage).filter_map(shared).max().map(|(.., sentence)| sentence)
}

/// The place of a quote among these blocks, those of the named source first, with its block. The place covers the
/// source's own text.
pub(super) fn place<'a>(quote: &str, named: &str, read: &[Read<'a>]) -> Option<(Place, &'a Block)> {
    let wanted = Letters::of_quote(quote);
    // Lines of a log or of JSON have no blanks: words are told by their letters and digits.
    let is_long = text::words::words(quote).nth(FEWEST_WORDS - 1).is_some();
    let is_named = |read: &&Read<'_>| is_called(read.source, named);
    let ordered = read.iter().filter(is_named).chain(read.iter().filter(|read| !is_named(read)));
    for Read { source, block } in ordered {
        let Some(range) = wanted.within(&block.text) else { continue };
        let range = with_first_marks(&block.text, range, quote);
        if !is_long && block.text[range.clone()].trim() != block.text.trim() {
            continue;
        }
        return Some((Place::new(source, block, range), block));
    }
    None
}

/// The most blocks that a quote announces.
pub(super) const MOST_ANNOUNCED: u32 = 4;

/// Whether a place ends in the colon that ends its block.
pub(super) fn announces(place: &Place, block: &Block) -> bool {
    let behind = block.text.get(place.end as usize..).unwrap_or_default().trim();
    behind == ":" || behind.is_empty() && place.words(block).trim_end().ends_with(':')
}

/// The text that a place with a colon at its end announces: program text, or the first items of a list, in the blocks behind its
/// own, as far as
/// they were read.
pub(super) fn announced(place: &Place, block: &Block, read: &[Read<'_>]) -> Vec<Announced> {
    let next = |no: u32| {
        let is_it = |read: &&Read<'_>| read.source.id == place.source.id && read.block.no == no;
        read.iter().find(is_it).map(|read| read.block).filter(|next| next.headings == block.headings)
    };
    let Some(first) = next(block.no + 1).filter(|_| announces(place, block)) else { return Vec::new() };
    let is_more =
        |next: &&Arc<Block>| next.kind == first.kind && next.kind != BlockKind::Paragraph && next.intro == first.intro;
    let more = (2..=MOST_ANNOUNCED).map_while(|n| next(block.no + n).filter(is_more));
    let whole = |block: &Arc<Block>| Announced {
        text: block.text.clone(),
        place: Place::new(&place.source, block, 0..block.text.len()),
    };
    std::iter::once(first).chain(more).map(whole).collect()
}

/// Whether these words stand in a text.
pub(super) fn occurs(words: &str, text: &str) -> bool {
    Letters::of_quote(words).within(text).is_some()
}

/// A place extended to whole sentences of its block.
pub(super) fn in_whole_sentences(place: Place, block: &Block) -> Place {
    let sentences = text::sentence::sentences(&block.text);
    let at = |offset: u32| sentences.iter().find(|sentence| sentence.contains(&(offset as usize)));
    let first = at(place.start).map_or(place.start as usize, |first| first.start);
    let last = at(place.end.saturating_sub(1)).map_or(place.end as usize, |last| last.end);
    // The bar between the cells of a row is no word of it.
    let text = &block.text[first..last];
    let bar = text.len() - text.trim_start_matches(['|', ' ']).len();
    Place::new(&place.source, block, first + bar..last)
}

/// Whether a model means this source by a name.
pub(super) fn is_called(source: &SourceRef, named: &str) -> bool {
    let named = named.trim();
    !named.is_empty() && (named == &*source.id.0 || source.path.contains(named) || named.contains(&*source.id.0))
}

/// The characters that count in comparing quotes, each with its place: no marks around words, and no commas that part thousands.
struct Letters(Vec<(char, Range<usize>)>);

/// The signs for words that a model left out before or behind a quote.
const LEFT_OUT: [&str; 6] = ["[…]", "[...]", "(…)", "(...)", "…", "..."];

impl Letters {
    fn of(text: &str) -> Letters {
        let mut letters: Vec<(char, Range<usize>)> = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let width = c.len_utf8();
            if is_around_words(text, at, c) || parts_thousands(text, at) {
                continue;
            }
            let c = match c {
                '‘' | '’' | '‛' | '`' => '\'',
                '‐' | '‑' | '–' | '—' | '−' => '-',
                // Tags in texts for models are disarmed so.
                '‹' => '<',
                c if c.is_whitespace() => ' ',
                c => c,
            };
            match letters.last_mut() {
                // A run of white space counts as one space.
                Some((' ', range)) if c == ' ' => range.end = at + width,
                _ => letters.push((c, at..at + width)),
            }
        }
        Letters(letters)
    }

    /// The letters of a quote without the marks that people put around it.
    fn of_quote(quote: &str) -> Letters {
        let is_around = |c: char| c.is_whitespace() || c == '|' || is_mark(c);
        let mut core = quote;
        loop {
            let before = core;
            core = core.trim_matches(is_around);
            for left_out in LEFT_OUT {
                core = core.strip_prefix(left_out).unwrap_or(core);
                core = core.strip_suffix(left_out).unwrap_or(core);
            }
            if core == before {
                return Letters::of(core.trim_end_matches('.').trim_end());
            }
        }
    }

    /// The bytes of `text` that contain these letters, with the mark that closes one of them and a full stop behind them. The first
    /// may be large or small.
    fn within(&self, text: &str) -> Option<Range<usize>> {
        let (wanted, there) = (&self.0, Letters::of(text));
        let first = wanted.first()?.0;
        let begins = |c: char| c == first || c.to_lowercase().eq(first.to_lowercase());
        let same = |at: usize| {
            there.0[at..].len() >= wanted.len()
                && wanted.iter().zip(&there.0[at..]).skip(1).all(|((a, _), (b, _))| a == b)
        };
        let bytes = |at: usize| there.0[at].1.start..there.0[at + wanted.len() - 1].1.end;
        let is_whole = |range: &Range<usize>| !cuts(text, range.start) && !cuts(text, range.end);
        let found = |at: usize| (begins(there.0[at].0) && same(at)).then(|| bytes(at)).filter(is_whole);
        let Range { start, mut end } = (0..there.0.len()).find_map(found)?;
        end += closing_mark(text, start..end).map_or(0, char::len_utf8);
        let behind = text[end..].strip_prefix('.');
        if behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(char::is_whitespace)) {
            end += 1;
        }
        Some(start..end)
    }
}

/// The range with the marks before it with which the quote begins, as far as the text has them: "'*' can be used" begins with three.
fn with_first_marks(text: &str, range: Range<usize>, quote: &str) -> Range<usize> {
    let mut marks = quote.trim_start().chars().take_while(|c| is_mark(*c) || *c == ' ').filter(|c| *c != ' ').count();
    let mut start = range.start;
    for (at, c) in text[..range.start].char_indices().rev() {
        match c {
            ' ' => {}
            c if is_mark(c) && marks > 0 => (start, marks) = (at, marks - 1),
            _ => break,
        }
    }
    start..range.end
}

/// The mark right behind a range of a text, if it closes one that stands open within.
fn closing_mark(text: &str, range: Range<usize>) -> Option<char> {
    let mark = text[range.end..].chars().next().filter(|c| is_mark(*c))?;
    let opening = match mark {
        '”' => '“',
        '“' => '„',
        '’' => '‘',
        '»' => '«',
        mark => mark,
    };
    let count = |mark: char| {
        let all = text[range.clone()].char_indices();
        all.filter(|(at, c)| *c == mark && is_around_words(text, range.start + at, mark)).count()
    };
    let is_open = if opening == mark { count(mark) % 2 == 1 } else { count(opening) > count(mark) };
    is_open.then_some(mark)
}

/// Whether a character is a mark of quotation, emphasis or code.
fn is_mark(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '\'' | '‘' | '’' | '‛' | '`' | '*' | '_')
}

/// Whether a mark stands around a word, not within one.
fn is_around_words(text: &str, at: usize, c: char) -> bool {
    let is_within = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    is_mark(c) && !(is_within(text[..at].chars().next_back()) && is_within(text[at + c.len_utf8()..].chars().next()))
}

/// Whether a comma parts thousands: three digits and no more follow it.
fn parts_thousands(text: &str, at: usize) -> bool {
    let Some(behind) = text[at..].strip_prefix(',') else { return false };
    let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3 && text[..at].ends_with(|c: char| c.is_ascii_digit())
}

/// Whether a byte offset of a text lies within a word or a number, or between a number and its sign.
fn cuts(text: &str, at: usize) -> bool {
    let (before, behind) = (text[..at].chars().next_back(), text[at..].chars().next());
    let (Some(before), Some(behind)) = (before, behind) else { return false };
    if matches!(before, '-' | '−') && behind.is_ascii_digit() {
        return !text[..at - before.len_utf8()].ends_with(char::is_alphanumeric);
    }
    let mut words = text::words::word_indices(text);
    let is_within = words.any(|(from, word)| from < at && at < from + word.len());
    // A stop without a blank behind it ("it ends.The next") joins two words.
    let beside = if before.is_alphanumeric() { behind } else { before };
    let parts_numbers = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    is_within && (beside.is_alphanumeric() || beside == '_' || parts_numbers(before) && parts_numbers(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(quote: &str, text: &'a str) -> Option<&'a str> {
        Letters::of_quote(quote).within(text).map(|range| &text[range])
    }

    #[test]
    fn what_comes_back_are_the_bytes_of_the_source() {
        let text = "The route is 363 miles long — the “Great  North” road. It opened in 1922.";
        for quote in [
            "The route is 363 miles long",
            "\"The route is 363 miles long - the \"Great North\" road.\"",
            "the 'Great North' road".replace('\'', "\"").as_str(),
            "…route is 363 miles long…",
        ] {
            let there = found(quote, text).unwrap_or_else(|| panic!("{quote}"));
            assert!(text.contains(there));
        }
        assert_eq!(found("It opened in 1922", text), Some("It opened in 1922."));
    }

    #[test]
    fn a_quote_ends_at_whole_words_and_numbers() {
        let text = "The default is 1.5 s, at least -20, and it accepts 2,000 rows. It accepts 2 files of notes.It ends";
        for quote in ["The default is 1", "The default is 1.", "5 s, at least", "he default is", "20, and it accepts"] {
            assert_eq!(found(quote, text), None, "{quote}");
        }
        assert_eq!(found("it accepts 2", "at least -20, and it accepts 2,000 rows."), None);
        assert_eq!(found("It accepts 2", text), Some("It accepts 2"));
        assert_eq!(found("files of notes.", text), Some("files of notes"));
        assert_eq!(found("at least -20", text), Some("at least -20"));
        assert_eq!(found("默认值是", "该选项的默认值是三十秒。"), Some("默认值是"));
    }

    #[test]
    fn a_line_without_blanks_can_be_quoted_and_a_short_one_only_whole() {
        let source = crate::sample::source("a");
        let placed = |quote: &str, text: &str| {
            let block = Arc::new(crate::sample::block(text));
            let read = [Read { source: &source, block: &block }];
            place(quote, "", &read).map(|(place, block)| place.words(block).to_owned())
        };
        let line = "{\"level\":\"error\",\"code\":500,\"svc\":\"widget\"}";
        assert_eq!(placed(line, line).as_deref(), Some(line));
        assert_eq!(placed("svc=widget", "svc=widget").as_deref(), Some("svc=widget"));
        assert_eq!(placed("svc=widget", "level=error svc=widget"), None);
        assert_eq!(placed("1.2.3", "It is 1.2.3 now."), None);
    }

    #[test]
    fn a_changed_word_or_number_is_no_quote() {
        let text = "The route is 363 miles long.";
        for quote in ["The route is 263 miles long.", "The route was 363 miles long.", "The route is 3,63 miles long"] {
            assert_eq!(found(quote, text), None, "{quote}");
        }
    }

    #[test]
    fn a_quote_has_the_mark_that_closes_one_of_its_own() {
        let text = "Keep the files in \"/etc/\" and `~/` apart. The so-called “hot” copy isn't one of the admin's.";
        for (quote, there) in [
            ("Keep the files in \"/etc/", "Keep the files in \"/etc/\""),
            ("files in \"/etc/\" and `~/", "files in \"/etc/\" and `~/`"),
            ("Keep the files in", "Keep the files in"),
            ("The so-called \"hot\"", "The so-called “hot”"),
            ("copy isn't one of the admin's", "copy isn't one of the admin's."),
        ] {
            assert_eq!(found(quote, text), Some(there), "{quote}");
        }
    }

    #[test]
    fn a_quote_keeps_the_marks_with_which_it_begins_where_its_source_has_them() {
        let source = crate::sample::source("a");
        let placed = |quote: &str, text: &str| {
            let block = Arc::new(crate::sample::block(text));
            let read = [Read { source: &source, block: &block }];
            place(quote, "", &read).map(|(place, block)| place.words(block).to_owned())
        };
        let text = "It is a list. '*' can be used as the value. The \"hot\" copy is kept.";
        for (quote, there) in [
            ("'*' can be used as the value.", "'*' can be used as the value."),
            ("can be used as the value.", "can be used as the value."),
            ("\"'*' can be used as the value.\"", "'*' can be used as the value."),
            ("**It is a list.**", "It is a list."),
            ("\"hot\" copy is kept", "\"hot\" copy is kept."),
        ] {
            assert_eq!(placed(quote, text).as_deref(), Some(there), "{quote}");
        }
    }

    #[test]
    fn a_place_that_ends_in_a_colon_announces_what_was_read_behind_it() {
        let source = crate::sample::source("a");
        let block = |no: u32, kind: BlockKind, text: &str| Arc::new(Block { no, kind, ..crate::sample::block(text) });
        let (code, item, plain) = (BlockKind::Code, BlockKind::ListItem, BlockKind::Paragraph);
        let announced_by = |quote: &str, behind: &[(BlockKind, &str)]| {
            let first = block(0, plain, "It has parts. Start the driver with this command:");
            let behind = behind.iter().zip(1..).map(|((kind, text), no)| block(no, *kind, text));
            let blocks: Vec<Arc<Block>> = std::iter::once(first).chain(behind).collect();
            let read: Vec<Read<'_>> = blocks.iter().map(|block| Read { source: &source, block }).collect();
            let (place, block) = place(quote, "", &read).unwrap();
            announced(&place, block, &read).iter().map(|one| one.text.to_string()).collect::<Vec<_>>()
        };
        let quote = "Start the driver with this command:";
        assert_eq!(announced_by(quote, &[(code, "upsdrvctl start"), (plain, "It waits.")]), ["upsdrvctl start"]);
        assert_eq!(announced_by("the driver with this command", &[(code, "upsdrvctl start")]), ["upsdrvctl start"]);
        let items = [(item, "a"), (item, "b"), (item, "c"), (item, "d"), (item, "e")];
        assert_eq!(announced_by(quote, &items), ["a", "b", "c", "d"]);
        assert_eq!(announced_by(quote, &[(plain, "go"), (plain, "It waits.")]), ["go"]);
        assert!(announced_by("It has parts.", &[(code, "upsdrvctl start")]).is_empty());
        assert!(announced_by(quote, &[]).is_empty());
    }

    #[test]
    fn a_quote_that_differs_in_marks_alone_is_found_as_the_source_has_it() {
        let text = "Jobs marked once may be lost. It handled 1,200 jobs in *2024*, at 1,5 each. team | 200 | 90 days";
        for (quote, there) in [
            ("jobs marked `once` may be lost", "Jobs marked once may be lost."),
            ("**Jobs marked once** may be lost.", "Jobs marked once may be lost."),
            ("... handled 1200 jobs in 2024 […]", "handled 1,200 jobs in *2024*"),
            ("(…) It handled 1200 jobs", "It handled 1,200 jobs"),
            ("| team | 200 | 90 days |", "team | 200 | 90 days"),
        ] {
            assert_eq!(found(quote, text), Some(there), "{quote}");
        }
        for quote in ["at 15 each", "jobs Marked once", "Jobs marked may be lost", "It handled 120 jobs"] {
            assert_eq!(found(quote, text), None, "{quote}");
        }
        assert_eq!(found("don't set maxsize", "Do not set max_size"), None);
    }

    #[test]
    fn the_nearest_sentence_has_most_of_the_words_and_an_unlike_one_is_none() {
        let source = crate::sample::source("a");
        let block =
            Arc::new(crate::sample::block("Backups do not include queues. Jobs over 64 KB are slow. It is free."));
        let passages = [Passage::from(&Read { source: &source, block: &block })];
        assert_eq!(nearest("Backups don't include the queues", &passages), Some("Backups do not include queues."));
        assert_eq!(nearest("Nothing of the kind", &passages), None);
    }
}
