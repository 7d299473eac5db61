//! Changes in a record: since the one before of its kind, since the person changed it, or against another run.

use super::origin;
use super::subject::{self, call, comparable, comparable_payload, payload, role};
use super::{Kind, Tree};
use crate::prelude::*;
use crate::view::transcript::Step;
use run::transcript::Did;
use run::{AssignmentId, CallId, Handoff, Payload, Role, TaskId};
use text::difference::{Aligned, aligned};

/// The other side of a comparison.
pub struct Against<'a> {
    /// The same in words.
    pub says: String,
    what: Was<'a>,
}

enum Was<'a> {
    Payload(&'a Payload),
    Step(Step),
    /// Of another run.
    Of(&'a Run, Step),
}

impl Against<'_> {
    /// Whether that is of another run.
    pub fn is_of_another_run(&self) -> bool {
        matches!(self.what, Was::Of(..))
    }
}

/// Lines shown around a change.
const AROUND: usize = 2;

/// All that it can be compared with, the nearest first; `other` is another run, by its name.
pub fn against<'a>(run: &'a Run, what: Step, other: Option<(&str, &'a Run)>) -> Vec<Against<'a>> {
    let mut all = Vec::new();
    if let Some(put) = origin::put(run, what) {
        let says = "what stood at the breakpoint, before you changed it".into();
        all.push(Against { says, what: Was::Payload(put) });
    }
    let instead = run.forked.as_ref().and_then(|forked| Some((forked, forked.fork.instead.as_ref()?)));
    if let Some((forked, instead)) = instead.filter(|(_, instead)| what == Step::Handoff(instead.handoff)) {
        let says = format!("what crossed in run {}, before you forked it", forked.fork.parent);
        all.push(Against { says, what: Was::Payload(&instead.was) });
    }
    all.extend(before(run, what).into_iter().map(|(says, step)| Against { says, what: Was::Step(step) }));
    if let Some((name, other)) = other
        && let Some(step) = same_in(run, what, other)
    {
        all.push(Against { says: format!("the same in run {name}"), what: Was::Of(other, step) });
    }
    all
}

/// Those of its kind that were before it in this run, the nearest first. Of a refused handoff also the one that was sent in its
/// place.
fn before(run: &Run, what: Step) -> Vec<(String, Step)> {
    let said =
        |no| subject::heading(run, Step::Handoff(no)).map_or_else(String::new, |one| one.name + "  " + &one.route);
    match what {
        Step::Handoff(no) => {
            let Some(handoff) = run.handoff(no) else { return Vec::new() };
            let mut all = Vec::new();
            if let Some(refused) = refused_before(run, handoff) {
                all.push(("the handoff that was refused before it".into(), refused));
            }
            let kind = kind(run, handoff);
            let earlier = run.handoffs.iter().take((no.0 as usize).saturating_sub(1)).rev();
            let last = earlier.into_iter().find(|one| self::kind(run, one) == kind).map(|one| one.no);
            all.extend(last.map(|last| (said(last), Step::Handoff(last))));
            all
        }
        Step::Refused(by, turn) => {
            let (Some(one), Some((_, unsent))) = (run.assignment(by), subject::refused(run, by, turn)) else {
                return Vec::new();
            };
            let turns = &one.transcript.turns;
            let sent = |did: &Did| match did {
                Did::HandOffs(sent) => sent.iter().find(|sent| sent.role == unsent.role).map(|sent| sent.handoff.no),
                _ => None,
            };
            let after = turns.iter().skip(turn).find_map(|turn| sent(&turn.did));
            let before = turns.iter().take(turn).rev().find_map(|turn| sent(&turn.did));
            let after = after.map(|no| (format!("the one sent after it: {}", said(no)), Step::Handoff(no)));
            after.into_iter().chain(before.map(|no| (said(no), Step::Handoff(no)))).collect()
        }
        Step::Exchange(id) => {
            let Some(by) = run.assignment(id.assignment) else { return Vec::new() };
            let last = by.transcript.exchanges().take_while(|one| one.call != id).last().map(|one| one.call);
            let again = attempt_before(run, id).filter(|id| select::exchange(run, *id).is_some());
            let tried = again.map(|id| (format!("call {id}, of the try before"), Step::Exchange(id)));
            tried.into_iter().chain(last.map(|id| (format!("call {id}"), Step::Exchange(id)))).collect()
        }
        Step::Call(id) => {
            let (Some(by), Some(this)) = (run.assignment(id.assignment), call(run, id)) else { return Vec::new() };
            let earlier = by.transcript.calls().take_while(|one| one.id != id);
            let last = earlier.filter(|one| one.request.name == this.request.name).last();
            last.map(|one| (run.shown_by(by, &one.request), Step::Call(one.id))).into_iter().collect()
        }
    }
}

/// The handoffs between the same two roles for the same task are of one kind: drafts of one writer, tries at one task.
fn kind<'a>(run: &'a Run, handoff: &Handoff) -> (Option<&'a Role>, Option<&'a Role>, Option<TaskId>) {
    let task = |of: Option<AssignmentId>| of.and_then(|id| run.assignment(id)).and_then(|one| one.task);
    let of = if handoff.is_report() { task(handoff.from) } else { task(handoff.to) };
    (role(run, handoff.from), role(run, handoff.to), of)
}

