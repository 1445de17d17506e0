//! Plans to make statements of C and C++ a function.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Node;

use super::super::c_names::is_address;
use super::super::extract::Ending;
use super::super::flow::{Flow, ends_always};
use super::super::liveness::Lives;
use super::super::locals::{Locals, Use, Variable};
use super::super::rules::LocalRules;
use super::super::select::Selected;
use super::super::{KnownCalls, Lines, Obstacle, Result, line_of, list_named, refuse};
use super::declared::{Declared, Level, find_result, split_words, text_of};
use super::macros::Expansion;
use super::member::Home;
use crate::Language;

/// Functions of C++ without a namespace in front that change what they are given.
const CHANGING: &[&str] = &["swap", "getline", "tie", "ref", "exchange", "iter_swap", "move", "forward"];
/// Parts of types that hold a resource until their scope ends.
const GUARDS: &[&str] = &["lock", "guard", "scope", "mutex", "cleanup", "finally", "defer", "closer"];
/// Parts of types that point into other values.
const VIEWS: &[&str] = &["slice", "view", "span", "ref", "iter"];

/// How a variable from outside reaches the new function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Its value.
    Value,
    /// Its address in C, a reference in C++.
    Address,
}

/// A variable that the new function takes.
#[derive(Debug)]
pub(super) struct Input<'t> {
    pub(super) index: usize,
    pub(super) declared: Declared<'t>,
    pub(super) mode: Mode,
    /// Whether it is declared in the lines: the declaration goes before the call.
    pub(super) is_moved: bool,
}

/// The one value that the new function gives back.
#[derive(Debug)]
pub(super) struct Output<'t> {
    pub(super) index: usize,
    pub(super) declared: Declared<'t>,
    /// Its type.
    pub(super) kind: String,
    /// Whether the lines declare it.
    pub(super) is_new: bool,
}

/// All that the new function is made of.
pub(super) struct Plan<'a, 't> {
    pub(super) text: &'a str,
    pub(super) is_cpp: bool,
    pub(super) lines: Lines<'a>,
    pub(super) selected: Selected<'t>,
    pub(super) locals: Locals<'t>,
    pub(super) home: Home<'t>,
    pub(super) inputs: Vec<Input<'t>>,
    pub(super) output: Option<Output<'t>>,
    /// Variables from outside whose old values the lines do not need: the function declares them itself.
    pub(super) own: Vec<(usize, Declared<'t>)>,
    pub(super) ending: Ending,
    /// What the function around gives back.
    pub(super) result: String,
    /// Calls of macros in the lines, which may not put their arguments in brackets.
    pub(super) macro_calls: Vec<Range<usize>>,
}

struct Planner<'p, 'x, 't> {
    text: &'x str,
    is_cpp: bool,
    lives: Lives<'p, 't>,
    flow: &'p Flow<'t>,
    calls: &'p dyn KnownCalls,
    /// Variables that a macro may change.
    changed_by_macros: BTreeSet<usize>,
    /// Variables that the bodies of macros name.
    named_by_macros: BTreeSet<usize>,
    /// Variables whose text or size a macro looks at.
    textual_in_macros: BTreeSet<usize>,
    /// Calls of macros in the lines.
    macro_calls: Vec<Range<usize>>,
    has_jumps: bool,
}

