//! One extractor for all languages that are outlined: it walks a syntax tree once, without recursion, and does at each
//! node what the language's [`Grammar`] says of its kind. What is irregular in a language is a function of its table.

mod bind;
pub(super) mod common;
mod define;
mod draft;
mod exprs;
mod literals;
mod locals;
mod position;
pub(super) mod rules;

use std::sync::OnceLock;

use m1nd_base::Problem;
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

pub(super) use self::define::Frame;
use self::draft::CommentRun;
pub(super) use self::draft::Draft;
use self::literals::LITERALS;
pub(super) use self::rules::{Bind, Define, Grammar, NoBody, Pick, Rule, Wrap, field};
use super::Input;
use crate::facts::{
    DefId, DefKind, Definition, Expr, ExprId, FactsBuilder, FileFacts, NameId, Role, ScopeId, ScopeKind,
};
use crate::parse;
use crate::walk::{Enter, Step, Visitor};

/// Rules of a grammar by number of the kind of node. Made once a language, as it takes longer than a small file.
#[derive(Default)]
struct Compiled {
    rules: Vec<Rule>,
    fields: Vec<&'static str>,
}

impl Compiled {
    /// Numbers the kinds of node.
    fn new(grammar: &Grammar) -> Self {
        let language = (grammar.language)();
        let mut rules = vec![Rule::Plain; language.node_kind_count()];
        for (id, rule) in rules.iter_mut().enumerate() {
            let kind = language.node_kind_for_id(id as u16).unwrap_or("");
            if !language.node_kind_is_named(id as u16) {
                continue;
            }
            let given = grammar.rules.iter().chain(grammar.base_rules).find(|(name, _)| *name == kind);
            let literal =
                || LITERALS.iter().find(|(name, _)| *name == kind).map(|&(_, literal)| Rule::Literal(literal));
            let other = if kind.ends_with("comment") { Rule::Comment } else { Rule::Plain };
            *rule = given.map(|&(_, rule)| rule).or_else(literal).unwrap_or(other);
        }
        Self { rules, fields: grammar.type_fields.to_vec() }
    }

    fn rule(&self, node: Node<'_>) -> Rule {
        self.rules.get(usize::from(node.kind_id())).copied().unwrap_or(Rule::Plain)
    }
}

/// The extractor of a language that is outlined.
pub(super) struct Extractor {
    grammar: &'static Grammar,
    compiled: OnceLock<Compiled>,
}

impl Extractor {
    pub(super) const fn new(grammar: &'static Grammar) -> Self {
        Self { grammar, compiled: OnceLock::new() }
    }

    /// The facts of a file.
    pub(super) fn extract(&self, input: &Input<'_>) -> Result<FileFacts, Problem> {
        extract(input, self.grammar, self.compiled.get_or_init(|| Compiled::new(self.grammar)))
    }
}

/// What the parent of a node, or a rule further up, says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing.
    None,
    /// Not visited.
    Skip,
    /// Called with this many arguments.
    Call(u8),
    /// Assigned to.
    Write,
    /// In type position.
    Type,
    /// A base type; one of the bases of the definition around it if set.
    Inherit(bool),
    /// An implemented interface; likewise.
    Implement(bool),
    /// A decorator; likewise.
    Decorate(bool),
    /// The parameter list of the definition around it.
    Params,
    /// The list that holds the receiver of the method around it.
    Receiver,
    /// A list of named results.
    Results,
    /// The body of the definition around it.
    Body,
    /// A part of a longer name, which its first part stands for.
    Part,
    /// A qualified name that is being defined.
    Declared,
}

/// A node on the way from the root to the current one.
#[derive(Clone, Copy)]
struct State {
    rule: Rule,
    mark: Mark,
    in_type: bool,
    /// Scope that its children stand in, but for the body of a class.
    scope: ScopeId,
    /// Innermost named definition around its children.
    enclosing: Option<DefId>,
    /// Whether leaving it ends a definition.
    frame: bool,
}

