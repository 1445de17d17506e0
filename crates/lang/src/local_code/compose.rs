//! Writes a new function and its call.

use super::extract::{Ending, Input, Output, Passing, Plan, Receiver};
use super::{Replacement, Result, indent_at, line_of, list_named, refuse};
use crate::Language;

/// Writes the function of a plan behind the one it comes from, and the call in the place of the lines.
pub(super) fn compose(plan: &Plan<'_, '_>) -> Result<Vec<Replacement>> {
    let text = plan.text;
    let call = write_call(plan)?;
    let indent = indent_at(text, plan.selected.core.start);
    let call: String = call.lines().map(|line| format!("{indent}{line}\n")).collect();
    let last_has_break = text[plan.selected.lines.clone()].ends_with('\n');
    let call = if last_has_break { call } else { call.trim_end_matches('\n').to_owned() };
    let function = write_function(plan)?;
    let (at, lead) = find_place(plan);
    // Lines at the end of the function take its last line break along.
    let end = plan.selected.lines.end;
    let placed = match at < end && last_has_break {
        true => Replacement { range: end..end, text: format!("{}{function}\n", &lead[1..]) },
        false => Replacement { range: at..at, text: format!("{lead}{function}") },
    };
    Ok(vec![Replacement { range: plan.selected.lines.clone(), text: call }, placed])
}

/// Where the function is written, and what stands before it.
fn find_place(plan: &Plan<'_, '_>) -> (usize, String) {
    let mut top = plan.selected.top;
    // A function that is not a member stands behind the class.
    let is_outside = match plan.language {
        Language::Rust => plan.receiver == Receiver::Function,
        Language::JavaScript | Language::TypeScript | Language::Tsx => !matches!(plan.receiver, Receiver::Method(_)),
        _ => false,
    };
    if is_outside {
        let holders = [
            "declaration_list", "impl_item", "trait_item", "class_body", "class_declaration", "class",
            "export_statement",
        ];
        while let Some(parent) = top.parent().filter(|parent| holders.contains(&parent.kind())) {
            if parent.kind() == "declaration_list" && parent.parent().is_some_and(|above| above.kind() == "mod_item") {
                break;
            }
            top = parent;
        }
        while let Some(parent) = top.parent().filter(|_| plan.language != Language::Rust) {
            if parent.kind() == "program" {
                break;
            }
            top = parent;
        }
    }
    let end = top.end_byte();
    let rest = &plan.text[end..];
    let at = end + rest.find('\n').unwrap_or(rest.len());
    let is_top_level =
        plan.language == Language::Python && indent_at(plan.text, plan.selected.top.start_byte()).is_empty();
    (at, if is_top_level { "\n\n\n".to_owned() } else { "\n\n".to_owned() })
}

/// The indentation of the new function.
fn find_indent<'a>(plan: &Plan<'a, '_>) -> &'a str {
    let is_outside = match plan.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => !matches!(plan.receiver, Receiver::Method(_)),
        Language::Rust if plan.receiver == Receiver::Function => {
            let list = plan.selected.home.parent().filter(|list| list.kind() == "declaration_list");
            return match list.and_then(|list| list.parent()).filter(|above| above.kind() != "mod_item") {
                Some(item) => indent_at(plan.text, item.start_byte()),
                None => indent_at(plan.text, plan.selected.home.start_byte()),
            };
        }
        _ => false,
    };
    if is_outside { "" } else { indent_at(plan.text, plan.selected.top.start_byte()) }
}

/// One step of indentation, as the function around has it.
fn find_unit(plan: &Plan<'_, '_>) -> String {
    let body = plan.selected.home.child_by_field_name("body");
    let first = body.and_then(|body| {
        let list = body.named_child(0).filter(|list| list.kind() == "statement_list").unwrap_or(body);
        list_named(list).into_iter().find(|child| !child.is_extra())
    });
    let (own, inner) = (
        indent_at(plan.text, plan.selected.home.start_byte()),
        first.map(|first| indent_at(plan.text, first.start_byte())),
    );
    let found = inner.and_then(|inner| inner.strip_prefix(own)).filter(|unit| !unit.is_empty());
    found.map_or_else(|| "    ".to_owned(), str::to_owned)
}

