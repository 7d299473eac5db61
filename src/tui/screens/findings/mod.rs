//! The findings page: the person checks the findings before the writer gets them; each edit is a command.

mod draw;
mod lacks;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::overlays::approving::Approving;
use crate::overlays::confirm::Confirm;
use crate::overlays::filtering::Filtering;
use crate::overlays::passage::{self, Passage};
use crate::overlays::writing::{self, Purpose};
use crate::prelude::*;
use crate::screens::everywhere::{self, PAGER, moved, turned};
use run::checkpoint::{Answer, Edit, findings};
use run::{AssignmentId, Checkpoint, CheckpointId, Envelope, Event, Finding, FindingId, Standing, TaskId};

use draw::is_new;
pub use draw::place;

#[derive(Clone, Debug, Default)]
pub struct FindingsPage {
    /// The selected finding; the first if it is gone.
    pub selected: Option<FindingId>,
    /// Words that the shown findings contain; empty for all.
    pub filter: Clean,
    pub order: Order,
    /// The number of findings before the person added one: the new one is selected when it arrives.
    pub added_to: Option<usize>,
    /// The headings of sections that are folded.
    pub folded: BTreeSet<String>,
    /// Edits that are recorded as taken back and can be done again, the last last; none after another edit.
    pub undone: Vec<findings::Edit>,
    /// The number of them that were sent to be done again and are not recorded yet.
    pub redoing: usize,
    /// The findings checkpoint that was followed last.
    pub followed: Option<CheckpointId>,
    /// Whether the person was told that the next undo takes back a change from before they asked for more.
    pub is_warned: bool,
}

/// The order of the findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By sub-topic, as the plan has them.
    #[default]
    Topic,
    /// By source and place.
    Source,
    /// The best answers first; without sections.
    Best,
}

impl Order {
    fn next(self) -> Order {
        match self {
            Order::Topic => Order::Source,
            Order::Source => Order::Best,
            Order::Best => Order::Topic,
        }
    }

    pub fn named(self) -> &'static str {
        match self {
            Order::Topic => "by sub-topic",
            Order::Source => "by source",
            Order::Best => "what answers best first",
        }
    }

    /// The heading of the section that a finding is in; None without sections.
    pub fn section(self, finding: &Finding) -> Option<String> {
        let named = match self {
            Order::Topic => flat(&finding.subtopic).into_owned(),
            Order::Source => match &finding.place {
                Some(place) => flat(&place.source.path).into_owned(),
                None => draw::place(finding),
            },
            Order::Best => return None,
        };
        Some(if named.is_empty() { "other".into() } else { named })
    }
}

/// The purpose of the text that is written about the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// A finding in other words.
    Edit(FindingId),
    /// A fact by the person, for a task or for none.
    Add(Option<TaskId>),
    /// A request for more research, for a task or for the whole question.
    More(Option<TaskId>),
}

impl Wording {
    /// The title of its box, and its subject.
    pub fn title(self, run: &Run) -> (String, String) {
        let topic = |task: Option<TaskId>| {
            task.and_then(|id| run.plan.as_ref()?.task(id)).map(|task| flat(&task.title).into_owned())
        };
        let title = match self {
            Wording::Edit(_) => return ("the claim in other words".into(), String::new()),
            Wording::Add(task) => match topic(task) {
                Some(topic) => format!("add a fact of your own to {topic}"),
                None => "add a fact of your own, to no sub-topic".into(),
            },
            Wording::More(task) => match topic(task) {
                Some(topic) => format!("more on {topic}: what is missing?"),
                None => "more on the whole question: what is missing?".into(),
            },
        };
        (title, "Tab: another sub-topic".into())
    }

    pub fn has_topic(self) -> bool {
        matches!(self, Wording::Add(_) | Wording::More(_))
    }

    /// The tasks in turn, then none.
    pub fn next_topic(&mut self, run: &Run) {
        let (Wording::Add(task) | Wording::More(task)) = self else { return };
        let tasks: Vec<TaskId> = run.plan.iter().flat_map(|plan| &plan.tasks).map(|task| task.id).collect();
        *task = match *task {
            None => tasks.first().copied(),
            Some(id) => tasks.iter().position(|known| *known == id).and_then(|at| tasks.get(at + 1)).copied(),
        };
    }
}

