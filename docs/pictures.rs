//! Makes the pictures of the screens in `docs/` from recorded runs and from runs of other programs:
//! `cargo run --example pictures`.
//!
//! What the program would draw on a terminal becomes an SVG of the same cells: text stays text, lines are lines, and the
//! colours are those of the theme. The same run gives the same pictures to the byte, and a test holds the files to that.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use import::{Import, Teller};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::text::Span;
use run::compare::compare;
use run::record::Records;
use run::{Envelope, Run};
use tui::{Theme, still, still_page};

/// A picture of a screen.
struct Picture {
    name: &'static str,
    of: Of,
    /// Columns and rows.
    size: (u16, u16),
}

/// The contents of a picture.
enum Of {
    /// A recorded run, by its file, after so many events and then these keys.
    Recorded(&'static str, usize, &'static str),
    /// Two recorded runs side by side.
    Compared(&'static str, &'static str),
    /// The run of another program, by the folder of its files.
    Opened(&'static str),
}

const TEAM: &str = "examples/model-team.jsonl";
/// The run of the page on debugging, a fork of it that stands at a breakpoint, and one in which the fault is mended.
const FAULTY: &str = "docs/debugging/faulty.jsonl";
const STOPPED: &str = "docs/debugging/stopped.jsonl";
const MENDED: &str = "docs/debugging/mended.jsonl";

const PICTURES: [Picture; 7] = [
    Picture { name: "team", of: Of::Recorded(TEAM, 105, ""), size: (140, 42) },
    Picture { name: "findings", of: Of::Recorded(TEAM, 90, "jj"), size: (140, 24) },
    Picture { name: "brief", of: Of::Recorded(TEAM, 118, "nn"), size: (150, 36) },
    Picture { name: "session", of: Of::Opened("tests/import/samples/claude-code"), size: (140, 36) },
    Picture { name: "langgraph", of: Of::Opened("tests/import/samples/langsmith"), size: (140, 28) },
    Picture { name: "breakpoint", of: Of::Recorded(STOPPED, usize::MAX, ""), size: (120, 32) },
    Picture { name: "compare", of: Of::Compared(FAULTY, MENDED), size: (120, 40) },
];

/// Width and height of a cell, and where its text stands, in units of the picture.
const CELL: (f32, f32) = (8.0, 17.0);
const BASELINE: f32 = 12.5;
const MARGIN: f32 = 10.0;

/// The colours of a terminal: text, background, and the sixteen.
struct Palette {
    text: &'static str,
    back: &'static str,
    sixteen: [&'static str; 16],
}

const DARK: Palette = Palette {
    text: "#d6d8de",
    back: "#101218",
    sixteen: [
        "#1c1e26", "#e05561", "#78be6e", "#deb25a", "#6196e8", "#be78d2", "#50b4be", "#c4c8d0", "#646a78", "#f07882",
        "#96d78c", "#f0cd7d", "#82b2fa", "#d79be8", "#78d2d2", "#f4f6fa",
    ],
};

const LIGHT: Palette = Palette {
    text: "#24262c",
    back: "#fcfcfa",
    sixteen: [
        "#24262c", "#b4232f", "#2f7d32", "#8a6100", "#1f5fbf", "#8b3fa8", "#0f7580", "#6a6e78", "#8a8f9a", "#c0392b",
        "#3c8f40", "#a87400", "#2f6fd0", "#9b4fb8", "#1f8590", "#fcfcfa",
    ],
};

fn main() {
    for (file, drawn) in pictures() {
        std::fs::write(&file, drawn).expect("docs can be written to");
        println!("{}", file.display());
    }
}

/// Each picture: its file, and what the program draws there.
fn pictures() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pictures = Vec::new();
    for (shade, palette) in [("dark", DARK), ("light", LIGHT)] {
        let theme = Theme::load(shade, None).expect("a theme of this name is built in");
        for Picture { name, of, size: (width, height) } in PICTURES {
            let buf = of.drawn(root, Rect::new(0, 0, width, height), &theme);
            pictures.push((root.join(format!("docs/screen-{name}-{shade}.svg")), svg(&buf, &palette)));
        }
    }
    pictures
}

#[test]
fn the_pictures_in_docs_are_what_the_program_draws() {
    for (file, drawn) in pictures() {
        let kept = std::fs::read_to_string(&file).expect("the picture is in docs");
        assert!(kept == drawn, "{} is out of date: cargo run --example pictures", file.display());
    }
}

impl Of {
    fn drawn(&self, root: &Path, area: Rect, theme: &Theme) -> Buffer {
        match self {
            Of::Recorded(file, until, keys) => {
                let events = recorded(&root.join(file));
                still(&events[..events.len().min(*until)], keys, area, theme)
            }
            Of::Compared(first, second) => {
                let [first, second] = [first, second]
                    .map(|file| Run::fold(recorded(&root.join(file)).iter().map(|envelope| &**envelope)));
                still_page(tui::compared(&compare(&first, &second)), area, theme)
            }
            Of::Opened(folder) => still(&opened(&root.join(folder)), "", area, theme),
        }
    }
}

/// The events of a recorded run, by its file.
fn recorded(file: &Path) -> Vec<Arc<Envelope>> {
    let text = std::fs::read_to_string(file).expect("the recorded runs are in the repository");
    let mut records = Records::default();
    let read = |line| records.read_line(line).expect("each line is an event").1;
    text.lines().map(read).map(Arc::new).collect()
}

/// The run of another program, as `masthead open` reads it.
fn opened(folder: &Path) -> Vec<Arc<Envelope>> {
    let mut import = Import::new(None);
    for file in files(folder) {
        import.begin(&file.to_string_lossy());
        import.push(&std::fs::read(&file).expect("the sample comes with the tests"));
    }
    import.finish();
    let teller = Teller { version: env!("CARGO_PKG_VERSION"), rates: &|_| None };
    let story = import.stories().into_iter().next().expect("there is a run among the samples");
    import::events(story, &teller).into_iter().map(Arc::new).collect()
}

/// All files below a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the samples come with the tests");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("its entries are read").path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn svg(buf: &Buffer, palette: &Palette) -> String {
    let (columns, rows) = (f32::from(buf.area.width), f32::from(buf.area.height));
    let (wide, tall) = (columns * CELL.0 + 2.0 * MARGIN, rows * CELL.1 + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {tall}\" font-size=\"13.2\" \
         font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\">\n\
         <rect width=\"{wide}\" height=\"{tall}\" rx=\"8\" fill=\"{}\"/>\n<g transform=\"translate({MARGIN} {MARGIN})\" \
         xml:space=\"preserve\" stroke-width=\"1.1\" fill=\"none\">\n",
        palette.back
    );
    for y in 0..buf.area.height {
        row(&mut svg, buf, y, palette);
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// How a cell looks: text, background, bold, italic, underlined, dimmed.
type Look = (String, Option<String>, bool, bool, bool, bool);

fn look(cell: &Cell, palette: &Palette) -> Look {
    let colour = |colour: Color| match colour {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Indexed(n) => palette.sixteen.get(usize::from(n)).map(ToString::to_string),
        named => place(named).map(|n| palette.sixteen[n].to_string()),
    };
    let (mut text, mut back) = (colour(cell.fg).unwrap_or_else(|| palette.text.into()), colour(cell.bg));
    if cell.modifier.contains(Modifier::REVERSED) {
        let behind = back.replace(text).unwrap_or_else(|| palette.back.into());
        text = behind;
    }
    let has = |modifier| cell.modifier.contains(modifier);
    (text, back, has(Modifier::BOLD), has(Modifier::ITALIC), has(Modifier::UNDERLINED), has(Modifier::DIM))
}

/// The place of a named colour among the sixteen.
fn place(colour: Color) -> Option<usize> {
    use Color::*;
    let all = [
        Black,
        Red,
        Green,
        Yellow,
        Blue,
        Magenta,
        Cyan,
        Gray,
        DarkGray,
        LightRed,
        LightGreen,
        LightYellow,
        LightBlue,
        LightMagenta,
        LightCyan,
        White,
    ];
    all.iter().position(|one| *one == colour)
}

/// A row: backgrounds, then lines as paths, then text, cells of one look together.
fn row(svg: &mut String, buf: &Buffer, y: u16, palette: &Palette) {
    let top = f32::from(y) * CELL.1;
    let mut cells: Vec<(u16, &str, Look)> = Vec::new();
    let mut x = 0;
    while x < buf.area.width {
        let cell = &buf[(x, y)];
        cells.push((x, cell.symbol(), look(cell, palette)));
        x += cells_of(cell.symbol());
    }
    for run in cells.chunk_by(|one, next| one.2.1 == next.2.1) {
        let Some(back) = &run[0].2.1 else { continue };
        let wide = f32::from(run.iter().map(|cell| cells_of(cell.1)).sum::<u16>()) * CELL.0;
        let left = f32::from(run[0].0) * CELL.0;
        let _ =
            writeln!(svg, "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{}\" fill=\"{back}\"/>", CELL.1);
    }
    let is_drawn = |symbol: &str| drawn(symbol, 0.0, 0.0).is_some();
    for run in cells.chunk_by(|one, next| one.2 == next.2 && is_drawn(one.1) == is_drawn(next.1)) {
        let (text, _, bold, italic, underlined, dim) = &run[0].2;
        if is_drawn(run[0].1) {
            let paths: String =
                run.iter().filter_map(|(x, symbol, _)| drawn(symbol, f32::from(*x) * CELL.0, top)).collect();
            let faint = if *dim { " opacity=\".6\"" } else { "" };
            let (fills, strokes): (Vec<&str>, Vec<&str>) = paths.lines().partition(|path| path.ends_with('z'));
            if !strokes.is_empty() {
                let _ = writeln!(svg, "<path d=\"{}\" stroke=\"{text}\"{faint}/>", strokes.concat());
            }
            if !fills.is_empty() {
                let _ = writeln!(svg, "<path d=\"{}\" fill=\"{text}\"{faint}/>", fills.concat());
            }
            continue;
        }
        words(svg, run, top, |svg| {
            let _ = write!(svg, " fill=\"{text}\"");
            for (is, attribute) in [
                (bold, " font-weight=\"bold\""),
                (italic, " font-style=\"italic\""),
                (underlined, " text-decoration=\"underline\""),
                (dim, " opacity=\".6\""),
            ] {
                if *is {
                    svg.push_str(attribute);
                }
            }
        });
    }
}

fn cells_of(symbol: &str) -> u16 {
    u16::try_from(Span::raw(symbol).width().max(1)).unwrap_or(1)
}

/// The words of a run of cells, each as wide as its cells whatever font there is.
fn words(svg: &mut String, run: &[(u16, &str, Look)], top: f32, style: impl Fn(&mut String)) {
    // Two blanks part words: less is drawn as one text.
    let mut from = 0;
    while from < run.len() {
        if run[from].1 == " " {
            from += 1;
            continue;
        }
        let blanks = |at: usize| run.get(at).is_none_or(|cell| cell.1 == " ");
        let to = (from..run.len()).find(|at| blanks(*at) && blanks(at + 1)).unwrap_or(run.len());
        let text: String = run[from..to].iter().map(|cell| cell.1).collect();
        let wide = f32::from(run[from..to].iter().map(|cell| cells_of(cell.1)).sum::<u16>()) * CELL.0;
        let left = f32::from(run[from].0) * CELL.0;
        let _ = write!(svg, "<text x=\"{left}\" y=\"{}\" textLength=\"{wide}\"", top + BASELINE);
        style(svg);
        let _ = writeln!(svg, ">{}</text>", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
        from = to;
    }
}

/// Lines and blocks as paths, one a line, those to be filled closed; None for text.
fn drawn(symbol: &str, x: f32, y: f32) -> Option<String> {
    let (wide, tall) = CELL;
    let (middle, level) = (x + wide / 2.0, y + tall / 2.0);
    let (right, bottom) = (x + wide, y + tall);
    let filled = |left: f32, right: f32| Some(format!("M{left} {y}H{right}V{bottom}H{left}z\n"));
    let corner = |from: &str, to: &str| Some(format!("M{from}Q{middle} {level} {to}\n"));
    let (up, down) = (format!("{middle} {y}"), format!("{middle} {bottom}"));
    let (west, east) = (format!("{x} {level}"), format!("{right} {level}"));
    let lines =
        |ends: &[&String]| Some(ends.iter().map(|end| format!("M{middle} {level}L{end}\n")).collect::<String>());
    match symbol {
        "─" => lines(&[&west, &east]),
        "│" => lines(&[&up, &down]),
        "┌" => lines(&[&down, &east]),
        "┐" => lines(&[&down, &west]),
        "└" => lines(&[&up, &east]),
        "┘" => lines(&[&up, &west]),
        "╭" => corner(&down, &east),
        "╮" => corner(&down, &west),
        "╰" => corner(&up, &east),
        "╯" => corner(&up, &west),
        "├" => lines(&[&up, &down, &east]),
        "┤" => lines(&[&up, &down, &west]),
        "┬" => lines(&[&west, &east, &down]),
        "┴" => lines(&[&west, &east, &up]),
        "┼" => lines(&[&west, &east, &up, &down]),
        "╌" | "┄" => Some(format!("M{} {level}h2.4\nM{} {level}h2.4\n", x + 1.0, x + 5.0)),
        "█" => filled(x, right),
        "▌" => filled(x, middle),
        "▕" => filled(right - 1.2, right),
        "▏" => filled(x, x + 1.2),
        "░" | "▓" => {
            let thick = if symbol == "░" { 0.8 } else { 2.2 };
            let rows = (0..4).map(|n| y + tall * (n as f32 + 0.5) / 4.0);
            Some(rows.map(|at| format!("M{x} {at}H{right}V{}H{x}z\n", at + thick)).collect())
        }
        _ => None,
    }
}
