//! Routes that a file asks for.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{BindingTarget, Expr, ExprId, Namespace, Role, TextUse};
use rustc_hash::FxHashSet;

use super::prefixes::{self, Prefix};
use super::{Contracts, servers};
use crate::edges::derived::Derived;
use crate::eval::{Entity, Eval};
use crate::file_links::{self, Target};
use crate::frameworks::is_of;
use crate::ids::SymbolId;
use crate::spots::methods::{self, Methods};
use crate::spots::template::{Address, Fit, Template};
use crate::spots::{route_word, texts_of};
use crate::tables::files::FileId;

/// Packages whose functions and methods ask for the addresses that they are given.
const PACKAGES: &[&str] = &[
    "aiohttp", "axios", "chai", "fastapi", "flask", "github.com/go-resty/resty", "got", "httpx", "java.net", "ky",
    "needle", "net/http", "net/http/httptest", "node-fetch", "ofetch", "okhttp3", "org.springframework", "requests",
    "reqwest", "rest_framework", "starlette", "superagent", "supertest", "swr", "undici", "urllib", "urllib3",
];
/// Names of values on which the methods of clients have another meaning.
const OTHERS: &[&str] = &["app", "cache", "headers", "localStorage", "map", "mux", "params", "r", "router", "server"];
/// Routes that a client may mean; if there are more, its path says nothing.
const MAX_ROUTES: usize = 8;
/// Candidates looked at for one address.
const MAX_CANDIDATES: usize = 512;
/// Addresses of one file.
const MAX_ASKED: usize = 1_024;

/// A request that a file makes.
struct Request {
    methods: Methods,
    /// The callee is known to ask for what it is given.
    sure: bool,
}

/// A route that fits.
struct Hit {
    file: FileId,
    symbol: SymbolId,
    fit: Fit,
    /// The route and what is in front of it are known.
    sure: bool,
}

/// Adds edges to the routes that a file asks for.
pub(super) fn ask(eval: &mut Eval<'_>, file: FileId, served: &FxHashSet<u32>, found: &mut Contracts) {
    let unit = eval.unit(file);
    let mut asked = 0;
    for text in &unit.facts.texts {
        let Some(at) = text.reference.filter(|at| !served.contains(at)) else { continue };
        let Some(address) = address(text) else { continue };
        let Some(request) = request(eval, file, at, text, &address) else { continue };
        asked += 1;
        if asked > MAX_ASKED {
            break;
        }
        let bases = bases(eval, file, at, &address);
        // Routes of the project come before operations that only a description lists.
        let mut hits = hits(eval, file, &request, &address, &bases);
        if hits.is_empty() {
            describe(eval, file, at, (&request, &address, &bases), text.pos, found);
            continue;
        }
        hits.truncate(MAX_ROUTES + 1);
        // An address that fits this many routes says nothing about any of them.
        if hits.len() > MAX_ROUTES {
            continue;
        }
        let reference = &unit.facts.references[at as usize];
        let from = file_links::source(eval, file, reference);
        let is_sure = request.sure && matches!(hits.as_slice(), [hit] if hit.sure && hit.fit.whole);
        let (tier, of) = if is_sure { (EdgeTier::Certain, 1) } else { (EdgeTier::Possible, hits.len() as u16) };
        for hit in hits {
            let to = Target::Symbol(hit.symbol);
            found.edges.push(Derived { from, to, relation: Relation::Requests, tier, of, pos: text.pos });
        }
    }
}

/// Adds edges to the operations that a request of a client means, which no server of the project serves.
fn describe(
    eval: &mut Eval<'_>,
    file: FileId,
    at: u32,
    (request, address, bases): (&Request, &Address, &[Prefix]),
    pos: m1nd_base::Pos,
    found: &mut Contracts,
) {
    let mut paths = vec![address.path.clone()];
    paths.extend(bases.iter().map(|base| base.path.join(&address.path)));
    let described = super::operations::find_described(eval, file, request.methods, &paths);
    if described.is_empty() || described.len() > MAX_ROUTES {
        return;
    }
    let unit = eval.unit(file);
    let from = file_links::source(eval, file, &unit.facts.references[at as usize]);
    let of = described.len() as u16;
    for (symbol, whole) in described {
        let is_sure = request.sure && whole && of == 1;
        let (tier, of) = if is_sure { (EdgeTier::Certain, 1) } else { (EdgeTier::Possible, of) };
        let to = Target::Symbol(symbol);
        found.edges.push(Derived { from, to, relation: Relation::Requests, tier, of, pos });
    }
}

