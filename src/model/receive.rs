//! Receives an answer from the network, within its time and size limits, up to its end.

use std::pin::{Pin, pin};
use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::fault::Scene;
use super::gathered::Gathered;
use super::reader::{AnswerReader, Asked, Hear, Step, Trouble};
use super::repeats::repeats;
use http_client::sse::Decoder;
use run::attempt::{Charge, Fault, Reached};
use run::model::Reply;
use run::progress::Doing;
use text::Clean;

/// The interval of progress reports to the listener, and of the test for repetition.
const TELLING: Duration = Duration::from_millis(250);
/// An alarm that is so late was missed.
const STOOD_STILL: Duration = Duration::from_secs(5);
/// The time for reading the bytes that came before a missed alarm.
const AFTERWARDS: Duration = Duration::from_secs(2);
/// The wait for the connection to end after a complete answer, so that it can be reused.
const LINGER: Duration = Duration::from_millis(20);
/// The most bytes of an answer that is not streamed, and of blanks before any.
const WHOLE: usize = 64 << 20;

/// The bytes of a text that is no answer by which it is told.
const START: usize = 200;

/// The moments of an attempt that its answer is measured by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    /// The time at which the request was sent.
    pub began: Instant,
    /// The deadline of the first byte.
    pub first_by: Instant,
    /// The deadline of the last byte.
    pub end: Instant,
    /// The longest gap between two bytes.
    pub idle: Duration,
}

/// The last report on the progress of an answer, and its time.
struct LastReport {
    at: Instant,
    doing: Doing,
}

/// The kind of body, known from its first byte.
enum Body {
    /// Blank bytes so far, which mean nothing in any kind.
    Unknown(usize),
    Events(Decoder),
    Whole(Vec<u8>),
}

/// Reads one response, byte by byte, to an answer or a fault.
pub(super) struct Receiver<'a> {
    scene: Scene<'a>,
    asked: Asked<'a>,
    reader: Box<dyn AnswerReader>,
    hear: Hear<'a>,
    body: Body,
    /// Of a body that is neither a stream of events nor JSON by its first byte: how it begins, and whether an event came.
    start: Vec<u8>,
    has_events: bool,
    taken: bool,
    begun: bool,
}

impl<'a> Receiver<'a> {
    /// A receiver of one response, which `reader` understands; `hear` hears the answer as it comes.
    pub fn new(scene: Scene<'a>, asked: Asked<'a>, reader: Box<dyn AnswerReader>, hear: Hear<'a>) -> Receiver<'a> {
        let (body, start) = (Body::Unknown(0), Vec::new());
        Receiver { scene, asked, reader, hear, body, start, has_events: false, taken: false, begun: false }
    }

    /// Reads the response to its end.
    ///
    /// # Errors
    /// The answer is late, cut, too long, or not in its format; the fault names its possible cost.
    pub async fn receive(mut self, mut response: reqwest::Response, started: Started) -> Result<Reply, Box<Fault>> {
        let kind = self.kind(response.headers())?;
        let mut first = None;
        let mut last_byte = Instant::now();
        let mut told = LastReport { at: last_byte, doing: Doing::Waits };
        let mut alarm = pin!(sleep_until(started.first_by.min(started.end)));
        loop {
            // The timer is on bytes: a keep-alive comment counts.
            let patience = if self.taken { last_byte + started.idle } else { started.first_by };
            let by = patience.min(started.end);
            let chunk = match within(alarm.as_mut(), by, response.chunk()).await {
                None => {
                    let since = if self.taken && by != started.end { last_byte } else { started.began };
                    let waited = since.elapsed();
                    return Err(self.with_what_came(self.scene.stalled(self.reached(), waited, by == started.end)));
                }
                Some(Err(error)) => {
                    // A complete answer counts, however the connection ended.
                    return match self.ends(&kind) {
                        Ok(reply) => Ok(timed(reply, started, first)),
                        Err(_) => Err(self.with_what_came(self.scene.cut(self.reached(), Some(&error.without_url())))),
                    };
                }
                Some(Ok(None)) => break,
                Some(Ok(Some(chunk))) => chunk,
            };
            last_byte = Instant::now();
            self.taken |= !chunk.is_empty();
            let step = self.takes(&chunk)?;
            self.watch(&mut told)?;
            if first.is_none() && self.reader.written() > 0 {
                first = Some(started.began.elapsed());
            }
            if step == Step::Done {
                let reply = self.reader.finish(&self.asked).map_err(|trouble| self.fault(trouble))?;
                let reply = timed(reply, started, first);
                // Reading to the end of the connection makes it reusable.
                let _ = timeout(LINGER, async { while let Ok(Some(_)) = response.chunk().await {} }).await;
                return Ok(reply);
            }
        }
        self.ends(&kind).map(|reply| timed(reply, started, first))
    }

    /// The content type, in lower case. A type that no answer can have is refused.
    fn kind(&self, headers: &HeaderMap) -> Result<String, Box<Fault>> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let kind = text(CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
        if kind.starts_with("text/html") {
            return Err(self.protocol("it is a web page"));
        }
        if text(CONTENT_ENCODING).is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            return Err(self.protocol("it is compressed, though that was not asked for"));
        }
        Ok(kind)
    }

