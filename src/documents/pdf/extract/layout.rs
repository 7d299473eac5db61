//! Arranges glyphs into lines in reading order.
//!
//! A file mostly shows its text in reading order. That order is kept where it runs down the page, column by column;
//! blocks out of sequence (such as a footer shown first) are moved into place, and a page without any order is read by
//! rows.

use super::super::mark::Mark;
use super::encoding::accented;
use super::font::Face;
use super::style::{Style, Styles};

/// A glyph: its place on the page, with y upwards, and its end.
pub(super) struct Glyph {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) dx: f64,
    pub(super) dy: f64,
    /// The direction of its line; of any length.
    pub(super) along: (f64, f64),
    /// The height of its letters.
    pub(super) size: f64,
    pub(super) face: Face,
    pub(super) text: String,
}

/// Letters on a line without a wide gap.
#[derive(Clone)]
struct Piece {
    text: String,
    left: f64,
    right: f64,
    y: f64,
    size: f64,
    style: Style,
    /// The bytes of bold letters at its beginning; None while all letters are bold.
    bold: Option<usize>,
}

// All in units of the letters' size.
/// The least gap between words.
const SPACE: f64 = 0.1;
/// The least gap between columns.
const GAP: f64 = 1.5;
/// The most that letters of a line may overlap, and that raised ones may be off the line.
const OVERLAP: f64 = 0.4;
const RAISED: f64 = 0.55;
/// The greatest distance between the middles of a letter and its accent.
const AT_ACCENT: f64 = 0.2;
/// The greatest distance between the baselines of a row.
const ROW: f64 = 0.4;

/// The most digits of a footnote's number.
const LONGEST_NOTE: usize = 4;

/// The most letters of a heading on the line of its text, and its mark: it is below all others.
const LONGEST_RUN_IN: usize = 60;
const RUN_IN: Mark = Mark::Heading(6);

/// With more blocks than this out of sequence, there is no order.
const MOST_BLOCKS: usize = 60;

/// The text of a page. Lines that stand out from the text of all pages so far are marked.
pub(super) fn text(glyphs: Vec<Glyph>, styles: &mut Styles) -> String {
    let mut directions: Vec<(i64, Vec<Glyph>)> = Vec::new();
    for glyph in glyphs {
        let degrees = direction(&glyph);
        match directions.iter_mut().find(|(other, _)| *other == degrees) {
            Some((_, same)) => same.push(glyph),
            None => directions.push((degrees, vec![glyph])),
        }
    }
    // The page in its main direction, then the text that is written across it.
    directions.sort_by_key(|(_, glyphs)| std::cmp::Reverse(glyphs.len()));
    let mut text = String::new();
    for (degrees, glyphs) in directions {
        let pieces = pieces(turned(glyphs, degrees));
        pieces.iter().for_each(|piece| styles.take(&piece.style));
        write(&ordered(pieces), styles, &mut text);
    }
    styles.end_page();
    text
}

/// The direction of a line in degrees, rounded to upright or level if nearly so.
fn direction(glyph: &Glyph) -> i64 {
    let degrees = glyph.along.1.atan2(glyph.along.0).to_degrees();
    let straight = (degrees / 90.0).round() * 90.0;
    let near = if (degrees - straight).abs() < 8.0 { straight } else { (degrees / 5.0).round() * 5.0 };
    (near as i64).rem_euclid(360)
}

/// The glyphs, rotated so that their lines are level.
fn turned(mut glyphs: Vec<Glyph>, degrees: i64) -> Vec<Glyph> {
    let (sin, cos) = (degrees as f64).to_radians().sin_cos();
    let turn = |x: f64, y: f64| (x * cos + y * sin, y * cos - x * sin);
    for glyph in glyphs.iter_mut().filter(|_| degrees != 0) {
        (glyph.x, glyph.y) = turn(glyph.x, glyph.y);
        (glyph.dx, glyph.dy) = turn(glyph.dx, glyph.dy);
    }
    glyphs
}

impl Piece {
    /// A heading on the first line of its text, as manuals set their lowest headings and the terms of lists: "**Unwrap** The option
    /// changes …".
    fn run_in(&self) -> Option<&str> {
        let (head, rest) = self.text.split_at(self.bold?);
        let (head, rest) = (head.trim(), rest.trim_start());
        let letters = head.chars().filter(|c| c.is_alphabetic()).count();
        let begins = rest.starts_with(char::is_uppercase) && rest.contains(' ');
        ((3..=LONGEST_RUN_IN).contains(&letters) && begins && !head.ends_with([',', ';', '-'])).then_some(head)
    }
}

