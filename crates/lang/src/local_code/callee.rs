//! A function as what can stand in the place of its calls.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::Limits;
use tree_sitter::{Node, Tree};

use super::extract::result_type;
use super::locals::Locals;
use super::rules::LocalRules;
use super::{InlinedFunction, Obstacle, OwnMember, Result, line_of, list_named, refuse};
use crate::Language;

/// A parameter of a function that is inlined.
#[derive(Debug, Clone)]
pub(super) struct Parameter<'t> {
    pub(super) name: String,
    pub(super) kind: Option<String>,
    /// Its default value, as written.
    pub(super) default: Option<Node<'t>>,
    /// Its variable among the locals.
    pub(super) variable: usize,
}

/// A function whose calls are replaced.
pub(super) struct Callee<'a, 't> {
    pub(super) language: Language,
    pub(super) rules: &'static LocalRules,
    pub(super) text: &'a str,
    pub(super) function: Node<'t>,
    /// The whole declaration, with decorators and attributes.
    pub(super) top: Node<'t>,
    pub(super) locals: Locals<'t>,
    pub(super) parameters: Vec<Parameter<'t>>,
    /// The variable of the receiver, if it is a parameter.
    pub(super) receiver: Option<usize>,
    /// Whether it is a method: its calls have an object.
    pub(super) is_method: bool,
    /// Statements before the value.
    pub(super) statements: Vec<Node<'t>>,
    /// The value that it gives back.
    pub(super) value: Option<Node<'t>>,
    /// All statements, with those that return.
    pub(super) all: Vec<Node<'t>>,
    /// A parameter that is not one name.
    pub(super) odd_parameter: Option<Obstacle>,
    /// Why its statements and its value cannot stand where control goes on behind the call.
    pub(super) returns_early: Option<Obstacle>,
    pub(super) result: Option<String>,
    /// Whether its calls are awaited.
    pub(super) is_async: bool,
    /// Members of its class that a method of Java names without an object, by their first bytes.
    pub(super) members: BTreeMap<usize, OwnMember>,
    /// Calls without an object of what is not known to be a member.
    pub(super) unknown_calls: Vec<usize>,
    /// Static members of other classes that the file of a method of Java imports by their names, and that it uses.
    pub(super) imported_members: BTreeSet<String>,
}

