//! Tells of traces as they come: to the screens, or as lines. The changes of the trace on the screen are told anew, so often that
//! telling takes half of the time. Of the others only the text of their line is worked out, and only while the list is shown.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use ::listener::Address;
use desk::{Clock, SystemClock};
use import::Story;
use import::live::Standing;
use import::summary::Summary;
use run::{Envelope, ModelId, Notice, Run};
use serde::Serialize;
use text::Clean;
use tui::{Listing, Mark, State, TraceLine};

use super::super::super::exit::{self, Failure};
use super::super::super::inspect::still_open;
use super::super::super::lines::Lines;
use super::super::super::place::Places;
use super::super::follow::news;
use super::super::keep;
use super::super::table::Table;
use super::Hub;

/// The least time between two tellings.
const PAUSE: Duration = Duration::from_millis(250);
/// After each update comes a pause of this many times its own duration.
const RATHER_LISTEN: u32 = 1;
/// The longest pause between two updates.
const MOST_PAUSE: Duration = Duration::from_secs(3);

/// The pause after an update that took so long; at least `least`.
pub(in crate::open) fn rest_after(took: Duration, least: Duration) -> Duration {
    (took * RATHER_LISTEN).clamp(least, MOST_PAUSE)
}
/// The interval at which traces are checked for changes that no new span announces: a trace that has gone quiet.
const LOOKS: Duration = Duration::from_millis(1_000);
/// The silence after which a trace that has ended is kept and printed (ms): the last spans of several
/// processes come one after another.
const SETTLED: i64 = 1_500;

/// The trace or list that is shown.
pub(super) enum Show {
    /// All traces.
    List(Sender<Listing>),
    /// One of them, by its id.
    Trace(Clean, Sender<Notice>),
}

/// A trace as it was told last.
struct Told {
    version: (u64, bool),
    standing: Standing,
    /// Its line in the list; None until it is shown.
    line: Option<TraceLine>,
    /// The version that was kept or printed.
    settled: Option<(u64, bool)>,
}

pub(super) struct Teller {
    hub: Arc<Hub>,
    prices: Table,
    /// The places of the stored traces.
    places: Places,
    /// Whether all traces are kept once they have ended; else those that the person wants to keep.
    keeps_ended: bool,
    address: Address,
    told: BTreeMap<Clean, Told>,
    /// The remarks on the traces that were kept.
    kept: Vec<String>,
    show: Option<Show>,
    /// The events of the trace on the screen, as it knows them.
    known: Vec<Arc<Envelope>>,
    /// The same as they were read last, where that is new.
    fresh: Option<Vec<Arc<Envelope>>>,
    /// The list as it was shown last.
    listed: Option<Listing>,
    version: u64,
    pause: Duration,
}

fn now() -> i64 {
    SystemClock.now().0
}

impl Teller {
    pub(super) fn new(hub: Arc<Hub>, prices: Table, places: Places, keeps_ended: bool, address: Address) -> Teller {
        Teller {
            hub,
            prices,
            places,
            keeps_ended,
            address,
            told: BTreeMap::new(),
            kept: Vec::new(),
            show: None,
            known: Vec::new(),
            fresh: None,
            listed: None,
            version: 0,
            pause: Duration::ZERO,
        }
    }

    /// Tells the screens until they are left.
    pub(super) fn tell_screens(&mut self) {
        while self.wait() {
            let begun = Instant::now();
            let before = self.lines();
            self.read();
            self.keep(SETTLED);
            self.show_trace(before);
            self.show_list();
            self.pause = rest_after(begun.elapsed(), PAUSE);
        }
    }