/// The last handoff to the same role that its sender was refused before it sent this one.
fn refused_before(run: &Run, handoff: &Handoff) -> Option<Step> {
    let to = role(run, handoff.to).filter(|_| !handoff.is_report())?;
    let by = run.assignment(handoff.from?)?;
    let mut last = None;
    for (turn, one) in by.transcript.turns.iter().enumerate() {
        match &one.did {
            Did::Refused { unsent: Some(unsent), .. } if unsent.role == *to => last = Some(Step::Refused(by.id, turn)),
            Did::HandOffs(sent) if sent.iter().any(|sent| sent.handoff.no == handoff.no) => return last,
            Did::HandOffs(sent) if sent.iter().any(|sent| sent.role == *to) => last = None,
            _ => {}
        }
    }
    None
}

/// The same call in the try at the same work before this one.
fn attempt_before(run: &Run, id: CallId) -> Option<CallId> {
    let above = run.assignment(id.assignment.parent()?)?;
    let again = above.transcript.sent().find(|sent| sent.to == id.assignment)?.again?;
    Some(CallId::new(again, id.n))
}

/// The same in another run: names are paths of delegation, so that the same work has the same name.
fn same_in(run: &Run, what: Step, other: &Run) -> Option<Step> {
    match what {
        Step::Handoff(no) => {
            let this = run.handoff(no)?;
            let by_name = other.handoffs.iter().find(|one| (one.from, one.to) == (this.from, this.to));
            let nth = |run: &Run, up_to: &[std::sync::Arc<Handoff>], this: &Handoff, of: &Run| {
                up_to.iter().filter(|one| kind(of, one) == kind(run, this)).count()
            };
            let by_kind = || {
                let before = nth(run, run.handoffs.get(..(no.0 as usize).saturating_sub(1))?, this, run);
                other.handoffs.iter().filter(|one| kind(other, one) == kind(run, this)).nth(before)
            };
            by_name.or_else(by_kind).map(|one| Step::Handoff(one.no))
        }
        step => subject::all(other, step).into_iter().find(|one| *one == step),
    }
}

/// The changes as rows: lines that are only before, only after, and some around them; whether there are any.
pub fn tree(run: &Run, what: Step, against: &Against<'_>) -> Tree {
    let was = match against.what {
        Was::Payload(payload) => Some(comparable_payload(payload)),
        Was::Step(step) => comparable(run, step),
        Was::Of(other, step) => comparable(other, step),
    };
    // The reason for a handoff's refusal is no part of its payload.
    let now = payload(run, what).map(comparable_payload).or_else(|| comparable(run, what));
    let (was, now) = (was.unwrap_or_default(), now.unwrap_or_default());
    let mut tree = Tree::default();
    tree.leaf(Kind::Gap, "", format!("− {}", against.says));
    tree.leaf(Kind::Gap, "", "+ this");
    hunks(&mut tree, &was, &now);
    tree
}

