//! Supervisor, specialists, desk and journal within this process: no binary, no network but a port at which nobody answers.

mod approval;
mod breakpoints;
mod caps;
mod decide;
mod extractive;
mod failover;
mod failure_policy;
mod joins;
mod journal;
mod journals;
mod kernel;
mod lead;
mod payloads;
mod redacted;
mod sections;
#[cfg(feature = "postgres")]
mod shared;
mod stages;
mod steer;
mod stood_still;
mod waits;
mod whole;
