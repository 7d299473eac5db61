//! A span, and its names.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

use run::{At, RunId};
use text::Clean;
use text::hash::{SEED, hash};

/// Names a trace: 16 bytes made of the name of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceId(pub(super) u128);

/// Names a span within its trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanId(pub(super) u64);

/// The same span has the same name whenever it is made.
struct Hash(u64);

impl Hash {
    fn part(mut self, part: impl Display) -> Hash {
        // Never refused: see below.
        let _ = write!(self, "{part}\0");
        self
    }
}

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = hash(self.0, text.bytes());
        Ok(())
    }
}

impl TraceId {
    pub(super) fn of(run: &RunId) -> TraceId {
        let half = |seed| u128::from(Hash(seed).part("trace").part(run).0);
        TraceId((half(SEED) << 64 | half(0x8422_2325_cbf2_9ce4)) | 1)
    }
}

impl SpanId {
    pub(super) fn of(run: &RunId, name: impl Display) -> SpanId {
        SpanId(Hash(SEED).part(run).part(name).0 | 1)
    }
}

/// On which side of a call a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Internal = 1,
    Client = 3,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Unset,
    /// With the failure, if that may be said.
    Error(Option<String>),
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attribute {
    Text(Cow<'static, str>),
    Texts(Vec<Cow<'static, str>>),
    Truth(bool),
    Whole(i64),
    Double(f64),
}

impl From<&'static str> for Attribute {
    fn from(word: &'static str) -> Attribute {
        Attribute::Text(Cow::Borrowed(word))
    }
}

impl From<String> for Attribute {
    fn from(text: String) -> Attribute {
        Attribute::Text(Cow::Owned(text))
    }
}

impl From<&Clean> for Attribute {
    fn from(text: &Clean) -> Attribute {
        text.to_string().into()
    }
}

impl From<bool> for Attribute {
    fn from(truth: bool) -> Attribute {
        Attribute::Truth(truth)
    }
}

impl From<u32> for Attribute {
    fn from(n: u32) -> Attribute {
        Attribute::Whole(n.into())
    }
}

impl From<u64> for Attribute {
    /// A larger number becomes the largest that OTLP has room for.
    fn from(n: u64) -> Attribute {
        Attribute::Whole(i64::try_from(n).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Attribute {
    fn from(n: f64) -> Attribute {
        Attribute::Double(n)
    }
}

/// A span.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub(super) trace: TraceId,
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) start: At,
    pub(super) end: Option<At>,
    /// In the order of their names, each once.
    pub(super) attributes: Vec<(&'static str, Attribute)>,
    pub(super) status: Status,
}

impl Span {
    pub(super) fn new(trace: TraceId, id: SpanId, parent: Option<SpanId>, name: String, start: At) -> Span {
        // Most have no more attributes than this.
        let (end, attributes) = (None, Vec::with_capacity(8));
        Span { trace, id, parent, name, kind: Kind::Internal, start, end, attributes, status: Status::Unset }
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.attributes.binary_search_by(|(other, _)| (*other).cmp(name))
    }

    pub(super) fn set(&mut self, name: &'static str, value: impl Into<Attribute>) {
        match self.place(name) {
            Ok(at) => self.attributes[at].1 = value.into(),
            Err(at) => self.attributes.insert(at, (name, value.into())),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    pub(super) fn fail(&mut self, kind: impl Into<Attribute>, why: Option<String>) {
        self.set("error.type", kind);
        self.status = Status::Error(why);
    }

    pub(super) fn ended(mut self, at: At) -> Span {
        // A clock that was set back ends nothing before it began.
        self.end = Some(at.max(self.start));
        self
    }
}
