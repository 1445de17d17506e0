//! Chooses what becomes of a document.

use m1nd_documents::{Document, Format};

use super::light::Evidence;
use super::{Sheet, light, notes, records, universal};
use crate::config::Adapter;
use crate::ingest::json_graph::Imported;
use crate::state::snapshot::Snapshot;

/// What an adapter made of one document.
pub(crate) struct Adapted {
    pub(crate) set: Imported,
    /// Evidence of L1GHT claims.
    pub(crate) evidence: Evidence,
    /// Names of code that were bound to nodes.
    pub(crate) bound: usize,
    /// Names of code that should be in the project and are not.
    pub(crate) missing: usize,
}

/// The nodes and edges of a document. `path` is its path in the index, `namespace` the caller's.
pub(crate) fn adapt(
    adapter: Adapter,
    document: &Document,
    path: &str,
    namespace: Option<&str>,
    snapshot: &Snapshot,
) -> Adapted {
    let mut sheet = Sheet::new(snapshot);
    let bindings = snapshot.bindings(document, path);
    let mut evidence = Evidence::default();
    let own = |default: &str| namespace.map_or_else(|| default.to_owned(), str::to_lowercase);
    match (adapter, document.format) {
        (Adapter::Memory, _) => notes::add(&mut sheet, document, &bindings, path, &own("memory")),
        (Adapter::Light | Adapter::Auto | Adapter::Universal, Format::Light) => {
            evidence = light::add(&mut sheet, document, path, &own("light"));
        }
        (_, Format::Jats | Format::Bibtex | Format::Rfc | Format::Crossref | Format::Patent) => {
            records::add(&mut sheet, document);
        }
        _ => universal::add(&mut sheet, document, &bindings, path, &own("document")),
    }
    let is_bound = |at: usize| bindings.binary_search_by_key(&at, |binding| binding.mention).is_ok();
    let mentions = document.mentions.iter().enumerate();
    let missing = mentions.filter(|(at, mention)| !is_bound(*at) && snapshot.is_expected(mention)).count();
    Adapted { set: sheet.finish(path), evidence, bound: bindings.len(), missing }
}
