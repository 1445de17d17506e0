//! Functions that answer fields of GraphQL's root types, by the names that libraries find them under.

use m1nd_lang::facts::{DefId, DefKind, Expr, Role};
use m1nd_lang::{FileFacts, Language};

use super::shared::base_of;
use super::texts_of;
use crate::frameworks::rpc::snake;

/// Parts of names of packages that make servers or clients of GraphQL.
const PACKAGES: &[&str] =
    &["apollo", "ariadne", "dgs", "gqlgen", "graphene", "graphql", "juniper", "mercurius", "pothos", "strawberry"];
/// Names of classes, objects and receivers that hold the fields of a root type.
const HOLDERS: &[(&str, &str)] = &[
    ("GraphQLMutationResolver", "Mutation"),
    ("GraphQLQueryResolver", "Query"),
    ("GraphQLSubscriptionResolver", "Subscription"),
    ("Mutation", "Mutation"),
    ("MutationRoot", "Mutation"),
    ("Query", "Query"),
    ("QueryRoot", "Query"),
    ("RootMutation", "Mutation"),
    ("RootQuery", "Query"),
    ("Subscription", "Subscription"),
    ("SubscriptionRoot", "Subscription"),
    ("mutationResolver", "Mutation"),
    ("queryResolver", "Query"),
    ("subscriptionResolver", "Subscription"),
];
/// Decorators of functions that answer a field.
const DECORATORS: &[(&str, &str)] = &[
    ("DgsMutation", "Mutation"),
    ("DgsQuery", "Query"),
    ("DgsSubscription", "Subscription"),
    ("Mutation", "Mutation"),
    ("MutationMapping", "Mutation"),
    ("Query", "Query"),
    ("QueryMapping", "Query"),
    ("Subscription", "Subscription"),
    ("SubscriptionMapping", "Subscription"),
];

/// A function that may answer a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolver {
    /// The field: `Query.user`.
    pub(crate) field: String,
    /// The function, or the field of an object that holds it.
    pub(crate) def: DefId,
    /// The file uses a library of GraphQL, or the object is one of resolvers.
    pub(crate) sure: bool,
}

/// The functions of a file that may answer fields.
pub(crate) fn resolvers(facts: &FileFacts) -> Vec<Resolver> {
    let uses = uses_library(facts);
    let mut found = Vec::new();
    for (index, definition) in facts.definitions.iter().enumerate() {
        if !matches!(definition.kind, DefKind::Function | DefKind::Field) || definition.flags.is_anonymous {
            continue;
        }
        let Some((root, in_object)) = root_of(facts, DefId(index as u32)) else { continue };
        let name = facts.name(definition.name);
        let is_function = definition.kind == DefKind::Function;
        let is_object = facts.language.family() == Language::JavaScript;
        if !(is_function || is_object) || definition.flags.is_constructor {
            continue;
        }
        let sure = uses || in_object;
        if sure || is_object {
            let def = DefId(index as u32);
            found.extend(spellings(facts.language, name).into_iter().map(|name| Resolver {
                field: format!("{root}.{name}"),
                def,
                sure,
            }));
        }
    }
    if uses {
        collect_decorated(facts, &mut found);
    }
    found
}

/// Returns whether a file uses a library of GraphQL.
fn uses_library(facts: &FileFacts) -> bool {
    facts.imports.iter().any(|import| {
        let module = facts.name(import.module).to_ascii_lowercase();
        let path = import.path.and_then(|path| root_name(facts, path)).unwrap_or("").to_ascii_lowercase();
        PACKAGES.iter().any(|part| module.contains(part) || path.contains(part))
    }) || facts.language == Language::Go && super::shared::has_name(facts, "queryResolver")
}

