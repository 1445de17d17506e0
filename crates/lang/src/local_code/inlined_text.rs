//! Writes the body of a function in the place of its call.

use std::collections::BTreeMap;
use std::ops::Range;

use tree_sitter::Node;

use super::callee::{Callee, Parameter};
use super::flow::ends_always;
use super::inline::{Argument, Given, Site, Standing, find_fresh, find_type, is_simple, is_written, refuse_at};
use super::own_object::Own;
use super::{Replacement, Result, indent_at, list_named};
use crate::Language;

/// What the names of the body become.
#[derive(Clone, Copy)]
pub(super) struct Names<'n> {
    /// Parameters.
    pub(super) given: &'n BTreeMap<usize, Given>,
    /// Variables that the call has too.
    pub(super) renamed: &'n BTreeMap<usize, String>,
    /// Members of the class of a method of Java.
    pub(super) own: &'n Own,
}

/// The text of a piece of the body, with its names replaced.
pub(super) fn fill(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    range: Range<usize>,
    Names { given, renamed, own }: Names<'_>,
) -> Result<String> {
    let mut edits = own.list_edits(callee, &range);
    let uses: Vec<_> = callee.locals.uses.iter().filter(|found| range.contains(&found.at.start_byte())).collect();
    // Each name that is replaced, with the text before it.
    for found in uses {
        let new = match (given.get(&found.variable), renamed.get(&found.variable)) {
            (Some(Given::Text(text)), _) => {
                let argument =
                    site.arguments.iter().map(|(_, node)| *node).find(|node| site.text_of(*node) == text.as_str());
                let needs_brackets = argument.is_some_and(|node| !is_simple(node)) && !is_alone(found.at);
                if needs_brackets { format!("({text})") } else { text.clone() }
            }
            (Some(Given::Bound(name, _)), _) => name.clone(),
            (None, Some(name)) => name.clone(),
            (None, None) => continue,
        };
        let old = callee.text_of(found.at);
        // A field of Go keeps its name; the key of a map is a value.
        match find_key(callee, site, found.at) {
            Key::Field => continue,
            Key::Unknown if new != old => {
                let why = format!("`{old}` may be a field or the key of a map, and has another name at the call");
                return Err(refuse_at(callee.text, found.at, why));
            }
            _ => {}
        }
        if found.at.kind() == "string_literal" && new != *callee.locals.variables[found.variable].name {
            return Err(refuse_at(
                callee.text,
                found.at,
                "a text captures a variable that has another name at the call",
            ));
        }
        if found.at.kind() == "string_literal" {
            continue;
        }
        let is_shorthand =
            matches!(found.at.kind(), "shorthand_property_identifier" | "shorthand_property_identifier_pattern")
                || found.at.kind() == "shorthand_field_identifier"
                || found.at.parent().is_some_and(|parent| parent.kind() == "shorthand_field_initializer");
        let new = match (is_shorthand && new != old, is_imported_name(found.at)) {
            (true, _) => format!("{old}: {new}"),
            (false, Some(true)) if new != old => format!("{old} as {new}"),
            (false, Some(false)) if new != old => {
                let why = format!("imports `{old}`, and the code around the call has another one");
                return Err(refuse_at(callee.text, found.at, why));
            }
            _ => new,
        };
        edits.push((found.at.byte_range(), new));
    }
    // The text with its edits, the first of those at one place.
    edits.sort_by_key(|(range, _)| range.start);
    let (mut text, mut from) = (String::new(), range.start);
    for (place, new) in edits {
        if place.start < from {
            continue;
        }
        text.push_str(&callee.text[from..place.start]);
        text.push_str(&new);
        from = place.end;
    }
    text.push_str(&callee.text[from..range.end]);
    Ok(text)
}

/// What stands before the colon in a literal of Go.
enum Key {
    Field,
    /// A field, or a value.
    Unknown,
    /// A value, or no key at all.
    Value,
}

