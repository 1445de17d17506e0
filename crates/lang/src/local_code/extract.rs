//! Plans to make statements a function: its parameters, its results, and what stands in the way.

use m1nd_base::Limits;
use tree_sitter::{Node, Tree};

use super::flow::{Flow, ends_always};
use super::liveness::Lives;
use super::locals::{Locals, Variable};
use super::rules::{Act, LocalRules};
use super::select::Selected;
use super::types::Types;
use super::{KnownCalls, Lines, Obstacle, Result, line_of, list_named, refuse};
use crate::Language;

/// How a value is given to the new function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passing {
    /// As it is.
    Plain,
    /// As it is, to a parameter that is written.
    Mutable,
}

/// A value that the new function takes.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) kind: Option<String>,
    pub(super) passing: Passing,
}

/// A value that the new function gives back.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) name: String,
    pub(super) kind: Option<String>,
    /// Whether the statements declare it.
    pub(super) is_new: bool,
    /// Whether it is written after its declaration, behind the statements.
    pub(super) is_written_later: bool,
    /// Whether the function does not take it: it declares it itself.
    pub(super) needs_declaration: bool,
}

/// How the call of the new function ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// Control goes on behind it.
    GoesOn,
    /// Its value is what the function around it returns.
    Returns,
    /// The function around it ends there without a value.
    EndsEmpty,
}

/// How the new function gets at the object of the method around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Receiver {
    /// Not at all; it is a function.
    Function,
    /// It is a method; the text is the parameter of the receiver, or empty.
    Method(String),
    /// A method of the class.
    Static,
    /// `name.call(this, …)`
    Called,
}

/// All that a new function is made of.
pub(super) struct Plan<'a, 't> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) lines: Lines<'a>,
    pub(super) selected: Selected<'t>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) ending: Ending,
    pub(super) receiver: Receiver,
    pub(super) is_async: bool,
    /// Type parameters that it needs: those of the function around, as written.
    pub(super) generics: Option<Node<'t>>,
    /// Type of its value if the ending is `Returns`.
    pub(super) returned: Option<String>,
}

impl<'a, 't> Plan<'a, 't> {
    /// Plans the new function for lines.
    pub(super) fn new(
        (language, rules): (Language, &'static LocalRules),
        tree: &'t Tree,
        text: &'a str,
        lines: Lines<'a>,
        calls: &dyn KnownCalls,
        limits: &Limits,
    ) -> Result<Self> {
        let selected = Selected::find((language, rules), tree, text, (lines.first, lines.last))?;
        if selected.top.has_error() {
            return Err(refuse(line_of(text, selected.top.start_byte()), "the function has syntax errors"));
        }
        let locals = Locals::find((language, rules), tree, selected.top, text, limits);
        let flow = Flow::find((language, rules), &selected, text);
        if let Some(obstacle) = flow.obstacles.first() {
            return Err(obstacle.clone());
        }
        let planner = Planner {
            lives: Lives { language, rules, selected: &selected, locals: &locals },
            types: Types { language, text, locals: &locals, calls },
            flow: &flow,
            text,
        };
        planner.check_name(lines.name)?;
        planner.check_surroundings()?;
        let ending = planner.find_ending()?;
        let (inputs, outputs) = planner.list_values(&ending)?;
        let receiver = planner.find_receiver()?;
        let generics = planner.find_generics(&inputs, &outputs)?;
        let returned = (ending == Ending::Returns).then(|| result_type(selected.nearest, text)).flatten();
        planner.check_lifetimes((&inputs, &outputs), &receiver, returned.as_deref())?;
        let is_async = flow.has_await;
        let plan = Self {
            language, text, lines, inputs, outputs, ending, receiver, is_async, generics, returned, selected,
        };
        Ok(plan)
    }
}

/// The written type of what a function returns, without its mark.
pub(super) fn result_type(function: Node<'_>, text: &str) -> Option<String> {
    let field = ["return_type", "result", "type"].iter().find_map(|field| function.child_by_field_name(field))?;
    Some(text.get(field.byte_range())?.trim_start_matches(':').trim().to_owned())
}

struct Planner<'p, 'x, 't> {
    lives: Lives<'p, 't>,
    types: Types<'p, 't>,
    flow: &'p Flow<'t>,
    text: &'x str,
}

impl<'t> Planner<'_, '_, 't> {
    fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn refuse_at(&self, node: Node<'_>, why: impl Into<String>) -> Obstacle {
        Obstacle { line: line_of(self.text, node.start_byte()), why: why.into() }
    }

