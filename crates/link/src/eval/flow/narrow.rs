//! Values of which a condition tells more: `isinstance`, `instanceof`, `"name" in x`, `x.kind === "a"`.

use m1nd_lang::facts::{Expr, ExprId, NameId, Namespace, NarrowTest};

use crate::eval::ancestors::Ancestor;
use crate::eval::{Entity, Eval, Value, Values};
use crate::tables::files::{DefRef, FileId};

/// Constants of one declared type.
const MAX_CONSTANTS: usize = 32;

impl Eval<'_> {
    /// The values of an expression for which a test holds, or does not.
    pub(in crate::eval) fn narrow(
        &mut self,
        file: FileId,
        base: ExprId,
        by: &[ExprId],
        test: NarrowTest,
        holds: bool,
    ) -> Values {
        let values = self.eval(file, base, Namespace::Value);
        match (test, by) {
            (NarrowTest::Class, by) => self.narrow_to_classes(file, values, by, holds),
            (_, &[entry]) => {
                let Expr::Entry { name, value } = self.unit(file).facts.expr(entry) else { return values };
                self.filter(values, |eval, known| match test {
                    NarrowTest::Constant => eval.has_constant(file, known, name, value) != Some(!holds),
                    _ => eval.may_have_member(file, known, name) != Some(!holds),
                })
            }
            _ => values,
        }
    }

    /// The values that a test keeps; all of them if it keeps none, since their types must then be too coarse.
    fn filter(&mut self, values: Values, mut keeps: impl FnMut(&mut Self, &Value) -> bool) -> Values {
        let mut kept = Values { unknown: values.unknown, ..Values::default() };
        for value in &values.items {
            if keeps(self, value) {
                kept.push(value.clone());
            }
        }
        if kept.is_nothing() { values } else { kept }
    }

    /// Values of one of the classes, or of none of them.
    fn narrow_to_classes(&mut self, file: FileId, values: Values, by: &[ExprId], holds: bool) -> Values {
        let mut types = Values::default();
        for &class in by {
            types.add(self.eval(file, class, Namespace::Type));
        }
        let wanted = self.instantiate(types);
        let is_known = |value: &Value| matches!(value, Value::Instance(..) | Value::External(..) | Value::Builtin(..));
        if wanted.unknown.is_some() || wanted.items.is_empty() || !wanted.items.iter().all(is_known) {
            return values;
        }
        let classes: Vec<DefRef> = wanted.items.iter().filter_map(class_of).collect();
        if !holds {
            return self
                .filter(values, |eval, value| class_of(value).is_none_or(|class| !eval.is_one_of(class, &classes)));
        }
        // What is known to be of such a class stays as it is; of a base of it, or unknown, it is of the class.
        let mut kept = Values::default();
        let mut is_open = values.unknown.is_some();
        for value in values.items {
            match class_of(&value) {
                Some(class) if self.is_one_of(class, &classes) => kept.push(value),
                Some(class) => {
                    for one in &wanted.items {
                        if class_of(one).is_some_and(|one| self.is_one_of(one, &[class])) {
                            kept.push(one.clone());
                        }
                    }
                }
                None => is_open |= !matches!(value, Value::Null | Value::Builtin(..)),
            }
        }
        if is_open || kept.is_nothing() { wanted } else { kept }
    }

    /// Returns whether a class is one of these or derived from one.
    fn is_one_of(&mut self, class: DefRef, classes: &[DefRef]) -> bool {
        let ancestors = self.ancestors(class);
        ancestors.iter().any(|one| matches!(one, Ancestor::Class(of, _) if classes.contains(of)))
    }

    /// Returns whether a value has a member of this name; `None` if that is not known.
    fn may_have_member(&mut self, file: FileId, value: &Value, name: NameId) -> Option<bool> {
        let class = class_of(value)?;
        let name = self.unit(file).name(name);
        let search = self.member(value, name, Namespace::Value);
        let ancestors = self.ancestors(class);
        let is_whole = ancestors.iter().all(|one| matches!(one, Ancestor::Class(..)));
        if search.found.is_empty() { is_whole.then_some(false) } else { Some(true) }
    }

    /// Returns whether a member of a value is this constant, by its declared type; `None` if that is not known.
    fn has_constant(&mut self, file: FileId, value: &Value, name: NameId, constant: ExprId) -> Option<bool> {
        class_of(value)?;
        let name = self.unit(file).name(name);
        let search = self.member(value, name, Namespace::Value);
        let Some(Entity::Def(of)) = search.found.first().map(|found| found.entity.clone()) else { return None };
        let declared = self.definition(of).declared?;
        let facts = &self.unit(of.file).facts;
        let alternatives = match facts.expr(declared) {
            Expr::Union(items) => facts.list(items),
            _ => &[declared],
        };
        let mut is_known = alternatives.len() <= MAX_CONSTANTS;
        for &alternative in alternatives.iter().take(MAX_CONSTANTS) {
            match self.is_same_constant((of.file, alternative), (file, constant)) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(false)
    }

    /// Returns whether two expressions are the same literal or variant of an enum; `None` if that is not known.
    fn is_same_constant(&mut self, left: (FileId, ExprId), right: (FileId, ExprId)) -> Option<bool> {
        let literal = |eval: &mut Self, (file, expr): (FileId, ExprId)| match eval.unit(file).facts.expr(expr) {
            Expr::Entry { name, .. } => Some(eval.unit(file).facts.name(name).to_owned()),
            _ => None,
        };
        if let (Some(left), Some(right)) = (literal(self, left), literal(self, right)) {
            return Some(left == right);
        }
        let variant = |eval: &mut Self, (file, expr): (FileId, ExprId)| {
            if !matches!(eval.unit(file).facts.expr(expr), Expr::Member { .. }) {
                return None;
            }
            match eval.resolve(file, expr, Namespace::Value).found.as_slice() {
                [found] => match found.entity {
                    Entity::Def(of) => Some(of),
                    _ => None,
                },
                _ => None,
            }
        };
        let left = variant(self, left)?;
        Some(left == variant(self, right)?)
    }
}

/// The class of a value of the project.
fn class_of(value: &Value) -> Option<DefRef> {
    match value {
        Value::Instance(class, _) => Some(*class),
        _ => None,
    }
}
