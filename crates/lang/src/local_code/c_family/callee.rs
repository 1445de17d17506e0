//! A function of C or C++ as what can stand in the place of its calls.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use super::super::locals::{Locals, Use};
use super::super::rules::C_FAMILY;
use super::super::{KnownCalls, Obstacle, Result, line_of, list_named, refuse};
use super::declared::{Declared, find_result, function_declarator, text_of};
use super::macros::Expansion;
use crate::Language;

/// A parameter of the function.
#[derive(Debug)]
pub(super) struct Parameter<'t> {
    /// Its variable; `None` if it has no name.
    pub(super) variable: Option<usize>,
    pub(super) declared: Option<Declared<'t>>,
    /// Its default value.
    pub(super) default: Option<Node<'t>>,
}

/// A function whose calls are replaced.
pub(super) struct Callee<'a, 't> {
    pub(super) text: &'a str,
    pub(super) is_cpp: bool,
    pub(super) function: Node<'t>,
    pub(super) locals: Locals<'t>,
    pub(super) parameters: Vec<Parameter<'t>>,
    /// The type that it gives back.
    pub(super) result: String,
    /// All statements.
    pub(super) all: Vec<Node<'t>>,
    /// Those before the value.
    pub(super) statements: Vec<Node<'t>>,
    pub(super) value: Option<Node<'t>>,
    /// A `return` that is not at the end.
    pub(super) returns_early: Option<Obstacle>,
    /// The class that it is a method of.
    pub(super) class: Option<String>,
    /// The namespaces around it.
    pub(super) spaces: Vec<String>,
    /// Variables that macros name: they keep their names.
    pub(super) pinned: BTreeSet<usize>,
    /// Calls of macros, which may use an argument more than once.
    pub(super) macro_calls: Vec<std::ops::Range<usize>>,
}

impl<'a, 't> Callee<'a, 't> {
    /// Reads the function whose name stands on a line.
    pub(super) fn read(
        language: Language,
        (tree, text): (&'t Tree, &'a str),
        (line, name): (u32, &str),
        (calls, limits): (&dyn KnownCalls, &m1nd_base::Limits),
    ) -> Result<Self> {
        let function = find_definition(tree, text, (line, name))
            .ok_or_else(|| refuse(line, "no function with a body of its own is declared here"))?;
        let at = |why: &str| Obstacle { line: line_of(text, function.start_byte()), why: why.to_owned() };
        if function.has_error() {
            return Err(at("it has syntax errors"));
        }
        let locals = Locals::find((language, &C_FAMILY), tree, function, text, limits);
        let result = find_result(text, function).map_err(|why| at(&format!("it {why}")))?;
        let is_cpp = language == Language::Cpp;
        // Its head, then its body.
        let mut callee = Self {
            text,
            is_cpp,
            function,
            locals,
            parameters: Vec::new(),
            result,
            all: Vec::new(),
            statements: Vec::new(),
            value: None,
            returns_early: None,
            class: find_class_of(text, function),
            spaces: list_spaces(text, function),
            pinned: BTreeSet::new(),
            macro_calls: Vec::new(),
        };
        callee.check_head()?;
        callee.read_parameters(calls)?;
        callee.read_body()?;
        callee.check_macros(calls)?;
        Ok(callee)
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'a str {
        text_of(self.text, node)
    }

    fn refuse_at(&self, node: Node<'_>, why: impl Into<String>) -> Obstacle {
        Obstacle { line: line_of(self.text, node.start_byte()), why: why.into() }
    }

