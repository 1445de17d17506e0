//! Reports in JUnit's form, which most test runners can write.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Failure, Results};

/// Reads a report. What follows damage is not read.
pub(super) fn read(report: &[u8], results: &mut Results) {
    let mut reader = Reader::from_reader(report);
    let mut buffer = Vec::new();
    // The test that is open, and whether it failed or was left out.
    let mut open: Option<(String, bool, bool)> = None;
    results.counts_tests = true;
    loop {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) if tag.name().as_ref() == "testcase" => open = Some((name(&tag), false, false)),
            Ok(Event::Empty(tag)) if tag.name().as_ref() == "testcase" => results.passed += 1,
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                if let Some((_, failed, skipped)) = &mut open {
                    *failed |= matches!(tag.name().as_ref(), "failure" | "error");
                    *skipped |= tag.name().as_ref() == "skipped";
                }
            }
            Ok(Event::End(tag)) if tag.name().as_ref() == "testcase" => match open.take() {
                Some((name, true, _)) => results.add(Failure::test(&name)),
                Some((_, false, false)) => results.passed += 1,
                _ => {}
            },
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(_) => {
                results.is_cut = true;
                break;
            }
        }
        buffer.clear();
    }
}

/// `class::name` of a test.
fn name(tag: &BytesStart<'_>) -> String {
    let value = |key: &str| {
        let attribute = tag.try_get_attribute(key).ok().flatten()?;
        Some(attribute.value.into_owned()).filter(|value| !value.is_empty())
    };
    let own = value("name").unwrap_or_default();
    match value("classname") {
        Some(class) => format!("{class}::{own}"),
        None => own,
    }
}
