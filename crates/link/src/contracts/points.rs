//! Topics and tools that programs share by name: who offers them, and who asks for them.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{Expr, ExprId, Role};

use super::common::{self, name_of};
use super::{Contracts, handler_of};
use crate::edges::derived::Derived;
use crate::edges::entry_points::{is_open_method, tier_of};
use crate::eval::Eval;
use crate::file_links::{self, Target};
use crate::frameworks::messages::{MessageRow, Point as Kind};
use crate::spots::arguments_of;
use crate::spots::points::{self, Offer, Point};
use crate::tables::files::FileId;

/// Names of one file that are asked for.
const MAX_ASKED: usize = 1_024;
/// Places that offer one name; if there are more, it says nothing.
const MAX_OFFERS: usize = 32;

/// Adds what a file offers.
pub(super) fn serve(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    for point in &unit.spots.points {
        let Offer::Message(row, at) = point.offer else { continue };
        let Some(tier) = confirm(eval, file, at, row) else { continue };
        found.routes.insert(point.symbol);
        for to in handlers(eval, file, at) {
            let to = Target::Symbol(to);
            found.edges.push(Derived {
                from: point.symbol,
                to,
                relation: Relation::Serves,
                tier,
                of: 1,
                pos: point.pos,
            });
        }
    }
}

/// The functions that run for a point: the decorated one, those that the call is given, or the one around it.
fn handlers(eval: &mut Eval<'_>, file: FileId, at: u32) -> Vec<crate::ids::SymbolId> {
    let unit = eval.unit(file);
    let reference = &unit.facts.references[at as usize];
    if reference.role == Role::Decorate {
        let decorated = reference.enclosing.and_then(|def| unit.symbols[def.index()]);
        return vec![decorated.unwrap_or(unit.file_symbol)];
    }
    let mut found = Vec::new();
    if reference.role == Role::Call {
        // `mcp.tool("x")(f)` is given the function by a second call.
        let again = called_again(&unit.facts, reference.expr);
        let args = arguments_of(&unit.facts, reference.expr).iter().chain(again);
        for &arg in args {
            for of in common::functions(eval, file, arg) {
                let is_named = !eval.unit(of.file).facts.definition(of.def).flags.is_anonymous;
                found.extend(eval.unit(of.file).symbols[of.def.index()].filter(|_| is_named));
            }
        }
    }
    if found.is_empty() {
        found.push(handler_of(eval, file, reference));
    }
    found
}

/// The arguments of a call of what the call of a callee yields.
fn called_again(facts: &FileFacts, callee: ExprId) -> &[ExprId] {
    let is_call = |expr: &Expr| matches!(expr, Expr::Call { callee: own, .. } if *own == callee);
    let Some(place) = facts.exprs[callee.index()..].iter().position(is_call) else { return &[] };
    arguments_of(facts, ExprId((callee.index() + place) as u32))
}

/// Returns whether a call, decorator or type is the row's, and how sure that is.
fn confirm(eval: &mut Eval<'_>, file: FileId, at: u32, row: &MessageRow) -> Option<EdgeTier> {
    let unit = eval.unit(file);
    let reference = &unit.facts.references[at as usize];
    eval.begin_reference();
    let search = file_links::search(eval, file, reference.expr, reference.role);
    if search.found.is_empty() {
        return is_open_method(unit, reference.expr, &search).then_some(EdgeTier::Possible);
    }
    tier_of(&search, row.package)
}

/// Adds edges to what a file asks for.
pub(super) fn ask(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    let named = points::list_named(&unit.facts);
    for (row, at, text) in named.into_iter().filter(|(row, ..)| !row.serves).take(MAX_ASKED) {
        let Some(name) = name_of(eval, file, &text.text) else { continue };
        let Some(tier) = confirm(eval, file, at, row) else { continue };
        let name = row.point.name_in(&name);
        let offers = offers(eval, file, row.point, name);
        if offers.is_empty() || offers.len() > MAX_OFFERS {
            continue;
        }
        let from = file_links::source(eval, file, &unit.facts.references[at as usize]);
        // All who subscribe to a topic get what is sent; of several tools of one name, one is called.
        let is_one = offers.len() == 1 || matches!(row.point, Kind::Topic(_));
        for (symbol, sure) in &offers {
            let is_sure = is_one && *sure && tier == EdgeTier::Certain;
            let (tier, of) = if is_sure { (EdgeTier::Certain, 1) } else { (EdgeTier::Possible, offers.len() as u16) };
            let to = Target::Symbol(*symbol);
            found.edges.push(Derived { from, to, relation: Relation::Requests, tier, of, pos: text.pos });
        }
    }
}

/// The places that offer something of this name, and whether that is sure.
fn offers(eval: &mut Eval<'_>, home: FileId, kind: Kind, name: &str) -> Vec<(crate::ids::SymbolId, bool)> {
    let mut files = common::files(eval, home, &kind.index_word(name));
    files.extend(common::files(eval, home, &kind.index_word("?")));
    eval.project.sort_by_path(&mut files);
    files.dedup();
    let mut found = Vec::new();
    for file in files {
        let unit = eval.project.unit(file);
        for point in &unit.spots.points {
            if let Some(sure) = offers_it(eval, file, point, kind, name)
                && !found.iter().any(|(symbol, _)| *symbol == point.symbol)
            {
                found.push((point.symbol, sure));
            }
        }
    }
    found
}

fn offers_it(eval: &mut Eval<'_>, file: FileId, point: &Point, kind: Kind, name: &str) -> Option<bool> {
    let Offer::Message(row, at) = point.offer else { return None };
    if row.point != kind || (*point.name != *name && !point.name.starts_with('{')) {
        return None;
    }
    if point.name.starts_with('{') {
        let given = name_of(eval, file, &point.name)?;
        if kind.name_in(&given) != name {
            return None;
        }
    }
    confirm(eval, file, at, row).map(|tier| tier == EdgeTier::Certain)
}
