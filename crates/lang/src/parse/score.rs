//! How much of a syntax tree is broken, and how many definitions it has.

use rustc_hash::FxHashMap;
use tree_sitter::{Language, Node, Tree};

/// Kinds of node that define something, and whether what is inside of them is local.
const DEFINING: &[(&str, bool)] = &[
    ("annotation_type_declaration", false),
    ("abstract_class_declaration", false),
    ("class", false),
    ("class_declaration", false),
    ("class_definition", false),
    ("class_specifier", false),
    ("const_declaration", false),
    ("const_item", false),
    ("constructor_declaration", true),
    ("destructor_declaration", true),
    ("enum_declaration", false),
    ("enum_definition", false),
    ("enum_item", false),
    ("enum_specifier", false),
    ("field_declaration", false),
    ("function_declaration", true),
    ("function_definition", true),
    ("function_item", true),
    ("function_signature_item", true),
    ("generator_function_declaration", true),
    ("impl_item", false),
    ("init_declaration", true),
    ("interface_declaration", false),
    ("internal_module", false),
    ("lexical_declaration", false),
    ("macro_definition", true),
    ("method", true),
    ("method_declaration", true),
    ("method_definition", true),
    ("method_signature", false),
    ("mod_item", false),
    ("module", false),
    ("namespace_declaration", false),
    ("namespace_definition", false),
    ("object_declaration", false),
    ("object_definition", false),
    ("property_declaration", false),
    ("protocol_declaration", false),
    ("public_field_definition", false),
    ("record_declaration", false),
    ("secondary_constructor", true),
    ("singleton_method", true),
    ("static_item", false),
    ("struct_declaration", false),
    ("struct_item", false),
    ("struct_specifier", false),
    ("trait_declaration", false),
    ("trait_definition", false),
    ("trait_item", false),
    ("type_alias_declaration", false),
    ("type_declaration", false),
    ("type_item", false),
    ("union_item", false),
    ("union_specifier", false),
    ("val_definition", false),
    ("var_declaration", false),
];
/// Kinds of node whose content may stand as deep as they do.
const FLAT: &[&str] = &["namespace_definition", "namespace_declaration", "mod_item", "module"];

/// What the kinds of node of a grammar define, by their numbers.
pub(super) struct Kinds(Vec<Option<Defining>>);

/// A kind of node that defines something.
#[derive(Clone, Copy)]
struct Defining {
    /// What is inside of it is local.
    is_local: bool,
    is_flat: bool,
}

impl Kinds {
    pub(super) fn new(grammar: &Language) -> Self {
        let rows = (0..grammar.node_kind_count() as u16).map(|id| {
            let kind = grammar.node_kind_for_id(id).filter(|_| grammar.node_kind_is_named(id))?;
            let (_, is_local) = DEFINING.iter().find(|(known, _)| *known == kind)?;
            Some(Defining { is_local: *is_local, is_flat: FLAT.contains(&kind) })
        });
        Self(rows.collect())
    }

    fn of(&self, node: Node<'_>) -> Option<Defining> {
        // Errors have a number outside the table.
        self.0.get(usize::from(node.kind_id())).copied().flatten()
    }
}

/// Bytes that the grammar could not place, and symbols it had to make up.
pub(crate) fn damage(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut total = 0;
    loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            total += node.byte_range().len().max(1);
        }
        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return total;
            }
        }
    }
}

/// A definition around a node.
#[derive(Clone, Copy)]
struct Outer {
    /// Its number.
    id: usize,
    row: usize,
    indent: usize,
    is_flat: bool,
}

/// What is around a node, as far as it matters.
#[derive(Clone, Copy, Default)]
struct Around {
    outer: Option<Outer>,
    is_local: bool,
    is_broken: bool,
}

/// A definition that is not local.
struct Member {
    /// Number of the definition around it.
    of: Option<usize>,
    indent: usize,
    is_on_line: bool,
    is_broken: bool,
}

/// How much of a file a tree shows; more is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Score {
    points: usize,
    /// Definitions that stand in another one.
    nested: usize,
}

/// Scores a tree by its definitions that are not local: two points for one that stands as deep as the others around
/// it, one for one inside of an error, none for one that stands elsewhere than its depth says.
pub(super) fn score(tree: &Tree, source: &[u8], kinds: &Kinds) -> Score {
    let members = list_members(tree, source, kinds);
    let mut depths: FxHashMap<Option<usize>, usize> = FxHashMap::default();
    for member in members.iter().filter(|member| !member.is_on_line) {
        let depth = depths.entry(member.of).or_insert(member.indent);
        *depth = (*depth).min(member.indent);
    }
    let points = members.iter().map(|member| {
        let fits = member.is_on_line || depths.get(&member.of) == Some(&member.indent);
        usize::from(fits) * if member.is_broken { 1 } else { 2 }
    });
    let nested = members.iter().filter(|member| member.of.is_some()).count();
    Score { points: points.sum(), nested }
}

/// The definitions of a tree that are not local.
fn list_members(tree: &Tree, source: &[u8], kinds: &Kinds) -> Vec<Member> {
    let mut cursor = tree.walk();
    let mut path = vec![Around::default()];
    let mut members = Vec::new();
    let mut count = 0;
    loop {
        let node = cursor.node();
        let around = path.last().copied().unwrap_or_default();
        let mut inside = Around { is_broken: around.is_broken || node.is_error(), ..around };
        if let Some(Defining { is_local, is_flat }) = kinds.of(node) {
            let (row, indent) = (node.start_position().row, indent(node, source));
            let is_on_line = around.outer.is_some_and(|outer| row == outer.row);
            let is_deeper = around
                .outer
                .is_none_or(|outer| indent > outer.indent || is_on_line || outer.is_flat && indent == outer.indent);
            if !around.is_local && is_deeper {
                let of = around.outer.map(|outer| outer.id);
                members.push(Member { of, indent, is_on_line, is_broken: around.is_broken });
            }
            let outer = Some(Outer { id: count, row, indent, is_flat });
            count += 1;
            inside = Around { outer, is_local: around.is_local || is_local, ..inside };
        }
        if node.child_count() > 0 && cursor.goto_first_child() {
            path.push(inside);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return members;
            }
            path.pop();
        }
    }
}

/// Length of the white space that the line of a node begins with.
fn indent(node: Node<'_>, source: &[u8]) -> usize {
    let line = node.start_byte().saturating_sub(node.start_position().column);
    let line = source.get(line..node.start_byte()).unwrap_or_default();
    line.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}
