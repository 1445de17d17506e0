//! Replaces a call of C or C++ by the body of its function.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::Limits;
use tree_sitter::{Node, Tree};

use super::super::inline::find_fresh;
use super::super::locals::Locals;
use super::super::rules::C_FAMILY;
use super::super::{InlinedCall, Obstacle, Replacement, Result, indent_at, line_of, list_named, refuse};
use super::callee::{Callee, Parameter, find_class_of, list_spaces};
use super::declared::{Declared, Level, find_result, split_words, text_of};
use crate::Language;

/// A call of the function, in its file.
struct Site<'s, 't> {
    text: &'s str,
    call: Node<'t>,
    arguments: Vec<Node<'t>>,
    /// The function around the call.
    home: Node<'t>,
    locals: Locals<'t>,
    place: Place<'t>,
    known: &'s dyn super::super::KnownCalls,
}

/// How the call stands in its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place<'t> {
    /// It is the statement.
    Alone(Node<'t>),
    /// `return f();`
    Returned(Node<'t>),
    /// Nothing of the statement is evaluated before it, or in an order that is known.
    First(Node<'t>),
    /// As before, in a declaration, whose names must stay known.
    Declares(Node<'t>),
    /// It may not be evaluated, or not once.
    Inside,
}

impl<'t> Place<'t> {
    fn statement(self) -> Option<Node<'t>> {
        match self {
            Self::Alone(node) | Self::Returned(node) | Self::First(node) | Self::Declares(node) => Some(node),
            Self::Inside => None,
        }
    }
}

/// What a parameter becomes at a call.
enum Given {
    /// This text stands in its place; with brackets unless it stands alone.
    Text(String, bool),
    /// A variable with this name, which is declared before.
    Bound(String),
}

fn at(text: &str, node: Node<'_>, why: impl Into<String>) -> Obstacle {
    Obstacle { line: line_of(text, node.start_byte()), why: why.into() }
}

/// The new text for one call. `brought` has the names that calls before brought into functions of the same file.
pub(super) fn replace(
    callee: &Callee<'_, '_>,
    tree: &Tree,
    inlined: &InlinedCall<'_>,
    brought: &mut Vec<String>,
    (language, limits): (Language, &Limits),
) -> Result<Replacement> {
    let mut site = Site::read(tree, inlined, (language, limits))?;
    site.locals.words.extend(brought.iter().cloned());
    check_names(callee, &site, inlined.means_the_same)?;
    check_object(callee, &site)?;
    let is_tail = callee.returns_early.is_some();
    if let Some(obstacle) = callee.returns_early.clone().filter(|_| !can_end(callee, &site)) {
        return Err(obstacle);
    }
    let needs_statement = is_tail || !callee.statements.is_empty() || callee.value.is_none();
    if needs_statement && site.place == Place::Inside {
        let why = "the call stands inside of an expression or a condition, and the function has statements";
        return Err(at(site.text, site.call, why));
    }
    write_site(callee, &site, brought)
}

impl<'s, 't> Site<'s, 't> {
    fn read(tree: &'t Tree, inlined: &InlinedCall<'s>, (language, limits): (Language, &Limits)) -> Result<Self> {
        // From the name to the call, and to the function around it.
        let (text, place) = (inlined.text, inlined.at);
        let line = line_of(text, place);
        let leaf = tree.root_node().descendant_for_byte_range(place, place + 1);
        let mut name = leaf.ok_or_else(|| refuse(line, "no call is here"))?;
        while let Some(parent) = name.parent().filter(|parent| {
            parent.end_byte() == name.end_byte() && matches!(parent.kind(), "qualified_identifier" | "field_expression")
        }) {
            name = parent;
        }
        let is_call = |parent: &Node<'_>| {
            parent.kind() == "call_expression" && parent.child_by_field_name("function") == Some(name)
        };
        let call =
            name.parent().filter(is_call).ok_or_else(|| refuse(line, "the function is used here without a call"))?;
        let mut home = None;
        let mut node = call.parent();
        while let Some(above) = node {
            match above.kind() {
                "function_definition" => home = home.or(Some(above)),
                "lambda_expression" => {
                    return Err(refuse(line, "the call stands in a lambda, whose captures are its own"));
                }
                kind if kind.starts_with("preproc_")
                    && home.is_none()
                    && kind.contains("def")
                    && !kind.contains("ifdef") =>
                {
                    return Err(refuse(line, "the call stands in a macro"));
                }
                _ => {}
            }
            node = above.parent();
        }
        let home = home.ok_or_else(|| refuse(line, "the call stands in a macro, or outside of a function"))?;
        if home.has_error() {
            return Err(refuse(line, "the function around the call has syntax errors"));
        }
        let arguments = call.child_by_field_name("arguments").map(list_named).unwrap_or_default();
        let locals = Locals::find((language, &C_FAMILY), tree, home, text, limits);
        Ok(Self { text, call, arguments, home, locals, place: find_place(call, text), known: inlined.calls })
    }

    fn text_of(&self, node: Node<'_>) -> &'s str {
        text_of(self.text, node)
    }

    /// The declaration of the variable that an expression names.
    fn declared_of(&self, node: Node<'t>, is_cpp: bool) -> Option<Declared<'t>> {
        let found = self.locals.uses.iter().find(|found| found.at == node)?;
        let variable = &self.locals.variables[found.variable];
        Declared::read((self.text, is_cpp), (variable.by, variable.at), self.known).ok()
    }
}

/// Finds the statement that a call can be taken out of.
fn find_place<'t>(call: Node<'t>, text: &str) -> Place<'t> {
    let mut node = call;
    while let Some(parent) = node.parent() {
        let is = |field: &str| parent.child_by_field_name(field) == Some(node);
        let is_direct = node == call;
        match parent.kind() {
            "expression_statement" => return if is_direct { Place::Alone(parent) } else { Place::First(parent) },
            "return_statement" => return if is_direct { Place::Returned(parent) } else { Place::First(parent) },
            "declaration" => {
                let is_alone = parent.children_by_field_name("declarator", &mut parent.walk()).count() == 1;
                let in_block = parent.parent().is_some_and(|above| C_FAMILY.blocks.contains(&above.kind()));
                let is_kept = text_of(text, parent).starts_with("static");
                return if is_alone && in_block && !is_kept { Place::Declares(parent) } else { Place::Inside };
            }
            "if_statement" | "switch_statement" if is("condition") => return Place::First(parent),
            "parenthesized_expression"
            | "unary_expression"
            | "pointer_expression"
            | "cast_expression"
            | "field_expression" => {}
            "condition_clause" if parent.named_child_count() == 1 => {}
            "init_declarator" if is("value") => {}
            "binary_expression" => {
                // The right side may not be evaluated, or behind what the left one does. `<<` of C++ writes in order.
                let operator = parent.child_by_field_name("operator").map_or("", |operator| operator.kind());
                let is_ordered = matches!(operator, "&&" | "||" | "and" | "or" | "<<" | ">>");
                if !is("left") && (is_ordered || has_effect(parent.child_by_field_name("left"))) {
                    return Place::Inside;
                }
            }
            "assignment_expression" if is("right") => {
                let is_plain = parent.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "=");
                if has_effect(parent.child_by_field_name("left")) || !is_plain {
                    return Place::Inside;
                }
            }
            "conditional_expression" if is("condition") => {}
            "subscript_expression" if is("argument") => {}
            "argument_list" => {
                let others = list_named(parent).into_iter().filter(|other| *other != node);
                if others.into_iter().any(|other| has_effect(Some(other))) {
                    return Place::Inside;
                }
            }
            "call_expression" if is("arguments") => {
                // The parts of a macro may not be evaluated.
                let name = parent.child_by_field_name("function").map_or("", |name| text_of(text, name));
                if !name.chars().any(|c| c.is_ascii_lowercase()) {
                    return Place::Inside;
                }
            }
            _ => return Place::Inside,
        }
        node = parent;
    }
    Place::Inside
}

