//! Text of annotations: the values of form fields, and notes that are drawn on a page. Each has a drawing of its own
//! (ISO 32000-1, 12.5.5), which is laid into its place on the page.

use std::collections::HashMap;
use std::rc::Rc;

use super::content::{Glyph, Matrix, Runner};
use super::file::File;
use super::object::{Dict, Object};
use crate::Unreadable;

/// Annotations of one file.
const MAX_ANNOTATIONS: usize = 50_000;
/// Flags of those that are not shown: hidden, or not for the screen.
const HIDDEN: usize = 1 << 1 | 1 << 5;

/// Reads annotations. Drawings that many of them share are unpacked once.
#[derive(Default)]
pub(super) struct Annotations {
    count: usize,
    drawings: HashMap<u32, Option<Rc<Drawing>>>,
}

/// A drawing of an annotation.
struct Drawing {
    dict: Dict,
    data: Vec<u8>,
}

impl Annotations {
    /// Whether annotations were left out.
    pub(super) fn is_cut(&self) -> bool {
        self.count > MAX_ANNOTATIONS
    }

    /// Adds the glyphs of the annotations of a page to those of the page.
    ///
    /// # Errors
    /// [`Unreadable::Bomb`].
    pub(super) fn add(
        &mut self,
        file: &File<'_>,
        (page, resources): (&Dict, &Dict),
        (runner, place): (&mut Runner<'_, '_>, Matrix),
        glyphs: &mut Vec<Glyph>,
    ) -> Result<(), Unreadable> {
        let Object::Array(items) = file.member(page, "Annots") else { return Ok(()) };
        for item in &items {
            self.count += 1;
            if self.is_cut() {
                break;
            }
            let Object::Dict(annotation) = file.resolve(item) else { continue };
            let flags = file.member(&annotation, "F").index().unwrap_or(0);
            if flags & HIDDEN != 0 || file.member(&annotation, "Subtype").name() == Some("Popup") {
                continue;
            }
            let Some(drawing) = self.drawing(file, &annotation)? else { continue };
            let Some(own) = place_drawing(file, &annotation, &drawing.dict) else { continue };
            let resources = file.dict(&drawing.dict, "Resources").unwrap_or_else(|| resources.clone());
            glyphs.extend(runner.page(drawing.data.clone(), resources, own.then(place))?);
        }
        Ok(())
    }

    /// The drawing of an annotation in the state that it is in.
    fn drawing(&mut self, file: &File<'_>, annotation: &Dict) -> Result<Option<Rc<Drawing>>, Unreadable> {
        let Some(looks) = file.dict(annotation, "AP") else { return Ok(None) };
        let states = match looks.get("N") {
            Some(Object::Ref(number)) => match self.unpack_drawing(file, *number)? {
                Some(drawing) => return Ok(Some(drawing)),
                None => file.dict(&looks, "N"),
            },
            _ => file.dict(&looks, "N"),
        };
        let state = file.member(annotation, "AS");
        match states.as_ref().zip(state.name()).and_then(|(states, state)| states.get(state)) {
            Some(Object::Ref(number)) => self.unpack_drawing(file, *number),
            _ => Ok(None),
        }
    }

    fn unpack_drawing(&mut self, file: &File<'_>, number: u32) -> Result<Option<Rc<Drawing>>, Unreadable> {
        if let Some(known) = self.drawings.get(&number) {
            if let Some(drawing) = known {
                file.spend(drawing.data.len())?;
            }
            return Ok(known.clone());
        }
        let drawing = match file.stream(number) {
            Some(stream) => file.unpack(&stream)?.map(|data| Rc::new(Drawing { dict: stream.dict, data })),
            None => None,
        };
        self.drawings.insert(number, drawing.clone());
        Ok(drawing)
    }
}

/// How the drawing comes into its place: its box, as it is turned, fills the rectangle of the annotation.
fn place_drawing(file: &File<'_>, annotation: &Dict, drawing: &Dict) -> Option<Matrix> {
    let numbers = |dict: &Dict, key: &str| -> Option<Vec<f64>> {
        let items = file.member(dict, key);
        items.array()?.iter().map(|item| file.resolve(item).number()).collect()
    };
    let corners = |dict: &Dict, key: &str| <[f64; 4]>::try_from(numbers(dict, key)?).ok();
    let [left, bottom, right, top] = corners(annotation, "Rect")?;
    let [from_x, from_y, to_x, to_y] = corners(drawing, "BBox")?;
    let turn = numbers(drawing, "Matrix").and_then(|turn| turn.try_into().ok()).map_or(Matrix::ONE, Matrix);
    let ends = [(from_x, from_y), (from_x, to_y), (to_x, from_y), (to_x, to_y)].map(|(x, y)| turn.apply(x, y));
    let low = |of: fn(&(f64, f64)) -> f64| ends.iter().map(of).fold(f64::MAX, f64::min);
    let high = |of: fn(&(f64, f64)) -> f64| ends.iter().map(of).fold(f64::MIN, f64::max);
    let along = |low: f64, high: f64, one: f64, other: f64| {
        let scale = if high > low { (other - one).abs() / (high - low) } else { 1.0 };
        (scale, one.min(other) - low * scale)
    };
    let (wide, x) = along(low(|end| end.0), high(|end| end.0), left, right);
    let (tall, y) = along(low(|end| end.1), high(|end| end.1), bottom, top);
    Some(turn.then(Matrix([wide, 0.0, 0.0, tall, x, y])))
}
