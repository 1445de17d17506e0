//! Replaces a call by the body of its function.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::Limits;
use tree_sitter::{Node, Tree};

use super::callee::{Callee, Parameter};
use super::flow::may_skip;
use super::hoist::{find_hoist, find_standing, is_class_body};
use super::inlined_text::{Names, write_literal, write_site};
use super::locals::{Locals, Use, Variable};
use super::own_object::Own;
use super::types::Types;
use super::{InlinedCall, KnownCalls, Obstacle, Replacement, Result, line_of, list_named, refuse};
use crate::Language;

/// Most tries to find a name that nothing has.
const MAX_FRESH: usize = 100;

/// A call of the function, in its file.
pub(super) struct Site<'s, 't> {
    pub(super) text: &'s str,
    /// The call; with `await` before it, if the function is asynchronous.
    pub(super) call: Node<'t>,
    pub(super) calls: &'s dyn KnownCalls,
    /// How the call stands in its function.
    pub(super) place: Standing,
    /// An argument that is not one value.
    odd_argument: Option<Obstacle>,
    pub(super) arguments: Vec<(Option<String>, Node<'t>)>,
    pub(super) locals: Locals<'t>,
    /// The statement that the call is the whole value of, or itself.
    pub(super) statement: Option<Node<'t>>,
    pub(super) object: Option<Node<'t>>,
}

/// How a call stands in the function around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Its statement does nothing else before it.
    Alone,
    /// In an expression, or in a statement that cannot be written again.
    Inside,
    /// Its value is what the function around it returns.
    Returned,
    /// The function around it ends behind it.
    Last,
}

pub(super) fn refuse_at(text: &str, node: Node<'_>, why: impl Into<String>) -> Obstacle {
    Obstacle { line: line_of(text, node.start_byte()), why: why.into() }
}

impl<'s, 't> Site<'s, 't> {
    /// Reads the call whose name stands at a byte.
    pub(super) fn read(
        callee: &Callee<'_, '_>,
        tree: &'t Tree,
        inlined: &InlinedCall<'s>,
        limits: &Limits,
    ) -> Result<Self> {
        let (text, at) = (inlined.text, inlined.at);
        let leaf = tree.root_node().descendant_for_byte_range(at, at + 1);
        let leaf = leaf.ok_or_else(|| refuse(line_of(text, at), "no call is here"))?;
        let call = find_call(leaf).ok_or_else(|| refuse_at(text, leaf, "the function is used here without a call"))?;
        let list = call
            .child_by_field_name("arguments")
            .ok_or_else(|| refuse_at(text, call, "the call has no list of arguments"))?;
        let mut arguments = Vec::new();
        let mut odd_argument = None;
        for argument in list_named(list) {
            let kind = argument.kind();
            if kind.contains("splat")
                || kind == "spread_element"
                || kind == "variadic_argument"
                || kind == "for_in_clause"
                || list.kind() != "argument_list" && list.kind() != "arguments"
            {
                odd_argument = Some(refuse_at(text, argument, "the call passes a list of arguments"));
            }
            match argument
                .child_by_field_name("name")
                .zip(argument.child_by_field_name("value"))
                .filter(|_| kind == "keyword_argument")
            {
                Some((name, value)) => arguments.push((text.get(name.byte_range()).map(str::to_owned), value)),
                None => arguments.push((None, argument)),
            }
        }
        // All of the function around it, or of the statement at the top of the file.
        let (mut top, mut function) = (call, None);
        while let Some(parent) = top.parent().filter(|parent| !callee.rules.containers.contains(&parent.kind())) {
            top = parent;
            function = if callee.rules.functions.contains(&top.kind()) { Some(top) } else { function };
        }
        let top = function.unwrap_or(top);
        let locals = Locals::find((callee.language, callee.rules), tree, top, text, limits);
        let object = call.child_by_field_name("object").or_else(|| {
            let function = call.child_by_field_name("function")?;
            ["object", "operand", "value"].iter().find_map(|field| function.child_by_field_name(field))
        });
        let call = match callee.is_async {
            true => call
                .parent()
                .filter(|parent| callee.rules.awaits.contains(&parent.kind()))
                .ok_or_else(|| refuse_at(text, call, "the call is not awaited where it is made"))?,
            false => call,
        };
        let whole = find_statement(callee, call);
        let place = match whole {
            Some(statement) => find_standing(callee, statement, call, text),
            None => Standing::Inside,
        };
        let statement = whole.or_else(|| find_hoist(callee, call, text));
        Ok(Self { text, call, calls: inlined.calls, place, odd_argument, arguments, locals, statement, object })
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The types of the variables around the call.
    pub(super) fn types<'x>(&'x self, language: Language) -> Types<'x, 't> {
        let (text, locals, calls) = (self.text, &self.locals, self.calls);
        Types { language, text, locals, calls, at: self.call.start_byte() }
    }
}

