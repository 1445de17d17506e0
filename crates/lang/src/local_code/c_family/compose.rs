//! Writes a new function of C or C++ and its call.

use std::ops::Range;

use tree_sitter::Node;

use super::super::c_names::is_address;
use super::super::extract::Ending;
use super::super::{Replacement, Result, indent_at, line_of, list_named, refuse};
use super::Extracted;
use super::declared::{split_words, text_of};
use super::extract::{Mode, Plan};
use super::member::{NewMember, Place};

/// Writes the function of a plan before the one it comes from, and the call in the place of the lines.
pub(super) fn compose(plan: &Plan<'_, '_>) -> Result<Extracted> {
    let text = plan.text;
    let indent = indent_at(text, plan.selected.core.start);
    let call: String = write_call(plan).lines().map(|line| format!("{indent}{line}\n")).collect();
    let last_has_break = text[plan.selected.lines.clone()].ends_with('\n');
    let call = if last_has_break { call } else { call.trim_end_matches('\n').to_owned() };
    let (opened, closed) = write_conditions(plan)?;
    let function = format!("{opened}{}{closed}", write_function(plan)?);
    let at = find_place(plan);
    let own = indent_at(text, plan.selected.top.start_byte());
    let needed = write_prototype(plan).map_or_else(String::new, |line| format!("{own}{line}\n\n"));
    let placed = Replacement { range: at..at, text: format!("{needed}{function}\n\n") };
    let replaced = vec![placed, Replacement { range: plan.selected.lines.clone(), text: call }];
    Ok(Extracted { replaced, member: write_member(plan)? })
}

/// Where the function is written: before the one it comes from, and the comments above that.
fn find_place(plan: &Plan<'_, '_>) -> usize {
    let text = plan.text;
    let mut first = plan.selected.top;
    while let Some(before) = first.prev_sibling().filter(|before| before.kind() == "comment") {
        let gap = text.get(before.end_byte()..first.start_byte()).unwrap_or_default();
        let starts_line = text[..before.start_byte()].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        if gap.matches('\n').count() > 1 || !starts_line {
            break;
        }
        first = before;
    }
    text[..first.start_byte()].rfind('\n').map_or(0, |at| at + 1)
}

/// The conditions of the preprocessor around the lines, before and behind the new function.
fn write_conditions(plan: &Plan<'_, '_>) -> Result<(String, String)> {
    let (mut opened, mut closed) = (String::new(), String::new());
    let mut node = plan.selected.block;
    while let Some(above) = node.parent().filter(|_| node != plan.selected.home) {
        if above.kind().starts_with("preproc_") {
            let first = text_of(plan.text, above).lines().next().unwrap_or_default();
            let is_branch = !matches!(above.kind(), "preproc_if" | "preproc_ifdef") || first.ends_with('\\');
            if is_branch {
                let line = line_of(plan.text, above.start_byte());
                return Err(refuse(
                    line,
                    "the lines are under a condition of the preprocessor that is not a plain `#if`",
                ));
            }
            opened = format!("{first}\n{opened}");
            closed.push_str("\n#endif");
        }
        node = above;
    }
    Ok((opened, closed))
}

/// A prototype of the function around the lines, if they call it and nothing before declares it.
fn write_prototype(plan: &Plan<'_, '_>) -> Option<String> {
    let name = text_of(plan.text, plan.home.declarator.child_by_field_name("declarator")?);
    let core = plan.text.get(plan.selected.core.clone())?;
    let is_free = plan.home.place == Place::Free && split_words(core).any(|word| word == name);
    let before = plan.text.get(..plan.selected.top.start_byte())?;
    let is_declared = split_words(before).any(|word| word == name);
    let body = plan.selected.home.child_by_field_name("body")?;
    let head = plan.text.get(plan.selected.top.start_byte()..body.start_byte())?;
    (is_free && !is_declared).then(|| format!("{};", head.trim_end()))
}

fn name_of<'p>(plan: &'p Plan<'_, '_>, index: usize) -> &'p str {
    &plan.locals.variables[index].name
}