impl<'a, 't> Callee<'a, 't> {
    /// Reads the function whose name stands on a line.
    pub(super) fn read(
        (language, rules): (Language, &'static LocalRules),
        tree: &'t Tree,
        inlined: &InlinedFunction<'a>,
        limits: &Limits,
    ) -> Result<Self> {
        let InlinedFunction { text, line, name, own_member } = *inlined;
        let function = find_function(rules, tree, text, (line, name))
            .ok_or_else(|| refuse(line, "no function with a body of its own is declared here"))?;
        let top = find_declaration(language, function);
        let locals = Locals::find((language, rules), tree, function, text, limits);
        let mut callee = Self {
            language,
            rules,
            text,
            function,
            top,
            locals,
            parameters: Vec::new(),
            receiver: None,
            is_method: false,
            statements: Vec::new(),
            value: None,
            all: Vec::new(),
            returns_early: None,
            odd_parameter: None,
            is_async: false,
            members: BTreeMap::new(),
            unknown_calls: Vec::new(),
            imported_members: BTreeSet::new(),
            result: result_type(function, text).filter(|found| found != "void"),
        };
        callee.check_head()?;
        callee.read_parameters()?;
        callee.read_body()?;
        callee.check_body()?;
        if language == Language::Java {
            callee.read_members(own_member);
        }
        Ok(callee)
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn refuse_at(&self, node: Node<'_>, why: impl Into<String>) -> Obstacle {
        Obstacle { line: line_of(self.text, node.start_byte()), why: why.into() }
    }

    fn check_head(&mut self) -> Result<()> {
        let body =
            self.function.child_by_field_name("body").ok_or_else(|| self.refuse_at(self.function, "it has no body"))?;
        let head = self.text.get(self.top.start_byte()..body.start_byte()).unwrap_or_default();
        let has = |word: &str| head.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
        let refused = match self.language {
            Language::Python if self.top.kind() == "decorated_definition" && self.decorator().is_none() => {
                Some("its decorators would be lost")
            }
            _ if self.function.child_by_field_name("type_parameters").is_some() => Some("it has type parameters"),
            _ if has("async") && self.language != Language::Python => Some("it is async"),
            _ if self.function.kind().starts_with("generator") => Some("it is a generator"),
            // A call of an `unsafe` function stands where its body may stand, too.
            Language::Rust if has("extern") => Some("it is `extern`"),
            Language::Java if has("synchronized") || has("Override") || has("abstract") || has("native") => {
                Some("its modifiers or annotations would be lost")
            }
            Language::TypeScript | Language::Tsx if head.contains(" is ") || has("asserts") => {
                Some("its result narrows types")
            }
            _ => None,
        };
        self.is_async = has("async");
        if self.top.has_error() {
            return Err(self.refuse_at(self.top, "it has syntax errors"));
        }
        match refused {
            Some(why) => Err(self.refuse_at(self.function, why)),
            None => Ok(()),
        }
    }

    /// The decorator of a method of Python that only says what its calls are made on.
    pub(super) fn decorator(&self) -> Option<&'a str> {
        let decorators = list_named(self.top).into_iter().filter(|child| child.kind() == "decorator");
        let mut names = decorators.map(|decorator| self.text_of(decorator).trim_start_matches('@').trim());
        let only = names.next().filter(|name| matches!(*name, "staticmethod" | "classmethod"))?;
        names.next().is_none().then_some(only)
    }

    fn read_parameters(&mut self) -> Result<()> {
        if let Some(list) = self.function.child_by_field_name("receiver") {
            self.is_method = true;
            let name = list.named_child(0).and_then(|own| own.child_by_field_name("name"));
            self.receiver = name.and_then(|name| self.variable_of(name));
        }
        // A method has an object before its parameters.
        let holder = if self.top.kind() == "decorated_definition" { self.top } else { self.function };
        let in_class = holder.parent().and_then(|block| block.parent()).is_some_and(|above| {
            matches!(
                above.kind(),
                "class_definition"
                    | "class_declaration"
                    | "class"
                    | "impl_item"
                    | "trait_item"
                    | "interface_declaration"
                    | "enum_declaration"
                    | "record_declaration"
                    | "enum_body"
            )
        });
        self.is_method |= in_class;
        let is_static = self.decorator() == Some("staticmethod");
        let single = self.function.child_by_field_name("parameter");
        let list = self.function.child_by_field_name("parameters");
        let nodes: Vec<Node<'t>> = single.into_iter().chain(list.into_iter().flat_map(list_named)).collect();
        // The parameters.
        for node in nodes {
            let is_first = self.parameters.is_empty() && self.receiver.is_none();
            if matches!(node.kind(), "self_parameter" | "keyword_separator" | "positional_separator") {
                continue;
            }
            let (names, kind, default) = match self.read_parameter(node) {
                Ok(found) => found,
                // A function literal keeps it as it is.
                Err(obstacle) if self.can_be_literal() => {
                    self.odd_parameter = self.odd_parameter.take().or(Some(obstacle));
                    continue;
                }
                Err(obstacle) => return Err(obstacle),
            };
            for name in names {
                // What Go calls `_` nothing can read: a variable that nothing uses.
                let unused = (self.language == Language::Go && self.text_of(name) == "_")
                    .then_some(usize::MAX - self.parameters.len());
                let variable = self.variable_of(name).or(unused);
                let variable = variable.ok_or_else(|| self.refuse_at(node, "its parameters cannot be read"))?;
                if self.language == Language::Python && in_class && is_first && !is_static {
                    self.receiver = Some(variable);
                    continue;
                }
                let name = self.text_of(name).to_owned();
                self.parameters.push(Parameter { name, kind: kind.clone(), default, variable });
            }
        }
        Ok(())
    }

    fn variable_of(&self, name: Node<'t>) -> Option<usize> {
        self.locals.variables.iter().position(|variable| variable.at == name)
    }

    /// The names, type and default value of a parameter.
    fn read_parameter(&self, node: Node<'t>) -> Result<(Vec<Node<'t>>, Option<String>, Option<Node<'t>>)> {
        let kind =
            node.child_by_field_name("type").map(|kind| self.text_of(kind).trim_start_matches(':').trim().to_owned());
        let value = node.child_by_field_name("value");
        let names = match node.kind() {
            "identifier" => vec![node],
            "default_parameter" | "typed_default_parameter" | "formal_parameter" => {
                node.child_by_field_name("name").into_iter().collect()
            }
            "typed_parameter" => node.named_child(0).into_iter().collect(),
            "required_parameter" | "parameter" => node.child_by_field_name("pattern").into_iter().collect(),
            "assignment_pattern" => node.child_by_field_name("left").into_iter().collect(),
            "parameter_declaration" => node.children_by_field_name("name", &mut node.walk()).collect(),
            _ => Vec::new(),
        };
        let value = value.or_else(|| node.child_by_field_name("right"));
        let is_plain = |name: &Node<'t>| name.kind() == "identifier";
        match !names.is_empty() && names.iter().all(is_plain) {
            true => Ok((names, kind, value)),
            false => Err(self.refuse_at(node, format!("its parameter `{}` is not a plain one", self.text_of(node)))),
        }
    }

    /// Reads the statements, and the value at their end.
    fn read_body(&mut self) -> Result<()> {
        let Some(body) = self.function.child_by_field_name("body") else { return Ok(()) };
        let list = match body.kind() {
            "statement_block" | "constructor_body" => Some(body),
            "block" => Some(body.named_child(0).filter(|list| list.kind() == "statement_list").unwrap_or(body)),
            _ => None,
        };
        // An expression, or statements.
        let Some(list) = list else {
            self.value = Some(body);
            return Ok(());
        };
        let mut statements = if list == body && self.language == Language::Go { Vec::new() } else { list_named(list) };
        let is_text = |node: &Node<'t>| {
            node.kind() == "expression_statement" && node.named_child(0).is_some_and(|child| child.kind() == "string")
        };
        if self.language == Language::Python && statements.first().is_some_and(is_text) {
            statements.remove(0);
        }
        statements.retain(|node| node.kind() != "pass_statement");
        self.all.clone_from(&statements);
        // The value at their end.
        let Some(last) = statements.last().copied() else { return Ok(()) };
        let inner = if last.kind() == "expression_statement" { last.named_child(0).unwrap_or(last) } else { last };
        let is_tail = self.language == Language::Rust
            && self.result.is_some()
            && !self.text_of(last).ends_with(';')
            && !last.kind().ends_with("_declaration");
        if is_tail {
            self.value = Some(inner);
            statements.pop();
        } else if self.rules.returns.contains(&inner.kind()) {
            statements.pop();
            let values = list_named(inner);
            self.value = match values.as_slice() {
                [value] if value.kind() == "expression_list" && value.named_child_count() != 1 => {
                    self.returns_early = Some(self.refuse_at(*value, "it gives back several values"));
                    None
                }
                [value] if value.kind() == "expression_list" => value.named_child(0),
                [value] => Some(*value),
                _ => None,
            };
        }
        self.statements = statements;
        Ok(())
    }

