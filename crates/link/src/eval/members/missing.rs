//! Methods that are called in place of those that a class lacks (`__call`, `method_missing`).

use m1nd_lang::facts::{BindingTarget, Expr, Namespace};

use crate::eval::members::member::Asked;
use crate::eval::{Entity, Eval, Found, Search};
use crate::reason::Reason;

impl Eval<'_> {
    /// Adds the method that is called in place of those that only a comment declares.
    pub(in crate::eval) fn with_missing_method(&mut self, asked: &Asked<'_>, mut search: Search) -> Search {
        let is_documented = |eval: &mut Self, found: &Found| {
            let Entity::Local(file, binding) = found.entity else { return false };
            let facts = &eval.unit(file).facts;
            let BindingTarget::Value(value) = facts.bindings[binding as usize].target else { return false };
            matches!(facts.expr(value), Expr::Function { .. })
        };
        if !self.rules(asked.of.file).missing_methods.is_empty()
            && asked.want == Namespace::Callee
            && search.found.iter().all(|found| is_documented(self, found))
            && let Some(missing) = self.missing_method(asked)
        {
            missing.found.into_iter().for_each(|found| search.push(found));
        }
        search
    }

    /// The method that is called in place of one that the class lacks; a derived class may have that one.
    pub(in crate::eval) fn missing_method(&mut self, asked: &Asked<'_>) -> Option<Search> {
        let rules = self.rules(asked.of.file);
        if asked.want != Namespace::Callee || rules.missing_methods.contains(&self.text(asked.name)) {
            return None;
        }
        rules.missing_methods.iter().find_map(|text| {
            let name = self.project.names.intern(text);
            let mut search = self.class_member(&Asked { name, ..*asked }, None);
            search.found.retain(|found| matches!(found.entity, Entity::Def(_)));
            search.unknown = Some(Reason::UnknownReceiver);
            (!search.found.is_empty()).then_some(search)
        })
    }
}
