//! `masthead open --listen`: traces of teams at work, taken on loopback and told as they come.
//!
//! Spans are taken in as fast as they come, and are told anew now and then: showing them costs a share of the time, for any number
//! of them.

mod teller;

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use ::listener::{Address, Form, Listener, Remark, Sink, Taken};
use desk::{Clock, SystemClock};
use import::live::{Batch, Room, Traces};
use run::Notice;
use text::{Clean, count};
use tui::{Leave, Link, Listing, Mode, Opens, TraceChoice};

use super::super::args::{Look, Open};
use super::super::engine;
use super::super::exit::{self, Failure};
use super::super::place::Places;
use super::super::{look, show, work};
use super::table::Table;
pub(super) use teller::rest_after;
use teller::{Show, Teller};
use text::locked::{Locked, Woken};

/// The most remarks that are shown, and that are printed at a time.
const MOST_REMARKS: usize = 20;

/// The spans so far, and remarks for the person.
pub(super) struct Hub {
    came: Mutex<Came>,
    changed: Condvar,
}

struct Came {
    traces: Traces,
    remarks: Remarks,
    /// Counts changes.
    version: u64,
    /// The way to the screen, since it was last asked for.
    turned: Option<Show>,
    /// The traces that the person wants to keep as they are now.
    wanted: Vec<Clean>,
    /// Whether nothing is shown any more.
    is_over: bool,
}

/// Remarks for the person: each is said once, and counted. The latest are shown.
#[derive(Clone, Debug, Default)]
struct Remarks {
    said: BTreeMap<Clean, u64>,
    order: Vec<Clean>,
    /// Remarks that have not been printed yet.
    new: Vec<Clean>,
}

impl Remarks {
    fn say(&mut self, words: &str) {
        let words = Clean::line(words);
        let n = self.said.entry(words.clone()).or_default();
        *n += 1;
        if *n == 1 && self.new.len() < MOST_REMARKS {
            self.new.push(words.clone());
        }
        if !self.order.contains(&words) {
            if self.order.len() == MOST_REMARKS {
                self.order.remove(0);
            }
            self.order.push(words);
        }
        // A sender can make up as many reasons as it likes.
        if self.said.len() > 10 * MOST_REMARKS {
            self.said.retain(|words, _| self.order.contains(words));
        }
    }

    fn lines(&self) -> Vec<Clean> {
        let line = |words: &Clean| match self.said.get(words) {
            Some(n @ 2..) => Clean::from(format!("{words} ({n} times)")),
            _ => words.clone(),
        };
        self.order.iter().map(line).collect()
    }
}

impl Hub {
    fn new() -> Hub {
        let came = Came {
            traces: Traces::new(Room::default()),
            remarks: Remarks::default(),
            version: 0,
            turned: None,
            wanted: Vec::new(),
            is_over: false,
        };
        Hub { came: Mutex::new(came), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Came> {
        self.came.locked()
    }

    fn change(&self, change: impl FnOnce(&mut Came)) {
        let mut came = self.lock();
        change(&mut came);
        came.version += 1;
        drop(came);
        self.changed.notify_all();
    }

    /// Waits until something has changed since this version, or the time is over; a change of the trace shown is told at once,
    /// others after the pause.
    fn wait(&self, known: u64, pause: Duration, most: Duration) -> MutexGuard<'_, Came> {
        let since = Instant::now();
        let mut came = self.lock();
        loop {
            let waited = since.elapsed();
            let is_news = came.version != known;
            if came.is_over || came.turned.is_some() || waited >= most || is_news && waited >= pause {
                return came;
            }
            let left = if is_news { pause - waited } else { most - waited };
            came = self.changed.wait_timeout(came, left).woken().0;
        }
    }

    fn turn(&self, show: Show) {
        self.change(|came| came.turned = Some(show));
    }
}

impl Sink for Hub {
    fn take(&self, body: &[u8], form: Form) -> Result<Taken, String> {
        let batch = match form {
            Form::Json => Batch::json(body),
            Form::Protobuf => Batch::protobuf(body),
        };
        let batch = batch.map_err(|wrong| wrong.to_string())?;
        let mut taken = Taken::default();
        self.change(|came| {
            let kept = came.traces.take(batch, SystemClock.now().0);
            for dropped in &kept.dropped {
                came.remarks.say(&format!("trace {dropped} was dropped to make room for newer ones"));
            }
            if kept.rejected > 0 {
                let of = count(kept.rejected, "span");
                let why = "no id, or no room: one trace may take half of the memory there is for all";
                came.remarks.say(&format!("spans were left out: {why}"));
                taken = Taken { rejected: kept.rejected, why: format!("{of} left out: {why}") };
            }
        });
        Ok(taken)
    }