/// Returns whether an expression may do something.
fn has_effect(node: Option<Node<'_>>) -> bool {
    let mut rest: Vec<Node<'_>> = node.into_iter().collect();
    while let Some(node) = rest.pop() {
        let kind = node.kind();
        if kind.contains("call")
            || kind.contains("assignment")
            || kind == "update_expression"
            || kind == "new_expression"
        {
            return true;
        }
        rest.extend(list_named(node));
    }
    false
}

/// Returns whether the body of the function may end the function around the call.
fn can_end(callee: &Callee<'_, '_>, site: &Site<'_, '_>) -> bool {
    let around = find_result(site.text, site.home).unwrap_or_default();
    match site.place {
        Place::Returned(_) => around == callee.result,
        Place::Alone(statement) => {
            let body = site.home.child_by_field_name("body");
            let is_last = body.is_some_and(|body| list_named(body).last() == Some(&statement));
            is_last && callee.result == "void"
        }
        _ => false,
    }
}

/// Refuses names of the body that mean something else at the call.
fn check_names(callee: &Callee<'_, '_>, site: &Site<'_, '_>, means_the_same: &dyn Fn(&str) -> bool) -> Result<()> {
    let is_same_file = std::ptr::eq(callee.text, site.text);
    let before = site.text.get(..site.home.start_byte()).unwrap_or_default();
    // Members of a class are known in all of it.
    let is_earlier = is_same_file && callee.class.is_none() && site.call.start_byte() < callee.function.start_byte();
    let known: BTreeSet<&str> = if is_earlier { split_words(before).collect() } else { BTreeSet::new() };
    for (name, _) in callee.list_free() {
        let shadowed = site
            .locals
            .variables
            .iter()
            .find(|variable| variable.name == name && variable.known.contains(&site.call.start_byte()));
        if let Some(variable) = shadowed {
            let line = line_of(site.text, variable.at.start_byte());
            return Err(at(
                site.text,
                site.call,
                format!("`{name}`, which the function uses, is a variable of line {line} here"),
            ));
        }
        if is_earlier && !known.contains(name) {
            return Err(at(
                site.text,
                site.call,
                format!("`{name}`, which the function uses, may not be declared before this"),
            ));
        }
        if !means_the_same(name) {
            return Err(at(
                site.text,
                site.call,
                format!("`{name}`, which the function uses, may not be known in this file"),
            ));
        }
    }
    Ok(())
}

