//! Closures: unnamed functions that see the surrounding variables. If one is passed to a well-known method of an
//! iterator, option or result, its parameters are parts of the receiver.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use super::items::plain_name;
use crate::facts::{DefFlags, DefKind, Expr, ExprId, FactsBuilder, Parameter, ParameterKind, ScopeKind, Visibility};
use crate::walk::Step;

/// Arguments that a method passes to its closure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handed {
    /// One element, or the value inside.
    Element,
    /// Two elements.
    Two,
    /// Something of its own, then an element.
    Second,
    /// The error.
    Error,
    /// What the method is called on.
    Whole,
}

/// Methods that standard iterators, collections, options and results have.
fn find_handed(method: &str) -> Option<Handed> {
    Some(match method {
        // One element, or a reference to it.
        "all"
        | "and_then"
        | "any"
        | "binary_search_by"
        | "binary_search_by_key"
        | "chunk_by"
        | "count_by"
        | "dedup_by_key"
        | "filter"
        | "filter_map"
        | "find"
        | "find_map"
        | "flat_map"
        | "for_each"
        | "inspect"
        | "is_none_or"
        | "is_ok_and"
        | "is_some_and"
        | "map"
        | "map_or"
        | "map_or_else"
        | "map_while"
        | "max_by_key"
        | "min_by_key"
        | "par_for_each"
        | "partition"
        | "partition_point"
        | "position"
        | "retain"
        | "retain_mut"
        | "rfind"
        | "rposition"
        | "skip_while"
        | "sort_by_cached_key"
        | "sort_by_key"
        | "sort_unstable_by_key"
        | "take_while"
        | "try_for_each" => Handed::Element,
        // Two elements, an accumulator and an element, or the error.
        "dedup_by" | "max_by" | "min_by" | "reduce" | "sort_by" | "sort_unstable_by" => Handed::Two,
        "fold" | "scan" | "try_fold" => Handed::Second,
        "inspect_err" | "is_err_and" | "map_err" | "or_else" | "unwrap_or_else" => Handed::Error,
        _ => return None,
    })
}