    /// Tells how far the answer is, and gives up one that would not end.
    fn watch(&mut self, told: &mut LastReport) -> Result<(), Box<Fault>> {
        if !self.begun && self.reader.has_begun() {
            self.begun = true;
            self.hear.begins();
        }
        let doing = self.reader.doing();
        if self.is_endless() {
            return Err(self.fault(Trouble::Endless(self.reader.written())));
        }
        let is_due = told.at.elapsed() >= TELLING;
        // At once, since nothing else may come for long.
        if is_due || doing != told.doing {
            told.doing = doing;
            self.hear.is_at(doing, self.reader.written());
        }
        if is_due {
            told.at = Instant::now();
            if repeats(self.reader.growing()) {
                return Err(self.fault(Trouble::Repeats(self.reader.written())));
            }
        }
        Ok(())
    }

    /// The answer in these pieces of a stream.
    pub fn read<'c>(mut self, pieces: impl IntoIterator<Item = &'c [u8]>) -> Result<Reply, Box<Fault>> {
        for piece in pieces {
            if self.takes(piece)? == Step::Done {
                return self.reader.finish(&self.asked).map_err(|trouble| self.fault(trouble));
            }
        }
        self.ends("text/event-stream")
    }

    fn takes(&mut self, chunk: &[u8]) -> Result<Step, Box<Fault>> {
        match &mut self.body {
            Body::Unknown(blank) => {
                let text = chunk.strip_prefix(b"\xef\xbb\xbf").unwrap_or(chunk);
                // Servers send wrong content types or none: the first byte decides.
                let body = match text.iter().find(|b| !b.is_ascii_whitespace()) {
                    None => {
                        *blank = blank.saturating_add(chunk.len());
                        let fits = *blank <= WHOLE;
                        return if fits { Ok(Step::More) } else { Err(self.protocol("it is longer than 64 MiB")) };
                    }
                    Some(b'<') => return Err(self.protocol("it is a web page")),
                    Some(b'{' | b'[') => Body::Whole(Vec::new()),
                    Some(_) => Body::Events(Decoder::default()),
                };
                self.body = body;
                self.takes(chunk)
            }
            Body::Whole(whole) => {
                whole.extend_from_slice(chunk);
                if whole.len() > WHOLE {
                    return Err(self.protocol("it is longer than 64 MiB"));
                }
                Ok(Step::More)
            }
            Body::Events(decoder) => {
                let missing = START.saturating_sub(self.start.len()).min(chunk.len());
                self.start.extend_from_slice(&chunk[..missing]);
                let events = decoder.feed(chunk).map_err(|error| self.protocol(&error.to_string()))?;
                self.has_events |= !events.is_empty();
                let gathered = Gathered::new(self.hear);
                let hear: Hear<'_> = if events.len() > 1 { &gathered } else { self.hear };
                for event in events {
                    match self.reader.event(&event, hear) {
                        Ok(Step::More) => {}
                        Ok(Step::Done) => return Ok(Step::Done),
                        Err(trouble) => return Err(self.fault(trouble)),
                    }
                }
                Ok(Step::More)
            }
        }
    }

    fn ends(&mut self, kind: &str) -> Result<Reply, Box<Fault>> {
        match &mut self.body {
            Body::Unknown(_) if kind.starts_with("text/event-stream") || kind.starts_with("application/json") => {
                return Err(self.fault(Trouble::Cut));
            }
            Body::Unknown(_) => return Err(self.protocol("it is empty")),
            Body::Events(decoder) => {
                // The last event may lack its blank line. An event that is cut itself is ignored.
                if let Some(event) = decoder.rest()
                    && let Err(trouble @ Trouble::Reported(_)) = self.reader.event(&event, self.hear)
                {
                    return Err(self.fault(trouble));
                }
                if let Some(text) = self.other_text(kind) {
                    return Err(Box::new(self.scene.no_api(&text)));
                }
            }
            Body::Whole(whole) => {
                let start = whole.strip_prefix(b"\xef\xbb\xbf").unwrap_or(whole);
                let Ok(body) = serde_json::from_slice(start) else { return Err(self.fault(Trouble::Cut)) };
                self.reader.whole(&body, self.hear).map_err(|trouble| self.fault(trouble))?;
            }
        }
        if self.is_endless() {
            return Err(self.fault(Trouble::Endless(self.reader.written())));
        }
        self.reader.finish(&self.asked).map_err(|trouble| self.fault(trouble))
    }

    /// The beginning of a text that is no answer, and no part of one: its type is another, and no event came.
    fn other_text(&self, kind: &str) -> Option<String> {
        const FIELDS: [&str; 5] = ["data", "event", "id", "retry", ":"];
        let is_other = !kind.is_empty() && !kind.starts_with("text/event-stream") && !kind.contains("json");
        let text = String::from_utf8_lossy(&self.start);
        let begins_a_stream = FIELDS.iter().any(|field| text.trim_start_matches('\u{feff}').starts_with(field));
        (is_other && !self.has_events && !begins_a_stream).then(|| text.trim().to_owned())
    }

    /// Whether the answer goes far beyond the limit that was asked for: then the server does not keep it. Thinking does not count:
    /// some servers allow it besides.
    fn is_endless(&self) -> bool {
        let most = (self.asked.request.max_tokens as usize).saturating_mul(16).saturating_add(4_096);
        self.reader.growing().len() > most && self.reader.doing() == Doing::Answers
    }

    fn reached(&self) -> Reached {
        if self.reader.written() > 0 { Reached::Content } else { Reached::Accepted }
    }

    fn protocol(&self, why: &str) -> Box<Fault> {
        self.fault(Trouble::Protocol(why.to_owned()))
    }

    fn fault(&self, trouble: Trouble) -> Box<Fault> {
        let fault = match trouble {
            Trouble::Protocol(why) => self.scene.protocol(self.reached(), &why),
            Trouble::Reported(body) => Fault { reached: self.reached(), ..self.scene.reported(&body) },
            Trouble::Cut => self.scene.cut(self.reached(), None),
            Trouble::Repeats(bytes) => self.scene.repeats(bytes, self.asked.request.max_tokens),
            Trouble::Endless(bytes) => self.scene.endless(bytes, self.asked.request.max_tokens),
        };
        self.with_what_came(fault)
    }

    /// Adds the part that had arrived to a failure: its text and its least usage.
    fn with_what_came(&self, fault: Fault) -> Box<Fault> {
        let so_far = self.reader.so_far();
        let usage = so_far.usage(&self.asked);
        let charge = if usage.total() > 0 { Charge::AtLeast(usage) } else { fault.charge };
        Box::new(Fault { charge, partial: Clean::new(&self.scene.endpoint.redact(&so_far.text)), ..fault })
    }
}

