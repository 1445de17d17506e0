//! Functions, methods, function literals and the methods of interfaces.

use tree_sitter::Node;

use super::declare::type_parameter_names;
use super::state::{Extractor, MAX_NAME};
use super::{children, fields, parent_kind};
use crate::facts::{BindingTarget, Collection, DefId, DefKind, Expr, ExprId, Namespace, Parameter, ParameterKind};
use crate::text;
use crate::walk::Step;

/// Comments that give a function to a linker under a name.
const DIRECTIVES: &[&str] = &["//export ", "//go:linkname ", "//go:wasmexport "];

/// Types of the parameter of a part of a test.
const SUBTESTS: &[&str] = &["testing.T", "testing.B"];
/// Longest title in a name, in characters.
const MAX_TITLE: usize = 80;

impl Extractor<'_> {
    pub(super) fn open_function(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let body = node.child_by_field_name("body");
        let header_end = body.map_or(node.end_byte(), |body| body.start_byte());
        let id = self.define(DefKind::Function, name, node, header_end);
        let receiver = node.child_by_field_name("receiver");
        let is_test = receiver.is_none() && self.is_test(node, name);
        let is_entry = is_test || receiver.is_none() && (self.is_example(node, name) || self.is_exported_to_c(node));
        // `func init` and `func _` cannot be named.
        let nameless = receiver.is_none() && matches!(self.text(name), "init" | "_");
        if receiver.is_none() && !nameless {
            self.b.bind_definition(id, Namespace::Any);
        }
        let flags = &mut self.b.definition_mut(id).flags;
        flags.is_test = is_test;
        flags.is_entry = is_entry;
        flags.is_declaration = body.is_none();
        let generics = match receiver {
            Some(receiver) => receiver_type_parameters(receiver),
            None => node.child_by_field_name("type_parameters").map(type_parameter_names).unwrap_or_default(),
        };
        if !generics.is_empty() {
            self.open_generics(node, id, &generics);
        }
        self.open_function_frame(node, id);
    }

    fn is_test(&self, node: Node<'_>, name: Node<'_>) -> bool {
        let name = self.text(name);
        let parameters = node.child_by_field_name("parameters").map_or("", |parameters| self.text(parameters));
        let named =
            |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()));
        (named("Test") && parameters.contains("testing.T"))
            || (named("Benchmark") && parameters.contains("testing.B"))
            || (named("Fuzz") && parameters.contains("testing.F"))
    }

    /// An example that the test runner compares with its output.
    fn is_example(&self, node: Node<'_>, name: Node<'_>) -> bool {
        let parameters = node.child_by_field_name("parameters").map_or(0, |list| list.named_child_count());
        self.text(name).starts_with("Example") && parameters == 0 && node.child_by_field_name("result").is_none()
    }

    /// Has `//export name` among the comments directly above it, or is the other end of a `//go:linkname`.
    fn is_exported_to_c(&self, node: Node<'_>) -> bool {
        let mut above = node.prev_sibling();
        let mut line = node.start_position().row;
        while let Some(comment) = above.filter(|above| above.kind() == "comment") {
            if comment.end_position().row + 1 != line {
                return false;
            }
            let text = self.text(comment);
            if DIRECTIVES.iter().any(|directive| text.starts_with(directive)) {
                return true;
            }
            line = comment.start_position().row;
            above = comment.prev_sibling();
        }
        false
    }

    pub(super) fn open_literal(&mut self, node: Node<'_>) {
        let id = self.define_anonymous(DefKind::Function, node);
        if let Some((name, call)) = self.subtest(node) {
            let name = self.b.name(&name);
            let (start, end) = (call.start_position().row as u32 + 1, call.end_position().row as u32 + 1);
            let definition = self.b.definition_mut(id);
            definition.name = name;
            (definition.line_start, definition.line_end) = (start, end);
            definition.flags.is_anonymous = false;
            definition.flags.is_test = true;
        }
        let expr = self.b.expr(Expr::Definition(id));
        self.exprs.set(node, expr);
        self.open_function_frame(node, id);
    }

    /// The name of a function literal that is a part of a test, `run TITLE` for `t.Run("TITLE", func(t *testing.T) …)`,
    /// and the call. A title that is computed names nothing.
    fn subtest<'t>(&self, literal: Node<'t>) -> Option<(String, Node<'t>)> {
        let parameters = literal.child_by_field_name("parameters").map_or("", |parameters| self.text(parameters));
        if !SUBTESTS.iter().any(|of| parameters.contains(of)) {
            return None;
        }
        let arguments = literal.parent().filter(|arguments| arguments.kind() == "argument_list")?;
        let call = arguments.parent().filter(|call| call.kind() == "call_expression")?;
        let method = call.child_by_field_name("function")?.child_by_field_name("field")?;
        let title = arguments.named_child(0).filter(|title| title.kind().ends_with("string_literal"))?;
        let text = self.text(title);
        let text = text.get(1..text.len().saturating_sub(1)).unwrap_or(text).replace("::", ":");
        let title: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_TITLE).collect();
        (self.text(method) == "Run").then(|| (format!("run {title}"), call))
    }

    pub(super) fn open_method_elem(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let id = self.define(DefKind::Function, name, node, node.end_byte());
        let definition = self.b.definition_mut(id);
        definition.flags.is_abstract = true;
        definition.flags.is_local = false;
        self.b.bind_definition(id, Namespace::Any);
        self.open_function_frame(node, id);
    }

    /// Parameters, receivers and results, depending on the parent of the list.
    pub(super) fn leave_parameter_list<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let holder = parent_kind(path);
        let field = step.field.unwrap_or("");
        let binds = matches!(holder, "function_declaration" | "method_declaration" | "func_literal" | "method_elem");
        let rows = self.rows(step.node);
        if field == "result" {
            let expr = self.result(&rows);
            self.exprs.set(step.node, expr);
        }
        let id = self.frames.last().and_then(|frame| frame.definition).filter(|_| binds);
        let Some(id) = id else { return };
        match field {
            "result" => self.bind_results(&rows),
            "receiver" => self.receiver(id, &rows),
            "parameters" => self.parameters(id, &rows),
            _ => {}
        }
    }

    /// Name, type and kind of each entry of a parameter list.
    fn rows<'t>(&mut self, list: Node<'t>) -> Vec<(Option<Node<'t>>, ExprId, ParameterKind)> {
        let mut rows = Vec::new();
        for declaration in children(list) {
            let Some(ty) = declaration.child_by_field_name("type") else { continue };
            let ty = self.expr_of(Some(ty));
            let is_rest = declaration.kind() == "variadic_parameter_declaration";
            let kind = if is_rest { ParameterKind::Rest } else { ParameterKind::Plain };
            let names = fields(declaration, "name");
            if names.is_empty() {
                rows.push((None, ty, kind));
            }
            rows.extend(names.into_iter().map(|name| (Some(name), ty, kind)));
        }
        rows
    }

    /// One type, or a tuple of several.
    fn result(&mut self, rows: &[(Option<Node<'_>>, ExprId, ParameterKind)]) -> ExprId {
        let types: Vec<ExprId> = rows.iter().map(|row| row.1).collect();
        match types.as_slice() {
            [] => self.literal(crate::facts::Literal::Null),
            [one] => *one,
            many => {
                let items = self.b.list(many);
                self.b.expr(Expr::Collection { kind: Collection::Tuple, items })
            }
        }
    }

    fn bind_results(&mut self, rows: &[(Option<Node<'_>>, ExprId, ParameterKind)]) {
        for &(name, ty, _) in rows {
            if let Some(name) = name.and_then(|name| self.local_name(name)) {
                self.declare_here(name, BindingTarget::Typed(ty), false);
            }
        }
    }

    fn receiver(&mut self, id: DefId, rows: &[(Option<Node<'_>>, ExprId, ParameterKind)]) {
        let Some(&(name, ty, _)) = rows.first() else { return };
        let name = name.map_or("", |name| text::clip(self.text(name), MAX_NAME));
        let name = self.b.name(name);
        self.b.definition_mut(id).extends_type = Some(ty);
        let parameter = Parameter { name, kind: ParameterKind::Receiver, declared: Some(ty), default: None };
        if let Some(frame) = self.frames.last_mut() {
            frame.parameters.push(parameter);
        }
    }

    fn parameters(&mut self, id: DefId, rows: &[(Option<Node<'_>>, ExprId, ParameterKind)]) {
        let mut parameters =
            self.frames.last_mut().map(|frame| std::mem::take(&mut frame.parameters)).unwrap_or_default();
        for &(name, ty, kind) in rows {
            let name = name.map_or("", |name| text::clip(self.text(name), MAX_NAME));
            let name = self.b.name(name);
            parameters.push(Parameter { name, kind, declared: Some(ty), default: None });
        }
        self.b.parameters(id, &parameters);
        for (index, parameter) in parameters.iter().enumerate() {
            let text = self.b.facts().name(parameter.name);
            if !text.is_empty() && text != "_" {
                self.declare_here(parameter.name, BindingTarget::Parameter(id, index as u32), false);
            }
        }
    }

    pub(super) fn leave_function(&mut self, node: Node<'_>) {
        let Some(id) = self.frames.last().and_then(|frame| frame.definition) else { return };
        let Some(result) = node.child_by_field_name("result") else { return };
        let declared = self.expr_of(Some(result));
        self.b.definition_mut(id).declared = Some(declared);
    }
}

/// The names that a receiver declares by naming the type parameters of its type.
fn receiver_type_parameters(receiver: Node<'_>) -> Vec<Node<'_>> {
    let mut ty = children(receiver).first().and_then(|parameter| parameter.child_by_field_name("type"));
    while let Some(inner) = ty.filter(|ty| matches!(ty.kind(), "pointer_type" | "parenthesized_type")) {
        ty = inner.named_child(0);
    }
    let arguments = ty.and_then(|ty| ty.child_by_field_name("type_arguments"));
    let arguments = arguments.map(children).unwrap_or_default();
    arguments
        .into_iter()
        .filter_map(|element| element.named_child(0))
        .filter(|name| name.kind() == "type_identifier")
        .collect()
}
