//! Profiles of data files and logs: statements that a tool counted over the whole file, each with an example line.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::evidence::{Block, SourceRef};
use text::Clean;

/// The files of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Files {
    /// In the order of their paths.
    pub files: Vec<Listed>,
    /// The number of files left out for lack of room.
    #[serde(default)]
    pub left_out: u32,
}

/// A file and its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Which.
    pub source: SourceRef,
    /// Its blocks: rows of a table, lines of a log, paragraphs.
    pub blocks: u32,
}

/// A file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Which file.
    pub source: SourceRef,
    /// What it is taken to be.
    pub form: Form,
    /// What can be said of it, the whole first, then what is wrong, the gravest first.
    pub measures: Vec<Measure>,
    /// Lines that were looked at.
    pub blocks: u32,
    /// Lines that it has. Of those that were not looked at, a long one may count several times.
    pub of: u32,
}

/// What a file is taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Rows under the names of columns.
    Table,
    /// A JSON object a line.
    Records,
    /// Lines that come in time.
    Log,
    /// Anything else: nothing can be counted of it.
    Text,
}

/// One statement about a file. It is the tool's own, over the whole file; the line shows one place of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// What was measured.
    pub what: Ailment,
    /// The statement, understandable alone.
    pub says: Clean,
    /// The number of places where it occurs.
    pub count: u32,
    /// A place.
    pub line: Arc<Block>,
}

/// What can be wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ailment {
    /// Nothing: what the file is.
    None,
    /// Lines that say that something failed.
    Errors,
    /// The lines right before those.
    Before,
    /// A service that starts again and again.
    Restarts,
    /// A time in which nothing was written.
    Silence,
    /// Times that go back.
    OutOfOrder,
    /// A line that cannot be read as what the others are.
    Broken,
    /// Rows with other fields than the first one names.
    Fields,
    /// The same key, or the same row, twice.
    Twice,
    /// A value of another kind than the others of its column.
    Kind,
    /// A date that is none, or is written otherwise.
    Date,
    /// A number far from the others of its column.
    Outlier,
    /// Characters that were read in the wrong encoding.
    Encoding,
    /// Values that are not there.
    Missing,
}

impl Ailment {
    /// Its severity, the worst first: what stops work before what falsifies it, and that before what is untidy.
    pub fn weight(self) -> i32 {
        match self {
            Ailment::Errors => 900,
            Ailment::Before => 880,
            Ailment::Restarts => 850,
            Ailment::Broken => 800,
            Ailment::Silence => 780,
            Ailment::Fields => 760,
            Ailment::Twice => 700,
            Ailment::Kind => 650,
            Ailment::Date => 640,
            Ailment::Outlier => 600,
            Ailment::OutOfOrder => 550,
            Ailment::Encoding => 500,
            Ailment::Missing => 450,
            Ailment::None => 0,
        }
    }
}

impl Profile {
    /// Most blocks of a file that are looked at.
    pub const MOST_BLOCKS: u32 = 200_000;
    /// Most statements about a file.
    pub const MOST_MEASURES: usize = 16;
}
