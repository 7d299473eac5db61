//! Supervisor, specialists, desk and journal within this process: no binary, no network.

mod decide;
mod extractive;
mod joins;
mod journal;
mod journals;
mod kernel;
mod lead;
mod remedies;
mod sections;
mod steer;
mod waits;
