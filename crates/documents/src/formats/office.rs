//! Text inside of an element of an office file: runs, references to notes, and equations, which are written on one line
//! with `_`, `^`, `/` and `√` (as in Unicode Technical Note 28).

use std::collections::HashMap;

use crate::xml::Element;

/// Elements whose content is not part of the text: what was deleted or moved away, and copies for older programs.
const LEFT_OUT: &[&str] = &["del", "moveFrom", "Fallback"];

/// Numbers of notes in the order in which the text refers to them.
#[derive(Default)]
pub(super) struct Notes(HashMap<(bool, String), u32>);

impl Notes {
    pub(super) fn new(body: Element<'_>) -> Self {
        let mut notes = Self::default();
        for element in body.descendants() {
            if let Some(key) = Self::key(element) {
                let next = notes.0.len() as u32 + 1;
                notes.0.entry(key).or_insert(next);
            }
        }
        notes
    }

    fn key(element: Element<'_>) -> Option<(bool, String)> {
        let is_at_end = match element.name() {
            "footnoteReference" => false,
            "endnoteReference" => true,
            _ => return None,
        };
        Some((is_at_end, element.attribute("id").to_owned()))
    }

    /// The number of a note, by its id and whether it stands at the end of the text.
    pub(super) fn number(&self, is_at_end: bool, id: &str) -> Option<u32> {
        self.0.get(&(is_at_end, id.to_owned())).copied()
    }
}

/// What is to be written next.
enum Step<'t> {
    /// An element; whether it is part of an equation.
    Element(Element<'t>, bool),
    Text(String),
    /// A part of an equation behind a sign, in brackets if it is longer than one character; nothing if it is empty.
    Group(&'static str, Element<'t>),
    /// Ends a group whose sign starts at the byte.
    Close(&'static str, usize),
}

/// The words inside.
pub(super) fn words(element: Element<'_>, notes: &Notes) -> String {
    let mut out = String::new();
    let mut work: Vec<Step<'_>> = vec![Step::Element(element, false)];
    let mut next: Vec<Step<'_>> = Vec::new();
    while let Some(step) = work.pop() {
        match step {
            Step::Text(text) => out.push_str(&text),
            Step::Group(sign, part) => {
                work.extend([Step::Close(sign, out.len()), Step::Element(part, true)]);
                out.push_str(sign);
            }
            Step::Close(sign, from) => close(&mut out, from, sign),
            Step::Element(element, is_math) => {
                let is_math = is_math || element.name() == "oMath";
                if !(LEFT_OUT.contains(&element.name()) || is_math && math(element, &mut next)) {
                    run(element, notes, &mut out);
                    next.extend(element.children().map(|child| Step::Element(child, is_math)));
                }
                work.extend(next.drain(..).rev());
            }
        }
    }
    out.trim().to_owned()
}

fn close(out: &mut String, from: usize, sign: &str) {
    let inner = &out[from + sign.len()..];
    if inner.is_empty() {
        out.truncate(from);
    } else if inner.chars().nth(1).is_some() {
        out.insert(from + sign.len(), '(');
        out.push(')');
    }
}

/// Writes what an element is by itself.
fn run(element: Element<'_>, notes: &Notes, out: &mut String) {
    match element.name() {
        "t" => out.push_str(&element.raw_text()),
        "tab" | "br" | "cr" => out.push(' '),
        "noBreakHyphen" => out.push('-'),
        // What a picture shows, said for those who do not see it.
        "docPr" if !element.attribute("descr").is_empty() => {
            out.push(' ');
            out.push_str(element.attribute("descr"));
            out.push(' ');
        }
        "p" if !out.is_empty() => out.push('\n'),
        _ => {
            let number = Notes::key(element).and_then(|(is_at_end, id)| notes.number(is_at_end, &id));
            if let Some(number) = number {
                out.push_str(&format!("[{number}]"));
            }
        }
    }
}

/// Takes a structure of an equation apart; `false` if it is none.
fn math<'t>(element: Element<'t>, steps: &mut Vec<Step<'t>>) -> bool {
    let part = |name: &str| element.list_named(name).next();
    let plain = |name: &str| part(name).map(|part| Step::Element(part, true));
    let group = |sign: &'static str, name: &str| part(name).map(|part| Step::Group(sign, part));
    let sign = |properties: &str, name: &str, usual: &str| {
        let own = element.at(&[properties, name]).map(|own| own.attribute("val").to_owned());
        Some(Step::Text(own.unwrap_or_else(|| usual.to_owned())))
    };
    let text = |text: &str| Some(Step::Text(text.to_owned()));
    match element.name() {
        "sSub" | "sSup" | "sSubSup" => {
            steps.extend([plain("e"), group("_", "sub"), group("^", "sup")].into_iter().flatten())
        }
        "sPre" => steps.extend([group("_", "sub"), group("^", "sup"), text(" "), plain("e")].into_iter().flatten()),
        "f" => steps.extend([group("", "num"), group("/", "den")].into_iter().flatten()),
        "rad" => steps.extend([group("", "deg"), group("√", "e")].into_iter().flatten()),
        "nary" => {
            let chr = sign("naryPr", "chr", "∫");
            steps.extend([chr, group("_", "sub"), group("^", "sup"), text(" "), plain("e")].into_iter().flatten());
        }
        "acc" => steps.extend([plain("e"), sign("accPr", "chr", "\u{302}")].into_iter().flatten()),
        "func" => steps.extend([plain("fName"), text(" "), plain("e")].into_iter().flatten()),
        "limLow" => steps.extend([plain("e"), group("_", "lim")].into_iter().flatten()),
        "limUpp" => steps.extend([plain("e"), group("^", "lim")].into_iter().flatten()),
        "d" => {
            steps.extend(sign("dPr", "begChr", "("));
            join_parts(element.list_named("e"), || sign("dPr", "sepChr", "|"), steps);
            steps.extend(sign("dPr", "endChr", ")"));
        }
        "m" => join_parts(element.list_named("mr"), || text("; "), steps),
        "mr" => join_parts(element.list_named("e"), || text(" "), steps),
        "eqArr" => join_parts(element.list_named("e"), || text("; "), steps),
        _ => return false,
    }
    true
}

/// Parts with something between them.
fn join_parts<'t>(
    parts: impl Iterator<Item = Element<'t>>,
    between: impl Fn() -> Option<Step<'t>>,
    steps: &mut Vec<Step<'t>>,
) {
    for (at, part) in parts.enumerate() {
        steps.extend(between().filter(|_| at > 0));
        steps.push(Step::Element(part, true));
    }
}

/// The elements with this name directly inside, or inside of what wraps content: controls and tracked insertions.
pub(super) fn inside<'t>(element: Element<'t>, name: &str) -> Vec<Element<'t>> {
    let mut found = Vec::new();
    let mut work: Vec<Element<'t>> = element.children().collect();
    work.reverse();
    while let Some(child) = work.pop() {
        if child.name() == name {
            found.push(child);
        } else if matches!(child.name(), "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo") {
            let from = work.len();
            work.extend(child.children());
            work[from..].reverse();
        }
    }
    found
}
