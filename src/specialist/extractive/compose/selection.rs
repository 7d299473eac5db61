//! Which findings have room in a brief: a sentence of each task first, then the best. It looks at lengths and scores, never at words.

use std::collections::BTreeSet;

use super::Commission;
use super::layout::are_of_a_list;
use crate::extractive::kind::is_a;
use run::finding::{Finding, FindingKind};

impl Commission<'_> {
    /// Chooses findings for the body: each task has its share of the words; unused words go to the others.
    pub(super) fn choose<'f>(&self, open: &[&'f Finding], words: usize) -> Vec<&'f Finding> {
        let mut groups: Vec<Vec<&Finding>> = self
            .plan
            .tasks
            .iter()
            .map(|task| open.iter().copied().filter(|f| self.task_of(f) == Some(task.id)).collect())
            .collect();
        let known: BTreeSet<_> = self.plan.tasks.iter().map(|task| task.id).collect();
        groups
            .push(open.iter().copied().filter(|f| self.task_of(f).is_none_or(|task| !known.contains(&task))).collect());
        groups.retain(|group| !group.is_empty());
        let mut chosen: Vec<&Finding> = Vec::new();
        let mut left = words;
        for group in &mut groups {
            // The person's own findings and those a reviewer asked for come first, then definitions, then the best.
            let definitions = group.iter().filter(|f| f.kind == FindingKind::Definition);
            let definition = definitions.max_by_key(|f| (is_a(&f.claim), f.score, f.id));
            let definition = definition.map(|f| f.id);
            group.sort_by_key(|f| {
                let asked = f.words_of.is_of_person() || self.required.contains(&f.id);
                (!asked, Some(f.id) != definition, std::cmp::Reverse(f.score), f.id)
            });
        }
        let share = words / groups.len().max(1);
        let must = |finding: &Finding| finding.words_of.is_of_person() || self.required.contains(&finding.id);
        let first = if groups.len() > 1 { one_of_each(&groups, words, must) } else { Vec::new() };
        let mut rest: Vec<&Finding> = Vec::new();
        left -= first.iter().map(|f| length(f)).sum::<usize>();
        for group in &groups {
            let (first, others): (Vec<&Finding>, Vec<&Finding>) =
                group.iter().partition(|f| first.iter().any(|known| known.id == f.id));
            let mut own = share.saturating_sub(first.iter().map(|f| length(f)).sum());
            chosen.extend(first);
            let mut room = Room::default();
            for finding in others {
                let n = length_beside(finding, &chosen);
                if must(finding) || room.takes((finding, n), own.min(left)) {
                    own = own.saturating_sub(n);
                    left = left.saturating_sub(n);
                    chosen.push(finding);
                } else {
                    rest.push(finding);
                }
            }
        }
        rest.sort_by_key(|f| (std::cmp::Reverse(f.score), f.id));
        let mut room = Room { is_used: !chosen.is_empty(), ..Room::default() };
        for finding in rest {
            let n = length_beside(finding, &chosen);
            if room.takes((finding, n), left) {
                left -= n;
                chosen.push(finding);
            }
        }
        chosen
    }
}

/// The room for findings that come best first. Once one does not fit behind others, the rest is not filled up with short ones that are
/// weaker.
#[derive(Default)]
struct Room {
    /// Whether a finding fitted.
    is_used: bool,
    /// The score of the first finding that did not fit behind it.
    missed: Option<i32>,
}

impl Room {
    /// The least score of a later finding that is short, in hundredths of the first that did not fit; and the words from which it is not.
    const NEARLY: i64 = 97;
    const FEWEST: usize = 10;

    /// Whether there is room for a finding of this length in the words left.
    fn takes(&mut self, (finding, n): (&Finding, usize), left: usize) -> bool {
        let is_near = |missed: i32| i64::from(finding.score) * 100 >= i64::from(missed) * Room::NEARLY;
        let says = n >= Room::FEWEST || finding.kind == FindingKind::Definition;
        if n <= left && self.missed.is_none_or(|missed| says || is_near(missed)) {
            self.is_used = true;
            return true;
        }
        if self.is_used {
            self.missed.get_or_insert(finding.score);
        }
        false
    }
}

/// The number of words of a claim. The items of a list have their label once above them.
fn length(finding: &Finding) -> usize {
    let text = if finding.kind == FindingKind::Member { &finding.quote } else { &finding.claim };
    text.split_whitespace().count()
}

/// The number of words of a claim beside others: an item's label stands above it already if that of another item of its list does.
fn length_beside(finding: &Finding, told: &[&Finding]) -> usize {
    match told.iter().any(|other| are_of_a_list(other, finding)) {
        true => finding.quote.split_whitespace().count(),
        false => length(finding),
    }
}

/// A finding of each group, so that each has a sentence before any has a second one: the first that has to be told or is no longer
/// than its share of the words, or else the shortest. If these do not fit, the shortest of each, as many as fit.
fn one_of_each<'f>(groups: &[Vec<&'f Finding>], words: usize, must: impl Fn(&Finding) -> bool) -> Vec<&'f Finding> {
    let share = words / groups.len().max(1);
    let shortest = |group: &Vec<&'f Finding>| group.iter().copied().min_by_key(|f| length(f));
    let fitting = |group: &Vec<&'f Finding>| group.iter().copied().find(|f| must(f) || length(f) <= share);
    let mut each: Vec<&Finding> =
        groups.iter().filter_map(|group| fitting(group).or_else(|| shortest(group))).collect();
    if each.iter().map(|f| length(f)).sum::<usize>() > words {
        each = groups.iter().filter_map(shortest).collect();
        each.sort_by_key(|f| length(f));
    }
    let mut left = words;
    each.retain(|finding| {
        let fits = length(finding) <= left;
        left -= if fits { length(finding) } else { 0 };
        fits
    });
    each
}
