//! State of the walk over a script: frames of open scopes, expressions of nodes, and data for the final steps.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::Dialect;
use super::markup::Places;
use crate::Language;
use crate::facts::{
    BindingTarget, DefId, DefKind, Definition, Expr, ExprId, FactsBuilder, NameId, Namespace, Pos, Reference, Role,
    ScopeId, ScopeKind, TypeParameter,
};
use crate::languages::Input;
use crate::languages::narrowing::Narrowings;
use crate::text;
use crate::walk::{NodeExprs, Source, Step};

/// Kind of an open scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The file, a namespace, or a function that `var` is hoisted to.
    Function,
    /// Members of a class, interface, enum or object literal.
    Members,
    /// A block or the type parameters of something.
    Block,
}

/// Meaning of `this`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum This {
    /// The class-like owner around a scope.
    Scope(ScopeId),
    /// The value of an expression.
    Expr(ExprId),
    /// Not known.
    Unknown,
}

/// An open scope.
#[derive(Debug)]
pub(super) struct Frame {
    /// Id of the node that opened it and closes it.
    pub(super) node: usize,
    pub(super) scope: ScopeId,
    pub(super) kind: FrameKind,
    /// Definition whose body it is.
    pub(super) def: Option<DefId>,
    pub(super) this: This,
    /// Named definition that references inside belong to.
    pub(super) enclosing: Option<DefId>,
    /// Inside a function, so that variables are not definitions.
    pub(super) local: bool,
    /// Inside a namespace: exports do not belong to the file.
    pub(super) nested: bool,
    /// Index of the nearest frame of [`FrameKind::Function`].
    pub(super) function: usize,
    /// Returned or yielded values.
    pub(super) values: Vec<ExprId>,
    pub(super) type_parameters: Vec<TypeParameter>,
    /// Non-function members become field definitions.
    pub(super) makes_fields: bool,
    /// Byte at which the last spread of an object literal starts: it may replace members before it.
    pub(super) last_spread: usize,
    /// Values that the parameters of a callback are given.
    pub(super) context: Vec<ExprId>,
}

/// An assignment to a bare name, placed when all bindings are known.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) scope: ScopeId,
    pub(super) name: NameId,
    pub(super) value: ExprId,
}

/// Visitor that builds the facts of a script.
pub(super) struct Extractor<'a> {
    pub(super) b: FactsBuilder,
    pub(super) source: Source<'a>,
    pub(super) dialect: Dialect,
    pub(super) exprs: NodeExprs,
    /// Types that are the type of a value (`typeof x`): the value.
    pub(super) typeofs: NodeExprs,
    pub(super) frames: Vec<Frame>,
    /// Definitions made for nodes (declarators, fields, assignments, functions, classes, objects).
    pub(super) made: FxHashMap<usize, DefId>,
    /// First definition of a name in a scope, separately for values and for types.
    pub(super) named: FxHashMap<(ScopeId, NameId, bool), DefId>,
    pub(super) values: FxHashMap<DefId, Vec<ExprId>>,
    pub(super) bases: FxHashMap<DefId, Vec<ExprId>>,
    pub(super) assignments: Vec<Assignment>,
    /// Local variables declared without a value.
    pub(super) unset: Vec<(ScopeId, NameId)>,
    /// Definitions whose initialiser is being walked, with the number of frames there.
    pub(super) initialising: Vec<(usize, DefId, usize)>,
    /// Start of the decorators before the next method or exported class.
    pub(super) decorated_from: Option<usize>,
    /// Scopes of the conditional types around, which `infer` binds names in.
    pub(super) conditionals: Vec<ScopeId>,
    pub(super) last_comment: Option<(usize, usize)>,
    pub(super) seen_code: bool,
    /// Names of functions that are used as classes.
    pub(super) prototypes: FxHashSet<&'a str>,
    /// Members of the object that `exports` is.
    pub(super) exports_object: Option<(DefId, ScopeId)>,
    pub(super) export_assigned: Vec<ExprId>,
    /// Fields typed by their first value.
    pub(super) initialised: FxHashSet<DefId>,
    /// Members that a class declares further down.
    pub(super) announced: FxHashSet<(ScopeId, NameId)>,
    /// Values assigned to `this.name`, placed when all fields are known.
    pub(super) field_values: Vec<(ScopeId, NameId, ExprId)>,
    /// Locals that are not definitions, as far as the file has been read.
    pub(super) locals: FxHashSet<(ScopeId, NameId)>,
    /// Locals typed neither by an annotation nor by a first value.
    pub(super) open_locals: FxHashSet<(ScopeId, NameId)>,
    /// Locals that only later assignments give a value.
    pub(super) assigned_later: FxHashSet<(ScopeId, NameId)>,
    /// Where the code that is walked stands in the file, if it was made of markup.
    places: Option<&'a Places>,
    /// The object with the options of a component (Vue).
    pub(super) component: Option<DefId>,
    /// The component as its own methods and its template see it.
    pub(super) component_members: Option<ExprId>,
    /// The properties that a script declares for its template (Vue), and the names of them that are known.
    pub(super) properties: Option<ExprId>,
    pub(super) property_names: FxHashSet<NameId>,
    /// The text of the file.
    file: &'a str,
    /// What conditions tell of the values read here.
    pub(super) narrowings: Narrowings,
    position: (usize, usize, usize),
}

