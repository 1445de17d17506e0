//! Markup of Svelte components.

use std::ops::Range;

use super::code::{Code, is_path};
use super::tags::{Attribute, Braces, Tag, Token, Tokens, closing_brace, top_level};
use super::{Open, is_component, list_properties};

/// Directives whose name is a function that runs with the element.
const RUN: &[&str] = &["use", "transition", "in", "out", "animate"];
/// Directives whose name is also the variable that they take, if nothing else is written.
const SHORT: &[&str] = &["bind", "class", "style"];

/// Adds what the markup of a component uses.
pub(super) fn add<'a>(text: &'a str, code: &mut Code<'a>) {
    let mut open = Open::default();
    for token in Tokens::new(text, 0, Braces::Single) {
        match token {
            Token::Open(tag) if !tag.raw.is_empty() => {}
            Token::Open(tag) => {
                let closes = element(text, &tag, code);
                if tag.is_closed {
                    code.add(&closes);
                } else {
                    open.push(&text[tag.name], closes);
                }
            }
            Token::Close(name) => open.close(&text[name], code),
            Token::Code(range) => block(&range, &mut open, code),
        }
    }
    open.close_all(code);
}

/// Adds what a tag uses; returns what closes the scopes that it opened.
fn element(text: &str, tag: &Tag, code: &mut Code<'_>) -> String {
    if is_component(&text[tag.name.clone()]) {
        let properties = list_properties(text, tag);
        code.call_component(|code| code.copy(tag.name.clone()), &properties);
    }
    for attribute in &tag.attributes {
        used_by_attribute(attribute, code);
    }
    let mut closes = String::new();
    for attribute in &tag.attributes {
        if let Some(name) = code.at(&attribute.name).strip_prefix("let:") {
            let start = attribute.name.end - name.len();
            code.add("((");
            code.copy(attribute.value.clone().unwrap_or(start..attribute.name.end));
            code.add(") => {\n");
            closes.insert_str(0, "});\n");
        }
    }
    closes
}

fn used_by_attribute(attribute: &Attribute, code: &mut Code<'_>) {
    let (directive, argument) = match code.at(&attribute.name).split_once(':') {
        Some((directive, rest)) => {
            let length = rest.find('|').unwrap_or(rest.len());
            let start = attribute.name.start + directive.len() + 1;
            (directive, start..start + length)
        }
        None => ("", attribute.name.clone()),
    };
    if RUN.contains(&directive) && is_path(code.at(&argument)) {
        code.call(argument.clone());
    }
    match &attribute.value {
        Some(_) if directive == "let" => {}
        Some(value) if attribute.in_braces && directive == "on" => code.handle(value),
        Some(value) if attribute.in_braces => {
            let value = code.trim_range(value);
            let spread = if code.at(&value).starts_with("...") { "...".len() } else { 0 };
            evaluate_tag(&(value.start + spread..value.end), code);
        }
        Some(value) => inside_text(value, code),
        None if SHORT.contains(&directive) && is_path(code.at(&argument)) => code.evaluate(&argument),
        None => {}
    }
}

/// Expressions in the text of an attribute: `"a {b} c"`.
fn inside_text(value: &Range<usize>, code: &mut Code<'_>) {
    let text = code.at(value);
    let mut at = 0;
    while let Some(start) = text[at..].find('{').map(|offset| at + offset + 1) {
        let Some(end) = closing_brace(text, start, text.len()) else { return };
        code.evaluate(&(value.start + start..value.start + end));
        at = end + 1;
    }
}

/// An expression, or a tag without content: `@html`, `@const` and their like.
fn evaluate_tag(range: &Range<usize>, code: &mut Code<'_>) {
    let range = code.trim_range(range);
    let text = code.at(&range);
    let Some(rest) = text.strip_prefix('@') else { return code.evaluate(&range) };
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let value = range.start + 1 + word.len()..range.end;
    if word == "const" {
        code.add("const ");
        code.copy(value);
        code.add("\n;\n");
    } else {
        code.evaluate(&value);
    }
}

/// What stands in braces between elements.
fn block<'a>(range: &Range<usize>, open: &mut Open<'a>, code: &mut Code<'a>) {
    let range = code.trim_range(range);
    let text = code.at(&range);
    let after = |word: &str| range.start + 1 + word.len()..range.end;
    let word = |text: &'a str| text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    match text.as_bytes().first() {
        Some(b'#') => {
            let kind = word(&text[1..]);
            begin(kind, after(kind), open, code);
        }
        Some(b':') => {
            // The innermost block goes on with another part.
            let Some(&(name, _)) = open.0.iter().rfind(|(name, _)| name.starts_with('#')) else { return };
            open.close(name, code);
            let kind = word(&text[1..]);
            go_on(name, kind, after(kind), open, code);
        }
        Some(b'/') => {
            let kind = word(&text[1..]);
            if let Some((_, name)) = BLOCKS.iter().find(|(known, _)| *known == kind) {
                open.close(name, code);
            }
        }
        _ => evaluate_tag(&range, code),
    }
}

/// Blocks, and the name under which they are open.
const BLOCKS: &[(&str, &str)] =
    &[("if", "#if"), ("each", "#each"), ("await", "#await"), ("key", "#key"), ("snippet", "#snippet")];