/// The extraction of one file.
pub(super) struct Outline<'a> {
    pub(super) source: position::Text<'a>,
    pub(super) grammar: &'static Grammar,
    compiled: &'a Compiled,
    pub(super) builder: FactsBuilder,
    stack: Vec<State>,
    frames: Vec<Frame>,
    exprs: FxHashMap<usize, ExprId>,
    marks: FxHashMap<usize, Mark>,
    variables: FxHashMap<usize, Vec<DefId>>,
    loose_type_parameters: Vec<crate::facts::TypeParameter>,
    comments: CommentRun,
    assigned: common::Assigned,
    /// Access paths whose class a condition shows, by the scope that knows it.
    pub(super) narrowed: FxHashSet<(ScopeId, NameId)>,
    /// Types that conditions show of access paths, by the scope that knows it: the type as written, and where it is.
    pub(super) shown: FxHashMap<(ScopeId, NameId), (NameId, ScopeId)>,
    /// Scopes of nodes that do not stand in that of what is around them.
    pub(super) placed: FxHashMap<usize, ScopeId>,
    /// Names whose meaning is settled at the end.
    pub(super) labels: Vec<rules::Label>,
    /// Values that the context of nodes expects of them, by node.
    pub(super) expected: FxHashMap<usize, ExprId>,
}

/// Extracts a file by a grammar.
fn extract(input: &Input<'_>, grammar: &'static Grammar, compiled: &Compiled) -> Result<FileFacts, Problem> {
    let language = (grammar.language)();
    let source = input.text.as_bytes();
    let tree = parse::parse_code(&language, grammar.layout, source, input.limits, input.cancel)?;
    let changes = (grammar.reread)(&tree, input.text);
    let tree = tree.reread(&language, source, &changes, input.limits, input.cancel)?;
    let root = State {
        rule: Rule::Plain,
        mark: Mark::None,
        in_type: false,
        scope: FactsBuilder::FILE,
        enclosing: None,
        frame: false,
    };
    let mut outline = Outline {
        source: position::Text::new(input.text),
        grammar,
        compiled,
        builder: FactsBuilder::new(input.language, input.lines(), input.limits),
        stack: vec![root],
        frames: Vec::new(),
        exprs: FxHashMap::default(),
        marks: FxHashMap::default(),
        variables: FxHashMap::default(),
        loose_type_parameters: Vec::new(),
        comments: CommentRun::default(),
        assigned: common::Assigned::default(),
        narrowed: FxHashSet::default(),
        shown: FxHashMap::default(),
        placed: FxHashMap::default(),
        labels: Vec::new(),
        expected: FxHashMap::default(),
    };
    let problem = tree.visit(input.limits, &mut outline);
    while !outline.frames.is_empty() {
        // The walk ended early: what is open keeps what is known of it.
        outline.close_frame(None, None);
    }
    let mut builder = outline.builder;
    if let Some(problem) = problem {
        builder.problem(problem);
    }
    builder.place_decorators();
    mark_tests(builder.facts_mut(), grammar.test_decorators);
    (grammar.finish)(builder.facts_mut(), &outline.labels);
    locals::drop_local_references(builder.facts_mut(), grammar.methods_apart);
    let facts = builder.facts_mut();
    facts.is_test = facts.definitions.iter().any(|definition| definition.flags.is_test);
    Ok(builder.finish())
}

/// Functions with one of these decorators are tests.
fn mark_tests(facts: &mut FileFacts, decorators: &[&str]) {
    let is_test = |definition: &Definition| {
        facts.list(definition.decorators).iter().any(|&decorator| match facts.expr(decorator) {
            Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Path { name, .. } => {
                decorators.contains(&facts.name(name))
            }
            _ => false,
        })
    };
    let tests = facts.definitions.iter().enumerate();
    let tests = tests.filter(|(_, definition)| definition.kind == DefKind::Function && is_test(definition));
    let tests: Vec<usize> = tests.map(|(index, _)| index).collect();
    for index in tests {
        facts.definitions[index].flags.is_test = true;
    }
    for definition in facts.definitions.iter_mut().filter(|definition| definition.kind == DefKind::Function) {
        definition.flags.is_entry |= definition.flags.is_test;
    }
}