    /// Keeps the traces that have ended, and remarks that the rest are not kept; returns the remarks on those that were.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.read();
        self.keep(0);
        if self.keeps_ended {
            let open = self.told.values().filter(|told| told.standing.has_work && !told.standing.has_ended).count();
            if open > 0 {
                let of = text::count(open, "trace");
                self.kept.push(format!("{of} had not ended: not kept"));
            }
        }
        self.kept
    }

    /// Prints each trace once it has ended, until nobody reads on.
    pub(super) fn print(&mut self, json: bool) -> Result<(), Failure> {
        let mut printed: BTreeMap<Clean, Lines> = BTreeMap::new();
        while self.wait() {
            let begun = Instant::now();
            let before: Vec<Clean> = self.told.keys().cloned().collect();
            self.read();
            for (id, told) in &self.told {
                if !before.contains(id) {
                    exit::say(&format!("trace {id} of {} has begun", named(&told.standing)));
                }
            }
            for words in std::mem::take(&mut self.hub.lock().remarks.new) {
                exit::say(&words);
            }
            // Lines are printed once: of a trace of which more comes later, only the new part is printed.
            let quiet_since = now() - SETTLED;
            let mut settled: Vec<&Clean> =
                self.told.iter().filter(|(_, told)| told.is_settled(quiet_since)).map(|(id, _)| id).collect();
            settled.sort_by_key(|id| self.told[*id].standing.first);
            for id in settled {
                let goes_on = match (json, printed.get_mut(id)) {
                    (true, _) => match self.story(id) {
                        Some(story) => print_json(&self.told[id], &self.prices.run(story))?,
                        None => true,
                    },
                    (false, Some(lines)) => lines.print_after(&self.events(id, &[])),
                    (false, None) => {
                        let mut lines = Lines::default();
                        let goes_on = lines.print(&self.events(id, &[]));
                        printed.insert(id.clone(), lines);
                        goes_on
                    }
                };
                if !goes_on {
                    return Ok(());
                }
            }
            self.keep(SETTLED);
            std::mem::take(&mut self.kept).iter().for_each(|words| exit::say(words));
            for told in self.told.values_mut().filter(|told| told.is_settled(quiet_since)) {
                told.settled = Some(told.version);
            }
            printed.retain(|id, _| self.told.contains_key(id));
            self.pause = rest_after(begun.elapsed(), PAUSE);
        }
        Ok(())
    }

    /// Waits for the next time to tell; false once it is over.
    fn wait(&mut self) -> bool {
        let mut came = self.hub.wait(self.version, self.pause, self.pause.max(LOOKS));
        self.version = came.version;
        if let Some(show) = came.turned.take() {
            self.show = Some(show);
            (self.known, self.fresh, self.listed) = (Vec::new(), None, None);
        }
        !came.is_over
    }

    /// The number of traces.
    fn lines(&self) -> usize {
        self.told.values().filter(|told| told.standing.has_work).count()
    }

    /// Takes in the changes, and reads anew the trace on the screen.
    fn read(&mut self) {
        let standing = self.hub.lock().traces.standing(now());
        self.told.retain(|id, _| standing.iter().any(|one| one.id == *id));
        for standing in standing {
            if self.told.get(&standing.id).is_some_and(|told| told.version == standing.version) {
                continue;
            }
            if matches!(&self.show, Some(Show::Trace(id, _)) if *id == standing.id) {
                self.fresh = Some(self.events(&standing.id, &self.known));
            }
            let settled = self.told.get(&standing.id).and_then(|told| told.settled);
            let told = Told { version: standing.version, line: None, settled, standing };
            self.told.insert(told.standing.id.clone(), told);
        }
    }

    /// The story of a trace as far as it has come.
    fn story(&self, id: &Clean) -> Option<Story> {
        self.hub.lock().traces.story(id, now())
    }

    /// The events of a trace as far as it has come. They take more room than its spans, and are kept only while it is shown;
    /// those that are known already are shared.
    fn events(&self, id: &Clean, known: &[Arc<Envelope>]) -> Vec<Arc<Envelope>> {
        // Spans are taken in while events are made of the story.
        self.story(id).map_or_else(Vec::new, |story| self.prices.events(story, known))
    }

    fn show_trace(&mut self, before: usize) {
        let Some(Show::Trace(id, notices)) = &self.show else { return };
        if !self.told.contains_key(id) {
            let gone = "this trace was dropped to make room for newer ones".into();
            return drop(notices.send(Notice::Stopped(Some(gone))));
        }
        let fresh = self.fresh.take().or_else(|| self.known.is_empty().then(|| self.events(id, &[])));
        if let Some(fresh) = fresh {
            // The screen may be closed.
            if let Some(notice) = news(&self.known, &fresh) {
                let _ = notices.send(notice);
            }
            self.known = fresh;
        }
        let others = self.lines();
        if others > before && before > 0 {
            let words = format!("a new trace has arrived: q lists all {others}");
            let _ = notices.send(Notice::Said(words.into()));
        }
    }

    fn show_list(&mut self) {
        if !matches!(self.show, Some(Show::List(_))) {
            return;
        }
        let unread = self.told.values().filter(|told| told.standing.has_work && told.line.is_none());
        let unread: Vec<Clean> = unread.map(|told| told.standing.id.clone()).collect();
        for id in unread {
            let story = self.story(&id);
            let rates = |model: &ModelId| self.prices.rates(model);
            if let (Some(story), Some(told)) = (story, self.told.get_mut(&id)) {
                told.line = Some(line(&told.standing, &story, story.pricing(&rates).to_string().into()));
            }
        }
        let Some(Show::List(news)) = &self.show else { return };
        let mut lines: Vec<(i64, TraceLine)> =
            self.told.values().filter_map(|told| Some((told.standing.first, told.line.clone()?))).collect();
        lines.sort_by(|a, b| (b.0, &b.1.id).cmp(&(a.0, &a.1.id)));
        let others = self.told.len() - self.lines();
        let mut remarks = self.hub.lock().remarks.lines();
        if others > 0 {
            let of = text::count(others, "trace");
            remarks.insert(0, format!("{of} without an agent or a model call: not listed").into());
        }
        let lines = lines.into_iter().map(|(_, line)| line).collect();
        let listing = Listing { address: self.address.to_string().into(), lines, remarks };
        if self.listed.as_ref() != Some(&listing) {
            // The screen may be closed.
            let _ = news.send(listing.clone());
            self.listed = Some(listing);
        }
    }

    /// Keeps the traces that the person wants to, and where all are kept, those that have ended and of which nothing has come for so
    /// long.
    fn keep(&mut self, settled: i64) {
        let wanted = std::mem::take(&mut self.hub.lock().wanted);
        for id in wanted {
            let said = self.kept_now(&id).unwrap_or_else(|| format!("trace {id} is not there any more: not kept"));
            self.hub.change(|came| came.remarks.say(&said));
            self.kept.push(said);
        }
        let quiet_since = now() - settled;
        let is_settled = |told: &Told| self.keeps_ended && told.is_settled(quiet_since);
        let settled: Vec<Clean> =
            self.told.iter().filter(|(_, told)| is_settled(told)).map(|(id, _)| id.clone()).collect();
        for id in settled {
            let said = self.kept_now(&id);
            self.kept.extend(said);
            if let (true, Some(told)) = (self.show.is_some(), self.told.get_mut(&id)) {
                told.settled = Some(told.version);
            }
        }
    }

    /// Keeps a trace as it is now; returns a remark for the person.
    fn kept_now(&self, id: &Clean) -> Option<String> {
        let events = self.events(id, &[]);
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        keep(&self.places, &run, &events).unwrap_or_else(|failure| Some(failure.to_string()))
    }
}

