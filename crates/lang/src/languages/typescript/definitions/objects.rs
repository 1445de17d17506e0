//! Object literals: named ones are definitions with members, others only keep the values of their members.

use tree_sitter::Node;

use crate::facts::{BindingTarget, DefId, DefKind, Expr, ExprId, Namespace, Role, ScopeId};
use crate::languages::typescript::naming::{Naming, Target, naming};
use crate::languages::typescript::state::{Extractor, FrameKind, parent};
use crate::walk::Step;

/// Kind of an object literal.
struct Object<'tree> {
    name: String,
    at: Node<'tree>,
    whole: Node<'tree>,
    scope: ScopeId,
    owner: Option<DefId>,
    anonymous: bool,
    bound: bool,
    makes_fields: bool,
    /// A variable of a function or block: no node, but its members are.
    local: bool,
}

impl Extractor<'_> {
    pub(in crate::languages::typescript) fn enter_object<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        // An object that becomes a prototype holds members of the class.
        if let Some((class, members)) = self.prototype_object(step, path) {
            self.made.insert(node.id(), class);
            self.push(node, FrameKind::Members, members, Some(class));
            self.top().makes_fields = true;
            self.top().last_spread = last_spread(node);
            return;
        }
        let object = self.object_place(step, path);
        // `var a = a || {…}` in several places is one object.
        let known = self
            .own(object.scope, &object.name, false)
            .filter(|&id| object.bound && self.b.facts().definition(id).kind == DefKind::Object);
        let id = known.unwrap_or_else(|| {
            let mut definition =
                self.blank(DefKind::Object, &object.name, object.scope, object.at, (object.whole, Some(node)));
            definition.flags.is_anonymous = object.anonymous;
            definition.flags.is_local |= object.local;
            definition.owner = object.owner;
            definition.doc = self.doc_of(object.whole).filter(|_| !object.anonymous);
            let id = self.add(node, definition);
            if object.bound {
                self.bind(id, Namespace::Value);
            }
            id
        });
        self.made.insert(node.id(), id);
        self.begin_options(id, node, path);
        self.open_body(node, id);
        self.top().makes_fields = object.makes_fields;
        self.top().last_spread = last_spread(node);
    }

    /// `Name.prototype = { … }`: the members are those of the class.
    fn prototype_object<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Option<(DefId, ScopeId)> {
        let Naming::Assign { left, .. } = naming(step, path) else { return None };
        let Target::Prototype(name) = self.target(left) else { return None };
        self.members_of(name)
    }

    fn object_place<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Object<'tree> {
        let scope = self.scope();
        let owner = self.b.facts().scopes[scope.index()].owner;
        let mut object = Object {
            name: "object".to_owned(),
            at: step.node,
            whole: step.node,
            scope,
            owner,
            anonymous: true,
            bound: false,
            makes_fields: false,
            local: false,
        };
        match naming(step, path) {
            Naming::Variable { declarator, declaration } => {
                let hoisted = declaration.kind() == "variable_declaration";
                let scope = if hoisted { self.hoist_scope() } else { scope };
                // A written type determines the members.
                if declarator.child_by_field_name("type").is_none() {
                    object.local = !self.is_top(scope);
                    object.at = declarator.child_by_field_name("name").unwrap_or(declarator);
                    object.name = self.source.text(object.at).to_owned();
                    object.whole = span_of(declarator, declaration);
                    object.scope = scope;
                    object.owner = self.b.facts().scopes[scope.index()].owner;
                    (object.anonymous, object.bound, object.makes_fields) = (false, true, true);
                }
            }
            Naming::Pair(pair) if self.frame().makes_fields => {
                object.at = pair.child_by_field_name("key").unwrap_or(pair);
                object.name = self.property(object.at).to_owned();
                object.whole = pair;
                (object.anonymous, object.bound, object.makes_fields) = (false, true, true);
            }
            Naming::Assign { left, whole } => self.assigned_object(left, whole, &mut object),
            Naming::Default(export) => {
                object.name = "default".to_owned();
                object.whole = export;
                (object.anonymous, object.makes_fields) = (false, true);
            }
            Naming::ExportAssign => object.makes_fields = true,
            _ => {}
        }
        object
    }

    fn assigned_object<'tree>(&mut self, left: Node<'tree>, whole: Node<'tree>, object: &mut Object<'tree>) {
        let target = self.target(left);
        match target {
            Target::Exports => object.makes_fields = !self.frame().local,
            Target::Export(property) => {
                object.at = property;
                object.name = self.source.text(property).to_owned();
                object.whole = whole;
                (object.anonymous, object.makes_fields, object.owner) = (false, true, None);
            }
            Target::Member(name, property) => {
                if let Some((owner, members)) = self.members_of(name) {
                    object.at = property;
                    object.name = self.source.text(property).to_owned();
                    object.whole = whole;
                    object.scope = members;
                    object.owner = Some(owner);
                    (object.anonymous, object.bound, object.makes_fields) = (false, true, true);
                }
            }
            _ => {}
        }
    }

    /// A member that is no function: a field of a named object. Functions and objects define themselves.
    pub(in crate::languages::typescript) fn enter_pair(&mut self, node: Node<'_>) {
        if node.kind() != "pair" || !self.frame().makes_fields {
            return;
        }
        let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
            return;
        };
        let defines = matches!(
            value.kind(),
            "arrow_function" | "function_expression" | "generator_function" | "object" | "class"
        );
        if defines || key.kind() == "computed_property_name" {
            return;
        }
        let scope = self.scope();
        let name = self.property(key);
        if self.own(scope, name, false).is_some() {
            return;
        }
        let mut definition = self.blank(DefKind::Field, name, scope, key, (node, None));
        // Several local objects of one function may have a field of this name, so its target is ambiguous.
        let object = self.frame().def;
        let local = object.is_some_and(|object| self.b.facts().definition(object).flags.is_local);
        definition.flags.is_anonymous = local && object.is_some_and(|object| self.is_local_object(object));
        definition.doc = self.doc_of(node);
        let id = self.add(node, definition);
        self.bind(id, Namespace::Value);
        self.initialising.push((node.id(), id, self.frames.len()));
    }

    pub(in crate::languages::typescript) fn leave_pair(&mut self, node: Node<'_>) {
        let (Some(key), Some(value)) = (node.child_by_field_name("key"), self.field_expr(node, "value")) else {
            return;
        };
        if self.frame().kind != FrameKind::Members {
            return;
        }
        if let Some(&id) = self.made.get(&node.id()) {
            self.value(id, value);
            return;
        }
        let scope = self.scope();
        let name = self.property(key);
        if self.own(scope, name, false).is_none() {
            self.bind_member(name, value, node);
        }
    }

    /// Binds a member that is no definition. A later spread may replace it.
    fn bind_member(&mut self, name: &str, value: ExprId, node: Node<'_>) {
        let value = match self.is_replaceable(node) {
            true => {
                let unknown = self.b.unknown();
                self.b.union(&[value, unknown])
            }
            false => value,
        };
        self.bind_local(self.scope(), name, BindingTarget::Value(value));
    }

    /// `{ name }`: the member refers to the name.
    pub(in crate::languages::typescript) fn leave_shorthand(&mut self, node: Node<'_>) {
        let scope = self.scope();
        let name = self.source.text(node);
        let value = self.b.name_expr(name, scope);
        self.refer(value, Role::Read, node, u8::MAX);
        if self.frame().kind == FrameKind::Members {
            self.bind_member(name, value, node);
        }
    }

    /// `...base` in an object literal: its members are members here too.
    pub(in crate::languages::typescript) fn leave_spread<'tree>(&mut self, node: Node<'tree>, path: &[Step<'tree>]) {
        let inside = parent(path).is_some_and(|step| step.node.kind() == "object");
        let base = node.named_child(0).and_then(|child| self.exprs.get(child));
        if let (true, Some(id), Some(base)) = (inside, self.frame().def, base) {
            self.bases.entry(id).or_default().push(base);
        }
    }

    pub(in crate::languages::typescript) fn leave_object(&mut self, node: Node<'_>) {
        if let Some(of) = self.mapped_type(node) {
            self.exprs.set(node, of);
        } else if let Some(&id) = self.made.get(&node.id()) {
            let expr = self.b.expr(Expr::Definition(id));
            self.exprs.set(node, expr);
        }
    }

    /// Returns whether a definition is an object that only a local variable holds, or nothing.
    pub(in crate::languages::typescript) fn is_local_object(&self, id: DefId) -> bool {
        let definition = self.b.facts().definition(id);
        definition.kind == DefKind::Object && (definition.flags.is_local || definition.flags.is_anonymous)
    }

    /// The value of a node, once left, if it is one.
    pub(in crate::languages::typescript) fn find_known(&self, node: Node<'_>) -> Option<ExprId> {
        self.exprs.get(node).filter(|&expr| expr != self.b.unknown())
    }
}

/// Byte at which the last spread of an object literal starts, 0 if nothing is spread into it.
fn last_spread(object: Node<'_>) -> usize {
    let mut cursor = object.walk();
    let spreads = object.named_children(&mut cursor).filter(|child| child.kind() == "spread_element");
    spreads.last().map_or(0, |spread| spread.start_byte())
}

/// Extent of a variable's definition: its whole declaration, if it is the only one in it.
pub(in crate::languages::typescript) fn span_of<'tree>(
    declarator: Node<'tree>,
    declaration: Node<'tree>,
) -> Node<'tree> {
    let mut cursor = declaration.walk();
    let declarators =
        declaration.named_children(&mut cursor).take(4).filter(|child| child.kind() == "variable_declarator");
    if declarators.count() == 1 { declaration } else { declarator }
}