    pub(super) fn uses(&self, variable: usize) -> impl Iterator<Item = &Use<'t>> {
        self.locals.of(variable).filter(move |found| found.at != self.locals.variables[variable].at)
    }

    /// Whether a variable gets another value, or its address is taken.
    pub(super) fn is_written(&self, variable: usize) -> bool {
        self.uses(variable).any(Use::is_write) || self.uses(variable).any(|found| self.is_part_written(found.at))
    }

    /// Whether a member of a value is written: `v.x = 1`, `&v.x`.
    fn is_part_written(&self, at: Node<'t>) -> bool {
        let mut node = at;
        while let Some(parent) = node.parent().filter(|parent| {
            parent.child_by_field_name("argument") == Some(node)
                && (parent.kind() == "field_expression" && !self.text_of(*parent).contains("->"))
        }) {
            node = parent;
        }
        node != at
            && node.parent().is_some_and(|by| match by.kind() {
                "assignment_expression" => by.child_by_field_name("left") == Some(node),
                "update_expression" => true,
                "pointer_expression" => self.text_of(by).starts_with('&'),
                _ => false,
            })
    }

    fn check_head(&self) -> Result<()> {
        let function = self.function;
        if self.result.is_empty() {
            return Err(self.refuse_at(function, "it is a constructor, a destructor or an operator"));
        }
        let above = function.parent().map_or("", |parent| parent.kind());
        if matches!(above, "template_declaration" | "friend_declaration" | "linkage_specification") {
            return Err(self.refuse_at(function, "it is a template or a declaration of another language"));
        }
        let body = function.child_by_field_name("body");
        let head = body.and_then(|body| self.text.get(function.start_byte()..body.start_byte())).unwrap_or_default();
        let has = |word: &str| super::declared::split_words(head).any(|own| own == word);
        match ["virtual", "override", "operator", "__attribute__", "noreturn", "_Noreturn"]
            .iter()
            .find(|word| has(word))
        {
            Some(word) => Err(self.refuse_at(function, format!("`{word}` in its head would be lost"))),
            None => Ok(()),
        }
    }

    fn read_parameters(&mut self, calls: &dyn KnownCalls) -> Result<()> {
        let list = function_declarator(self.function).and_then(|node| node.child_by_field_name("parameters"));
        for part in list.into_iter().flat_map(list_named) {
            if !matches!(part.kind(), "parameter_declaration" | "optional_parameter_declaration") {
                return Err(self.refuse_at(part, "it takes any number of arguments"));
            }
            if self.text_of(part) == "void" {
                continue;
            }
            let variable = self.locals.variables.iter().position(|variable| variable.by == part);
            let declared = match variable {
                Some(index) => {
                    let at = self.locals.variables[index].at;
                    let read = Declared::read((self.text, self.is_cpp), (part, at), calls);
                    Some(read.map_err(|why| self.refuse_at(part, format!("its parameter {why}")))?)
                }
                None => None,
            };
            self.parameters.push(Parameter { variable, declared, default: part.child_by_field_name("default_value") });
        }
        Ok(())
    }

    fn read_body(&mut self) -> Result<()> {
        let Some(body) = self.function.child_by_field_name("body") else { return Ok(()) };
        if body.kind() != "compound_statement" {
            return Err(self.refuse_at(body, "its body is not plain"));
        }
        self.all = list_named(body);
        self.statements.clone_from(&self.all);
        if let Some(last) = self.all.last().copied().filter(|last| last.kind() == "return_statement") {
            self.statements.pop();
            self.value = last.named_child(0);
        }
        // What would not mean the same elsewhere.
        let mut rest: Vec<(Node<'t>, bool)> =
            self.statements.iter().chain(&self.value).map(|node| (*node, false)).collect();
        while let Some((node, in_function)) = rest.pop() {
            let (kind, own) = (node.kind(), self.text_of(node));
            if kind == "return_statement" && !in_function {
                self.returns_early.get_or_insert(Obstacle {
                    line: line_of(self.text, node.start_byte()),
                    why: "it returns in the middle".to_owned(),
                });
            }
            let bound = C_FAMILY.bound.iter().find(|(bound, _)| *bound == kind && kind != "case_statement");
            if let Some((_, why)) = bound {
                return Err(self.refuse_at(node, *why));
            }
            if C_FAMILY.names.contains(&kind) && C_FAMILY.frames.contains(&own) {
                return Err(self.refuse_at(node, format!("`{own}` looks at the function it is called in")));
            }
            if kind == "storage_class_specifier" && own == "static" {
                return Err(self.refuse_at(node, "it keeps a value in a `static` variable"));
            }
            if kind == "string_literal" && node.end_position().row > node.start_position().row
                || kind == "raw_string_literal"
            {
                return Err(self.refuse_at(node, "a text of several lines cannot be moved"));
            }
            let in_function = in_function || kind == "lambda_expression";
            rest.extend(list_named(node).into_iter().map(|child| (child, in_function)));
        }
        Ok(())
    }

    /// Refuses macros that leave the function; notes the variables that macros name.
    fn check_macros(&mut self, calls: &dyn KnownCalls) -> Result<()> {
        let body = self.function.child_by_field_name("body").map_or(0..0, |body| body.byte_range());
        for (name, at) in self.locals.free.iter().filter(|(_, at)| body.contains(at)) {
            let Some(expansion) = Expansion::find(name, calls) else { continue };
            let line = line_of(self.text, *at);
            if let Some(word) = expansion.find_leaving() {
                return Err(refuse(line, &format!("the macro `{name}` has `{word}`, which may leave the function")));
            }
            let named = self.locals.variables.iter().enumerate();
            let named = named.filter(|(_, variable)| expansion.words().any(|word| word == variable.name));
            self.pinned.extend(named.map(|(index, _)| index));
            let leaf = self.function.descendant_for_byte_range(*at, *at + 1).and_then(|leaf| leaf.parent());
            if let Some(call) = leaf.filter(|call| call.kind() == "call_expression") {
                self.macro_calls.push(call.byte_range());
                let arguments =
                    self.locals.uses.iter().filter(|found| call.byte_range().contains(&found.at.start_byte()));
                if expansion.may_change() || expansion.is_textual() {
                    self.pinned.extend(arguments.map(|found| found.variable));
                }
            }
        }
        Ok(())
    }

    /// Names that it uses and does not declare, in its statements and its value, with their places.
    pub(super) fn list_free(&self) -> Vec<(&str, usize)> {
        let body = self.function.child_by_field_name("body").map_or(0..0, |body| body.byte_range());
        self.locals.free.iter().filter(|(_, at)| body.contains(at)).map(|(name, at)| (name.as_str(), *at)).collect()
    }
}

