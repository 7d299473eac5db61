//! The inspector: anything that crossed, was asked or came back, whole. As a tree that folds, with the tokens of each part and the
//! origin of each; as its changes since the one before of its kind; or as the recorded JSON.

mod draw;

use std::sync::Arc;

pub use draw::page;

use crate::inspect::subject;
use crate::inspect::{Sheet, Tree, changes};
use crate::overlays::{beside, finding};
use crate::prelude::*;
use crate::screens::everywhere::turned;
use crate::view::transcript::Step;

/// The form in which something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Tree,
    /// Its changes, against one of those that it can be compared with.
    Changes(usize),
    /// The JSON that was recorded.
    Raw,
}

impl Form {
    pub fn name(self) -> &'static str {
        match self {
            Form::Tree => "tree",
            Form::Changes(_) => "changes",
            Form::Raw => "raw",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Inspector {
    pub what: Step,
    pub form: Form,
    /// As it is read in this form.
    pub sheet: Sheet,
    /// As it was left in the other forms.
    left: Vec<(Form, Sheet)>,
    /// The words that are looked for in it.
    pub words: Clean,
    /// Whether it was opened at these words: then going back leaves it, and does not only forget them.
    was_opened_at: bool,
    /// The tokens of all of it in a context (estimated).
    tokens: u64,
    /// Whether nothing of it could change any more when it was laid out.
    is_settled: bool,
    /// The records that were inspected before, and led here.
    before: Option<Box<Inspector>>,
}

impl Inspector {
    pub fn of(run: &Run, what: Step) -> Inspector {
        let mut inspector = Inspector {
            what,
            form: Form::Tree,
            sheet: Sheet::default(),
            left: Vec::new(),
            words: Clean::default(),
            was_opened_at: false,
            tokens: 0,
            is_settled: false,
            before: None,
        };
        inspector.lay_out(run, None);
        inspector
    }

    pub fn in_form(run: &Run, what: Step, form: Form) -> Inspector {
        let mut inspector = Inspector::of(run, what);
        inspector.show_as(run, None, form);
        inspector
    }

    /// The rows of its form; none where the run, as far as it is shown, has no such thing.
    fn rows(&self, run: &Run, other: Other<'_>) -> Tree {
        match self.form {
            Form::Tree => subject::tree(run, self.what).unwrap_or_default(),
            Form::Changes(against) => {
                let all = changes::against(run, self.what, other);
                all.get(against).map(|against| changes::tree(run, self.what, against)).unwrap_or_default()
            }
            Form::Raw => {
                let mut tree = Tree::default();
                let text = subject::json(run, self.what).unwrap_or_default();
                text.lines().for_each(|line| tree.lines(crate::inspect::Kind::Line, line));
                tree
            }
        }
    }

    fn lay_out(&mut self, run: &Run, other: Other<'_>) {
        self.is_settled = subject::heading(run, self.what).is_some_and(|heading| heading.is_settled);
        self.sheet = Sheet::of(self.rows(run, other));
        if self.form == Form::Tree {
            self.tokens = self.sheet.tree().tokens();
        }
        self.sheet.looks_for(&self.words);
    }

    fn show_as(&mut self, run: &Run, other: Other<'_>, form: Form) {
        let left = std::mem::take(&mut self.sheet);
        self.left.push((self.form, left));
        self.form = form;
        match self.left.iter().position(|(left, _)| *left == form) {
            Some(at) => {
                self.sheet = self.left.remove(at).1;
                self.sheet.looks_for(&self.words);
            }
            None => self.lay_out(run, other),
        }
    }

    /// Looks for words in it.
    pub fn look_for(&mut self, words: Clean) {
        (self.words, self.was_opened_at) = (words, false);
        self.sheet.looks_for(&self.words);
        self.sheet.comes_to_found();
    }

    /// The origin of the selected row: its own, or that of the nearest row around it.
    fn whence(&self) -> Option<Step> {
        let at = self.sheet.at.node;
        let mut all = std::iter::once(at).chain(self.sheet.tree().above(at));
        all.find_map(|at| self.sheet.node(at)?.from.as_ref()?.to)
    }
}

/// Another run, by its name.
type Other<'a> = Option<(&'a str, &'a Run)>;

fn other(beside: &Option<(Clean, Arc<Run>)>) -> Other<'_> {
    beside.as_ref().map(|(name, other)| (name.as_str(), &**other))
}

/// Shows the differences from the other run that was read; says so if that has nothing like it.
pub fn compare(ui: &mut Ui, run: &Run) {
    let other = other(&ui.beside);
    let Overlay::Inspector(open) = &mut ui.overlay else { return };
    let all = changes::against(run, open.what, other);
    match all.iter().position(changes::Against::is_of_another_run) {
        Some(at) => {
            open.left.retain(|(form, _)| !matches!(form, Form::Changes(_)));
            // A comparison with another run is not kept.
            if matches!(open.form, Form::Changes(_)) {
                open.show_as(run, None, Form::Tree);
                open.left.clear();
            }
            open.show_as(run, other, Form::Changes(at));
            ui.status = None;
        }
        None => {
            let name = other.map(|(name, _)| name).unwrap_or_default();
            ui.status = Some(Clean::line(&format!("run {name} has nothing that is the same as this")));
        }
    }
}

/// The run has changed, or another moment of it is shown: open calls may have ended.
pub fn follow(ui: &mut Ui, run: &Run) {
    let Overlay::Inspector(open) = &mut ui.overlay else { return };
    let Some(heading) = subject::heading(run, open.what) else { return };
    if open.is_settled && heading.is_settled {
        return;
    }
    open.is_settled = heading.is_settled;
    open.left.clear();
    open.sheet = open.sheet.renewed(open.rows(run, other(&ui.beside)));
    if open.form == Form::Tree {
        open.tokens = open.sheet.tree().tokens();
    }
    open.sheet.looks_for(&open.words);
}

/// Opens the inspector with a step of a transcript.
pub fn open(ui: &mut Ui, run: &Run, what: Step) {
    ui.overlay = Overlay::Inspector(Inspector::of(run, what));
}

/// The same at the first place that holds these words, if there is one: it is unfolded there, and they are lit.
pub fn open_at(ui: &mut Ui, run: &Run, what: Step, words: &str) {
    let mut inspector = Inspector::of(run, what);
    inspector.look_for(Clean::line(words.trim()));
    inspector.was_opened_at = inspector.sheet.found().1 > 0;
    if !inspector.was_opened_at {
        inspector.look_for(Clean::default());
    }
    ui.overlay = Overlay::Inspector(inspector);
}

pub static KEYS: Keys = Keys {
    title: "the inspector",
    groups: &[&[
        row(&[c('t')], Action::Form, Some("tree or raw"), "as a tree, or as the recorded JSON"),
        row(
            &[c('d')],
            Action::Changes,
            Some("changes"),
            "what has changed since the one before of its kind, or since you changed it; again: against another",
        ),
        row(&[c('w')], Action::Beside, None, "what is another in the same of another run"),
        row(&[c('/')], Action::Find, Some("search"), "look for words in it"),
        row(&[c('o')], Action::Whence, Some("its origin"), "open what the part came from; Esc comes back"),
        row(&[c(' '), ENTER], Action::Fold, Some("fold"), "fold the part, or open it"),
        row(&[c('s')], Action::Save, Some("save"), "save it as a file, in the folder where masthead was started"),
        row(&[c('y')], Action::Copy, Some("copy"), "copy it as JSON, or the changes"),
        row(&[c('Y')], Action::CopyPart, None, "copy the selected part alone"),
        row(&[c('l'), RIGHT], Action::OpenPart, None, "open the part, then go into it"),
        row(&[c('h'), LEFT], Action::ClosePart, None, "fold the part, then go to what it is in"),
        row(&[c('c')], Action::FoldAll, None, "fold all parts"),
        row(&[c('e')], Action::OpenAll, None, "open all parts"),
        row(&[c('n')], Action::NextFound, None, "the next place with the words that were looked for"),
        row(&[c('N')], Action::PreviousFound, None, "the place before"),
        row(
            &[TAB],
            Action::Next,
            Some("next"),
            "next handoff, or next call of the same specialist; refused handoffs are last",
        ),
        row(&[BACK_TAB], Action::Previous, None, "the one before"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw: draw::draw, is_stale, ..Screen::PLAIN };

/// Cells of the lines before anything was drawn.
const USUAL: usize = 76;

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (page, cells) = (ui.seen.page, if ui.seen.cells == 0 { USUAL } else { ui.seen.cells });
    let Overlay::Inspector(open) = &mut ui.overlay else { return None };
    match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            open.sheet.moves(action, page, cells);
        }
        Action::Next | Action::Previous => {
            let all = subject::all(run, open.what);
            let at = all.iter().position(|one| *one == open.what).unwrap_or(0);
            let next = *all.get(turned(action, at, all.len()))?;
            let other = other(&ui.beside);
            let (form, words, before) = (open.form, std::mem::take(&mut open.words), open.before.take());
            let form = if matches!(form, Form::Changes(_)) { Form::Changes(0) } else { form };
            *open = Inspector { words, before, ..Inspector::of(run, next) };
            if form != Form::Tree {
                open.show_as(run, other, form);
            }
            open.sheet.looks_for(&open.words);
            if let Step::Handoff(no) = next {
                ui.team.handoff = Some(no);
            }
        }
        Action::Form => open.show_as(run, None, if open.form == Form::Tree { Form::Raw } else { Form::Tree }),
        Action::Changes => {
            let other = other(&ui.beside);
            let all = changes::against(run, open.what, other).len();
            let next = match open.form {
                Form::Changes(at) => (at + 1) % all.max(1),
                _ => 0,
            };
            open.show_as(run, other, Form::Changes(next));
        }
        Action::Fold => open.sheet.fold(),
        Action::OpenPart => open.sheet.opens(),
        Action::ClosePart => open.sheet.closes(),
        Action::FoldAll | Action::OpenAll => open.sheet.fold_all(action == Action::FoldAll),
        Action::Beside => beside::open(ui, run),
        Action::Find => finding::open(ui),
        Action::NextFound | Action::PreviousFound => open.sheet.goes_to_found(action == Action::NextFound),
        Action::Whence => {
            let to = open.whence()?;
            let before = std::mem::replace(open, Inspector::of(run, to));
            open.before = Some(Box::new(before));
        }
        Action::Back if !open.words.is_empty() && !open.was_opened_at => open.look_for(Clean::default()),
        Action::Back => *open = *open.before.take()?,
        Action::Copy => {
            let (what, text) = (copied(open), text(run, open)?);
            return Some(vec![Effect::Copy { what, text }]);
        }
        Action::CopyPart => {
            let text = part(&open.sheet);
            return Some(vec![Effect::Copy { what: "the part", text }]);
        }
        Action::Save => {
            let (name, text) = (name(run, open), text(run, open)?);
            return Some(vec![Effect::Save { name, text }]);
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    let Overlay::Inspector(open) = &ui.overlay else { return None };
    match action {
        Action::Next | Action::Previous if subject::all(run, open.what).len() < 2 => Some("there is no other".into()),
        Action::Changes => match changes::against(run, open.what, other(&ui.beside)).len() {
            0 => Some("it is the first of its kind in this run: w compares it with that of another".into()),
            1 if matches!(open.form, Form::Changes(_)) => Some("there is nothing else to compare it with".into()),
            _ => None,
        },
        Action::NextFound | Action::PreviousFound if open.words.is_empty() => {
            Some("nothing is looked for: / takes words".into())
        }
        Action::NextFound | Action::PreviousFound if open.sheet.found().1 == 0 => {
            Some(Clean::line(&format!("“{}” is not in it", open.words)))
        }
        Action::Fold | Action::OpenPart | Action::ClosePart | Action::FoldAll | Action::OpenAll
            if open.form != Form::Tree =>
        {
            Some("only the tree folds: t shows it".into())
        }
        Action::Beside if !ui.reads_others => Some("no other run can be read from here".into()),
        Action::Whence if open.whence().is_none() => {
            Some("nothing of this run leads further: j and k go to a part that says where it came from".into())
        }
        _ => None,
    }
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    matches!(&ui.overlay, Overlay::Inspector(open) if subject::heading(run, open.what).is_none())
}

/// The text to copy and save: the recorded JSON, or the changes as they are shown.
pub fn text(run: &Run, open: &Inspector) -> Option<String> {
    match open.form {
        Form::Changes(_) => Some(draw::plain(&open.sheet)),
        Form::Tree | Form::Raw => subject::json(run, open.what).map(|text| text.to_string()),
    }
}

fn copied(open: &Inspector) -> &'static str {
    match (open.form, open.what) {
        (Form::Changes(_), _) => "what has changed",
        (_, Step::Handoff(_)) => "the handoff",
        (_, Step::Refused(..)) => "the refused handoff",
        (_, Step::Call(_)) => "the tool call",
        (_, Step::Exchange(_)) => "the exchange",
    }
}

/// A file name for the saved text.
pub fn name(run: &Run, open: &Inspector) -> String {
    let id = run.opening.as_ref().map(|opening| opening.run.to_string()).unwrap_or_default();
    let plain = |id: String| id.replace(['/', '~'], "-");
    let what = match open.what {
        Step::Handoff(no) => format!("handoff-{}", no.0),
        Step::Refused(by, turn) => format!("refused-{}-{turn}", plain(by.to_string())),
        Step::Call(id) | Step::Exchange(id) => format!("call-{}", plain(id.to_string())),
    };
    let (more, end) = if matches!(open.form, Form::Changes(_)) { ("-changes", "diff") } else { ("", "json") };
    format!("masthead-{id}-{what}{more}.{end}")
}

/// The selected part alone, as text.
fn part(sheet: &Sheet) -> String {
    let Some(node) = sheet.selected() else { return String::new() };
    let below = sheet.at.node + 1..sheet.at.node + 1 + node.below as usize;
    let line = |node: &crate::inspect::Node, top: u16| {
        let indent = "  ".repeat(usize::from(node.depth.saturating_sub(top)));
        let gap = if node.name.is_empty() { "" } else { ": " };
        format!("{indent}{}{gap}{}", node.name, if node.below > 0 { "" } else { &node.text })
    };
    if below.is_empty() {
        return node.text.clone();
    }
    let is_text = sheet.node(below.start).is_some_and(|first| first.kind == crate::inspect::Kind::Line);
    let top = node.depth + u16::from(is_text);
    let own = (!is_text).then(|| line(node, top));
    let lines = below.filter_map(|at| sheet.node(at)).map(|node| line(node, top));
    own.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}