/// The parameters of the new function.
fn write_parameters(plan: &Plan<'_, '_>) -> String {
    let rows = plan.inputs.iter().map(|input| {
        let (name, declared) = (name_of(plan, input.index), &input.declared);
        let mark =
            (input.mode == Mode::Address && !declared.is_reference()).then_some(if plan.is_cpp { '&' } else { '*' });
        let written = declared.write(name, mark).unwrap_or_default();
        match declared.is_array() && mark.is_none() {
            // The first size says nothing in a parameter.
            true => {
                let (before, rest) = written.split_once('[').unwrap_or((&written, ""));
                format!("{before}[]{}", rest.split_once(']').map_or("", |(_, rest)| rest))
            }
            // `T&& x` has a name, so it is not a temporary value.
            false if declared.is_reference() => written.replacen("&&", "&", 1),
            false => written,
        }
    });
    let list = rows.collect::<Vec<_>>().join(", ");
    if list.is_empty() && !plan.is_cpp { "void".to_owned() } else { list }
}

/// The type that the new function gives back.
fn write_result<'p>(plan: &'p Plan<'_, '_>) -> &'p str {
    match (&plan.ending, &plan.output) {
        (Ending::Returns, _) => &plan.result,
        (_, Some(output)) => &output.kind,
        _ => "void",
    }
}

/// The statements that call the function, without indentation.
fn write_call(plan: &Plan<'_, '_>) -> String {
    let mut lines = String::new();
    for input in plan.inputs.iter().filter(|input| input.is_moved) {
        lines.push_str(&input.declared.write(name_of(plan, input.index), None).unwrap_or_default());
        lines.push_str(";\n");
    }
    let argument = |input: &super::extract::Input<'_>| {
        let mark = if input.mode == Mode::Address && !plan.is_cpp { "&" } else { "" };
        format!("{mark}{}", name_of(plan, input.index))
    };
    let arguments: Vec<String> = plan.inputs.iter().map(argument).collect();
    let generics = match plan.home.arguments.as_slice() {
        [] => String::new(),
        list => format!("<{}>", list.join(", ")),
    };
    let call = format!("{}{generics}({});", plan.lines.name, arguments.join(", "));
    lines.push_str(&match (&plan.ending, &plan.output) {
        (Ending::Returns, _) => format!("return {call}"),
        (Ending::GoesOn, Some(output)) if output.is_new => {
            let declared = output.declared.write(name_of(plan, output.index), None).unwrap_or_default();
            format!("{declared} = {call}")
        }
        (Ending::GoesOn, Some(output)) => format!("{} = {call}", name_of(plan, output.index)),
        _ => call,
    });
    lines
}

/// Joins a type and a name: `char *name`, `int name`.
fn join_name(kind: &str, name: &str) -> String {
    let is_attached = kind.ends_with(['*', '&']) && kind.trim_end_matches(['*', '&']).ends_with(' ');
    if is_attached { format!("{kind}{name}") } else { format!("{kind} {name}") }
}

/// The head of the new function, without indentation and brace.
fn write_head(plan: &Plan<'_, '_>) -> String {
    let home = &plan.home;
    let (name, parameters) = (plan.lines.name, write_parameters(plan));
    let tail = if home.is_const && home.place != Place::Free { " const" } else { "" };
    let result = write_result(plan);
    match &home.place {
        Place::Free => {
            let inline = if home.is_inline { "inline " } else { "" };
            format!("{}static {inline}{}({parameters})", home.template, join_name(result, name))
        }
        Place::InClass => {
            let word = if home.is_static { "static " } else { "" };
            format!("{}{word}{}({parameters}){tail}", home.template, join_name(result, name))
        }
        // A type of the class is known behind the name only.
        Place::OfClass(_, before) if needs_class(result) => {
            format!("{}auto {before}{name}({parameters}){tail} -> {result}", home.template)
        }
        Place::OfClass(_, before) => {
            let inline = if home.is_inline { "inline " } else { "" };
            format!("{}{inline}{}({parameters}){tail}", home.template, join_name(result, &format!("{before}{name}")))
        }
    }
}

/// Returns whether a type has names that may be those of a class.
fn needs_class(result: &str) -> bool {
    const WORDS: &[&str] =
        &["void", "bool", "char", "int", "long", "short", "unsigned", "signed", "float", "double", "const"];
    !result.contains("::") && split_words(result).any(|word| !WORDS.contains(&word) && !word.ends_with("_t"))
}

