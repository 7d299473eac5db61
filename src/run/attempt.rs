//! Attempts: the tries of one model call on the wire, each recorded with its failure and its cost.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::id::At;
use super::model::Usage;
use text::Clean;

/// The longest pause that a server may ask for. A longer one is not waited for: it is left to the person.
pub const LONGEST_PAUSE_MS: u64 = 10 * 60_000;

/// One try of a model call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its number within the call, from 1.
    pub n: u32,
    /// The earliest moment at which it may be sent.
    pub not_before: At,
    /// The time at which it was sent; None while it waits for that.
    pub sent_at: Option<At>,
    /// Its failure, if it failed.
    pub fault: Option<Fault>,
}

/// The reason why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of failure.
    pub class: Class,
    /// The point that it reached.
    pub reached: Reached,
    /// The action that failed, its target, and the person's remedy.
    pub what: Clean,
    /// The status of the answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The server's name for the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Clean>,
    /// The server asks not to come back before this many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Its probable cost.
    #[serde(default)]
    pub charge: Charge,
    /// The part of the answer that had come by then.
    #[serde(default, skip_serializing_if = "no_text")]
    pub partial: Clean,
}

fn no_text(text: &Clean) -> bool {
    text.is_empty()
}

impl Fault {
    /// The part that it is about. A connection that breaks once the request is sent says something about the model: a server
    /// behind the address may have failed. Only if a second model there breaks as well, it is the address (`model/rate_limit.rs`).
    pub fn about(&self) -> About {
        match self.class {
            Class::Broken if self.reached >= Reached::Sent => About::Model,
            class => class.about(),
        }
    }

    /// The failure in a few words: `429`, `cannot be reached`.
    pub fn in_short(&self) -> Clean {
        match (self.status, self.class) {
            (Some(status), _) => Clean::line(&status.to_string()),
            (None, Class::Throttled) => "rate limit".into(),
            (None, Class::Overloaded) => "overloaded".into(),
            (None, Class::Unreachable) => "cannot be reached".into(),
            (None, Class::TimedOut | Class::Stalled) => "does not answer".into(),
            (None, _) => "failed, again soon".into(),
        }
    }

    /// A failure before a byte was sent: it cost nothing.
    pub fn before_sending(class: Class, what: Clean) -> Fault {
        Fault {
            class,
            reached: Reached::Nothing,
            what,
            status: None,
            request_id: None,
            retry_after_ms: None,
            charge: Charge::Nothing,
            partial: Clean::default(),
        }
    }