/// The rows of a tree as lines, each with its row.
fn written(tree: &Tree) -> Vec<String> {
    let line = |node: &super::Node| {
        let indent = "  ".repeat(node.depth.into());
        // The places in a list are others as soon as one is added.
        let is_place = !node.name.is_empty() && node.name.bytes().all(|b| b.is_ascii_digit());
        let name = if node.kind == Kind::Item && is_place { "•" } else { &node.name };
        let says = if node.below > 0 && node.text.is_empty() { &node.note } else { &node.text };
        let gap = if name.is_empty() || says.is_empty() { "" } else { "  " };
        format!("{indent}{name}{gap}{says}")
    };
    tree.nodes().iter().map(line).collect()
}

fn hunks(tree: &mut Tree, was: &Tree, now: &Tree) {
    let (first, second) = (written(was), written(now));
    let all = aligned(&first, &second);
    let is_same = |line: &Aligned<'_>| matches!(line, Aligned::Both(_));
    if all.iter().all(is_same) {
        tree.leaf(Kind::Gap, "", "nothing has changed");
        return;
    }
    // The lines that are shown: each change with at most `AROUND` lines before and behind it.
    let mut shown = vec![false; all.len()];
    for at in (0..all.len()).filter(|at| !is_same(&all[*at])) {
        shown[at.saturating_sub(AROUND)..all.len().min(at + AROUND + 1)].fill(true);
    }
    let (mut before, mut after, mut left_out) = (0, 0, 0);
    let mut at = 0;
    while at < all.len() {
        if !shown[at] {
            (before, after, left_out, at) = (before + 1, after + 1, left_out + 1, at + 1);
            continue;
        }
        let same = all[at..].iter().take_while(|line| is_same(line)).count();
        let path = match all.get(at + same) {
            Some(Aligned::First(_)) => path(was, before + same),
            _ => path(now, after + same),
        };
        let skipped = if left_out == 0 { String::new() } else { format!("… {} the same  ", count(left_out, "line")) };
        if left_out > 0 || at == 0 {
            tree.leaf(Kind::Gap, "", format!("{skipped}{path}"));
        }
        left_out = 0;
        while at < all.len() && shown[at] {
            let gone = all[at..].iter().take_while(|line| matches!(line, Aligned::First(_))).count();
            let new = all[at + gone..].iter().take_while(|line| matches!(line, Aligned::Second(_))).count();
            if gone + new == 0 {
                if let Aligned::Both(text) = all[at] {
                    tree.lines(Kind::Same, text);
                }
                (before, after, at) = (before + 1, after + 1, at + 1);
                continue;
            }
            // A line in place of another is shown with their difference.
            for n in 0..gone {
                let other = (n < new).then(|| text_of(&all[at + gone + n]));
                changed(tree, Kind::Gone, text_of(&all[at + n]), other);
            }
            for n in 0..new {
                let other = (n < gone).then(|| text_of(&all[at + n]));
                changed(tree, Kind::New, text_of(&all[at + gone + n]), other);
            }
            (before, after, at) = (before + gone, after + new, at + gone + new);
        }
    }
    if left_out > 0 {
        tree.leaf(Kind::Gap, "", format!("… {} the same", count(left_out, "line")));
    }
}

fn text_of<'a>(line: &Aligned<'a>) -> &'a str {
    match line {
        Aligned::Both(text) | Aligned::First(text) | Aligned::Second(text) => text,
    }
}

fn changed(tree: &mut Tree, kind: Kind, line: &str, other: Option<&str>) {
    let lit = other.map_or(0..0, |other| differs(line, other));
    let at = tree.nodes().len();
    tree.lines(kind, line);
    // A line that took several rows is too long to be read for a word.
    if tree.nodes().len() == at + 1 {
        tree.light(at, lit);
    }
}

