//! Written types.

use tree_sitter::Node;

use crate::facts::{BindingTarget, Collection, DefKind, Expr, ExprId, FactsBuilder, ListId, Literal, Namespace, Role};
use crate::languages::typescript::state::{Extractor, This, children};
use crate::walk::Step;

/// Type functions of the standard library that keep the members of their first argument.
const TRANSPARENT: &[&str] = &["Readonly", "Partial", "Required", "NonNullable", "Pick", "Omit", "NoInfer"];

impl Extractor<'_> {
    pub(in crate::languages::typescript) fn leave_type_node<'tree>(
        &mut self,
        kind: &str,
        step: Step<'tree>,
        path: &[Step<'tree>],
    ) {
        let node = step.node;
        match kind {
            "type_identifier" => self.type_identifier(step, path),
            "nested_type_identifier" => self.nested_type(step, path),
            "generic_type" => self.generic_type(node),
            "predefined_type" => self.predefined_type(node),
            "type_annotation"
            | "constraint"
            | "readonly_type"
            | "parenthesized_type"
            | "optional_type"
            | "default_type"
            | "opting_type_annotation"
            | "omitting_type_annotation"
            | "adding_type_annotation" => {
                self.pass(node, node.named_child(0));
            }
            "array_type" => {
                let Some(item) = node.named_child(0).map(|item| self.expr_of(item)) else { return };
                let scope = self.scope();
                let base = self.b.name_expr("Array", scope);
                let args = self.b.list(&[item]);
                self.set(node, Expr::Generic { base, args });
            }
            "tuple_type" => {
                let items: Vec<ExprId> = children(node)
                    .iter()
                    .map(|item| self.expr_of(item.child_by_field_name("type").unwrap_or(*item)))
                    .collect();
                let items = self.b.list(&items);
                self.set(node, Expr::Collection { kind: Collection::Tuple, items });
            }
            "union_type" if !inside(path, "union_type") => {
                let items = self.alternatives(node, "union_type");
                let mut values = self.type_values(node, "union_type");
                if !items.is_empty() {
                    let expr = self.b.union(&items);
                    self.exprs.set(node, expr);
                }
                // `typeof x | T`: a value of one of the two.
                if !values.is_empty() {
                    values.extend(items.iter().map(|&of| self.b.expr(Expr::Instance { of })));
                    let value = self.b.union(&values);
                    self.typeofs.set(node, value);
                }
            }
            "intersection_type" if !inside(path, "intersection_type") => self.intersection(node),
            _ => self.leave_type_form(kind, node),
        }
    }

    /// Types that are no plain names, containers or unions.
    fn leave_type_form(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "conditional_type" => {
                self.conditionals.pop();
                // The condition is not evaluated: either branch is possible.
                let both: Vec<ExprId> =
                    ["consequence", "alternative"].iter().filter_map(|field| self.field_expr(node, field)).collect();
                let expr = self.b.union(&both);
                self.exprs.set(node, expr);
            }
            "function_type" | "constructor_type" => {
                let result = node.child_by_field_name("return_type").or_else(|| node.child_by_field_name("type"));
                let result = result.map_or(self.b.unknown(), |result| self.expr_of(result));
                let parameters = self.parameter_types(node);
                self.set(node, Expr::Signature { parameters, result });
            }
            "literal_type" => {
                if let Some(constant) = node.named_child(0).and_then(|child| self.constant(child)) {
                    self.exprs.set(node, constant);
                    return;
                }
                let literal = node.named_child(0).map_or("null", |child| child.kind());
                let literal = match literal {
                    "string" => Literal::Str,
                    "number" | "unary_expression" => Literal::Float,
                    "true" | "false" => Literal::Bool,
                    _ => Literal::Null,
                };
                self.set(node, Expr::Literal(literal));
            }
            "template_literal_type" | "index_type_query" => self.set(node, Expr::Literal(Literal::Str)),
            "type_predicate" | "type_predicate_annotation" => self.set(node, Expr::Literal(Literal::Bool)),
            "this_type" => {
                if let This::Scope(scope) = self.frame().this {
                    self.set(node, Expr::SelfType { scope });
                }
            }
            "lookup_type" => self.lookup_type(node),
            "type_query" => {
                if let Some(value) = node.named_child(0).and_then(|child| self.find_known(child)) {
                    self.typeofs.set(node, value);
                }
            }
            "infer_type" => {
                if let Some(name) = node.named_child(0) {
                    let scope = self.conditionals.last().copied().unwrap_or(self.scope());
                    let name = self.b.name(self.source.text(name));
                    self.b.bind(scope, name, Namespace::Type, BindingTarget::Opaque);
                }
            }
            "mapped_type_clause" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let (scope, name) = (self.scope(), self.b.name(self.source.text(name)));
                    self.b.bind(scope, name, Namespace::Type, BindingTarget::Opaque);
                }
            }
            "type_parameters" => self.leave_type_parameters(),
            _ => {}
        }
    }

    /// `T["name"]` and `T[number]`: a member or an item of a `T`.
    fn lookup_type(&mut self, node: Node<'_>) {
        let (Some(object), Some(index)) = (node.named_child(0), node.named_child(1)) else { return };
        let base = match (self.typeofs.get(object), self.find_known(object)) {
            (Some(value), _) => value,
            (None, Some(of)) => self.b.expr(Expr::Instance { of }),
            (None, None) => return,
        };
        let key = index.named_child(0).filter(|key| index.kind() == "literal_type" && key.kind() == "string");
        let value = match key {
            Some(key) => {
                let value = self.b.member(base, self.property(key));
                self.refer(value, Role::Read, key, u8::MAX);
                value
            }
            None if self.source.text(index) == "number" => self.b.expr(Expr::Index { base }),
            None => return,
        };
        self.typeofs.set(node, value);
    }

    /// `{ [K in keyof T]: T[K] }` has the members of `T`, so it is treated as `T`.
    pub(in crate::languages::typescript) fn mapped_type(&self, node: Node<'_>) -> Option<ExprId> {
        let signature = node.named_child(0).filter(|child| child.kind() == "index_signature")?;
        let clause = signature.named_child(0).filter(|clause| clause.kind() == "mapped_type_clause")?;
        let of = clause.child_by_field_name("type").filter(|of| of.kind() == "index_type_query")?.named_child(0)?;
        let member = signature.child_by_field_name("type")?.named_child(0)?;
        let text = |node: Option<Node<'_>>| node.map_or("", |node| self.source.text(node));
        let same = member.kind() == "lookup_type"
            && text(member.named_child(0)) == text(Some(of))
            && text(member.named_child(1)) == text(clause.child_by_field_name("name"))
            && clause.child_by_field_name("alias").is_none()
            && node.named_child_count() == 1;
        self.find_known(of).filter(|_| same)
    }

    /// The types of the parameters of a function type.
    fn parameter_types(&mut self, node: Node<'_>) -> ListId {
        let Some(parameters) = node.child_by_field_name("parameters") else { return FactsBuilder::EMPTY };
        let mut types = Vec::new();
        for child in children(parameters) {
            let pattern = child.child_by_field_name("pattern").unwrap_or(child);
            if pattern.kind() == "this" || matches!(child.kind(), "decorator" | "ERROR") {
                continue;
            }
            let known = child.child_by_field_name("type").filter(|_| pattern.kind() != "rest_pattern");
            types.push(known.map_or(self.b.unknown(), |typed| self.expr_of(typed)));
        }
        self.b.list(&types)
    }

    fn set(&mut self, node: Node<'_>, expr: Expr) {
        let expr = self.b.expr(expr);
        self.exprs.set(node, expr);
    }

    fn pass(&mut self, node: Node<'_>, child: Option<Node<'_>>) {
        let Some(child) = child else { return };
        if let Some(expr) = self.exprs.get(child) {
            self.exprs.set(node, expr);
        }
        if let Some(value) = self.typeofs.get(child) {
            self.typeofs.set(node, value);
        }
    }

    fn type_identifier<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let Some(outer) = path.last() else { return };
        let declares = match outer.node.kind() {
            "class_declaration"
            | "abstract_class_declaration"
            | "class"
            | "interface_declaration"
            | "type_alias_declaration"
            | "type_parameter"
            | "mapped_type_clause" => step.field == Some("name"),
            "infer_type" | "nested_type_identifier" => true,
            _ => false,
        };
        if declares {
            return;
        }
        let text = self.source.text(node);
        if text == "const" {
            return;
        }
        let scope = self.scope();
        let expr = self.b.name_expr(text, scope);
        self.exprs.set(node, expr);
        self.refer(expr, type_role(step, path), node, u8::MAX);
    }

    /// `ns.Type`; the namespace was left before, unless it is dotted itself.
    fn nested_type<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let (Some(module), Some(name)) = (node.child_by_field_name("module"), node.child_by_field_name("name")) else {
            return;
        };
        let base = match self.exprs.get(module) {
            Some(base) => base,
            None => self.read_dotted(module),
        };
        let expr = self.b.member(base, self.source.text(name));
        self.exprs.set(node, expr);
        self.refer(expr, type_role(step, path), name, u8::MAX);
    }

    /// A dotted name of namespaces.
    fn read_dotted(&mut self, module: Node<'_>) -> ExprId {
        let scope = self.scope();
        let mut base = None;
        for word in self.source.text(module).split('.') {
            let word = word.trim();
            base = Some(match base {
                None => self.b.name_expr(word, scope),
                Some(base) => self.b.member(base, word),
            });
        }
        base.unwrap_or(self.b.unknown())
    }

    pub(in crate::languages::typescript) fn arguments_of(&self, arguments: Node<'_>) -> Vec<ExprId> {
        children(arguments).iter().map(|&argument| self.expr_of(argument)).collect()
    }

    fn generic_type(&mut self, node: Node<'_>) {
        let (Some(name), Some(arguments)) =
            (node.child_by_field_name("name"), node.child_by_field_name("type_arguments"))
        else {
            return;
        };
        let text = self.source.text(name);
        let first = arguments.named_child(0);
        if TRANSPARENT.contains(&text) {
            return self.pass(node, first);
        }
        let value = first.and_then(|first| self.typeofs.get(first));
        if let ("ReturnType" | "InstanceType", Some(callee)) = (text, value) {
            let call = self.b.expr(Expr::Call { callee, args: FactsBuilder::EMPTY });
            self.typeofs.set(node, call);
            return;
        }
        let base = self.expr_of(name);
        let args = self.arguments_of(arguments);
        let args = self.b.list(&args);
        self.set(node, Expr::Generic { base, args });
    }

    fn predefined_type(&mut self, node: Node<'_>) {
        let literal = match self.source.text(node) {
            "string" => Literal::Str,
            "number" => Literal::Float,
            "boolean" => Literal::Bool,
            // A property that is never there has no value.
            "void" | "never" => Literal::Null,
            _ => return,
        };
        self.set(node, Expr::Literal(literal));
    }

    /// The members of a union or intersection, nested ones laid flat; unknown ones left out.
    fn alternatives(&self, node: Node<'_>, kind: &str) -> Vec<ExprId> {
        let (mut open, mut items) = (vec![node], Vec::new());
        while let Some(node) = open.pop() {
            if node.kind() == kind {
                open.extend(children(node).into_iter().rev());
            } else if let Some(item) = self.find_known(node) {
                items.push(item);
            }
        }
        items
    }

    /// The values whose types are parts of a union or intersection.
    fn type_values(&self, node: Node<'_>, kind: &str) -> Vec<ExprId> {
        let (mut open, mut items) = (vec![node], Vec::new());
        while let Some(node) = open.pop() {
            match node.kind() == kind {
                true => open.extend(children(node).into_iter().rev()),
                false => items.extend(self.typeofs.get(node)),
            }
        }
        items
    }

    /// `A & B` is an interface that inherits both.
    fn intersection(&mut self, node: Node<'_>) {
        let mut items = self.alternatives(node, "intersection_type");
        // Written members are certain; they must come before parts that nothing is known of.
        items.sort_by_key(|&item| !matches!(self.b.facts().expr(item), Expr::Definition(_)));
        items.extend(self.type_values(node, "intersection_type"));
        let expr = match items[..] {
            [] => return,
            [one] => one,
            _ => {
                let scope = self.scope();
                let mut definition = self.blank(DefKind::Interface, "type", scope, node, (node, Some(node)));
                definition.flags.is_anonymous = true;
                definition.bases = self.b.list(&items);
                let id = self.add(node, definition);
                let body = self.b.scope(scope, crate::facts::ScopeKind::Class, Some(id));
                self.b.definition_mut(id).body = Some(body);
                self.b.expr(Expr::Definition(id))
            }
        };
        self.exprs.set(node, expr);
    }
}

fn inside(path: &[Step<'_>], kind: &str) -> bool {
    path.last().is_some_and(|step| step.node.kind() == kind)
}

fn type_role(step: Step<'_>, path: &[Step<'_>]) -> Role {
    let mut outer = path.iter().rev();
    let mut kind = outer.next().map_or("", |step| step.node.kind());
    if kind == "generic_type" && step.field == Some("name") {
        kind = outer.next().map_or("", |step| step.node.kind());
    }
    match kind {
        "implements_clause" => Role::Implement,
        "extends_type_clause" | "extends_clause" => Role::Inherit,
        _ => Role::Type,
    }
}
