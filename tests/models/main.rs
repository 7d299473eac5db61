//! The wire to models, against servers that do what servers do: `docs/` names each failure, and each has its test here.

mod real;
mod server;
mod talk;
