//! Operations that a description of an HTTP interface lists: the routes that serve them, and clients that have no
//! other server.

use m1nd_base::{EdgeTier, Relation};

use super::{Contracts, prefixes, servers};
use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::spots::methods::Methods;
use crate::spots::points::{Offer, operation_word};
use crate::spots::route_word;
use crate::spots::template::Template;
use crate::tables::files::FileId;

/// Routes that may serve one operation; if there are more, its path says nothing.
const MAX_ROUTES: usize = 4;
/// Routes looked at for one operation.
const MAX_LOOKED: usize = 256;

/// Adds edges from the operations of a file to the routes that serve them.
pub(super) fn serve(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    for point in &unit.spots.points {
        let Offer::Operation(path, methods) = &point.offer else { continue };
        found.routes.insert(point.symbol);
        let routes = routes(eval, file, path, *methods);
        if routes.is_empty() || routes.len() > MAX_ROUTES {
            continue;
        }
        let of = routes.len() as u16;
        for (symbol, sure) in routes {
            let is_sure = sure && of == 1;
            let (tier, of) = if is_sure { (EdgeTier::Certain, 1) } else { (EdgeTier::Possible, of) };
            let (to, relation) = (Target::Symbol(symbol), Relation::Serves);
            found.edges.push(Derived { from: point.symbol, to, relation, tier, of, pos: point.pos });
        }
    }
}

/// The routes of servers that an operation may be.
fn routes(eval: &mut Eval<'_>, home: FileId, path: &Template, methods: Methods) -> Vec<(SymbolId, bool)> {
    let mut words: Vec<String> = path.words().map(route_word).collect();
    words.push(route_word(""));
    words.sort_unstable();
    words.dedup();
    let mut files: Vec<FileId> = words.iter().flat_map(|word| eval.contract(word)).collect();
    files.retain(|file| *file == home || !eval.project.unit(*file).is_test);
    eval.project.sort_by_path(&mut files);
    files.dedup();
    let mut found: Vec<(SymbolId, bool, bool)> = Vec::new();
    let mut looked = 0;
    for file in files {
        let unit = eval.project.unit(file);
        for spot in &unit.spots.routes {
            let local = route_word(spot.path.words().next_back().unwrap_or(""));
            let is_near = path.fits(&spot.path).is_some() || spot.path.segments.len() <= path.segments.len();
            if !spot.methods.meets(methods) || words.binary_search(&local).is_err() || !is_near {
                continue;
            }
            looked += 1;
            if looked > MAX_LOOKED {
                return Vec::new();
            }
            let Some(tier) = servers::confirm(eval, file, spot) else { continue };
            for prefix in prefixes::prefixes(eval, file, spot) {
                let server = prefix.path.join(&spot.path);
                let same = server.segments.len() == path.segments.len() && path.fits(&server).is_some();
                // What stands in front of the described paths may be left to the server that they are put behind.
                let ends = prefix.open && path.fits(&server).is_some();
                if same || ends {
                    found.push((spot.symbol, same && !prefix.open && tier == EdgeTier::Certain, same));
                }
            }
        }
    }
    if found.iter().any(|row| row.2) {
        found.retain(|row| row.2);
    }
    found.dedup_by_key(|row| row.0);
    found.into_iter().map(|(symbol, sure, _)| (symbol, sure)).collect()
}

/// The operations that an address of a client may mean, and whether the whole path fits.
pub(super) fn find_described(
    eval: &mut Eval<'_>,
    home: FileId,
    methods: Methods,
    paths: &[Template],
) -> Vec<(SymbolId, bool)> {
    let mut words: Vec<String> = paths.iter().flat_map(Template::words).map(operation_word).collect();
    words.sort_unstable();
    words.dedup();
    let mut files: Vec<FileId> = words.iter().flat_map(|word| eval.contract(word)).collect();
    eval.project.sort_by_path(&mut files);
    files.dedup();
    let mut found: Vec<(FileId, (SymbolId, bool))> = Vec::new();
    for file in files {
        for point in &eval.project.unit(file).spots.points {
            let Offer::Operation(path, own) = &point.offer else { continue };
            let fits = paths.iter().filter_map(|asked| asked.fits(path)).max();
            if let Some(fit) = fits.filter(|_| own.meets(methods)) {
                found.push((file, (point.symbol, fit.whole)));
            }
        }
    }
    if found.iter().any(|(_, (_, whole))| *whole) {
        found.retain(|(_, (_, whole))| *whole);
    }
    super::common::nearest(eval, home, &mut found);
    found.into_iter().map(|(_, row)| row).collect()
}
