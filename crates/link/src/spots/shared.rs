//! Words under which other files look for what a file declares, implements or sets, by its facts alone.

use m1nd_lang::facts::{DefId, DefKind, Expr, ExprId, ParameterKind, Role, SharedKind};
use m1nd_lang::{FileFacts, Language};

use super::points::{Imported, imports};
use super::{arguments_of, graphql, texts_of};
use crate::frameworks::tables::{self, TableRow};
use crate::frameworks::{rpc, settings};

/// All words of a file.
pub(super) fn words(facts: &FileFacts) -> Vec<String> {
    let mut words: Vec<String> =
        facts.shared.iter().filter_map(|row| word(row.kind, row.declares, &row.name)).collect();
    if facts.language == Language::Proto {
        words.push(SERVICES.to_owned());
        let services = facts.definitions.iter().filter(|row| row.kind == DefKind::Interface);
        words.extend(services.map(|row| service(facts.name(row.name))));
        let types = facts.definitions.iter().filter(|row| row.kind.is_type());
        words.extend(types.map(|row| type_name(facts.name(row.name))));
    }
    if facts.language == Language::GraphQl {
        let types = facts.definitions.iter().filter(|row| row.kind.is_type());
        words.extend(types.map(|row| type_name(facts.name(row.name))));
    }
    if facts.language.is_prose() {
        return words;
    }
    words.extend(declared_tables(facts).map(|row| table(row.name)));
    words.extend(implementations(facts).into_iter().map(|row| implementation(row.service)));
    words.extend(readers(facts).into_iter().map(|row| reader(facts.name(facts.definition(row.function).name))));
    words.extend(graphql::resolvers(facts).into_iter().map(|row| resolver(&row.field)));
    words
}

/// The word of a name that other files look for; `None` if none does.
fn word(kind: SharedKind, declares: bool, name: &str) -> Option<String> {
    Some(match (kind, declares) {
        (SharedKind::Table, true) => table(name),
        (SharedKind::Field, true) => field(name),
        (SharedKind::Variable, true) => variable(name),
        (SharedKind::Image, true) => image(name),
        (SharedKind::ImageAlias, true) => image_alias(name),
        (SharedKind::Value, true) => value(name),
        (SharedKind::Variables, true) => variables(name),
        (SharedKind::Variables, false) => variables_used(name),
        _ => return None,
    })
}

/// The word of all files that declare procedures.
pub(crate) const SERVICES: &str = "services";

pub(crate) fn service(name: &str) -> String {
    format!("service {name}")
}

pub(crate) fn implementation(service: &str) -> String {
    format!("implementation {service}")
}

pub(crate) fn type_name(name: &str) -> String {
    format!("type {name}")
}

pub(crate) fn table(name: &str) -> String {
    format!("table {}", name.to_ascii_lowercase())
}

pub(crate) fn field(name: &str) -> String {
    format!("field {name}")
}

pub(crate) fn resolver(name: &str) -> String {
    format!("resolver {name}")
}

pub(crate) fn variable(name: &str) -> String {
    format!("variable {name}")
}

pub(crate) fn variables(name: &str) -> String {
    format!("variables {name}")
}

pub(crate) fn variables_used(name: &str) -> String {
    format!("variables used {name}")
}

/// Images are found by the last part of their names.
pub(crate) fn image(name: &str) -> String {
    format!("image {}", last_part(name))
}

/// The word of files that put another image in place of one.
pub(crate) fn image_alias(name: &str) -> String {
    format!("image alias {name}")
}

/// The word of files with a value for templates.
pub(crate) fn value(path: &str) -> String {
    format!("value {path}")
}

/// The last part of the name of an image, without its tag.
pub(crate) fn last_part(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split([':', '@']).next().unwrap_or(last)
}

/// The word of files with a function of this name that reads the variables whose names it is given.
pub(crate) fn reader(function: &str) -> String {
    format!("reader {function}")
}

/// A function that reads the variable whose name it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reader {
    pub(crate) function: DefId,
    /// The parameter with the name, without the receiver.
    pub(crate) parameter: u8,
    /// The call that reads.
    pub(crate) reference: u32,
}

/// The functions of a file that may read variables whose names they are given.
pub(crate) fn readers(facts: &FileFacts) -> Vec<Reader> {
    let rows = settings::settings(crate::languages::linked_family(facts.language));
    let reads =
        |name: &str| rows.iter().any(|row| matches!(row.key, settings::Key::Argument(names) if names.contains(&name)));
    let mut found = Vec::new();
    for (at, reference) in facts.references.iter().enumerate().filter(|(_, row)| row.role == Role::Call) {
        let (Some(function), Some(name)) = (reference.enclosing, facts.last_name(reference.expr)) else { continue };
        if !reads(name) || facts.definition(function).kind != DefKind::Function {
            continue;
        }
        let Some(&first) = arguments_of(facts, reference.expr).first() else { continue };
        let Expr::Name { name, .. } = facts.expr(first) else { continue };
        let parameters = facts.parameters(function).iter();
        let mut parameters = parameters.filter(|row| row.kind != ParameterKind::Receiver);
        if let Some(place) = parameters.position(|row| row.name == name) {
            let parameter = u8::try_from(place).unwrap_or(u8::MAX);
            found.push(Reader { function, parameter, reference: at as u32 });
        }
    }
    found
}

/// A table that code declares.
pub(crate) struct DeclaredTable<'f> {
    pub(crate) name: &'f str,
    /// The row that says so; `None` for a field of a class.
    pub(crate) row: Option<&'static TableRow>,
    /// The call or decorator; `None` for a field.
    pub(crate) reference: Option<u32>,
    pub(crate) pos: m1nd_base::Pos,
}

