//! The keys: one table from which dispatch, the hints on the last line and the help page are all made.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Everywhere, also while typing.
    Always,
    /// Wherever the run can be seen, when a specialist or a model call needs the person.
    Asked,
    /// On every page of a run.
    Run,
    /// On the team page.
    Team,
    /// On the findings page.
    Findings,
    /// On the plan page.
    Plan,
    /// On the brief page.
    Brief,
    /// In an opened handoff.
    Payload,
    /// In an opened passage.
    Passage,
    /// On the help page.
    Help,
    /// While writing.
    Writing,
    /// While writing a filter.
    Filtering,
    /// While a cap is raised.
    Raising,
    /// While a question of a specialist is answered.
    Answering,
    /// While choosing who does a piece of work.
    Choosing,
    /// At a question with yes and no.
    Confirm,
    /// At home.
    Home,
    /// In the list of earlier runs.
    Runs,
}

impl Context {
    /// What the help page calls it.
    pub fn title(self) -> &'static str {
        match self {
            Context::Always => "everywhere",
            Context::Asked => "when you are asked something",
            Context::Run => "on every page",
            Context::Team => "team",
            Context::Findings => "findings",
            Context::Plan => "plan",
            Context::Brief => "brief",
            Context::Payload => "an opened handoff or exchange",
            Context::Passage => "an opened passage",
            Context::Help => "this help",
            Context::Writing => "while writing",
            Context::Filtering => "while filtering",
            Context::Answering => "while answering",
            Context::Choosing => "while choosing who does it",
            Context::Raising => "while raising a cap",
            Context::Confirm => "at a question",
            Context::Home => "home",
            Context::Runs => "earlier runs",
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table below describes each in the words the person reads")]
pub enum Action {
    Help,
    Back,
    Quit,
    Interrupt,
    Suspend,
    Redraw,
    GoTeam,
    GoFindings,
    GoBrief,
    GoPlan,
    Next,
    Previous,
    Down,
    Up,
    PageDown,
    PageUp,
    Top,
    End,
    Zoom,
    FollowAgain,
    Fold,
    FoldAll,
    Graph,
    Handoffs,
    Open,
    Form,
    Copy,
    PauseOrContinue,
    Cancel,
    Exchange,
    Retry,
    Skip,
    RetryAll,
    SkipAll,
    TryAgain,
    Answer,
    Earlier,
    Later,
    First,
    Latest,
    Play,
    Toggle,
    Edit,
    Add,
    More,
    Filter,
    Undo,
    Approve,
    Drop,
    Title,
    Who,
    After,
    MoveDown,
    MoveUp,
    Another,
    Raise,
    NextCap,
    Yes,
    No,
    Submit,
    NextTopic,
    Higher,
    Lower,
    HoldOne,
    CancelOne,
    RetryOne,
    Reassign,
    Tell,
    Start,
    NextBox,
}

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    /// The keys.
    pub keys: &'static [Key],
    /// Where they mean it.
    pub context: Context,
    /// What they do.
    pub action: Action,
    /// In words, for the help page.
    pub description: &'static str,
    /// In a word or two, for the last line; None keeps it off.
    pub hint: Option<&'static str>,
}

/// A key with the modifiers that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Without a modifier (Shift is in the character).
    Plain(KeyCode),
    /// With Ctrl.
    Ctrl(char),
}

impl Key {
    fn is(self, event: &KeyEvent) -> bool {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        match self {
            Key::Plain(code) => code == event.code && !ctrl && !alt,
            Key::Ctrl(c) => event.code == KeyCode::Char(c) && ctrl && !alt,
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Key::Ctrl(c) => return write!(f, "^{}", c.to_ascii_uppercase()),
            Key::Plain(KeyCode::Char(' ')) => "space",
            Key::Plain(KeyCode::Char(c)) => return write!(f, "{c}"),
            Key::Plain(KeyCode::Enter) => "Enter",
            Key::Plain(KeyCode::Esc) => "Esc",
            Key::Plain(KeyCode::Tab) => "Tab",
            Key::Plain(KeyCode::BackTab) => "Shift-Tab",
            Key::Plain(KeyCode::Up) => "↑",
            Key::Plain(KeyCode::Down) => "↓",
            Key::Plain(KeyCode::Left) => "←",
            Key::Plain(KeyCode::Right) => "→",
            Key::Plain(KeyCode::PageUp) => "PgUp",
            Key::Plain(KeyCode::PageDown) => "PgDn",
            Key::Plain(KeyCode::Home) => "Home",
            Key::Plain(KeyCode::End) => "End",
            Key::Plain(KeyCode::F(n)) => return write!(f, "F{n}"),
            Key::Plain(_) => "?",
        };
        f.write_str(name)
    }
}