/// The outcome of `coming`; None if it is not there by then. The alarm is set anew only where it would come too late, or has gone
/// off too early: a timer for each piece of a stream costs more than the piece.
///
/// An alarm that goes off long after its time was missed while the process stood still, as in the background of a shell: bytes that
/// came meanwhile are read first.
async fn within<T>(mut alarm: Pin<&mut Sleep>, mut by: Instant, coming: impl Future<Output = T>) -> Option<T> {
    let mut coming = pin!(coming);
    let mut stood_still = false;
    if alarm.deadline() > by {
        alarm.as_mut().reset(by);
    }
    loop {
        tokio::select! {
            biased;
            came = &mut coming => return Some(came),
            () = alarm.as_mut() => {
                let now = Instant::now();
                if now >= by {
                    if stood_still || now.duration_since(by) < STOOD_STILL {
                        return None;
                    }
                    (stood_still, by) = (true, now + AFTERWARDS);
                }
                alarm.as_mut().reset(by);
            }
        }
    }
}

fn timed(reply: Reply, started: Started, first: Option<Duration>) -> Reply {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let whole_ms = ms(started.began.elapsed());
    Reply { first_ms: first.map_or(whole_ms, ms), whole_ms, ..reply }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of `coming` if it has two seconds, and the process stands still for an hour before that.
    async fn after_an_hour<T>(coming: impl Future<Output = T>) -> Option<T> {
        let by = Instant::now() + Duration::from_secs(2);
        let mut alarm = pin!(sleep_until(by));
        let coming = async {
            tokio::time::advance(Duration::from_secs(3_600)).await;
            coming.await
        };
        within(alarm.as_mut(), by, coming).await
    }

    #[tokio::test(start_paused = true)]
    async fn what_came_while_the_process_stood_still_is_read_and_what_did_not_is_not_waited_for_anew() {
        let read = tokio::time::sleep(Duration::from_millis(10));
        assert_eq!(after_an_hour(read).await, Some(()));
        let began = Instant::now();
        assert_eq!(after_an_hour(std::future::pending::<()>()).await, None);
        assert_eq!(began.elapsed(), Duration::from_secs(3_600) + AFTERWARDS);
    }
}