/// The call that a name is the function of.
fn find_call(leaf: Node<'_>) -> Option<Node<'_>> {
    let mut at = leaf;
    for _ in 0..3 {
        let parent = at.parent()?;
        match parent.kind() {
            "call" | "call_expression" if parent.child_by_field_name("function") == Some(at) => return Some(parent),
            "method_invocation" if parent.child_by_field_name("name") == Some(at) => return Some(parent),
            _ if parent.end_byte() == at.end_byte() => at = parent,
            _ => return None,
        }
    }
    None
}

/// The statement whose only effect, besides giving the value to a name, is the call.
fn find_statement<'t>(callee: &Callee<'_, '_>, call: Node<'t>) -> Option<Node<'t>> {
    // Upward, as long as nothing else is evaluated.
    let mut at = call;
    while let Some(parent) = at.parent() {
        if callee.rules.blocks.contains(&parent.kind()) {
            return (!is_class_body(parent)).then_some(at);
        }
        let goes_on = match parent.kind() {
            "expression_statement" | "return_statement" | "return_expression" | "expression_list"
                if parent.named_child_count() == 1 =>
            {
                true
            }
            "assignment" | "assignment_expression" | "assignment_statement" | "short_var_declaration" => {
                parent.child_by_field_name("right") == Some(at)
                    && parent.child_by_field_name("left").is_some_and(|left| is_plain_target(left))
            }
            "let_declaration" => {
                parent.child_by_field_name("value") == Some(at) && parent.child_by_field_name("alternative").is_none()
            }
            "variable_declarator" => parent.child_by_field_name("value") == Some(at),
            "lexical_declaration" | "local_variable_declaration" | "variable_declaration" => {
                list_named(parent).iter().filter(|child| child.kind() == "variable_declarator").count() == 1
            }
            _ => false,
        };
        if !goes_on {
            return None;
        }
        at = parent;
    }
    None
}

fn is_plain_target(left: Node<'_>) -> bool {
    let inner = if left.kind() == "expression_list" && left.named_child_count() == 1 {
        left.named_child(0)
    } else {
        Some(left)
    };
    inner.is_some_and(|inner| inner.kind() == "identifier")
}

/// What a parameter becomes at a call.
pub(super) enum Given {
    /// This text stands in its place.
    Text(String),
    /// It is declared before, with this name and value.
    Bound(String, String),
}

/// The new text for one call.
pub(super) struct Replaced {
    pub(super) text: Replacement,
    /// Names that it declares around the call.
    pub(super) declared: Vec<String>,
    /// The class of the function, if it names it.
    pub(super) class: Option<String>,
}

/// Replaces one call.
pub(super) fn replace(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    means_the_same: &dyn Fn(&str) -> bool,
) -> Result<Replaced> {
    let own = match callee.language {
        Language::Java if callee.is_method => Own::find(callee, site, means_the_same)?,
        _ => {
            check_object(callee, site)?;
            Own::default()
        }
    };
    check_names(callee, site, &own, means_the_same)?;
    // Where its statements cannot stand, the function is called where it is written, if the language can.
    let (text, declared) =
        replace_plainly(callee, site, &own).or_else(|obstacle| match write_literal(callee, site)? {
            Some(replaced) => Ok((replaced, Vec::new())),
            None => Err(obstacle),
        })?;
    Ok(Replaced { text, declared, class: own.named_class })
}

