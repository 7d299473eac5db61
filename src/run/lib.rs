//! Truth: what a run is. Events, the state they fold into, and the plain types both are made of.
//!
//! Pure: knows no clock, no runtime, no network, no terminal, no database. Time comes in as a value.

pub mod attempt;
pub mod brief;
pub mod budget;
pub mod checkpoint;
pub mod command;
pub mod describe;
pub mod event;
pub mod evidence;
pub mod exercise;
pub mod finding;
pub mod forecast;
pub mod gate;
pub mod handoff;
pub mod id;
pub mod join;
pub mod mark;
pub mod memory;
pub mod model;
pub mod plan;
pub mod price;
pub mod profile;
pub mod raise;
pub mod record;
pub mod stage;
pub mod state;
pub mod steer;
pub mod team;
pub mod timeouts;
pub mod tool;
pub mod transcript;
pub mod verdict;

pub use brief::{Draft, Sentence};
pub use budget::{Amounts, Cap, Ledger, Limits, Money};
pub use checkpoint::{Checkpoint, Subject};
pub use command::{Command, Notice};
pub use describe::{Description, describe};
pub use event::{Envelope, Event};
pub use evidence::{Block, BlockKind, Excerpt, Hit, SourceRef};
pub use exercise::{Exercise, Lesson};
pub use finding::{Finding, Standing};
pub use forecast::Forecast;
pub use handoff::{Handoff, Outcome, Payload};
pub use id::{AssignmentId, At, CallId, CheckpointId, FindingId, HandoffNo, Role, RunId, Seq, SourceId, TaskId, Work};
pub use mark::Mark;
pub use model::{ModelId, ModelRequest, Reply};
pub use plan::{Plan, Task};
pub use profile::Profile;
pub use stage::Stage;
pub use state::{Assignment, Phase, Run};
pub use steer::{Priority, Steer};
pub use team::Team;
pub use tool::{ToolCall, ToolName, ToolResult, ToolSpec};
pub use transcript::{Transcript, Turn};
pub use verdict::{Issue, Verdict};
