//! The thinking of a model before it answers, as the person wants it: its effort and its tokens.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The effort of a model's thinking. Each provider takes some of these; its profile lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as it can.
    Minimal,
    /// A little.
    Low,
    /// Somewhat: the usual effort of most models.
    Medium,
    /// Much.
    High,
    /// Very much.
    Xhigh,
    /// As much as it can.
    Max,
}

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Effort; 7] =
        [Effort::None, Effort::Minimal, Effort::Low, Effort::Medium, Effort::High, Effort::Xhigh, Effort::Max];

    /// Its name in settings and at providers.
    pub fn name(self) -> &'static str {
        match self {
            Effort::None => "none",
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::Xhigh => "xhigh",
            Effort::Max => "max",
        }
    }

    /// Tokens that thinking usually takes at the most at this effort, where no limit is set.
    pub fn room(self) -> u32 {
        match self {
            Effort::None => 0,
            Effort::Minimal => 1_000,
            Effort::Low => 2_000,
            Effort::Medium => Thinking::USUAL_ROOM,
            Effort::High => 12_000,
            Effort::Xhigh => 24_000,
            Effort::Max => 32_000,
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Effort {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let known = Effort::ALL.into_iter().find(|effort| effort.name().eq_ignore_ascii_case(s.trim()));
        known.ok_or_else(|| {
            let [names @ .., last] = Effort::ALL.map(Effort::name);
            format!("`{}` is no effort: write one of {} or {last}", text::Clean::line(s), names.join(", "))
        })
    }
}

impl Serialize for Effort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Effort", *self as u32, self.name())
    }
}

impl<'de> Deserialize<'de> for Effort {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The settings of a model's thinking. The default sets nothing: the model thinks as it does by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thinking {
    /// The effort of its thinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The most tokens of it, besides those of the answer. Providers that know no such limit are held to the sum of both.
    #[serde(rename = "thinking_tokens", skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl Thinking {
    /// Tokens of room for the thinking of a model that thinks by itself, where nothing is asked of it.
    pub const USUAL_ROOM: u32 = 4_000;

    /// Whether nothing is asked.
    pub fn is_unsaid(&self) -> bool {
        *self == Thinking::default()
    }

    /// The settings here; those that are not set here are taken from there.
    #[must_use]
    pub fn or(self, there: Thinking) -> Thinking {
        Thinking { effort: self.effort.or(there.effort), limit: self.limit.or(there.limit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_is_read_by_its_name_and_a_wrong_one_is_told_which_there_are() {
        for effort in Effort::ALL {
            assert_eq!(effort.name().parse(), Ok(effort));
        }
        assert_eq!("High ".parse(), Ok(Effort::High));
        let error = "hard".parse::<Effort>().unwrap_err();
        assert!(error.contains("`hard`") && error.contains("low, medium, high"), "{error}");
    }

    #[test]
    fn more_effort_has_more_room() {
        assert!(Effort::ALL.windows(2).all(|two| two[0].room() < two[1].room() && two[0] < two[1]));
    }

    #[test]
    fn what_is_nearer_counts_and_what_it_leaves_open_comes_from_behind() {
        let near = Thinking { effort: Some(Effort::Low), limit: None };
        let far = Thinking { effort: Some(Effort::High), limit: Some(500) };
        assert_eq!(near.or(far), Thinking { effort: Some(Effort::Low), limit: Some(500) });
        assert!(Thinking::default().is_unsaid());
    }
}