/// Refuses calls on objects, and calls from other classes and namespaces.
fn check_object(callee: &Callee<'_, '_>, site: &Site<'_, '_>) -> Result<()> {
    if !callee.is_cpp {
        return Ok(());
    }
    let function = site.call.child_by_field_name("function").unwrap_or(site.call);
    let object = function.child_by_field_name("argument").filter(|_| function.kind() == "field_expression");
    if let Some(object) = object.filter(|object| object.kind() != "this") {
        return Err(at(site.text, object, "the call is on another object, whose members the body does not name"));
    }
    if find_class_of(site.text, site.home) != callee.class && callee.class.is_some() {
        return Err(at(site.text, site.call, "the call is in another class than the method"));
    }
    let is_inside = list_spaces(site.text, site.home).ends_with(&callee.spaces);
    match is_inside {
        true => Ok(()),
        false => Err(at(site.text, site.call, "the call is in another namespace than the function")),
    }
}

/// Returns whether an expression has the same value wherever the body reads it.
fn is_fixed(callee: &Callee<'_, '_>, site: &Site<'_, '_>, node: Node<'_>) -> bool {
    match node.kind() {
        "number_literal" | "char_literal" | "string_literal" | "true" | "false" | "null" | "this" => true,
        "identifier" => {
            // A variable of the site that the body cannot reach: its address is not taken.
            let found = site.locals.uses.iter().find(|found| found.at == node);
            let is_exposed = |index: usize| {
                site.locals.of(index).any(|found| super::super::c_names::is_address(found.at, site.text))
                    || site
                        .declared_of(found.map_or(node_of(&site.locals, index), |found| found.at), callee.is_cpp)
                        .is_none_or(|declared| declared.is_reference())
            };
            let is_idle = callee.statements.is_empty();
            found
                .map_or(is_idle || is_constant_name(site.text_of(node)), |found| is_idle || !is_exposed(found.variable))
        }
        _ => false,
    }
}