fn root_name(facts: &FileFacts, mut expr: m1nd_lang::facts::ExprId) -> Option<&str> {
    // Sub-expressions precede their users, so this ends.
    loop {
        match facts.expr(expr) {
            Expr::Path { base, name } if matches!(facts.expr(base), Expr::Root { .. }) => {
                return Some(facts.name(name));
            }
            Expr::Path { base, .. } | Expr::Member { base, .. } => expr = base,
            Expr::Name { name, .. } => return Some(facts.name(name)),
            _ => return None,
        }
    }
}

/// The root type that a definition is a field of, and whether that stands in an object of resolvers.
fn root_of(facts: &FileFacts, def: DefId) -> Option<(&'static str, bool)> {
    let definition = facts.definition(def);
    let by_name = |name: &str| HOLDERS.iter().find(|(known, _)| *known == name).map(|(_, root)| *root);
    if let Some(receiver) = definition.extends_type {
        return Some((by_name(facts.last_name(receiver)?)?, true));
    }
    let owner = definition.owner?;
    let above = facts.definition(owner);
    if !above.kind.is_class_like() {
        return None;
    }
    let extended = above.extends_type.and_then(|of| facts.last_name(of)).and_then(by_name);
    let bases = facts.list(above.bases).iter().chain(facts.list(above.implements));
    let mut by_base = bases.filter_map(|base| facts.last_name(*base)).filter(|name| name.starts_with("GraphQL"));
    let root = by_name(facts.name(above.name)).or(extended).or_else(|| by_base.find_map(by_name))?;
    let around = above.owner.map(|owner| facts.name(facts.definition(owner).name).to_ascii_lowercase());
    Some((root, around.is_some_and(|name| name.contains("resolver"))))
}

/// The names that the field of a function of this name may have in a schema.
fn spellings(language: Language, name: &str) -> Vec<String> {
    let name = name.strip_prefix("resolve_").filter(|_| language == Language::Python).unwrap_or(name);
    match language.family() {
        Language::Python | Language::Rust => {
            let camel = camel(name);
            if camel == name { vec![camel] } else { vec![camel, name.to_owned()] }
        }
        Language::Go => {
            let snake = snake(name);
            vec![camel(&snake)]
        }
        Language::Java => {
            let short = name.strip_prefix("get").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
            std::iter::once(name.to_owned()).chain(short.map(|rest| camel(&snake(rest)))).collect()
        }
        _ => vec![name.to_owned()],
    }
}

/// `get_cart` as `getCart`.
fn camel(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut raise = false;
    for letter in name.chars() {
        if letter == '_' && !text.is_empty() {
            raise = true;
        } else if std::mem::take(&mut raise) {
            text.push(letter.to_ascii_uppercase());
        } else {
            text.push(letter);
        }
    }
    text
}

/// Functions that decorators name fields of.
fn collect_decorated(facts: &FileFacts, found: &mut Vec<Resolver>) {
    for (at, reference) in facts.references.iter().enumerate().filter(|(_, row)| row.role == Role::Decorate) {
        let (Some(name), Some(def)) = (facts.last_name(reference.expr), reference.enclosing) else { continue };
        let is_function = facts.definition(def).kind == DefKind::Function;
        let mut texts = texts_of(facts, at as u32)
            .filter(|row| row.key.as_deref().is_none_or(|key| matches!(key, "name" | "field" | "value")));
        let text = texts.next().map(|row| row.text.to_string()).filter(|text| !text.contains(['{', ' ']));
        let root = match DECORATORS.iter().find(|(known, _)| *known == name) {
            Some((_, root)) => *root,
            // `@query.field("user")`
            None if name == "field" => {
                let base = base_of(facts, reference.expr).and_then(|base| facts.last_name(base)).unwrap_or("");
                match base {
                    "query" => "Query",
                    "mutation" => "Mutation",
                    "subscription" => "Subscription",
                    _ => continue,
                }
            }
            None => continue,
        };
        if is_function {
            let name = text.unwrap_or_else(|| facts.name(facts.definition(def).name).to_owned());
            found.push(Resolver { field: format!("{root}.{name}"), def, sure: true });
        }
    }
}