impl<'a> Outline<'a> {
    /// Text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.text(node)
    }

    /// Text of a name, without its sigils and back-quotes.
    pub(super) fn name_text(&self, node: Node<'_>) -> &'a str {
        let text = self.text(node).trim_start_matches(self.grammar.sigils);
        text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text)
    }

    /// Scope of the current node.
    pub(super) fn scope(&self) -> ScopeId {
        self.stack.last().map_or(FactsBuilder::FILE, |state| state.scope)
    }

    /// The innermost scope around the current node that is not of a class.
    pub(super) fn scope_outside_of_classes(&self) -> ScopeId {
        let scopes = &self.builder.facts().scopes;
        let mut scope = self.scope();
        while matches!(scopes[scope.index()].kind, ScopeKind::Class | ScopeKind::Generics)
            && let Some(parent) = scopes[scope.index()].parent
        {
            scope = parent;
        }
        scope
    }

    /// Kind of the scope of the current node.
    pub(super) fn scope_kind(&self) -> ScopeKind {
        self.builder.facts().scopes[self.scope().index()].kind
    }

    /// Innermost named definition around the current node.
    pub(super) fn enclosing(&self) -> Option<DefId> {
        self.stack.last().and_then(|state| state.enclosing)
    }

    /// Says something of a child before it is visited.
    pub(super) fn mark(&mut self, node: Node<'_>, mark: Mark) {
        self.marks.insert(node.id(), mark);
    }

    /// What is said of the node whose children are being visited.
    pub(super) fn current_mark(&self) -> Mark {
        self.stack.last().map_or(Mark::None, |state| state.mark)
    }

    /// What is said of the parent of the current node.
    pub(super) fn parent_mark(&self) -> Mark {
        self.stack.iter().rev().nth(1).map_or(Mark::None, |state| state.mark)
    }

    /// Remembers the definitions that a node makes until it is left.
    pub(super) fn remember(&mut self, node: Node<'_>, ids: Vec<DefId>) {
        self.variables.insert(node.id(), ids);
    }

    /// Whether definitions of a node are remembered.
    pub(super) fn has_remembered(&self, node: Node<'_>) -> bool {
        self.variables.contains_key(&node.id())
    }

    /// The definitions that a node made when it was entered.
    pub(super) fn take_remembered(&mut self, node: Node<'_>) -> Vec<DefId> {
        self.variables.remove(&node.id()).unwrap_or_default()
    }

    /// The current node is in type position.
    pub(super) fn set_in_type(&mut self) {
        if let Some(state) = self.stack.last_mut() {
            state.in_type = true;
        }
    }

    /// The current node is in value position, whatever is around it.
    pub(super) fn leave_type(&mut self) {
        if let Some(state) = self.stack.last_mut() {
            state.in_type = false;
        }
    }

    /// Whether the current node is in type position.
    pub(super) fn in_type(&self) -> bool {
        self.stack.last().is_some_and(|state| state.in_type)
    }

    /// Number of definitions around the current node.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Name of the innermost definition around the current node.
    pub(super) fn owner_name(&self) -> Option<&str> {
        let facts = self.builder.facts();
        Some(facts.name(facts.definition(self.frames.last()?.id).name))
    }

    /// Name of the innermost definition around the current node that is not a function.
    pub(super) fn class_name(&self) -> Option<String> {
        let facts = self.builder.facts();
        let class = self.frames.iter().rev().find(|frame| !frame.is_function)?;
        Some(facts.name(facts.definition(class.id).name).to_owned())
    }

    /// Kind of the innermost definition around the current node.
    pub(super) fn frame_kind(&self) -> Option<DefKind> {
        Some(self.builder.facts().definition(self.frames.last()?.id).kind)
    }

    /// Whether the parent of the current node is a definition.
    pub(super) fn parent_is_frame(&self) -> bool {
        self.stack.iter().rev().nth(1).is_some_and(|state| state.frame)
    }

    /// Whether the innermost definition is a case class by its header.
    pub(super) fn is_case_class(&self) -> bool {
        let facts = self.builder.facts();
        let signature = self.frames.last().and_then(|frame| facts.definition(frame.id).signature.as_deref());
        signature.is_some_and(|signature| signature.split_whitespace().take(5).any(|word| word == "case"))
    }

    /// Whether the innermost definition names a base whose name ends so.
    pub(super) fn base_ends_with(&self, end: &str) -> bool {
        let facts = self.builder.facts();
        let bases = self.frames.last().map_or(&[][..], |frame| &frame.bases);
        bases.iter().any(|&base| matches!(facts.expr(base), Expr::Name { name, .. } if facts.name(name).ends_with(end)))
    }

    /// Forgets type parameters that no definition took.
    pub(super) fn drop_loose_type_parameters(&mut self) {
        self.loose_type_parameters.clear();
    }

    /// Whether a node is a name by its kind.
    pub(super) fn is_name(&self, node: Node<'_>) -> bool {
        self.grammar.name_kinds.contains(&node.kind())
    }

    /// The rule of a node.
    pub(super) fn rule(&self, node: Node<'_>) -> Rule {
        self.compiled.rule(node)
    }

    /// Opens a scope for the children of the current node.
    pub(super) fn open_scope(&mut self, kind: ScopeKind) -> ScopeId {
        let parent = self.scope();
        let owner = self.builder.facts().scopes[parent.index()].owner;
        let scope = self.builder.scope(parent, kind, owner);
        if let Some(state) = self.stack.last_mut() {
            state.scope = scope;
        }
        scope
    }

    /// Opens a scope for the nodes that follow the current one in its parent. `None` if too many are open already, or
    /// if it is a block outside of functions, where definitions may follow that others see.
    pub(super) fn open_scope_after(&mut self, kind: ScopeKind) -> Option<ScopeId> {
        /// Scopes that statements of one block open for those that follow them.
        const MAX_AFTER: usize = 64;
        let place = self.stack.len().checked_sub(2)?;
        let parent = self.stack[place].scope;
        let around = self.variable_scope();
        let scopes = &self.builder.facts().scopes;
        if kind == ScopeKind::Block && scopes[around.index()].kind != ScopeKind::Function {
            return None;
        }
        let mut outer = Some(parent);
        let mut blocks = 0;
        while let Some(scope) = outer.filter(|scope| scopes[scope.index()].kind == ScopeKind::Block) {
            blocks += 1;
            if blocks > MAX_AFTER {
                return None;
            }
            outer = scopes[scope.index()].parent;
        }
        let owner = scopes[parent.index()].owner;
        let scope = self.builder.scope(parent, kind, owner);
        self.stack[place].scope = scope;
        Some(scope)
    }

    /// Like [`Outline::open_scope_after`], for the current node, too, once its children are visited.
    pub(super) fn open_scope_after_and_here(&mut self, kind: ScopeKind) {
        let scope = self.open_scope_after(kind);
        if let (Some(scope), Some(state)) = (scope, self.stack.last_mut()) {
            state.scope = scope;
        }
    }

    /// The current node stands at the top of the file, whatever is around it.
    pub(super) fn leave_scopes(&mut self) {
        if let Some(state) = self.stack.last_mut() {
            state.scope = FactsBuilder::FILE;
            state.enclosing = None;
        }
    }

    fn state_of(&mut self, step: Step<'_>) -> State {
        let parent = *self.stack.last().expect("the root state stays");
        let rule = self.rule(step.node);
        let given = self.marks.remove(&step.node.id());
        let mark = given.unwrap_or(match parent.rule {
            Rule::Forward | Rule::Type | Rule::List => match parent.mark {
                Mark::Params | Mark::Receiver | Mark::Results | Mark::Body | Mark::Part | Mark::Declared => Mark::None,
                mark => mark,
            },
            Rule::Bases => Mark::Inherit(true),
            Rule::Implements => Mark::Implement(true),
            _ => Mark::None,
        });
        let by_field = step.field.is_some_and(|field| self.compiled.fields.contains(&field));
        let typed = matches!(mark, Mark::Type | Mark::Inherit(_) | Mark::Implement(_) | Mark::Declared)
            || matches!(rule, Rule::Type | Rule::TypeOf(_));
        let mut state = State { rule, mark, in_type: parent.in_type || by_field || typed, frame: false, ..parent };
        if matches!(rule, Rule::Values) {
            state.in_type = false;
        }
        if !self.placed.is_empty()
            && let Some(scope) = self.placed.remove(&step.node.id())
        {
            state.scope = scope;
        }
        if mark == Mark::Body {
            state.in_type = false;
            if let Some(frame) = self.frames.last() {
                state.scope = frame.body;
            }
        }
        state
    }
}

