//! The definitions that are nodes, their ids, and the interning of ids.

use m1nd_base::{RepoPath, node_id};
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{DefId, DefKind, Definition, ParameterKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interner::Interner;
use crate::languages;
use crate::rules::Overloads;

/// An interned node id; stable during the lifetime of its linker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// The node ids of files that were read, and of what these lead to.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    texts: Interner,
}

impl Symbols {
    pub(crate) fn intern(&self, text: &str) -> SymbolId {
        SymbolId(self.texts.intern(text))
    }

    /// The id with this text, if it is of a file that was read.
    pub(crate) fn find(&self, text: &str) -> Option<SymbolId> {
        self.texts.find(text).map(SymbolId)
    }

    /// Bytes of memory that they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.bytes()
    }

    pub(crate) fn text(&self, id: SymbolId) -> &str {
        self.texts.text(id.0)
    }
}

/// Returns whether a definition is a node of the graph.
fn is_node(definition: &Definition) -> bool {
    let value = matches!(definition.kind, DefKind::Variable | DefKind::Constant | DefKind::Object);
    let local_value = definition.flags.is_local && value;
    !definition.flags.is_anonymous && !definition.flags.is_generated && !local_value
}

/// The key of a definition: its owner, the type it declares as its receiver's, its kind and name.
type Row<'a> = (Option<DefId>, Option<&'a str>, DefKind, &'a str);

/// The type that a method names as its receiver's, if no enclosing block does (Go).
fn receiver_class(facts: &FileFacts, id: DefId) -> Option<&str> {
    let expr = facts.definition(id).extends_type.filter(|_| facts.definition(id).owner.is_none())?;
    if facts.parameters(id).first().is_none_or(|first| first.kind != ParameterKind::Receiver) {
        return None;
    }
    facts.last_name(expr)
}

/// Maximum definitions around one that is a node.
const MAX_OWNERS: u8 = 64;
/// Longest id of a definition, in bytes. Each owner's id is part of it.
const MAX_ID: usize = 4 << 10;
/// Bytes of the ids of a file's definitions, without its path, that any file gets.
const MAX_IDS: usize = 1 << 20;
/// The same for each byte of the file.
const MAX_IDS_PER_BYTE: usize = 8;
/// The limits in words.
pub(crate) const LIMITS: &str = "deeper than 64 definitions, or an id of more than 4096 bytes, or long ids of many";

/// Gives ids to definitions as long as the limits allow.
struct IdBudget {
    /// Bytes left.
    left: usize,
    /// Number of nodes around each definition.
    owners: Vec<u8>,
    /// Line of the first definition that got no id.
    refused: Option<u32>,
}

impl IdBudget {
    fn new(facts: &FileFacts) -> Self {
        let bytes = facts.definitions.iter().map(|definition| definition.bytes.1 as usize).max().unwrap_or(0);
        let left = MAX_IDS.saturating_add(bytes.saturating_mul(MAX_IDS_PER_BYTE));
        Self { left, owners: vec![0; facts.definitions.len()], refused: None }
    }

    /// Returns whether a definition gets an id. `owner` is the node around it; `bytes` is the length of the id behind
    /// the path of its file.
    fn allows(&mut self, index: usize, owner: Option<DefId>, bytes: usize) -> bool {
        let owners = owner.map_or(0, |owner| self.owners[owner.index()].saturating_add(1));
        self.owners[index] = owners;
        let fits = owners <= MAX_OWNERS && bytes <= MAX_ID && bytes <= self.left;
        self.left -= if fits { bytes } else { 0 };
        fits
    }
}

