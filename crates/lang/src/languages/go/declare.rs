//! Packages, imports, constants, variables and types.

use tree_sitter::Node;

use super::state::{Extractor, MAX_NAME, Repeated};
use super::{children, fields, parent_kind};
use crate::facts::{
    BindingTarget, DefId, DefKind, Expr, ExprId, Import, ImportFlags, ImportKind, NameId, Namespace, Role, ScopeKind,
    TypeParameter,
};
use crate::text;
use crate::walk::Step;

impl Extractor<'_> {
    pub(super) fn package(&mut self, node: Node<'_>) {
        let Some(name) = node.named_child(0) else { return };
        let name = self.b.name(text::clip(self.text(name), MAX_NAME));
        let doc = self.doc_before(node.start_byte());
        let facts = self.b.facts_mut();
        facts.package = Some(name);
        facts.doc = doc;
    }

    pub(super) fn import(&mut self, node: Node<'_>) {
        let Some(path) = node.child_by_field_name("path") else { return };
        let module = text::clip(self.text(path).trim_matches(['"', '`']), MAX_NAME);
        let alias = node.child_by_field_name("name");
        let (kind, bound) = match alias.map(|alias| (alias.kind(), self.text(alias))) {
            Some(("dot", _)) => (ImportKind::Wildcard, None),
            Some(("blank_identifier", _)) => (ImportKind::SideEffect, None),
            Some((_, name)) => (ImportKind::Module, Some(name)),
            // The name is the one that the package declares; by custom the last part of its path.
            None => (ImportKind::Module, Some(package_name(module))),
        };
        let module = self.b.name(module);
        let bound = bound.filter(|name| !name.is_empty()).map(|name| self.b.name(text::clip(name, MAX_NAME)));
        self.packages.extend(bound.map(|bound| (bound, module)));
        let scope = crate::facts::FactsBuilder::FILE;
        let pos = self.pos(path);
        let flags = ImportFlags::default();
        self.b.import(Import { kind, module, level: 0, path: None, scope, pos, flags }, bound);
    }

    pub(super) fn enter_declaration<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        match node.kind() {
            "const_declaration" => self.repeated = Repeated::default(),
            "const_spec" if !self.is_local() => self.open_variables(node, path, DefKind::Constant),
            "var_spec" if !self.is_local() => self.open_variables(node, path, DefKind::Variable),
            "type_spec" | "type_alias" => self.open_type(node, path),
            "struct_type" => self.open_body(node, path, DefKind::Struct),
            "interface_type" => self.open_body(node, path, DefKind::Interface),
            "field_declaration" => self.open_fields(node),
            "function_declaration" | "method_declaration" => self.open_function(node),
            "func_literal" => self.open_literal(node),
            "method_elem" => self.open_method_elem(node),
            _ => {}
        }
    }

    /// Returns whether the node was a declaration.
    pub(super) fn leave_declaration<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) -> bool {
        let node = step.node;
        match node.kind() {
            "const_spec" => self.leave_constants(node),
            "var_spec" => self.leave_variables(node),
            "type_spec" | "type_alias" => self.leave_type_spec(node),
            "type_parameter_list" => self.leave_type_parameters(node),
            "struct_type" | "interface_type" => self.leave_body(node),
            "field_declaration" => self.leave_fields(node),
            "type_elem" => self.leave_type_elem(node, path),
            "parameter_list" => self.leave_parameter_list(step, path),
            "function_declaration" | "method_declaration" | "func_literal" | "method_elem" => {
                self.leave_function(node);
            }
            _ => return false,
        }
        true
    }

    /// Constants and variables of the package, one definition a name.
    fn open_variables<'t>(&mut self, node: Node<'t>, path: &[Step<'t>], kind: DefKind) {
        let extent = extent(node, path);
        for name in fields(node, "name") {
            if self.text(name) == "_" {
                continue;
            }
            let id = self.define(kind, name, extent, extent.end_byte());
            self.b.bind_definition(id, Namespace::Any);
            // Found again when the line is left.
            let here = self.b.expr(Expr::Definition(id));
            self.exprs.set(name, here);
        }
    }

    fn leave_constants(&mut self, node: Node<'_>) {
        let declared = node.child_by_field_name("type").map(|ty| self.expr_of(Some(ty)));
        let values = node.child_by_field_name("value");
        // A line without values repeats the type and values of the line before.
        if values.is_some() || declared.is_some() {
            let values = self.value_exprs(values, fields(node, "name").len());
            self.repeated = Repeated { declared, values };
        }
        let Repeated { declared, values } = self.repeated.clone();
        self.give(node, declared, &values);
    }

    fn leave_variables(&mut self, node: Node<'_>) {
        let declared = node.child_by_field_name("type").map(|ty| self.expr_of(Some(ty)));
        let values = self.value_exprs(node.child_by_field_name("value"), fields(node, "name").len());
        self.give(node, declared, &values);
    }

    /// Gives the names of a line their type or values: to definitions of the package, or to new local names.
    fn give(&mut self, node: Node<'_>, declared: Option<ExprId>, values: &[ExprId]) {
        let mut locals = Vec::new();
        for (index, name) in fields(node, "name").into_iter().enumerate() {
            let value = values.get(index).copied();
            if let Some(known) = self.exprs.get(name)
                && let Expr::Definition(id) = self.b.facts().expr(known)
            {
                let list = self.b.list(value.as_slice());
                let definition = self.b.definition_mut(id);
                definition.declared = declared;
                definition.values = list;
            } else if let Some(name) = self.local_name(name) {
                locals.push((name, binding(declared, value)));
            }
        }
        if self.is_local() {
            self.declare(&locals, false);
        }
    }

    /// The name of a node that declares something local; `None` for `_`.
    pub(super) fn local_name(&mut self, node: Node<'_>) -> Option<NameId> {
        let text = text::clip(self.text(node), MAX_NAME);
        (node.kind() == "identifier" && text != "_" && !text.is_empty()).then(|| self.b.name(text))
    }

    /// One expression for each of `count` names on the left of `=` or `:=`.
    pub(super) fn value_exprs(&mut self, values: Option<Node<'_>>, count: usize) -> Vec<ExprId> {
        let Some(values) = values else { return Vec::new() };
        let nodes = if values.kind() == "expression_list" { children(values) } else { vec![values] };
        let [only] = nodes.as_slice() else { return nodes.iter().map(|node| self.expr_of(Some(*node))).collect() };
        let base = self.expr_of(Some(*only));
        if count < 2 {
            return vec![base];
        }
        let mut inner = *only;
        while inner.kind() == "parenthesized_expression" {
            let Some(child) = inner.named_child(0) else { break };
            inner = child;
        }
        if inner.kind() != "call_expression" {
            // `v, ok := m[k]`, `x.(T)`, `<-c`: the value, and whether it exists.
            let there = self.literal(crate::facts::Literal::Bool);
            return vec![base, there];
        }
        (0..count as u32).map(|index| self.b.expr(Expr::Item { base, index })).collect()
    }

    fn open_type<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) {
        let (Some(name), Some(ty)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) else {
            return;
        };
        let extent = extent(node, path);
        let is_alias = node.kind() == "type_alias";
        let (kind, header_end) = match ty.kind() {
            "struct_type" if !is_alias => (DefKind::Struct, ty.start_byte() + "struct".len()),
            "interface_type" if !is_alias => (DefKind::Interface, ty.start_byte() + "interface".len()),
            _ => (DefKind::TypeAlias, extent.end_byte()),
        };
        if self.text(name) == "_" {
            return;
        }
        let id = self.define(kind, name, extent, header_end);
        self.b.definition_mut(id).flags.is_distinct = !is_alias && kind == DefKind::TypeAlias;
        let bound = self.b.facts().definition(id).name;
        if self.is_local() {
            self.declare_here(bound, BindingTarget::Definition(id), true);
        } else {
            self.b.bind_definition(id, Namespace::Any);
        }
        let generics = node.child_by_field_name("type_parameters").map(type_parameter_names).unwrap_or_default();
        self.open_generics(node, id, &generics);
    }

    /// Opens the scope of a generic definition's type parameters, if it has any. Bounds are filled in later.
    pub(super) fn open_generics(&mut self, node: Node<'_>, id: DefId, names: &[Node<'_>]) {
        let names: Vec<NameId> = names.iter().map(|name| self.b.name(text::clip(self.text(*name), MAX_NAME))).collect();
        let parameters: Vec<_> = names.iter().map(|&name| TypeParameter { name, bound: None }).collect();
        self.b.type_parameters(id, &parameters);
        self.open_frame(node, ScopeKind::Generics, Some(id));
        for (index, name) in names.into_iter().enumerate() {
            self.declare_here(name, BindingTarget::TypeParameter(id, index as u32), false);
        }
    }

    fn leave_type_parameters(&mut self, node: Node<'_>) {
        let Some(id) = self.owner_frame().and_then(|frame| frame.definition) else { return };
        let (start, len) = self.b.facts().definition(id).type_parameters;
        let mut bounds = Vec::new();
        for declaration in children(node) {
            let bound = declaration.child_by_field_name("type").map(|ty| self.expr_of(Some(ty)));
            let count = fields(declaration, "name").len();
            bounds.extend(std::iter::repeat_n(bound, count));
        }
        let rows = &mut self.b.facts_mut().type_parameters;
        for (row, bound) in rows[start as usize..(start + len) as usize].iter_mut().zip(bounds) {
            row.bound = bound;
        }
    }

    fn leave_type_spec(&mut self, node: Node<'_>) {
        let ty = node.child_by_field_name("type");
        let expr = self.expr_of(ty);
        let Some(id) = self.frames.last().and_then(|frame| frame.definition) else { return };
        if self.b.facts().definition(id).kind == DefKind::TypeAlias && expr != self.b.unknown() {
            self.b.definition_mut(id).declared = Some(expr);
        }
    }

    /// A struct or interface: the body of the type being declared, or a type of its own.
    fn open_body<'t>(&mut self, node: Node<'t>, path: &[Step<'t>], kind: DefKind) {
        let named =
            if parent_kind(path) == "type_spec" { self.frames.last().and_then(|frame| frame.definition) } else { None };
        let named = named.filter(|id| self.b.facts().definition(*id).kind == kind);
        let id = match named {
            Some(id) => id,
            None => self.define_anonymous(kind, node),
        };
        let scope = self.open_frame(node, ScopeKind::Class, Some(id));
        self.b.definition_mut(id).body = Some(scope);
        if named.is_none() {
            let expr = self.b.expr(Expr::Definition(id));
            self.exprs.set(node, expr);
        }
    }

    fn leave_body(&mut self, node: Node<'_>) {
        let _ = node;
        let Some(frame) = self.frames.last_mut() else { return };
        let (bases, id) = (std::mem::take(&mut frame.bases), frame.definition);
        let list = self.b.list(&bases);
        if let Some(id) = id {
            self.b.definition_mut(id).bases = list;
        }
    }

    fn open_fields(&mut self, node: Node<'_>) {
        let names = fields(node, "name");
        let ty = node.child_by_field_name("type");
        let names = if names.is_empty() { ty.and_then(embedded_name).into_iter().collect() } else { names };
        for name in names {
            if self.text(name) == "_" {
                continue;
            }
            let id = self.define(DefKind::Field, name, node, node.end_byte());
            self.b.definition_mut(id).flags.is_local = false;
            self.b.bind_definition(id, Namespace::Any);
        }
    }

    fn leave_fields(&mut self, node: Node<'_>) {
        let Some(ty) = node.child_by_field_name("type") else { return };
        let declared = self.expr_of(Some(ty));
        let names = fields(node, "name");
        if names.is_empty()
            && let Some(frame) = self.frames.last_mut()
        {
            frame.bases.push(declared);
        }
        let bytes = (node.start_byte() as u32, node.end_byte() as u32);
        for definition in self.b.facts_mut().definitions.iter_mut().rev() {
            if definition.bytes.0 < bytes.0 {
                break;
            }
            if definition.kind == DefKind::Field && definition.bytes == bytes {
                definition.declared = Some(declared);
            }
        }
    }

    /// An element of an interface: an embedded one, or a set of types.
    fn leave_type_elem<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) {
        let parts = children(node);
        let exprs: Vec<ExprId> = parts.iter().map(|part| self.expr_of(Some(*part))).collect();
        let expr = self.b.union(&exprs);
        self.exprs.set(node, expr);
        let embeds = parts.len() == 1 && parts[0].kind() != "negated_type";
        if parent_kind(path) == "interface_type"
            && embeds
            && let Some(frame) = self.frames.last_mut()
        {
            frame.bases.push(expr);
        }
    }

    /// Role of a type's name in its context.
    pub(super) fn type_role(&self, path: &[Step<'_>]) -> Role {
        if let [.., outer, generic] = path
            && generic.node.kind() == "generic_type"
            && outer.node.kind() == "type_conversion_expression"
        {
            // `f[T](x)` reads like a conversion.
            return Role::Call;
        }
        let embedded = |step: &Step<'_>| match step.node.kind() {
            "field_declaration" => step.node.child_by_field_name("name").is_none(),
            "type_elem" => step.node.named_child_count() == 1,
            _ => false,
        };
        let mut steps =
            path.iter().rev().skip_while(|step| matches!(step.node.kind(), "generic_type" | "pointer_type"));
        let holder = steps.next();
        let above = steps.next();
        let inherits = holder.is_some_and(|step| {
            embedded(step)
                && (step.node.kind() == "field_declaration"
                    || above.is_some_and(|above| above.node.kind() == "interface_type"))
        });
        if inherits { Role::Inherit } else { Role::Type }
    }
}

