//! Steps that need the whole file: names that other files look up, constructors, extensions.

use super::super::outline::common::settle_values;
use super::super::outline::rules::Label;
use super::names::settle_imports;
use super::{APPLIED, CONSTRUCTOR};
use crate::facts::{Binding, BindingTarget, DefId, DefKind, FileFacts, Namespace, ScopeKind};

pub(super) fn finish(facts: &mut FileFacts, labels: &[Label]) {
    settle_imports(facts, labels);
    place_classes(facts);
    place_constructors(facts);
    place_extensions(facts);
    mark_main(facts);
    mark_suites(facts);
    settle_values(facts);
}

/// A class that is called constructs a value of itself, so that its name is one of values as well.
fn place_classes(facts: &mut FileFacts) {
    for index in 0..facts.bindings.len() {
        let BindingTarget::Definition(id) = facts.bindings[index].target else { continue };
        if matches!(facts.definition(id).kind, DefKind::Class | DefKind::Variant | DefKind::Enum) {
            facts.bindings[index].namespace = Namespace::Any;
        }
    }
}

/// Binds further constructors under one name, because the constructed class may have any.
fn place_constructors(facts: &mut FileFacts) {
    let mut name = None;
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        if !definition.flags.is_constructor {
            continue;
        }
        let scope = definition.scope;
        let name = *name.get_or_insert_with(|| facts.names.intern(CONSTRUCTOR));
        let target = BindingTarget::Definition(DefId(index as u32));
        facts.bindings.push(Binding { scope, name, namespace: Namespace::Value, target });
    }
}

/// Functions of an extension are known where the extension stands.
fn place_extensions(facts: &mut FileFacts) {
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        let row = facts.scopes[definition.scope.index()];
        let is_extension = definition.kind == DefKind::Function && definition.extends_type.is_some();
        if let (true, ScopeKind::Generics, Some(scope)) = (is_extension, row.kind, row.parent) {
            let target = BindingTarget::Definition(DefId(index as u32));
            let name = definition.name;
            facts.bindings.push(Binding { scope, name, namespace: Namespace::Value, target });
        }
    }
}

/// Marks what a runtime starts: `main` of an object, `@main`, and objects that extend `App`.
fn mark_main(facts: &mut FileFacts) {
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        let owner = definition.owner.map(|owner| facts.definition(owner).kind);
        let is_main = definition.kind == DefKind::Function
            && (facts.name(definition.name) == "main" && owner == Some(DefKind::Object)
                || facts.list(definition.decorators).iter().any(|one| facts.last_name(*one) == Some("main")));
        let is_app = definition.kind == DefKind::Object
            && facts.list(definition.bases).iter().any(|base| facts.last_name(*base).is_some_and(is_app));
        if is_main || is_app {
            facts.definitions[index].flags.is_entry = true;
        }
    }
}

/// Classes from which suites of tests are derived: of ScalaTest, MUnit, specs2, uTest, ScalaCheck, Weaver, ZIO.
const SUITES: &[&str] = &[
    "AnyFeatureSpec", "AnyFlatSpec", "AnyFreeSpec", "AnyFunSpec", "AnyFunSuite", "AnyPropSpec", "AnyWordSpec",
    "AsyncFlatSpec", "AsyncFreeSpec", "AsyncFunSpec", "AsyncFunSuite", "AsyncWordSpec", "CatsEffectSuite",
    "DisciplineSuite", "FeatureSpec", "FlatSpec", "FreeSpec", "FunSpec", "FunSuite", "Properties", "PropSpec",
    "ScalaCheckSuite", "SimpleIOSuite", "Specification", "TestSuite", "WordSpec", "ZIOSpecDefault",
];

/// The body of a suite is its tests, which a runner constructs.
fn mark_suites(facts: &mut FileFacts) {
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        let is_suite = |base: &str| SUITES.contains(&base);
        if matches!(definition.kind, DefKind::Class | DefKind::Object)
            && facts.list(definition.bases).iter().any(|base| facts.last_name(*base).is_some_and(is_suite))
        {
            facts.definitions[index].flags.is_test = true;
            facts.definitions[index].flags.is_entry = true;
        }
    }
}

/// Returns whether a base has a `main` of its own that runs the object.
fn is_app(base: &str) -> bool {
    APPLIED.contains(&base)
}
