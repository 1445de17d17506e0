//! Assignments: members added from outside, CommonJS exports, and new values of variables.

use tree_sitter::Node;

use crate::facts::{
    BindingTarget, DefId, DefKind, Expr, ExprId, FactsBuilder, FileFacts, Namespace, ScopeId, ScopeKind,
};
use crate::languages::typescript::naming::Target;
use crate::languages::typescript::state::{Assignment, Extractor, This, children};

impl<'a> Extractor<'a> {
    /// Makes the definition that an assignment to a member is, unless its right side is one itself.
    pub(in crate::languages::typescript) fn enter_assignment(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return;
        };
        let right = rightmost(right);
        let function =
            matches!(right.kind(), "arrow_function" | "function_expression" | "generator_function" | "class");
        // Functions and classes are definitions already, named by this place.
        if function {
            return;
        }
        match self.target(left) {
            Target::Export(property) => {
                // An export of a name or module only passes that on.
                let passes_on = matches!(right.kind(), "identifier" | "member_expression" | "object")
                    || self.required_module(right).is_some();
                if !passes_on && !self.frame().nested {
                    let name = self.source.text(property);
                    let mut definition =
                        self.blank(DefKind::Variable, name, FactsBuilder::FILE, property, (node, None));
                    definition.owner = None;
                    definition.flags.is_local = false;
                    self.add(node, definition);
                }
            }
            Target::This(property) if self.is_javascript() => {
                if let This::Scope(scope) = self.frame().this
                    && let Some((class, members)) = self.class_around(scope)
                {
                    self.new_field(node, property, class, members);
                }
            }
            Target::PrototypeMember(name, property) | Target::Member(name, property)
                if right.kind() != "object" && self.source.text(property) != "__proto__" =>
            {
                if let Some((class, members)) = self.members_of(name) {
                    self.new_field(node, property, class, members);
                }
            }
            _ => {}
        }
    }

    fn new_field(&mut self, node: Node<'_>, property: Node<'_>, class: DefId, members: ScopeId) {
        let name = self.source.text(property);
        let kind = self.b.facts().definition(class).kind;
        let key = (members, self.b.name(name));
        let known = self.own(members, name, false).is_some() || self.announced.contains(&key);
        if known || matches!(kind, DefKind::Interface | DefKind::Enum) {
            return;
        }
        let is_anonymous_object = self.is_local_object(class);
        let mut definition = self.blank(DefKind::Field, name, members, property, (node, None));
        definition.owner = Some(class);
        definition.flags.is_local = false;
        definition.flags.is_anonymous = is_anonymous_object;
        definition.doc = self.doc_of(node);
        let comment = self.doc_before(node.start_byte()).filter(|_| self.is_javascript());
        definition.declared = comment.and_then(|comment| self.jsdoc_type(comment));
        let id = self.add(node, definition);
        self.bind(id, Namespace::Value);
    }

    pub(in crate::languages::typescript) fn leave_assignment(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return;
        };
        let value = self.expr_of(right);
        self.exprs.set(node, value);
        // The definition was made on entering, before the value was known.
        if let Some(&id) = self.made.get(&node.id()) {
            self.value(id, value);
        }
        if !matches!(self.target(left), Target::Name(_)) {
            self.store_assigned(left, value);
        }
        // What is assigned to decides: an export, a member of a class or its prototype, or a plain name.
        match self.target(left) {
            Target::None if matches!(left.kind(), "object_pattern" | "array_pattern") => {
                self.assign_pattern(left, value);
            }
            Target::None => {}
            Target::Name(name) => {
                let (scope, name) = (self.scope(), self.b.name(name));
                self.assignments.push(Assignment { scope, name, value });
            }
            Target::Exports => self.export_assigned(left, value),
            Target::Export(property) => self.export_member(node, property, value),
            Target::This(property) => self.this_member(node, property, value),
            Target::Prototype(name) => self.prototype(name, right, value),
            Target::PrototypeMember(name, property) if self.source.text(property) == "__proto__" => {
                self.prototype(name, right, value);
            }
            Target::PrototypeMember(name, property) | Target::Member(name, property) => {
                self.outside_member(node, left, name, property, value);
            }
            Target::Other(property) => self.member_written(left, property, value),
        }
    }

    /// What is assigned to a member may be called through it; or through the object by another key, where that is a
    /// member itself.
    fn store_assigned(&mut self, left: Node<'_>, value: ExprId) {
        let holder = self.expr_of(left);
        self.b.store(holder, value);
        if let Expr::Member { base, .. } = self.b.facts().expr(holder)
            && let Expr::Member { .. } = self.b.facts().expr(base)
        {
            self.b.store(base, value);
        }
    }

    /// Outside JavaScript only functions take members that are not declared.
    fn member_written(&mut self, left: Node<'_>, property: Node<'_>, value: ExprId) {
        let takes_any = self.is_javascript()
            || matches!(self.target(left), Target::Member(name, _)
                if self.visible(name).is_some_and(|id| self.b.facts().definition(id).kind == DefKind::Function));
        if !takes_any {
            return;
        }
        if let Some(base) = left.child_by_field_name("object").and_then(|object| self.find_known(object)) {
            let name = self.b.name(self.source.text(property));
            self.b.member_write(base, name, value);
        }
    }

    fn outside_member(&mut self, node: Node<'_>, left: Node<'_>, name: &str, property: Node<'_>, value: ExprId) {
        let Some((_, members)) = self.members_of(name) else { return self.member_written(left, property, value) };
        let text = self.source.text(property);
        match self.own(members, text, false) {
            Some(id) if self.made.get(&node.id()) != Some(&id) => self.value_unless_itself(id, value),
            Some(_) => {}
            None => self.bind_local(members, text, BindingTarget::Value(value)),
        }
    }

    /// A function assigned to the member that is that function adds nothing.
    fn value_unless_itself(&mut self, id: DefId, value: ExprId) {
        let kind = self.b.facts().definition(id).kind;
        if matches!(kind, DefKind::Field | DefKind::Variable | DefKind::Constant) {
            self.value(id, value);
        }
    }

    fn this_member(&mut self, node: Node<'_>, property: Node<'_>, value: ExprId) {
        let name = self.source.text(property);
        match self.frame().this {
            This::Scope(scope) => {
                let Some((_, members)) = self.class_around(scope) else { return };
                if self.made.contains_key(&node.id()) {
                    return;
                }
                let name = self.b.name(name);
                self.field_values.push((members, name, value));
            }
            This::Expr(base) => {
                let name = self.b.name(name);
                self.b.member_write(base, name, value);
            }
            This::Unknown => {}
        }
    }

    /// `Name.prototype = Object.create(Base.prototype)`, `= new Base()`, `= Base.prototype`.
    fn prototype(&mut self, name: &str, right: Node<'_>, value: ExprId) {
        let Some((class, _)) = self.members_of(name) else { return };
        let base = match right.kind() {
            "call_expression" => self.created_from(right),
            "new_expression" => self.field_expr(right, "constructor"),
            "member_expression" => Some(self.without_prototype(value)),
            _ => None,
        };
        self.bases.entry(class).or_default().extend(base);
    }

    /// The prototype of `Object.create(prototype)`, as the class it belongs to.
    pub(in crate::languages::typescript) fn created_from(&self, call: Node<'_>) -> Option<ExprId> {
        let function = call.child_by_field_name("function")?;
        if self.source.text(function) != "Object.create" {
            return None;
        }
        let first = call.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0))?;
        self.find_known(first).map(|expr| self.without_prototype(expr))
    }

    fn without_prototype(&self, expr: ExprId) -> ExprId {
        match self.b.facts().expr(expr) {
            Expr::Member { base, name } if self.b.facts().name(name) == "prototype" => base,
            _ => expr,
        }
    }

    /// `inherits(Class, Base)` and `Object.setPrototypeOf(Class.prototype, Base.prototype)`.
    pub(in crate::languages::typescript) fn inherits_call(&mut self, function: Node<'_>, arguments: Node<'_>) {
        let text = self.source.text(function);
        if !matches!(text, "inherits" | "util.inherits" | "Object.setPrototypeOf") {
            return;
        }
        let given = children(arguments);
        let [class, base, ..] = given[..] else { return };
        let name = match self.target(class) {
            Target::Name(name) | Target::Prototype(name) => name,
            _ => return,
        };
        if let (Some((class, _)), Some(base)) = (self.members_of(name), self.find_known(base)) {
            let base = self.without_prototype(base);
            self.bases.entry(class).or_default().push(base);
        }
    }

    pub(in crate::languages::typescript) fn leave_augmented(&mut self, node: Node<'_>) {
        let value = self.field_expr(node, "right").unwrap_or(self.b.unknown());
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.source.text(operator));
        let left = node.child_by_field_name("left");
        if !matches!(operator, "||=" | "&&=" | "??=") {
            return;
        }
        self.exprs.set(node, value);
        if let Some(Target::Name(name)) = left.map(|left| self.target(left)) {
            let (scope, name) = (self.scope(), self.b.name(name));
            self.assignments.push(Assignment { scope, name, value });
        }
    }

    /// `module.exports = value`.
    fn export_assigned(&mut self, left: Node<'_>, value: ExprId) {
        if left.kind() == "identifier" || self.frame().nested {
            return;
        }
        let pos = self.pos(left);
        self.b.export(FileFacts::EXPORT_ASSIGN, value, pos);
        self.passes_on(value);
        if value != self.b.unknown() {
            self.export_assigned.push(value);
        }
    }

    /// `exports.name = value`.
    fn export_member(&mut self, node: Node<'_>, property: Node<'_>, value: ExprId) {
        if self.frame().nested {
            return;
        }
        let name = self.source.text(property);
        let (_, members) = self.exports_object();
        let value = match self.made.get(&node.id()) {
            Some(&id) => self.b.expr(Expr::Definition(id)),
            None => value,
        };
        let pos = self.pos(property);
        self.passes_on(value);
        self.b.export(name, value, pos);
        let target = match self.b.facts().expr(value) {
            Expr::Definition(id) => BindingTarget::Definition(id),
            _ => BindingTarget::Value(value),
        };
        self.bind_local(members, name, target);
    }

    /// An import that is exported as it is.
    pub(in crate::languages::typescript) fn passes_on(&mut self, value: ExprId) {
        if let Expr::Import(id) = self.b.facts().expr(value) {
            self.b.facts_mut().imports[id.index()].flags.reexport = true;
        }
    }

    /// The object that `exports` is at first.
    fn exports_object(&mut self) -> (DefId, ScopeId) {
        if let Some(known) = self.exports_object {
            return known;
        }
        let name = self.b.name("exports");
        let mut definition =
            self.b.blank_definition(DefKind::Object, name, FactsBuilder::FILE, crate::facts::Pos::default());
        definition.flags.is_anonymous = true;
        let id = self.b.definition(definition);
        let members = self.b.scope(FactsBuilder::FILE, ScopeKind::Class, Some(id));
        self.b.definition_mut(id).body = Some(members);
        self.exports_object = Some((id, members));
        (id, members)
    }
}

/// The last value of `a = b = value`.
pub(in crate::languages::typescript) fn rightmost(mut node: Node<'_>) -> Node<'_> {
    for _ in 0..8 {
        let inner = match node.kind() {
            "assignment_expression" => node.child_by_field_name("right"),
            "parenthesized_expression" => node.named_child(0),
            _ => None,
        };
        let Some(inner) = inner else { break };
        node = inner;
    }
    node
}