/// The definition of a function whose name stands on a line.
fn find_definition<'t>(tree: &'t Tree, text: &str, (line, name): (u32, &str)) -> Option<Node<'t>> {
    let row = line.checked_sub(1)? as usize;
    let mut rest = vec![tree.root_node()];
    while let Some(node) = rest.pop() {
        if row < node.start_position().row || row > node.end_position().row {
            continue;
        }
        let own = function_declarator(node).filter(|_| node.kind() == "function_definition").map(last_name);
        if own.is_some_and(|own| own.start_position().row == row && text_of(text, own) == name) {
            return Some(node);
        }
        rest.extend(list_named(node));
    }
    None
}

/// The name of what a declarator declares, without classes before it.
pub(super) fn last_name(declarator: Node<'_>) -> Node<'_> {
    let mut node = declarator.child_by_field_name("declarator").unwrap_or(declarator);
    while let Some(inner) = match node.kind() {
        "qualified_identifier" => node.child_by_field_name("name"),
        "parenthesized_declarator" => node.named_child(0),
        _ => None,
    } {
        node = inner;
    }
    node
}

/// The class that a definition belongs to: around it, or before its name.
pub(super) fn find_class_of(text: &str, definition: Node<'_>) -> Option<String> {
    let mut node = definition.parent();
    while let Some(above) = node {
        if matches!(above.kind(), "class_specifier" | "struct_specifier" | "union_specifier") {
            return above.child_by_field_name("name").map(|name| text_of(text, name).to_owned());
        }
        node = above.parent();
    }
    let mut name = function_declarator(definition)?.child_by_field_name("declarator")?;
    let mut scope = None;
    while name.kind() == "qualified_identifier" {
        scope = name.child_by_field_name("scope");
        name = name.child_by_field_name("name")?;
    }
    let scope = scope?;
    Some(text_of(text, scope.child_by_field_name("name").unwrap_or(scope)).to_owned())
}

/// The namespaces around a node.
pub(super) fn list_spaces(text: &str, node: Node<'_>) -> Vec<String> {
    let (mut found, mut node) = (Vec::new(), node.parent());
    while let Some(above) = node {
        if above.kind() == "namespace_definition" {
            found.push(above.child_by_field_name("name").map_or("", |name| text_of(text, name)).to_owned());
        }
        node = above.parent();
    }
    found.retain(|name| !name.is_empty());
    found
}

/// The prototypes of a name in a file: the bytes of each, with the line of its name.
pub(super) fn list_prototypes<'t>(tree: &'t Tree, text: &str, name: &str) -> Vec<(Node<'t>, u32, bool)> {
    let (mut found, mut rest) = (Vec::new(), vec![tree.root_node()]);
    while let Some(node) = rest.pop() {
        if matches!(node.kind(), "declaration" | "field_declaration") {
            let mut cursor = node.walk();
            let declarators: Vec<Node<'t>> = node.children_by_field_name("declarator", &mut cursor).collect();
            let own = declarators.iter().find_map(|declarator| {
                let mut at = *declarator;
                while matches!(at.kind(), "pointer_declarator" | "reference_declarator") {
                    at = at.child_by_field_name("declarator").or_else(|| at.named_child(0))?;
                }
                let own = last_name(at);
                (at.kind() == "function_declarator" && text_of(text, own) == name).then_some(own)
            });
            if let Some(own) = own {
                found.push((node, own.start_position().row as u32 + 1, declarators.len() == 1));
            }
        }
        if !matches!(node.kind(), "compound_statement") {
            rest.extend(list_named(node));
        }
    }
    found
}