impl Extractor<'_> {
    /// Defines the closure and opens its scope.
    pub(super) fn closure(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        drop(self.take_pending());
        let name = self.builder.name("");
        let pos = self.pos(node);
        let mut definition = self.builder.blank_definition(DefKind::Function, name, self.at.scope, pos);
        definition.line_end = self.source.end_line(node);
        definition.bytes = (node.start_byte() as u32, node.end_byte() as u32);
        definition.visibility = Visibility::Private;
        definition.flags = DefFlags {
            is_anonymous: true,
            is_local: self.at.is_local,
            is_test: self.at.is_test,
            ..DefFlags::default()
        };
        let handed = self.handed_parameters(node, path);
        self.open(node).handed = handed;
        if self.builder.full() {
            return;
        }
        let def = self.builder.definition(definition);
        let scope = self.builder.scope(self.at.scope, ScopeKind::Function, Some(def));
        self.builder.definition_mut(def).body = Some(scope);
        if let Some(frame) = self.frames.last_mut() {
            frame.def = Some(def);
            frame.is_function = true;
        }
        self.at.scope = scope;
        self.at.block_scopes = 0;
    }

    /// Values of a closure's parameters, if it is an argument: of a well-known method, or of a function that declares
    /// what it calls the closure with.
    fn handed_parameters(&mut self, closure: Node<'_>, path: &[Step<'_>]) -> Vec<ExprId> {
        let [.., call, arguments] = path else { return Vec::new() };
        if arguments.node.kind_name() != "arguments" || call.node.kind_name() != "call_expression" {
            return Vec::new();
        }
        let Some(callee) = call.node.child_by_field_name("function") else { return Vec::new() };
        if callee.kind_name() == "field_expression" {
            let method = callee.child_by_field_name("field").map_or("", |field| self.ident(field));
            let base = self.field_expr(callee, "value");
            if base != self.builder.unknown()
                && let Some(handed) = self.find_handed(method, base)
            {
                return self.handed_values(handed, base);
            }
        }
        let of = self.expr_of(Some(callee));
        if of == self.builder.unknown() {
            return Vec::new();
        }
        let before = super::children(arguments.node).into_iter().take_while(|argument| argument.id() != closure.id());
        let before: Vec<ExprId> = before.map(|argument| self.expr_of(Some(argument))).collect();
        let args = self.builder.list(&before);
        let by = self.builder.expr(Expr::Call { callee: of, args });
        let count = closure.child_by_field_name("parameters").map_or(0, |list| super::children(list).len());
        (0..count as u32).map(|parameter| self.builder.expr(Expr::Given { by, parameter })).collect()
    }

    /// The values that a method hands on: of a static, the methods of thread-local keys are well known, too.
    fn find_handed(&self, method: &str, base: ExprId) -> Option<Handed> {
        let facts = self.builder.facts();
        let is_static = match facts.expr(base) {
            Expr::Name { name, .. } | Expr::Path { name, .. } => {
                facts.name(name).chars().all(|c| c.is_uppercase() || c == '_' || c.is_numeric())
            }
            _ => false,
        };
        match method {
            "with" | "try_with" if is_static => Some(Handed::Whole),
            "with_borrow" | "with_borrow_mut" if is_static => Some(Handed::Element),
            _ => find_handed(method),
        }
    }

    fn handed_values(&mut self, handed: Handed, base: ExprId) -> Vec<ExprId> {
        let unknown = self.builder.unknown();
        match handed {
            Handed::Whole => vec![base],
            Handed::Error => vec![self.builder.expr(Expr::Item { base, index: 1 })],
            _ => {
                let element = self.builder.expr(Expr::Element { base });
                match handed {
                    Handed::Two => vec![element, element],
                    Handed::Second => vec![unknown, element],
                    _ => vec![element],
                }
            }
        }
    }

    /// Parameters of a closure, bound before its body is entered.
    pub(super) fn closure_parameters(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        if path.last().is_none_or(|parent| parent.node.kind_name() != "closure_expression") {
            return;
        }
        let Some((def, handed)) =
            self.frames.last_mut().and_then(|frame| Some((frame.def?, std::mem::take(&mut frame.handed))))
        else {
            return;
        };
        let scope = self.at.scope;
        let mut parameters: Vec<Parameter> = Vec::new();
        for child in super::children(node) {
            let (pattern, declared) = match child.kind_name() {
                "parameter" => {
                    let declared = child.child_by_field_name("type").and_then(|of| self.exprs.get(of));
                    (child.child_by_field_name("pattern"), declared)
                }
                _ => (Some(child), None),
            };
            let value = handed.get(parameters.len()).copied().filter(|&value| value != self.builder.unknown());
            match (pattern, declared, value) {
                (Some(pattern), None, Some(value)) => {
                    self.handed_parameter(pattern, value, &mut parameters);
                }
                _ => self.parameter(def, scope, &mut parameters, pattern, ParameterKind::Plain, declared),
            }
        }
        self.builder.parameters(def, &parameters);
    }

    /// A parameter of which the value is known.
    fn handed_parameter(&mut self, pattern: Node<'_>, value: ExprId, parameters: &mut Vec<Parameter>) {
        let name = match plain_name(pattern) {
            Some(name) => self.builder.name(self.ident(name)),
            None => self.builder.name(""),
        };
        parameters.push(Parameter { name, kind: ParameterKind::Plain, declared: None, default: None });
        self.bind_pattern(pattern, value, self.at.scope);
    }

    /// The closure is the value of its node.
    pub(super) fn end_closure(&mut self, node: Node<'_>) {
        let declared = node.child_by_field_name("return_type").and_then(|of| self.exprs.get(of));
        let body = node.child_by_field_name("body").and_then(|body| self.exprs.get(body));
        let Some(frame) = self.close(node) else { return };
        let Some(def) = frame.def else { return };
        let mut values = frame.returns;
        values.extend(body);
        let values = if declared.is_some() { FactsBuilder::EMPTY } else { self.builder.list(&values) };
        let definition = self.builder.definition_mut(def);
        definition.declared = declared;
        definition.values = values;
        let expr = self.builder.expr(Expr::Definition(def));
        self.exprs.set(node, expr);
    }
}