/// The address in a text that a call is given.
fn address(text: &TextUse) -> Option<Address> {
    let is_place = match text.key.as_deref() {
        None => text.place <= 2,
        Some(key) => matches!(key, "url" | "path" | "uri" | "endpoint"),
    };
    let address = Address::parse(&text.text).filter(|_| is_place)?;
    (!text.text.contains([' ', '\t', '<', '@'])).then_some(address)
}

/// The request that a call makes, if it makes one.
fn request(eval: &mut Eval<'_>, file: FileId, at: u32, text: &TextUse, address: &Address) -> Option<Request> {
    let unit = eval.unit(file);
    let reference = &unit.facts.references[at as usize];
    let name = unit.facts.last_name(reference.expr)?;
    if reference.role != Role::Call || !methods::asks(name) {
        return None;
    }
    let mut rows = texts_of(&unit.facts, at);
    // The method is an argument, in the name of the called function, or the default of `fetch`.
    let said = rows.find_map(|row| match row.key.as_deref() {
        Some("method") => methods::of_word(&row.text),
        None if row.place < text.place => methods::of_word(&row.text),
        _ => None,
    });
    let by_default = if name.to_ascii_lowercase().contains("fetch") { Methods::GET } else { Methods::ANY };
    let methods = said.or_else(|| methods::of_client(name)).unwrap_or(by_default);
    eval.begin_reference();
    let search = file_links::search(eval, file, reference.expr, reference.role);
    // Only calls of known client packages are certain to send a request. Others count if the address looks like a path
    // and nothing else in the file explains the call.
    let outside = search.found.iter().filter_map(|found| match &found.entity {
        Entity::External(package, _) => Some(package.to_string()),
        _ => None,
    });
    let packages: Vec<String> = outside.collect();
    let is_known = packages.iter().any(|package| PACKAGES.iter().any(|row| is_of(package, row)));
    let of_project = search.found.iter().any(|found| matches!(found.entity, Entity::Def(_)));
    let sure = is_known || (name == "fetch" && !of_project);
    let begins = address.is_rooted || address.base.is_some();
    if !sure && (!begins || is_other(unit, reference.expr)) {
        return None;
    }
    Some(Request { methods, sure })
}

/// Returns whether a method is called on something that is no client, by its name.
fn is_other(unit: &crate::unit::Unit, callee: ExprId) -> bool {
    let Expr::Member { base, .. } = unit.facts.expr(callee) else { return false };
    unit.facts.last_name(base).is_some_and(|name| OTHERS.contains(&name))
}

/// What may stand in front of an address: the value of the name that it begins with, or the base of its client.
fn bases(eval: &mut Eval<'_>, file: FileId, at: u32, address: &Address) -> Vec<Prefix> {
    if let Some(name) = &address.base {
        let value = prefixes::value_of(eval, file, name);
        let open = value.is_none();
        return vec![Prefix { path: value.map_or_else(Template::default, |value| prefixes::path_of(&value)), open }];
    }
    let unit = eval.unit(file);
    let callee = unit.facts.references[at as usize].expr;
    let Expr::Member { base, .. } = unit.facts.expr(callee) else { return vec![Prefix::default()] };
    let search = eval.resolve(file, base, Namespace::Value);
    let Some(found) = search.found.first() else { return vec![Prefix { open: true, ..Prefix::default() }] };
    let (of, value) = match &found.entity {
        Entity::Def(of) => {
            let unit = eval.unit(of.file);
            let Some(&value) = unit.list(unit.facts.definition(of.def).values).first() else {
                return vec![Prefix::default()];
            };
            (of.file, value)
        }
        Entity::Local(of, binding) => match eval.unit(*of).facts.bindings[*binding as usize].target {
            BindingTarget::Value(value) => (*of, value),
            _ => return vec![Prefix { open: true, ..Prefix::default() }],
        },
        Entity::Expr(of, value) => (*of, *value),
        _ => return vec![Prefix::default()],
    };
    vec![made_with(eval, of, value)]
}

/// The base that a client is made with.
fn made_with(eval: &mut Eval<'_>, file: FileId, value: ExprId) -> Prefix {
    let unit = eval.unit(file);
    let Expr::Call { callee, .. } = unit.facts.expr(value) else { return Prefix::default() };
    let Some(at) = unit.facts.references.iter().position(|row| row.expr == callee) else { return Prefix::default() };
    let is_base =
        |key: &str| matches!(key, "baseURL" | "base_url" | "baseUrl" | "prefixUrl" | "BaseAddress" | "root_url");
    let row = texts_of(&unit.facts, at as u32).find(|row| row.key.as_deref().is_some_and(is_base));
    row.map_or_else(Prefix::default, |row| {
        let base = prefixes::resolve_prefix(eval, file, &row.text);
        if row.text.contains("://") { Prefix { path: prefixes::path_of(&row.text), open: false } } else { base }
    })
}