fn node_of<'t>(locals: &Locals<'t>, index: usize) -> Node<'t> {
    locals.variables[index].at
}

/// A name in capitals is a constant or a macro.
fn is_constant_name(name: &str) -> bool {
    name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Returns whether an argument has the type of its parameter.
fn has_same_type(callee: &Callee<'_, '_>, site: &Site<'_, '_>, declared: &Declared<'_>, node: Node<'_>) -> bool {
    let plain = declared.levels.is_empty();
    // By the literal, or by the declaration of the variable.
    match node.kind() {
        "number_literal" => {
            let text = site.text_of(node);
            plain
                && declared.specifiers.trim_start_matches("const ") == "int"
                && text.len() < 10
                && text.bytes().all(|b| b.is_ascii_digit())
        }
        "string_literal" => declared.specifiers == "const char" && declared.levels == [Level::Pointer],
        "true" | "false" => plain && declared.specifiers == "bool",
        "identifier" => {
            let found = site.locals.uses.iter().find(|found| found.at.byte_range() == node.byte_range());
            let Some(own) = found.and_then(|found| site.declared_of(found.at, callee.is_cpp)) else { return false };
            let bare = |declared: &Declared<'_>| {
                let words: Vec<&str> = declared
                    .specifiers
                    .split(' ')
                    .filter(|word| *word != "const" || !declared.levels.is_empty() && !declared.is_reference())
                    .collect();
                let levels: Vec<Level> =
                    declared.levels.iter().copied().filter(|level| *level != Level::Reference).collect();
                let levels = levels
                    .into_iter()
                    .map(|level| if level == Level::Array && declared.is_parameter { Level::Pointer } else { level });
                (words.join(" "), levels.collect::<Vec<_>>())
            };
            bare(&own) == bare(declared) && own.suffix == declared.suffix
        }
        _ => false,
    }
}

/// New names for the variables of the body whose names the call has too.
fn rename_locals(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    given: &BTreeMap<usize, Given>,
    (words, taken): (&BTreeSet<String>, &mut BTreeSet<String>),
) -> Result<BTreeMap<usize, String>> {
    let mut renamed: BTreeMap<usize, String> = BTreeMap::new();
    for (index, variable) in callee.locals.variables.iter().enumerate() {
        let is_type = !variable.by.kind().contains("declaration") && variable.by.kind() != "for_range_loop";
        if given.contains_key(&index) || !words.contains(&variable.name) {
            continue;
        }
        if is_type || callee.pinned.contains(&index) {
            let why = format!("`{}` of the function means something else here", variable.name);
            return Err(at(site.text, site.call, why));
        }
        renamed.insert(index, find_fresh(&variable.name, words, taken));
    }
    Ok(renamed)
}