/// The lines with the indentation of the new function. Lines inside of texts stay as they are.
fn write_body(plan: &Plan<'_, '_>, indent: &str) -> Result<String> {
    let own = indent_at(plan.text, plan.selected.core.start);
    let kept = list_literal_lines(plan);
    let mut body = String::new();
    let mut at = plan.selected.lines.start;
    for line in plan.text[plan.selected.lines.clone()].split_inclusive('\n') {
        let is_kept = kept.contains(&at);
        at += line.len();
        let content = line.trim_end_matches('\n');
        if is_kept {
            body.push_str(content);
        } else if !content.trim().is_empty() {
            match content.strip_prefix(own) {
                Some(rest) => {
                    body.push_str(indent);
                    body.push_str(rest);
                }
                // A line that stands further left.
                None => {
                    body.push_str(indent);
                    body.push_str(content.trim_start());
                }
            }
        }
        body.push('\n');
    }
    Ok(body)
}

/// First bytes of the lines that begin inside of a literal of several lines.
fn list_literal_lines(plan: &Plan<'_, '_>) -> std::collections::BTreeSet<usize> {
    let mut found = std::collections::BTreeSet::new();
    let mut rest = plan.selected.statements.clone();
    while let Some(node) = rest.pop() {
        let kind = node.kind();
        if node.end_position().row == node.start_position().row {
            continue;
        }
        if kind.contains("string") || kind.contains("text_block") {
            let text = plan.text.get(node.byte_range()).unwrap_or_default();
            found.extend(text.match_indices('\n').map(|(at, _)| node.start_byte() + at + 1));
            continue;
        }
        rest.extend(list_named(node));
    }
    found
}

/// The statements that call the function, without indentation.
fn write_call(plan: &Plan<'_, '_>) -> Result<String> {
    let name = plan.lines.name;
    let mut arguments: Vec<&str> = plan.inputs.iter().map(|input| input.name.as_str()).collect();
    // What is called.
    let target = match (&plan.receiver, plan.language) {
        (Receiver::Function, _) => name.to_owned(),
        (Receiver::Method(own), Language::Python) => format!("{own}.{name}"),
        (Receiver::Method(own), Language::Go) => {
            let own = own.trim_start_matches('(').split_whitespace().next().unwrap_or_default();
            format!("{own}.{name}")
        }
        (Receiver::Method(_), Language::Rust) => format!("self.{name}"),
        (Receiver::Method(_), Language::Java) | (Receiver::Static, Language::Java) => name.to_owned(),
        (Receiver::Method(_), _) => format!("this.{name}"),
        (Receiver::Static, Language::Rust) => format!("Self::{name}"),
        (Receiver::Static, _) => format!("{}.{name}", find_class_name(plan)?),
        (Receiver::Called, _) => {
            arguments.insert(0, "this");
            format!("{name}.call")
        }
    };
    // With what, and what becomes of its value.
    let mut call = format!("{target}({})", arguments.join(", "));
    if plan.is_async {
        call = match plan.language {
            Language::Rust => format!("{call}.await"),
            _ => format!("await {call}"),
        };
    }
    let end = if matches!(plan.language, Language::Python | Language::Go) { "" } else { find_statement_end(plan) };
    Ok(match plan.ending {
        Ending::Returns if plan.language == Language::Rust => call,
        Ending::Returns => format!("return {call}{end}"),
        Ending::EndsEmpty => format!("{call}{end}"),
        Ending::GoesOn => write_assignment(plan, &call, end)?,
    })
}

/// The sign at the end of statements, if the code writes one.
fn find_statement_end(plan: &Plan<'_, '_>) -> &'static str {
    if matches!(plan.language, Language::Rust | Language::Java) {
        return ";";
    }
    let function = plan.text.get(plan.selected.top.byte_range()).unwrap_or_default();
    if function.lines().any(|line| line.trim_end().ends_with(';')) { ";" } else { "" }
}

fn find_class_name<'a>(plan: &Plan<'a, '_>) -> Result<&'a str> {
    let mut node = plan.selected.top.parent();
    while let Some(above) = node {
        if above.kind() == "class_definition" {
            let name = above.child_by_field_name("name").and_then(|name| plan.text.get(name.byte_range()));
            let is_plain = above.parent().and_then(|parent| {
                if parent.kind() == "decorated_definition" { parent.parent() } else { Some(parent) }
            });
            if is_plain.is_some_and(|parent| parent.kind() == "module") {
                return name.ok_or_else(|| refuse(0, "the class has no name"));
            }
        }
        node = above.parent();
    }
    Err(refuse(line_of(plan.text, plan.selected.top.start_byte()), "the class cannot be named from its static method"))
}

