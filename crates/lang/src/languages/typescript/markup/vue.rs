//! Templates of Vue components.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::code::{Code, is_path};
use super::tags::{Attribute, Braces, Tag, Token, Tokens, top_level};
use super::{Open, is_component};

/// Name of the block with the template, and of elements inside that group others.
const TEMPLATE: &str = "template";
/// Directives without an expression of their own.
const PLAIN: &[&str] = &["v-cloak", "v-else", "v-once", "v-pre"];
/// Directives of the language whose value is an expression.
const EVALUATED: &[&str] = &["v-bind", "v-else-if", "v-html", "v-if", "v-memo", "v-model", "v-on", "v-show", "v-text"];

/// Adds what the template and the styles of a component use.
pub(super) fn add(text: &str, known: &FxHashSet<&str>, code: &mut Code<'_>) {
    let mut open = Open::default();
    // Number of `<template>` elements around, the block included.
    let mut depth = 0_u32;
    for token in Tokens::new(text, 0, Braces::Double) {
        match token {
            Token::Open(tag) if depth == 0 => {
                let name = &text[tag.name.clone()];
                if name == "style" {
                    styles(&text[tag.raw.clone()], tag.raw.start, code);
                }
                depth += u32::from(name == TEMPLATE && !tag.is_closed && is_markup(text, &tag));
            }
            Token::Open(tag) => {
                let name = &text[tag.name.clone()];
                let closes = element(text, &tag, known, code);
                if tag.is_closed {
                    code.add(&closes);
                } else {
                    depth += u32::from(name == TEMPLATE);
                    open.push(name, closes);
                }
            }
            Token::Close(name) if depth > 0 => {
                let name = &text[name];
                open.close(name, code);
                depth -= u32::from(name == TEMPLATE);
            }
            Token::Code(range) if depth > 0 => code.evaluate(&range),
            Token::Close(_) | Token::Code(_) => {}
        }
    }
    open.close_all(code);
}

/// Returns whether a block is written in markup rather than in a language that is compiled to it.
fn is_markup(text: &str, tag: &Tag) -> bool {
    let lang = tag.attributes.iter().find(|attribute| &text[attribute.name.clone()] == "lang");
    let lang = lang.and_then(|attribute| attribute.value.clone()).map(|range| &text[range]);
    lang.is_none_or(|lang| lang == "html")
}

/// `v-bind(…)` in styles.
fn styles(text: &str, start: usize, code: &mut Code<'_>) {
    const BIND: &str = "v-bind(";
    for (at, _) in text.match_indices(BIND) {
        let from = at + BIND.len();
        let Some(length) = text[from..].find(')') else { return };
        let inside = &text[from..from + length];
        let quotes = inside.len() - inside.trim_start().trim_start_matches(['\'', '"']).len();
        let end = inside.trim_end().trim_end_matches(['\'', '"']).len();
        if quotes < end {
            code.evaluate(&(start + from + quotes..start + from + end));
        }
    }
}

/// Adds what a tag uses; returns what closes the scopes that it opened.
fn element(text: &str, tag: &Tag, known: &FxHashSet<&str>, code: &mut Code<'_>) -> String {
    let mut closes = String::new();
    let name = |attribute: &Attribute| &text[attribute.name.clone()];
    // The variables of a loop are known to all attributes, wherever they stand.
    for attribute in &tag.attributes {
        if name(attribute) == "v-for"
            && let Some(value) = &attribute.value
            && each(value, code)
        {
            closes.insert(0, '}');
        }
    }
    component(text, tag, known, code);
    for attribute in &tag.attributes {
        directive(name(attribute), attribute, known, code);
    }
    // Those of a slot only to what is inside.
    for attribute in &tag.attributes {
        let takes = ["v-slot", "#"].iter().any(|start| name(attribute).starts_with(start))
            || matches!(name(attribute), "slot-scope" | "scope");
        if let Some(value) = attribute.value.as_ref().filter(|value| takes && !code.trim_range(value).is_empty()) {
            code.add("((");
            code.copy(value.clone());
            code.add(") => {\n");
            closes.insert_str(0, "});\n");
        }
    }
    closes
}

