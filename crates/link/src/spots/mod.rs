//! Where a file may serve routes, mount routers or name addresses: by its facts alone, so that an index over all files
//! can be kept. Whether it does is decided by the evaluator.

pub(crate) mod evidence;
pub(crate) mod graphql;
pub(crate) mod methods;
pub(crate) mod points;
pub(crate) mod shared;
pub(crate) mod template;

use m1nd_base::{Pos, node_id};
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{DefId, Expr, ExprId, Reference, Role, TextUse};
use rustc_hash::{FxHashMap, FxHashSet};

use self::methods::Methods;
use self::template::Template;
use crate::ids::{SymbolId, Symbols};

/// Maximum places of one file that may serve routes.
const MAX_SPOTS: usize = 2_048;
/// Callees that mount a router or blueprint, or pass one on.
const MOUNTS: &[&str] = &["use", "include_router", "register_blueprint", "mount", "Mount", "nest", "register"];
/// Decorators of classes whose texts are in front of the routes of their methods.
pub(super) const CLASS_PREFIXES: &[&str] = &["Controller", "JsonController", "Path", "RequestMapping", "Route"];
/// Calls whose first text is in front of the routes of their result.
pub(super) const GROUPS: &[&str] = &["Group", "MapGroup", "PathPrefix", "basePath", "group", "scope"];
/// Words in names of values that are addresses or paths.
const ADDRESS_WORDS: &[&str] =
    &["api", "base", "endpoint", "host", "path", "prefix", "root", "server", "service", "url", "uri"];

/// A place that may serve a route.
#[derive(Debug)]
pub(crate) struct Spot {
    /// The decorator or call, by its place among the references.
    pub(crate) reference: u32,
    /// The path, without what other files put in front.
    pub(crate) path: Template,
    pub(crate) methods: Methods,
    pub(crate) pos: Pos,
    /// Its node, if it is one.
    pub(crate) symbol: SymbolId,
}

/// What a file may contribute to contracts.
#[derive(Debug, Default)]
pub(crate) struct Spots {
    pub(crate) routes: Vec<Spot>,
    /// Calls that may mount routers, by their place among the references.
    pub(crate) mounts: Vec<u32>,
    /// Other places that may offer something.
    pub(crate) points: Vec<points::Point>,
    /// Words under which other files may look for it, in order.
    pub(crate) words: Vec<String>,
}

/// The word under which routes with a literal segment are found; none has an empty one.
pub(super) fn route_word(segment: &str) -> String {
    format!("route {segment}")
}

/// The word under which values of a name are found.
pub(super) fn value_word(name: &str) -> String {
    format!("value {name}")
}

/// The word under which all mounts are found.
pub(super) const MOUNT_WORD: &str = "mount";

impl Spots {
    pub(crate) fn of(facts: &FileFacts, file: &str, symbols: &Symbols) -> Self {
        let (points, mut words) = points::points(facts, file, symbols);
        words.extend(shared::words(facts));
        let mut spots = Self { points, words, ..Self::default() };
        if facts.language.is_prose() {
            spots.words.sort_unstable();
            spots.words.dedup();
            return spots;
        }
        let passing = passing_groups(facts);
        let mut owners: FxHashMap<String, Option<DefId>> = FxHashMap::default();
        for (at, reference) in facts.references.iter().enumerate() {
            if !matches!(reference.role, Role::Call | Role::Decorate) {
                continue;
            }
            let Some(name) = facts.last_name(reference.expr) else { continue };
            if reference.role == Role::Call && (MOUNTS.contains(&name) || passing.contains(&reference.expr)) {
                spots.mounts.push(at as u32);
            }
            if spots.routes.len() < MAX_SPOTS
                && let Some((path, methods, pos)) = route(facts, at as u32, reference, name)
            {
                let mut text = node_id::child(file, "route", &label(&path, methods));
                // Functions that are given different groups may serve the same local path; written twice in one
                // function it is one node.
                let around = reference.enclosing.filter(|_| reference.role == Role::Call);
                if *owners.entry(text.clone()).or_insert(around) != around {
                    let around = around.map_or("", |def| facts.name(facts.definition(def).name));
                    node_id::tell_apart(&mut text, around);
                }
                let symbol = symbols.intern(&text);
                spots.routes.push(Spot { reference: at as u32, path, methods, pos, symbol });
            }
        }
        let mut words = std::mem::take(&mut spots.words);
        words.extend(spots.routes.iter().map(|spot| route_word(spot.path.words().next_back().unwrap_or(""))));
        if !spots.mounts.is_empty() {
            words.push(MOUNT_WORD.to_owned());
        }
        words.extend(values(facts).map(|(key, _)| value_word(key)));
        words.extend(constants(facts).map(|(key, _)| value_word(key)));
        words.sort_unstable();
        words.dedup();
        spots.words = words;
        spots
    }
}

/// Callees that are given a group of routes: `register(r.Group("/users"))`.
fn passing_groups(facts: &FileFacts) -> FxHashSet<ExprId> {
    let is_group = |arg: &ExprId| match facts.expr(*arg) {
        Expr::Call { callee, .. } => facts.last_name(callee).is_some_and(|name| GROUPS.contains(&name)),
        _ => false,
    };
    let calls = facts.exprs.iter().filter_map(|expr| match *expr {
        Expr::Call { callee, args } => facts.list(args).iter().any(is_group).then_some(callee),
        _ => None,
    });
    calls.collect()
}