impl Told {
    /// Whether it has ended, nothing has come of it since this time, and that is new.
    fn is_settled(&self, quiet_since: i64) -> bool {
        let is_quiet = self.standing.has_ended && self.standing.last <= quiet_since;
        self.standing.has_work && is_quiet && self.settled != Some(self.version)
    }
}

/// The name that the sending program has for itself.
fn named(standing: &Standing) -> Clean {
    if standing.service.is_empty() { "a program without a name".into() } else { standing.service.clone() }
}

fn line(standing: &Standing, story: &Story, cost: Clean) -> TraceLine {
    // Until the first question has come the program's name stands for it.
    let asked = Some(&story.title).filter(|asked| **asked != standing.service);
    let end = story.agents.first().and_then(|root| root.end.as_ref());
    let state = match end.filter(|_| standing.has_ended) {
        Some(end) => {
            let mark = Mark::from(&end.outcome);
            State { mark, word: mark.word().into() }
        }
        None => State { mark: Mark::Running, word: "at work".into() },
    };
    TraceLine {
        id: standing.id.clone(),
        state,
        question: asked.cloned().unwrap_or_default(),
        service: standing.service.clone(),
        spans: standing.spans,
        agents: story.agents.len(),
        cost,
        heard: run::At(standing.last),
    }
}

/// The summary of a trace, as a line of JSON for programs.
#[derive(Serialize)]
struct Line<'a> {
    trace: &'a str,
    /// The id of the run that it is here.
    run: Option<&'a str>,
    service: &'a str,
    spans: usize,
    told: Summary<'a>,
}

/// Prints the facts of a trace as a line of JSON; false once nobody reads on.
fn print_json(told: &Told, run: &Run) -> Result<bool, Failure> {
    let line = Line {
        trace: &told.standing.id,
        run: run.opening.as_ref().map(|opening| opening.run.as_str()),
        service: &told.standing.service,
        spans: told.standing.spans,
        told: Summary::of(run),
    };
    let line = serde_json::to_string(&line).map_err(Failure::other)?;
    let mut out = std::io::stdout().lock();
    still_open(writeln!(out, "{}", text::escape_in_json(line)).and_then(|()| out.flush()))
}
