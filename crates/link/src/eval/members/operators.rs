//! Operators of classes, and functions that a language calls without their name (C++).

use m1nd_lang::facts::{CONSTRUCTOR, DESTRUCTOR, DefKind, ExprId, Literal, Namespace};

use crate::eval::lookup::Asker;
use crate::eval::{Entity, Eval, Expr, Found, Search, Value, Values, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

/// Maximum functions of one operator that are compared.
const MAX_OPERATORS: usize = 64;
/// Operators that pointers do not have: their operands are no pointers.
const NOT_OF_POINTERS: &[&str] = &[
    "operator/", "operator%", "operator<<", "operator>>", "operator|", "operator^", "operator*=", "operator/=",
    "operator%=", "operator<<=", "operator>>=", "operator|=", "operator&=", "operator^=", "operator~", "operator<=>",
];
/// Operators that pointers have with numbers, but not with other pointers.
const WITH_NUMBERS: &[&str] = &["operator+", "operator+=", "operator-="];
/// Operators between a pointer and nothing.
const WITH_NULL: &[&str] = &["operator==", "operator!=", "operator="];

/// What an unwritten call may reach.
#[derive(Debug, Default)]
pub(crate) struct Implied {
    /// The functions.
    pub(crate) search: Search,
    /// The operand may be a pointer, which has the operator itself.
    pub(crate) may_be_pointer: bool,
}

/// A value of one operand, as far as operators are told apart by it.
enum Operand {
    /// An instance of a class of the project.
    Class(DefRef),
    /// Something else that is known.
    Other,
    /// A number, truth value or null.
    Plain,
    Unknown,
}

impl Eval<'_> {
    /// The functions that a call reaches that is not written ([`Expr::Implicit`]).
    pub(crate) fn find_implied(&mut self, file: FileId, callee: ExprId) -> Implied {
        let unit = self.unit(file);
        let Expr::Implicit { base, name } = unit.facts.expr(callee) else { return Implied::default() };
        let name = unit.name(name);
        let args = unit.call(callee).map_or(&[][..], |call| unit.list(call.args));
        match self.text(name) {
            CONSTRUCTOR => {
                Implied { search: self.constructors_of(file, callee, base, args.len()), may_be_pointer: false }
            }
            DESTRUCTOR => Implied { search: self.destructors_of(file, base), may_be_pointer: false },
            _ => self.operator(file, base, name, args),
        }
    }

    /// The constructors with this many parameters of the classes that an expression names or has values of.
    fn constructors_of(&mut self, file: FileId, callee: ExprId, base: ExprId, count: usize) -> Search {
        let mut all = Search::default();
        for class in self.constructed_classes(file, base) {
            let arity = u8::try_from(count).unwrap_or(u8::MAX);
            if let Some((found, _)) = self.constructed_by(&Search::one(Entity::Def(class)), arity) {
                all.add(found);
            }
        }
        self.of_own_classes(file, all, callee)
    }

    /// The classes of a type, of a member by the type it is written with, or of values.
    fn constructed_classes(&mut self, file: FileId, base: ExprId) -> Vec<DefRef> {
        let search = self.resolve_path(file, base);
        let mut values = Values::default();
        for found in &search.found {
            let Entity::Def(of) = found.entity else { continue };
            let definition = self.definition(of);
            match definition.kind {
                DefKind::Field | DefKind::Variable => {
                    let is_pointer = definition.signature.as_deref().is_none_or(|text| text.contains(['*', '&']));
                    let declared = definition.declared.filter(|_| !is_pointer);
                    if let Some(declared) = declared {
                        let of_type = self.resolve_path(of.file, declared);
                        values.add(self.values_of(of_type, Namespace::Type));
                    }
                }
                // Inside of a class, its name may be found as that of its constructors.
                DefKind::Function if definition.flags.is_constructor => {
                    values.items.extend(self.class_of(of).map(|class| Value::Def(class, no_args())));
                }
                _ => values.add(self.value_of(found, Namespace::Type)),
            }
        }
        if search.found.is_empty() {
            values = self.eval(file, base, Namespace::Value);
        }
        let mut classes: Vec<DefRef> = Vec::new();
        for value in &values.items {
            if let Value::Def(of, _) | Value::Instance(of, _) = value
                && self.definition(*of).kind.is_class_like()
                && !classes.contains(of)
            {
                classes.push(*of);
            }
        }
        classes
    }

    /// What a name or path leads to, as a type or else as a value.
    fn resolve_path(&mut self, file: FileId, mut expr: ExprId) -> Search {
        if let Expr::Generic { base, .. } = self.unit(file).facts.expr(expr) {
            expr = base;
        }
        if !matches!(self.unit(file).facts.expr(expr), Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. }) {
            return Search::default();
        }
        let search = self.resolve(file, expr, Namespace::Value);
        let is_field = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => matches!(eval.definition(of).kind, DefKind::Field | DefKind::Variable),
            _ => false,
        };
        if search.found.iter().any(|found| is_field(self, found)) {
            return search;
        }
        let types = self.resolve(file, expr, Namespace::Type);
        if types.found.is_empty() { search } else { types }
    }

    /// The destructors of the values of an expression. Where nothing is known of it, any could be meant, which says
    /// nothing of one of them.
    fn destructors_of(&mut self, file: FileId, base: ExprId) -> Search {
        let values = self.eval(file, base, Namespace::Value);
        let mut all = Search::default();
        for value in &values.items {
            let Value::Instance(class, _) = value else { continue };
            let of_class = self.definition(*class).name;
            let of_class = self.unit(class.file).name(of_class);
            let name = format!("~{}", self.text(of_class));
            let name = self.project.names.intern(&name);
            let Some(body) = self.definition(*class).body else { continue };
            let found = self.scope_member(class.file, body, name, Namespace::Value, Asker::Named);
            all.add(self.replace_declarations(found));
        }
        all
    }

    /// The functions of an operator: those of the class of the first operand, and those outside of classes that take
    /// an operand of a class. Nothing if the project does not define the operator, or the operands are of no class.
    fn operator(&mut self, file: FileId, base: ExprId, name: Name, args: &[ExprId]) -> Implied {
        let Some(named) = self.namesakes(name) else {
            return Implied { search: Search::unknown(Reason::TooManyCandidates), may_be_pointer: true };
        };
        if named.is_empty() || named.len() > MAX_OPERATORS {
            return Implied::default();
        }
        let text = self.text(name);
        let facts = &self.unit(file).facts;
        let is_null = |expr: &ExprId| facts.expr(*expr) == Expr::Literal(Literal::Null);
        if WITH_NULL.contains(&text) && args.iter().any(is_null) {
            return Implied::default();
        }
        // Members of the class of the first operand, with the right number of parameters.
        let first = self.eval(file, base, Namespace::Value);
        let mut operands = vec![operand(&first)];
        for &arg in args {
            let values = self.eval(file, arg, Namespace::Value);
            operands.push(operand(&values));
        }
        let mut search = Search::default();
        for value in first.items.iter().filter(|value| matches!(value, Value::Instance(..))) {
            let mut found = self.member(value, name, Namespace::Value);
            found.found.retain(|found| self.is_function(found));
            search.add(Search { unknown: None, ..found });
        }
        search = self.taking(search, u8::try_from(args.len()).unwrap_or(u8::MAX));
        // Functions outside of classes, by the classes of all operands.
        let (free, may_be_more) = self.free_operators(&named, &operands);
        free.into_iter().for_each(|of| search.push(Found::plain(Entity::Def(of))));
        let is_open = matches!(operands[0], Operand::Unknown) || first.unknown.is_some();
        if search.found.is_empty() && (is_open && self.some_take(&named, &operands) || may_be_more) {
            search.unknown = Some(Reason::UnknownReceiver);
        }
        let second = operands.get(1);
        // These operators do not exist for pointers, so they cannot be arithmetic on an address.
        let is_certain = NOT_OF_POINTERS.contains(&text)
            || WITH_NUMBERS.contains(&text) && matches!(second, Some(Operand::Class(_)))
            || text == "operator*" && second.is_some()
            || text == "operator&" && second.is_some();
        Implied { search: self.replace_declarations(search), may_be_pointer: !is_certain }
    }

    fn is_function(&mut self, found: &Found) -> bool {
        matches!(found.entity, Entity::Def(of) if self.definition(of).kind == DefKind::Function)
    }

    /// Functions of an operator that are no members and take the most operands by their class; and whether another may
    /// take one that is not known.
    fn free_operators(&mut self, named: &[DefRef], operands: &[Operand]) -> (Vec<DefRef>, bool) {
        let mut best = 1;
        let mut found = Vec::new();
        let mut may_be_more = false;
        for &of in named {
            let parameters = self.unit(of.file).facts.parameters(of.def);
            // A friend is written in a class, and takes all operands.
            if parameters.len() != operands.len() || operands.len() < 2 && self.class_of(of).is_some() {
                continue;
            }
            let mut fits = 0;
            let mut open = false;
            let mut refused = false;
            for (place, operand) in operands.iter().enumerate() {
                let declared = parameters[place].declared;
                let types = declared.map(|declared| self.eval(of.file, declared, Namespace::Type));
                let class = types.and_then(|types| match types.items.as_slice() {
                    [Value::Def(class, _)] => Some(*class),
                    _ => None,
                });
                match (class, operand) {
                    (Some(class), Operand::Class(given)) if self.derives(*given, class) => fits += 1,
                    (Some(_), Operand::Class(_) | Operand::Plain) => refused = true,
                    (_, Operand::Unknown) => open |= class.is_some(),
                    _ => {}
                }
            }
            if refused {
                continue;
            }
            may_be_more |= open && fits == 0;
            if fits > best {
                found.clear();
                best = fits;
            }
            if fits == best {
                found.push(of);
            }
        }
        (found, may_be_more)
    }

    /// Returns whether a member of these could take the operands, the first of which is not known.
    fn some_take(&mut self, named: &[DefRef], operands: &[Operand]) -> bool {
        let is_plain = matches!(operands.get(1), Some(Operand::Plain));
        named.iter().any(|&of| {
            let parameters = self.unit(of.file).facts.parameters(of.def);
            let declared = parameters.first().and_then(|first| first.declared);
            if parameters.len() + 1 != operands.len() || self.class_of(of).is_none() {
                return false;
            }
            let Some(declared) = declared.filter(|_| is_plain) else { return true };
            let types = self.eval(of.file, declared, Namespace::Type);
            !matches!(types.items.as_slice(), [Value::Def(..)])
        })
    }

    fn derives(&mut self, of: DefRef, from: DefRef) -> bool {
        of == from
            || self
                .ancestors(of)
                .iter()
                .any(|one| matches!(one, crate::eval::ancestors::Ancestor::Class(class, _) if *class == from))
    }
}

fn operand(values: &Values) -> Operand {
    let class = values.items.iter().find_map(|value| match value {
        Value::Instance(class, _) => Some(*class),
        _ => None,
    });
    match (class, values.unknown) {
        (Some(class), _) => Operand::Class(class),
        (None, Some(_)) => Operand::Unknown,
        _ if values.items.iter().any(|value| matches!(value, Value::TypeVar(..))) => Operand::Unknown,
        _ if values
            .items
            .iter()
            .all(|value| matches!(value, Value::Null | Value::Builtin(crate::rules::Builtin::Scalar, _))) =>
        {
            Operand::Plain
        }
        _ => Operand::Other,
    }
}