    fn first(&self) -> Node<'t> {
        self.lives.selected.statements[0]
    }

    fn is_typed(&self) -> bool {
        matches!(self.lives.language, Language::Go | Language::Rust | Language::Java | Language::TypeScript | Language::Tsx)
    }

    /// Refuses a name that the code around already has.
    fn check_name(&self, name: &str) -> Result<()> {
        if self.lives.locals.words.contains(name) {
            let why = format!("`{name}` is already a name in the function; choose another one");
            return Err(self.refuse_at(self.lives.selected.top, why));
        }
        Ok(())
    }

    /// Refuses places in which a new function would not mean what the statements mean.
    fn check_surroundings(&self) -> Result<()> {
        let selected = self.lives.selected;
        let mut node = selected.block.parent();
        while let Some(above) = node.filter(|above| above.start_byte() >= selected.home.start_byte()) {
            match (self.lives.language, above.kind()) {
                (Language::Rust, "unsafe_block") => {
                    return Err(self.refuse_at(above, "the lines are in an `unsafe` block, which a new function would not be in"));
                }
                (Language::Java, "lambda_expression") => {
                    return Err(self.refuse_at(above, "the lines are in a lambda, whose exceptions are not known"));
                }
                (Language::JavaScript | Language::TypeScript | Language::Tsx, "with_statement") => {
                    return Err(self.refuse_at(above, "the lines are in a `with` statement"));
                }
                _ => {}
            }
            node = above.parent();
        }
        let home = selected.home;
        let is_docstring = self.lives.language == Language::Python
            && home.child_by_field_name("body").and_then(|body| body.named_child(0)) == Some(self.first())
            && self.first().named_child(0).is_some_and(|child| child.kind() == "string");
        if is_docstring {
            return Err(self.refuse_at(self.first(), "the first line is the description of the function"));
        }
        match self.lives.language {
            Language::Rust => self.check_rust(home),
            Language::Java => self.check_java(home),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.check_script(home),
            _ => Ok(()),
        }
    }

    fn check_rust(&self, home: Node<'t>) -> Result<()> {
        let mut cursor = home.walk();
        let modifiers = home.named_children(&mut cursor).find(|child| child.kind() == "function_modifiers");
        let words = modifiers.map_or("", |node| self.text(node));
        if let Some(word) = ["unsafe", "const", "extern"].iter().find(|word| words.contains(**word)) {
            return Err(self.refuse_at(home, format!("the function is `{word}`, and the lines may need it to be")));
        }
        if home.kind() != "function_item" {
            return Err(self.refuse_at(home, "the lines are not inside of a function"));
        }
        if let Some(last) = self.lives.selected.statements.last()
            && self.is_value(*last)
            && !self.lives.selected.is_at_end()
        {
            return Err(self.refuse_at(*last, "the last line is the value of the block around it"));
        }
        Ok(())
    }

    /// Returns whether a statement of Rust may be the value of its block.
    fn is_value(&self, statement: Node<'t>) -> bool {
        let mut cursor = statement.parent().map_or_else(|| statement.walk(), |parent| parent.walk());
        let is_last = statement.parent().is_some_and(|block| {
            block.named_children(&mut cursor).filter(|child| !child.is_extra()).last() == Some(statement)
        });
        let kind = statement.kind();
        let is_done = kind.ends_with("_item") || kind.ends_with("_declaration") || kind == "empty_statement" || self.text(statement).ends_with(';');
        let inner = if kind == "expression_statement" { statement.named_child(0).unwrap_or(statement) } else { statement };
        let is_unit = matches!(inner.kind(), "for_expression" | "while_expression" | "assignment_expression" | "compound_assignment_expr")
            || inner.kind() == "if_expression" && inner.child_by_field_name("alternative").is_none();
        let in_loop = statement.parent().and_then(|block| block.parent()).is_some_and(|above| {
            matches!(above.kind(), "for_expression" | "while_expression" | "loop_expression")
        });
        is_last && !is_done && !is_unit && !in_loop
    }

    fn check_java(&self, home: Node<'t>) -> Result<()> {
        if home.kind() == "lambda_expression" {
            return Err(self.refuse_at(home, "the lines are not in a method"));
        }
        let container = self.lives.selected.top.parent().map_or("", |parent| parent.kind());
        if !matches!(container, "class_body" | "enum_body_declarations") {
            return Err(self.refuse_at(home, "only methods of classes and enums can be split"));
        }
        self.check_constructor(home.kind().ends_with("constructor_declaration"))
    }

    fn check_script(&self, home: Node<'t>) -> Result<()> {
        let is_constructor = home.child_by_field_name("name").is_some_and(|name| self.text(name) == "constructor");
        self.check_constructor(is_constructor && self.lives.language != Language::JavaScript)?;
        let is_super = |node: &&Node<'t>| node.kind() == "super" && node.parent().is_some_and(|parent| parent.kind() == "call_expression");
        if let Some(node) = self.flow.receivers.iter().find(is_super) {
            return Err(self.refuse_at(*node, "a constructor must call `super` itself"));
        }
        Ok(())
    }

    /// Refuses lines of a constructor that give fields their first values.
    fn check_constructor(&self, is_constructor: bool) -> Result<()> {
        if !is_constructor {
            return Ok(());
        }
        let mut rest: Vec<Node<'t>> = self.lives.selected.statements.clone();
        while let Some(node) = rest.pop() {
            let is_write = matches!(node.kind(), "assignment_expression" | "update_expression" | "augmented_assignment_expression");
            let left = node.child_by_field_name("left").or_else(|| node.named_child(0));
            if is_write && left.is_some_and(|left| !self.is_local(left)) {
                return Err(self.refuse_at(node, "a constructor must give its fields their values itself"));
            }
            let mut cursor = node.walk();
            rest.extend(node.named_children(&mut cursor));
        }
        Ok(())
    }

    fn is_local(&self, node: Node<'_>) -> bool {
        self.lives.locals.uses.iter().any(|found| found.at.start_byte() == node.start_byte())
            && !node.kind().contains("field") && !node.kind().contains("member")
    }

    /// Finds out how control leaves the statements.
    fn find_ending(&self) -> Result<Ending> {
        let selected = self.lives.selected;
        let language = self.lives.language;
        let result = result_type(selected.nearest, self.text).filter(|found| found != "void");
        let at_end = selected.is_at_end();
        let is_void = result.is_none() && matches!(language, Language::Go | Language::Java | Language::Rust);
        if language == Language::Rust {
            let leaves = self.flow.returns.first().or(self.flow.tries.first());
            let ends = at_end && !selected.nearest.kind().ends_with("block") && selected.nearest.kind() == "function_item";
            return match (leaves, ends) {
                (_, true) if is_void => Ok(Ending::EndsEmpty),
                (_, true) => Ok(Ending::Returns),
                (None, false) => Ok(Ending::GoesOn),
                (Some(node), false) => {
                    Err(self.refuse_at(*node, format!("`{}` leaves the function in the middle of it", self.text(*node).split([' ', ';']).next().filter(|word| *word == "return").unwrap_or("?"))))
                }
            };
        }
        let Some(first) = self.flow.returns.first() else {
            return Ok(if at_end && is_void { Ending::EndsEmpty } else { Ending::GoesOn });
        };
        let always = ends_always(self.lives.rules, &selected.statements, 0);
        let has_value = self.flow.returns.iter().any(|node| node.named_child_count() > 0);
        let is_named_result = language == Language::Go && !has_value && result.is_some();
        if is_named_result {
            return Err(self.refuse_at(*first, "`return` gives back results that the function names"));
        }
        match (language, has_value) {
            (Language::Go | Language::Java, false) if at_end => Ok(Ending::EndsEmpty),
            (Language::Go | Language::Java, true) if always => Ok(Ending::Returns),
            (Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx, _) if always || at_end => {
                Ok(Ending::Returns)
            }
            _ => Err(self.refuse_at(*first, "`return` leaves the function in the middle of the lines")),
        }
    }

    /// The values that the new function takes and gives back.
    fn list_values(&self, ending: &Ending) -> Result<(Vec<Input>, Vec<Output>)> {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let lives = &self.lives;
        for (index, variable) in lives.locals.variables.iter().enumerate() {
            let mut inside = lives.locals.of(index).filter(|found| found.is_in(&lives.selected.core));
            let Some(first) = inside.next() else { continue };
            // Names of functions that stand beside the home, not in it.
            if variable.known.start < lives.selected.home.start_byte() {
                continue;
            }
            if self.is_receiver(variable) || is_function_itself(variable, lives.selected.home) {
                continue;
            }
            let is_outside = lives.is_outside(index);
            if is_outside && is_kind_of_item(variable.by.kind()) && !self.is_type_parameter_of(variable, lives.selected.home) {
                self.check_item(variable, first.at)?;
            }
            if variable.by.kind().starts_with("type_parameter") {
                continue;
            }
            let is_written = lives.locals.of(index).any(|found| found.is_in(&lives.selected.core) && found.is_write());
            if is_outside {
                self.check_sharing(index, is_written)?;
            }
            let later = *ending == Ending::GoesOn && is_written && lives.is_read_later(index);
            if is_outside && *ending != Ending::GoesOn && is_written && variable.function != lives.selected.nearest.start_byte() {
                return Err(self.refuse_at(first.at, format!("`{}` is a variable of an outer function and gets a new value", variable.name)));
            }
            let is_input = is_outside && lives.needs_old_value(index);
            if is_input {
                inputs.push((variable.at.start_byte(), self.input(index, is_written)?));
            }
            if later {
                outputs.push((variable.at.start_byte(), self.output(index, is_outside, !is_input && is_outside)?));
            }
        }
        inputs.sort_by_key(|(at, _)| *at);
        outputs.sort_by_key(|(at, _)| *at);
        let rest = |input: &(usize, Input)| input.1.clone();
        Ok((inputs.iter().map(rest).collect(), outputs.into_iter().map(|(_, output)| output).collect()))
    }

    fn is_receiver(&self, variable: &Variable<'t>) -> bool {
        let home = self.lives.selected.home;
        match self.lives.language {
            Language::Go => home.child_by_field_name("receiver").is_some_and(|list| list.byte_range().contains(&variable.at.start_byte())),
            Language::Python => self.method_receiver().is_some_and(|node| node == variable.at),
            _ => false,
        }
    }

    /// The first parameter of a method of Python.
    fn method_receiver(&self) -> Option<Node<'t>> {
        let (home, top) = (self.lives.selected.home, self.lives.selected.top);
        let class = top.parent()?.parent()?;
        if home.kind() != "function_definition" || class.kind() != "class_definition" || self.has_decorator("staticmethod") {
            return None;
        }
        let first = home.child_by_field_name("parameters")?.named_child(0)?;
        match first.kind() {
            "identifier" => Some(first),
            "typed_parameter" => first.named_child(0),
            _ => None,
        }
    }

    fn has_decorator(&self, name: &str) -> bool {
        let top = self.lives.selected.top;
        let mut cursor = top.walk();
        top.kind() == "decorated_definition"
            && top.named_children(&mut cursor).any(|child| child.kind() == "decorator" && self.text(child).contains(name))
    }

    fn is_type_parameter_of(&self, variable: &Variable<'t>, home: Node<'t>) -> bool {
        variable.by.kind().starts_with("type_parameter")
            && home.child_by_field_name("type_parameters").is_some_and(|list| list.byte_range().contains(&variable.at.start_byte()))
    }

    /// Refuses to take along what only the function knows: types, functions and imports inside of it.
    fn check_item(&self, variable: &Variable<'t>, at: Node<'t>) -> Result<()> {
        let is_value = match self.lives.language {
            Language::Python => true,
            Language::JavaScript => !variable.by.kind().contains("interface"),
            _ => false,
        };
        if is_value {
            return Ok(());
        }
        Err(self.refuse_at(at, format!("`{}` is declared inside of the function, and a new function cannot name it", variable.name)))
    }

    /// Refuses variables that another function of the code may read or write at the same time.
    fn check_sharing(&self, index: usize, is_written: bool) -> Result<()> {
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        let core = &lives.selected.core;
        let nearest = lives.selected.nearest.start_byte();
        let uses: Vec<_> = lives.locals.of(index).collect();
        let inside_closure = uses.iter().find(|found| found.is_in(core) && found.function != nearest);
        let other_closure = uses.iter().any(|found| !found.is_in(core) && found.function != variable.function && found.function != nearest);
        let written_again = uses.iter().filter(|found| found.is_write() && self.is_new_value(found.act, found.at, variable)).any(|found| found.at.start_byte() >= core.start || self.is_in_loop_with(variable));
        if let Some(found) = inside_closure.filter(|found| written_again || found.is_write()) {
            return Err(self.refuse_at(found.at, format!("`{}` is shared with a function inside of the lines and gets a new value", variable.name)));
        }
        if is_written && other_closure {
            return Err(self.refuse_at(variable.at, format!("`{}` is shared with a function outside of the lines and gets a new value in them", variable.name)));
        }
        let borrowed = (lives.language == Language::Go)
            .then(|| uses.iter().find(|found| found.is_in(core) && self.is_address(found.at)))
            .flatten();
        if let Some(found) = borrowed {
            return Err(self.refuse_at(found.at, format!("the address of `{}` is taken", variable.name)));
        }
        Ok(())
    }

    fn is_new_value(&self, act: Act, at: Node<'t>, variable: &Variable<'t>) -> bool {
        !matches!(act, Act::Declare(_)) || at != variable.at
    }

    fn is_in_loop_with(&self, variable: &Variable<'t>) -> bool {
        let mut node = self.lives.selected.block.parent();
        while let Some(above) = node {
            if above.byte_range().contains(&variable.at.start_byte()) {
                return false;
            }
            if self.lives.rules.loops.contains(&above.kind()) {
                return true;
            }
            node = above.parent();
        }
        false
    }

    fn is_address(&self, at: Node<'t>) -> bool {
        let mut node = at;
        while let Some(parent) = node.parent().filter(|parent| matches!(parent.kind(), "selector_expression" | "index_expression" | "parenthesized_expression")) {
            if parent.child_by_field_name("operand").is_some_and(|operand| operand != node) {
                return false;
            }
            node = parent;
        }
        node.parent().is_some_and(|parent| parent.kind() == "unary_expression" && self.text(parent).starts_with('&'))
    }

    fn input(&self, index: usize, is_written: bool) -> Result<Input> {
        let variable = &self.lives.locals.variables[index];
        if !self.lives.is_bound_before(index) && self.lives.language != Language::Go {
            let why = format!("`{}` may not have a value where the lines begin", variable.name);
            return Err(self.refuse_at(self.first(), why));
        }
        let kind = self.types.of(variable);
        if self.is_typed() && kind.is_none() {
            return Err(self.refuse_at(variable.at, format!("the type of `{}`, which the lines use, is not known", variable.name)));
        }
        let mut passing = if is_written { Passing::Mutable } else { Passing::Plain };
        let kind_text = kind.as_deref().unwrap_or_default();
        match self.lives.language {
            Language::Rust => passing = self.pass_rust(index, kind_text, is_written)?,
            Language::Go => self.check_copy_of_go(index, kind_text)?,
            Language::TypeScript | Language::Tsx => self.check_narrowing(index, kind_text)?,
            _ => {}
        }
        Ok(Input { name: variable.name.clone(), kind, passing })
    }

    fn output(&self, index: usize, is_outside: bool, needs_declaration: bool) -> Result<Output> {
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        if variable.function != lives.selected.nearest.start_byte() && lives.language == Language::Python {
            return Err(self.refuse_at(variable.at, format!("`{}` belongs to an outer function", variable.name)));
        }
        if (!is_outside || needs_declaration) && lives.language != Language::Go && !lives.is_always_bound(index, &lives.selected.statements) {
            let why = format!("`{}` may not have a value at the end of the lines", variable.name);
            return Err(self.refuse_at(variable.at, why));
        }
        if !is_outside && is_kind_of_item(variable.by.kind()) && lives.language != Language::Python {
            return Err(self.refuse_at(variable.at, format!("`{}` is declared in the lines and used behind them", variable.name)));
        }
        let kind = self.types.of(variable);
        let needs_type = matches!(lives.language, Language::Go | Language::Rust | Language::Java);
        if needs_type && kind.is_none() {
            return Err(self.refuse_at(variable.at, format!("the type of `{}`, which is used behind the lines, is not known", variable.name)));
        }
        let end = lives.selected.core.end;
        let is_written_later = lives.locals.of(index).any(|found| found.is_write() && found.at.start_byte() >= end)
            || lives.locals.variables[index].by.child(0).is_some_and(|child| child.kind() == "mutable_specifier")
            || lives.language == Language::Rust && has_mut(variable);
        Ok(Output { name: variable.name.clone(), kind, is_new: !is_outside, is_written_later, needs_declaration })
    }

    /// Refuses values of Go that a copy would not stand for.
    fn check_copy_of_go(&self, index: usize, kind: &str) -> Result<()> {
        /// Interfaces of the standard library.
        const INTERFACES: &[&str] = &[
            "error", "any", "context.Context", "http.ResponseWriter", "http.Handler", "http.RoundTripper", "io.Reader",
            "io.Writer", "io.Closer", "io.ReadCloser", "io.ReadWriter", "io.WriteCloser", "net.Conn", "net.Listener",
            "net.Error", "net.Addr", "fmt.Stringer", "testing.TB", "reflect.Type", "fs.FS", "os.FileInfo",
            "http.HandlerFunc", "time.Duration",
        ];
        const BASIC: &[&str] = &[
            "string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
            "float32", "float64", "byte", "rune",
        ];
        let is_shared = ["*", "[]", "map[", "chan ", "<-chan ", "func(", "interface{", "interface {"].iter().any(|mark| kind.starts_with(mark));
        if is_shared || INTERFACES.contains(&kind) || BASIC.contains(&kind) {
            return Ok(());
        }
        let lives = &self.lives;
        let touched = lives.locals.of(index).filter(|found| found.is_in(&lives.selected.core)).find(|found| {
            found.at.parent().is_some_and(|parent| {
                let is_base = parent.child_by_field_name("operand") == Some(found.at);
                let above = parent.parent();
                let is_called = above.is_some_and(|call| call.kind() == "call_expression" && call.child_by_field_name("function") == Some(parent));
                let is_left = above.and_then(|list| list.parent()).is_some_and(|by| by.kind() == "assignment_statement" && by.child_by_field_name("left") == above);
                is_base && (is_called || is_left || above.is_some_and(|by| matches!(by.kind(), "selector_expression" | "inc_statement" | "dec_statement" | "index_expression")))
            })
        });
        match touched {
            Some(found) => Err(self.refuse_at(found.at, format!("`{}` may be a value that the lines change; a new function would change a copy", self.text(found.at)))),
            None => Ok(()),
        }
    }

    /// Refuses variables of TypeScript whose type conditions before the lines have narrowed.
    fn check_narrowing(&self, index: usize, kind: &str) -> Result<()> {
        let is_simple = |part: &str| {
            let part = part.trim().trim_end_matches("[]");
            matches!(part, "string" | "number" | "boolean" | "bigint" | "any" | "Date" | "RegExp" | "Error") || part.starts_with(['"', '\''])
        };
        if is_simple(kind) {
            return Ok(());
        }
        let lives = &self.lives;
        let start = lives.selected.core.start;
        let variable = &lives.locals.variables[index];
        let may_narrow = |found: &&super::locals::Use<'t>| {
            found.at.start_byte() < start && (self.is_in_condition(found.at) || found.is_write() && found.at != variable.at && kind.contains('|'))
        };
        match lives.locals.of(index).find(may_narrow) {
            Some(found) => Err(self.refuse_at(found.at, format!("the type of `{}` may be narrowed here", variable.name))),
            None if kind.contains('|') && variable.by.kind() == "variable_declarator" => {
                Err(self.refuse_at(variable.at, format!("the type of `{}` may be narrowed here", variable.name)))
            }
            None => Ok(()),
        }
    }

    fn is_in_condition(&self, at: Node<'t>) -> bool {
        let mut node = at;
        while let Some(parent) = node.parent() {
            let kind = parent.kind();
            let is_condition = ["condition", "value", "left"].iter().any(|field| parent.child_by_field_name(field) == Some(node));
            if matches!(kind, "if_statement" | "while_statement" | "ternary_expression" | "switch_statement" | "do_statement") && is_condition {
                return true;
            }
            if kind == "binary_expression" || kind == "call_expression" && parent.parent().is_some_and(|above| above.kind() == "expression_statement") {
                return true;
            }
            if kind.ends_with("statement") || kind == "statement_block" {
                return false;
            }
            node = parent;
        }
        false
    }

    /// How a value of Rust is given to the new function, where that is certain.
    fn pass_rust(&self, index: usize, kind: &str, is_written: bool) -> Result<Passing> {
        const COPIED: &[&str] = &[
            "bool", "char", "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "f32", "f64",
        ];
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        let refuse = |why: &str| Err(self.refuse_at(variable.at, format!("`{}` {why}", variable.name)));
        let inner = kind.trim_start_matches("&mut ").trim_start_matches('&');
        if inner.contains('&') || inner.contains("'_") {
            return refuse("has a type with a lifetime that is not written");
        }
        if variable.function != lives.selected.nearest.start_byte() && !COPIED.contains(&kind) {
            return refuse("is captured by a closure around the lines");
        }
        if COPIED.contains(&kind) || (kind.starts_with('&') && !kind.starts_with("&mut")) {
            let borrowed = lives.locals.of(index).find(|found| {
                found.is_in(&lives.selected.core) && found.at.parent().is_some_and(|parent| {
                    parent.kind() == "reference_expression" && self.text(parent).starts_with("&mut")
                })
            });
            return match borrowed {
                Some(_) => refuse("is borrowed mutably in the lines"),
                None => Ok(if is_written { Passing::Mutable } else { Passing::Plain }),
            };
        }
        if is_written && lives.is_read_later(index) {
            return refuse("gets a new value, and its type cannot be copied");
        }
        if kind.starts_with("&mut ") {
            return Ok(Passing::Plain);
        }
        // A value that is moved: nothing may need it later, or have borrowed from it.
        let end = lives.selected.core.end;
        let later = lives.locals.of(index).any(|found| found.at.start_byte() >= end && found.is_read());
        let looped = self.is_in_loop_with(variable);
        if later || looped {
            return refuse("is used behind the lines too, and may be moved in them");
        }
        let start = lives.selected.core.start;
        let bound = lives.locals.of(index).any(|found| found.at.start_byte() < start && found.at != variable.at && self.is_in_binding(found.at));
        if bound {
            return refuse("may be borrowed by another variable");
        }
        Ok(if is_written || has_mut(variable) { Passing::Mutable } else { Passing::Plain })
    }

    fn is_in_binding(&self, at: Node<'t>) -> bool {
        let mut node = at.parent();
        while let Some(above) = node.filter(|above| above.kind() != "block") {
            if matches!(above.kind(), "let_declaration" | "assignment_expression" | "let_condition" | "match_expression" | "for_expression" | "closure_expression") {
                return true;
            }
            node = above.parent();
        }
        false
    }

    /// How the new function gets at the object of the method.
    fn find_receiver(&self) -> Result<Receiver> {
        let selected = self.lives.selected;
        let home = selected.home;
        let used = self.flow.receivers.first();
        match self.lives.language {
            Language::Python => {
                let in_class = selected.top.parent().and_then(|block| block.parent()).is_some_and(|class| class.kind() == "class_definition");
                Ok(match (self.method_receiver(), in_class) {
                    (Some(receiver), _) => Receiver::Method(self.text(receiver).to_owned()),
                    (None, true) => Receiver::Static,
                    (None, false) => Receiver::Function,
                })
            }
            Language::Go => {
                let receiver = home.child_by_field_name("receiver");
                let name = receiver.and_then(|list| list.named_child(0)).and_then(|parameter| parameter.child_by_field_name("name"));
                let Some((receiver, name)) = receiver.zip(name) else { return Ok(Receiver::Function) };
                let uses = self.lives.locals.variables.iter().position(|variable| variable.at == name);
                let used = uses.and_then(|index| self.lives.locals.of(index).find(|found| found.is_in(&selected.core)));
                let is_pointer = self.text(receiver).contains('*');
                match used {
                    None if self.text(receiver).contains('[') => Ok(Receiver::Method(self.text(receiver).to_owned())),
                    None => Ok(Receiver::Function),
                    Some(found) if found.is_write() => Err(self.refuse_at(found.at, "the receiver gets a new value")),
                    Some(found) if !is_pointer && self.is_changed_member(found.at) => Err(self.refuse_at(found.at, "the receiver is a value that the lines change")),
                    Some(_) => Ok(Receiver::Method(self.text(receiver).to_owned())),
                }
            }
            Language::Rust => self.find_rust_receiver(home, used.copied()),
            Language::Java => {
                let mut cursor = home.walk();
                let modifiers = home.named_children(&mut cursor).find(|child| child.kind() == "modifiers").map_or("", |node| self.text(node));
                Ok(match modifiers.split_whitespace().any(|word| word == "static") {
                    true => Receiver::Static,
                    false => Receiver::Method(String::new()),
                })
            }
            _ => self.find_script_receiver(home, used.copied()),
        }
    }

    fn is_changed_member(&self, at: Node<'t>) -> bool {
        let mut node = at;
        while let Some(parent) = node.parent().filter(|parent| matches!(parent.kind(), "selector_expression" | "index_expression")) {
            node = parent;
        }
        node.parent().is_some_and(|parent| match parent.kind() {
            "expression_list" => parent.parent().is_some_and(|by| by.kind() == "assignment_statement" && by.child_by_field_name("left") == Some(parent)),
            kind => matches!(kind, "inc_statement" | "dec_statement"),
        })
    }

    fn find_rust_receiver(&self, home: Node<'t>, used: Option<Node<'t>>) -> Result<Receiver> {
        let selected = self.lives.selected;
        let block = home.parent().and_then(|list| list.parent());
        let own_type = self.lives.locals.words.contains("Self") && self.text.get(selected.core.clone()).unwrap_or_default().contains("Self");
        let is_trait = block.is_some_and(|block| block.kind() == "trait_item" || block.child_by_field_name("trait").is_some());
        if is_trait {
            let names = block.and_then(|block| block.child_by_field_name("type_parameters")).map(|list| self.text(list));
            let words = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect::<Vec<_>>();
            let own = words(self.text(home));
            if words(names.unwrap_or_default()).iter().any(|name| !name.is_empty() && own.contains(name)) {
                return Err(self.refuse_at(home, "type parameters of the `impl` are not known outside of it"));
            }
            return match used {
                Some(node) => Err(self.refuse_at(node, "a method of a trait cannot get another method beside it")),
                None if own_type => Err(self.refuse_at(home, "`Self` of a trait is not known outside of it")),
                None => Ok(Receiver::Function),
            };
        }
        let Some(node) = used else {
            let in_impl = block.is_some_and(|block| block.kind() == "impl_item");
            return Ok(if in_impl { Receiver::Static } else { Receiver::Function });
        };
        let parameters = home.child_by_field_name("parameters");
        let own = parameters.and_then(|list| list.named_child(0)).filter(|first| first.kind() == "self_parameter");
        let own = own.map_or("", |first| self.text(first));
        if node.kind() == "self" && node.parent().is_some_and(|parent| parent.kind() == "scoped_identifier" || parent.kind().starts_with("use_")) {
            return Err(self.refuse_at(node, "`self` is a module here"));
        }
        if selected.nearest != home {
            return Err(self.refuse_at(node, "`self` is captured by a closure around the lines"));
        }
        match own {
            "&self" | "&mut self" => Ok(Receiver::Method(own.to_owned())),
            _ => Err(self.refuse_at(node, "`self` is not a plain reference")),
        }
    }

    fn find_script_receiver(&self, home: Node<'t>, used: Option<Node<'t>>) -> Result<Receiver> {
        let selected = self.lives.selected;
        let is_member = home.parent().is_some_and(|parent| parent.kind() == "class_body");
        let in_class = selected.top.parent().is_some_and(|parent| parent.kind() == "class_body");
        // `this` at the site is that of the method if only arrow functions are between.
        let mut node = Some(selected.nearest);
        let mut is_bound = true;
        while let Some(above) = node.filter(|above| *above != home) {
            is_bound &= above.kind() == "arrow_function" || !self.lives.rules.functions.contains(&above.kind());
            node = above.parent();
        }
        let is_static = |top: Node<'t>| {
            let mut cursor = top.walk();
            top.children(&mut cursor).any(|child| child.kind() == "static")
        };
        match used {
            None if in_class && is_member && is_bound && !is_static(home) => Ok(Receiver::Method(String::new())),
            None if in_class => match selected.top.parent().and_then(|body| body.parent()).and_then(|class| class.parent()).map(|above| above.kind()) {
                Some("program" | "export_statement") => Ok(Receiver::Function),
                _ => Err(self.refuse_at(home, "the class is declared inside of other code")),
            },
            None => Ok(Receiver::Function),
            Some(node) if node.kind() == "super" && !(is_member && is_bound) => Err(self.refuse_at(node, "`super` belongs to the method around the lines")),
            Some(_) if in_class && is_member && is_bound && !is_static(home) => Ok(Receiver::Method(String::new())),
            Some(node) if self.lives.language != Language::JavaScript => Err(self.refuse_at(node, "the type of `this` is not known here")),
            Some(_) => Ok(Receiver::Called),
        }
    }

    /// Refuses results of Rust and TypeScript whose written type is not what the lines give.
    fn check_lifetimes(
        &self,
        (inputs, outputs): (&[Input], &[Output]),
        receiver: &Receiver,
        returned: Option<&str>,
    ) -> Result<()> {
        let is_elided = |kind: &str| kind.contains("'_") || kind.match_indices('&').any(|(at, _)| !kind[at + 1..].starts_with('\''));
        let kinds = || outputs.iter().filter_map(|output| output.kind.as_deref()).chain(returned);
        match self.lives.language {
            Language::Rust => {
                let count = inputs.iter().filter(|input| is_elided(input.kind.as_deref().unwrap_or_default())).count();
                let home = self.lives.selected.home.child_by_field_name("parameters");
                let parameters = home.map_or(0, |list| list_named(list).into_iter().filter(|node| is_elided(self.text(*node))).count());
                let is_clear = matches!(receiver, Receiver::Method(_)) || count == 1 && parameters == 1;
                match kinds().any(is_elided) && !is_clear {
                    true => Err(self.refuse_at(self.first(), "the lifetime of what the lines give back is not written")),
                    false => Ok(()),
                }
            }
            Language::TypeScript | Language::Tsx => {
                match outputs.iter().find(|output| output.kind.as_deref().is_some_and(|kind| kind.contains('|'))) {
                    Some(output) => Err(self.refuse_at(self.first(), format!("the type of `{}` may be narrowed in the lines", output.name))),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// The type parameters that the new function needs: those of the home, if one of them is named.
    fn find_generics(&self, inputs: &[Input], outputs: &[Output]) -> Result<Option<Node<'t>>> {
        let home = self.lives.selected.home;
        let Some(list) = home.child_by_field_name("type_parameters") else { return Ok(None) };
        let mut texts: Vec<&str> = inputs.iter().filter_map(|input| input.kind.as_deref()).collect();
        texts.extend(outputs.iter().filter_map(|output| output.kind.as_deref()));
        texts.push(self.text.get(self.lives.selected.core.clone()).unwrap_or_default());
        let result = result_type(self.lives.selected.nearest, self.text).unwrap_or_default();
        texts.push(&result);
        let mut cursor = list.walk();
        let names: Vec<&str> = list
            .named_children(&mut cursor)
            .filter_map(|child| child.child_by_field_name("name").or_else(|| child.named_child(0)).or(Some(child)))
            .map(|name| self.text(name))
            .collect();
        let has_word = |text: &str, name: &str| {
            text.match_indices(name).any(|(at, _)| {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
            })
        };
        let needs = names.iter().any(|name| texts.iter().any(|text| has_word(text, name)));
        let can_infer = |name: &&str| inputs.iter().any(|input| has_word(input.kind.as_deref().unwrap_or_default(), name));
        match needs {
            false => Ok(None),
            true if names.iter().all(|name| can_infer(name) || name.starts_with('\'')) => Ok(Some(list)),
            true => Err(self.refuse_at(list, "the lines need type parameters that the values they take do not show")),
        }
    }
}

/// Returns whether a declaration of Rust begins with `mut`.
fn has_mut(variable: &Variable<'_>) -> bool {
    let mut cursor = variable.by.walk();
    variable.by.children(&mut cursor).any(|child| child.kind() == "mutable_specifier")
        || variable.at.parent().is_some_and(|parent| parent.kind() == "mut_pattern")
}

fn is_function_itself(variable: &Variable<'_>, home: Node<'_>) -> bool {
    variable.by == home && variable.known.start <= home.start_byte()
}

/// Returns whether a node declares something other than a variable.
fn is_kind_of_item(kind: &str) -> bool {
    kind.ends_with("_item") || kind.starts_with("use_") || kind.ends_with("_spec") && kind != "var_spec"
        || kind.starts_with("type_parameter")
        || matches!(
            kind,
            "class_declaration" | "record_declaration" | "interface_declaration" | "enum_declaration"
                | "type_alias_declaration" | "function_declaration" | "generator_function_declaration"
        )
}
