//! The objects of a PDF file. They are found by looking through the whole file and not by its cross-reference tables,
//! which may be damaged, missing or circular: of several objects with one number, the last one counts.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use m1nd_base::Cancel;

use super::filters;
use super::object::{Dict, Lexer, Object, is_blank};
use crate::{DocumentLimits, Unreadable};

/// Links followed from one reference to the next.
const MAX_LINKS: usize = 16;
/// Filters of one stream.
const MAX_FILTERS: usize = 8;
/// Values read of one file, those of objects that are read again included.
const MAX_VALUES: usize = 40_000_000;
/// Values between two looks at the flag that stops the reading: some milliseconds.
const VALUES_OF_STEP: usize = 50_000;
/// Bytes of a string or a stream that are as much work as a value.
const BYTES_OF_VALUE: usize = 64;
/// Maximum size that one stream may unpack to, in bytes. The instructions of a page, a font and a table of objects are
/// far smaller.
const MAX_STREAM_BYTES: u64 = 64 << 20;
/// Objects of one file.
const MAX_OBJECTS: usize = 4_000_000;

/// Where an object is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the file, after `obj`.
    At(usize),
    /// In the unpacked stream of this number.
    In { stream: u32, at: usize },
}

/// A PDF file.
pub(super) struct File<'b> {
    bytes: &'b [u8],
    places: HashMap<u32, Place>,
    pub(super) trailer: Dict,
    packed: RefCell<HashMap<u32, Rc<[u8]>>>,
    /// Bytes that may still be unpacked.
    left: Cell<u64>,
    unpacked: u64,
    values: Cell<usize>,
    cancel: Cancel,
}

/// A stream: its dictionary, and its bytes as they are in the file.
pub(super) struct Stream<'b> {
    pub(super) dict: Dict,
    data: &'b [u8],
}

impl<'b> File<'b> {
    /// Finds the objects of a file.
    ///
    /// # Errors
    /// [`Unreadable::Encrypted`], [`Unreadable::Cancelled`], or a reason why it is no PDF file.
    pub(super) fn open(bytes: &'b [u8], limits: &DocumentLimits) -> Result<Self, Unreadable> {
        if !bytes[..bytes.len().min(4 << 10)].windows(5).any(|start| start == b"%PDF-") {
            return Err(super::report_malformed("it does not begin with `%PDF-`"));
        }
        let mut file = Self {
            bytes,
            places: HashMap::new(),
            trailer: Dict::default(),
            packed: RefCell::default(),
            left: Cell::new(limits.unpacked),
            unpacked: limits.unpacked,
            values: Cell::new(0),
            cancel: limits.cancel.clone(),
        };
        let holders = file.scan();
        file.cancel.check()?;
        if file.trailer.get("Encrypt").is_some_and(|object| *object != Object::Null) {
            return Err(Unreadable::Encrypted);
        }
        for number in holders {
            file.open_object_stream(number)?;
        }
        if file.catalog().is_none() {
            return Err(super::report_malformed("it has no catalog of pages"));
        }
        Ok(file)
    }

    /// Finds all objects in the file. Returns the streams that hold further objects, in order.
    fn scan(&mut self) -> Vec<u32> {
        let mut holders: Vec<u32> = Vec::new();
        let mut at = 0;
        while let Some(found) = find(self.bytes, b'o', at) {
            at = found + 1;
            if self.bytes.get(found..found + 3) != Some(b"obj") {
                continue;
            }
            // `7 0 obj`: a later object of the number replaces an earlier one.
            let Some(number) = number_before(self.bytes, found) else { continue };
            if self.places.len() >= MAX_OBJECTS {
                break;
            }
            let start = found + 3;
            self.places.insert(number, Place::At(start));
            let mut lexer = Lexer::new(self.bytes, start);
            let value = self.read(&mut lexer);
            at = lexer.at.max(at);
            let Some(Object::Dict(dict)) = value else { continue };
            let kind = dict.get("Type").and_then(Object::name).unwrap_or_default().to_owned();
            // The data of a stream is passed over: it may look like objects.
            if let Some((data, end)) = self.data(&dict, lexer.at) {
                at = end.max(data);
                match &*kind {
                    "ObjStm" => {
                        holders.retain(|other| *other != number);
                        holders.push(number);
                    }
                    "XRef" => self.take_trailer(dict),
                    _ => {}
                }
            } else if kind == "Catalog" && self.trailer.get("Root").is_none() {
                self.take_trailer(Dict::of(vec![("Root".into(), Object::Ref(number))]));
            }
        }
        let mut at = 0;
        while let Some(found) = find_text(self.bytes, b"trailer", at) {
            at = found + 7;
            let mut lexer = Lexer::new(self.bytes, at);
            if let Some(Object::Dict(dict)) = self.read(&mut lexer) {
                self.take_trailer(dict);
                at = lexer.at;
            }
        }
        holders
    }