/// The new text for one call, and the names that it declares around the call.
fn replace_plainly(callee: &Callee<'_, '_>, site: &Site<'_, '_>, own: &Own) -> Result<(Replacement, Vec<String>)> {
    if let Some(obstacle) = site.odd_argument.clone().or_else(|| callee.odd_parameter.clone()) {
        return Err(obstacle);
    }
    // Where the function around returns what the call gives, the body returns it by itself.
    let is_body = callee.returns_early.is_some();
    if let Some(obstacle) = callee.returns_early.clone().filter(|_| !can_end(callee, site)) {
        return Err(obstacle);
    }
    let arguments = map_arguments(callee, site)?;
    let needs_statement = is_body || own.binding.is_some() || !callee.statements.is_empty() || callee.value.is_none();
    if needs_statement && site.statement.is_none() {
        return Err(refuse_at(
            site.text,
            site.call,
            "the call stands inside of an expression, and the function has statements",
        ));
    }
    let mut taken: BTreeSet<String> = site.locals.words.clone();
    taken.extend(callee.locals.words.iter().cloned());
    let mut given: BTreeMap<usize, Given> = BTreeMap::new();
    let plain = arguments.iter().all(|(parameter, argument)| is_replaceable(callee, parameter, argument));
    let keeps_order = keeps_order(callee, &arguments);
    for (parameter, argument) in &arguments {
        let text = read_argument(callee, site, argument)?;
        let same_type = has_same_type(callee, site, parameter, argument);
        let direct =
            is_fixed(callee, site, parameter, argument) && !is_written(callee, parameter.variable) && same_type;
        if direct || plain && keeps_order && !needs_statement && same_type {
            given.insert(parameter.variable, Given::Text(text));
            continue;
        }
        if site.statement.is_none() {
            return Err(refuse_at(
                site.text,
                site.call,
                format!(
                    "the argument for `{}` must be evaluated before, and the call stands inside of an expression",
                    parameter.name
                ),
            ));
        }
        let name = find_fresh(&parameter.name, &site.locals.words, &mut taken);
        given.insert(parameter.variable, Given::Bound(name, text));
    }
    if let Some(receiver) = callee.receiver {
        let object = site.object.map(|object| site.text_of(object).to_owned()).unwrap_or_default();
        let is_name = site.object.is_none_or(|object| matches!(object.kind(), "identifier" | "this" | "self"));
        let value = match is_name {
            true => Given::Text(object),
            false if site.statement.is_none() || is_written(callee, receiver) => {
                return Err(refuse_at(site.text, site.call, "the object of the call is an expression"));
            }
            // The object is evaluated once, before the arguments.
            false => {
                let own = callee.locals.variables[receiver].name.as_str();
                let own = if matches!(own, "self" | "cls") { "target" } else { own };
                Given::Bound(find_fresh(own, &site.locals.words, &mut taken), object)
            }
        };
        given.insert(receiver, value);
    }
    // Names of the body that the site has too.
    let mut renamed: BTreeMap<usize, String> = BTreeMap::new();
    for (index, variable) in callee.locals.variables.iter().enumerate() {
        if !given.contains_key(&index) && !is_type(variable) && !variable.is_attribute() {
            let fresh = find_fresh(&variable.name, &site.locals.words, &mut taken);
            if fresh != variable.name {
                renamed.insert(index, fresh);
            }
        }
    }
    let names = Names { given: &given, renamed: &renamed, own };
    let replaced = write_site(callee, site, &arguments, names)?;
    let bound = given.values().filter_map(|given| match given {
        Given::Bound(name, _) => Some(name.clone()),
        Given::Text(_) => None,
    });
    let locals = callee.locals.variables.iter().enumerate().filter(|(index, _)| !given.contains_key(index));
    let locals = locals.map(|(index, variable)| renamed.get(&index).unwrap_or(&variable.name).clone());
    let object = own.binding.iter().map(|(name, _)| name.clone());
    Ok((replaced, bound.chain(locals).chain(object).collect()))
}