impl<'tree> Visitor<'tree> for Outline<'_> {
    fn enter(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Enter {
        let node = step.node;
        let parent = path.last().map(|step| step.node);
        let state = self.state_of(step);
        if state.mark == Mark::Skip {
            return Enter::Skip;
        }
        self.stack.push(state);
        let enter = self.enter_rule(state.rule, node, parent);
        if enter == Enter::Skip {
            self.stack.pop();
        }
        enter
    }

    fn leave(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let parent = path.last().map(|step| step.node);
        let Some(state) = self.stack.last().copied() else { return };
        if state.frame {
            self.close_frame(Some(node), parent);
            self.stack.pop();
            return;
        }
        self.leave_rule(state.rule, node, parent);
        if matches!(state.rule, Rule::Plain | Rule::Forward | Rule::Member(..)) {
            (self.grammar.left)(self, node, parent);
        }
        self.stack.pop();
    }

    fn is_done(&self) -> bool {
        self.builder.full()
    }
}

impl Outline<'_> {
    fn enter_rule<'t>(&mut self, rule: Rule, node: Node<'t>, parent: Option<Node<'t>>) -> Enter {
        // Leaves are finished here. Other rules only mark their children; their expression is made when they are left.
        match rule {
            Rule::Skip => return Enter::Skip,
            Rule::Comment => {
                self.comment(node);
                return Enter::Skip;
            }
            Rule::Name | Rule::TypeName => {
                if matches!(rule, Rule::TypeName)
                    && let Some(state) = self.stack.last_mut()
                {
                    state.in_type = true;
                }
                self.name(node);
                return Enter::Skip;
            }
            Rule::Primitive => {
                let text = self.text(node);
                let expr = self.bare_name(crate::text::clip(text, 200));
                self.set_expr(node, expr);
                return Enter::Skip;
            }
            Rule::This | Rule::Super => {
                let expr = self.keyword_expr(matches!(rule, Rule::Super));
                self.finish_expr(node, node, expr);
                return Enter::Skip;
            }
            Rule::Member(base, name) => self.enter_member(node, base, name),
            Rule::Call(callee, args) => {
                let arity = self.arity(args.get(node, parent));
                self.mark_picked(callee.get(node, parent), Mark::Call(arity));
            }
            Rule::Generic(base, args) => self.enter_generic(base.get(node, parent), args.get(node, parent)),
            Rule::Block | Rule::Sequence(true) if self.current_mark() != Mark::Body => {
                self.open_scope(ScopeKind::Block);
            }
            // What writes an element writes what holds it.
            Rule::Index(base) if self.current_mark() == Mark::Write => {
                self.mark_picked(base.get(node, parent), Mark::Write);
            }
            Rule::Instance(ty) => self.mark_picked(ty.get(node, parent), Mark::Type),
            Rule::Assign(left) => self.mark_picked(left.get(node, parent), Mark::Write),
            Rule::Without(child) => self.mark_picked(child.get(node, parent), Mark::Skip),
            Rule::Decorator(name) => self.mark_picked(name.get(node, parent), Mark::Decorate(true)),
            Rule::Define(define) => self.open_define(define, node, parent),
            Rule::Bind(bind) => self.enter_bind(bind, node, parent),
            Rule::Param(bind, _) => self.skip_names(bind, node, parent),
            Rule::TypeParam(names, bound) => {
                for name in names.all(node, parent) {
                    self.mark(name, Mark::Skip);
                }
                self.mark_picked(bound.get(node, parent), Mark::Type);
            }
            Rule::Custom(enter, _) => return enter(self, node, parent),
            _ => {}
        }
        Enter::Descend
    }

    /// Marks a child, if it is there.
    fn mark_picked(&mut self, child: Option<Node<'_>>, mark: Mark) {
        if let Some(child) = child {
            self.mark(child, mark);
        }
    }

    /// What is done with a generic is done with its base.
    fn enter_generic(&mut self, base: Option<Node<'_>>, args: Option<Node<'_>>) {
        let mark = match self.current_mark() {
            Mark::Inherit(_) => Mark::Inherit(false),
            Mark::Implement(_) => Mark::Implement(false),
            Mark::Decorate(_) => Mark::Decorate(false),
            mark @ (Mark::Call(_) | Mark::Write) => mark,
            _ => Mark::None,
        };
        if let Some(base) = base {
            self.marks.entry(base.id()).or_insert(mark);
        }
        self.mark_picked(args, Mark::Type);
    }

    fn enter_member(&mut self, node: Node<'_>, base: Pick, name: Pick) {
        if let Some(name) = name.get(node, None) {
            let name = self.unwrap_member(name);
            let mark = match self.rule(name) {
                Rule::Generic(inner, _) => {
                    if let Some(inner) = inner.get(name, None) {
                        self.mark(inner, Mark::Skip);
                    }
                    Mark::None
                }
                _ => Mark::Skip,
            };
            self.mark(name, mark);
        }
        if let Some(base) = base.get(node, None) {
            self.marks.entry(base.id()).or_insert(Mark::None);
        }
    }

    fn leave_rule<'t>(&mut self, rule: Rule, node: Node<'t>, parent: Option<Node<'t>>) {
        match rule {
            Rule::Bind(bind) => self.leave_bind(bind, node, parent),
            Rule::Param(bind, kind) => self.leave_param(bind, kind, node, parent),
            Rule::TypeParam(name, bound) => self.leave_type_param(&name.all(node, parent), bound.get(node, parent)),
            Rule::Return => {
                if let Some(value) = Pick::Last.get(node, parent) {
                    let value = self.expr_of(value);
                    self.record_returned(value);
                }
            }
            Rule::Assign(left) => {
                self.store_assigned(left, node, parent);
                (self.grammar.assigned)(self, node, parent);
            }
            Rule::Custom(_, leave) => leave(self, node, parent),
            other => self.leave_expr(other, node, parent),
        }
    }

    /// A reference to what an expression names, by what is said of its node.
    pub(super) fn refer(&mut self, expr: ExprId, at: Node<'_>) {
        let role = match self.current_mark() {
            Mark::Part => return,
            Mark::Call(_) => Role::Call,
            Mark::Write => Role::Write,
            Mark::Inherit(_) => Role::Inherit,
            Mark::Implement(_) => Role::Implement,
            Mark::Decorate(_) => Role::Decorate,
            _ if self.in_type() => Role::Type,
            _ => Role::Read,
        };
        self.refer_as(expr, role, at);
    }
}