fn begin<'a>(kind: &str, value: Range<usize>, open: &mut Open<'a>, code: &mut Code<'_>) {
    let Some(&(_, name)) = BLOCKS.iter().find(|(known, _)| *known == kind) else { return };
    let closes = match kind {
        "each" => each(&value, code),
        "snippet" => {
            code.add("function ");
            code.copy(code.trim_range(&value));
            code.add(" {\n");
            "}\n"
        }
        "await" => {
            let text = code.at(&value);
            let words = [" then", " catch"].map(|word| top_level(text, word).last().copied().map(|at| (at, word)));
            let first = words.into_iter().flatten().min();
            let end = first.map_or(value.end, |(at, _)| value.start + at);
            code.evaluate(&(value.start..end));
            bind(first.map(|(at, word)| value.start + at + word.len()..value.end), code)
        }
        _ => {
            code.evaluate(&value);
            bind(None, code)
        }
    };
    open.push(name, closes.to_owned());
}

/// `{:else if a}`, `{:then b}`, `{:catch c}`.
fn go_on<'a>(name: &'a str, kind: &str, value: Range<usize>, open: &mut Open<'a>, code: &mut Code<'_>) {
    let closes = match kind {
        "then" | "catch" => bind(Some(value), code),
        _ => {
            let condition = code.trim_range(&value);
            let condition = match code.at(&condition).strip_prefix("if") {
                Some(rest) if rest.starts_with(|c: char| c.is_whitespace() || c == '(') => {
                    condition.start + "if".len()..condition.end
                }
                _ => condition.end..condition.end,
            };
            code.evaluate(&condition);
            bind(None, code)
        }
    };
    open.push(name, closes.to_owned());
}

/// Opens a scope that binds a value; returns what closes it.
fn bind(value: Option<Range<usize>>, code: &mut Code<'_>) -> &'static str {
    match value.map(|value| code.trim_range(&value)).filter(|value| !value.is_empty()) {
        Some(value) => {
            code.add("((");
            code.copy(value);
            code.add(") => {\n");
            "});\n"
        }
        None => {
            code.add("{\n");
            "}\n"
        }
    }
}

/// `{#each a as b, i (key)}`; returns what closes it.
fn each(value: &Range<usize>, code: &mut Code<'_>) -> &'static str {
    let text = code.at(value);
    let Some(&at) = top_level(text, " as ").last() else {
        code.evaluate(value);
        return bind(None, code);
    };
    let names = code.trim_range(&(value.start + at + " as ".len()..value.end));
    let key = top_level(code.at(&names), "(").first().map_or(names.end, |place| names.start + place);
    let first = top_level(code.at(&(names.start..key)), ",").first().map_or(key, |place| names.start + place);
    code.add("for (const ");
    code.copy(code.trim_range(&(names.start..first)));
    code.add(" of (");
    code.copy(value.start..value.start + at);
    code.add("\n)) {\n");
    if first < key {
        code.add("let ");
        code.copy(code.trim_range(&(first + 1..key)));
        code.add(";\n");
    }
    if key < names.end {
        let written = code.at(&(key..names.end)).trim_end();
        code.evaluate(&(key + 1..key + written.len() - usize::from(written.ends_with(')'))));
    }
    "}\n"
}

#[cfg(test)]
mod tests {
    use super::super::code::print_code;
    use super::*;

    #[test]
    fn markup_becomes_code() {
        let rows: &[(&str, &str)] = &[
            ("{fmt(1)}", "(fmt(1));"),
            ("<b on:click={f} on:x|once={() => g()} />", "f(...[]);(() => g());"),
            ("<b onclick={f} {name} {...rest} a=\"x {h(1)} y\" />", "(f);(name);(rest);(h(1));"),
            (
                "<b use:act={p} transition:fade bind:value={v} bind:w class:on style:c={d}/>",
                "act(...[]);(p);fade(...[]);(v);(w);(on);(d);",
            ),
            ("{#if a}{b}{:else if c}{d}{:else}{e}{/if}", "(a);{(b);}(c);{(d);}{(e);}"),
            ("{#each xs as x, i (x.id)}{f(x)}{/each}", "for (const x of ( xs)) {let i;(x.id);(f(x));}"),
            ("{#each xs as { a, b }}{a}{:else}{c}{/each}", "for (const { a, b } of ( xs)) {(a);}{(c);}"),
            ("{#await p}{a}{:then v}{f(v)}{:catch e}{e}{/await}", "(p);{(a);}((v) => {(f(v));});((e) => {(e);});"),
            ("{#await p then v}{v}{/await}", "(p);((v) => {(v);});"),
            ("{#snippet row(a)}{f(a)}{/snippet}{@render row(1)}", "function row(a) {(f(a));}(row(1));"),
            ("{@html g()}{@const a = h()}", "(g());const  a = h();"),
            ("<X a=\"b\" on:c={d} bind:e />", "{const {a: _, e: _, } = X(...[]);}d(...[]);(e);"),
            ("<X let:item>{item}</X><svelte:head></svelte:head>", "X(...[]);((item) => {(item);});"),
            ("<script>let a = {f}</script><style>p { b: c }</style>", ""),
        ];
        for (markup, expected) in rows {
            assert_eq!(print_code(markup, |code| add(markup, code)), *expected, "{markup}");
        }
    }
}