/// Returns whether a declaration declares a type, which keeps its name.
fn is_type(variable: &Variable<'_>) -> bool {
    let kind = variable.by.kind();
    kind.starts_with("type_") && !matches!(kind, "type_pattern" | "type_switch_statement")
}

/// Returns whether the body of the function may end the function around the call: both give back the same.
fn can_end(callee: &Callee<'_, '_>, site: &Site<'_, '_>) -> bool {
    match site.place {
        Standing::Returned => true,
        Standing::Last => callee.returns_nothing(),
        Standing::Alone | Standing::Inside => false,
    }
}

/// Refuses names of the body that mean something else at the call.
fn check_names(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    own: &Own,
    means_the_same: &dyn Fn(&str) -> bool,
) -> Result<()> {
    let is_same_file = std::ptr::eq(callee.text, site.text);
    for (name, at) in callee.list_free() {
        if own.covers(callee, at) {
            continue;
        }
        let shadowed = site
            .locals
            .variables
            .iter()
            .find(|variable| variable.name == name && variable.known.contains(&site.call.start_byte()))
            // A function inside of a function sees the same variable.
            .filter(|variable| !is_same_file || !variable.known.contains(&callee.function.start_byte()));
        if let Some(variable) = shadowed {
            let line = line_of(site.text, variable.at.start_byte());
            return Err(refuse_at(
                site.text,
                site.call,
                format!("`{name}`, which the function uses, is a variable of line {line} here"),
            ));
        }
        // A member of the class without its object.
        let is_bare = callee.language == Language::Java
            && callee.is_method
            && !callee.members.contains_key(&at)
            && !callee.imported_members.contains(name)
            && site.object.is_some_and(|object| object.kind() != "this");
        if is_bare && !name.starts_with(char::is_uppercase) {
            let line = line_of(callee.text, at);
            return Err(refuse_at(
                site.text,
                site.call,
                format!("`{name}` (line {line}) may be a member of another object here"),
            ));
        }
        check_meaning(site, name, means_the_same)?;
    }
    callee.imported_members.iter().try_for_each(|name| check_meaning(site, name, means_the_same))
}

fn check_meaning(site: &Site<'_, '_>, name: &str, means_the_same: &dyn Fn(&str) -> bool) -> Result<()> {
    if means_the_same(name) {
        return Ok(());
    }
    let why = format!("`{name}`, which the function uses, may not be known in this file");
    Err(refuse_at(site.text, site.call, why))
}

/// Refuses calls on an object that the body could not name.
fn check_object(callee: &Callee<'_, '_>, site: &Site<'_, '_>) -> Result<()> {
    let own = callee.names_receiver();
    match (site.object, callee.is_method) {
        (None, false) => Ok(()),
        (Some(object), true) => {
            let is_word = matches!(object.kind(), "this" | "self");
            let is_name = object.kind() == "identifier";
            if is_word || is_name && (callee.receiver.is_some() || own.is_none()) {
                return check_self(callee, site, object);
            }
            match callee.receiver {
                Some(_) => check_self(callee, site, object),
                None => Err(refuse_at(site.text, object, "the object of the call is an expression")),
            }
        }
        (None, true) if callee.language == Language::Rust && own.is_none() => Ok(()),
        (Some(object), false) if own.is_none() && object.kind() == "identifier" && callee.language == Language::Go => {
            Err(refuse_at(site.text, object, "the call is in another package"))
        }
        // Through a module that the file imports.
        (Some(object), false) if own.is_none() && is_imported(callee, site, object) => Ok(()),
        _ => Err(refuse_at(site.text, site.call, "the call names the function in a way that is not known")),
    }
}

