//! XML as a tree, with bounds. Entities of a document type are never expanded and nothing is opened: an unknown
//! reference stays as it is written.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::formats::report_malformed;
use crate::{DocumentLimits, Format, Unreadable};

/// Attributes kept of one element.
const MAX_ATTRIBUTES: usize = 64;

/// Events between two checks of the cancel flag.
const CHECK_PERIOD: usize = 4_096;

/// A tree of elements.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    name: Box<str>,
    attributes: Vec<(Box<str>, Box<str>)>,
    kids: Vec<Kid>,
}

#[derive(Debug)]
enum Kid {
    Element(usize),
    Text(Box<str>),
}

impl Tree {
    /// Reads a tree.
    pub(crate) fn parse(text: &str, format: Format, limits: &DocumentLimits) -> Result<Self, Unreadable> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().trim_text(false);
        let mut tree = Self { nodes: vec![Node::default()] };
        let mut open = vec![0usize];
        for number in 0usize.. {
            if number.is_multiple_of(CHECK_PERIOD) {
                limits.check()?;
            }
            let event = reader.read_event().map_err(|error| report_malformed(format, error))?;
            let at = *open.last().expect("the root is never closed");
            match event {
                Event::Start(start) => {
                    if open.len() > limits.depth {
                        return Err(Unreadable::TooDeep { limit: limits.depth });
                    }
                    open.push(tree.add(at, &start, format, limits)?);
                }
                Event::Empty(start) => _ = tree.add(at, &start, format, limits)?,
                Event::End(_) if open.len() > 1 => _ = open.pop(),
                Event::Text(text) => tree.text(at, &text),
                Event::CData(text) => tree.text(at, &text),
                Event::GeneralRef(name) => {
                    let shown = entity(&name).unwrap_or_else(|| format!("&{};", &*name));
                    tree.text(at, &shown);
                }
                Event::Eof => break,
                _ => {}
            }
        }
        if open.len() > 1 {
            return Err(report_malformed(format, "the text ends inside an element"));
        }
        Ok(tree)
    }

    fn add(
        &mut self,
        parent: usize,
        start: &BytesStart<'_>,
        format: Format,
        limits: &DocumentLimits,
    ) -> Result<usize, Unreadable> {
        if self.nodes.len() >= limits.elements {
            return Err(report_malformed(format, format_args!("more than {} elements", limits.elements)));
        }
        let mut attributes = start.attributes();
        let attributes = attributes
            .with_checks(false)
            .flatten()
            .take(MAX_ATTRIBUTES)
            .map(|attribute| (attribute.key.local_name().into_inner().into(), unescape(&attribute.value).into()))
            .collect();
        let index = self.nodes.len();
        self.nodes.push(Node { name: start.local_name().into_inner().into(), attributes, kids: Vec::new() });
        self.nodes[parent].kids.push(Kid::Element(index));
        Ok(index)
    }

    fn text(&mut self, at: usize, text: &str) {
        if !text.is_empty() {
            self.nodes[at].kids.push(Kid::Text(text.into()));
        }
    }

    /// The outermost element.
    pub(crate) fn root(&self) -> Option<Element<'_>> {
        Element { tree: self, index: 0 }.children().next()
    }
}

/// An element of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Element<'t> {
    tree: &'t Tree,
    index: usize,
}

impl<'t> Element<'t> {
    fn node(self) -> &'t Node {
        &self.tree.nodes[self.index]
    }

    /// Its name without prefix.
    pub(crate) fn name(self) -> &'t str {
        &self.node().name
    }

    /// The value of an attribute, by its name without prefix; empty if missing.
    pub(crate) fn attribute(self, name: &str) -> &'t str {
        self.node().attributes.iter().find(|(key, _)| &**key == name).map_or("", |(_, value)| value)
    }

    /// The value of the last attribute with this name without prefix: `r:id` behind `id`.
    pub(crate) fn last(self, name: &str) -> &'t str {
        self.node().attributes.iter().rev().find(|(key, _)| &**key == name).map_or("", |(_, value)| value)
    }

    /// The elements directly inside.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'t>> {
        self.node().kids.iter().filter_map(move |kid| match kid {
            Kid::Element(index) => Some(Element { tree: self.tree, index: *index }),
            Kid::Text(_) => None,
        })
    }

    /// The elements directly inside with this name.
    pub(crate) fn list_named(self, name: &str) -> impl Iterator<Item = Element<'t>> {
        self.children().filter(move |child| child.name() == name)
    }

    /// The first element on this way: names of children.
    pub(crate) fn at(self, way: &[&str]) -> Option<Element<'t>> {
        way.iter().try_fold(self, |element, name| element.list_named(name).next())
    }

    /// The text on this way; empty if there is none.
    pub(crate) fn text_at(self, way: &[&str]) -> String {
        self.at(way).map(Element::text).unwrap_or_default()
    }

    /// All elements inside, in order, at any depth.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'t>> {
        let mut stack: Vec<Element<'t>> = vec![self];
        let mut first = true;
        std::iter::from_fn(move || {
            loop {
                let element = stack.pop()?;
                let from = stack.len();
                stack.extend(element.children());
                stack[from..].reverse();
                if std::mem::take(&mut first) {
                    continue;
                }
                return Some(element);
            }
        })
    }

    /// All elements inside with this name.
    pub(crate) fn all(self, name: &str) -> impl Iterator<Item = Element<'t>> {
        self.descendants().filter(move |element| element.name() == name)
    }

    /// The text inside, on one line.
    pub(crate) fn text(self) -> String {
        self.text_without(&[])
    }

    /// The text inside, on one line, without that of elements with these names.
    pub(crate) fn text_without(self, skipped: &[&str]) -> String {
        let mut out = String::new();
        let mut stack: Vec<(&'t Node, usize)> = vec![(self.node(), 0)];
        while let Some((node, at)) = stack.pop() {
            let Some(kid) = node.kids.get(at) else { continue };
            stack.push((node, at + 1));
            match kid {
                Kid::Text(text) => out.push_str(text),
                Kid::Element(index) => {
                    let inner = &self.tree.nodes[*index];
                    if !skipped.contains(&&*inner.name) {
                        stack.push((inner, 0));
                    }
                }
            }
        }
        crate::text::fold_text(&out)
    }

    /// The text inside as it is written.
    pub(crate) fn raw_text(self) -> String {
        let own = self.node().kids.iter().filter_map(|kid| match kid {
            Kid::Text(text) => Some(&**text),
            Kid::Element(_) => None,
        });
        own.collect()
    }
}

/// The characters of a reference without its signs.
pub(crate) fn entity(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32).map(String::from);
    }
    let shown = match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        "nbsp" => "\u{a0}",
        "mdash" => "—",
        "ndash" => "–",
        "hellip" => "…",
        "rsquo" => "’",
        "lsquo" => "‘",
        "rdquo" => "”",
        "ldquo" => "“",
        "copy" => "©",
        "zwsp" => "\u{200b}",
        "wj" => "\u{2060}",
        "nbhy" => "-",
        _ => return None,
    };
    Some(shown.to_owned())
}

/// A text with its references replaced; unknown ones stay.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let end = tail.bytes().take(32).position(|byte| byte == b';');
        match end.and_then(|end| entity(&tail[1..end]).map(|shown| (shown, end))) {
            Some((shown, end)) => {
                out.push_str(&shown);
                rest = &tail[end + 1..];
            }
            None => {
                out.push('&');
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}
