//! Stages: where a specialist is in its own work, as a recorded value.
//!
//! Every turn of a transcript has one, and decides by it on the next step: never by the sentence of the turn, which is for people,
//! may be reworded, and may come from a model.

use serde::{Deserialize, Serialize, Serializer};

/// Declares the families of stages, each an enum of its own, and [`Stage`] over all of them with their names.
macro_rules! stages {
    ($($(#[$about:meta])* $family:ident $prefix:literal {
        $($(#[$told:meta])* $stage:ident $name:literal,)*
    })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
            pub enum $family {
                $($(#[$told])* $stage,)*
            }

            impl From<$family> for Stage {
                fn from(stage: $family) -> Stage {
                    Stage::$family(stage)
                }
            }
        )*

        /// The stage of a specialist in its own work. Written as `family.stage`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
        #[serde(try_from = "String")]
        pub enum Stage {
            $($(#[$about])* $family($family),)*
        }

        impl Stage {
            /// Every stage there is.
            pub const ALL: &[Stage] = &[$($(Stage::$family($family::$stage),)*)*];

            /// Its name, as it is written in the journal.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Stage::$family($family::$stage) => concat!($prefix, ".", $name),)*)*
                }
            }
        }
    };
}

stages! {
    /// A conversation with a model.
    Conversation "conversation" {
        /// Tools are used before the model is asked for the first time.
        LookUp "look_up",
        /// The model is handed its assignment.
        Begin "begin",
        /// The tools are used that the model has called.
        Tools "tools",
        /// The model is told the results of its calls.
        Results "results",
        /// The model is told why its report cannot be taken.
        Correct "correct",
        /// The model is told that nothing came of its answer.
        Nudge "nudge",
        /// The model is told the person's message before its report is taken.
        Message "message",
        /// The passages of a report's quotes are read before it is taken.
        Verify "verify",
        /// An answer that the provider paused goes on.
        Continue "continue",
        /// The conversation begins anew, because it cannot go on.
        Restart "restart",
        /// An answer that was cut at its limit is asked for again, with more room.
        Room "room",
        /// The budget has room for one more answer: the model is told to report.
        Last "last",
    }

    /// Leading others.
    Leading "leading" {
        /// The person hands their question to the supervisor.
        Open "open",
        /// Memory is asked for the notes of earlier runs.
        Recall "recall",
        /// The question is cut into tasks.
        Plan "plan",
        /// Tasks are handed out.
        Research "research",
        /// Findings are merged.
        Merge "merge",
        /// Findings are put before the person.
        Approve "approve",
        /// A draft is written.
        Write "write",
        /// A draft is checked.
        Check "check",
        /// Two briefs are judged.
        Judge "judge",
        /// Memory is told the findings to keep.
        Keep "keep",
        /// The person is asked something.
        Ask "ask",
        /// The rules of the team take over from the model that led.
        TakeOver "take_over",
    }

    /// Told by another program, which does not name the stage of a specialist's work.
    Imported "imported" {
        /// It was told.
        Told "told",
    }

    /// Researching by rule.
    Research "research" {
        /// The sources are searched.
        Search "search",
        /// The best passages are read with their surroundings.
        Read "read",
        /// The best sections are read whole, and other pages are searched for contradictions.
        CrossCheck "cross_check",
        /// The results of the cross-check are read.
        ReadCrossCheck "read_cross_check",
        /// The sources are searched for the words of the person's message.
        Message "message",
        /// The results of that search are read.
        ReadMessage "read_message",
    }

    /// Planning by rule.
    Planning "planning" {
        /// The sources are searched for the names in the question.
        Search "search",
        /// The outlines of the best pages are read.
        Outline "outline",
        /// The files are listed.
        Files "files",
    }

    /// Inspecting files by rule.
    Inspection "inspection" {
        /// The files are listed.
        Files "files",
        /// Files are counted over as a whole.
        Profile "profile",
    }

    /// Remembering by rule.
    Memory "memory" {
        /// The notes are searched.
        Recall "recall",
        /// The kept findings are looked up in the sources.
        Find "find",
        /// The findings to keep are written into the notes.
        Keep "keep",
    }

    /// Checking a draft by a program of the user's own.
    Gate "gate" {
        /// The program is run.
        Run "run",
    }
}

impl Serialize for Stage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Stage", 0, self.name())
    }
}

impl TryFrom<String> for Stage {
    type Error = UnknownStage;

    fn try_from(name: String) -> Result<Stage, UnknownStage> {
        Stage::ALL.iter().copied().find(|stage| stage.name() == name).ok_or(UnknownStage(name))
    }
}

/// A stage that this version of the program does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no stage `{}`: a newer version of masthead may have written it; read it with that", text::Clean::line(.0))]
pub struct UnknownStage(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_read_back_by_its_name_and_no_two_share_one() {
        for stage in Stage::ALL {
            let written = serde_json::to_value(stage).unwrap();
            assert_eq!(written, stage.name());
            assert_eq!(serde_json::from_value::<Stage>(written).unwrap(), *stage);
            assert_eq!(Stage::ALL.iter().filter(|other| other.name() == stage.name()).count(), 1, "{}", stage.name());
        }
    }

    #[test]
    fn an_unknown_stage_is_refused_by_its_name() {
        let error = serde_json::from_str::<Stage>("\"conversation.dance\"").unwrap_err().to_string();
        assert!(error.contains("no stage `conversation.dance`") && error.contains("newer version"), "{error}");
    }
}
