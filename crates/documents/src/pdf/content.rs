//! Runs the drawing instructions of a page as far as they place text.

use std::collections::HashMap;
use std::rc::Rc;

use super::file::File;
use super::font::Font;
use super::object::{Dict, Lexer, Object};
use crate::{DocumentLimits, Unreadable};

/// Instructions of all pages together.
const MAX_OPERATORS: usize = 20_000_000;
/// Glyphs of one page, which are in memory at the same time. A page of text has some 5,000.
const MAX_PAGE_GLYPHS: usize = 500_000;
/// Longest text that one instruction shows, in bytes. Writers of the format keep to 32,767.
const MAX_SHOWN: usize = 64 << 10;
/// Bytes of the text of a glyph that are as much work as a glyph.
const BYTES_OF_GLYPH: usize = 16;
/// Instructions between two checks of the cancel flag.
const CHECK_PERIOD: usize = 1_024;
/// Saved states at one time.
const MAX_SAVED: usize = 256;
/// Operands of one instruction.
const MAX_OPERANDS: usize = 1_024;
/// Drawings inside of drawings.
const MAX_FORMS: usize = 12;

/// `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const ONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// This one first, then `after`.
    pub(super) fn then(self, after: Self) -> Self {
        let (Self([a, b, c, d, e, f]), Self([g, h, i, j, k, l])) = (self, after);
        Self([a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l])
    }

    /// Where a point comes to be.
    pub(super) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let Self([a, b, c, d, e, f]) = self;
        (a * x + c * y + e, b * x + d * y + f)
    }

    fn move_by(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    fn of(items: &[Object]) -> Option<Self> {
        let numbers: Vec<f64> = items.iter().filter_map(Object::number).collect();
        numbers.try_into().ok().map(Self)
    }
}

/// A glyph on a page, in its coordinates: x to the right, y up, both in points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    pub(super) text: String,
    /// Where it begins.
    pub(super) x: f64,
    pub(super) y: f64,
    /// Where the next one would begin.
    pub(super) end_x: f64,
    pub(super) end_y: f64,
    /// Height of the font.
    pub(super) size: f64,
    pub(super) is_bold: bool,
}

/// What is in force for text.
#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl State {
    fn new(matrix: Matrix) -> Self {
        Self { matrix, font: None, size: 0.0, char_space: 0.0, word_space: 0.0, scale: 1.0, leading: 0.0, rise: 0.0 }
    }
}

/// A drawing that is being run.
struct Frame {
    data: Rc<[u8]>,
    at: usize,
    resources: Rc<Dict>,
    /// States saved when it began; its own are dropped at its end.
    saved: usize,
    /// The object that it is, so that none runs inside of itself.
    number: Option<u32>,
}

/// Runs pages. Fonts and bounds are shared by all of them.
pub(super) struct Runner<'f, 'b> {
    file: &'f File<'b>,
    fonts: HashMap<u32, Option<Rc<Font>>>,
    limits: &'f DocumentLimits,
    operators: usize,
    /// Glyphs that may still be drawn.
    glyphs_left: usize,
    /// Something was left out.
    was_cut: bool,
    /// Glyphs whose text is not known.
    pub(super) unknown: usize,
    /// Pictures that were drawn.
    pub(super) pictures: usize,
    glyphs: Vec<Glyph>,
    state: State,
    saved: Vec<State>,
    /// States saved before the drawing that runs, which it cannot bring back.
    floor: usize,
    text: Matrix,
    line: Matrix,
    /// Marked content: the text that it says to stand for, until it was placed.
    marks: Vec<Option<Option<String>>>,
}

impl<'f, 'b> Runner<'f, 'b> {
    pub(super) fn new(file: &'f File<'b>, limits: &'f DocumentLimits) -> Self {
        Self {
            file,
            fonts: HashMap::new(),
            limits,
            operators: 0,
            glyphs_left: limits.glyphs,
            was_cut: false,
            unknown: 0,
            pictures: 0,
            glyphs: Vec::new(),
            state: State::new(Matrix::ONE),
            saved: Vec::new(),
            floor: 0,
            text: Matrix::ONE,
            line: Matrix::ONE,
            marks: Vec::new(),
        }
    }