    /// Adds what a trailer says; a later one overrules an earlier one.
    fn take_trailer(&mut self, dict: Dict) {
        let wanted = ["Root", "Info", "Encrypt"];
        let pairs = dict.iter().filter(|(key, _)| wanted.contains(key)).map(|(key, value)| (key.into(), value.clone()));
        self.trailer.extend(pairs.collect());
    }

    fn open_object_stream(&mut self, number: u32) -> Result<(), Unreadable> {
        let Some(stream) = self.stream(number) else { return Ok(()) };
        let Some(data) = self.unpack(&stream)? else { return Ok(()) };
        let get = |key: &str| stream.dict.get(key).map(|value| self.resolve(value)).and_then(|value| value.index());
        let (Some(count), Some(first)) = (get("N"), get("First")) else { return Ok(()) };
        let mut lexer = Lexer::new(&data, 0);
        let mut found: Vec<(u32, usize)> = Vec::new();
        for _ in 0..count.min(MAX_OBJECTS) {
            let (Some(id), Some(at)) = (lexer.object(), lexer.object()) else { break };
            let (Some(id), Some(at)) = (id.index().and_then(|id| u32::try_from(id).ok()), at.index()) else { break };
            found.push((id, first.saturating_add(at)));
        }
        let holder = match self.places.get(&number) {
            Some(Place::At(at)) => *at,
            _ => 0,
        };
        for (id, at) in found {
            // An object of the file itself that comes later replaces it.
            let is_replaced = matches!(self.places.get(&id), Some(Place::At(other)) if *other > holder);
            if !is_replaced && self.places.len() < MAX_OBJECTS {
                self.places.insert(id, Place::In { stream: number, at });
            }
        }
        self.packed.borrow_mut().insert(number, data.into());
        Ok(())
    }

    /// The next value; `None` also if too much was read.
    fn read(&self, lexer: &mut Lexer<'_>) -> Option<Object> {
        if self.values.get() >= MAX_VALUES {
            return None;
        }
        let (values, at) = (lexer.values, lexer.at);
        let value = lexer.object();
        self.charge(lexer.values - values + (lexer.at - at) / BYTES_OF_VALUE + 1);
        value
    }

    /// Counts values that were read. Once the reading is cancelled, no more are.
    fn charge(&self, values: usize) {
        let before = self.values.get();
        let mut now = before.saturating_add(values);
        if now / VALUES_OF_STEP > before / VALUES_OF_STEP && self.cancel.is_cancelled() {
            now = now.max(MAX_VALUES);
        }
        self.values.set(now);
    }

    /// Whether reading was cut short.
    pub(super) fn is_cut(&self) -> bool {
        self.values.get() >= MAX_VALUES
    }

    /// The object of a number.
    pub(super) fn get(&self, number: u32) -> Object {
        let read = match self.places.get(&number) {
            Some(Place::At(at)) => self.read(&mut Lexer::new(self.bytes, *at)),
            Some(Place::In { stream, at }) => {
                let data = self.packed.borrow().get(stream).cloned();
                data.and_then(|data| self.read(&mut Lexer::new(&data, *at)))
            }
            None => None,
        };
        read.unwrap_or(Object::Null)
    }

    /// The value behind references.
    pub(super) fn resolve(&self, value: &Object) -> Object {
        let mut value = value.clone();
        for _ in 0..MAX_LINKS {
            let Object::Ref(number) = value else { return value };
            value = self.get(number);
        }
        Object::Null
    }

    /// A member of a dictionary, behind references.
    pub(super) fn member(&self, dict: &Dict, key: &str) -> Object {
        dict.get(key).map_or(Object::Null, |value| self.resolve(value))
    }

    /// A member that is a dictionary.
    pub(super) fn dict(&self, dict: &Dict, key: &str) -> Option<Dict> {
        match self.member(dict, key) {
            Object::Dict(found) => Some(found),
            _ => None,
        }
    }

