//! `masthead`: a supervised team of specialists turns a question and a collection of documents into a cited brief.
//!
//! The floors of the house, each using only what stands below it:
//!
//! - faces ([`tui`]) choose nothing and reach no adapter,
//! - the desk performs what was decided and records it,
//! - mind ([`specialist`]) says what to do next,
//! - truth ([`run`]) is what happened,
//! - outside are adapters to the journal, to models, to tools and documents.

#![forbid(unsafe_code)]

pub mod cli;
pub mod config;
mod database;
pub mod desk;
pub mod drill;
pub mod eval;
pub mod export;
pub mod headless;
pub mod journal;
pub mod memory;
pub mod model;
pub mod run;
pub mod source;
pub mod specialist;
pub mod supervisor;
pub mod team;
pub mod text;
pub mod tool;
pub mod tui;
pub mod web;
mod wire;