    /// Whether instructions or glyphs were left out.
    pub(super) fn is_cut(&self) -> bool {
        self.was_cut || self.is_at_limit()
    }

    /// Whether nothing more is drawn on any page.
    fn is_at_limit(&self) -> bool {
        self.operators >= MAX_OPERATORS || self.glyphs_left == 0
    }

    /// The glyphs of a page, in the order in which they are drawn.
    ///
    /// # Errors
    /// [`Unreadable::Bomb`].
    pub(super) fn page(&mut self, data: Vec<u8>, resources: Dict, matrix: Matrix) -> Result<Vec<Glyph>, Unreadable> {
        self.state = State::new(matrix);
        self.saved.clear();
        self.marks.clear();
        let mut frames =
            vec![Frame { data: data.into(), at: 0, resources: Rc::new(resources), saved: 0, number: None }];
        let mut operands: Vec<Object> = Vec::new();
        while let Some(frame) = frames.last_mut() {
            let data = frame.data.clone();
            self.floor = frame.saved;
            let mut lexer = Lexer::new(&data, frame.at);
            let object = if self.is_at_limit() { None } else { lexer.object() };
            frame.at = lexer.at;
            match object {
                None => {
                    // What it saved itself is dropped; below that is the state that was in force when it began.
                    self.saved.truncate(frame.saved);
                    if frames.len() > 1
                        && let Some(state) = self.saved.pop()
                    {
                        self.state = state;
                    }
                    frames.pop();
                    operands.clear();
                }
                Some(Object::Word(word)) => {
                    self.operators += 1;
                    if self.operators.is_multiple_of(CHECK_PERIOD) {
                        self.limits.check()?;
                    }
                    if &*word == "BI" {
                        frame.at = after_picture(&data, lexer.at);
                        self.pictures += 1;
                    } else if &*word == "Do" {
                        let form = self.form(&operands, &frames)?;
                        frames.extend(form);
                    } else {
                        let resources = frame.resources.clone();
                        self.operator(&word, &operands, &resources)?;
                    }
                    operands.clear();
                }
                Some(value) => {
                    if operands.len() < MAX_OPERANDS {
                        operands.push(value);
                    }
                }
            }
        }
        Ok(std::mem::take(&mut self.glyphs))
    }

    /// The drawing that an instruction names.
    fn form(&mut self, operands: &[Object], frames: &[Frame]) -> Result<Option<Frame>, Unreadable> {
        let Some(frame) = frames.last() else { return Ok(None) };
        let Some(name) = operands.last().and_then(Object::name) else { return Ok(None) };
        let objects = self.file.dict(&frame.resources, "XObject").unwrap_or_default();
        let Some(Object::Ref(number)) = objects.get(name) else { return Ok(None) };
        let number = *number;
        let runs_inside = frames.iter().any(|frame| frame.number == Some(number));
        if runs_inside || frames.len() > MAX_FORMS || self.saved.len() >= MAX_SAVED {
            return Ok(None);
        }
        let Some(stream) = self.file.stream(number) else { return Ok(None) };
        if self.file.member(&stream.dict, "Subtype").name() != Some("Form") {
            self.pictures += 1;
            return Ok(None);
        }
        let Some(data) = self.file.unpack(&stream)? else { return Ok(None) };
        self.saved.push(self.state.clone());
        let saved = self.saved.len();
        if let Object::Array(items) = self.file.member(&stream.dict, "Matrix")
            && let Some(matrix) = Matrix::of(&items)
        {
            self.state.matrix = matrix.then(self.state.matrix);
        }
        let own = self.file.dict(&stream.dict, "Resources").map(Rc::new);
        let resources = own.unwrap_or_else(|| frame.resources.clone());
        Ok(Some(Frame { data: data.into(), at: 0, resources, saved, number: Some(number) }))
    }