const fn c(c: char) -> Key {
    Key::Plain(KeyCode::Char(c))
}
const ENTER: Key = Key::Plain(KeyCode::Enter);
const ESC: Key = Key::Plain(KeyCode::Esc);
const TAB: Key = Key::Plain(KeyCode::Tab);
const BACK_TAB: Key = Key::Plain(KeyCode::BackTab);
const UP: Key = Key::Plain(KeyCode::Up);
const DOWN: Key = Key::Plain(KeyCode::Down);
const LEFT: Key = Key::Plain(KeyCode::Left);
const RIGHT: Key = Key::Plain(KeyCode::Right);
const F1: Key = Key::Plain(KeyCode::F(1));
const PAGE_UP: Key = Key::Plain(KeyCode::PageUp);
const PAGE_DOWN: Key = Key::Plain(KeyCode::PageDown);

const fn row(
    context: Context,
    keys: &'static [Key],
    action: Action,
    hint: Option<&'static str>,
    description: &'static str,
) -> Row {
    Row { keys, context, action, description, hint }
}

/// The table. Rows of one context stand together, the most used first.
pub const ROWS: &[Row] = &[
    row(Context::Asked, &[c('c')], Action::TryAgain, Some("try again"), "ask the provider again, once it is mended"),
    row(Context::Asked, &[c('r')], Action::Retry, Some("retry"), "make the call in doubt again"),
    row(Context::Asked, &[c('s')], Action::Skip, Some("skip"), "let the call in doubt have failed"),
    row(Context::Asked, &[c('R')], Action::RetryAll, Some("retry all"), "make every call in doubt again"),
    row(Context::Asked, &[c('S')], Action::SkipAll, Some("skip all"), "let every call in doubt have failed"),
    row(Context::Asked, &[c('y')], Action::Answer, Some("your answer"), "answer what a specialist asks you"),
    row(Context::Team, &[TAB, c('l'), RIGHT], Action::Next, Some("pane"), "next pane"),
    row(Context::Team, &[BACK_TAB, c('h'), LEFT], Action::Previous, None, "pane before"),
    row(
        Context::Team,
        &[ENTER],
        Action::Open,
        Some("open"),
        "zoom the pane, then what its model was told; or the handoff",
    ),
    row(Context::Team, &[c('z')], Action::Zoom, None, "zoom in and out again"),
    row(Context::Team, &[c('o')], Action::Exchange, None, "what the model was told and answered, to the letter"),
    row(Context::Team, &[c('i')], Action::Handoffs, Some("handoffs"), "to the list of handoffs and back"),
    row(Context::Team, &[c('v')], Action::Graph, None, "view the graph alone, and back"),
    row(Context::Team, &[c(' ')], Action::Fold, None, "fold the section in front in the graph, or open it"),
    row(Context::Team, &[c('F')], Action::FoldAll, None, "fold all sections, or open all"),
    row(
        Context::Team,
        &[c('m')],
        Action::Tell,
        Some("message"),
        "a message to the specialist in front; it reads it at its next turn",
    ),
    row(Context::Team, &[c('+'), c('=')], Action::Higher, None, "the specialist in front goes before others"),
    row(Context::Team, &[c('-')], Action::Lower, None, "the specialist in front goes after others"),
    row(
        Context::Team,
        &[c('H')],
        Action::HoldOne,
        None,
        "pause the specialist in front, or let it go on; the others work",
    ),
    row(Context::Team, &[c('X')], Action::CancelOne, None, "end the specialist in front (asks first); the others work"),
    row(Context::Team, &[c('a')], Action::RetryOne, None, "try the work of the specialist in front again"),
    row(Context::Team, &[c('w')], Action::Reassign, None, "give the work of the specialist in front to another"),
    row(Context::Team, &[c('f')], Action::FollowAgain, None, "follow whoever works, as it comes"),
    row(Context::Findings, &[c(' ')], Action::Toggle, Some("toggle"), "drop the finding, or take it back in"),
    row(Context::Findings, &[c('A')], Action::Approve, Some("approve"), "approve: write with what is left"),
    row(Context::Findings, &[c('e')], Action::Edit, Some("edit"), "put the claim into other words"),
    row(Context::Findings, &[c('a')], Action::Add, Some("add"), "add a fact of your own"),
    row(Context::Findings, &[c('m')], Action::More, Some("more"), "ask for more research on a sub-topic"),
    row(Context::Findings, &[c('u')], Action::Undo, Some("undo"), "take back what you did last"),
    row(Context::Findings, &[c('b')], Action::Raise, Some("cap"), "raise a cap of the run's budget"),
    row(Context::Findings, &[c('/')], Action::Filter, Some("find"), "show only findings that hold some words"),
    row(Context::Findings, &[ENTER, TAB], Action::Open, None, "the finding with its whole passage"),
    row(Context::Plan, &[c('A')], Action::Approve, Some("approve"), "approve: work the plan as it is"),
    row(Context::Plan, &[c('d'), c(' ')], Action::Drop, Some("drop"), "take the task out"),
    row(Context::Plan, &[c('e'), ENTER], Action::Edit, Some("reword"), "put what the task asks into other words"),
    row(Context::Plan, &[c('t')], Action::Title, Some("title"), "call the task something else"),
    row(Context::Plan, &[c('a')], Action::Add, Some("add"), "add a task of your own"),
    row(Context::Plan, &[c('u')], Action::Undo, Some("undo"), "take back what you did last"),
    row(Context::Plan, &[c('m')], Action::Another, Some("another plan"), "ask for another plan, with a wish"),
    row(Context::Plan, &[c('w')], Action::Who, Some("who"), "give the task to the next who takes tasks"),
    row(Context::Plan, &[c('o')], Action::After, Some("order"), "say what the task waits for"),
    row(Context::Plan, &[c('J')], Action::MoveDown, None, "move the task down"),
    row(Context::Plan, &[c('K')], Action::MoveUp, None, "move the task up"),
    row(Context::Plan, &[c('b')], Action::Raise, Some("cap"), "raise a cap of the run's budget"),
    row(Context::Brief, &[c('n'), TAB], Action::Next, Some("citation"), "next citation"),
    row(Context::Brief, &[c('N'), BACK_TAB], Action::Previous, None, "citation before"),
    row(Context::Brief, &[ENTER], Action::Open, Some("passage"), "what the citation rests on: finding, passage, file"),
    row(Context::Brief, &[c('y')], Action::Copy, Some("copy"), "copy the brief as Markdown"),
    row(Context::Payload, &[c('t')], Action::Form, Some("tree or raw"), "as a tree, or as the recorded JSON"),
    row(Context::Payload, &[c('y')], Action::Copy, Some("copy"), "copy it as JSON"),
    row(Context::Payload, &[c('n'), c('l'), RIGHT, TAB], Action::Next, Some("next"), "next handoff or exchange"),
    row(Context::Payload, &[c('N'), c('h'), LEFT, BACK_TAB], Action::Previous, None, "handoff or exchange before"),
    row(Context::Passage, &[c('n'), c('l'), RIGHT, TAB], Action::Next, Some("next"), "next citation or finding"),
    row(Context::Passage, &[c('N'), c('h'), LEFT, BACK_TAB], Action::Previous, None, "citation or finding before"),
    row(Context::Passage, &[c('y')], Action::Copy, Some("copy"), "copy claim, quote and place"),
    row(Context::Writing, &[ENTER], Action::Submit, Some("done"), "done"),
    row(Context::Writing, &[TAB], Action::NextTopic, Some("sub-topic"), "choose the sub-topic"),
    row(Context::Writing, &[ESC], Action::Back, Some("never mind"), "leave it as it was"),
    row(Context::Filtering, &[ENTER], Action::Submit, Some("keep the filter"), "keep the filter"),
    row(Context::Filtering, &[ESC], Action::Back, Some("show all"), "show all again"),
    row(Context::Raising, &[ENTER], Action::Submit, Some("raise"), "raise it"),
    row(Context::Raising, &[TAB], Action::NextCap, Some("another cap"), "choose another of the run's caps"),
    row(Context::Raising, &[ESC], Action::Back, Some("never mind"), "leave it as it was"),
    row(Context::Answering, &[ENTER], Action::Submit, Some("answer"), "answer so"),
    row(Context::Answering, &[DOWN, TAB], Action::Down, Some("choice"), "next choice"),
    row(Context::Answering, &[UP, BACK_TAB], Action::Up, None, "choice before"),
    row(Context::Answering, &[ESC], Action::Back, Some("later"), "leave it open"),
    row(Context::Choosing, &[ENTER], Action::Submit, Some("give it"), "give the work to this one"),
    row(Context::Choosing, &[c('j'), DOWN, TAB], Action::Down, Some("choice"), "next choice"),
    row(Context::Choosing, &[c('k'), UP, BACK_TAB], Action::Up, None, "choice before"),
    row(Context::Choosing, &[ESC, c('q')], Action::Back, Some("never mind"), "leave it as it was"),
    row(Context::Confirm, &[c('y')], Action::Yes, Some("yes"), "yes"),
    row(Context::Confirm, &[c('n'), ESC, c('q')], Action::No, Some("no"), "no"),
    row(Context::Home, &[ENTER], Action::Start, Some("start"), "start, or open the selected run"),
    row(Context::Home, &[TAB], Action::NextBox, Some("next box"), "question, sources, earlier runs"),
    row(Context::Home, &[BACK_TAB], Action::Previous, None, "box before"),
    row(Context::Home, &[ESC], Action::Quit, Some("quit"), "leave"),
    row(Context::Home, &[F1], Action::Help, Some("help"), "this help"),
    row(Context::Runs, &[c('j'), DOWN], Action::Down, None, "next run"),
    row(Context::Runs, &[c('k'), UP], Action::Up, None, "run before"),
    row(Context::Runs, &[c('g')], Action::Top, None, "first run"),
    row(Context::Runs, &[c('G')], Action::End, None, "last run"),
    row(Context::Runs, &[c('q')], Action::Quit, None, "leave"),
    row(Context::Run, &[c('j'), DOWN], Action::Down, None, "down"),
    row(Context::Run, &[c('k'), UP], Action::Up, None, "up"),
    row(Context::Run, &[PAGE_DOWN, Key::Ctrl('d')], Action::PageDown, None, "a page down"),
    row(Context::Run, &[PAGE_UP, Key::Ctrl('u')], Action::PageUp, None, "a page up"),
    row(Context::Run, &[c('g'), Key::Plain(KeyCode::Home)], Action::Top, None, "to the top"),
    row(Context::Run, &[c('G'), Key::Plain(KeyCode::End)], Action::End, None, "to the end, and follow"),
    row(Context::Run, &[c('1')], Action::GoTeam, None, "the team at work"),
    row(Context::Run, &[c('2')], Action::GoFindings, Some("findings"), "the findings"),
    row(Context::Run, &[c('3')], Action::GoBrief, Some("brief"), "the brief"),
    row(Context::Run, &[c('4')], Action::GoPlan, Some("plan"), "the plan, where the run stops for you to look at it"),
    row(Context::Run, &[c('[')], Action::Earlier, Some("back in time"), "one event back in time"),
    row(Context::Run, &[c(']')], Action::Later, Some("on"), "one event on"),
    row(Context::Run, &[c('{')], Action::First, None, "to the first event"),
    row(Context::Run, &[c('}')], Action::Latest, Some("latest"), "to the latest event"),
    row(Context::Run, &[c('P')], Action::Play, Some("play"), "play the run again from here, or stop playing"),
    row(Context::Run, &[c('p')], Action::PauseOrContinue, Some("pause"), "pause the run, or let it go on"),
    row(Context::Run, &[c('b')], Action::Raise, Some("cap"), "raise a cap of the run, where it needs you"),
    row(Context::Run, &[c('x')], Action::Cancel, None, "stop the run for good (asks first)"),
    row(Context::Run, &[c('q'), ESC], Action::Back, Some("back"), "back; at the top: leave, the run is kept"),
    row(Context::Run, &[c('Q')], Action::Quit, None, "leave the program; the run is kept"),
    row(Context::Run, &[c('?'), F1], Action::Help, Some("help"), "this help"),
    row(Context::Always, &[Key::Ctrl('c')], Action::Interrupt, None, "twice: leave the program; the run is kept"),
    row(Context::Always, &[Key::Ctrl('z')], Action::Suspend, None, "put the program into the background"),
    row(Context::Always, &[Key::Ctrl('l')], Action::Redraw, None, "paint the screen anew"),
];