/// Node ids of a file's definitions, and the line of the first that is none because of the limits. Definitions that
/// would share an id are distinguished by a hash of their signature; with the same signature they are one node
/// (conditional definitions).
pub(crate) fn definition_ids(
    path: &RepoPath,
    facts: &FileFacts,
    symbols: &Symbols,
) -> (Vec<Option<SymbolId>>, Option<u32>) {
    let mut texts: Vec<Option<String>> = Vec::with_capacity(facts.definitions.len());
    let mut rows: Vec<Row<'_>> = Vec::with_capacity(facts.definitions.len());
    for (index, definition) in facts.definitions.iter().enumerate() {
        let class = receiver_class(facts, DefId(index as u32));
        rows.push((node_owner(facts, definition), class, definition.kind, facts.name(definition.name)));
    }
    let mut same: FxHashMap<Row<'_>, Vec<usize>> = FxHashMap::default();
    for (index, row) in rows.iter().enumerate() {
        if is_node(&facts.definitions[index]) {
            same.entry(*row).or_default().push(index);
        }
    }
    // Asked for each definition of a name, this would be quadratic.
    let differing: FxHashSet<Row<'_>> = same
        .iter()
        .filter(|(_, twins)| {
            let differs = |twin: usize| {
                header(facts, twins, twin) != header(facts, twins, twins[0])
                    || groups(facts, twin).ne(groups(facts, twins[0]))
            };
            twins.iter().any(|&twin| differs(twin))
        })
        .map(|(row, _)| *row)
        .collect();
    let file = node_id::file(path);
    let mut budget = IdBudget::new(facts);
    for (index, definition) in facts.definitions.iter().enumerate() {
        let row = rows[index];
        if !is_node(definition) {
            texts.push(None);
            continue;
        }
        let owner = match row.0 {
            Some(owner) => texts[owner.index()].as_deref(),
            None => Some(&*file),
        };
        let bytes = owner.map(|owner| owner.len() - file.len() + row.1.map_or(0, str::len) + row.3.len());
        let allowed = bytes.is_some_and(|bytes| budget.allows(index, row.0, bytes));
        let Some(owner) = owner.filter(|_| allowed) else {
            budget.refused = budget.refused.or(Some(definition.pos.line));
            texts.push(None);
            continue;
        };
        let block = row.1.map(|class| node_id::child(owner, DefKind::Impl.word(), class));
        let mut text = node_id::child(block.as_deref().unwrap_or(owner), row.2.word(), row.3);
        if differing.contains(&row) {
            let mut headers = header(facts, &same[&row], index).unwrap_or("").to_owned();
            groups(facts, index).for_each(|group| headers.push_str(group));
            node_id::tell_apart(&mut text, &headers);
        }
        texts.push(Some(text));
    }
    let ids = texts.iter().map(|text| text.as_deref().map(|text| symbols.intern(text))).collect();
    (ids, budget.refused)
}

/// Node ids of the definitions of a file, in their order; `None` for what is no node.
pub fn node_ids(path: &RepoPath, facts: &FileFacts) -> Vec<Option<String>> {
    let symbols = Symbols::default();
    let (ids, _) = definition_ids(path, facts, &symbols);
    ids.into_iter().map(|id| id.map(|id| symbols.text(id).to_owned())).collect()
}

/// Node ids of what macros may define in a file ([`DefFlags::is_generated`](m1nd_lang::facts::DefFlags)).
pub(crate) fn generated_ids(
    facts: &FileFacts,
    definitions: &[Option<SymbolId>],
    file: SymbolId,
    symbols: &Symbols,
) -> Vec<(DefId, SymbolId)> {
    let mut found = Vec::new();
    for (index, definition) in facts.definitions.iter().enumerate().filter(|(_, row)| row.flags.is_generated) {
        let owner = node_owner(facts, definition).and_then(|owner| definitions[owner.index()]).unwrap_or(file);
        let text = node_id::child(symbols.text(owner), definition.kind.word(), facts.name(definition.name));
        found.push((DefId(index as u32), symbols.intern(&text)));
    }
    found
}

/// A function that the invocation of a macro defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generated {
    /// Its node.
    pub(crate) symbol: SymbolId,
    /// The macro makes it a test.
    pub(crate) is_test: bool,
}

/// The functions that macros define in a file.
pub(crate) type GeneratedFunctions = FxHashMap<DefId, Generated>;

/// Number of same-named definitions up to which a declaration is matched with its definition.
const MAX_TWINS: usize = 64;

/// The signature that tells a definition from its twins. A C prototype has that of the definition in the same file, so
/// that both are one node.
fn header<'a>(facts: &'a FileFacts, twins: &[usize], index: usize) -> Option<&'a str> {
    let definition = &facts.definitions[index];
    let own = definition.signature.as_deref();
    let rules = languages::rules(facts.language);
    let declares = definition.flags.is_declaration && rules.includes;
    if !declares || twins.len() < 2 || twins.len() > MAX_TWINS {
        return own;
    }
    let takes = |index: usize| facts.parameters(DefId(index as u32)).len();
    let mut bodies = twins.iter().filter(|&&twin| {
        let fits = rules.overloads == Overloads::None || takes(twin) == takes(index);
        fits && !facts.definitions[twin].flags.is_declaration
    });
    match (bodies.next(), bodies.next()) {
        (Some(&body), None) => facts.definitions[body].signature.as_deref(),
        _ => own,
    }
}

/// The headers of the classes without a name around a definition, where each of them is a class of its own.
fn groups(facts: &FileFacts, index: usize) -> impl Iterator<Item = &str> {
    let are_classes = languages::rules(facts.language).open_types;
    let mut owner = facts.definitions[index].owner.filter(|_| are_classes);
    let around = std::iter::from_fn(move || {
        let above = facts.definition(owner?);
        owner = above.owner;
        Some(above)
    });
    let unnamed = around.take_while(|above| !is_node(above)).filter(|above| above.kind.is_class_like());
    unnamed.filter_map(|above| above.signature.as_deref()).take(usize::from(MAX_OWNERS))
}

/// The nearest owner that is a node.
pub(crate) fn node_owner(facts: &FileFacts, definition: &Definition) -> Option<DefId> {
    let mut owner = definition.owner;
    while let Some(id) = owner {
        let above = facts.definition(id);
        if is_node(above) {
            return Some(id);
        }
        owner = above.owner;
    }
    None
}