fn find_key(callee: &Callee<'_, '_>, site: &Site<'_, '_>, name: Node<'_>) -> Key {
    let keyed = name.parent().and_then(|element| Some((element, element.parent()?)));
    let is_key = |(element, keyed): &(Node<'_>, Node<'_>)| {
        keyed.kind() == "keyed_element" && keyed.child_by_field_name("key") == Some(*element)
    };
    let Some((_, keyed)) = keyed.filter(|pair| callee.language == Language::Go && is_key(pair)) else {
        return Key::Value;
    };
    // Elements of a list or map may leave their type out.
    let literal = keyed.parent().and_then(|list| list.parent());
    let Some(kind) = literal.and_then(|literal| literal.child_by_field_name("type")) else { return Key::Unknown };
    if matches!(kind.kind(), "map_type" | "slice_type" | "array_type" | "implicit_length_array_type") {
        return Key::Value;
    }
    match site.calls.underlying_type(callee.text_of(kind)).as_deref() {
        Some("struct") => Key::Field,
        Some(other) if other.starts_with(['m', '[']) => Key::Value,
        _ if kind.kind() == "struct_type" => Key::Field,
        _ => Key::Unknown,
    }
}

/// For a name that an import in the body binds: whether it can get another one there.
fn is_imported_name(name: Node<'_>) -> Option<bool> {
    let parent = name.parent()?;
    let is_whole = match parent.kind() {
        // `import a.b` and `use a::*` bind what is not the last part.
        "dotted_name" | "scoped_identifier" => list_named(parent).last() == Some(&name),
        "use_list" | "use_declaration" => return Some(true),
        _ => return None,
    };
    let import = parent.parent()?;
    let is_import = import.kind().starts_with("import") || matches!(import.kind(), "use_declaration" | "use_list");
    let is_single = parent.kind() == "scoped_identifier" || parent.named_child_count() == 1;
    is_import.then_some(is_whole && is_single)
}

/// Returns whether a name stands alone between brackets and commas.
pub(super) fn is_alone(node: Node<'_>) -> bool {
    let is_condition = |parent: Node<'_>| {
        parent.child_by_field_name("condition") == Some(node) && parent.kind() != "ternary_expression"
    };
    node.parent().is_some_and(|parent| {
        is_condition(parent)
            || matches!(
                parent.kind(),
                "argument_list" | "arguments" | "parenthesized_expression" | "return_statement" | "list" | "array"
            )
    })
}