impl<'a> Extractor<'a> {
    pub(super) fn new(input: &Input<'a>, dialect: Dialect) -> Self {
        let file = Frame {
            node: usize::MAX,
            scope: FactsBuilder::FILE,
            kind: FrameKind::Function,
            def: None,
            this: This::Unknown,
            enclosing: None,
            local: false,
            nested: false,
            function: 0,
            values: Vec::new(),
            type_parameters: Vec::new(),
            makes_fields: false,
            last_spread: 0,
            context: Vec::new(),
        };
        Self {
            b: FactsBuilder::new(input.language, input.lines(), input.limits),
            source: Source { text: input.text },
            dialect,
            exprs: NodeExprs::default(),
            typeofs: NodeExprs::default(),
            frames: vec![file],
            made: FxHashMap::default(),
            named: FxHashMap::default(),
            values: FxHashMap::default(),
            bases: FxHashMap::default(),
            assignments: Vec::new(),
            unset: Vec::new(),
            initialising: Vec::new(),
            decorated_from: None,
            conditionals: Vec::new(),
            last_comment: None,
            seen_code: false,
            prototypes: prototype_names(input.text),
            exports_object: None,
            export_assigned: Vec::new(),
            initialised: FxHashSet::default(),
            announced: FxHashSet::default(),
            field_values: Vec::new(),
            locals: FxHashSet::default(),
            open_locals: FxHashSet::default(),
            assigned_later: FxHashSet::default(),
            places: None,
            component: None,
            component_members: None,
            properties: None,
            property_names: FxHashSet::default(),
            file: input.text,
            narrowings: Narrowings::default(),
            position: (0, 0, 0),
        }
    }

    /// Continues with code made of the markup of a component. It sees what the script has at its top level.
    pub(super) fn begin_markup(&mut self, code: &'a str, places: &'a Places) {
        self.settle_properties();
        self.source = Source { text: code };
        self.places = Some(places);
        self.last_comment = None;
        self.frames.truncate(1);
        self.initialising.clear();
        // What it declares is not a definition.
        self.frames[0].local = true;
    }

    /// The names that the script knows at its top level.
    pub(super) fn top_names(&self) -> FxHashSet<&str> {
        let facts = self.b.facts();
        let names = facts.bindings.iter().filter(|binding| binding.scope == FactsBuilder::FILE);
        names.map(|binding| facts.name(binding.name)).collect()
    }

    /// Returns whether the code that is walked was made of markup.
    pub(super) fn is_markup(&self) -> bool {
        self.places.is_some()
    }

    pub(super) fn is_javascript(&self) -> bool {
        self.b.facts().language == Language::JavaScript || self.dialect == Dialect::JavaScript
    }

    pub(super) fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    pub(super) fn scope(&self) -> ScopeId {
        self.frame().scope
    }

    /// The frame of the function, namespace or file around.
    pub(super) fn function_frame(&mut self) -> &mut Frame {
        let index = self.frame().function;
        &mut self.frames[index]
    }

    /// Scope of `var` and function declarations in blocks.
    pub(super) fn hoist_scope(&self) -> ScopeId {
        self.frames[self.frame().function].scope
    }

    /// Returns whether a variable declared in `scope` is a definition rather than a local.
    pub(super) fn is_top(&self, scope: ScopeId) -> bool {
        let function = &self.frames[self.frame().function];
        scope == function.scope && !function.local
    }

    /// Opens a scope; inherits missing parts from the enclosing frame.
    pub(super) fn open(&mut self, node: Node<'_>, kind: FrameKind, scope_kind: ScopeKind, def: Option<DefId>) {
        let outer = self.frame();
        let owner = def.or(self.b.facts().scopes[outer.scope.index()].owner);
        let scope = self.b.scope(self.frame().scope, scope_kind, owner);
        self.push(node, kind, scope, def);
    }