/// The row a key means here; `contexts` are tried in order.
pub fn find(contexts: &[Context], key: &KeyEvent) -> Option<&'static Row> {
    contexts
        .iter()
        .find_map(|context| ROWS.iter().find(|row| row.context == *context && row.keys.iter().any(|k| k.is(key))))
}

/// Where else the key means something, so that the screen can say so.
pub fn elsewhere(key: &KeyEvent) -> Option<&'static Row> {
    let pages = [Context::Team, Context::Findings, Context::Plan, Context::Brief, Context::Payload];
    find(&pages, key)
}

/// Rows of these contexts that have a hint, in the order of the table.
pub fn hints(contexts: &[Context]) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.hint.is_some() && contexts.contains(&row.context))
}

/// The keys of a row as the help page shows them.
pub fn keys(row: &Row) -> String {
    row.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_context() {
        for (n, row) in ROWS.iter().enumerate() {
            for other in &ROWS[n + 1..] {
                let shared = row.keys.iter().find(|key| other.keys.contains(key));
                assert!(row.context != other.context || shared.is_none(), "{shared:?} in {:?}", row.context);
            }
        }
    }

    #[test]
    fn every_movement_has_an_arrow_and_a_letter() {
        for action in [Action::Down, Action::Up] {
            for row in ROWS.iter().filter(|row| row.action == action) {
                assert!(row.keys.contains(&if action == Action::Down { DOWN } else { UP }));
                // Where words are written, letters are letters.
                let letters = row.context != Context::Answering;
                assert!(!letters || row.keys.contains(&if action == Action::Down { c('j') } else { c('k') }));
            }
        }
    }
}
