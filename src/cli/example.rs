//! The example that comes along: some documents, and a question that they answer.

use std::path::PathBuf;

use super::exit::Failure;
use super::output::shown;
use super::place::Places;

pub const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

const FILES: &[(&str, &str)] = &[
    ("comparison/benchmarks-caution.txt", include_str!("examples/vector-databases/comparison/benchmarks-caution.txt")),
    ("comparison/choosing.md", include_str!("examples/vector-databases/comparison/choosing.md")),
    ("comparison/costs.html", include_str!("examples/vector-databases/comparison/costs.html")),
    ("notes/old-tuning-notes.txt", include_str!("examples/vector-databases/notes/old-tuning-notes.txt")),
    ("notes/vendor-mail.txt", include_str!("examples/vector-databases/notes/vendor-mail.txt")),
    ("pgvector/operations.txt", include_str!("examples/vector-databases/pgvector/operations.txt")),
    ("pgvector/readme.md", include_str!("examples/vector-databases/pgvector/readme.md")),
    ("pgvector/tuning.md", include_str!("examples/vector-databases/pgvector/tuning.md")),
    ("pinecone/limits.md", include_str!("examples/vector-databases/pinecone/limits.md")),
    ("pinecone/overview.md", include_str!("examples/vector-databases/pinecone/overview.md")),
    ("pinecone/serverless.html", include_str!("examples/vector-databases/pinecone/serverless.html")),
    ("qdrant/filtering.md", include_str!("examples/vector-databases/qdrant/filtering.md")),
    ("qdrant/operations.txt", include_str!("examples/vector-databases/qdrant/operations.txt")),
    ("qdrant/overview.md", include_str!("examples/vector-databases/qdrant/overview.md")),
    ("qdrant/quantization.rst", include_str!("examples/vector-databases/qdrant/quantization.rst")),
];

/// The folder with the documents, written below the data directory.
pub fn folder(places: &Places) -> Result<PathBuf, Failure> {
    let folder = places.data.join("example/vector-databases");
    for (name, text) in FILES {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(&folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&file, text));
        written
            .map_err(|error| Failure::NotWritten(format!("the example {} cannot be written: {error}", shown(&file))))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_documents_of_the_example_come_along() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/vector-databases");
        let mut count = 0;
        for folder in std::fs::read_dir(source).unwrap() {
            count += std::fs::read_dir(folder.unwrap().path()).unwrap().count();
        }
        assert_eq!(count, FILES.len());
    }
}