/// Tables that code declares.
pub(crate) fn declared_tables(facts: &FileFacts) -> impl Iterator<Item = DeclaredTable<'_>> {
    let imported = Imported::of(facts);
    let rows: Vec<&'static TableRow> = tables::ROWS.iter().filter(|row| imported.has(row.package)).collect();
    facts.texts.iter().filter_map(move |text| {
        let plain = !text.text.is_empty() && !text.text.contains(['{', ' ', '/']);
        let (name, pos) = (&*text.text, text.pos);
        let Some(at) = text.reference else {
            let is_field = text.key.as_deref().is_some_and(|key| tables::FIELDS.contains(&key));
            return (plain && is_field).then_some(DeclaredTable { name, row: None, reference: None, pos });
        };
        let is_place = match text.key.as_deref() {
            None => text.place == 0,
            Some(key) => key == "name",
        };
        if !plain || !is_place {
            return None;
        }
        let callee = facts.last_name(facts.references.get(at as usize)?.expr)?;
        let row = rows.iter().find(|row| row.names.contains(&callee))?;
        Some(DeclaredTable { name, row: Some(row), reference: Some(at), pos })
    })
}

/// What implements a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// This definition, which derives from what the generator made.
    Definition(u32),
    /// What this call is given: its reference.
    Call(u32),
    /// The function that this decorates, which is one procedure: a reference.
    Function(u32),
}

/// An implementation of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Implementation<'f> {
    pub(crate) service: &'f str,
    pub(crate) by: By,
}

/// Decorators whose texts are a service and one of its procedures.
const PROCEDURES: &[&str] = &["GrpcMethod", "GrpcStreamCall", "GrpcStreamMethod"];

/// The implementations of services that a file may have.
pub(crate) fn implementations(facts: &FileFacts) -> Vec<Implementation<'_>> {
    let Some(names) = rpc::names(facts.language) else { return Vec::new() };
    let mut found = Vec::new();
    for (index, definition) in facts.definitions.iter().enumerate() {
        let bases = facts.list(definition.bases).iter().chain(facts.list(definition.implements));
        for &base in bases {
            let Some(name) = facts.last_name(base) else { continue };
            let by = By::Definition(index as u32);
            if names.inner_bases.contains(&name)
                && let Some(service) = base_of(facts, base).and_then(|base| facts.last_name(base))
            {
                found.push(Implementation { service, by });
            }
            for service in rpc::services(names.bases, name) {
                let proven = match facts.language {
                    Language::Rust => definition.kind == DefKind::Impl && has_name(facts, &format!("{service}Server")),
                    Language::CSharp => {
                        let before = base_of(facts, base).and_then(|base| facts.last_name(base));
                        // The class of the service may be imported as a whole: `using static …Health;`.
                        before == Some(service)
                            || before.is_none()
                                && facts
                                    .imports
                                    .iter()
                                    .any(|row| facts.name(row.module).rsplit('.').next() == Some(service))
                    }
                    Language::Python => name.ends_with("Servicer") || imports(facts, "grpclib"),
                    _ => true,
                };
                if proven {
                    found.push(Implementation { service, by });
                }
            }
        }
    }
    for (at, reference) in facts.references.iter().enumerate() {
        let Some(name) = facts.last_name(reference.expr) else { continue };
        if reference.role == Role::Decorate && PROCEDURES.contains(&name) {
            let by = By::Function(at as u32);
            found.extend(decorator_texts(facts, at as u32).first().map(|service| Implementation { service, by }));
        }
        if reference.role != Role::Call {
            continue;
        }
        let by = By::Call(at as u32);
        match facts.language.family() {
            Language::JavaScript if name == "addService" || name == "service" => {
                found.extend(first_service(facts, reference.expr).map(|service| Implementation { service, by }));
            }
            Language::Rust => {
                if matches!(name, "new" | "with_interceptor" | "from_arc")
                    && let Some(class) = base_of(facts, reference.expr).and_then(|base| facts.last_name(base))
                {
                    found.extend(rpc::services(names.registers, class).map(|service| Implementation { service, by }));
                }
            }
            _ => found.extend(rpc::services(names.registers, name).map(|service| Implementation { service, by })),
        }
    }
    found
}

/// The service that is the first argument of a call: `pkg.Cart.service`, `CartService`.
fn first_service(facts: &FileFacts, callee: ExprId) -> Option<&str> {
    let &first = arguments_of(facts, callee).first()?;
    let name = facts.last_name(first)?;
    match (name, base_of(facts, first)) {
        ("service", Some(base)) => facts.last_name(base),
        _ => Some(name.strip_suffix("Service").filter(|rest| !rest.is_empty()).unwrap_or(name)),
    }
}

/// What stands in front of the last name of an access path.
pub(crate) fn base_of(facts: &FileFacts, expr: ExprId) -> Option<ExprId> {
    match facts.expr(expr) {
        Expr::Member { base, .. } | Expr::Path { base, .. } => Some(base),
        Expr::Generic { base, .. } => base_of_plain(facts, base),
        _ => None,
    }
}

fn base_of_plain(facts: &FileFacts, expr: ExprId) -> Option<ExprId> {
    match facts.expr(expr) {
        Expr::Member { base, .. } | Expr::Path { base, .. } => Some(base),
        _ => None,
    }
}

/// Returns whether a file has a name anywhere.
pub(crate) fn has_name(facts: &FileFacts, name: &str) -> bool {
    facts.names.iter().any(|known| known == name)
}

/// The names of a decorator's texts: service and procedure of `@GrpcMethod("Cart", "Get")`.
pub(crate) fn decorator_texts(facts: &FileFacts, at: u32) -> Vec<&str> {
    texts_of(facts, at).filter(|row| row.key.is_none()).map(|row| &*row.text).collect()
}