    /// The stream of a number.
    pub(super) fn stream(&self, number: u32) -> Option<Stream<'b>> {
        let mut number = number;
        for _ in 0..MAX_LINKS {
            let Some(Place::At(at)) = self.places.get(&number).copied() else { return None };
            let mut lexer = Lexer::new(self.bytes, at);
            match self.read(&mut lexer)? {
                Object::Dict(dict) => {
                    let (data, end) = self.data(&dict, lexer.at)?;
                    return Some(Stream { dict, data: &self.bytes[data..end] });
                }
                Object::Ref(next) => number = next,
                _ => return None,
            }
        }
        None
    }

    /// Start and end of the data of a stream whose dictionary ends at `at`; `None` if no stream follows.
    fn data(&self, dict: &Dict, at: usize) -> Option<(usize, usize)> {
        let bytes = self.bytes;
        let mut lexer = Lexer::new(bytes, at);
        lexer.skip_blanks();
        if bytes.get(lexer.at..lexer.at + 6) != Some(b"stream") {
            return None;
        }
        let mut start = lexer.at + 6;
        match bytes.get(start..) {
            Some([b'\r', b'\n', ..]) => start += 2,
            Some([b'\n' | b'\r', ..]) => start += 1,
            _ => {}
        }
        let length = match dict.get("Length") {
            // While the file is being looked through, the object may not be known yet.
            Some(Object::Ref(number)) => self.get(*number).index(),
            Some(value) => value.index(),
            None => None,
        };
        let is_end = |end: usize| {
            let rest = bytes.get(end..).unwrap_or_default();
            let blanks = rest.iter().take(4).take_while(|byte| is_blank(**byte)).count();
            rest[blanks..].starts_with(b"endstream")
        };
        let end = length.and_then(|length| start.checked_add(length)).filter(|end| is_end(*end));
        let end = end.or_else(|| find_text(bytes, b"endstream", start)).unwrap_or(bytes.len());
        self.charge((end - start) / BYTES_OF_VALUE);
        Some((start, end.max(start)))
    }

    /// Counts bytes of streams that are read, also of one that is read again.
    ///
    /// # Errors
    /// [`Unreadable::Bomb`] if that is too much.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), Unreadable> {
        let left = self.left.get().checked_sub(bytes as u64);
        self.left.set(left.ok_or(Unreadable::Bomb { limit: self.unpacked })?);
        Ok(())
    }

    /// The content of a stream; `None` if it is a picture or the like.
    ///
    /// # Errors
    /// [`Unreadable::Bomb`] if it or all streams together unpack to too much, or [`Unreadable::Cancelled`].
    pub(super) fn unpack(&self, stream: &Stream<'_>) -> Result<Option<Vec<u8>>, Unreadable> {
        let list = |keys: [&str; 2]| {
            let found = keys.iter().map(|key| self.member(&stream.dict, key)).find(|value| *value != Object::Null);
            match found {
                Some(Object::Array(items)) => items.iter().map(|item| self.resolve(item)).collect(),
                Some(one) => vec![one],
                None => Vec::new(),
            }
        };
        let (filters, parameters) = (list(["Filter", "F"]), list(["DecodeParms", "DP"]));
        if filters.len() > MAX_FILTERS {
            return Ok(None);
        }
        let mut data: Vec<u8> = Vec::new();
        let mut is_first = true;
        for (number, filter) in filters.iter().enumerate() {
            let Some(name) = filter.name() else { return Ok(None) };
            let source: &[u8] = if is_first { stream.data } else { &data };
            // One more than what is left shows that it is too much.
            let most = self.left.get().min(MAX_STREAM_BYTES) + 1;
            let parameters = parameters.get(number).and_then(Object::dict);
            let Some(out) = filters::unpack(name, source, parameters, most, &self.cancel)? else {
                return Ok(None);
            };
            if out.len() as u64 > MAX_STREAM_BYTES {
                return Err(Unreadable::Bomb { limit: MAX_STREAM_BYTES });
            }
            self.spend(out.len())?;
            data = out;
            is_first = false;
        }
        if is_first {
            self.spend(stream.data.len())?;
            data = stream.data.to_vec();
        }
        Ok(Some(data))
    }

    /// The catalog.
    pub(super) fn catalog(&self) -> Option<Dict> {
        self.dict(&self.trailer, "Root")
    }
}

impl Dict {
    pub(super) fn of(pairs: Vec<(Box<str>, Object)>) -> Self {
        let mut dict = Self::default();
        dict.extend(pairs);
        dict
    }
}

/// The number of the object whose `obj` is at `at`: `12 0 obj`.
fn number_before(bytes: &[u8], at: usize) -> Option<u32> {
    let back = |mut at: usize, fits: fn(u8) -> bool| {
        let end = at;
        while at > 0 && fits(bytes[at - 1]) && end - at < 16 {
            at -= 1;
        }
        (at < end).then_some(at)
    };
    let digit: fn(u8) -> bool = |byte| byte.is_ascii_digit();
    let generation_end = back(at, is_blank)?;
    let generation = back(generation_end, digit)?;
    let number_end = back(generation, is_blank)?;
    let number = back(number_end, digit)?;
    std::str::from_utf8(&bytes[number..number_end]).ok()?.parse().ok()
}

fn find(bytes: &[u8], byte: u8, from: usize) -> Option<usize> {
    bytes.get(from..)?.iter().position(|other| *other == byte).map(|at| at + from)
}

fn find_text(bytes: &[u8], text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = find(bytes, text[0], at) {
        if bytes[found..].starts_with(text) {
            return Some(found);
        }
        at = found + 1;
    }
    None
}
