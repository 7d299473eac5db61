//! PDF files through the real program: it starts itself as the process that reads them.

use std::fs;
use std::path::Path;

use run::evidence::{Corpus, Hits};
use tool::{Library, Readers};

/// A file of these objects, the first of which is the root.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let table = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1));
    places.iter().for_each(|at| file.push_str(&format!("{at:010} 00000 n \n")));
    let size = places.len() + 1;
    file.push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

/// Two pages, a sentence on each.
fn guide() -> Vec<u8> {
    let page = |contents: u32| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {contents} 0 R \
             /Resources << /Font << /F1 7 0 R >> >> >>"
        )
    };
    let stream = |line: &str| {
        let stream = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len())
    };
    pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>".to_owned(),
        page(5),
        page(6),
        stream("A heap is a tree that is kept in a list."),
        stream("Pushing onto a heap takes logarithmic time."),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ])
}

fn survey(folder: &Path) -> (Library, Corpus) {
    let readers = Readers::of(crate::PROGRAM.into());
    let library = Library::open(&[folder.join("docs")], &folder.join("data"), readers).expect("the folder is there");
    let corpus = library.survey(|_| {}).expect("it is indexed");
    (library, corpus)
}

fn search(library: &Library, query: &str) -> Hits {
    library.search(&query.into(), 5).expect("it can be searched")
}

#[test]
#[cfg(feature = "pdf")]
fn a_pdf_is_read_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("docs/guide.pdf"), guide()).unwrap();
    let (library, corpus) = survey(folder.path());
    assert_eq!((corpus.documents, corpus.skipped_count), (1, 0), "{:?}", corpus.skipped);
    let hit = search(&library, "pushing").hits.remove(0);
    assert_eq!(hit.snippet, "Pushing onto a heap takes logarithmic time.");
    let excerpt = library.read(&hit.source.id, hit.block, hit.block + 1).expect("the hit can be read");
    assert_eq!(excerpt.blocks[0].line, 2, "the line of a PDF is its page");
}

#[test]
fn hostile_pdfs_cost_nobody_but_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    fs::create_dir(&docs).unwrap();
    fs::write(docs.join("good.md"), "# Heaps\n\nA heap is a tree.\n").unwrap();
    // Parsers that recurse run out of stack here; some files refer to themselves.
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    fs::write(docs.join("deep.pdf"), pdf(&[format!("<< /Type /Catalog /Pages 2 0 R /X {deep} >>")])).unwrap();
    fs::write(
        docs.join("circle.pdf"),
        pdf(&["<< /Type /Catalog /Pages 2 0 R >>".into(), "<< /Type /Pages /Kids [2 0 R] /Count 1 >>".into()]),
    )
    .unwrap();
    fs::write(docs.join("cut.pdf"), &guide()[..300]).unwrap();
    fs::write(docs.join("noise.pdf"), [b"%PDF-1.7\n".as_slice(), &[0xa5; 5000]].concat()).unwrap();
    let (library, corpus) = survey(folder.path());
    let skipped: Vec<&str> = corpus.skipped.iter().map(|skipped| skipped.path.as_str()).collect();
    assert_eq!(skipped, ["circle.pdf", "cut.pdf", "deep.pdf", "noise.pdf"], "{:?}", corpus.skipped);
    assert_eq!(search(&library, "heap").hits.len(), 1);
}
