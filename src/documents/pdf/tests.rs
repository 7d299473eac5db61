use super::extract::extract;

/// The smallest file that shows a line of text.
fn pdf(line: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Title (A small guide) >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let table = file.len();
    file.push_str("xref\n0 7\n0000000000 65535 f \n");
    places.iter().for_each(|at| file.push_str(&format!("{at:010} 00000 n \n")));
    file.push_str(&format!("trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

#[test]
fn the_child_reads_title_and_text() {
    let text = extract(&pdf("Heaps are trees.")).unwrap();
    let (title, pages) = text.split_once('\n').unwrap();
    assert_eq!(title, "A small guide");
    assert_eq!(pages.trim(), "Heaps are trees.");
}

#[test]
fn a_damaged_file_is_an_error_to_the_child() {
    let mut broken = pdf("x");
    broken.truncate(200);
    assert!(extract(&broken).is_err());
}