    /// Refuses what would not mean the same elsewhere.
    fn check_body(&mut self) -> Result<()> {
        let mut rest: Vec<(Node<'t>, bool)> =
            self.statements.iter().chain(&self.value).map(|node| (*node, false)).collect();
        let mut early = None;
        // Each node of the body.
        while let Some((node, in_function)) = rest.pop() {
            let kind = node.kind();
            let own = self.text_of(node);
            let leaves = self.rules.returns.contains(&kind) || kind == "try_expression";
            if leaves && !in_function {
                early = early.or_else(|| Some(self.refuse_at(node, "it returns in the middle")));
            }
            if self.rules.awaits.contains(&kind) && node.is_named() && !in_function && !self.is_async {
                return Err(self.refuse_at(node, "it awaits"));
            }
            let bound = self.rules.bound.iter().find(|(bound, _)| *bound == kind && !in_function);
            if let Some((_, why)) = bound {
                return Err(self.refuse_at(node, *why));
            }
            if self.rules.names.contains(&kind) && self.rules.frames.contains(&own) {
                return Err(self.refuse_at(node, format!("`{own}` looks at the function it is called in")));
            }
            if kind == "super" || kind == "macro_definition" {
                return Err(self.refuse_at(node, "`super` belongs to the method"));
            }
            if kind == "token_tree" && (own.contains('?') || own.contains("return")) {
                return Err(self.refuse_at(node, "a macro in it may return"));
            }
            let in_function = in_function || self.rules.functions.contains(&kind);
            rest.extend((0..node.child_count()).filter_map(|at| node.child(at)).map(|child| (child, in_function)));
        }
        self.returns_early = self.returns_early.take().or(early);
        if self.language == Language::Python && !self.locals.outer.is_empty() {
            return Err(self.refuse_at(self.function, "it writes variables of another function or of the module"));
        }
        let nested = self.locals.variables.iter().find(|variable| {
            self.language == Language::Rust
                && (variable.by.kind() == "function_item"
                    || variable.function != self.function.start_byte() && variable.by.kind().ends_with("_item"))
        });
        match nested {
            Some(variable) => Err(self.refuse_at(variable.at, "it declares items of its own")),
            None => Ok(()),
        }
    }

    /// Returns whether the language has functions that are called where they are written, with statements in them.
    pub(super) fn can_be_literal(&self) -> bool {
        matches!(self.language, Language::Go | Language::JavaScript | Language::TypeScript | Language::Tsx)
    }

    /// Returns whether no path through it gives back a value.
    pub(super) fn returns_nothing(&self) -> bool {
        let mut rest: Vec<Node<'t>> = self.all.clone();
        while let Some(node) = rest.pop() {
            if self.rules.returns.contains(&node.kind()) && node.named_child_count() > 0 {
                return false;
            }
            if !self.rules.functions.contains(&node.kind()) {
                rest.extend(list_named(node));
            }
        }
        self.value.is_none()
    }

    /// Names that it uses and does not declare, with their places; in its statements and its value.
    pub(super) fn list_free(&self) -> Vec<(&str, usize)> {
        let is_body = |at: usize| self.all.iter().chain(&self.value).any(|node| node.byte_range().contains(&at));
        self.locals.free.iter().filter(|(_, at)| is_body(*at)).map(|(name, at)| (name.as_str(), *at)).collect()
    }

    /// Names that all of it uses and does not declare, and packages in front of types.
    pub(super) fn list_names(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.locals.free.iter().map(|(name, _)| name.clone()).collect();
        names.extend(self.imported_members.iter().cloned());
        let mut rest = vec![self.function];
        while let Some(node) = rest.pop() {
            if node.kind() == "package_identifier" {
                names.insert(self.text_of(node).to_owned());
            }
            rest.extend(list_named(node));
        }
        names
    }

    /// Returns whether the body names the object of the method by a word of the language.
    pub(super) fn names_receiver(&self) -> Option<Node<'t>> {
        let mut rest: Vec<Node<'t>> = self.statements.iter().chain(&self.value).copied().collect();
        while let Some(node) = rest.pop() {
            if self.rules.receivers.contains(&node.kind()) || node.kind() == "self" {
                return Some(node);
            }
            rest.extend((0..node.child_count()).filter_map(|at| node.child(at)));
        }
        None
    }
}