    fn remark(&self, remark: Remark) {
        let words = match &remark {
            Remark::LeftOut(what) => format!("{what} come as well, and are left out: traces tell who was at work"),
            Remark::OtherProtocol(what) => (*what).to_owned(),
            Remark::Refused(why) => format!("a request was refused: {why}"),
        };
        self.change(|came| came.remarks.say(&words));
    }
}

/// Listens until the person leaves.
pub(super) fn listen(places: &Places, look: &Look, asked: &Open, address: Address) -> Result<u8, Failure> {
    let theme = look::theme(places, look)?;
    let prices = Table::of(places)?;
    let listener = Listener::bind(address).map_err(|error| cannot_listen(address, &error))?;
    let address = listener.address();
    let hub = Arc::new(Hub::new());
    let runtime = engine::runtime()?;
    let sink: Arc<dyn Sink> = hub.clone();
    runtime.spawn(async move {
        match listener.serve(sink).await {
            Err(error) => tracing::error!(%error, "the listener has ended"),
        }
    });
    let mut teller = Teller::new(hub.clone(), prices, places.clone(), asked.keep, address);
    let done = if work::has_screens() && !asked.headless && !asked.json {
        let told = std::thread::spawn(move || {
            teller.tell_screens();
            teller.finish()
        });
        let shown = on_screens(show::enter(theme)?, &hub, address);
        hub.change(|came| came.is_over = true);
        // A teller that has panicked has said so.
        told.join().unwrap_or_default().iter().for_each(|words| exit::say(words));
        shown
    } else {
        exit::say(&format!(
            "listening on {address}: set OTEL_EXPORTER_OTLP_ENDPOINT=http://{address} and \
             OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf where your team runs; Ctrl-C ends"
        ));
        teller.print(asked.json).map(|()| exit::DONE)
    };
    // Bodies that are still being received are not waited for.
    runtime.shutdown_background();
    done
}

fn cannot_listen(address: Address, error: &std::io::Error) -> Failure {
    use std::io::ErrorKind::{AddrInUse, PermissionDenied};
    let next = address.socket().port().checked_add(1).unwrap_or(::listener::PORT);
    let other = std::net::SocketAddr::new(address.socket().ip(), next);
    let instead = format!("`masthead open --listen {other}` and OTEL_EXPORTER_OTLP_ENDPOINT=http://{other}");
    Failure::Usage(match error.kind() {
        AddrInUse => format!(
            "{address} is taken by another program (a collector, or another masthead): end that one, or use another port: {instead}"
        ),
        PermissionDenied => format!("{address} may not be listened on by you: use another port: {instead}"),
        _ => format!("{address} cannot be listened on: {error}"),
    })
}

/// Shows the list of traces, and from there one after another.
fn on_screens(mut screen: tui::App, hub: &Hub, address: Address) -> Result<u8, Failure> {
    let mut selected = Clean::default();
    loop {
        let (news, inbox): (Sender<Listing>, Receiver<Listing>) = channel();
        hub.turn(Show::List(news));
        // The teller lists the traces at once.
        let listing = inbox.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
        let listing = Listing { address: Clean::from(address.to_string()), ..listing };
        match screen.traces(listing, selected.clone(), inbox).map_err(Failure::output)? {
            TraceChoice::Quit => break,
            TraceChoice::Open(id) => selected = id,
            TraceChoice::Keep(id) => {
                selected = id.clone();
                hub.change(|came| came.wanted.push(id));
                continue;
            }
        }
        let (notices, inbox) = channel::<Notice>();
        hub.turn(Show::Trace(selected.clone(), notices));
        let why = "read only: it follows what the program sends; q shows all traces";
        let link = Link { mode: Mode::ReadOnly(why.into()), notices: inbox, opens: Opens::Latest, commands: None };
        if screen.run(link).map_err(Failure::output)? == Leave::Quit {
            break;
        }
    }
    Ok(show::code_of(&screen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_remarks_are_shown_however_many_came_before() {
        let mut remarks = Remarks::default();
        for n in 0..1_000 {
            remarks.say(&format!("a body was refused: {n}"));
        }
        assert_eq!(remarks.new.len(), MOST_REMARKS, "a sender can make up as many as it likes");
        assert_eq!(remarks.lines().len(), MOST_REMARKS);
        remarks.new.clear();
        for _ in 0..2 {
            remarks.say("the port is taken");
        }
        assert_eq!(remarks.new, ["the port is taken"]);
        assert_eq!(remarks.lines().last().unwrap().as_str(), "the port is taken (2 times)");
    }
}