impl<'a, 't> Plan<'a, 't> {
    /// Plans the new function.
    pub(super) fn new(
        (language, rules): (Language, &'static LocalRules),
        tree: &'t tree_sitter::Tree,
        text: &'a str,
        lines: Lines<'a>,
        (calls, limits): (&dyn KnownCalls, &m1nd_base::Limits),
    ) -> Result<Self> {
        let selected = Selected::find((language, rules), tree, text, (lines.first, lines.last))?;
        let at = |node: Node<'_>, why: String| Obstacle { line: line_of(text, node.start_byte()), why };
        if selected.home.has_error() {
            return Err(at(selected.home, "the function has syntax errors".to_owned()));
        }
        let locals = Locals::find((language, rules), tree, selected.top, text, limits);
        let flow = Flow::find((language, rules), &selected, text);
        if let Some(obstacle) = flow.obstacles.first() {
            return Err(obstacle.clone());
        }
        // What stands in the way, then what the function is made of.
        let is_cpp = language == Language::Cpp;
        let result =
            find_result(text, selected.home).map_err(|why| at(selected.home, format!("the function {why}")))?;
        let mut planner = Planner {
            text,
            is_cpp,
            lives: Lives { language, rules, selected: &selected, locals: &locals },
            flow: &flow,
            calls,
            changed_by_macros: BTreeSet::new(),
            named_by_macros: BTreeSet::new(),
            textual_in_macros: BTreeSet::new(),
            macro_calls: Vec::new(),
            has_jumps: has_kind(selected.home, "goto_statement"),
        };
        planner.check_surroundings(lines.name)?;
        planner.check_macros()?;
        let ending = planner.find_ending(&result)?;
        let home = Home::read((text, is_cpp), &selected, calls)?;
        let (inputs, outputs, own) = planner.list_values(&ending)?;
        let (inputs, output) = planner.choose_output(inputs, outputs)?;
        planner.check_lifetimes(&inputs, output.as_ref())?;
        let macro_calls = planner.macro_calls;
        Ok(Self { text, is_cpp, lines, selected, locals, home, inputs, output, own, ending, result, macro_calls })
    }
}

fn has_kind(node: Node<'_>, kind: &str) -> bool {
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        if node.kind() == kind {
            return true;
        }
        rest.extend(list_named(node));
    }
    false
}

/// Values that the lines need, those that are needed of them, and those that they only use inside.
type Values<'t> = (Vec<Input<'t>>, Vec<(usize, Declared<'t>, bool)>, Vec<(usize, Declared<'t>)>);

impl<'t> Planner<'_, '_, 't> {
    fn at(&self, node: Node<'_>, why: impl Into<String>) -> Obstacle {
        Obstacle { line: line_of(self.text, node.start_byte()), why: why.into() }
    }