/// The function whose name stands on a line.
fn find_function<'t>(rules: &LocalRules, tree: &'t Tree, text: &str, (line, name): (u32, &str)) -> Option<Node<'t>> {
    let row = line.checked_sub(1)? as usize;
    let mut rest = vec![tree.root_node()];
    while let Some(node) = rest.pop() {
        if row < node.start_position().row || row > node.end_position().row {
            continue;
        }
        let own = node.child_by_field_name("name").filter(|own| own.start_position().row == row);
        if own.and_then(|own| text.get(own.byte_range())) == Some(name) {
            if rules.functions.contains(&node.kind()) {
                return Some(node);
            }
            let value = node.child_by_field_name("value").filter(|value| rules.functions.contains(&value.kind()));
            if node.kind() == "variable_declarator" && value.is_some() {
                return value;
            }
        }
        rest.extend(list_named(node));
    }
    None
}

/// The declaration that is removed with a function.
fn find_declaration<'t>(language: Language, function: Node<'t>) -> Node<'t> {
    let mut top = function;
    while let Some(parent) = top.parent() {
        let is_part = match parent.kind() {
            "decorated_definition" => language == Language::Python,
            "export_statement" | "variable_declarator" => true,
            "lexical_declaration" | "variable_declaration" => parent.named_child_count() == 1,
            _ => false,
        };
        if !is_part {
            break;
        }
        top = parent;
    }
    top
}