/// `v-for`: opens a loop; returns whether it could be read.
fn each(value: &Range<usize>, code: &mut Code<'_>) -> bool {
    let text = code.at(value);
    let words = [" in ", " of "].map(|word| top_level(text, word).first().copied());
    let Some(at) = words.into_iter().flatten().min() else { return false };
    let mut names = code.trim_range(&(value.start..value.start + at));
    if code.at(&names).starts_with('(') && code.at(&names).ends_with(')') {
        names = code.trim_range(&(names.start + 1..names.end - 1));
    }
    let first = top_level(code.at(&names), ",").first().map_or(names.end, |comma| names.start + comma);
    code.add("for (const ");
    if first == names.start {
        code.add("[]");
    }
    code.copy(names.start..first);
    code.add(" of (");
    code.copy(value.start + at + " in ".len()..value.end);
    code.add("\n)) {\n");
    if first < names.end {
        code.add("let ");
        code.copy(first + 1..names.end);
        code.add(";\n");
    }
    true
}

/// The component that a tag means.
fn component(text: &str, tag: &Tag, known: &FxHashSet<&str>, code: &mut Code<'_>) {
    let name = &text[tag.name.clone()];
    if is_component(name) {
        return code.call_component(|code| code.copy(tag.name.clone()), &list_properties(text, tag));
    }
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let cased = [pascal_case(name), camel_case(name)];
    if let Some(variable) = cased.iter().find(|cased| is_name && known.contains(cased.as_str())) {
        code.call_component(|code| code.stand_for(variable, tag.name.start), &list_properties(text, tag));
    }
}

/// The properties that a tag of a component gives: their names in the script, and where they are written.
fn list_properties(text: &str, tag: &Tag) -> Vec<(String, usize)> {
    let property = |attribute: &Attribute| {
        let written = &text[attribute.name.clone()];
        let directive = ["v-bind:", ":", ".", "v-model:"].iter().find(|start| written.starts_with(**start));
        let behind = directive.map_or(0, |start| start.len());
        let name = written[behind..].split('.').next().unwrap_or("");
        match directive {
            None if written.split('.').next() == Some("v-model") => ("modelValue".to_owned(), attribute.name.start),
            None if written.contains(['@', '#', ':']) || written.starts_with("v-") => (String::new(), 0),
            _ => (camel_case(name), attribute.name.start + behind),
        }
    };
    tag.attributes.iter().map(property).collect()
}

/// What a directive uses, loops and slots apart.
fn directive(name: &str, attribute: &Attribute, known: &FxHashSet<&str>, code: &mut Code<'_>) {
    let short = name.starts_with([':', '@', '#', '.']);
    if !short && !name.starts_with("v-") || name.len() < 2 {
        return;
    }
    let base = if short { &name[..1] } else { name.split([':', '.']).next().unwrap_or(name) };
    // The argument in brackets is an expression.
    let argument = attribute.name.start + base.len();
    let argument = argument + usize::from(code.at(&(argument..attribute.name.end)).starts_with(':'));
    let written = code.at(&(argument..attribute.name.end));
    if let Some(end) = written.strip_prefix('[').and_then(|rest| rest.rfind(']')) {
        code.evaluate(&(argument + 1..argument + 1 + end));
    }
    if PLAIN.contains(&base) || matches!(base, "v-for" | "v-slot" | "#") {
        return;
    }
    let value = attribute.value.as_ref().filter(|value| !code.trim_range(value).is_empty());
    let binds = matches!(base, ":" | "." | "v-bind");
    match value {
        Some(value) if matches!(base, "@" | "v-on") && !written.is_empty() => handler(value, code),
        Some(value) => code.evaluate(value),
        // `:name` alone binds the variable of this name.
        None if binds && !written.starts_with('[') => {
            let end = written.find('.').unwrap_or(written.len());
            let variable = camel_case(&written[..end]);
            if is_path(&variable) {
                code.stand_for(&variable, argument);
                code.add(";\n");
            }
        }
        None => {}
    }
    // A directive of the project is a variable of its name.
    if !short && !EVALUATED.contains(&base) {
        let variable = camel_case(base);
        if known.contains(variable.as_str()) {
            code.stand_for(&variable, attribute.name.start);
            code.add(";\n");
        }
    }
}