/// The bytes of a line that its other version does not have there, by whole words; none if little is the same.
fn differs(line: &str, other: &str) -> std::ops::Range<u32> {
    let is_word = |c: char| !c.is_whitespace();
    let both = line.char_indices().zip(other.chars());
    let head: usize = both.take_while(|((_, a), b)| a == b).map(|((_, a), _)| a.len_utf8()).sum();
    // As far as whole words are the same.
    let head = line[..head].char_indices().rfind(|(_, c)| !is_word(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let (rest, rest_of_other) = (&line[head..], &other[head.min(other.floor_char_boundary(head))..]);
    let ends = rest.chars().rev().zip(rest_of_other.chars().rev());
    let tail: usize = ends.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let from = line.len() - tail;
    let begins_a_word = line[..from].chars().next_back().is_none_or(|c| !is_word(c));
    let cut = || line[from..].char_indices().find(|(_, c)| !is_word(*c)).map_or(0, |(at, _)| line.len() - from - at);
    let tail = if begins_a_word { tail } else { cut() };
    let end = line.len() - tail;
    let same = line[..head].trim().len() + line[end..].trim().len();
    if same * 3 < line.trim().len() || end <= head {
        return 0..0;
    }
    u32::try_from(head).unwrap_or(u32::MAX)..u32::try_from(end).unwrap_or(u32::MAX)
}

/// The place of a row in the whole: the names of the rows above it.
fn path(tree: &Tree, at: usize) -> String {
    let named = |at: usize| {
        let node = tree.nodes().get(at)?;
        let says = if node.kind == Kind::Item { cut(&node.text, 40).into_owned() } else { String::new() };
        let name = if says.is_empty() { node.name.clone() } else { format!("{} {says}", node.name) };
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    };
    let mut path: Vec<String> = tree.above(at).filter_map(named).collect();
    path.reverse();
    path.join(" › ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_of(lines: &[&str]) -> Tree {
        let mut tree = Tree::default();
        tree.branch(Kind::Part, "draft", |tree| {
            lines.iter().for_each(|line| {
                tree.leaf(Kind::Item, "", *line);
            });
        });
        tree
    }

    fn shown(was: &[&str], now: &[&str]) -> Vec<String> {
        let mut tree = Tree::default();
        hunks(&mut tree, &tree_of(was), &tree_of(now));
        let sign = |kind| match kind {
            Kind::Gone => "-",
            Kind::New => "+",
            Kind::Gap => "@",
            _ => " ",
        };
        tree.nodes().iter().map(|node| format!("{}{}", sign(node.kind), node.text.trim())).collect()
    }

    #[test]
    fn what_is_only_in_one_is_shown_with_two_lines_around_it_and_where_it_is() {
        let was = ["a", "b", "c", "d", "e", "f"];
        let now = ["a", "b", "c", "x", "e", "f"];
        assert_eq!(shown(&was, &now), ["@… 2 lines the same  draft", " b", " c", "-d", "+x", " e", " f"]);
        assert_eq!(shown(&["a"], &["a"]), ["@nothing has changed"]);
        assert_eq!(shown(&[], &["a"]), ["@draft", " draft", "+a"]);
    }

    #[test]
    fn of_a_line_that_became_another_the_words_that_differ_are_lit() {
        let lit = |line: &str, other: &str| {
            let range = differs(line, other);
            line[range.start as usize..range.end as usize].to_owned()
        };
        assert_eq!(lit("It holds 2,000 dimensions today", "It holds 4,000 dimensions today"), "2,000");
        assert_eq!(lit("It holds 4,000 dimensions", "It holds dimensions"), "4,000 ");
        assert_eq!(lit("日本語 is 日", "日本語 is 月"), "日");
        assert_eq!(lit("nothing is the same", "all of it differs"), "");
    }
}
