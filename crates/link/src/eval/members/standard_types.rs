//! Types of values that the standard library and operators yield, as far as overloads need them.

use std::rc::Rc;

use m1nd_lang::facts::{Expr, ExprId, Literal};

use crate::eval::{Entity, Eval, Outside, Search, Value, Values};
use crate::names::Name;
use crate::rules::{Builtin, FieldShape, MethodShape};
use crate::tables::files::FileId;

/// Ending of the names of array types.
pub(super) const ARRAY: &str = "[]";
/// Ending of the names of types with type arguments.
pub(super) const GENERIC: &str = "*";
/// Numbers, by what operators make of two of them, with the classes that hold one.
const NUMBERS: &[(&str, &str, &str)] = &[
    ("byte", "Byte", "int"),
    ("short", "Short", "int"),
    ("char", "Character", "int"),
    ("int", "Integer", "int"),
    ("long", "Long", "long"),
    ("float", "Float", "float"),
    ("double", "Double", "double"),
];

/// Returns whether something is of the library that the table of types describes.
pub(super) fn is_java(package: &str) -> bool {
    package == "java" || package.starts_with("java.")
}

impl Eval<'_> {
    /// Returns whether a name is that of a standard type whose members are known.
    pub(in crate::eval) fn is_standard_type(&self, package: &Outside, name: Option<&str>) -> bool {
        is_java(package) && name.is_some_and(|name| (self.home.standard_type)(name).is_some())
    }

    /// The standard type that a member of a standard type has or returns, where its overloads agree.
    pub(in crate::eval) fn standard_result(&mut self, of: &Outside, ty: Option<Name>, member: &str) -> Option<Name> {
        if !self.home.overload_phases || !is_java(of) {
            return None;
        }
        let result = match ty {
            Some(name) => self.find_result(self.text(name), member)?,
            None => self.find_result(&of.last_name().filter(|_| of.is_named_as_class())?, member)?,
        };
        (!result.ends_with(GENERIC)).then(|| self.project.names.intern(result))
    }

    /// The type that a member of a standard type has or returns, as it is written in the table.
    pub(in crate::eval) fn find_result(&self, ty: &str, member: &str) -> Option<&'static str> {
        let find = self.home.standard_type;
        let known = find(ty)?;
        let bases = known.bases.iter().filter_map(|base| find(base));
        let rows = std::iter::once(known).chain(bases).chain(self.home.top_type.and_then(find));
        let mut results = rows.flat_map(|row| &row.results);
        results.find(|(method, _)| *method == member).map(|(_, result)| *result)
    }

    /// A value of a standard type.
    pub(in crate::eval) fn value_of_standard(&mut self, name: Name) -> Value {
        let package = self.home.builtin_package;
        match self.text(name).strip_suffix(ARRAY) {
            Some(element) => {
                let element = self.project.names.intern(element);
                Value::Builtin(Builtin::Array, [Values::one(Value::External(package.into(), Some(element)))].into())
            }
            None => Value::External(package.into(), Some(name)),
        }
    }

    /// The only field of an array.
    pub(in crate::eval) fn length_of_array(&mut self) -> Search {
        let name = self.project.names.intern("int");
        let number = Values::one(self.value_of_standard(name));
        let receiver = Value::Builtin(Builtin::Array, [number].into());
        Search::one(Entity::BuiltinMethod(Some(MethodShape::Field(FieldShape::First)), Rc::new(receiver)))
    }

    /// Values of alternatives. Numbers become the larger type; of three, of which the last is a number, the first two
    /// are operands.
    pub(in crate::eval) fn settle_operands(&mut self, file: FileId, items: &[ExprId], values: Values) -> Values {
        let is_number = |expr: &ExprId| self.project.unit(file).facts.expr(*expr) == Expr::Literal(Literal::Int);
        let are_operands = matches!(items, [_, _, last] if is_number(last));
        let name_of = |eval: &Self, value: &Value| match value {
            Value::External(_, Some(name)) => Some(eval.text(*name)),
            _ => None,
        };
        let names: Vec<Option<&str>> = values.items.iter().map(|value| name_of(self, value)).collect();
        let one = |eval: &mut Self, name: &str| {
            let name = eval.project.names.intern(name);
            Values::one(eval.value_of_standard(name))
        };
        if are_operands && names.contains(&Some("String")) {
            return one(self, "String");
        }
        if values.unknown.is_some() || !are_operands && names.len() < 2 {
            return values;
        }
        let is_truth = |name: &Option<&str>| matches!(name, Some("boolean" | "Boolean"));
        if are_operands && names.iter().any(is_truth) {
            return one(self, "boolean");
        }
        let number = |name: &Option<&str>| {
            let row = NUMBERS.iter().position(|(own, boxed, _)| Some(*own) == *name || Some(*boxed) == *name)?;
            Some(row)
        };
        let numbers: Option<Vec<usize>> = names.iter().map(number).collect();
        match numbers.and_then(|numbers| numbers.into_iter().max()) {
            Some(largest) => {
                let (own, _, result) = NUMBERS[largest];
                let stays = !are_operands && own != "char";
                one(self, if stays { own } else { result })
            }
            None => values,
        }
    }
}