/// `@event`: the name of a function, a function, or statements.
fn handler(value: &Range<usize>, code: &mut Code<'_>) {
    let range = code.trim_range(value);
    let text = code.at(&range);
    if is_path(text) || is_function(text) {
        return code.handle(&range);
    }
    code.add("(($event) => {\n");
    code.copy(range);
    code.add("\n});\n");
}

/// Returns whether an expression is a function, by its beginning.
fn is_function(text: &str) -> bool {
    let text = text.strip_prefix("async").map_or(text, str::trim_start);
    if text.starts_with("function") {
        return true;
    }
    let parameters = match text.strip_prefix('(') {
        Some(rest) => top_level(rest, ")").first().map(|end| end + 2),
        None => text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')),
    };
    let rest = parameters.and_then(|end| text.get(end..)).unwrap_or("").trim_start();
    // With a written type of the result or without.
    rest.starts_with("=>") || rest.starts_with(':') && rest.contains("=>")
}

fn camel_case(name: &str) -> String {
    let mut cased = String::with_capacity(name.len());
    for (place, word) in name.split('-').enumerate() {
        let mut letters = word.chars();
        match letters.next().filter(|_| place > 0) {
            Some(first) => cased.extend(first.to_uppercase().chain(letters)),
            None => cased.push_str(word),
        }
    }
    cased
}

fn pascal_case(name: &str) -> String {
    let cased = camel_case(name);
    let mut letters = cased.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::code::print_code;
    use super::*;

    fn print_template(template: &str, known: &[&str]) -> String {
        let text = format!("<template>{template}</template>");
        print_code(&text, |code| add(&text, &known.iter().copied().collect(), code))
    }

    #[test]
    fn directives_become_code() {
        let rows: &[(&str, &str)] = &[
            ("{{ f(3) }}", "(f(3));"),
            ("<b @click=\"f\"/>", "f(...[]);"),
            ("<b @click.once=\"a.f\"/>", "a.f(...[]);"),
            ("<b @click=\"f('t')\"/>", "(($event) => {f('t')});"),
            ("<b @click=\"n++; f()\"/>", "(($event) => {n++; f()});"),
            ("<b @click=\"e => f(e)\"/>", "(e => f(e));"),
            ("<b v-on:x=\"async (a, b) => f(a)\"/>", "(async (a, b) => f(a));"),
            ("<b :x=\"f(i)\" y=\"g(i)\"/>", "(f(i));"),
            ("<b :foo-bar />", "fooBar;"),
            ("<b :[a]=\"b\" />", "(a);(b);"),
            ("<b v-if=\"a\" v-else v-model.trim=\"c\"/>", "(a);(c);"),
            ("<b v-focus=\"a\"/>", "(a);vFocus;"),
            ("<b v-other=\"a\"/>", "(a);"),
            ("<li v-for=\"(a, i) in b\" :key=\"i\">{{ a }}</li>", "for (const a of (b)) {let  i;(i);(a);}"),
            ("<li v-for=\"{ a, b } of c\"/>", "for (const { a, b } of (c)) {}"),
            ("<X v-slot=\"{ a }\">{{ f(a) }}</X>", "X(...[]);(({ a }) => {(f(a));});"),
            ("<X><template #y=\"a\">{{ a }}</template></X>", "X(...[]);((a) => {(a);});"),
            ("<my-x /><other-x /><KeepAlive/>", "MyX(...[]);"),
            (
                "<my-x a v-model=\"b\" :c-d.sync=\"e\" @f=\"g\" />",
                "{const {a: _, modelValue: _, cD: _, } = MyX(...[]);}(b);(e);g(...[]);",
            ),
            ("<p v-pre>a</p>", ""),
        ];
        for (template, expected) in rows {
            assert_eq!(print_template(template, &["vFocus", "MyX"]), *expected, "{template}");
        }
    }

    #[test]
    fn only_the_template_and_styles_are_read() {
        let text =
            "<i18n>{{ a }}</i18n><template lang=\"pug\">p {{ b }}</template><style>p { c: v-bind('d.e') }</style>";
        let mut code = Code::new(text);
        add(text, &FxHashSet::default(), &mut code);
        assert_eq!(code.finish().expect("it has code").0, "{\n(d.e\n);\n}\n");
    }
}