/// Returns whether an object is a name that an import at the top of a file of Python or of a script brings.
fn is_imported(callee: &Callee<'_, '_>, site: &Site<'_, '_>, object: Node<'_>) -> bool {
    let has_modules =
        matches!(callee.language, Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx);
    let is_top = callee.top.parent().is_some_and(|above| matches!(above.kind(), "module" | "program"));
    let is_local = site.locals.uses.iter().any(|found| found.at == object);
    if !has_modules || !is_top || is_local || object.kind() != "identifier" {
        return false;
    }
    let mut root = object;
    while let Some(above) = root.parent() {
        root = above;
    }
    let name = site.text_of(object);
    let mut rest: Vec<Node<'_>> = list_named(root).into_iter().filter(|row| row.kind().starts_with("import")).collect();
    while let Some(node) = rest.pop() {
        if node.kind() == "identifier" && site.text_of(node) == name {
            return true;
        }
        rest.extend(list_named(node));
    }
    false
}

/// Refuses `self` of Rust and `this` of scripts in a function where they mean something else.
fn check_self(callee: &Callee<'_, '_>, site: &Site<'_, '_>, object: Node<'_>) -> Result<()> {
    let is_private = callee.language == Language::Python
        && callee.locals.words.iter().any(|word| word.starts_with("__") && !word.ends_with("__"));
    // The class is the object: its name, or the word for it.
    let is_class = object.kind() == "identifier" && {
        let is_local = site.locals.uses.iter().any(|found| found.at == object);
        site.text_of(object) == "cls" || site.text_of(object).starts_with(char::is_uppercase) && !is_local
    };
    if callee.decorator() == Some("classmethod") && !is_class {
        return Err(refuse_at(site.text, object, "the class of the object is not known"));
    }
    // Names that the class around changes mean the same in all of it.
    let is_same_class = std::ptr::eq(callee.text, site.text) && {
        let (own, other) = (find_class(callee.function), find_class(site.call));
        own.is_some() && own.map(|class| class.byte_range()) == other.map(|class| class.byte_range())
    };
    if is_private && !is_same_class {
        return Err(refuse_at(site.text, object, "the function uses private names of its class"));
    }
    let Some(receiver) = callee.receiver.filter(|_| callee.language == Language::Go) else { return Ok(()) };
    if is_written(callee, receiver) {
        return Err(refuse_at(site.text, object, "the function gives its receiver a new value"));
    }
    let own = find_type(callee.language, callee.text, &callee.locals, &callee.locals.variables[receiver]);
    let known = site.types(callee.language).of_go_expression(object, 0);
    // A variable that holds the struct itself has the members that its address has.
    let is_member = |found: &Use<'_>| {
        found.at.parent().is_some_and(|parent| parent.child_by_field_name("operand") == Some(found.at))
    };
    let is_held = object.kind() == "identifier"
        && known.as_ref().is_some_and(|known| own.as_deref().and_then(|own| own.strip_prefix('*')) == Some(known))
        && callee.locals.of(receiver).filter(|found| found.is_read()).all(is_member);
    if known.is_some() && known == own || is_held {
        return Ok(());
    }
    Err(refuse_at(site.text, object, "the object of the call may not have the type of the receiver"))
}

/// The innermost class of Python around a node.
fn find_class(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.parent();
    while let Some(above) = at.filter(|above| above.kind() != "class_definition") {
        at = above.parent();
    }
    at
}