/// The declaration that the class needs.
fn write_member(plan: &Plan<'_, '_>) -> Result<Option<NewMember>> {
    let Place::OfClass(class, _) = &plan.home.place else { return Ok(None) };
    let (result, parameters) = (write_result(plan), write_parameters(plan));
    let word = if plan.home.is_static { "static " } else { "" };
    let tail = if plan.home.is_const { " const" } else { "" };
    let declaration = format!("{word}{}({parameters}){tail};", join_name(result, plan.lines.name));
    let types = plan.inputs.iter().map(|input| input.declared.specifiers.clone()).chain([result.to_owned()]);
    // `A::B` is known where it is written so.
    let split = |kind: String| {
        let names = kind.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').filter(|word| !word.is_empty());
        names.map(|name| name.strip_prefix("std::").unwrap_or(name).to_owned()).collect::<Vec<_>>()
    };
    let words = types.flat_map(split).collect();
    Ok(Some(NewMember { class: class.clone(), declaration, words }))
}

/// The new function.
fn write_function(plan: &Plan<'_, '_>) -> Result<String> {
    let text = plan.text;
    let indent = indent_at(text, plan.selected.top.start_byte());
    let inner = format!("{indent}{}", find_unit(plan));
    let mut body = String::new();
    for (index, declared) in &plan.own {
        body.push_str(&format!("{inner}{};\n", declared.write(name_of(plan, *index), None).unwrap_or_default()));
    }
    // A value that is given back and not taken.
    let output = plan.output.as_ref().filter(|_| plan.ending == Ending::GoesOn);
    let is_taken = |index: usize| plan.inputs.iter().any(|input| input.index == index);
    if let Some(output) = output.filter(|output| !output.is_new && !is_taken(output.index)) {
        body.push_str(&format!(
            "{inner}{};\n",
            output.declared.write(name_of(plan, output.index), None).unwrap_or_default()
        ));
    }
    body.push_str(&write_body(plan, &inner)?);
    if let Some(output) = output {
        body.push_str(&format!("{inner}return {};\n", name_of(plan, output.index)));
    }
    let own = plan.selected.home.child_by_field_name("body").map_or(0, |body| body.start_byte());
    let breaks = text[..own].trim_end_matches([' ', '\t']).ends_with('\n');
    let brace = if breaks { format!("\n{indent}{{") } else { " {".to_owned() };
    Ok(format!("{indent}{}{brace}\n{}\n{indent}}}", write_head(plan), body.trim_matches('\n')))
}

/// One step of indentation, as the function around has it.
fn find_unit(plan: &Plan<'_, '_>) -> String {
    let body = plan.selected.home.child_by_field_name("body");
    let first = body.and_then(|body| list_named(body).into_iter().next());
    let own = indent_at(plan.text, plan.selected.home.start_byte());
    let inner = first.map(|first| indent_at(plan.text, first.start_byte()));
    let found = inner.and_then(|inner| inner.strip_prefix(own)).filter(|unit| !unit.is_empty());
    found.map_or_else(|| "    ".to_owned(), str::to_owned)
}

/// What is written otherwise in the new function, in order.
fn list_changes(plan: &Plan<'_, '_>) -> Result<Vec<(Range<usize>, String)>> {
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    let core = &plan.selected.core;
    // Declarations that stand before the call, then uses of pointers.
    for input in plan.inputs.iter().filter(|input| input.is_moved) {
        let declaration = plan.locals.variables[input.index].by;
        let is_array = input.declared.is_array();
        match input.declared.value.filter(|_| !is_array) {
            Some(value) => {
                let name = name_of(plan, input.index);
                let target = if plan.is_cpp { name.to_owned() } else { format!("*{name}") };
                changes.push((declaration.start_byte()..value.start_byte(), format!("{target} = ")));
            }
            None => changes.push((declaration.byte_range(), String::new())),
        }
    }
    let is_pointer = |index: usize| {
        !plan.is_cpp && plan.inputs.iter().any(|input| input.index == index && input.mode == Mode::Address)
    };
    for found in plan.locals.uses.iter().filter(|found| found.is_in(core) && is_pointer(found.variable)) {
        if changes.iter().any(|(range, _)| range.contains(&found.at.start_byte())) {
            continue;
        }
        let variable = &plan.locals.variables[found.variable];
        if found.at == variable.at {
            let line = line_of(plan.text, found.at.start_byte());
            return Err(refuse(line, &format!("the declaration of `{}` cannot be taken apart", variable.name)));
        }
        let is_loose = !plan.macro_calls.iter().any(|call| call.contains(&found.at.start_byte()));
        changes.push(write_use(plan.text, found.at, (&variable.name, is_loose)));
    }
    changes.sort_by_key(|(range, _)| range.start);
    Ok(changes)
}