    /// Continues in an existing scope.
    pub(super) fn push(&mut self, node: Node<'_>, kind: FrameKind, scope: ScopeId, def: Option<DefId>) {
        let outer = self.frame();
        let enclosing = match def {
            None => outer.enclosing,
            Some(id) => {
                let definition = self.b.facts().definition(id);
                let named = |id: DefId| !self.b.facts().definition(id).flags.is_anonymous;
                if named(id) { Some(id) } else { definition.owner.filter(|&owner| named(owner)).or(outer.enclosing) }
            }
        };
        let index = self.frames.len();
        let frame = Frame {
            node: node.id(),
            scope,
            kind,
            def,
            this: outer.this,
            enclosing,
            local: outer.local,
            nested: outer.nested,
            function: if kind == FrameKind::Function { index } else { outer.function },
            values: Vec::new(),
            type_parameters: Vec::new(),
            makes_fields: false,
            last_spread: 0,
            context: Vec::new(),
        };
        self.frames.push(frame);
    }

    pub(super) fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(super) fn expr_of(&self, node: Node<'_>) -> ExprId {
        self.exprs.get(node).unwrap_or(self.b.unknown())
    }

    pub(super) fn field_expr(&self, node: Node<'_>, field: &str) -> Option<ExprId> {
        node.child_by_field_name(field).and_then(|child| self.exprs.get(child))
    }

    /// Position of a node. Nodes come nearly in order, so columns are counted on from the last one: lines can be long.
    pub(super) fn pos(&mut self, node: Node<'_>) -> Pos {
        let (start, line, line_start) = match self.places {
            Some(places) => {
                let start = places.byte(node.start_byte());
                let line = places.line(start);
                (start, line, places.line_start(line))
            }
            None => {
                let (point, start) = (node.start_position(), node.start_byte());
                (start, point.row as u32 + 1, start - point.column)
            }
        };
        if start - line_start > MAX_COUNTED {
            return Pos { line, col: u16::MAX };
        }
        let (cached_line, cached_byte, cached_col) = self.position;
        let (from, col) =
            if cached_line == line_start && cached_byte <= start { (cached_byte, cached_col) } else { (line_start, 0) };
        let col = col + self.file.get(from..start).map_or(0, |before| before.chars().count());
        self.position = (line_start, start, col);
        Pos { line, col: u16::try_from(col + 1).unwrap_or(u16::MAX) }
    }

    /// A definition that spans from `start` to `end`, with its header up to `body`.
    pub(super) fn blank(
        &mut self,
        kind: DefKind,
        name: &str,
        scope: ScopeId,
        at: Node<'_>,
        span: (Node<'_>, Option<Node<'_>>),
    ) -> Definition {
        let (node, body) = span;
        let name = self.b.name(name);
        let pos = self.pos(at);
        let mut definition = self.b.blank_definition(kind, name, scope, pos);
        let start = header_start(node);
        definition.line_start = start.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(node).max(definition.line_start);
        definition.bytes = (start.start_byte() as u32, node.end_byte() as u32);
        if let Some(places) = self.places {
            let bytes = [start.start_byte(), node.end_byte()].map(|byte| places.byte(byte));
            [definition.line_start, definition.line_end] = bytes.map(|byte| places.line(byte));
            definition.bytes = (bytes[0] as u32, bytes[1].max(bytes[0]) as u32);
        }
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let longest = start.start_byte() + 4 * Definition::MAX_SIGNATURE;
        let header = self.source.text.get(start.start_byte()..end.max(start.start_byte())).unwrap_or("");
        let header = text::clip(header, header.len().min(longest - start.start_byte()));
        let header = header.trim_end().trim_end_matches(['{', ';', ',', '=']).trim_end();
        definition.signature = text::signature(header);
        definition.flags.is_local = self.frame().local;
        definition
    }

    /// Adds a definition and remembers that `node` is it.
    pub(super) fn add(&mut self, node: Node<'_>, mut definition: Definition) -> DefId {
        definition.flags.is_replaceable = self.is_replaceable(node);
        let id = self.b.definition(definition);
        self.made.insert(node.id(), id);
        id
    }

    /// Returns whether a later spread in the enclosing object literal may replace a member.
    pub(super) fn is_replaceable(&self, member: Node<'_>) -> bool {
        member.start_byte() < self.frame().last_spread
    }

    /// Binds a definition in its scope and remembers it as the first of its name.
    pub(super) fn bind(&mut self, id: DefId, namespace: Namespace) {
        let Definition { scope, name, .. } = *self.b.facts().definition(id);
        if matches!(namespace, Namespace::Any | Namespace::Value) {
            self.named.entry((scope, name, false)).or_insert(id);
        }
        if matches!(namespace, Namespace::Any | Namespace::Type) {
            self.named.entry((scope, name, true)).or_insert(id);
        }
        self.b.bind_definition(id, namespace);
    }

    /// A definition of this very scope.
    pub(super) fn own(&mut self, scope: ScopeId, name: &str, is_type: bool) -> Option<DefId> {
        let name = self.b.name(name);
        self.named.get(&(scope, name, is_type)).copied()
    }

