use super::super::titles::is_title;
use super::extract::extract;
use super::parse;
use crate::draft::Draft;
use run::evidence::BlockKind;

/// A file with a page of this content, whose resources and further objects (from 6) are as given.
fn file(content: &str, resources: &str, further: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << {resources} >> >>"),
        stream("", content),
        "<< /Title (A small guide) >>".to_owned(),
    ];
    objects.extend(further.iter().map(|object| (*object).to_owned()));
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let table = file.len();
    let size = objects.len() + 1;
    file.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n"));
    places.iter().for_each(|at| file.push_str(&format!("{at:010} 00000 n \n")));
    file.push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

fn stream(entries: &str, content: &str) -> String {
    format!("<< {entries} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/// A file that shows a line of text.
fn pdf(line: &str) -> Vec<u8> {
    file(&format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET"), "/Font << /F1 6 0 R >>", &[HELVETICA])
}

/// The text of a page with this content, in Helvetica by the name F1 and in the font of object 7 by the name F2.
fn shown(content: &str, further: &[&str]) -> String {
    let objects: Vec<&str> = [HELVETICA].iter().chain(further).copied().collect();
    let resources = "/Font << /F1 6 0 R /F2 7 0 R >> /XObject << /X 7 0 R >>";
    let text = extract(&file(content, resources, &objects)).unwrap();
    text.split_once('\n').unwrap().1.trim_matches(['\n', '\u{c}']).to_owned()
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

#[test]
fn gaps_are_spaces_and_kerning_is_not() {
    let text = shown("BT /F1 12 Tf 72 720 Td [(W) 80 (ater) -300 (flo) 20 (ws)] TJ ET", &[]);
    assert_eq!(text, "Water flows");
}

#[test]
fn the_raised_number_of_a_footnote_is_no_part_of_its_text() {
    let text = shown("BT /F1 7 Tf 72 724 Td (12) Tj /F1 12 Tf 8 -4 Td (Note that 7 are) Tj ET", &[]);
    assert_eq!(text, "Note that 7 are");
}

#[test]
fn a_long_row_of_digits_is_no_number_of_a_footnote() {
    let text = shown("BT /F1 7 Tf 72 724 Td (2022063012) Tj /F1 12 Tf 39 -4 Td (is a day) Tj ET", &[]);
    assert_eq!(text, "2022063012is a day");
}

#[test]
fn no_instruction_shows_more_than_a_page_may_hold() {
    let line = "mm ".repeat(300_000);
    let text = shown(&format!("BT /F1 12 Tf 0 Tz 72 720 Td ({line}) Tj ET"), &[]);
    assert!(text.len() <= 200_000, "{}", text.len());
}

#[test]
fn widths_of_codes_beyond_all_others_do_no_harm() {
    let composite = "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 8 0 R \
                     /DescendantFonts [<< /DW 500 /W [4294967295 [5 6] 4294967295 4294967295 7] >>] >>";
    let map = stream("", "begincmap 1 beginbfrange <0001> <0003> <0041> endbfrange endcmap");
    assert_eq!(shown("BT /F2 12 Tf 72 720 Td <00010002> Tj ET", &[composite, &map]), "AB");
    let simple = "<< /Type /Font /Subtype /Type1 /BaseFont /F /FirstChar 4294967295 /Widths [500 500] >>";
    assert_eq!(shown("BT /F2 12 Tf 72 720 Td (A) Tj ET", &[simple]), "A");
}

#[test]
fn a_font_that_a_graphics_state_sets_is_read_once() {
    let font =
        "<< /Type /Font /Subtype /Type1 /BaseFont /F /FirstChar 1 /Widths [500] /Encoding << /Differences 8 0 R >> >>";
    let names = format!("[1 /o{}]", " 1 /o".repeat(20_000));
    let resources = "/Font << /F1 6 0 R >> /ExtGState << /G << /Font [7 0 R 12] >> >>";
    let content = format!("BT 72 720 Td {} <01> Tj ET", "/G gs ".repeat(20_000));
    let begun = crate::tests::Spent::now();
    let text = extract(&file(&content, resources, &[HELVETICA, font, &names])).unwrap();
    assert_eq!(text.split_once('\n').unwrap().1.trim(), "o");
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn named_glyphs_and_ligatures_are_letters() {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /F /FirstChar 1 /Widths [500 500 500 500] \
                /Encoding << /Differences [1 /o /f_f_i /uni0063 /eacute] >> >>";
    assert_eq!(shown("BT /F2 12 Tf 72 720 Td <01020304> Tj ET", &[font]), "officé");
}

#[test]
fn an_accent_that_is_shown_over_a_letter_makes_one_with_it() {
    let text = shown("BT /F1 10 Tf 72 720 Td [(caf) -50 (\\302) 400 (e) -300 (noir)] TJ ET", &[]);
    assert_eq!(text, "café noir");
}

#[test]
fn a_composite_font_says_its_letters_by_its_map() {
    let font =
        "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /DW 500 >>] /ToUnicode 8 0 R >>";
    let map = stream(
        "",
        "begincmap 1 beginbfrange <0001> <0003> <0041> endbfrange 1 beginbfchar <0009> <00660069> endbfchar endcmap",
    );
    assert_eq!(shown("BT /F2 12 Tf 72 720 Td <0001000200030009> Tj ET", &[font, &map]), "ABCfi");
}

#[test]
fn a_japanese_font_that_the_file_leaves_out_is_read() {
    let font = "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts \
                [<< /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 0 >> >>] >>";
    assert_eq!(shown("BT /F2 12 Tf 72 720 Td <0022034B034D0465> Tj ET", &[font]), "Aあい亜");
}

#[test]
fn a_page_of_letters_that_nothing_tells_is_left_out() {
    let font = "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< >>] >>";
    let content = "BT /F2 12 Tf 72 720 Td <00010002000300040005> Tj /F1 12 Tf (no) Tj ET";
    assert_eq!(shown(content, &[font]), "");
}

#[test]
fn forms_are_read_at_their_place_and_one_in_itself_ends() {
    let form = stream(
        "/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -100] /Resources << /Font << /F1 6 0 R >> /XObject << /X 7 0 R >> >>",
        "BT /F1 12 Tf 72 720 Td (inside) Tj ET /X Do",
    );
    let text = shown("/X Do BT /F1 12 Tf 72 720 Td (before) Tj ET", &[&form]);
    assert!(text.starts_with("before\n\ninside"), "{text}");
}

#[test]
fn the_text_that_a_mark_gives_stands_for_what_it_encloses() {
    let content = "BT /F1 12 Tf 72 720 Td (a ) Tj /Span << /ActualText (heap) >> BDC (h3ap) Tj EMC ( grows) Tj ET";
    assert_eq!(shown(content, &[]), "a heap grows");
}

#[test]
fn two_columns_are_read_one_after_the_other_however_they_are_shown() {
    let lines = |row: usize| format!("left line {row} of the many here");
    let other = |row: usize| format!("right line {row} of as many here");
    let show = |x: usize, row: usize, text: String| format!("BT /F1 12 Tf {x} {} Td ({text}) Tj ET ", 700 - 14 * row);
    let by_row: String = (0..12).map(|row| show(60, row, lines(row)) + &show(330, row, other(row))).collect();
    let left: String = (0..12).map(|row| show(60, row, lines(row))).collect();
    let by_column = (0..12).fold(left, |all, row| all + &show(330, row, other(row)));
    let read: Vec<String> = (0..12).map(lines).chain((0..12).map(other)).collect();
    for content in [by_row, by_column] {
        assert_eq!(shown(&content, &[]).lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(), read);
    }
}

#[test]
fn a_footer_that_is_shown_first_is_read_last_and_a_table_by_rows() {
    let at = |x: usize, y: usize, text: &str| format!("BT /F1 12 Tf {x} {y} Td ({text}) Tj ET ");
    let content = at(72, 40, "the foot")
        + &at(72, 700, "city")
        + &at(300, 700, "river")
        + &at(72, 686, "Ulm")
        + &at(300, 686, "Danube");
    assert_eq!(shown(&content, &[]), "city river\nUlm Danube\n\nthe foot");
}

#[test]
fn turned_text_and_what_is_shown_twice_to_be_bold_are_lines_once() {
    let content = "BT /F1 12 Tf 0 1 -1 0 500 300 Tm (on the side) Tj ET \
                   BT /F1 12 Tf 72 700 Td (in bold letters) Tj 0.3 0 Td (in bold letters) Tj ET";
    assert_eq!(shown(content, &[]), "in bold letters\non the side");
}

#[test]
fn a_title_is_not_the_name_of_a_file() {
    assert!(is_title("Debian Reference"));
    for no in ["", "untitled", "Microsoft Word - report.doc", "thesis.dvi", "12"] {
        assert!(!is_title(no), "{no}");
    }
}

#[test]
fn letters_tell_headings_and_program_text() {
    let bold = "<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Helvetica-Bold >>";
    let fixed = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";
    let at = |y: i32, font: &str, height: u8, text: &str| format!("BT /{font} {height} Tf 72 {y} Td ({text}) Tj ET ");
    let body = |y: i32| -> String {
        let line =
            |row: i32| at(y - 14 * row, "F1", 12, "A store keeps all files until it is told to drop them, and then");
        (0..12).map(line).collect::<String>() + &at(y - 14 * 12, "F1", 12, "it is empty.")
    };
    let content = at(750, "F1", 24, "The Store")
        + &body(720)
        + &at(540, "F1", 18, "1 Storage")
        + &at(520, "F1", 18, "1.1 Files")
        + &body(490)
        + &at(290, "F2", 12, "Limits")
        + &at(270, "F1", 12, "None is known.")
        + &at(240, "F3", 12, "open 7;")
        + &at(226, "F3", 12, "close 7;")
        + &at(200, "F1", 12, "It ends.")
        + "BT /F2 12 Tf 72 170 Td (Names) Tj /F1 12 Tf (  A file has one.) Tj ET ";
    let resources = "/Font << /F1 6 0 R /F2 7 0 R /F3 8 0 R >>";
    let untitled = |bytes: Vec<u8>| {
        let at = bytes.windows(13).position(|it| it == b"A small guide").unwrap();
        [&bytes[..at], b"scan_0001.pdf", &bytes[at + 13..]].concat()
    };
    let mut draft = Draft::new("a.pdf");
    parse(&untitled(file(&content, resources, &[HELVETICA, bold, fixed])), &mut draft).unwrap();
    let document = draft.finish().unwrap();
    assert_eq!(document.title, "The Store");
    let told = |kind: BlockKind, begin: &str| {
        let found = document.blocks.iter().find(|block| block.kind == kind && block.text.starts_with(begin));
        found.map(|block| block.headings.join("/")).unwrap_or_else(|| panic!("{begin} in {:?}", document.blocks))
    };
    assert_eq!(told(BlockKind::Paragraph, "None is known."), "1.1 Files/Limits");
    assert_eq!(told(BlockKind::Paragraph, "A store keeps"), "");
    assert_eq!(told(BlockKind::Code, "open 7;\nclose 7;"), "1.1 Files/Limits");
    assert_eq!(told(BlockKind::Paragraph, "It ends."), "1.1 Files/Limits");
    assert_eq!(told(BlockKind::Paragraph, "A file has one."), "1.1 Files/Limits/Names");
}

/// Files with bytes changed, cut out and cut off.
#[test]
fn no_damage_makes_the_reader_panic() {
    let font = "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /DW 500 /W [1 [5 6] 7 9 4] >>] /ToUnicode 8 0 R >>";
    let map = stream("", "begincmap 1 beginbfrange <0001> <0003> <0041> endbfrange endcmap");
    let content = "q 1 0 0 1 9 9 cm BT /F1 12 Tf 72 720 Td [(Wa) 80 (ter)] TJ /F2 9 Tf <00010002> Tj T* (x) ' ET Q";
    let whole = file(content, "/Font << /F1 6 0 R /F2 7 0 R >>", &[HELVETICA, font, &map]);
    let mut seed: usize = 7;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for _ in 0..2_000 {
        let mut damaged = whole.clone();
        for _ in 0..=random(6) {
            let at = random(damaged.len());
            match random(8) {
                0 => damaged.truncate(at + 1),
                1 => drop(damaged.drain(at..(at + 9).min(damaged.len() - 1).max(at))),
                _ => damaged[at] = b"0123456789<>[]/() \xff"[random(19)],
            }
        }
        let _ = extract(&damaged);
    }
}