    fn operator(&mut self, word: &str, operands: &[Object], resources: &Dict) -> Result<(), Unreadable> {
        let number = |at: usize| operands.get(at).and_then(Object::number).unwrap_or(0.0);
        match word {
            // The state of the graphics, which nests.
            "q" if self.saved.len() < MAX_SAVED => self.saved.push(self.state.clone()),
            "Q" if self.saved.len() > self.floor => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            "cm" => {
                if let Some(matrix) = Matrix::of(operands) {
                    self.state.matrix = matrix.then(self.state.matrix);
                }
            }
            // The state of the text.
            "BT" => (self.text, self.line) = (Matrix::ONE, Matrix::ONE),
            "Tc" => self.state.char_space = number(0),
            "Tw" => self.state.word_space = number(0),
            "Tz" => self.state.scale = number(0) / 100.0,
            "TL" => self.state.leading = number(0),
            "Ts" => self.state.rise = number(0),
            "Tf" => {
                self.state.size = number(1);
                if let Some(name) = operands.first().and_then(Object::name) {
                    self.state.font = self.font(name, resources)?;
                }
            }
            "gs" => self.set_graphics(operands, resources)?,
            // The place of the next text.
            "Td" => self.next_line(number(0), number(1)),
            "TD" => {
                self.state.leading = -number(1);
                self.next_line(number(0), number(1));
            }
            "Tm" => {
                if let Some(matrix) = Matrix::of(operands) {
                    (self.text, self.line) = (matrix, matrix);
                }
            }
            "T*" => self.next_line(0.0, -self.state.leading),
            // The text itself; `'` and `"` begin a line first.
            "Tj" => self.show(operands.first()),
            "'" => {
                self.next_line(0.0, -self.state.leading);
                self.show(operands.first());
            }
            "\"" => {
                self.state.word_space = number(0);
                self.state.char_space = number(1);
                self.next_line(0.0, -self.state.leading);
                self.show(operands.get(2));
            }
            "TJ" => {
                for item in operands.first().and_then(Object::array).unwrap_or_default() {
                    match item {
                        Object::Number(back) => {
                            let along = -back / 1_000.0 * self.state.size * self.state.scale;
                            self.text = Matrix::move_by(along, 0.0).then(self.text);
                        }
                        item => self.show(Some(item)),
                    }
                }
            }
            // Marked parts may say what their glyphs mean.
            "BMC" => self.mark(None),
            "BDC" => {
                let text = self.actual_text(operands.get(1), resources);
                self.mark(text);
            }
            "EMC" => _ = self.marks.pop(),
            _ => {}
        }
        Ok(())
    }

    fn mark(&mut self, text: Option<String>) {
        if self.marks.len() < MAX_SAVED {
            self.marks.push(text.map(Some));
        }
    }

    /// The text that marked content says to stand for.
    fn actual_text(&self, properties: Option<&Object>, resources: &Dict) -> Option<String> {
        let dict = match properties? {
            Object::Dict(dict) => dict.clone(),
            Object::Name(name) => self.file.dict(&self.file.dict(resources, "Properties")?, name)?,
            _ => return None,
        };
        match self.file.member(&dict, "ActualText") {
            Object::Text(bytes) => Some(super::encoding::text(&bytes)),
            _ => None,
        }
    }

    fn set_graphics(&mut self, operands: &[Object], resources: &Dict) -> Result<(), Unreadable> {
        let Some(name) = operands.first().and_then(Object::name) else { return Ok(()) };
        let states = self.file.dict(resources, "ExtGState").unwrap_or_default();
        let Some(state) = self.file.dict(&states, name) else { return Ok(()) };
        if let Object::Array(items) = self.file.member(&state, "Font")
            && let [Object::Ref(font), size] = &*items
        {
            self.state.size = size.number().unwrap_or(self.state.size);
            self.state.font = self.font_of(*font)?;
        }
        Ok(())
    }