/// Method and path of a route, as its node is named.
fn label(path: &Template, methods: Methods) -> String {
    let text = path.text();
    format!("{methods} {}", if text.is_empty() { "/" } else { &text })
}

/// Names of a file with an address or a path as their value.
pub(super) fn values(facts: &FileFacts) -> impl Iterator<Item = (&str, &TextUse)> {
    let named = facts.texts.iter().filter(|row| row.reference.is_none());
    named.filter_map(|row| {
        let key = row.key.as_deref()?;
        let lower = key.to_ascii_lowercase();
        ADDRESS_WORDS.iter().any(|word| lower.contains(word)).then_some((key, row))
    })
}

/// Words in names of values that are names of topics and the like.
const NAME_WORDS: &[&str] = &["topic", "queue", "channel", "subject", "exchange", "routing", "tool_name"];

/// Names of a file with the name of a topic or the like as their value.
pub(super) fn constants(facts: &FileFacts) -> impl Iterator<Item = (&str, &TextUse)> {
    let named = facts.texts.iter().filter(|row| row.reference.is_none());
    named.filter_map(|row| {
        let key = row.key.as_deref()?;
        let lower = key.to_ascii_lowercase();
        NAME_WORDS.iter().any(|word| lower.contains(word)).then_some((key, row))
    })
}

/// The texts that a call or decorator is given.
pub(super) fn texts_of(facts: &FileFacts, reference: u32) -> impl Iterator<Item = &TextUse> {
    facts.texts.iter().filter(move |row| row.reference == Some(reference))
}

/// Path, methods and position of the route that a decorator or call may serve.
fn route(facts: &FileFacts, at: u32, reference: &Reference, name: &str) -> Option<(Template, Methods, Pos)> {
    let by_name = methods::of_server(name)?;
    let mut texts = texts_of(facts, at).filter(|row| row.key.is_none() || is_path_key(row.key.as_deref()));
    let first = texts.next();
    let named = texts_of(facts, at).filter(|row| matches!(row.key.as_deref(), Some("method" | "methods")));
    let named = named.filter_map(|row| methods::of_word(&row.text)).reduce(Methods::or);
    if reference.role == Role::Decorate {
        let of_class = reference.enclosing.is_some_and(|def| facts.definition(def).kind.is_class_like());
        if of_class && CLASS_PREFIXES.contains(&name) {
            return None;
        }
        let text = match first {
            Some(row) => row.text.to_string(),
            // The path of JAX-RS is an annotation of its own.
            None => beside(facts, reference).unwrap_or_default(),
        };
        return Some((Template::parse(&text), named.unwrap_or(by_name), first.map_or(reference.pos, |row| row.pos)));
    }
    let Some(first) = first else {
        let path = find_chained(facts, reference.expr)?;
        return Some((Template::parse(&format!("{}{}", path.around, path.text)), by_name, reference.pos));
    };
    if reference.arity < 2 {
        return None;
    }
    // The method may stand in front: `Handle("GET", "/x", f)`, `HandleFunc("GET /x", f)`.
    let (mut by_name, mut text) = (named.unwrap_or(by_name), &*first.text);
    if let Some((method, rest)) = text.split_once(' ')
        && let Some(method) = methods::of_word(method)
    {
        (by_name, text) = (method, rest);
    } else if let Some(method) = methods::of_word(text) {
        by_name = method;
        text = &texts.next()?.text;
    }
    let is_path = text.starts_with('/') || methods::takes_any_text(name) || !first.around.is_empty();
    is_path.then(|| (Template::parse(&format!("{}{text}", first.around)), by_name, first.pos))
}

fn is_path_key(key: Option<&str>) -> bool {
    matches!(key, Some("value" | "path" | "rule" | "url"))
}

/// The text of a `Path` annotation of the same definition.
fn beside(facts: &FileFacts, reference: &Reference) -> Option<String> {
    let row = facts.texts.iter().find(|row| {
        let other = row.reference.and_then(|at| facts.references.get(at as usize));
        other.is_some_and(|other| {
            other.role == Role::Decorate
                && other.enclosing == reference.enclosing
                && facts.last_name(other.expr) == Some("Path")
        })
    })?;
    Some(row.text.to_string())
}

/// Calls between the one that names a path and one that names a method: `route("/x").get(f).post(g)`.
const MAX_CHAIN: usize = 12;

/// The text of the call of `route` that a method is called on.
fn find_chained(facts: &FileFacts, mut expr: ExprId) -> Option<&TextUse> {
    for _ in 0..MAX_CHAIN {
        let Expr::Member { base, .. } = facts.expr(expr) else { return None };
        let Expr::Call { callee, .. } = facts.expr(base) else { return None };
        if facts.last_name(callee) == Some("route") {
            let at = facts.references.iter().position(|row| row.expr == callee)?;
            return texts_of(facts, at as u32).find(|row| row.text.starts_with('/'));
        }
        expr = callee;
    }
    None
}

/// The arguments of the call of a callee.
pub(crate) fn arguments_of(facts: &FileFacts, of: ExprId) -> &[ExprId] {
    // A call follows its callee closely.
    let rest = facts.exprs[of.index()..].iter();
    let mut args = rest.filter_map(|expr| match *expr {
        Expr::Call { callee, args } => (callee == of).then_some(args),
        _ => None,
    });
    args.next().map_or(&[], |args| facts.list(args))
}