pub static KEYS: Keys = Keys {
    title: "findings",
    groups: &[&[
        row(&[c(' ')], Action::Toggle, Some("toggle"), "drop the finding, or take it back in"),
        row(&[c('A')], Action::Approve, Some("approve"), "approve: says what goes to the writer, and writes with that"),
        row(&[c('e')], Action::Edit, Some("edit"), "reword the claim"),
        row(&[c('a')], Action::Add, Some("add"), "add a fact of your own"),
        row(&[c('m')], Action::More, Some("more"), "ask for more research on a sub-topic"),
        row(&[c('u')], Action::Undo, Some("undo"), "take back what you did last"),
        row(&[c('U')], Action::Redo, Some("redo"), "redo: do again what you took back"),
        row(&[c('b')], Action::Raise, Some("cap"), "raise a cap of the run's budget"),
        row(&[c('/')], Action::Filter, Some("find"), "show only findings with some words"),
        row(
            &[c('t')],
            Action::ToggleSection,
            Some("section"),
            "drop the section the finding is in, or take it back in",
        ),
        row(&[c('T')], Action::ToggleShown, None, "drop all findings that are shown, or take them back in"),
        row(&[c('w')], Action::ToggleSource, None, "drop all findings of the same source, or take them back in"),
        row(&[c('z')], Action::Fold, Some("fold"), "fold the section, or open it"),
        row(&[c('Z')], Action::FoldAll, None, "fold all sections of findings, or open all"),
        row(&[c('o')], Action::Order, Some("order"), "another order: by sub-topic, by source, what answers best first"),
        row(&[c('n')], Action::NextConflict, Some("≠ next"), "next contradiction: both sides with their passages"),
        row(&[c('N')], Action::PreviousConflict, None, "contradiction before"),
        row(&[ENTER, TAB], Action::Open, None, "the finding with its whole passage"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw: draw::draw, missing, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let was_warned = std::mem::take(&mut ui.findings.is_warned);
    match action {
        Action::Undo => Some(take_back(ui, run, was_warned)),
        Action::Redo => Some(do_again(ui, run)),
        action => acted(ui, run, action),
    }
}

/// Takes back the person's last change, and names it. Changes from before they asked for more are taken back only after a warning:
/// they may not remember them.
fn take_back(ui: &mut Ui, run: &Run, was_warned: bool) -> Vec<Effect> {
    let Some((checkpoint, _)) = select::findings_page(run) else { return Vec::new() };
    let Some(undoing) = checkpoint.undoing() else {
        return ui.accepted(send(run, checkpoint, Edit::Undo));
    };
    let claim = undoing.claim.as_ref().map(|claim| format!(" “{}”", cut(&flat(claim), MOST_OF_A_CLAIM)));
    let what = format!("{}{}", undoing.says, claim.map_or(String::new(), |claim| format!(":{claim}")));
    if undoing.is_earlier && !was_warned {
        ui.findings.is_warned = true;
        let words = format!("that was before you asked for more; u again takes it back: {what}");
        ui.status = Some(Clean::line(&words));
        return Vec::new();
    }
    let effects = ui.accepted(send(run, checkpoint, Edit::Undo));
    if !effects.is_empty() {
        ui.findings.is_warned = was_warned;
        go_to(ui, run, undoing.finding);
        ui.status = Some(Clean::line(&format!("undone: {what} · U does it again")));
    }
    effects
}

/// Repeats the change that was taken back last.
fn do_again(ui: &mut Ui, run: &Run) -> Vec<Effect> {
    let Some((checkpoint, all)) = select::findings_page(run) else { return Vec::new() };
    let Some(edit) = next_to_do_again(ui).cloned() else { return Vec::new() };
    let finding = match &edit {
        findings::Edit::Add { .. } => {
            ui.findings.added_to = Some(all.len());
            None
        }
        findings::Edit::Set { findings, .. } => findings.first().copied(),
        findings::Edit::Drop { finding } | findings::Edit::Keep { finding } => Some(*finding),
        findings::Edit::Reword { finding, .. } => Some(*finding),
    };
    let effects = ui.accepted(send(run, checkpoint, Edit::Findings(edit)));
    if !effects.is_empty() {
        ui.findings.redoing += 1;
        go_to(ui, run, finding);
        ui.status = Some("done again".into());
    }
    effects
}

/// The edit that can be done again next, if there is one.
fn next_to_do_again(ui: &Ui) -> Option<&findings::Edit> {
    let FindingsPage { undone, redoing, .. } = &ui.findings;
    undone.iter().rev().nth(*redoing)
}

/// Keeps which edits can be done again, from those that these events record; `run` is as it was before them.
pub fn recorded(ui: &mut Ui, run: &Run, events: &[Arc<Envelope>]) {
    let mut open = select::findings_page(run).map(|(checkpoint, _)| checkpoint.clone());
    for envelope in events {
        let (Event::CheckpointEdited { checkpoint, edit }, Some(open)) = (&envelope.event, &mut open) else { continue };
        if *checkpoint != open.id {
            continue;
        }
        let page = &mut ui.findings;
        match edit {
            Edit::Undo => page.undone.extend(open.undoing().map(|undoing| undoing.again)),
            Edit::Findings(edit) if page.undone.last() == Some(edit) => {
                page.undone.pop();
                page.redoing = page.redoing.saturating_sub(1);
            }
            _ => {
                page.undone.clear();
                page.redoing = 0;
            }
        }
        open.edited(edit);
    }
}

/// Selects a finding, and opens the section that it is in.
fn go_to(ui: &mut Ui, run: &Run, finding: Option<FindingId>) {
    let Some(id) = finding else { return };
    ui.findings.selected = Some(id);
    if let Some(section) = select::find(run, id).and_then(|finding| ui.findings.order.section(finding)) {
        ui.findings.folded.remove(&section);
    }
}

/// The cells of a claim in a message.
const MOST_OF_A_CLAIM: usize = 48;

fn acted(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (checkpoint, all) = select::findings_page(run)?;
    let shown = select::findings(ui, all);
    let at = select::finding(ui, &shown);
    let selected = shown.get(at).copied();
    let section = selected.and_then(|finding| ui.findings.order.section(finding));
    match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            moves(ui, action, &shown, at);
        }
        Action::Fold => {
            if let Some(section) = section
                && !ui.findings.folded.remove(&section)
            {
                ui.findings.folded.insert(section);
            }
        }
        Action::FoldAll => {
            let all: BTreeSet<String> = shown.iter().filter_map(|finding| ui.findings.order.section(finding)).collect();
            ui.findings.folded = if ui.findings.folded.is_empty() { all } else { BTreeSet::new() };
        }
        Action::Order => {
            ui.findings.order = ui.findings.order.next();
            ui.findings.folded.clear();
            ui.status = Some(ui.findings.order.named().into());
        }
        Action::NextConflict | Action::PreviousConflict => to_conflict(ui, action, &shown, at)?,
        Action::Toggle if section.is_some_and(|section| ui.findings.folded.contains(&section)) => {
            return acted(ui, run, Action::ToggleSection);
        }
        Action::Toggle | Action::ToggleSection | Action::ToggleShown | Action::ToggleSource => {
            let Some(selected) = selected else { return Some(Vec::new()) };
            let edit = toggles(ui, action, &shown, selected);
            return Some(ui.accepted(send(run, checkpoint, Edit::Findings(edit))));
        }
        Action::Next | Action::Previous => {
            let next = shown.get(turned(action, at, shown.len())).map(|finding| finding.id);
            ui.findings.selected = next;
            passage::show(ui, next.into_iter().collect());
        }
        Action::Open => {
            if let Some(finding) = selected {
                ui.overlay = Overlay::Passage(Passage { findings: vec![finding.id], scroll: 0 });
            }
        }
        Action::Back if !ui.findings.filter.is_empty() => ui.findings.filter = Clean::default(),
        Action::Edit | Action::Add | Action::More => opens_writing(ui, action, all, selected),
        Action::Outside if why_not(ui, run, Action::Edit).is_some() => {
            let whole = |finding: &&Finding| passage::whole(run, finding, PAGER, &Theme::bare());
            let lines: Vec<_> = selected.iter().flat_map(whole).collect();
            return Some(vec![everywhere::read("the finding", &lines)]);
        }
        Action::Filter => {
            ui.overlay = Overlay::Filtering(Filtering(Field::new(&ui.findings.filter, Lines::One)));
        }
        Action::Approve if all.iter().any(Finding::usable) => ui.overlay = Overlay::Approving(Approving),
        Action::Approve => ui.overlay = Overlay::Confirm(Confirm::ApproveNothing),
        _ => return None,
    }
    Some(Vec::new())
}

/// Selects another finding; a folded section is one step.
fn moves(ui: &mut Ui, action: Action, shown: &[&Finding], at: usize) {
    let stops = select::stops(ui, shown);
    let from = stops.iter().rposition(|stop| *stop <= at).unwrap_or(0);
    let to = moved(action, from, stops.len().saturating_sub(1), ui.seen.page);
    ui.findings.selected = stops.get(to).and_then(|stop| shown.get(*stop)).map(|finding| finding.id);
}

/// Selects the next finding, or the one before, that contradicts others, and shows all sides; None if there is none.
fn to_conflict(ui: &mut Ui, action: Action, shown: &[&Finding], at: usize) -> Option<()> {
    let action = if action == Action::NextConflict { Action::Next } else { Action::Previous };
    // The other sides of the one that is selected have been shown with it.
    let seen: Vec<FindingId> =
        shown.get(at).iter().flat_map(|one| &one.conflicts).map(|conflict| conflict.with).collect();
    let is_next = |n: &usize| !shown[*n].conflicts.is_empty() && !seen.contains(&shown[*n].id);
    let disputed: Vec<usize> = (0..shown.len()).filter(is_next).collect();
    let to = match disputed.iter().position(|n| *n == at) {
        Some(here) => turned(action, here, disputed.len()),
        None if action == Action::Next => disputed.iter().position(|n| *n > at).unwrap_or(0),
        None => disputed.iter().rposition(|n| *n < at).unwrap_or(disputed.len().saturating_sub(1)),
    };
    let finding = disputed.get(to).map(|n| shown[*n])?;
    if let Some(section) = ui.findings.order.section(finding) {
        ui.findings.folded.remove(&section);
    }
    ui.findings.selected = Some(finding.id);
    let sides = std::iter::once(finding.id).chain(finding.conflicts.iter().map(|conflict| conflict.with));
    ui.overlay = Overlay::Passage(Passage { findings: sides.collect(), scroll: 0 });
    Some(())
}

/// The edit that drops the selected finding, or all of its section, of its source or of those shown; or that takes them back in.
fn toggles(ui: &Ui, action: Action, shown: &[&Finding], selected: &Finding) -> findings::Edit {
    let path = |finding: &Finding| finding.place.as_ref().map(|place| place.source.id.clone());
    let section = |finding: &Finding| ui.findings.order.section(finding);
    let goes = |finding: &&&Finding| match action {
        Action::ToggleSection => section(finding) == section(selected),
        Action::ToggleSource => path(finding) == path(selected),
        _ => true,
    };
    let finding = selected.id;
    match action {
        Action::Toggle if selected.standing == Standing::Proposed => findings::Edit::Drop { finding },
        Action::Toggle => findings::Edit::Keep { finding },
        _ => {
            let named: Vec<&Finding> = shown.iter().filter(goes).copied().collect();
            let keep = named.iter().all(|finding| !finding.usable());
            findings::Edit::Set { findings: named.iter().map(|finding| finding.id).collect(), keep }
        }
    }
}

/// Opens the dialog for other words, for a fact of the person's own, or for a request for more.
fn opens_writing(ui: &mut Ui, action: Action, all: &[Finding], selected: Option<&Finding>) {
    let task = selected.and_then(|finding| finding.task);
    let (wording, words) = match (action, selected) {
        (Action::Edit, Some(finding)) => (Wording::Edit(finding.id), &*finding.claim),
        (Action::Edit, None) => return,
        (Action::Add, _) => (Wording::Add(task), ""),
        _ => (Wording::More(task), ""),
    };
    if action != Action::Edit {
        ui.findings.added_to = (action == Action::Add).then_some(all.len());
    }
    writing::open(ui, Purpose::Findings(wording), words, Lines::One);
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    use Action::{Add, Approve, Edit, More, Redo, Toggle, ToggleSection, ToggleShown, ToggleSource, Undo};
    if matches!(action, Action::NextConflict | Action::PreviousConflict) {
        let disputed = select::findings_page(run)
            .is_some_and(|(_, all)| select::findings(ui, all).iter().any(|finding| !finding.conflicts.is_empty()));
        return (!disputed).then(|| "no finding that is shown contradicts another".into());
    }
    if matches!(action, Action::Fold | Action::FoldAll | ToggleSection) && ui.findings.order == Order::Best {
        return Some("in this order there are no sections: o takes another".into());
    }
    let toggles = matches!(action, Toggle | ToggleSection | ToggleShown | ToggleSource);
    if !toggles && !matches!(action, Edit | Add | More | Approve | Undo | Redo) {
        return None;
    }
    if let Some(why) = ui.may_not_change(run) {
        return Some(why);
    }
    let open = select::findings_page(run).filter(|(checkpoint, _)| checkpoint.answer.is_none());
    let Some((checkpoint, all)) = open else {
        return Some("this checkpoint is closed: what was approved has gone to the writer".into());
    };
    match action {
        Toggle | ToggleSection | ToggleShown | ToggleSource | Edit if select::findings(ui, all).is_empty() => {
            Some("no finding is selected".into())
        }
        Action::Redo if next_to_do_again(ui).is_none() => {
            Some("nothing was taken back that could be done again".into())
        }
        Action::Undo => checkpoint.accepts(&run::checkpoint::Edit::Undo, run).err().map(Clean::from),
        Action::More => {
            let most = run.opening.as_ref().map_or(0, |opening| opening.team.more_rounds);
            let asked = findings::rounds(run);
            (asked >= most as usize).then(|| {
                let asked = count(asked, "time");
                Clean::line(&format!("more research was asked for {asked} already, the most this team allows"))
            })
        }
        _ => None,
    }
}

fn missing(run: &Run) -> Option<Clean> {
    select::findings_page(run).is_none().then(|| match run.ended() {
        Some(_) => "this run never came to a findings checkpoint".into(),
        None => "there are no findings to go through yet".into(),
    })
}

/// Selects the finding that the person has added, once it is there.
pub fn follow(ui: &mut Ui, run: &Run) {
    let Some((_, all)) = select::findings_page(run) else { return };
    if ui.findings.added_to.is_some_and(|before| all.len() > before) {
        let own = all.iter().filter(|finding| finding.id.assignment == AssignmentId::ROOT);
        ui.findings.selected = own.max_by_key(|finding| finding.id.n).map(|finding| finding.id);
        ui.findings.added_to = None;
    }
    come_to_new(ui, run);
}

/// At a checkpoint that follows a request for more: says what came, and selects the first of it.
fn come_to_new(ui: &mut Ui, run: &Run) {
    let Some((checkpoint, all)) = select::findings_page(run).filter(|_| ui.moment == Moment::Latest) else { return };
    let before = ui.findings.followed.replace(checkpoint.id);
    if before.is_none_or(|before| before == checkpoint.id) || checkpoint.answer.is_some() {
        return;
    }
    let new: Vec<&Finding> = all.iter().filter(|finding| is_new(run, finding)).collect();
    let Some(first) = select::findings(ui, all).into_iter().find(|one| is_new(run, one)).map(|one| one.id) else {
        ui.status = Some("nothing new was found".into());
        return;
    };
    let mut topics: Vec<&str> = new.iter().map(|one| one.subtopic.as_str()).filter(|topic| !topic.is_empty()).collect();
    topics.dedup();
    let of = if topics.is_empty() { String::new() } else { format!(", on {}", flat(&topics.join(", "))) };
    ui.status = Some(Clean::line(&format!("{} new{of}", new.len())));
    go_to(ui, run, Some(first));
}

/// The task that a wish is for: the one that was chosen, unless its words name another one and not that.
fn meant(run: &Run, chosen: Option<TaskId>, wish: &str) -> Option<TaskId> {
    let wish = wish.to_lowercase();
    let is_named = |title: &str| {
        let title = title.to_lowercase();
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !title.is_empty()
            && wish.match_indices(&title).any(|(at, _)| {
                !is_letter(wish[..at].chars().next_back()) && !is_letter(wish[at + title.len()..].chars().next())
            })
    };
    let tasks = || run.plan.iter().flat_map(|plan| &plan.tasks);
    let named: Vec<TaskId> = tasks().filter(|task| is_named(&task.title)).map(|task| task.id).collect();
    match (chosen, &named[..]) {
        (Some(_), [other]) => Some(*other),
        _ => chosen,
    }
}

pub fn approve(run: &Run) -> Vec<Effect> {
    run.open_checkpoint().map(|open| Effect::Send(Command::Approve { checkpoint: open.id })).into_iter().collect()
}

/// The command of an edit, or why it is not possible.
fn send(run: &Run, checkpoint: &Checkpoint, edit: Edit) -> Result<Vec<Effect>, String> {
    checkpoint.accepts(&edit, run).map(|()| vec![Effect::Send(Command::Edit { checkpoint: checkpoint.id, edit })])
}

/// Sends the written text; the error is its fault.
pub fn submit(run: &Run, wording: Wording, words: Clean) -> Result<Vec<Effect>, String> {
    let Some((checkpoint, all)) = select::findings_page(run) else { return Ok(Vec::new()) };
    let edit = match wording {
        Wording::Edit(finding) => {
            if all.iter().any(|known| known.id == finding && !writing::is_reworded(&known.claim, &words)) {
                return Ok(Vec::new());
            }
            findings::Edit::Reword { finding, claim: words }
        }
        Wording::Add(task) => findings::Edit::Add { task, claim: words },
        Wording::More(task) => {
            let task = meant(run, task, &words);
            let answer = Answer::Findings(findings::Answer::More { task, wish: words });
            return Ok(vec![Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer })]);
        }
    };
    send(run, checkpoint, Edit::Findings(edit))
}