    fn font(&mut self, name: &str, resources: &Dict) -> Result<Option<Rc<Font>>, Unreadable> {
        let fonts = self.file.dict(resources, "Font").unwrap_or_default();
        match fonts.get(name) {
            Some(Object::Ref(number)) => self.font_of(*number),
            Some(Object::Dict(dict)) => Ok(Some(Rc::new(Font::load(self.file, dict)?))),
            _ => Ok(None),
        }
    }

    fn font_of(&mut self, number: u32) -> Result<Option<Rc<Font>>, Unreadable> {
        if let Some(known) = self.fonts.get(&number) {
            return Ok(known.clone());
        }
        let font = match self.file.get(number) {
            Object::Dict(dict) => Some(Rc::new(Font::load(self.file, &dict)?)),
            _ => None,
        };
        self.fonts.insert(number, font.clone());
        Ok(font)
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::move_by(x, y).then(self.line);
        self.text = self.line;
    }

    /// Places the glyphs of a text.
    fn show(&mut self, text: Option<&Object>) {
        let (Some(Object::Text(bytes)), Some(font)) = (text, self.state.font.clone()) else { return };
        let shown = &bytes[..bytes.len().min(MAX_SHOWN)];
        self.was_cut |= shown.len() < bytes.len();
        for code in font.codes(shown) {
            if self.is_at_limit() {
                return;
            }
            if self.glyphs.len() >= MAX_PAGE_GLYPHS {
                self.was_cut = true;
                return;
            }
            self.glyphs_left = self.glyphs_left.saturating_sub(1 + code.text.len() / BYTES_OF_GLYPH);
            self.unknown += usize::from(!code.is_known);
            let State { matrix, size, char_space, word_space, scale, rise, .. } = &self.state;
            let space = char_space + if code.is_space { *word_space } else { 0.0 };
            let along = (code.width * size + space) * scale;
            let wide = code.width * size * scale;
            let place = Matrix([size * scale, 0.0, 0.0, *size, 0.0, *rise]).then(self.text).then(*matrix);
            let end = Matrix::move_by(wide, *rise).then(self.text).then(*matrix);
            let [_, _, c, d, x, y] = place.0;
            let text = self.take_marked(code.text);
            if [x, y, end.0[4], end.0[5]].iter().all(|value| value.is_finite() && value.abs() < 1e7) {
                self.glyphs.push(Glyph {
                    text,
                    x,
                    y,
                    end_x: end.0[4],
                    end_y: end.0[5],
                    size: c.hypot(d),
                    is_bold: font.is_bold,
                });
            }
            self.text = Matrix::move_by(along, 0.0).then(self.text);
        }
    }

    /// The text of a glyph, unless marked content says what all of its glyphs stand for: the first one has it then.
    fn take_marked(&mut self, text: String) -> String {
        match self.marks.iter_mut().rev().flatten().next() {
            Some(actual) => actual.take().unwrap_or_default(),
            None => text,
        }
    }
}

/// Where a picture in the instructions ends: after `EI` between blanks.
fn after_picture(data: &[u8], from: usize) -> usize {
    let start = data[from..].windows(2).position(|two| two == b"ID").map_or(data.len(), |at| from + at + 2);
    let is_blank = |at: usize| data.get(at).is_none_or(|byte| super::object::is_blank(*byte));
    let mut at = start;
    while let Some(found) = data.get(at..).and_then(|rest| rest.windows(2).position(|two| two == b"EI")) {
        let end = at + found;
        // Bytes of the picture may look like its end; what follows must be text.
        let follows = data.get(end + 2..).unwrap_or_default().iter().take(12);
        let is_text = follows.into_iter().all(|byte| byte.is_ascii_graphic() || super::object::is_blank(*byte));
        if end > start && is_blank(end - 1) && is_blank(end + 2) && is_text {
            return end + 2;
        }
        at = end + 2;
    }
    data.len()
}
