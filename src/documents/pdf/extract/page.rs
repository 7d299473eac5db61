//! The glyphs shown on a page and their places: runs those instructions of its content that move or show text.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Number, ObjRef, Object, Stream};
use hayro_syntax::page::{Page, Resources};

use super::encoding::{document_text, readable};
use super::font::Font;
use super::layout::Glyph;

/// The most glyphs read of a page.
const MOST_GLYPHS: usize = 200_000;
/// The most instructions run for a page, its forms included.
const MOST_INSTRUCTIONS: usize = 3_000_000;
/// The greatest nesting depth of forms, and the most forms of a page.
const DEEPEST: usize = 8;
const MOST_FORMS: usize = 5_000;
/// The most saved states and open marks.
const MOST_SAVED: usize = 2_000;

/// An affine transformation as in a file: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const NONE: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn moved(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    fn of(numbers: [Number; 6]) -> Matrix {
        Matrix(numbers.map(|number| number.as_f64()))
    }

    /// This transformation first, then the other.
    fn then(self, Matrix([a, b, c, d, e, f]): Matrix) -> Matrix {
        let [p, q, r, s, x, y] = self.0;
        Matrix([p * a + q * c, p * b + q * d, r * a + s * c, r * b + s * d, x * a + y * c + e, x * b + y * d + f])
    }
}

/// The graphics state, as far as text needs it.
#[derive(Clone)]
struct State {
    to_page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// Reads pages; caches the fonts of the document.
#[derive(Default)]
pub(super) struct Pages {
    fonts: HashMap<ObjRef, Rc<Font>>,
}

/// The contents of a page.
pub(super) struct Shown {
    pub(super) glyphs: Vec<Glyph>,
    /// The number of codes whose letters the file does not give.
    pub(super) unknown: usize,
}

impl Pages {
    pub(super) fn read(&mut self, page: &Page<'_>) -> Shown {
        let (width, height) = page.render_dimensions();
        let mut run = Run {
            fonts: &mut self.fonts,
            within: (f64::from(width), f64::from(height)),
            state: State {
                to_page: Matrix(page.initial_transform(false).as_coeffs()),
                font: None,
                size: 1.0,
                letter_space: 0.0,
                word_space: 0.0,
                stretch: 1.0,
                leading: 0.0,
                rise: 0.0,
            },
            saved: Vec::new(),
            place: Matrix::NONE,
            line: Matrix::NONE,
            marks: Vec::new(),
            instructions: 0,
            forms: 0,
            shown: Shown { glyphs: Vec::new(), unknown: 0 },
        };
        if let Some(content) = page.page_stream() {
            run.content(content, page.resources(), 0);
        }
        run.shown
    }
}

struct Run<'f> {
    fonts: &'f mut HashMap<ObjRef, Rc<Font>>,
    /// Width and height of the page.
    within: (f64, f64),
    state: State,
    saved: Vec<State>,
    /// The place of the next glyph, and the beginning of its line.
    place: Matrix,
    line: Matrix,
    /// Open marks, each with the text that replaces its contents.
    marks: Vec<Option<String>>,
    instructions: usize,
    forms: usize,
    shown: Shown,
}

