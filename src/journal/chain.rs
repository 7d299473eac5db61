//! The hash chain of a run's rows.

use text::sha256::Sha256;

use run::{At, RunId, Seq};

/// The hash of a row.
pub(super) type Hash = [u8; 32];

/// The hash before the first row of a run.
pub(super) fn origin(run: &RunId) -> Hash {
    Sha256::digest(format!("masthead run {run}").as_bytes())
}

/// The hash of a row: over the hash before it, its number, its time, and its body.
pub(super) fn link(before: &Hash, seq: Seq, at: At, body: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(seq.0.to_le_bytes());
    hasher.update(at.0.to_le_bytes());
    hasher.update(body);
    hasher.finalize()
}