    fn variable(&self, index: usize) -> &Variable<'t> {
        &self.lives.locals.variables[index]
    }

    fn uses(&self, index: usize) -> impl Iterator<Item = &Use<'t>> {
        self.lives.locals.of(index)
    }

    fn uses_inside(&self, index: usize) -> impl Iterator<Item = &Use<'t>> {
        let core = self.lives.selected.core.clone();
        self.uses(index).filter(move |found| found.is_in(&core))
    }

    /// Refuses names that are taken, and places in which a new function would mean something else.
    fn check_surroundings(&self, name: &str) -> Result<()> {
        let selected = self.lives.selected;
        if self.lives.locals.words.contains(name) {
            let why = format!("`{name}` is already a name in the function; choose another one");
            return Err(self.at(selected.top, why));
        }
        self.check_hidden()?;
        if selected.nearest != selected.home {
            return Err(self.at(selected.nearest, "the lines are in a lambda, whose captures a function does not have"));
        }
        // A declaration that is there only under a condition.
        for variable in &self.lives.locals.variables {
            let mut node = variable.by.parent();
            while let Some(above) = node.filter(|above| above.start_byte() > selected.home.start_byte()) {
                let is_used =
                    || {
                        self.lives.locals.uses.iter().any(|found| {
                            found.is_in(&selected.core) && self.variable(found.variable).name == variable.name
                        })
                    };
                let is_around = above.byte_range().contains(&selected.core.start);
                if above.kind().starts_with("preproc_")
                    && !is_around
                    && !selected.core.contains(&above.start_byte())
                    && is_used()
                {
                    let why = format!("`{}` is declared under a condition of the preprocessor", variable.name);
                    return Err(self.at(variable.at, why));
                }
                node = above.parent();
            }
        }
        Ok(())
    }

    /// Refuses names of variables that the parser did not see.
    fn check_hidden(&self) -> Result<()> {
        let home = self.lives.selected.home;
        let names: BTreeSet<&str> = self.lives.locals.variables.iter().map(|variable| variable.name.as_str()).collect();
        let (text, start) = (text_of(self.text, home), home.start_byte());
        for word in split_words(text).filter(|word| names.contains(word)) {
            let at = start + word.as_ptr() as usize - text.as_ptr() as usize;
            let leaf = home.descendant_for_byte_range(at, at + word.len());
            let is_seen = leaf.is_some_and(|leaf| {
                let kind = leaf.kind();
                leaf.byte_range() == (at..at + word.len())
                    || ["comment", "string", "char", "preproc"].iter().any(|part| kind.contains(part))
                    || kind == "escape_sequence"
            });
            if !is_seen {
                return Err(refuse(line_of(self.text, at), &format!("`{word}` stands in code that cannot be parsed")));
            }
        }
        Ok(())
    }

    /// Refuses macros that leave the lines or name variables around them; notes those that change their arguments.
    fn check_macros(&mut self) -> Result<()> {
        let selected = self.lives.selected;
        let variables = self.lives.locals.variables.iter().enumerate();
        let known: BTreeMap<&str, usize> = variables
            .filter(|(_, variable)| variable.known.contains(&selected.core.start))
            .map(|(index, variable)| (variable.name.as_str(), index))
            .collect();
        let (mut changed, mut named, mut textual, mut calls) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), Vec::new());
        // Each name of the lines that is not a variable.
        for (name, at) in self.lives.locals.free.iter().filter(|(_, at)| selected.core.contains(at)) {
            let line = line_of(self.text, *at);
            let Some(expansion) = Expansion::find(name, self.calls) else {
                self.check_unknown(name, *at)?;
                continue;
            };
            if let Some(word) = expansion.find_leaving() {
                return Err(refuse(line, &format!("the macro `{name}` has `{word}`, which may leave the lines")));
            }
            for (word, index) in expansion.words().filter_map(|word| known.get_key_value(word)) {
                if expansion.may_change_word(word) {
                    let why = format!("the macro `{name}` changes `{word}`, a variable of the function");
                    return Err(refuse(line, &why));
                }
                named.insert(*index);
            }
            let Some(call) = self.call_of(*at) else { continue };
            calls.push(call.byte_range());
            for argument in
                self.lives.locals.uses.iter().filter(|found| call.byte_range().contains(&found.at.start_byte()))
            {
                if expansion.is_textual() {
                    textual.insert(argument.variable);
                }
                if expansion.may_change() {
                    changed.insert(argument.variable);
                }
            }
        }
        self.changed_by_macros = changed;
        self.named_by_macros = named;
        self.textual_in_macros = textual;
        self.macro_calls = calls;
        Ok(())
    }

    /// The call whose function stands at a byte.
    fn call_of(&self, at: usize) -> Option<Node<'t>> {
        let leaf = self.lives.selected.top.descendant_for_byte_range(at, at + 1)?;
        let call = leaf.parent()?;
        (call.kind() == "call_expression" && call.child_by_field_name("function") == Some(leaf)).then_some(call)
    }

    /// Refuses a statement that looks like a macro of another project.
    fn check_unknown(&self, name: &str, at: usize) -> Result<()> {
        let is_upper = name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let call = self.call_of(at).filter(|_| is_upper && name.chars().any(|c| c.is_ascii_uppercase()));
        let is_statement = call.and_then(|call| call.parent()).is_some_and(|by| by.kind() == "expression_statement");
        match is_statement && self.calls.signature(at).is_none() {
            true => {
                let why =
                    format!("`{name}` may be a macro that leaves the lines; its definition is not in the project");
                Err(refuse(line_of(self.text, at), &why))
            }
            false => Ok(()),
        }
    }

    /// Finds out how control leaves the statements.
    fn find_ending(&self, result: &str) -> Result<Ending> {
        let selected = self.lives.selected;
        let is_void = result.is_empty() || result == "void";
        let at_end = selected.is_at_end();
        let Some(first) = self.flow.returns.first() else {
            return Ok(if at_end && is_void { Ending::EndsEmpty } else { Ending::GoesOn });
        };
        let always = ends_always(self.lives.rules, &selected.statements, 0);
        match self.flow.returns.iter().any(|node| node.named_child_count() > 0) {
            true if always && !is_void => Ok(Ending::Returns),
            false if at_end && is_void => Ok(Ending::EndsEmpty),
            _ => Err(self.at(*first, "`return` leaves the function in the middle of the lines")),
        }
    }

    /// Sorts the variables of the lines by what they are needed for.
    fn list_values(&self, ending: &Ending) -> Result<Values<'t>> {
        let (mut inputs, mut outputs, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let core = &self.lives.selected.core;
        // Each variable that the lines name.
        for index in 0..self.lives.locals.variables.len() {
            let variable = self.variable(index);
            let is_named = self.named_by_macros.contains(&index);
            let first = self.uses_inside(index).next().map(|found| found.at);
            let Some(first) = first.or(is_named.then(|| self.lives.selected.statements[0])) else { continue };
            let is_type_parameter = variable.by.kind().contains("type_parameter")
                || variable.by.parent().is_some_and(|list| list.kind() == "template_parameter_list");
            if is_type_parameter || variable.known.end <= core.end && variable.known.start >= core.start {
                continue;
            }
            let is_outside = !core.contains(&variable.at.start_byte());
            let is_later = *ending == Ending::GoesOn && self.is_read_later(index);
            if !is_outside && !is_later {
                continue;
            }
            let why_not = |why: String| {
                let at = if is_outside { first } else { variable.at };
                self.at(at, format!("`{}` {why}", variable.name))
            };
            let declared = Declared::read((self.text, self.is_cpp), (variable.by, variable.at), self.calls);
            let declared = declared.map_err(why_not)?;
            self.check_declared(index, &declared).map_err(|why| why_not(why.to_owned()))?;
            if !is_outside {
                outputs.push((index, declared, true));
                continue;
            }
            let is_written = self.uses_inside(index).any(Use::is_write);
            if is_named && !self.is_cpp && (is_written || self.must_share(index, &declared)) {
                return Err(why_not("is named by a macro, and the lines change it".to_owned()));
            }
            let is_textual = self.textual_in_macros.contains(&index);
            if is_textual && (declared.is_array() || !self.is_cpp && self.must_share(index, &declared)) {
                return Err(why_not("is given to a macro that looks at its text or its size".to_owned()));
            }
            if self.must_share(index, &declared) {
                inputs.push(Input { index, declared, mode: Mode::Address, is_moved: false });
                continue;
            }
            let needs_old = is_named || self.lives.needs_old_value(index);
            let is_bound =
                declared.is_parameter || self.lives.is_bound_before(index) || variable.by.kind() == "for_range_loop";
            if needs_old && !is_bound && !declared.is_array() {
                inputs.push(Input { index, declared, mode: Mode::Address, is_moved: false });
                continue;
            }
            if needs_old || declared.is_array() {
                inputs.push(Input { index, declared: declared.clone(), mode: Mode::Value, is_moved: false });
            } else if !(is_written && is_later) {
                own.push((index, declared.clone()));
            }
            if is_written && is_later && !declared.is_array() {
                outputs.push((index, declared, false));
            }
        }
        Ok((inputs, outputs, own))
    }

    /// Refuses declarations that a parameter cannot stand for.
    fn check_declared(&self, index: usize, declared: &Declared<'t>) -> std::result::Result<(), &'static str> {
        let variable = self.variable(index);
        if declared.has_storage("extern") || declared.levels.first() == Some(&Level::Function) {
            return Err("is declared in the function, and is not a variable of it");
        }
        // Types that only the function knows.
        let words: BTreeSet<&str> = split_words(&declared.specifiers).collect();
        let is_local = |other: &Variable<'_>| {
            words.contains(other.name.as_str())
                && !other.by.kind().contains("parameter")
                && other.by.kind() != "declaration"
        };
        if self.lives.locals.variables.iter().any(is_local) {
            return Err("has a type that is declared in the function");
        }
        if declared.is_const() && self.uses_inside(index).any(|found| is_in_constant(found.at)) {
            return Err("is a constant, which the lines need while they are compiled");
        }
        if words.iter().any(|word| *word == "va_list") {
            return Err("is a list of arguments, which belongs to the function");
        }
        let is_measured = |found: &Use<'_>| {
            found.at.parent().is_some_and(|above| {
                above.kind() == "sizeof_expression"
                    || above.parent().is_some_and(|above| above.kind() == "sizeof_expression")
            })
        };
        if declared.is_array() && self.uses_inside(index).any(is_measured) && !self.can_bind_array(declared) {
            return Err("is an array whose size the lines ask for");
        }
        let in_scope = |node: Node<'t>| {
            self.lives.locals.uses.iter().any(|found| node.byte_range().contains(&found.at.start_byte()))
        };
        if declared.suffix.matches('[').count() > 1
            && list_named(variable.by).into_iter().any(|part| {
                part.kind().ends_with("declarator")
                    && has_kind(part, "array_declarator")
                    && part.byte_range().contains(&variable.at.start_byte())
                    && {
                        let inner = variable
                            .at
                            .parent()
                            .and_then(|array| array.parent())
                            .and_then(|outer| outer.child_by_field_name("size"));
                        inner.is_some_and(in_scope)
                    }
            })
        {
            return Err("is an array whose size is a variable");
        }
        Ok(())
    }

    /// Whether an array of C++ can be given as a reference to it.
    fn can_bind_array(&self, declared: &Declared<'t>) -> bool {
        let is_local = |node: Node<'t>| {
            self.lives.locals.uses.iter().any(|found| node.byte_range().contains(&found.at.start_byte()))
        };
        self.is_cpp
            && declared.is_array()
            && declared.levels.len() == 1
            && declared.size.is_some_and(|size| !is_local(size))
    }

    /// Returns whether the new function must use the variable itself, not a copy.
    fn must_share(&self, index: usize, declared: &Declared<'t>) -> bool {
        let is_shared = self.uses(index).any(|found| found.function != self.lives.selected.nearest.start_byte());
        let is_stored = self.uses(index).any(|found| self.is_stored(found.at));
        if self.is_cpp {
            let may_change = self.uses_inside(index).any(|found| self.may_change(found));
            return match declared.is_array() {
                true => self.can_bind_array(declared),
                false => {
                    !declared.is_scalar() && !declared.is_reference()
                        || declared.is_reference()
                        || (may_change || is_shared || is_stored) && !declared.is_const()
                        || self.changed_by_macros.contains(&index)
                        || declared.has_storage("static") && !declared.is_const()
                }
            };
        }
        let is_written = self.uses_inside(index).any(Use::is_write);
        !declared.is_array()
            && (self.uses_inside(index).any(|found| is_address(found.at, self.text) || self.is_member(found.at))
                || is_stored
                || declared.has_storage("static") && is_written
                || self.changed_by_macros.contains(&index))
    }

    /// Returns whether a name of C stands for a value whose member is used.
    fn is_member(&self, at: Node<'t>) -> bool {
        at.parent().is_some_and(|above| {
            above.kind() == "field_expression"
                && above.child_by_field_name("argument") == Some(at)
                && above.child_by_field_name("operator").is_some_and(|operator| operator.kind() == ".")
        })
    }

    /// Returns whether the address of a variable is kept somewhere: taken, but not for a call alone.
    fn is_stored(&self, at: Node<'t>) -> bool {
        if is_address(at, self.text) {
            let taken = at.parent().and_then(|taken| taken.parent());
            return taken.is_some_and(|by| {
                !matches!(
                    by.kind(),
                    "argument_list" | "pointer_expression" | "field_expression" | "parenthesized_expression"
                )
            });
        }
        // `T& r = v;`
        let holder = at.parent().filter(|by| self.is_cpp && by.kind() == "init_declarator");
        holder
            .and_then(|by| by.child_by_field_name("declarator"))
            .is_some_and(|name| name.kind() == "reference_declarator")
    }

    /// Returns whether a use in C++ may give a variable another value.
    fn may_change(&self, found: &Use<'t>) -> bool {
        if is_address(found.at, self.text) {
            return true;
        }
        let Some(by) = found.at.parent() else { return false };
        match by.kind() {
            "binary_expression" => {
                text_of(self.text, by).contains(">>") && by.child_by_field_name("right") == Some(found.at)
            }
            "argument_list" | "initializer_list" => self.may_bind(by),
            "init_declarator" => self.is_stored(found.at),
            _ => false,
        }
    }

    /// Returns whether what is called with a list of arguments may take one of them by reference.
    fn may_bind(&self, list: Node<'t>) -> bool {
        let Some(call) = list.parent().filter(|call| call.kind() == "call_expression") else { return true };
        let Some(function) = call.child_by_field_name("function") else { return true };
        let name = ["field", "name"].iter().find_map(|field| function.child_by_field_name(field)).unwrap_or(function);
        match self.calls.signature(name.start_byte()) {
            Some(signature) => {
                let parameters = signature.split_once('(').map_or("", |(_, rest)| rest);
                parameters.split(',').any(|part| part.contains('&') && !part.contains("const ") || part.contains("&&"))
            }
            None => function.kind() != "identifier" || CHANGING.contains(&text_of(self.text, function)),
        }
    }

    /// Returns whether the value that the lines leave in a variable may be read later.
    fn is_read_later(&self, index: usize) -> bool {
        let is_anywhere = || self.uses(index).any(|found| !found.is_in(&self.lives.selected.core) && found.is_read());
        let is_static = list_named(self.variable(index).by)
            .into_iter()
            .any(|part| part.kind() == "storage_class_specifier" && text_of(self.text, part) == "static");
        is_static
            || self.has_jumps && is_anywhere()
            || self.lives.is_read_later(index)
            || self.uses(index).any(|found| {
                found.at.start_byte() >= self.lives.selected.core.end
                    && (self.is_member(found.at) || self.is_stored(found.at))
            })
    }

    /// Chooses the value that is given back; the others are declared before the call.
    fn choose_output(
        &self,
        mut inputs: Vec<Input<'t>>,
        outputs: Vec<(usize, Declared<'t>, bool)>,
    ) -> Result<(Vec<Input<'t>>, Option<Output<'t>>)> {
        // One value is given back; more of them are shared.
        let count = outputs.len();
        let mut output = None;
        for (index, declared, is_new) in outputs {
            let variable = self.variable(index);
            let is_bound = !is_new || self.lives.is_always_bound(index, &self.lives.selected.statements);
            let can_return = declared.write_type().filter(|_| {
                count == 1
                    && !declared.has_storage("static")
                    && (declared.is_scalar() || !self.is_cpp || self.can_copy(&declared))
            });
            match can_return {
                Some(kind) if is_bound || !is_new => output = Some(Output { index, declared, kind, is_new }),
                _ if is_new => {
                    self.check_moved(index, &declared).map_err(|why| {
                        self.at(variable.at, format!("`{}` is used behind the lines, and {why}", variable.name))
                    })?;
                    let mode = if declared.is_array() { Mode::Value } else { Mode::Address };
                    inputs.push(Input { index, declared, mode, is_moved: true });
                }
                _ => match inputs.iter_mut().find(|input| input.index == index) {
                    Some(input) => input.mode = Mode::Address,
                    None => inputs.push(Input { index, declared, mode: Mode::Address, is_moved: false }),
                },
            }
        }
        for input in &inputs {
            let variable = self.variable(input.index);
            let mark = if self.is_cpp { '&' } else { '*' };
            let is_register = input.declared.has_storage("register") && !self.is_cpp;
            let is_plain = input.declared.is_reference() || input.declared.write("x", Some(mark)).is_some();
            if input.mode == Mode::Address && (is_register || !is_plain) {
                let why = format!("`{}` has no address that the new function could take", variable.name);
                return Err(self.at(variable.at, why));
            }
        }
        inputs.sort_by_key(|input| self.variable(input.index).at.start_byte());
        Ok((inputs, output))
    }

    /// Returns whether a value of C++ can be given back by its function.
    fn can_copy(&self, declared: &Declared<'t>) -> bool {
        let kind = declared.specifiers.trim_start_matches("const ");
        if declared.value.is_some() && !declared.is_constructed {
            return true;
        }
        let name = kind.split('<').next().unwrap_or(kind).rsplit("::").next().unwrap_or(kind);
        let lower = name.to_lowercase();
        if GUARDS.iter().any(|part| lower.contains(part)) || lower.contains("atomic") || lower.contains("stream") {
            return false;
        }
        match self.calls.class_named(name) {
            Some(class) => {
                let words: BTreeSet<&str> = split_words(&class.text).collect();
                !["delete", "DISALLOW_COPY_AND_ASSIGN", "atomic", "mutex", "Mutex", "unique_ptr"]
                    .iter()
                    .any(|word| words.contains(word))
            }
            None => kind.starts_with("std::"),
        }
    }

    /// Says why the declaration of a variable cannot stand before the call.
    fn check_moved(&self, index: usize, declared: &Declared<'t>) -> std::result::Result<(), &'static str> {
        let by = self.variable(index).by;
        let has_value = declared.value.is_some() || declared.is_constructed;
        if by.parent() != Some(self.lives.selected.block) {
            return Err("its declaration is not a statement of its own");
        }
        if declared.has_others {
            return Err("it is declared together with other names");
        }
        if declared.is_const() || declared.is_reference() || !declared.storage.is_empty() {
            return Err("its declaration cannot stand apart from its value");
        }
        if declared.is_constructed || has_value && (declared.is_array() || self.is_cpp && !declared.is_scalar()) {
            return Err("its value is made with it");
        }
        if declared.value.is_some_and(|value| value.kind() == "initializer_list") {
            return Err("its value is a list");
        }
        let is_local = |size: Node<'t>| {
            self.lives.locals.uses.iter().any(|found| size.byte_range().contains(&found.at.start_byte()))
        };
        if declared.size.is_some_and(is_local) {
            return Err("its size is a variable");
        }
        Ok(())
    }

    /// Refuses values that would end before what depends on them.
    fn check_lifetimes(&self, inputs: &[Input<'t>], output: Option<&Output<'t>>) -> Result<()> {
        // What points into others, then what would end with the lines.
        let selected = self.lives.selected;
        let ends_block = list_named(selected.block).last() == selected.statements.last();
        if ends_block {
            return Ok(());
        }
        let points = |declared: &Declared<'t>| {
            let lower = declared.specifiers.to_lowercase();
            declared.is_pointer() || VIEWS.iter().any(|part| lower.contains(part))
        };
        let kept = output.is_some_and(|output| points(&output.declared))
            || inputs.iter().any(|input| {
                input.mode == Mode::Address
                    && points(&input.declared)
                    && (input.is_moved || self.uses_inside(input.index).any(Use::is_write))
            });
        let is_kept = |index: usize| {
            output.is_some_and(|output| output.index == index) || inputs.iter().any(|input| input.index == index)
        };
        for (index, variable) in self.lives.locals.variables.iter().enumerate() {
            if variable.by.parent() != Some(selected.block)
                || !selected.core.contains(&variable.at.start_byte())
                || is_kept(index)
            {
                continue;
            }
            let Ok(declared) = Declared::read((self.text, self.is_cpp), (variable.by, variable.at), self.calls) else {
                continue;
            };
            let lower = declared.specifiers.to_lowercase();
            let is_class = self.is_cpp && !declared.is_scalar() && !declared.is_array() && !declared.is_reference();
            let is_idle = self.uses(index).count() == 1;
            if is_class && (is_idle || GUARDS.iter().any(|part| lower.contains(part))) {
                let why = format!(
                    "`{}` may hold something until its block ends, which goes on behind the lines",
                    variable.name
                );
                return Err(self.at(variable.at, why));
            }
            let is_view = VIEWS.iter().any(|part| lower.contains(part));
            let is_taken = self.uses(index).any(|found| is_address(found.at, self.text)) || declared.is_array();
            let is_stored = self.uses(index).any(|found| {
                self.is_stored(found.at) && found.at != variable.at
                    || declared.is_array()
                        && found.at.parent().is_some_and(|by| {
                            by.kind() == "assignment_expression" && by.child_by_field_name("right") == Some(found.at)
                        })
            });
            if is_stored || kept && (is_taken || is_class && !is_view) {
                let why = format!(
                    "something behind the lines may keep the address of `{}`, which would end with them",
                    variable.name
                );
                return Err(self.at(variable.at, why));
            }
        }
        Ok(())
    }
}

/// Returns whether a name is a part of what the compiler computes.
fn is_in_constant(at: Node<'_>) -> bool {
    let mut node = at;
    while let Some(parent) = node.parent().filter(|parent| parent.kind() != "compound_statement") {
        let is_part = |field: &str| parent.child_by_field_name(field) == Some(node);
        match parent.kind() {
            "static_assert_declaration" | "template_argument_list" | "enumerator" | "bitfield_clause" => return true,
            "array_declarator" if is_part("size") => return true,
            "case_statement" if is_part("value") => return true,
            _ => node = parent,
        }
    }
    false
}