/// The call with what it gives back.
fn write_assignment(plan: &Plan<'_, '_>, call: &str, end: &str) -> Result<String> {
    let outputs = &plan.outputs;
    if outputs.is_empty() {
        return Ok(format!("{call}{end}"));
    }
    let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
    // Names that are declared, or get other values.
    let all_new = outputs.iter().all(|output| output.is_new);
    let any_new = outputs.iter().any(|output| output.is_new);
    let mixed = || {
        let line = line_of(plan.text, plan.selected.core.start);
        Err(refuse(
            line,
            &format!("the lines give values to several variables ({}), new ones and old ones", names.join(", ")),
        ))
    };
    match plan.language {
        Language::Python => Ok(format!("{} = {call}", names.join(", "))),
        Language::Go => {
            let declared = outputs.iter().filter(|output| output.is_new && !all_new);
            let declared: String =
                declared.map(|output| format!("var {} {}\n", output.name, read_kind(output))).collect();
            let operator = if all_new { ":=" } else { "=" };
            Ok(format!("{declared}{} {operator} {call}", names.join(", ")))
        }
        Language::Rust => {
            let word = |output: &Output| {
                if output.is_written_later { format!("mut {}", output.name) } else { output.name.clone() }
            };
            let list =
                |rows: Vec<String>| if rows.len() == 1 { rows.concat() } else { format!("({})", rows.join(", ")) };
            match (all_new, any_new) {
                (true, _) => Ok(format!("let {} = {call};", list(outputs.iter().map(word).collect()))),
                (_, false) => {
                    Ok(format!("{} = {call};", list(outputs.iter().map(|output| output.name.clone()).collect())))
                }
                _ => mixed(),
            }
        }
        Language::Java => write_java_assignment(plan, call),
        _ => {
            let list = if names.len() == 1 { names.concat() } else { format!("{{ {} }}", names.join(", ")) };
            let word = if outputs.iter().any(|output| output.is_written_later) { "let" } else { "const" };
            match (all_new, any_new) {
                (true, _) => Ok(format!("{word} {list} = {call}{end}")),
                (_, false) if names.len() == 1 => Ok(format!("{list} = {call}{end}")),
                (_, false) if end == ";" => Ok(format!("({list} = {call});")),
                _ => mixed(),
            }
        }
    }
}

/// The call with the one value that a method of Java can give back.
fn write_java_assignment(plan: &Plan<'_, '_>, call: &str) -> Result<String> {
    let names: Vec<&str> = plan.outputs.iter().map(|output| output.name.as_str()).collect();
    match plan.outputs.as_slice() {
        [output] if output.is_new => Ok(format!("{} {} = {call};", read_kind(output), output.name)),
        [output] => Ok(format!("{} = {call};", output.name)),
        _ => {
            let (line, names) = (line_of(plan.text, plan.selected.core.start), names.join(", "));
            let why = format!("the lines give values to several variables ({names}), and a method gives back one");
            Err(refuse(line, &why))
        }
    }
}

fn read_kind(output: &Output) -> &str {
    output.kind.as_deref().unwrap_or_default()
}

/// The new function.
fn write_function(plan: &Plan<'_, '_>) -> Result<String> {
    let indent = find_indent(plan);
    let inner = format!("{indent}{}", find_unit(plan));
    // The body, between its head and its end.
    let mut body = write_body(plan, &inner)?;
    let declared = write_declared(plan, &inner);
    let (head, tail) = match plan.language {
        Language::Python => (write_python_head(plan, indent), ""),
        Language::Go => (write_go_head(plan), "}"),
        Language::Rust => (write_rust_head(plan, indent), "}"),
        Language::Java => (write_java_head(plan, indent), "}"),
        _ => (write_script_head(plan, indent), "}"),
    };
    // What it gives back.
    if plan.ending == Ending::GoesOn && !plan.outputs.is_empty() {
        let names: Vec<&str> = plan.outputs.iter().map(|output| output.name.as_str()).collect();
        let list = names.join(", ");
        let line = match plan.language {
            Language::Python | Language::Go => format!("return {list}"),
            Language::Rust if names.len() == 1 => list,
            Language::Rust => format!("({list})"),
            Language::Java => format!("return {list};"),
            _ if names.len() == 1 => format!("return {list}{}", find_statement_end(plan)),
            _ => format!("return {{ {list} }}{}", find_statement_end(plan)),
        };
        body.push_str(&format!("{inner}{line}\n"));
    }
    let body = body.trim_end_matches('\n');
    let body = strip_blank(body);
    Ok(match tail {
        "" => format!("{head}\n{declared}{body}"),
        tail => format!("{head}\n{declared}{body}\n{indent}{tail}"),
    })
}