impl Run<'_> {
    fn content(&mut self, content: &[u8], resources: &Resources<'_>, depth: usize) {
        let mut instructions = TypedIter::new(content);
        while let Some(instruction) = instructions.next() {
            self.instructions += 1;
            if self.instructions > MOST_INSTRUCTIONS || self.is_full() {
                return;
            }
            self.instruction(instruction, resources, depth);
        }
    }

    fn instruction(&mut self, instruction: TypedInstruction<'_, '_>, resources: &Resources<'_>, depth: usize) {
        use TypedInstruction as I;
        match instruction {
            I::SaveState(_) if self.saved.len() < MOST_SAVED => self.saved.push(self.state.clone()),
            I::RestoreState(_) => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            I::Transform(m) => {
                self.state.to_page = Matrix::of([m.0, m.1, m.2, m.3, m.4, m.5]).then(self.state.to_page);
            }
            I::BeginText(_) => (self.place, self.line) = (Matrix::NONE, Matrix::NONE),
            I::CharacterSpacing(space) => self.state.letter_space = space.0.as_f64(),
            I::WordSpacing(space) => self.state.word_space = space.0.as_f64(),
            I::HorizontalScaling(percent) => self.state.stretch = percent.0.as_f64() / 100.0,
            I::TextLeading(leading) => self.state.leading = leading.0.as_f64(),
            I::TextRise(rise) => self.state.rise = rise.0.as_f64(),
            I::TextFont(font) => {
                self.state.font = self.font(resources.fonts.get_ref(font.0), || resources.get_font(font.0));
                self.state.size = font.1.as_f64();
            }
            I::SetGraphicsState(name) => {
                let font = resources.get_ext_g_state(name.0).and_then(|state| state.get::<Array<'_>>("Font"));
                let key = font.iter().find_map(|font| font.raw_iter().next()?.as_obj_ref());
                let mut items = font.iter().flat_map(|font| font.iter::<Object<'_>>());
                if let (Some(Object::Dict(font)), Some(Object::Number(size))) = (items.next(), items.next()) {
                    self.state.font = self.font(key, || Some(font));
                    self.state.size = size.as_f64();
                }
            }
            I::SetTextMatrix(m) => {
                self.line = Matrix::of([m.0, m.1, m.2, m.3, m.4, m.5]);
                self.place = self.line;
            }
            I::NextLine(by) => self.next_line(by.0.as_f64(), by.1.as_f64()),
            I::NextLineAndSetLeading(by) => {
                self.state.leading = -by.1.as_f64();
                self.next_line(by.0.as_f64(), by.1.as_f64());
            }
            I::NextLineUsingLeading(_) => self.next_line(0.0, -self.state.leading),
            I::ShowText(text) => self.show(text.0.as_bytes()),
            I::NextLineAndShowText(text) => {
                self.next_line(0.0, -self.state.leading);
                self.show(text.0.as_bytes());
            }
            I::ShowTextWithParameters(text) => {
                self.state.word_space = text.0.as_f64();
                self.state.letter_space = text.1.as_f64();
                self.next_line(0.0, -self.state.leading);
                self.show(text.2.as_bytes());
            }
            I::ShowTexts(items) => {
                for item in items.0.iter::<Object<'_>>() {
                    match item {
                        Object::String(text) => self.show(text.as_bytes()),
                        Object::Number(back) => self.advance(-back.as_f64() / 1000.0 * self.state.size),
                        _ => {}
                    }
                }
            }
            I::BeginMarkedContent(_) => self.mark(None),
            I::BeginMarkedContentWithProperties(mark) => {
                let properties = match mark.1 {
                    Object::Dict(properties) => Some(properties.clone()),
                    Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
                    _ => None,
                };
                let text = properties.and_then(|it| it.get::<hayro_syntax::object::String<'_>>("ActualText"));
                self.mark(text.map(|text| document_text(text.as_bytes())));
            }
            I::EndMarkedContent(_) => {
                self.marks.pop();
            }
            I::XObject(name) if depth < DEEPEST && self.forms < MOST_FORMS => {
                if let Some(form) = resources.get_x_object(name.0) {
                    self.form(&form, resources, depth);
                }
            }
            _ => {}
        }
    }

    fn mark(&mut self, text: Option<String>) {
        if self.marks.len() < MOST_SAVED {
            self.marks.push(text);
        }
    }

    fn form(&mut self, form: &Stream<'_>, resources: &Resources<'_>, depth: usize) {
        let dict = form.dict();
        if dict.get::<Name<'_>>("Subtype").as_deref() != Some(b"Form") {
            return;
        }
        self.forms += 1;
        let Ok(content) = form.decoded_data() else { return };
        let before = (self.state.clone(), std::mem::take(&mut self.saved), self.place, self.line);
        if let Some(matrix) = dict.get::<[f32; 6]>("Matrix") {
            self.state.to_page = Matrix(matrix.map(f64::from)).then(self.state.to_page);
        }
        match dict.get::<Dict<'_>>("Resources") {
            Some(own) => self.content(&content, &Resources::new(own), depth + 1),
            None => self.content(&content, resources, depth + 1),
        }
        (self.state, self.saved, self.place, self.line) = before;
    }

    /// The font of an object of the file, read once, or an inline font.
    fn font<'d>(&mut self, key: Option<ObjRef>, dict: impl FnOnce() -> Option<Dict<'d>>) -> Option<Rc<Font>> {
        if let Some(known) = key.and_then(|key| self.fonts.get(&key)) {
            return Some(known.clone());
        }
        let font = Rc::new(Font::new(&dict()?));
        if let Some(key) = key {
            self.fonts.insert(key, font.clone());
        }
        Some(font)
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::moved(x, y).then(self.line);
        self.place = self.line;
    }

    /// Moves the pen along the line.
    fn advance(&mut self, by: f64) {
        let vertical = self.state.font.as_ref().is_some_and(|font| font.vertical);
        let step = if vertical { Matrix::moved(0.0, -by) } else { Matrix::moved(by * self.state.stretch, 0.0) };
        self.place = step.then(self.place);
    }

    fn is_full(&self) -> bool {
        self.shown.glyphs.len() >= MOST_GLYPHS
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        for shown in font.shown(bytes) {
            if self.is_full() {
                return;
            }
            let wide = shown.width * self.state.size;
            self.put(&font, shown.text, wide);
            let space = if shown.is_space { self.state.word_space } else { 0.0 };
            self.advance(wide + self.state.letter_space + space);
        }
    }

    fn put(&mut self, font: &Font, text: Option<String>, wide: f64) {
        let text = match self.marks.iter_mut().find_map(Option::as_mut) {
            // The first glyph stands for all that the mark encloses.
            Some(instead) => readable(&std::mem::take(instead)).or(Some(String::new())),
            None => text,
        };
        let Some(text) = text else {
            self.shown.unknown += 1;
            return;
        };
        let State { stretch, rise, size, letter_space, to_page, .. } = self.state;
        let Matrix([a, b, c, d, x, y]) = Matrix::moved(0.0, rise).then(self.place).then(to_page);
        // Letters spaced out to fill a line are one word; spaced wider they stand apart.
        let spaced = wide + if letter_space.abs() < 0.3 * size.abs() { letter_space } else { 0.0 };
        let along = if font.vertical { (-c, -d) } else { (a * stretch, b * stretch) };
        let turned = size.signum();
        let size = c.hypot(d) * size.abs() * font.height;
        let glyph = Glyph {
            x,
            y,
            dx: along.0 * spaced,
            dy: along.1 * spaced,
            along: (along.0 * turned, along.1 * turned),
            size,
            face: font.face,
            text,
        };
        let outside = x < -size || y < -size || x > self.within.0 + size || y > self.within.1 + size;
        if !outside && size > 0.0 && [x, y, glyph.dx, glyph.dy, size].iter().all(|it| it.is_finite()) {
            self.shown.glyphs.push(glyph);
        }
    }
}