/// The routes of all files that a request fits, in order of their ids: those whose whole path fits, else those that one
/// path is the end of the other of.
fn hits(eval: &mut Eval<'_>, home: FileId, request: &Request, address: &Address, bases: &[Prefix]) -> Vec<Hit> {
    let mut words: Vec<String> = address.path.words().map(route_word).collect();
    words.extend(bases.iter().flat_map(|base| base.path.words()).map(route_word));
    words.push(route_word(""));
    words.sort_unstable();
    words.dedup();
    let mut files: Vec<FileId> = words.iter().flat_map(|word| eval.contract(word)).collect();
    files.sort_unstable();
    files.dedup();
    let mut hits: Vec<Hit> = Vec::new();
    let mut looked_at = 0;
    eval.project.sort_by_path(&mut files);
    for other in files {
        let unit = eval.project.unit(other);
        if unit.is_test && other != home {
            // A server that a test makes is there for that test.
            continue;
        }
        for spot in &unit.spots.routes {
            let local = route_word(spot.path.words().next_back().unwrap_or(""));
            if !spot.methods.meets(request.methods) || words.binary_search(&local).is_err() {
                continue;
            }
            looked_at += 1;
            if looked_at > MAX_CANDIDATES {
                break;
            }
            // What its file says of it is enough to leave out most.
            let local_fits = address.path.fits(&spot.path).is_some()
                || spot.path.words().next().is_none()
                || bases.iter().any(|base| base.path.join(&address.path).fits(&spot.path).is_some())
                || ends_alike(&address.path, &spot.path);
            if !local_fits {
                continue;
            }
            let Some(tier) = servers::confirm(eval, other, spot) else { continue };
            let Some((fit, open)) = best(eval, other, spot, address, bases) else { continue };
            let sure = tier == EdgeTier::Certain && !open;
            match hits.iter_mut().find(|hit| hit.symbol == spot.symbol) {
                Some(hit) => hit.fit = hit.fit.max(fit),
                None => hits.push(Hit { file: other, symbol: spot.symbol, fit, sure }),
            }
        }
    }
    let most = hits.iter().map(|hit| hit.fit).max();
    hits.retain(|hit| Some(hit.fit) == most);
    if looked_at > MAX_CANDIDATES {
        // A route that was not looked at may fit as well.
        hits.iter_mut().for_each(|hit| hit.sure = false);
    }
    if eval.project.unit(home).is_test {
        nearest(eval, home, &mut hits);
    }
    hits.sort_by(|a, b| eval.project.symbols.text(a.symbol).cmp(eval.project.symbols.text(b.symbol)));
    hits
}

/// Of several routes, tests mean those of the program that they lie beside: the ones with most folders in common.
fn nearest(eval: &Eval<'_>, home: FileId, hits: &mut Vec<Hit>) {
    let path = |file: FileId| eval.project.unit(file).path.as_str();
    let common =
        |file: FileId| path(home).split('/').zip(path(file).split('/')).take_while(|(one, other)| one == other).count();
    let most = hits.iter().map(|hit| common(hit.file)).max();
    hits.retain(|hit| Some(common(hit.file)) == most);
}

/// Returns whether the path of a route, as its file has it, fits the end of a client's, though nothing in it says so.
fn ends_alike(client: &Template, server: &Template) -> bool {
    server.segments.len() <= client.segments.len() && {
        let end = &client.segments[client.segments.len() - server.segments.len()..];
        end.iter()
            .zip(&server.segments)
            .all(|(one, other)| one == other || *other == crate::spots::template::Segment::Any)
    }
}

/// The best fit of an address and a route under all that may stand in front of either, and whether more may.
fn best(
    eval: &mut Eval<'_>,
    file: FileId,
    spot: &super::Spot,
    address: &Address,
    bases: &[Prefix],
) -> Option<(Fit, bool)> {
    let mut best: Option<(Fit, bool)> = None;
    for prefix in prefixes::prefixes(eval, file, spot) {
        let server = prefix.path.join(&spot.path);
        for base in bases {
            let client = base.path.join(&address.path);
            let Some(fit) = client.fits(&server) else { continue };
            let open = base.open || prefix.open;
            let extra = if client.segments.len() > server.segments.len() { &client } else { &server };
            let front = &extra.segments[..extra.segments.len() - client.segments.len().min(server.segments.len())];
            let is_explained = fit.whole
                || open
                || front.iter().all(|segment| match segment {
                    crate::spots::template::Segment::Text(text) => crate::spots::template::is_generic(text),
                    crate::spots::template::Segment::Any => false,
                });
            if is_explained && best.is_none_or(|(known, _)| fit > known) {
                best = Some((fit, open));
            }
        }
    }
    best
}