/// The whole declaration, including its keyword if that belongs to this one alone.
fn extent<'t>(node: Node<'t>, path: &[Step<'t>]) -> Node<'t> {
    match path.last().map(|step| step.node) {
        Some(parent)
            if matches!(parent.kind(), "type_declaration" | "const_declaration" | "var_declaration")
                && parent.child(1).is_some_and(|child| child.kind() != "(") =>
        {
            parent
        }
        _ => node,
    }
}

fn binding(declared: Option<ExprId>, value: Option<ExprId>) -> BindingTarget {
    match (declared, value) {
        (Some(declared), _) => BindingTarget::Typed(declared),
        (None, Some(value)) => BindingTarget::Value(value),
        (None, None) => BindingTarget::Opaque,
    }
}

/// Names of a list of type parameters.
pub(super) fn type_parameter_names(list: Node<'_>) -> Vec<Node<'_>> {
    children(list).into_iter().flat_map(|declaration| fields(declaration, "name")).collect()
}

/// The name that an embedded type is known by as a field.
fn embedded_name(ty: Node<'_>) -> Option<Node<'_>> {
    match ty.kind() {
        "type_identifier" => Some(ty),
        "qualified_type" => ty.child_by_field_name("name"),
        "generic_type" => ty.child_by_field_name("type").and_then(embedded_name),
        "pointer_type" => ty.named_child(0).filter(|inner| inner.kind() != "pointer_type").and_then(embedded_name),
        _ => None,
    }
}

/// The name by which a package is known if the import gives none: the last part of its path, without a major version.
fn package_name(module: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = module.rsplit('/');
    let last = parts.next().unwrap_or(module);
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    let last = last.strip_suffix(".go").or_else(|| last.strip_suffix("-go")).unwrap_or(last);
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.rsplit('-').next().unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn names_of_packages_by_custom() {
        let rows = [
            ("fmt", "fmt"),
            ("net/http", "http"),
            ("example.com/a/v2", "a"),
            ("gopkg.in/yaml.v3", "yaml"),
            ("github.com/mattn/go-isatty", "isatty"),
            ("github.com/nats-io/nats.go", "nats"),
            ("github.com/x/stripe-go", "stripe"),
        ];
        for (path, name) in rows {
            assert_eq!(package_name(path), name, "{path}");
        }
    }
}
