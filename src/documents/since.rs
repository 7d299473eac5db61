//! Detects documents that have changed since they were read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::read_bytes;
use super::walk::{Found, NoSuchRoot, roots, survey};
use run::evidence::SourceRef;
use text::Clean;
use text::sha256::{Sha256, hex};

/// The documents below the given sources that were removed or changed, in the order given. Nothing is parsed; web pages
/// are ignored.
///
/// # Errors
/// A source is missing.
pub fn changed_since<'a>(
    sources: &[PathBuf],
    read: impl IntoIterator<Item = &'a SourceRef>,
) -> Result<Vec<Clean>, NoSuchRoot> {
    let mut read = read.into_iter().filter(|source| source.is_file()).peekable();
    let roots = roots(sources)?;
    if read.peek().is_none() {
        return Ok(Vec::new());
    }
    let found: BTreeMap<Clean, PathBuf> =
        survey(&roots).found.into_iter().map(|Found { label, path, .. }| (label, path)).collect();
    let is_same = |path: &Path, sha256: &str| read_bytes(path).is_ok_and(|bytes| hex(&Sha256::digest(bytes)) == sha256);
    let is_there = |source: &&SourceRef| found.get(&source.path).is_some_and(|path| is_same(path, &source.sha256));
    Ok(read.filter(|source| !is_there(source)).map(|source| source.path.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::id::SourceId;

    #[test]
    fn a_file_that_is_gone_has_changed_and_what_a_tool_or_the_web_answered_has_not() {
        let folder = tempfile::tempdir().unwrap();
        let source = |path: &str| SourceRef {
            id: SourceId(path.into()),
            path: path.into(),
            title: "it".into(),
            sha256: "0".into(),
            superseded: None,
        };
        let read = ["gone.md", "mcp:tracker/tickets(word=pgvector)", "https://example.org/"].map(source);
        let changed = changed_since(&[folder.path().to_owned()], &read).unwrap();
        assert_eq!(changed, ["gone.md"]);
    }
}