/// The statement of the call behind the statements of the body, with the value in the place of the call.
fn write_rest(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    statement: Node<'_>,
    value: Option<String>,
) -> Result<Vec<String>> {
    if callee.returns_early.is_some() {
        return Ok(Vec::new());
    }
    if matches!(site.place, Place::Alone(_)) {
        let value = value.filter(|_| has_effect(callee.value));
        return Ok(value.into_iter().map(|value| format!("{value};")).collect());
    }
    let value = value
        .ok_or_else(|| at(site.text, site.call, "the function gives back nothing, and the call is used as a value"))?;
    let value = write_value(callee, site, value)?;
    let own = indent_at(site.text, statement.start_byte());
    let before = &site.text[statement.start_byte()..site.call.start_byte()];
    let text = format!("{before}{value}{}", &site.text[site.call.end_byte()..statement.end_byte()]);
    Ok(text.lines().map(|line| line.strip_prefix(own).unwrap_or(line).to_owned()).collect())
}

/// Writes the statements and the value in the place of the call.
fn write_site(callee: &Callee<'_, '_>, site: &Site<'_, '_>, brought: &mut Vec<String>) -> Result<Replacement> {
    let statement = site.place.statement();
    // Names that the body must not hide: those of the statement, or of the whole function in a declaration.
    let is_flat = matches!(site.place, Place::Declares(_));
    let words: BTreeSet<String> = match statement.filter(|_| !is_flat) {
        Some(statement) => split_words(site.text_of(statement)).map(str::to_owned).collect(),
        None => site.locals.words.clone(),
    };
    let mut taken: BTreeSet<String> = site.locals.words.union(&callee.locals.words).cloned().collect();
    let (given, mut lines) = bind_arguments(callee, site, (&words, &mut taken))?;
    let renamed = rename_locals(callee, site, &given, (&words, &mut taken))?;
    if is_flat {
        let bound = |index: usize| match given.get(&index) {
            Some(Given::Bound(name)) => name.clone(),
            _ => renamed.get(&index).unwrap_or(&callee.locals.variables[index].name).clone(),
        };
        brought.extend((0..callee.locals.variables.len()).map(bound));
    }
    // The lines of the body.
    let names = (&given, &renamed);
    let is_tail = callee.returns_early.is_some();
    if is_flat && callee.all.iter().any(|node| node.kind().starts_with("preproc_")) {
        let why = "the body has conditions of the preprocessor, and the call stands in a declaration";
        return Err(at(site.text, site.call, why));
    }
    let statements = if is_tail { &callee.all } else { &callee.statements };
    lines.extend(write_statements(callee, statements, names)?);
    let value = callee.value.filter(|_| !is_tail).map(|value| fill(callee, value.byte_range(), names)).transpose()?;
    let has_declarations = statements.iter().any(|node| node.kind() == "declaration")
        || !lines.is_empty() && given.values().any(|given| matches!(given, Given::Bound(_)));
    // Only an expression.
    if lines.is_empty() && !is_tail && (value.is_some() && !matches!(site.place, Place::Alone(_))) {
        let text = write_value(callee, site, value.unwrap_or_default())?;
        return Ok(Replacement { range: site.call.byte_range(), text });
    }
    let statement = statement.ok_or_else(|| {
        at(site.text, site.call, "the arguments must be evaluated before, and the call stands inside of an expression")
    })?;
    lines.extend(write_rest(callee, site, statement, value)?);
    let in_block = statement.parent().is_some_and(|above| {
        C_FAMILY.blocks.contains(&above.kind()) && above.child_by_field_name("value") != Some(statement)
    });
    if is_flat && callee.is_cpp && has_jumps(site.home) {
        return Err(at(site.text, site.call, "a jump of the function could pass over the variables of the body"));
    }
    let has_directives = lines.iter().any(|line| line.starts_with('#'));
    let needs_block = !is_flat && (has_declarations || has_directives || !in_block || lines.is_empty());
    Ok(replace_statement(site, statement, &lines, needs_block))
}

fn has_jumps(home: Node<'_>) -> bool {
    let mut rest = vec![home];
    while let Some(node) = rest.pop() {
        if matches!(node.kind(), "goto_statement" | "case_statement") {
            return true;
        }
        rest.extend(list_named(node));
    }
    false
}