    /// A failure after the request was sent: its cost is unknown.
    pub fn unseen(class: Class, what: Clean) -> Fault {
        Fault { reached: Reached::Sent, charge: Charge::Unknown, ..Fault::before_sending(class, what) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// The point that an attempt reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// No byte left.
    Nothing,
    /// The request, or a part of it, was sent; no status came.
    Sent,
    /// A status came that says no.
    Status,
    /// A status came that says yes, and no content.
    Accepted,
    /// Content came, and no end.
    Content,
}

/// The probable cost of a failed attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Charge {
    /// Nothing.
    #[default]
    Nothing,
    /// At most its input, which stays in doubt: an error came in place of an answer, so no output was sent.
    Input,
    /// Unknown: its whole reservation stays in doubt.
    Unknown,
    /// At least this; the rest of its reservation stays in doubt.
    AtLeast(Usage),
}

/// Kinds of failure, by their remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The server does not understand the request: a bug of ours, or a request beyond the model's abilities.
    Malformed,
    /// The conversation is longer than the model's context.
    TooLong,
    /// The model no longer takes reasoning of an earlier answer that is sent back to it: it cannot be opened.
    Stale,
    /// The request is larger than the server takes.
    TooLarge,
    /// There is no such model.
    NoSuchModel,
    /// The key is missing or refused.
    KeyRefused,
    /// The key was refused once its time was over, and the user's command prints another for the next attempt.
    KeyEnded,
    /// The key may not do this (region, model, organisation).
    Forbidden,
    /// No credit is left, or a spending limit of the account is reached.
    OutOfCredit,
    /// Too many requests or tokens for now.
    Throttled,
    /// The server has too much to do, or is still loading its model.
    Overloaded,
    /// The server failed (500, 502).
    Server,
    /// The server or one behind it gave up waiting (408, 504).
    TimedOut,
    /// The request conflicts with another (409).
    Conflict,
    /// The address cannot be reached: refused, unknown, no route.
    Unreachable,
    /// The proxy does not let it through.
    Proxy,
    /// The certificate of the server is not right. There is no way around it.
    Certificate,
    /// The connection broke before an answer began.
    Broken,
    /// Nothing came for too long.
    Stalled,
    /// The answer broke off before its end.
    Cut,
    /// The answer breaks the protocol: no event stream, a frame that cannot be read.
    Protocol,
    /// The answer says the same again and again, and was ended.
    Repeats,
    /// The answer goes far beyond its limit, and was ended: the server does not keep limits.
    Endless,
    /// The server wants the request sent elsewhere; it was not followed.
    Redirected,
    /// The run replays recorded answers, and this request is not the recorded one.
    Differs,
    /// The run replays recorded answers, and this call was given up in the recording.
    GivenUp,
    /// The same, and to give it to the same model again would not have helped.
    GivenUpForGood,
    /// The provider has not answered any call for minutes.
    Down,
    /// The model has not answered any call for minutes.
    ModelDown,
    /// It was not sent: its model, or its provider, fails just now, and another one can do the work.
    Avoided,
    /// The disk has too little room to record a paid answer.
    NoRoom,
    /// It was cancelled.
    Cancelled,
    /// The time that the run may work had passed: it was given up.
    OutOfTime,
    /// A cap of the run was passed by the bill of another call before it left.
    OutOfBudget,
}

/// The part that a failure is about: other calls that go the same way would fail like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// This request alone.
    Request,
    /// The model, whichever key it is asked with.
    Model,
    /// The key: all models that are asked with it. A provider has one.
    Key,
    /// The address: all that is asked there. A provider has one.
    Address,
    /// This machine: its disk, or the recording that it replays.
    Machine,
}

impl Class {
    /// The part that it is about.
    pub fn about(self) -> About {
        use Class::*;
        match self {
            Malformed | TooLong | Stale | Repeats | TooLarge | GivenUp | GivenUpForGood | Cancelled | Avoided
            | OutOfTime | OutOfBudget | KeyEnded => About::Request,
            // Most providers limit each model by itself. If another one with the same key is throttled as well, it is the key
            // (`model/rate_limit.rs`).
            Throttled => About::Model,
            // A conflict that comes again and again has nothing to do with the request.
            NoSuchModel | Forbidden | Overloaded | Server | TimedOut | Conflict | Stalled | Cut | Protocol
            | Endless | ModelDown => About::Model,
            KeyRefused | OutOfCredit | Down => About::Key,
            Unreachable | Proxy | Certificate | Broken | Redirected => About::Address,
            Differs | NoRoom => About::Machine,
        }
    }

    /// Whether every further call that it is about would fail alike, until the person does something about it.
    pub fn latches(self) -> bool {
        matches!(
            self,
            Class::KeyRefused
                | Class::Forbidden
                | Class::OutOfCredit
                | Class::Certificate
                | Class::Differs
                | Class::Down
                | Class::ModelDown
                | Class::NoRoom
        )
    }

    /// Whether the same work is not begun anew with the same model: it would fail again, however long one waits, or the call was
    /// sent twice already, and each time may be paid for.
    pub fn is_final(self) -> bool {
        self.is_permanent() || matches!(self, Class::Stalled | Class::Cut)
    }

    /// Whether the same model would fail at the same work again, however long one waits.
    pub fn is_permanent(self) -> bool {
        use Class::*;
        self.latches()
            || matches!(
                self,
                Malformed
                    | TooLong
                    | TooLarge
                    | Repeats
                    | Endless
                    | NoSuchModel
                    | Redirected
                    | Proxy
                    | GivenUpForGood
                    | Avoided
            )
    }
}
