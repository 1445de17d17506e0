//! Converts the links and facts of a file to its part of the graph.

use m1nd_base::{NodeKind, RepoPath};
use m1nd_graph::{EdgeInput, GraphBuilder, NodeFlags, NodeInput, Part, UnresolvedInput, UnresolvedRef};
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{DefId, DefKind, Definition, Expr, Role, ScopeId, Visibility};
use m1nd_link::{FileLinks, LinkNode, Linker};
use rustc_hash::FxHashSet;

/// Scope of a file's own definitions.
const FILE_SCOPE: ScopeId = ScopeId(0);

/// The part of the graph contributed by a file. Symbols are those of the linker.
pub(crate) fn part<'a>(linker: &'a Linker, links: &'a FileLinks, facts: &'a FileFacts, is_test: bool) -> Part<'a> {
    Part {
        nodes: nodes(linker, &links.nodes, (&links.path, facts), is_test),
        edges: edges(links).collect(),
        unresolved: list_unresolved(linker, links).collect(),
    }
}

/// Adds the same to a graph that is built, which keeps nothing of the links.
pub(crate) fn add_part(
    builder: &mut GraphBuilder,
    linker: &Linker,
    links: &FileLinks,
    (path, facts): (&RepoPath, &FileFacts),
    is_test: bool,
) {
    builder.push_nodes(&nodes(linker, &links.nodes, (path, facts), is_test));
    edges(links).for_each(|edge| builder.push_edge(&edge));
    list_unresolved(linker, links).for_each(|reference| builder.push_unresolved(&reference));
}

/// The nodes of a file as the graph takes them.
pub(crate) fn nodes<'a>(
    linker: &'a Linker,
    nodes: &[LinkNode],
    (path, facts): (&'a RepoPath, &'a FileFacts),
    is_test: bool,
) -> Vec<NodeInput<'a>> {
    let exported = list_exported(facts);
    let is_stub = m1nd_link::is_stub(path.as_str());
    // In files that export explicitly, a top definition that is not exported is hidden whatever its keyword says.
    let is_hidden = |id: DefId, definition: &Definition| {
        let own = definition.scope == FILE_SCOPE && !definition.flags.is_exported;
        own && exported.as_ref().is_some_and(|exported| !exported.contains(&id))
    };
    let node = |node: &LinkNode| -> NodeInput<'a> {
        let parent = node.parent.and_then(|parent| nodes.get(parent as usize)).map(|parent| parent.id.0);
        // A link node is a route, a definition, or the file itself.
        if let Some(line) = node.route {
            return route_node(node.id.0, parent, linker.text(node.id), line, is_test);
        }
        match node.definition.and_then(|id| Some((id, facts.definitions.get(id.index())?))) {
            Some((id, definition)) => {
                let mut input = definition_node(node.id.0, parent, definition, facts, is_test || node.is_test);
                if is_stub && matches!(definition.kind, DefKind::Function | DefKind::Class) {
                    input.flags = input.flags.with(NodeFlags::DECLARATION);
                }
                if is_hidden(id, definition) {
                    input.flags = input.flags.without(NodeFlags::EXPORTED);
                }
                input
            }
            None => file_node(node.id.0, path, facts, is_test),
        }
    };
    nodes.iter().map(node).collect()
}

/// Definitions visible to importers, for languages with explicit exports; `None` for others, or if a value is
/// exported whose members are not examined.
fn list_exported(facts: &FileFacts) -> Option<FxHashSet<DefId>> {
    let mut exported = FxHashSet::default();
    for export in &facts.exports {
        match facts.expr(export.value) {
            _ if facts.name(export.name) == FileFacts::EXPORT_ASSIGN => return None,
            Expr::Definition(id) => drop(exported.insert(id)),
            _ => {}
        }
    }
    (!facts.exports.is_empty()).then_some(exported)
}

fn edges(links: &FileLinks) -> impl Iterator<Item = EdgeInput<'_>> {
    links.edges.iter().map(|edge| EdgeInput {
        from: edge.from.0,
        to: edge.to.0,
        relation: edge.relation,
        tier: edge.tier,
        of: edge.of,
        dispatches: edge.dispatches,
        compiler: edge.compiler,
        reads: edge.reads,
        sites: links.sites(edge),
    })
}