/// Lines in the place of a statement, in a block of their own if they need one.
fn replace_statement(site: &Site<'_, '_>, statement: Node<'_>, lines: &[String], needs_block: bool) -> Replacement {
    let indent = indent_at(site.text, statement.start_byte());
    let unit = if indent.starts_with('\t') || indent_at(site.text, site.call.start_byte()).contains('\t') {
        "\t"
    } else {
        find_unit(site)
    };
    let inner = if needs_block { format!("{indent}{unit}") } else { indent.to_owned() };
    let rows = lines.iter().enumerate().map(|(place, line)| match line.as_str() {
        "" => String::new(),
        line if line.starts_with('#') || place == 0 && !needs_block => line.to_owned(),
        line => format!("{inner}{line}"),
    });
    let text = rows.collect::<Vec<_>>().join("\n");
    let text = if needs_block { format!("{{\n{text}\n{indent}}}") } else { text };
    Replacement { range: statement.byte_range(), text }
}

/// One step of indentation of the function around the call.
fn find_unit<'s>(site: &Site<'s, '_>) -> &'s str {
    let first = site.home.child_by_field_name("body").and_then(|body| list_named(body).into_iter().next());
    let own = indent_at(site.text, site.home.start_byte());
    let inner = first.map_or("", |first| indent_at(site.text, first.start_byte()));
    inner.strip_prefix(own).filter(|unit| !unit.is_empty()).unwrap_or("    ")
}

/// What each parameter becomes, and the lines that declare those that are variables.
fn bind_arguments(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    (words, taken): (&BTreeSet<String>, &mut BTreeSet<String>),
) -> Result<(BTreeMap<usize, Given>, Vec<String>)> {
    if site.arguments.len() > callee.parameters.len() {
        return Err(at(site.text, site.call, "the call passes more arguments than the function takes"));
    }
    let (mut given, mut lines) = (BTreeMap::new(), Vec::new());
    // The argument of each parameter: a text in its place, or a variable.
    for (place, parameter) in callee.parameters.iter().enumerate() {
        let (node, text) = match (site.arguments.get(place), parameter.default) {
            (Some(node), _) => (Some(*node), site.text_of(*node).to_owned()),
            (None, Some(default)) => (None, callee.text_of(default).to_owned()),
            (None, None) => {
                return Err(at(site.text, site.call, "the call passes fewer arguments than the function takes"));
            }
        };
        let is_used = parameter.variable.is_some_and(|index| callee.uses(index).next().is_some());
        let Some((index, declared)) = parameter.variable.zip(parameter.declared.as_ref()).filter(|_| is_used) else {
            if node.is_some_and(|node| has_effect(Some(node))) {
                lines.push(format!("(void)({text});"));
            }
            if let Some(index) = parameter.variable {
                given.insert(index, Given::Text(text, true));
            }
            continue;
        };
        if let Some(text) = substitute(callee, site, (index, declared), (node, &text)) {
            given.insert(index, text);
            continue;
        }
        if site.place == Place::Inside {
            let why = format!(
                "the argument for `{}` must be evaluated before, and the call stands inside of an expression",
                callee.locals.variables[index].name
            );
            return Err(at(site.text, site.call, why));
        }
        let own = &callee.locals.variables[index].name;
        let name = if words.contains(own) { find_fresh(own, words, taken) } else { own.clone() };
        if callee.pinned.contains(&index) && name != *own {
            return Err(at(site.text, site.call, format!("a macro names `{own}`, which means something else here")));
        }
        lines.push(
            write_binding(parameter, (&name, &text)).ok_or_else(|| {
                at(callee.text, callee.function, format!("its parameter `{own}` cannot be a variable"))
            })?,
        );
        given.insert(index, Given::Bound(name));
    }
    Ok((given, lines))
}