/// The lines before the value: the values of parameters, and the statements with their comments.
fn write_statements(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    arguments: &[(&Parameter<'_>, Argument<'_, '_>)],
    names: Names<'_>,
) -> Result<Vec<String>> {
    let mut lines: Vec<String> = names.own.binding.iter().map(|(_, line)| line.clone()).collect();
    if let Some(Given::Bound(name, text)) = callee.receiver.and_then(|receiver| names.given.get(&receiver)) {
        let receiver = callee.function.child_by_field_name("receiver").and_then(|list| list.named_child(0));
        let kind = receiver.and_then(|receiver| receiver.child_by_field_name("type"));
        lines.push(match kind {
            Some(kind) => format!("var {name} {} = {text}", callee.text_of(kind)),
            None => format!("{name} = {text}"),
        });
    }
    for (parameter, _) in arguments {
        if let Some(Given::Bound(name, text)) = names.given.get(&parameter.variable) {
            lines.push(write_binding(callee, parameter, (name, text))?);
        }
    }
    let statements = if callee.returns_early.is_some() { &callee.all } else { &callee.statements };
    if let (Some(first), Some(last)) = (statements.first(), statements.last()) {
        let end = last.end_byte() + usize::from(callee.text[last.end_byte()..].starts_with(';'));
        let range = first.start_byte()..end;
        check_literals(callee, range.clone())?;
        let own = indent_at(callee.text, range.start);
        let text = fill(callee, site, range, names)?;
        lines.extend(text.lines().map(|line| line.strip_prefix(own).unwrap_or(line.trim_start()).to_owned()));
    }
    Ok(lines)
}

/// Writes the statements and the value in the place of the call.
pub(super) fn write_site(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    arguments: &[(&Parameter<'_>, Argument<'_, '_>)],
    names: Names<'_>,
) -> Result<Replacement> {
    let is_body = callee.returns_early.is_some();
    let value = callee.value.filter(|_| !is_body);
    let value = value.map(|value| fill(callee, site, value.byte_range(), names)).transpose()?;
    let value = value.map(|text| write_value(callee, site, text)).transpose()?;
    let mut lines = write_statements(callee, site, arguments, names)?;
    // Without statements, the value stands for the call.
    let Some(statement) = site.statement.filter(|_| !lines.is_empty() || callee.value.is_none()) else {
        let text = value.unwrap_or_default();
        let is_whole = site.statement.is_some_and(|statement| is_call_statement(callee, statement, site.call));
        if is_whole
            && matches!(callee.language, Language::Go | Language::Java)
            && callee.value.is_some_and(|value| !is_effect(value))
        {
            let why = "the value of the call is not used, and the language has no statement for it";
            return Err(refuse_at(site.text, site.call, why));
        }
        return Ok(Replacement { range: site.call.byte_range(), text });
    };
    if is_body {
        return Ok(write_body(callee, site, statement, lines));
    }
    // The statement of the call, behind the statements of the body.
    let whole = is_call_statement(callee, statement, site.call);
    match (value, whole) {
        (Some(value), true) if callee.value.is_some_and(is_effect) => {
            lines.push(format!("{value}{}", find_end(callee)))
        }
        (_, true) => {}
        (Some(value), false) => {
            let before = &site.text[statement.start_byte()..site.call.start_byte()];
            let behind = &site.text[site.call.end_byte()..statement.end_byte()];
            let own = indent_at(site.text, statement.start_byte());
            let text = format!("{before}{value}{behind}");
            lines.extend(text.lines().map(|line| line.strip_prefix(own).unwrap_or(line).to_owned()));
        }
        (None, false) => {
            let why = "the function gives back nothing, and the call is used as a value";
            return Err(refuse_at(site.text, site.call, why));
        }
    }
    if lines.is_empty() && callee.language == Language::Python {
        lines.push("pass".to_owned());
    }
    Ok(replace_statement(site, (statement, whole), &lines))
}

/// The function as a literal that is called in the place of the call; `None` where the language has none, or where it
/// would mean something else.
pub(super) fn write_literal(callee: &Callee<'_, '_>, site: &Site<'_, '_>) -> Result<Option<Replacement>> {
    let body = callee.function.child_by_field_name("body");
    let parameters = callee.function.child_by_field_name("parameters");
    let (Some(body), Some(parameters), Some(list)) = (body, parameters, site.call.child_by_field_name("arguments"))
    else {
        return Ok(None);
    };
    let is_go = callee.language == Language::Go;
    // A line of a script that begins with a bracket may belong to the line before.
    let starts_line =
        site.text[..site.call.start_byte()].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    if !callee.can_be_literal() || !is_go && (starts_line || callee.is_method || callee.names_receiver().is_some()) {
        return Ok(None);
    }
    check_literals(callee, body.byte_range())?;
    // The head: a receiver is the first parameter.
    let inner = |node: Node<'_>| callee.text_of(node).trim_start_matches('(').trim_end_matches(')').to_owned();
    let (mut taken, mut passed) = (callee.text_of(parameters).to_owned(), site.text_of(list).to_owned());
    if let Some(receiver) = callee.function.child_by_field_name("receiver") {
        let kind = receiver.named_child(0).and_then(|own| own.child_by_field_name("type"));
        let object =
            site.object.map(|object| (site.text_of(object), site.types(callee.language).of_go_expression(object, 0)));
        let Some((object, Some(known))) = object else { return Ok(None) };
        let Some(kind) = kind.map(|kind| callee.text_of(kind)).filter(|kind| **kind == known) else { return Ok(None) };
        let own = if callee.receiver.is_some() { inner(receiver) } else { format!("_ {kind}") };
        let first = |list: &str, own: &str| match list[1..].trim_start().starts_with(')') {
            true => format!("({own})"),
            false => format!("({own}, {}", list[1..].trim_start()),
        };
        (taken, passed) = (first(&taken, &own), first(&passed, object));
    }
    let indent = indent_at(site.text, site.call.start_byte());
    let own = indent_at(callee.text, callee.top.start_byte());
    let block: Vec<String> = callee
        .text_of(body)
        .lines()
        .enumerate()
        .map(|(at, line)| match line.strip_prefix(own).unwrap_or(line) {
            line if at == 0 || line.is_empty() => line.to_owned(),
            line => format!("{indent}{line}"),
        })
        .collect();
    let block = block.join("\n");
    let result = callee.text.get(parameters.end_byte()..body.start_byte()).unwrap_or_default().trim();
    let result = result.trim_end_matches("=>").trim();
    let text = match is_go {
        true => format!(
            "func{taken} {}{block}{passed}",
            if result.is_empty() { String::new() } else { format!("{result} ") }
        ),
        false => format!("({taken}{result} => {block}){passed}"),
    };
    Ok(Some(Replacement { range: site.call.byte_range(), text }))
}

/// The whole body, which ends the function around the call.
fn write_body(callee: &Callee<'_, '_>, site: &Site<'_, '_>, statement: Node<'_>, lines: Vec<String>) -> Replacement {
    let mut lines = lines;
    // Behind the last statement control must not go on to what follows.
    if site.place == Standing::Returned && !ends_always(callee.rules, &callee.all, 0) {
        match callee.language {
            Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => {
                lines.push(format!("return{}", find_end(callee)));
            }
            _ => {}
        }
    }
    replace_statement(site, (statement, true), &lines)
}

/// Lines in the place of a statement; with `whole`, also of the sign at its end.
fn replace_statement(site: &Site<'_, '_>, (statement, whole): (Node<'_>, bool), lines: &[String]) -> Replacement {
    let indent = indent_at(site.text, statement.start_byte());
    let text = lines
        .iter()
        .enumerate()
        .map(|(at, line)| if at == 0 || line.is_empty() { line.clone() } else { format!("{indent}{line}") });
    let mut end = statement.end_byte();
    if site.text[end..].starts_with(';') {
        end += usize::from(whole);
    }
    Replacement { range: statement.start_byte()..end, text: text.collect::<Vec<_>>().join("\n") }
}

pub(super) fn find_end(callee: &Callee<'_, '_>) -> &'static str {
    if matches!(callee.language, Language::Python | Language::Go) { "" } else { ";" }
}

/// Returns whether a statement is nothing but the call.
pub(super) fn is_call_statement(callee: &Callee<'_, '_>, statement: Node<'_>, call: Node<'_>) -> bool {
    // In Rust it is the value of its block.
    statement == call && callee.language != Language::Rust
        || statement.kind() == "expression_statement" && statement.named_child(0) == Some(call)
}

/// Returns whether a value does something when it is evaluated, and can be a statement.
pub(super) fn is_effect(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind == "call"
        || kind.contains("call_expression")
        || kind.contains("invocation")
        || kind.contains("assignment")
        || kind == "await"
}

/// Refuses texts of several lines, whose indentation counts.
pub(super) fn check_literals(callee: &Callee<'_, '_>, range: Range<usize>) -> Result<()> {
    let mut rest = callee.all.clone();
    while let Some(node) = rest.pop() {
        let is_text = node.kind().contains("string") || node.kind().contains("text_block");
        if is_text && node.end_position().row > node.start_position().row && range.contains(&node.start_byte()) {
            return Err(refuse_at(callee.text, node, "a text of several lines cannot be moved"));
        }
        rest.extend(list_named(node));
    }
    Ok(())
}

/// The declaration of a parameter before the body.
pub(super) fn write_binding(
    callee: &Callee<'_, '_>,
    parameter: &Parameter<'_>,
    (name, value): (&str, &str),
) -> Result<String> {
    let kind = parameter.kind.as_deref();
    let is_written = is_written(callee, parameter.variable);
    let needs_type =
        || refuse_at(callee.text, callee.function, format!("the type of `{}` is not written", parameter.name));
    // A declaration with the type of the parameter.
    Ok(match callee.language {
        Language::Python => format!("{name} = {value}"),
        Language::Go if !callee.locals.of(parameter.variable).any(|found| found.is_read()) => format!("_ = {value}"),
        Language::Go => format!("var {name} {} = {value}", kind.ok_or_else(needs_type)?),
        Language::Rust => {
            let kind = kind.ok_or_else(needs_type)?;
            let word = if callee.locals.variables[parameter.variable]
                .by
                .named_children(&mut callee.function.walk())
                .any(|child| child.kind() == "mutable_specifier")
            {
                "let mut"
            } else {
                "let"
            };
            match kind.starts_with("impl ") {
                true => format!("{word} {name} = {value};"),
                false => format!("{word} {name}: {kind} = {value};"),
            }
        }
        Language::Java => format!("{} {name} = {value};", kind.ok_or_else(needs_type)?),
        _ => {
            let word = if is_written { "let" } else { "const" };
            match kind.filter(|_| callee.language != Language::JavaScript) {
                Some(kind) => format!("{word} {name}: {kind} = {value};"),
                None => format!("{word} {name} = {value};"),
            }
        }
    })
}

/// The value at the place of the call, with the type that the call had.
pub(super) fn write_value(callee: &Callee<'_, '_>, site: &Site<'_, '_>, text: String) -> Result<String> {
    let Some(node) = callee.value else { return Ok(text) };
    let result = callee.result.as_deref().unwrap_or_default();
    let alone = site.place != Standing::Inside
        && site.statement.is_some()
        && site.call.parent().is_none_or(|parent| parent.kind() != "member_expression")
        || is_alone(site.call);
    let grouped =
        |text: String| if is_simple(node) || alone && !text.contains('\n') { text } else { format!("({text})") };
    let whole = site.statement.is_some_and(|statement| is_call_statement(callee, statement, site.call));
    // Whether the value has the type of the call by itself.
    let known = match node.kind() {
        "identifier" => {
            let variable = callee
                .locals
                .uses
                .iter()
                .find(|found| found.at == node)
                .map(|found| &callee.locals.variables[found.variable]);
            variable
                .and_then(|variable| find_type(callee.language, callee.text, &callee.locals, variable))
                .is_some_and(|kind| kind == result)
        }
        "interpreted_string_literal" | "raw_string_literal" => result == "string",
        "binary_expression" => matches!(result, "bool" | "boolean") && !text.contains('+'),
        "not_expression" | "unary_expression" => matches!(result, "bool" | "boolean") && text.starts_with('!'),
        "object_creation_expression" => {
            node.child_by_field_name("type").is_some_and(|kind| callee.text_of(kind) == result)
        }
        "composite_literal" => node.child_by_field_name("type").is_some_and(|kind| callee.text_of(kind) == result),
        "true" | "false" | "boolean_literal" => true,
        "string_literal" => result == "String" && callee.language == Language::Java,
        _ => false,
    };
    Ok(match callee.language {
        Language::Go if !known && !whole => match result.starts_with(['*', '<', 'f', '(']) {
            true => format!("({result})({text})"),
            false => format!("{result}({text})"),
        },
        // A cast takes only the first operand.
        Language::Java if !known && !whole => match is_simple(node) {
            true => format!("(({result}) {text})"),
            false => format!("(({result}) ({text}))"),
        },
        Language::Rust if !known && !whole && !result.starts_with("impl ") && !result.is_empty() => {
            let name = find_fresh("result", &site.locals.words, &mut callee.locals.words.clone());
            format!("{{ let {name}: {result} = {text}; {name} }}")
        }
        Language::TypeScript | Language::Tsx
            if !result.is_empty()
                && matches!(
                    node.kind(),
                    "object" | "array" | "ternary_expression" | "string" | "number" | "arrow_function"
                ) =>
        {
            format!("({} as {result})", grouped(text))
        }
        _ => grouped(text),
    })
}

/// The bytes of the declaration with the comments above it and the blank lines around it.
pub(super) fn find_removed(text: &str, top: Node<'_>) -> Range<usize> {
    let mut first = top;
    while let Some(before) = first.prev_sibling() {
        let is_own = before.is_extra() && before.kind().contains("comment") || before.kind() == "attribute_item";
        let gap = text.get(before.end_byte()..first.start_byte()).unwrap_or_default();
        let starts_line = text[..before.start_byte()].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        if !is_own || gap.matches('\n').count() > 1 || !starts_line {
            break;
        }
        first = before;
    }
    let start = text[..first.start_byte()].rfind('\n').map_or(0, |at| at + 1);
    let end = top.end_byte();
    let end = end + text[end..].find('\n').map_or(text.len() - end, |at| at + 1);
    // The blank lines behind it go too, if there are some before, and those before it at the end of a block.
    let before = &text[..start];
    let behind =
        text[end..].split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum::<usize>();
    let rest = &text[end + behind..];
    if rest.is_empty() || rest.trim_start().starts_with('}') {
        let kept = before.trim_end().len();
        let start = kept + before[kept..].find('\n').map_or(0, |at| at + 1);
        return start..if rest.is_empty() { text.len() } else { end };
    }
    match before.ends_with("\n\n") || before.trim_end().ends_with(['{', ':']) || before.is_empty() {
        true => start..end + behind,
        false => start..end,
    }
}