fn pieces(glyphs: Vec<Glyph>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Option<Piece> = None;
    // The baseline, size and middle of the last glyph, and whether a space was shown behind it.
    let (mut base, mut size, mut middle, mut spaced) = (0.0, 0.0, 0.0, false);
    for glyph in glyphs {
        let right = glyph.x + glyph.dx.max(0.0);
        if glyph.text.trim().is_empty() {
            spaced |= !glyph.text.is_empty();
            if let Some(piece) = open.as_mut().filter(|_| glyph.text.is_empty()) {
                piece.right = piece.right.max(right);
            }
            continue;
        }
        let tall = glyph.size.max(size);
        if let Some(piece) = &mut open {
            let apart = (glyph.x + right) / 2.0 - middle;
            if apart.abs() < AT_ACCENT * tall
                && (glyph.y - base).abs() <= RAISED * tall
                && let Some(letter) = with_accent(&piece.text, &glyph.text)
            {
                piece.text.pop();
                piece.text.push_str(&letter);
                piece.right = piece.right.max(right);
                spaced = false;
                continue;
            }
            let gap = glyph.x - piece.right;
            if (glyph.y - base).abs() <= RAISED * tall && gap > -OVERLAP * tall && gap < GAP * tall {
                let is_note = piece.text.len() <= LONGEST_NOTE
                    && piece.text.bytes().all(|b| b.is_ascii_digit())
                    && glyph.size > 1.2 * size
                    && base > glyph.y + 0.1 * glyph.size;
                if is_note {
                    // The number of a footnote, raised before its text.
                    piece.text.clear();
                } else if spaced || gap > SPACE * glyph.size.min(size) {
                    piece.text.push(' ');
                }
                if !glyph.face.bold {
                    piece.bold.get_or_insert(piece.text.len());
                }
                piece.text.push_str(&glyph.text);
                piece.right = piece.right.max(right);
                piece.style.add(glyph.size, glyph.face, &glyph.text);
                // A line is where most of it is: a raised note does not move it.
                if glyph.size > piece.size {
                    (piece.size, piece.y) = (glyph.size, glyph.y);
                }
                (base, size, spaced) = (glyph.y, glyph.size, glyph.text.ends_with(' '));
                middle = (glyph.x + right) / 2.0;
                continue;
            }
            close(&mut open, &mut pieces);
        }
        (base, size, spaced) = (glyph.y, glyph.size, false);
        middle = (glyph.x + right) / 2.0;
        let mut style = Style::default();
        style.add(glyph.size, glyph.face, &glyph.text);
        let bold = (!glyph.face.bold).then_some(0);
        open = Some(Piece { text: glyph.text, left: glyph.x, right, y: glyph.y, size: glyph.size, style, bold });
    }
    close(&mut open, &mut pieces);
    pieces
}

/// The last letter of a text combined with a glyph at the same place, if one is the accent of the other.
fn with_accent(text: &str, glyph: &str) -> Option<String> {
    let (last, mut letters) = (text.chars().next_back()?, glyph.chars());
    let (Some(next), None) = (letters.next(), letters.next()) else { return None };
    accented(next, last).or_else(|| accented(last, next))
}

/// Keeps a piece, unless it repeats a recent one slightly shifted: files make letters bold this way.
fn close(open: &mut Option<Piece>, pieces: &mut Vec<Piece>) {
    let Some(piece) = open.take() else { return };
    let again = |other: &Piece| {
        (other.left - piece.left).abs() < 0.2 * piece.size
            && (other.y - piece.y).abs() < 0.2 * piece.size
            && other.text.trim() == piece.text.trim()
    };
    if !pieces.iter().rev().take(8).any(again) {
        pieces.push(piece);
    }
}

fn same_row(one: &Piece, other: &Piece) -> bool {
    (one.y - other.y).abs() < ROW * one.size.max(other.size)
}

/// The pieces in reading order.
fn ordered(pieces: Vec<Piece>) -> Vec<Piece> {
    if let Some(gutter) = gutter(&pieces) {
        return by_column(rows(pieces), gutter);
    }
    let mut blocks: Vec<Vec<Piece>> = Vec::new();
    let count = pieces.len();
    for piece in pieces {
        match blocks.last_mut() {
            Some(block) if block.last().is_some_and(|last| goes_on(last, &piece)) => block.push(piece),
            _ => blocks.push(vec![piece]),
        }
    }
    if blocks.len() > MOST_BLOCKS.min(8 + count / 4) {
        return rows(blocks.into_iter().flatten().collect()).into_iter().flatten().collect();
    }
    in_turn(blocks).into_iter().flatten().collect()
}

/// Whether a piece is read after another: it is to the right, or below.
fn goes_on(last: &Piece, next: &Piece) -> bool {
    if same_row(last, next) { next.left > last.right - last.size } else { next.y < last.y }
}

/// Blocks in their order, but each before those that are wholly below it.
fn in_turn(blocks: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    struct Placed {
        left: f64,
        right: f64,
        top: f64,
        bottom: f64,
        block: Vec<Piece>,
    }
    let mut placed: Vec<Placed> = Vec::new();
    for block in blocks {
        let least = |of: fn(&Piece) -> f64| block.iter().map(of).fold(f64::INFINITY, f64::min);
        let new = Placed {
            left: least(|piece| piece.left),
            right: -least(|piece| -piece.right),
            top: -least(|piece| -piece.y),
            bottom: least(|piece| piece.y),
            block,
        };
        let below = |old: &Placed| old.top < new.bottom && old.left < new.right && new.left < old.right;
        let at = placed.iter().position(below).unwrap_or(placed.len());
        placed.insert(at, new);
    }
    placed.into_iter().map(|placed| placed.block).collect()
}