fn list_unresolved<'a, 'l>(linker: &'a Linker, links: &'l FileLinks) -> impl Iterator<Item = UnresolvedInput<'a>> + 'l
where
    'a: 'l,
{
    links.unresolved.iter().map(|reference| UnresolvedInput {
        from: reference.from.0,
        name: linker.name(reference.name),
        role: match reference.reason {
            reason if reason.is_of_text() => UnresolvedRef::TEXT,
            _ => reference.role.map_or("import", role_word),
        },
        reason: reference.reason.word(),
        pos: reference.pos,
    })
}

fn file_node<'a>(symbol: u32, path: &'a RepoPath, facts: &'a FileFacts, is_test: bool) -> NodeInput<'a> {
    NodeInput {
        symbol,
        parent: None,
        kind: NodeKind::File,
        label: path.file_name(),
        lines: (1, facts.lines.max(1)),
        name_line: 0,
        flags: NodeFlags::default().with_if(NodeFlags::TEST, is_test),
        signature: facts.package.map_or("", |package| facts.name(package)),
        doc: facts.doc.as_deref().unwrap_or_default(),
    }
}

/// Words in ids of routes, topics and tools.
const SERVED: &[&str] = &["::route::", "::topic::", "::tool::"];

/// Its label is the last part of its id: method and path, or a name.
fn route_node(symbol: u32, parent: Option<u32>, id: &str, line: u32, is_test: bool) -> NodeInput<'_> {
    let label = SERVED.iter().find_map(|word| id.split_once(word)).map_or(id, |(_, label)| label);
    let label = label.rsplit_once('~').filter(|(_, hash)| hash.len() == 8).map_or(label, |(label, _)| label);
    NodeInput {
        symbol,
        parent,
        kind: NodeKind::Route,
        label,
        lines: (line, line),
        name_line: line,
        flags: NodeFlags::EXPORTED.with_if(NodeFlags::TEST, is_test),
        signature: "",
        doc: "",
    }
}

fn definition_node<'a>(
    symbol: u32,
    parent: Option<u32>,
    definition: &'a Definition,
    facts: &'a FileFacts,
    is_test: bool,
) -> NodeInput<'a> {
    let given = definition.flags;
    let flags = NodeFlags::default()
        .with_if(NodeFlags::TEST, is_test || given.is_test)
        .with_if(NodeFlags::EXPORTED, given.is_exported || definition.visibility == Visibility::Public)
        .with_if(NodeFlags::ABSTRACT, given.is_abstract)
        .with_if(NodeFlags::DECLARATION, given.is_declaration)
        .with_if(NodeFlags::ASYNC, given.is_async)
        .with_if(NodeFlags::CONSTRUCTOR, given.is_constructor)
        .with_if(NodeFlags::PROPERTY, given.is_property)
        .with_if(NodeFlags::ENTRY, given.is_entry || given.is_generated)
        .with_if(NodeFlags::STATIC, given.is_static);
    NodeInput {
        symbol,
        parent,
        kind: node_kind(definition.kind),
        label: facts.name(definition.name),
        lines: (definition.line_start, definition.line_end),
        name_line: definition.pos.line,
        flags,
        signature: definition.signature.as_deref().unwrap_or_default(),
        doc: definition.doc.as_deref().unwrap_or_default(),
    }
}

/// The kind of node a kind of definition becomes.
pub(crate) const fn node_kind(kind: DefKind) -> NodeKind {
    match kind {
        DefKind::Function => NodeKind::Function,
        DefKind::Class => NodeKind::Class,
        DefKind::Struct | DefKind::Union => NodeKind::Struct,
        DefKind::Enum => NodeKind::Enum,
        DefKind::Variant => NodeKind::Variant,
        DefKind::Trait => NodeKind::Trait,
        DefKind::Interface => NodeKind::Interface,
        DefKind::TypeAlias => NodeKind::Type,
        DefKind::Module => NodeKind::Module,
        DefKind::Impl => NodeKind::Impl,
        DefKind::Field => NodeKind::Field,
        DefKind::Variable => NodeKind::Variable,
        DefKind::Constant => NodeKind::Constant,
        DefKind::Macro => NodeKind::Macro,
        DefKind::Object => NodeKind::Object,
        DefKind::Section => NodeKind::Section,
    }
}

pub(crate) const fn role_word(role: Role) -> &'static str {
    match role {
        Role::Call => "call",
        Role::Read => "read",
        Role::Write => "write",
        Role::Type => "type",
        Role::Inherit => "inherit",
        Role::Implement => "implement",
        Role::Decorate => "decorate",
        Role::Macro => "macro",
    }
}
