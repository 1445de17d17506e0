//! Overrides: methods that replace methods of bases, and calls that may reach an override.

use std::rc::Rc;

use m1nd_lang::facts::{BindingTarget, DefKind, Expr, ExprId, Namespace, ParameterKind, Visibility};
use rustc_hash::FxHashSet;

use crate::eval::ancestors::Ancestor;
use crate::eval::{Entity, Eval, Found, Search, Value};
use crate::names::Name;
use crate::rules::{Overloads, PrivateMethods};
use crate::tables::files::{DefRef, FileId, Key};

/// Maximum bases examined for one method.
const BASES: usize = 256;
/// Assignments followed from a receiver to where its value is made.
const ASSIGNMENTS: usize = 8;

impl Eval<'_> {
    /// The methods that a method replaces: on every way up the nearest of its name. Constructors replace nothing.
    pub(crate) fn overridden(&mut self, of: DefRef) -> Vec<DefRef> {
        let definition = self.definition(of);
        let replaces = definition.kind == DefKind::Function && !definition.flags.is_constructor;
        if !replaces || definition.flags.is_anonymous || self.is_extension(of) {
            return Vec::new();
        }
        // Where types satisfy interfaces without naming them, the shape of the method decides, not the bases.
        if self.is_structural(of) {
            return self.find_answered(of);
        }
        let name = self.unit(of.file).name(definition.name);
        if self.rules(of.file).constructors.contains(&self.text(name)) {
            return Vec::new();
        }
        // Depth first, in the order of the bases. A class that has the method ends its way up.
        let mut work = self.bases_of_method(of);
        work.reverse();
        let mut seen: FxHashSet<DefRef> = FxHashSet::default();
        let mut found = Vec::new();
        while let Some(base) = work.pop() {
            let Ancestor::Class(class, args) = base else { continue };
            if seen.len() >= BASES || !seen.insert(class) {
                continue;
            }
            let mut own = self.own_members(class, name, Namespace::Callee).found.into_vec();
            own.retain(|found| self.method(of, found).is_some());
            // Of several overloads, only those with the same parameters are replaced.
            if self.rules(of.file).overloads == Overloads::Chosen {
                own.iter_mut().for_each(|found| found.owner = Some((class, args.clone())));
                own = self.with_parameters_of(of, own);
            }
            let methods: Vec<DefRef> = own.iter().filter_map(|found| self.method(of, found)).collect();
            if methods.is_empty() {
                let mut above = self.bases(class);
                above.reverse();
                work.extend(above);
            }
            found.extend(methods);
        }
        found.dedup();
        found
    }

    /// The bases whose members a method can override: those of its class, or the trait of its block.
    fn bases_of_method(&mut self, of: DefRef) -> Vec<Ancestor> {
        let owner = self.definition(of).owner.map(|def| DefRef { file: of.file, def });
        // A block of a protocol answers what the protocol asks for; other blocks are parts of their type.
        if let Some(owner) = owner.filter(|owner| self.rules(owner.file).extension_blocks)
            && let Some(class) = self.extended_type(owner)
        {
            return match self.definition(class).kind {
                DefKind::Trait => vec![Ancestor::Class(class, crate::eval::no_args())],
                _ => self.bases(class),
            };
        }
        if let Some(owner) = owner
            && self.definition(owner).kind == DefKind::Impl
        {
            let mut bases = Vec::new();
            let unit = self.unit(owner.file);
            for &expr in unit.list(unit.facts.definition(owner.def).implements) {
                self.base(owner, expr, &mut bases);
            }
            return bases;
        }
        let class = match owner {
            // The body of a constant of an enum is a class.
            Some(owner) if self.definition(owner).kind == DefKind::Variant => Some(owner),
            _ => self.class_of(of),
        };
        class.map_or_else(Vec::new, |class| self.bases(class))
    }

    /// The found member, if it is a method that `by` can replace.
    fn method(&mut self, by: DefRef, found: &Found) -> Option<DefRef> {
        let Entity::Def(of) = found.entity else { return None };
        let definition = self.definition(of);
        (of != by && definition.kind == DefKind::Function && !self.is_hidden_from(of, by.file)).then_some(of)
    }

    /// Returns whether a method is private in a way that methods of derived classes in a file do not replace it.
    fn is_hidden_from(&mut self, of: DefRef, file: FileId) -> bool {
        let definition = self.definition(of);
        if definition.visibility != Visibility::Private {
            return false;
        }
        match self.rules(of.file).private_methods {
            PrivateMethods::Hidden => of.file != file,
            PrivateMethods::Replaceable => false,
            PrivateMethods::Convention(prefix) => {
                let name = self.unit(of.file).name(definition.name);
                let name = self.text(name);
                name.starts_with(prefix) && !name.ends_with(prefix)
            }
        }
    }

    /// Returns whether an expression is the parameter that is the receiver.
    fn is_receiver_parameter(&mut self, file: FileId, expr: ExprId) -> bool {
        let search = self.resolve(file, expr, Namespace::Value);
        let [Found { entity: Entity::Local(holder, binding), .. }] = search.found.as_slice() else { return false };
        let facts = &self.unit(*holder).facts;
        let BindingTarget::Parameter(def, place) = facts.bindings[*binding as usize].target else { return false };
        let kind = facts.parameters(def).get(place as usize).map(|parameter| parameter.kind);
        kind == Some(ParameterKind::Receiver)
    }

    /// Returns whether a member of the receiver may be replaced in a table that nothing says is derived from the
    /// method's own: another one has a method of that name.
    pub(crate) fn may_be_replaced(&mut self, file: FileId, base: ExprId, name: Name) -> bool {
        self.rules(file).tables_inherit
            && self.is_receiver_parameter(file, base)
            && self.all_methods_named(file, name).len() > 1
    }

    /// Members that only classes derived from a method's own class have: the receiver may be an instance of each of
    /// them. Empty if there are too many.
    pub(crate) fn of_heirs(&mut self, file: FileId, base: ExprId, name: Name) -> Vec<Value> {
        /// Maximum members of one name examined.
        const MAX_NAMED: usize = 64;
        if !self.is_receiver_parameter(file, base) {
            return Vec::new();
        }
        let receivers = self.eval(file, base, Namespace::Value);
        let [Value::Instance(class, _)] = receivers.items.as_slice() else { return Vec::new() };
        self.asked.keys.insert(Key::methods(self.text(name)));
        let mut rows: Vec<DefRef> =
            self.project.methods(self.text(name)).map(|row| row.of).take(MAX_NAMED + 1).collect();
        if rows.len() > MAX_NAMED {
            return Vec::new();
        }
        self.project.by_path_order(&mut rows);
        let mut found = Vec::new();
        for row in rows {
            let Some(owner) = self.definition(row).owner.map(|def| DefRef { file: row.file, def }) else { continue };
            let ancestors = self.ancestors(owner);
            let derives = ancestors.iter().skip(1).any(|one| matches!(one, Ancestor::Class(of, _) if of == class));
            if derives {
                let heir = Value::Instance(owner, crate::eval::no_args());
                let member = self.member(&heir, name, Namespace::Value);
                found.extend(self.values_of(member, Namespace::Value).items);
            }
        }
        found
    }

    /// The type parameter without a bound that a member is taken of: its definition.
    pub(crate) fn type_parameter_of(&mut self, file: FileId, member: ExprId) -> Option<DefRef> {
        let (base, want) = match self.unit(file).facts.expr(member) {
            Expr::Member { base, .. } => (base, Namespace::Value),
            Expr::Path { base, .. } => (base, Namespace::Type),
            _ => return None,
        };
        match self.eval(file, base, want).items.as_slice() {
            [Value::TypeVar(of, _)] => Some(*of),
            _ => None,
        }
    }

    /// What a member of a type parameter may be: members of the name of the classes that are derived from the template,
    /// if there are any, for they may be its argument (`struct Circle : Shape<Circle>`); else of all classes. `None` if
    /// there are too many.
    pub(crate) fn methods_of_type_parameter(
        &mut self,
        file: FileId,
        member: ExprId,
        most: usize,
    ) -> Option<Rc<[DefRef]>> {
        let (Expr::Member { name, .. } | Expr::Path { name, .. }) = self.unit(file).facts.expr(member) else {
            return None;
        };
        let template = self.type_parameter_of(file, member)?;
        let name = self.unit(file).name(name);
        let methods = self.methods_named(file, name, most)?;
        let mut of_heirs = Vec::new();
        for &method in methods.iter() {
            let Some(owner) = self.class_of(method).filter(|_| self.definition(template).kind.is_class_like()) else {
                continue;
            };
            let ancestors = self.ancestors(owner);
            if ancestors.iter().skip(1).any(|one| matches!(one, Ancestor::Class(of, _) if *of == template)) {
                of_heirs.push(method);
            }
        }
        Some(if of_heirs.is_empty() { methods } else { of_heirs.into() })
    }

    /// Returns whether a call may run an override of the named method because the receiver may be of a derived class.
    /// Only claimed if the method belongs to the very type by which the receiver is known.
    /// Of several that may be meant (a union of types), any of them.
    pub(crate) fn dispatches(&mut self, file: FileId, expr: ExprId, search: &Search) -> bool {
        search.found.iter().any(|found| self.dispatches_to(file, expr, found))
    }

    fn dispatches_to(&mut self, file: FileId, expr: ExprId, found: &Found) -> bool {
        let Found { entity: Entity::Def(of), receiver, owner, .. } = found else { return false };
        let definition = self.definition(*of);
        let replaces_static = self.rules(of.file).overrides_static;
        let fixed = definition.flags.is_static && !replaces_static || definition.flags.is_constructor;
        let is_member = definition.kind == DefKind::Field && self.is_of_interface(*of);
        if definition.kind != DefKind::Function && !is_member || fixed {
            return false;
        }
        if self.is_structural(*of) {
            return definition.flags.is_abstract;
        }
        let class = match (receiver.as_deref(), owner) {
            (Some(Value::Instance(class, _)), Some((owner, _))) if class == owner => *class,
            // What has no body of its own is always replaced.
            (Some(Value::Instance(class, _)), Some(_)) if definition.flags.is_abstract || is_member => *class,
            (None | Some(Value::Def(..)), Some((owner, _)))
                if replaces_static && self.is_asked_of_class(file, expr, *owner) =>
            {
                *owner
            }
            (None, _) => match self.implicit_receiver(file, expr, *of) {
                Some(class) => class,
                None => return false,
            },
            _ => return false,
        };
        let derives = matches!(
            self.definition(class).kind,
            DefKind::Class | DefKind::Interface | DefKind::Trait | DefKind::Struct | DefKind::Enum
        );
        derives && !self.is_made_here(file, expr)
    }

    /// Returns whether a member is asked of a class that is a value, which may be a derived one: neither by the name of
    /// the class, nor of the class above.
    fn is_asked_of_class(&mut self, file: FileId, expr: ExprId, class: DefRef) -> bool {
        let facts = &self.unit(file).facts;
        let (Expr::Member { base, .. } | Expr::Path { base, .. }) = facts.expr(expr) else { return false };
        let is_name = match facts.expr(base) {
            Expr::Super { .. } | Expr::SuperOf { .. } => true,
            Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } => {
                let search = self.resolve(file, base, Namespace::Value);
                let is_class =
                    |found: &Found| matches!(found.entity, Entity::Def(of) if self.definition(of).kind.is_class_like());
                search.found.iter().any(is_class)
            }
            _ => false,
        };
        let is_meant = |value: &Value| matches!(value, Value::Def(of, _) if *of == class);
        !is_name && self.eval(file, base, Namespace::Value).items.iter().any(is_meant)
    }

    /// Returns whether a member is declared by an interface that values satisfy by their members.
    fn is_of_interface(&mut self, of: DefRef) -> bool {
        let Some(owner) = self.definition(of).owner.filter(|_| self.is_by_members(of)) else { return false };
        self.definition(DefRef { file: of.file, def: owner }).kind == DefKind::Interface
    }

    /// The class of a method called by its bare name, if that is the enclosing class.
    fn implicit_receiver(&mut self, file: FileId, expr: ExprId, of: DefRef) -> Option<DefRef> {
        let Expr::Name { scope, .. } = self.unit(file).facts.expr(expr) else { return None };
        let class = self.class_of(of)?;
        (self.class_around(file, scope) == Some(class)).then_some(class)
    }

    /// Returns whether the receiver of an access path is made by a constructor in sight, so that its class is known
    /// exactly.
    pub(crate) fn is_made_here(&mut self, file: FileId, expr: ExprId) -> bool {
        let Expr::Member { mut base, .. } = self.unit(file).facts.expr(expr) else { return false };
        for _ in 0..ASSIGNMENTS {
            match self.unit(file).facts.expr(base) {
                Expr::Super { .. } | Expr::SuperOf { .. } => return true,
                Expr::Call { callee, .. } => {
                    let callees = self.eval(file, callee, Namespace::Callee);
                    return matches!(callees.items.as_slice(), [Value::Def(of, _)]
                        if self.definition(*of).kind.is_class_like());
                }
                Expr::Name { name, scope } => {
                    let name = self.unit(file).name(name);
                    match self.find_assigned(file, scope, name) {
                        Some(value) => base = value,
                        None => return false,
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// The only expression assigned to a local name.
    fn find_assigned(
        &mut self,
        file: FileId,
        scope: m1nd_lang::facts::ScopeId,
        name: crate::names::Name,
    ) -> Option<ExprId> {
        let search = self.lookup(file, scope, name, Namespace::Value);
        let [Found { entity: Entity::Local(of, binding), .. }] = search.found.as_slice() else { return None };
        match self.unit(*of).facts.bindings[*binding as usize].target {
            BindingTarget::Value(value) if *of == file => Some(value),
            _ => None,
        }
    }
}