    /// The definition that a bare value name refers to, as far as the file has been read.
    pub(super) fn visible(&mut self, name: &str) -> Option<DefId> {
        let name = self.b.name(name);
        let mut scope = Some(self.scope());
        let mut steps = 0;
        while let Some(id) = scope {
            let data = self.b.facts().scopes[id.index()];
            if data.kind != ScopeKind::Class {
                if let Some(&found) = self.named.get(&(id, name, false)) {
                    return Some(found);
                }
                if self.locals.contains(&(id, name)) {
                    return None;
                }
            }
            steps += 1;
            if steps > MAX_SCOPES {
                return None;
            }
            scope = data.parent;
        }
        None
    }

    /// Adds a reference from the current place.
    pub(super) fn refer(&mut self, expr: ExprId, role: Role, at: Node<'_>, arity: u8) {
        if matches!(self.b.facts().expr(expr), Expr::Unknown) {
            return;
        }
        let pos = self.pos(at);
        let enclosing = self.frame().enclosing;
        self.b.reference_at(Reference { expr, role, inexact: false, arity, pos, enclosing }, at.start_byte());
    }

    /// Adds a value that a variable, field or function has.
    pub(super) fn value(&mut self, id: DefId, value: ExprId) {
        if value != self.b.unknown() {
            self.values.entry(id).or_default().push(value);
        }
    }

    /// Binds a local name to a value.
    pub(super) fn bind_local(&mut self, scope: ScopeId, name: &str, target: BindingTarget) {
        let name = self.b.name(name);
        self.locals.insert((scope, name));
        let open = match target {
            BindingTarget::Value(value) => self.is_null(value),
            _ => target == BindingTarget::Opaque,
        };
        if open {
            self.open_locals.insert((scope, name));
        }
        self.b.bind(scope, name, Namespace::Value, target);
    }

    /// The doc comment that ends right before `node`.
    pub(super) fn doc_before(&self, start: usize) -> Option<&'a str> {
        let (from, to) = self.last_comment?;
        let gap = self.source.text.get(to..start)?;
        let comment = self.source.text.get(from..to)?;
        // The gap may be most of the file: it is counted only when it is known to be blank.
        if !gap.trim_start().is_empty() {
            return None;
        }
        let breaks = gap.bytes().filter(|&byte| byte == b'\n').count();
        if comment.starts_with("/*") {
            return (breaks <= 2).then_some(comment);
        }
        // A trailing comment belongs to the code before it.
        let before = self.source.text.get(from.saturating_sub(MAX_INDENT)..from).unwrap_or("");
        let own_line = before.trim_end_matches([' ', '\t']);
        (breaks == 1 && (own_line.is_empty() || own_line.ends_with('\n'))).then_some(comment)
    }

    /// Text of a property name, without quotes.
    pub(super) fn property(&self, node: Node<'_>) -> &'a str {
        let text = self.source.text(node);
        if node.kind() == "string" { unquote(text) } else { text }
    }
}

/// Bytes of a line beyond which every column is the largest there is: no character has more than four.
const MAX_COUNTED: usize = 4 * u16::MAX as usize;

/// Maximum white space before a comment examined to find out whether it is alone on its line, in bytes.
const MAX_INDENT: usize = 200;

/// Scopes climbed before a name counts as not found in this file.
pub(super) const MAX_SCOPES: usize = 512;

/// The first child that is no decorator: where a definition itself starts.
pub(super) fn header_start(node: Node<'_>) -> Node<'_> {
    let mut child = node.child(0);
    if child.is_none_or(|child| child.kind() != "decorator") {
        return node;
    }
    while let Some(current) = child {
        if current.kind() != "decorator" {
            return current;
        }
        child = current.next_sibling();
    }
    node
}

/// A string literal's text without its quotes.
pub(super) fn unquote(text: &str) -> &str {
    let inner = text.strip_prefix(['"', '\'', '`']).unwrap_or(text);
    if inner.len() < text.len() { inner.strip_suffix(['"', '\'', '`']).unwrap_or(inner) } else { text }
}

/// Names written right before `.prototype`.
fn prototype_names(text: &str) -> FxHashSet<&str> {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    text.match_indices(".prototype")
        .filter_map(|(at, _)| {
            let start = text.as_bytes()[..at].iter().rposition(|&byte| !part(byte)).map_or(0, |before| before + 1);
            (start < at && !text[..start].ends_with('.')).then(|| &text[start..at])
        })
        .collect()
}

/// Named children of a node, comments left out.
pub(super) fn children<'tree>(node: Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Returns whether a direct child of `node` is the token `token`, before any child of the given field.
pub(super) fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(12).any(|child| child.kind() == token)
}

/// The parent of a step.
pub(super) fn parent<'tree>(path: &[Step<'tree>]) -> Option<Step<'tree>> {
    path.last().copied()
}