/// The body without blank lines at its beginning.
fn strip_blank(body: &str) -> &str {
    let mut rest = body;
    while let Some((first, behind)) = rest.split_once('\n') {
        if !first.trim().is_empty() {
            break;
        }
        rest = behind;
    }
    rest
}

/// Declarations of variables that the function gives back and does not take.
fn write_declared(plan: &Plan<'_, '_>, inner: &str) -> String {
    let declared = plan.outputs.iter().filter(|output| output.needs_declaration);
    let line = |output: &Output| match plan.language {
        Language::Python => String::new(),
        Language::Go => format!("{inner}var {} {}\n", output.name, read_kind(output)),
        Language::Rust => format!("{inner}let mut {}: {};\n", output.name, read_kind(output)),
        Language::Java => format!("{inner}{} {};\n", read_kind(output), output.name),
        Language::TypeScript | Language::Tsx if output.kind.is_some() => {
            format!("{inner}let {}: {}{}\n", output.name, read_kind(output), find_statement_end(plan))
        }
        _ => format!("{inner}let {}{}\n", output.name, find_statement_end(plan)),
    };
    declared.map(line).collect()
}

fn write_typed(input: &Input, separator: &str) -> String {
    format!("{}{separator}{}", input.name, input.kind.as_deref().unwrap_or_default())
}

fn write_python_head(plan: &Plan<'_, '_>, indent: &str) -> String {
    let parameter = |input: &Input| match &input.kind {
        Some(_) => write_typed(input, ": "),
        None => input.name.clone(),
    };
    let mut parameters: Vec<String> = plan.inputs.iter().map(parameter).collect();
    let mut lead = String::new();
    match &plan.receiver {
        Receiver::Method(own) => {
            parameters.insert(0, own.clone());
            let decorators =
                plan.text.get(plan.selected.top.start_byte()..plan.selected.home.start_byte()).unwrap_or_default();
            if decorators.contains("classmethod") {
                lead = format!("{indent}@classmethod\n");
            }
        }
        Receiver::Static => lead = format!("{indent}@staticmethod\n"),
        _ => {}
    }
    let word = if plan.is_async { "async def" } else { "def" };
    let result = plan.returned.as_ref().map_or_else(String::new, |kind| format!(" -> {kind}"));
    format!("{lead}{indent}{word} {}({}){result}:", plan.lines.name, parameters.join(", "))
}

fn write_go_head(plan: &Plan<'_, '_>) -> String {
    let parameters: Vec<String> = plan.inputs.iter().map(|input| write_typed(input, " ")).collect();
    let receiver = match &plan.receiver {
        Receiver::Method(own) => format!("{own} "),
        _ => String::new(),
    };
    let generics = plan.generics.and_then(|node| plan.text.get(node.byte_range())).unwrap_or_default();
    let kinds: Vec<&str> = plan.outputs.iter().map(read_kind).collect();
    let results = match (&plan.ending, kinds.as_slice()) {
        (Ending::Returns, _) => format!(" {}", plan.returned.as_deref().unwrap_or_default()),
        (_, []) => String::new(),
        (_, [kind]) => format!(" {kind}"),
        (_, kinds) => format!(" ({})", kinds.join(", ")),
    };
    format!("func {receiver}{}{generics}({}){results} {{", plan.lines.name, parameters.join(", "))
}

fn write_rust_head(plan: &Plan<'_, '_>, indent: &str) -> String {
    let parameter = |input: &Input| match input.passing {
        Passing::Mutable => format!("mut {}", write_typed(input, ": ")),
        Passing::Plain => write_typed(input, ": "),
    };
    let mut parameters: Vec<String> = plan.inputs.iter().map(parameter).collect();
    if let Receiver::Method(own) = &plan.receiver {
        parameters.insert(0, own.clone());
    }
    let home = plan.selected.home;
    let generics = plan.generics.and_then(|node| plan.text.get(node.byte_range())).unwrap_or_default();
    let bounds = list_named(home).into_iter().find(|child| child.kind() == "where_clause");
    let bounds = bounds.filter(|_| plan.generics.is_some()).and_then(|node| plan.text.get(node.byte_range()));
    let kinds: Vec<&str> = plan.outputs.iter().map(read_kind).collect();
    let result = match (&plan.ending, kinds.as_slice()) {
        (Ending::Returns, _) => plan.returned.as_deref().map_or_else(String::new, |kind| format!(" -> {kind}")),
        (_, []) => String::new(),
        (_, [kind]) => format!(" -> {kind}"),
        (_, kinds) => format!(" -> ({})", kinds.join(", ")),
    };
    let word = if plan.is_async { "async fn" } else { "fn" };
    let bounds = bounds.map_or_else(String::new, |bounds| format!(" {bounds}"));
    format!("{indent}{word} {}{generics}({}){result}{bounds} {{", plan.lines.name, parameters.join(", "))
}