/// The text that stands in the place of a parameter; `None` if it must be a variable.
fn substitute(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    (index, declared): (usize, &Declared<'_>),
    (node, text): (Option<Node<'_>>, &str),
) -> Option<Given> {
    let node = node.filter(|_| !callee.pinned.contains(&index))?;
    let is_written = callee.is_written(index);
    let same = has_same_type(callee, site, declared, node);
    let is_alias = declared.is_reference() && node.kind() == "identifier" && !declared.specifiers.starts_with("const");
    if same && (is_fixed(callee, site, node) && !is_written || is_alias) {
        return Some(Given::Text(text.to_owned(), false));
    }
    // Evaluated once, in an expression: nothing else may have an effect in between.
    let is_expression = callee.statements.is_empty() && callee.returns_early.is_none();
    let has_effects = site.arguments.iter().filter(|argument| has_effect(Some(**argument))).count();
    let is_safe = has_effects == 0 || has_effects == 1 && !has_effect(callee.value);
    let is_member = node.kind() == "field_expression";
    let can_stand =
        is_expression && is_once(callee, index) && !is_written && is_safe && node.kind() != "initializer_list";
    write_cast(callee.is_cpp, declared, text, same)
        .filter(|_| can_stand && (!declared.is_reference() || same || is_member))
        .map(|text| Given::Text(text, true))
}

/// Returns whether the value of a function reads a parameter exactly once, whatever happens.
fn is_once(callee: &Callee<'_, '_>, index: usize) -> bool {
    let uses: Vec<_> = callee.uses(index).collect();
    let [only] = uses.as_slice() else { return false };
    if callee.macro_calls.iter().any(|call| call.contains(&only.at.start_byte())) {
        return false;
    }
    let Some(value) = callee.value else { return false };
    let mut part = only.at;
    while let Some(above) = part.parent().filter(|_| part != value) {
        if super::super::flow::may_skip(&C_FAMILY, above, part)
            || matches!(above.kind(), "sizeof_expression" | "lambda_expression")
        {
            return false;
        }
        part = above;
    }
    part == value
}

/// An argument with the type of its parameter.
fn write_cast(is_cpp: bool, declared: &Declared<'_>, text: &str, same: bool) -> Option<String> {
    if same || declared.is_reference() {
        return Some(text.to_owned());
    }
    let kind = declared.write_type()?;
    match is_cpp {
        true if declared.is_scalar() => Some(format!("static_cast<{kind}>({text})")),
        true => None,
        false if declared.is_scalar() => Some(format!("({kind})({text})")),
        false => None,
    }
}

/// The declaration of a parameter before the body.
fn write_binding(parameter: &Parameter<'_>, (name, value): (&str, &str)) -> Option<String> {
    let declared = parameter.declared.as_ref()?;
    match declared.levels.first() {
        // `T x[8]` is a pointer.
        Some(Level::Array) if declared.levels.len() == 1 => Some(format!("{} *{name} = {value};", declared.specifiers)),
        Some(Level::Array) => None,
        _ => Some(format!("{} = {value};", declared.write(name, None)?)),
    }
}

/// The text of a piece of the body, with its names replaced.
fn fill(
    callee: &Callee<'_, '_>,
    range: Range<usize>,
    (given, renamed): (&BTreeMap<usize, Given>, &BTreeMap<usize, String>),
) -> Result<String> {
    const LOOSE: &[&str] = &["argument_list", "parenthesized_expression", "return_statement", "init_declarator"];
    let (mut text, mut from) = (String::new(), range.start);
    for found in callee.locals.uses.iter().filter(|found| range.contains(&found.at.start_byte())) {
        let is_loose = found.at.parent().is_some_and(|parent| LOOSE.contains(&parent.kind()));
        let new = match (given.get(&found.variable), renamed.get(&found.variable)) {
            (Some(Given::Text(text, true)), _) if !is_loose && !is_word(text) => format!("({text})"),
            (Some(Given::Text(text, _)), _) => text.clone(),
            (Some(Given::Bound(name)), _) => name.clone(),
            (None, Some(name)) => name.clone(),
            (None, None) => continue,
        };
        if found.at.start_byte() < from {
            continue;
        }
        text.push_str(&callee.text[from..found.at.start_byte()]);
        text.push_str(&new);
        from = found.at.end_byte();
    }
    text.push_str(&callee.text[from..range.end]);
    Ok(text)
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The statements of the body, without their indentation.
fn write_statements(
    callee: &Callee<'_, '_>,
    statements: &[Node<'_>],
    names: (&BTreeMap<usize, Given>, &BTreeMap<usize, String>),
) -> Result<Vec<String>> {
    let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return Ok(Vec::new()) };
    let text = fill(callee, first.start_byte()..last.end_byte(), names)?;
    let own = indent_at(callee.text, first.start_byte());
    Ok(text
        .lines()
        .map(|line| {
            if line.starts_with('#') { line } else { line.strip_prefix(own).unwrap_or(line.trim_start()) }.to_owned()
        })
        .collect())
}

/// Returns whether the value has the type that the function gives back by itself.
fn has_result_type(callee: &Callee<'_, '_>, site: &Site<'_, '_>, (node, text): (Node<'_>, &str)) -> bool {
    let result = callee.result.as_str();
    let declared = |node: Node<'_>| {
        let found = callee.locals.uses.iter().find(|found| found.at.byte_range() == node.byte_range())?;
        let variable = &callee.locals.variables[found.variable];
        Declared::read((callee.text, callee.is_cpp), (variable.by, variable.at), site.known).ok()?.write_type()
    };
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    match node.kind() {
        "identifier" => declared(node).is_some_and(|kind| bare(&kind) == bare(result)),
        "number_literal" => result == "int" && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit()),
        "true" | "false" => result == "bool",
        "string_literal" => bare(result) == "constchar*",
        "binary_expression" => {
            let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
            let is_test = matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||");
            is_test && result == if callee.is_cpp { "bool" } else { "int" }
        }
        "unary_expression" => text.starts_with('!') && result == if callee.is_cpp { "bool" } else { "int" },
        "cast_expression" => {
            node.child_by_field_name("type").is_some_and(|kind| bare(callee.text_of(kind)) == bare(result))
        }
        _ => false,
    }
}

/// The value in the place of the call, with the type that the call had.
fn write_value(callee: &Callee<'_, '_>, site: &Site<'_, '_>, text: String) -> Result<String> {
    let Some(node) = callee.value else { return Ok(text) };
    let result = callee.result.as_str();
    let is_alone = site.call.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            "argument_list"
                | "parenthesized_expression"
                | "return_statement"
                | "init_declarator"
                | "assignment_expression"
                | "condition_clause"
        )
    });
    if has_result_type(callee, site, (node, &text)) {
        return Ok(if is_alone || is_word(&text) { text } else { format!("({text})") });
    }
    // As the function would have converted it.
    let is_scalar = result.ends_with('*')
        || split_words(result).any(|word| {
            word.ends_with("_t")
                || matches!(
                    word,
                    "char" | "short" | "int" | "long" | "float" | "double" | "unsigned" | "signed" | "bool" | "_Bool"
                )
        });
    match (callee.is_cpp, is_scalar && !result.contains(['<', '&'])) {
        (_, _) if result.ends_with('&') => Ok(format!("({text})")),
        (true, true) => Ok(format!("static_cast<{result}>({text})")),
        (true, false) => Ok(format!("{result}({text})")).and_then(|text| match result.starts_with("const ") {
            true => Err(at(site.text, site.call, "the value has a type that cannot be written here")),
            false => Ok(text),
        }),
        (false, true) if is_alone => Ok(format!("({result})({text})")),
        (false, true) => Ok(format!("(({result})({text}))")),
        (false, false) if matches!(node.kind(), "call_expression") => Ok(text),
        (false, false) => Err(at(callee.text, node, format!("its value may have another type than `{result}`"))),
    }
}
