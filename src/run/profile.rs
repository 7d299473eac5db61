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
    /// The file.
    pub source: SourceRef,
    /// Its blocks: rows of a table, lines of a log, paragraphs.
    pub blocks: u32,
}

/// A file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The file.
    pub source: SourceRef,
    /// Its supposed form.
    pub form: Form,
    /// Statements on it, first on the whole, then on its faults, the gravest first.
    pub measures: Vec<Measure>,
    /// Lines that were looked at.
    pub blocks: u32,
    /// Lines that it has. Of those that were not looked at, a long one may count several times.
    pub of: u32,
}

/// The supposed form of a file.
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
    /// The fault; None if it describes the file. JSON calls it `what`, and None `none`.
    #[serde(rename = "what", with = "ailment_or_none")]
    pub ailment: Option<Ailment>,
    /// The statement, understandable alone.
    pub says: Clean,
    /// The number of places where it occurs.
    pub count: u32,
    /// A place.
    pub line: Arc<Block>,
}

/// A possible fault of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ailment {
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
    /// A line that cannot be read in the form of the others.
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

/// The written form of a fault, with a word for none.
mod ailment_or_none {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Ailment;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Written {
        None,
        #[serde(untagged)]
        Some(Ailment),
    }

    pub fn serialize<S: Serializer>(ailment: &Option<Ailment>, to: S) -> Result<S::Ok, S::Error> {
        ailment.map_or(Written::None, Written::Some).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Ailment>, D::Error> {
        Written::deserialize(from).map(|written| match written {
            Written::None => None,
            Written::Some(ailment) => Some(ailment),
        })
    }
}

impl Ailment {
    /// Its severity, above 0: a fault that stops work weighs more than one that falsifies it, untidiness the least.
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
        }
    }
}

impl Profile {
    /// Most blocks of a file that are looked at.
    pub const MOST_BLOCKS: u32 = 200_000;
    /// Most statements about a file.
    pub const MOST_MEASURES: usize = 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_without_an_ailment_is_written_with_a_word_and_reads_back() {
        let block: Block =
            serde_json::from_str(r#"{"no":0,"kind":"table_row","text":"1,2","line":1,"start":0}"#).unwrap();
        for (ailment, word) in [(None, "none"), (Some(Ailment::OutOfOrder), "out_of_order")] {
            let measure = Measure { ailment, says: "a.csv".into(), count: 1, line: Arc::new(block.clone()) };
            let json = serde_json::to_value(&measure).unwrap();
            assert_eq!(json["what"], word);
            assert_eq!(serde_json::from_value::<Measure>(json).unwrap(), measure);
        }
    }
}
