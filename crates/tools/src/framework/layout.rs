use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// Levels of an answer that are written line by line: its members, and their elements.
const LINE_LEVELS: usize = 2;

/// Formats an answer as it is sent: one line per member and per row, each row on a single line.
///
/// Full indentation would cost a third more tokens without a benefit; a single line would be hard to read for people.
pub fn text_of(value: &Value) -> String {
    let mut bytes = Vec::new();
    write(value, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Size of [`text_of`], in bytes.
pub(crate) fn text_bytes(value: &impl Serialize) -> usize {
    let mut count = Count(0);
    write(value, &mut count);
    count.0
}

fn write(value: &impl Serialize, to: &mut impl Write) {
    let mut serializer = Serializer::with_formatter(to, Lines { depth: 0, has_value: false });
    // Neither target can fail, and every `Value` can be written as JSON.
    let _ = value.serialize(&mut serializer);
}

struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Lines {
    depth: usize,
    has_value: bool,
}

impl Lines {
    fn open<W: ?Sized + Write>(&mut self, to: &mut W, mark: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        to.write_all(mark)
    }

    fn close<W: ?Sized + Write>(&mut self, to: &mut W, mark: &[u8]) -> io::Result<()> {
        let own_line = self.has_value && self.depth <= LINE_LEVELS;
        self.depth -= 1;
        if own_line {
            self.line(to)?;
        }
        self.has_value = true;
        to.write_all(mark)
    }

    fn next<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if !first {
            to.write_all(b",")?;
        }
        if self.depth <= LINE_LEVELS { self.line(to) } else { Ok(()) }
    }

    fn line<W: ?Sized + Write>(&self, to: &mut W) -> io::Result<()> {
        to.write_all(b"\n")?;
        to.write_all(&b"  "[..self.depth.min(LINE_LEVELS)])
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.open(to, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.close(to, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.next(to, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _to: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.open(to, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.close(to, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.next(to, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(if self.depth <= LINE_LEVELS { b": " } else { b":" })
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _to: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_and_rows_have_lines_and_rows_have_one() {
        let value = json!({"a": [{"n": 1, "of": [1, {"x": []}]}, {}], "b": {}, "c": {"d": [1, 2]}, "e": "x\ny"});
        let expected = "{\n \"a\": [\n  {\"n\":1,\"of\":[1,{\"x\":[]}]},\n  {}\n ],\n \"b\": {},\n \
                        \"c\": {\n  \"d\": [1,2]\n },\n \"e\": \"x\\ny\"\n}";
        assert_eq!(text_of(&value), expected);
        assert_eq!(text_bytes(&value), expected.len());
        let read: Value = serde_json::from_str(&text_of(&value)).expect("JSON");
        assert_eq!(read, value);
    }

    #[test]
    fn every_kind_of_value_is_written() {
        for value in [json!(null), json!(1.5), json!("a"), json!([]), json!({}), json!([[[[1]]]])] {
            let text = text_of(&value);
            assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), value, "{text}");
            assert_eq!(text_bytes(&value), text.len());
        }
    }
}
