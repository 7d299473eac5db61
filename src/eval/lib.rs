//! Runs a set of questions and measures the briefs: coverage, off-topic share, citations, quotes, support. Compares
//! them with a baseline's and with an earlier result.
//!
//! Faithfulness alone is not enough: a brief can be cited and verbatim throughout and miss its topic. So coverage of
//! the expected facts and the share of off-topic claims are measured too. A judge's preferences are reported
//! separately.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod against;
mod by_rule;
mod judged;
mod page;
mod questions;
mod report;
mod results;
mod score;
mod table;
mod weighed;

pub use against::{Against, Change, Is, Refused, Tolerance, against, comparable};
pub use by_rule::{Bench, ByRule, OpenTools};
pub use judged::{Judge, Judged, JudgedTotals, Opponent, Winner};
pub use page::page;
pub use questions::{Collections, EvalError, Fact, Question, Questions, load};
pub use report::report;
pub use results::{Answer, Competitor, End, Results, Row, Set, Totals, VERSION, read, written};
pub use score::{Measures, Share};
pub use specialist::extractive::{FEATURES, Ranking};
pub use table::table;