fn write_java_head(plan: &Plan<'_, '_>, indent: &str) -> String {
    let parameters: Vec<String> = plan
        .inputs
        .iter()
        .map(|input| {
            let kind = input.kind.as_deref().unwrap_or_default();
            format!("{kind} {}", input.name)
        })
        .collect();
    let generics = plan
        .generics
        .and_then(|node| plan.text.get(node.byte_range()))
        .map_or_else(String::new, |list| format!("{list} "));
    let word = if plan.receiver == Receiver::Static { "private static" } else { "private" };
    let result = match (&plan.ending, plan.outputs.as_slice()) {
        (Ending::Returns, _) => plan.returned.clone().unwrap_or_else(|| "void".to_owned()),
        (_, [output]) => read_kind(output).to_owned(),
        _ => "void".to_owned(),
    };
    let throws = list_thrown(plan);
    let throws = if throws.is_empty() { String::new() } else { format!(" throws {}", throws.join(", ")) };
    format!("{indent}{word} {generics}{result} {}({}){throws} {{", plan.lines.name, parameters.join(", "))
}

/// The exceptions that code at the place of the lines may throw: those of the method, and those that are caught around.
fn list_thrown<'a>(plan: &Plan<'a, '_>) -> Vec<&'a str> {
    let mut thrown: Vec<&str> = Vec::new();
    let mut add = |text: &'a str| {
        if !thrown.contains(&text) {
            thrown.push(text);
        }
    };
    // From the lines outward.
    let mut node = plan.selected.block;
    while let Some(above) = node.parent() {
        let mut cursor = above.walk();
        if above.kind().starts_with("try_") && above.child_by_field_name("body").is_some_and(|body| body == node) {
            for clause in above.named_children(&mut cursor).filter(|child| child.kind() == "catch_clause") {
                let mut types: Vec<_> = vec![clause];
                while let Some(at) = types.pop() {
                    if at.kind() == "catch_type" {
                        list_named(at)
                            .into_iter()
                            .for_each(|kind| add(plan.text.get(kind.byte_range()).unwrap_or_default()));
                    } else if at.kind() != "block" {
                        types.extend(list_named(at));
                    }
                }
            }
        }
        if above == plan.selected.home {
            let mut cursor = above.walk();
            for clause in above.named_children(&mut cursor).filter(|child| child.kind() == "throws") {
                list_named(clause)
                    .into_iter()
                    .for_each(|kind| add(plan.text.get(kind.byte_range()).unwrap_or_default()));
            }
            break;
        }
        node = above;
    }
    thrown
}

fn write_script_head(plan: &Plan<'_, '_>, indent: &str) -> String {
    let is_typed = plan.language != Language::JavaScript;
    let parameter = |input: &Input| if is_typed { write_typed(input, ": ") } else { input.name.clone() };
    let parameters: Vec<String> = plan.inputs.iter().map(parameter).collect();
    let generics = plan.generics.and_then(|node| plan.text.get(node.byte_range())).unwrap_or_default();
    let result = match (&plan.ending, plan.outputs.as_slice()) {
        (Ending::Returns, _) if is_typed => plan.returned.clone(),
        (Ending::GoesOn, [output]) if is_typed && !plan.is_async => output.kind.clone(),
        _ => None,
    };
    let result = result.map_or_else(String::new, |kind| format!(": {kind}"));
    let name = plan.lines.name;
    let word = match (&plan.receiver, plan.is_async, is_typed) {
        (Receiver::Method(_), true, true) => "private async ",
        (Receiver::Method(_), true, false) => "async ",
        (Receiver::Method(_), false, true) => "private ",
        (Receiver::Method(_), false, false) => "",
        (_, true, _) => "async function ",
        (_, false, _) => "function ",
    };
    format!("{indent}{word}{name}{generics}({}){result} {{", parameters.join(", "))
}
