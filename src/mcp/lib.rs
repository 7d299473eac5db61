//! Tools of servers that speak the Model Context Protocol (MCP), as sources for the tool registry.
//!
//! `rmcp` handles the protocol: the handshake of the versions up to 2025-11-25, requests and answers. The transports
//! are our own, a process in its own group or posts over HTTP, so that each server has limits. Servers are offered
//! nothing: no files, no model, no questions to the person.
//!
//! A server that lies, hangs, floods, changes its tools or dies costs only the call that asked it. Nothing here starts
//! a server whose entry and tools were not approved ([`Pins`]), except [`look`].

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod answer;
mod client;
mod hidden;
mod http;
mod names;
mod pins;
mod rpc;
mod server;
mod settings;
mod stdio;
mod tools;

#[cfg(test)]
mod tests;

pub use names::prefix;
pub use pins::{Pin, PinError, Pins, Standing};
pub use server::{Server, Servers, Tools, look};
pub use settings::{Setting, SettingsError, Way, load, path};
pub use tools::{Listing, MOST_TOOLS, Tool};

/// The supported versions of the protocol, with servers and with agents that connect; the first is proposed.
pub const VERSIONS: [&str; 4] = ["2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05"];
/// The most bytes of one message of a server.
const MOST_MESSAGE: usize = 4 << 20;
/// The most messages of a server in the queue.
const MOST_HEARD: usize = 64;

/// A failure of a server, in words that follow its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Trouble {
    /// It cannot be reached, or is gone.
    #[error("{0}")]
    Gone(String),
    /// It does not know the session any more.
    #[error("it has forgotten the session")]
    Forgotten,
    /// It answered with an error of its own.
    #[error("it answers with an error: {message} ({code})")]
    Refused { code: i64, message: String },
    /// It breaks the protocol.
    #[error("it does not keep to the protocol: {0}")]
    Wrong(String),
}