/// The pieces by rows, from the top, each from the left.
fn rows(mut pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    pieces.sort_by(|one, other| other.y.total_cmp(&one.y));
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some(row) if same_row(&row[0], &piece) => row.push(piece),
            _ => rows.push(vec![piece]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|one, other| one.left.total_cmp(&other.left)));
    rows
}

/// The middle of the gap between two columns of sentences that the file shows row by row.
fn gutter(pieces: &[Piece]) -> Option<f64> {
    let left = pieces.iter().map(|piece| piece.left).fold(f64::INFINITY, f64::min);
    let right = pieces.iter().map(|piece| piece.right).fold(f64::NEG_INFINITY, f64::max);
    // Cells of a table are shorter.
    let wide = |piece: &Piece| piece.right - piece.left > 0.3 * (right - left);
    let side_by_side = |pair: &&[Piece]| {
        same_row(&pair[0], &pair[1]) && pair[1].left > pair[0].right && wide(&pair[0]) && wide(&pair[1])
    };
    let mut gaps: Vec<(f64, f64)> =
        pieces.windows(2).filter(side_by_side).map(|pair| (pair[0].right, pair[1].left)).collect();
    if gaps.len() < 8 || gaps.len() * 4 < pieces.len() {
        return None;
    }
    gaps.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (_, begin) = gaps[gaps.len() / 2];
    let middle = begin - 1.0;
    let open = gaps.iter().filter(|(end, begin)| *end < middle && middle < *begin).count();
    (open * 5 >= gaps.len() * 4).then_some(middle)
}

/// The rows, with the left column before the right one between pieces that span both.
fn by_column(rows: Vec<Vec<Piece>>, gutter: f64) -> Vec<Piece> {
    let (mut all, mut right) = (Vec::new(), Vec::new());
    for piece in rows.into_iter().flatten() {
        if piece.left > gutter {
            right.push(piece);
        } else {
            if piece.right > gutter {
                all.append(&mut right);
            }
            all.push(piece);
        }
    }
    all.append(&mut right);
    all
}

/// Writes pieces as lines: those of a row on one line, with an empty line before the next if the gap is wide.
fn write(pieces: &[Piece], styles: &mut Styles, text: &mut String) {
    let step = |above: &Piece, below: &Piece| (above.y - below.y) / above.size.max(below.size);
    let steps = pieces.windows(2).map(|pair| step(&pair[0], &pair[1]));
    let mut steps: Vec<f64> = steps.filter(|step| (0.9..2.5).contains(step)).collect();
    steps.sort_by(f64::total_cmp);
    // A page with few lines has no rule of its own.
    let usual = if steps.len() < 5 { 1.2 } else { steps[steps.len() / 2] };
    let left = pieces.iter().map(|piece| piece.left).fold(f64::INFINITY, f64::min);
    let is_beside = |before: &Piece, piece: &Piece| same_row(before, piece) && piece.left > before.right - before.size;
    let (mut before, mut was_marked): (Option<&Piece>, bool) = (None, false);
    for row in pieces.chunk_by(is_beside) {
        let first = &row[0];
        let words: Vec<&str> = row.iter().map(|piece| piece.text.trim()).collect();
        let words = words.join(" ");
        let is_apart = before.is_none_or(|before| {
            let step = step(before, first);
            let stops = before.text.trim_end().ends_with(['.', '!', '?', ':', ';']);
            let goes_on = !stops && first.text.starts_with(char::is_lowercase);
            step > 1.3 * usual || (step < -ROW && !goes_on)
        });
        let style = row.iter().fold(Style::default(), |sum, piece| sum.and(piece.style));
        styles.take_line(style, &words);
        let mark = styles.mark(style, &words, is_apart || was_marked);
        if before.is_some() {
            text.push('\n');
            if is_apart {
                text.push('\n');
            }
        }
        was_marked = mark.is_some_and(|mark| mark.is_heading());
        if let Some(mark) = mark {
            mark.write(text);
            if !was_marked {
                // Program text is set in by letters of one width, which is about half their height.
                let columns = ((first.left - left) / (0.55 * first.size)).clamp(0.0, 40.0) as usize;
                text.extend(std::iter::repeat_n(' ', columns));
            }
        }
        let run_in = first.run_in().filter(|_| is_apart && mark.is_none() && styles.are_rarely_bold());
        match run_in.and_then(|head| Some((head, words.strip_prefix(head)?))) {
            Some((head, rest)) => {
                RUN_IN.write(text);
                text.extend([head, "\n\n", rest.trim_start()]);
            }
            None => text.push_str(&words),
        }
        before = row.last();
    }
    text.push('\n');
}