/// The argument of each parameter, in the order in which the call evaluates them.
fn map_arguments<'c, 't, 'd>(
    callee: &'c Callee<'_, 'd>,
    site: &Site<'_, 't>,
) -> Result<Vec<(&'c Parameter<'d>, Argument<'t, 'd>)>> {
    let mut mapped: Vec<(&Parameter<'d>, Argument<'t, 'd>)> = Vec::new();
    // Those that are passed, then defaults.
    for (place, (name, value)) in site.arguments.iter().enumerate() {
        let parameter = match name {
            Some(name) => callee.parameters.iter().find(|parameter| parameter.name == *name),
            None => callee.parameters.get(place),
        };
        let parameter =
            parameter.ok_or_else(|| refuse_at(site.text, *value, "the function has no parameter for this argument"))?;
        mapped.push((parameter, Argument::Passed(*value)));
    }
    for parameter in &callee.parameters {
        if mapped.iter().any(|(known, _)| known.variable == parameter.variable) {
            continue;
        }
        let Some(default) = parameter.default else {
            return Err(refuse_at(site.text, site.call, format!("the call does not pass `{}`", parameter.name)));
        };
        let is_fixed = is_literal(default);
        if !is_fixed {
            return Err(refuse_at(
                site.text,
                site.call,
                format!("the default of `{}` is not a constant", parameter.name),
            ));
        }
        mapped.push((parameter, Argument::Default(default)));
    }
    Ok(mapped)
}

#[derive(Clone, Copy)]
pub(super) enum Argument<'t, 'd> {
    Passed(Node<'t>),
    Default(Node<'d>),
}

/// Returns whether a node is a literal of one value.
fn is_literal(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "integer"
            | "float"
            | "string"
            | "true"
            | "false"
            | "none"
            | "number"
            | "null"
            | "undefined"
            | "int_literal"
            | "float_literal"
            | "interpreted_string_literal"
            | "raw_string_literal"
            | "rune_literal"
            | "nil"
            | "integer_literal"
            | "string_literal"
            | "boolean_literal"
            | "char_literal"
            | "decimal_integer_literal"
            | "decimal_floating_point_literal"
            | "character_literal"
            | "null_literal"
            | "hex_integer_literal"
    ) && (node.kind() != "string" || list_named(node).iter().all(|child| child.kind() != "interpolation"))
}

/// Returns whether an argument has the same value whenever it is evaluated.
fn is_constant(argument: &Argument<'_, '_>) -> bool {
    match argument {
        Argument::Default(_) => true,
        Argument::Passed(node) => is_literal(*node) || matches!(node.kind(), "identifier" | "this" | "self"),
    }
}

/// Returns whether an argument has the same value wherever the body reads its parameter.
fn is_fixed(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    parameter: &Parameter<'_>,
    argument: &Argument<'_, '_>,
) -> bool {
    let node = match argument {
        Argument::Passed(node) if !is_literal(*node) => *node,
        _ => return is_constant(argument),
    };
    // A variable of the module may get another value, and a function inside of the body may run later.
    let is_own = site.locals.uses.iter().any(|found| found.at == node) || !node.kind().contains("identifier");
    let is_expression = callee.statements.is_empty();
    let function = callee.function.start_byte();
    is_constant(argument)
        && (is_own || is_expression)
        && callee.locals.of(parameter.variable).all(|found| found.function == function)
}

pub(super) fn is_written(callee: &Callee<'_, '_>, variable: usize) -> bool {
    callee.locals.of(variable).any(|found| found.is_write() && found.at != callee.locals.variables[variable].at)
}

/// Returns whether a parameter can be replaced by its argument in an expression: evaluated once, or always the same.
fn is_replaceable(callee: &Callee<'_, '_>, parameter: &Parameter<'_>, argument: &Argument<'_, '_>) -> bool {
    if is_written(callee, parameter.variable) {
        return false;
    }
    if is_constant(argument) {
        return true;
    }
    let function = callee.function.start_byte();
    let mut reads = callee.locals.of(parameter.variable).filter(|found| found.is_read());
    let (Some(first), None) = (reads.next(), reads.next()) else { return false };
    let Some(value) = callee.value else { return false };
    let mut part = first.at;
    while let Some(above) = part.parent().filter(|_| part != value) {
        if may_skip(callee.rules, above, part) {
            return false;
        }
        part = above;
    }
    first.function == function
}

/// Returns whether the value of a function evaluates its parameters in the order of the arguments, before anything
/// else.
fn keeps_order(callee: &Callee<'_, '_>, arguments: &[(&Parameter<'_>, Argument<'_, '_>)]) -> bool {
    let mut last = 0;
    for (parameter, argument) in arguments {
        if is_constant(argument) {
            continue;
        }
        let Some(found) = callee.locals.of(parameter.variable).find(|found| found.is_read()) else { return false };
        let at = found.at.start_byte();
        if at < last {
            return false;
        }
        last = at;
    }
    // No call is complete before the last of them.
    let mut rest: Vec<Node<'_>> = callee.value.into_iter().collect();
    while let Some(node) = rest.pop() {
        let has_effect = node.kind().contains("call")
            || node.kind().contains("invocation")
            || node.kind().contains("creation")
            || node.kind() == "subscript"
            || node.kind().contains("member")
            || node.kind() == "attribute";
        if has_effect && node.end_byte() <= last {
            return false;
        }
        rest.extend(list_named(node));
    }
    true
}

/// Returns whether an argument has the type of its parameter, as far as the language cares.
fn has_same_type(
    callee: &Callee<'_, '_>,
    site: &Site<'_, '_>,
    parameter: &Parameter<'_>,
    argument: &Argument<'_, '_>,
) -> bool {
    let kind = parameter.kind.as_deref().unwrap_or_default();
    let node = match argument {
        Argument::Passed(node) => *node,
        Argument::Default(_) => return true,
    };
    // By the literal, or by the variable.
    match callee.language {
        Language::Go | Language::Java | Language::Rust => {
            let by_literal = match node.kind() {
                "interpreted_string_literal" | "raw_string_literal" => kind == "string",
                "int_literal" => kind == "int",
                "true" | "false" | "boolean_literal" => matches!(kind, "bool" | "boolean"),
                "decimal_integer_literal" => kind == "int",
                "string_literal" => matches!(kind, "String" | "&str"),
                _ => false,
            };
            let types = site.types(callee.language);
            let found = match callee.language {
                Language::Go => types.of_go_expression(node, 0),
                _ => types.variable_at(node).and_then(|variable| types.of(variable)),
            };
            by_literal || found.is_some_and(|found| found == kind)
        }
        _ => true,
    }
}

/// The type of a variable, as far as the code around it writes it.
pub(super) fn find_type<'t>(
    language: Language,
    text: &str,
    locals: &Locals<'t>,
    variable: &Variable<'t>,
) -> Option<String> {
    Types { language, text, locals, calls: &Unknown, at: variable.at.start_byte() }.of(variable)
}

struct Unknown;

impl KnownCalls for Unknown {
    fn result_types(&self, _: usize) -> Option<Vec<String>> {
        None
    }
}

fn read_argument(callee: &Callee<'_, '_>, site: &Site<'_, '_>, argument: &Argument<'_, '_>) -> Result<String> {
    Ok(match argument {
        // A statement of Python goes on in the next line only between brackets.
        Argument::Passed(node)
            if callee.language == Language::Python && site.text_of(*node).contains('\n') && !is_simple(*node) =>
        {
            format!("({})", site.text_of(*node))
        }
        Argument::Passed(node) => site.text_of(*node).to_owned(),
        Argument::Default(node) => callee.text_of(*node).to_owned(),
    })
}

/// A name like this one that neither the site nor the body has; the name itself if the site does not have it.
pub(super) fn find_fresh(name: &str, site: &BTreeSet<String>, taken: &mut BTreeSet<String>) -> String {
    if !site.contains(name) {
        return name.to_owned();
    }
    let fresh = (2..MAX_FRESH).map(|number| format!("{name}{number}")).find(|fresh| !taken.contains(fresh));
    let fresh = fresh.unwrap_or_else(|| format!("{name}_inlined"));
    taken.insert(fresh.clone());
    fresh
}

/// Returns whether a text can stand where a value is without brackets.
pub(super) fn is_simple(node: Node<'_>) -> bool {
    let kind = node.kind();
    is_literal(node)
        || matches!(
            kind,
            "identifier"
                | "this"
                | "self"
                | "call"
                | "call_expression"
                | "method_invocation"
                | "attribute"
                | "member_expression"
                | "selector_expression"
                | "field_expression"
                | "field_access"
                | "subscript"
                | "subscript_expression"
                | "index_expression"
                | "parenthesized_expression"
                | "list"
                | "dictionary"
                | "tuple"
                | "array"
                | "template_string"
        )
}