/// A name that stands for a value, as the pointer to it writes it.
fn write_use(text: &str, at: Node<'_>, (name, is_loose): (&str, bool)) -> (Range<usize>, String) {
    const LOOSE: &[&str] = &[
        "argument_list", "assignment_expression", "binary_expression", "parenthesized_expression", "init_declarator",
        "return_statement", "expression_statement", "unary_expression", "conditional_expression", "comma_expression",
    ];
    let parent = at.parent();
    // `&x`, `x.y`, then `*x` with brackets where they are needed.
    if is_address(at, text) {
        let range = parent.map_or(at.byte_range(), |parent| parent.byte_range());
        return (range, name.to_owned());
    }
    if let Some(parent) = parent
        .filter(|parent| parent.kind() == "field_expression" && parent.child_by_field_name("argument") == Some(at))
        && let Some(operator) = parent.child_by_field_name("operator").filter(|operator| operator.kind() == ".")
    {
        return (at.start_byte()..operator.end_byte(), format!("{name}->"));
    }
    let is_loose = is_loose && parent.is_some_and(|parent| LOOSE.contains(&parent.kind()));
    let is_index = parent.is_some_and(|parent| {
        parent.kind() == "subscript_expression" && parent.child_by_field_name("index") == Some(at)
    });
    let is_loose = is_loose || is_index;
    let before = text[..at.start_byte()].trim_end_matches([' ', '\t']);
    match is_loose && !before.ends_with(['/', '*', '-', '+', '&', '!']) {
        true => (at.byte_range(), format!("*{name}")),
        false => (at.byte_range(), format!("(*{name})")),
    }
}

/// The lines with the indentation of the new function. Lines inside of texts and of the preprocessor stay as they are.
fn write_body(plan: &Plan<'_, '_>, indent: &str) -> Result<String> {
    let (text, own) = (plan.text, indent_at(plan.text, plan.selected.core.start));
    let changes = list_changes(plan)?;
    let kept = list_kept_lines(plan);
    let (mut body, mut at) = (String::new(), plan.selected.lines.start);
    for line in text[plan.selected.lines.clone()].split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let inside: Vec<&(Range<usize>, String)> =
            changes.iter().filter(|(change, _)| range.contains(&change.start)).collect();
        if inside.iter().any(|(change, _)| change.end > range.end) {
            return Err(refuse(line_of(text, range.start), "a variable of the lines is written over several lines"));
        }
        // The line with what changes in it.
        let (mut new, mut from) = (String::new(), range.start);
        for (change, with) in &inside {
            new.push_str(&text[from..change.start]);
            new.push_str(with);
            from = change.end;
        }
        new.push_str(&text[from..range.end]);
        let content = new.trim_end_matches('\n');
        // A declaration that stands before the call leaves no line.
        if !inside.is_empty() && content.trim().trim_matches(';').is_empty() {
            continue;
        }
        if kept.contains(&range.start) || content.starts_with('#') {
            body.push_str(content);
        } else if !content.trim().is_empty() {
            body.push_str(indent);
            body.push_str(content.strip_prefix(own).unwrap_or(content.trim_start()));
        }
        body.push('\n');
    }
    Ok(body)
}

/// First bytes of the lines that begin inside of a text of several lines.
fn list_kept_lines(plan: &Plan<'_, '_>) -> Vec<usize> {
    let (mut found, mut rest) = (Vec::new(), plan.selected.statements.clone());
    while let Some(node) = rest.pop() {
        if node.end_position().row == node.start_position().row {
            continue;
        }
        match node.kind() {
            "raw_string_literal" | "string_literal" => {
                let text = text_of(plan.text, node);
                found.extend(text.match_indices('\n').map(|(at, _)| node.start_byte() + at + 1));
            }
            _ => rest.extend(list_named(node)),
        }
    }
    found
}
