//! Calls of standard functions whose result follows from their arguments: `enumerate(xs)`, `next(it)`, `partial(f)`.
//!
//! Whether the name really is the standard one is only known when the whole file has been read; until then the call
//! is an ordinary call, and its standard meaning is kept aside.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::operators::ByFunction;
use super::state::{Extractor, FIELDS, KindName, last_word};
use crate::facts::{
    BindingTarget, Collection, Expr, ExprId, FileFacts, ImportId, ImportKind, Literal, NameId, Reference, Role,
    ScopeId, ScopeKind,
};

/// Letters that must be known of the name of a member, so that not every member fits.
const MIN_KNOWN: usize = 3;

/// A call and its meaning if its name is the standard one.
#[derive(Debug, Clone, Copy)]
pub(super) struct StandardCall {
    call: ExprId,
    meaning: Expr,
    /// The first name of the callee.
    function: StandardName,
    /// Module that the function must be imported from; `None` for built-in functions.
    module: Option<&'static str>,
}

/// A name that may be that of a standard function.
#[derive(Debug, Clone, Copy)]
pub(super) struct StandardName {
    pub(super) name: NameId,
    /// Scope that it is looked up from.
    pub(super) scope: ScopeId,
}

/// Functions of modules: module, name.
const MODULE_FUNCTIONS: [(&str, &str); 9] = [
    ("functools", "partial"),
    ("copy", "copy"),
    ("copy", "deepcopy"),
    ("asyncio", "run"),
    ("asyncio", "gather"),
    ("asyncio", "wait_for"),
    ("asyncio", "shield"),
    ("asyncio", "create_task"),
    ("asyncio", "ensure_future"),
];

impl<'a> Extractor<'a> {
    /// Adds a call; records its meaning if its function is a standard one. `args` are the positional arguments.
    pub(super) fn standard_call(
        &mut self,
        function: Option<Node<'_>>,
        arguments: Option<Node<'_>>,
        plain: Expr,
        args: &[ExprId],
    ) -> ExprId {
        let meaning = function.zip(arguments).and_then(|(function, arguments)| {
            let (first, module) = self.standard_function(function).filter(|_| !args.is_empty())?;
            let text = last_word(self.source.text(function));
            let meaning = match module {
                Some(_) => self.module_function(text, args),
                None => self.builtin_function(text, args, arguments),
            };
            Some((self.b.name(first), module, meaning?))
        });
        let call = self.b.expr(plain);
        if let Some((name, module, meaning)) = meaning
            && call != self.b.unknown()
        {
            let scope = self.scope();
            self.standard_calls.push(StandardCall { call, meaning, function: StandardName { name, scope }, module });
        }
        call
    }

    /// The first name of a callee that may be a standard function, and its module.
    fn standard_function(&self, function: Node<'_>) -> Option<(&'a str, Option<&'static str>)> {
        if function.byte_range().len() > 64 {
            return None;
        }
        let text = self.source.text(function);
        let row = MODULE_FUNCTIONS.iter().find(|(_, name)| *name == last_word(text));
        match (function.kind_name(), row) {
            ("identifier", row) => Some((text, row.map(|row| row.0))),
            ("attribute", Some(row)) => Some((text.split('.').next().unwrap_or(text), Some(row.0))),
            _ => None,
        }
    }

    fn module_function(&mut self, name: &str, args: &[ExprId]) -> Option<Expr> {
        let first = args[0];
        match name {
            "run" => Some(Expr::Unwrap { base: first }),
            "gather" => {
                let items: Vec<ExprId> = args.iter().map(|&base| self.b.expr(Expr::Unwrap { base })).collect();
                let items = self.b.list(&items);
                Some(Expr::Collection { kind: Collection::Tuple, items })
            }
            // A partial is called like its function; a copy and a task behave like their argument.
            _ => Some(self.b.facts().expr(first)),
        }
    }

    fn builtin_function(&mut self, name: &str, args: &[ExprId], arguments: Node<'_>) -> Option<Expr> {
        let base = args[0];
        // What these return depends on their arguments alone: the container, its elements, or what a function makes of
        // them.
        match name {
            "sorted" | "reversed" | "iter" | "tuple" => self.elements_of(&[base], Collection::List),
            "filter" => self.elements_of(args.get(1..2)?, Collection::Iterator),
            "enumerate" => {
                let number = self.literal(Literal::Int);
                let element = self.b.expr(Expr::Element { base });
                self.iterator_of_tuples(&[number, element])
            }
            "zip" => {
                let items: Vec<ExprId> = args.iter().map(|&base| self.b.expr(Expr::Element { base })).collect();
                self.iterator_of_tuples(&items)
            }
            "next" if args.len() == 1 => Some(Expr::Element { base }),
            "next" | "min" | "max" if args.len() > 1 => {
                let first = if name == "next" { self.b.expr(Expr::Element { base }) } else { base };
                let mut items = args.to_vec();
                items[0] = first;
                Some(Expr::Union(self.b.list(&items)))
            }
            "min" | "max" => Some(Expr::Element { base }),
            "map" => {
                let elements: Vec<ExprId> = args[1..].iter().map(|&base| self.b.expr(Expr::Element { base })).collect();
                let args = self.b.list(&elements);
                let item = self.b.expr(Expr::Call { callee: base, args });
                let items = self.b.list(&[item]);
                Some(Expr::Collection { kind: Collection::Iterator, items })
            }
            "getattr" => {
                let at = arguments.named_child(1)?;
                let name = self.member_pattern(at)?;
                let is_computed = name.contains('*');
                let name = self.b.name(&name);
                let member = self.b.expr(Expr::Member { base, name });
                if is_computed {
                    let is_called = arguments.parent().and_then(|call| call.parent());
                    let is_called = is_called.is_some_and(|outer| {
                        outer.kind_name() == "call" && outer.child_by_field_id(FIELDS.function) == arguments.parent()
                    });
                    let role = if is_called { Role::Call } else { Role::Read };
                    let (pos, enclosing) = (self.pos(at), self.context().enclosing);
                    let reference = Reference { expr: member, role, inexact: true, arity: u8::MAX, pos, enclosing };
                    self.b.reference_at(reference, at.start_byte());
                }
                match args.get(2) {
                    Some(&default) => Some(Expr::Union(self.b.list(&[member, default]))),
                    None => Some(self.b.facts().expr(member)),
                }
            }
            _ => None,
        }
    }

    /// The name that an argument of `getattr` is, with `*` for the parts that are put into it: `f"do_{x}"`,
    /// `"do_" + x`, `"do_%s" % x`, `"do_{}".format(x)`.
    fn member_pattern(&self, node: Node<'_>) -> Option<String> {
        let text_of = |node: Node<'_>| -> Option<String> {
            let mut cursor = node.walk();
            let parts = (node.kind_name() == "string").then(|| node.named_children(&mut cursor).collect::<Vec<_>>())?;
            let text = parts.into_iter().filter_map(|part| match part.kind_name() {
                "string_content" => Some(self.source.text(part)),
                "interpolation" => Some("*"),
                _ => None,
            });
            Some(text.collect())
        };
        let pattern = match node.kind_name() {
            "string" => text_of(node)?,
            "binary_operator" => {
                let sides = [FIELDS.left, FIELDS.right].map(|field| node.child_by_field_id(field).and_then(text_of));
                let operator = node.child_by_field_id(FIELDS.operator).map_or("", |operator| operator.kind());
                match (operator, sides) {
                    ("%", [Some(text), _]) => text.replace("%s", "*"),
                    ("+", [Some(text), None]) => text + "*",
                    ("+", [None, Some(text)]) => format!("*{text}"),
                    _ => return None,
                }
            }
            "call" => {
                let function = node.child_by_field_id(FIELDS.function)?;
                let is_format = function.child_by_field_id(FIELDS.attribute).map(|name| self.source.text(name));
                let text = function.child_by_field_id(FIELDS.object).and_then(text_of);
                text.filter(|_| is_format == Some("format"))?.replace("{}", "*")
            }
            _ => return None,
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*');
        let known = pattern.chars().filter(|c| *c != '*').count();
        let is_useful = known >= MIN_KNOWN || !pattern.contains('*');
        (is_useful && pattern.chars().all(is_name) && known > 0).then_some(pattern)
    }

    fn elements_of(&mut self, bases: &[ExprId], kind: Collection) -> Option<Expr> {
        let items: Vec<ExprId> = bases.iter().map(|&base| self.b.expr(Expr::Element { base })).collect();
        let items = self.b.list(&items);
        Some(Expr::Collection { kind, items })
    }

    fn iterator_of_tuples(&mut self, items: &[ExprId]) -> Option<Expr> {
        let items = self.b.list(items);
        let tuple = self.b.expr(Expr::Collection { kind: Collection::Tuple, items });
        let items = self.b.list(&[tuple]);
        Some(Expr::Collection { kind: Collection::Iterator, items })
    }
}

/// Gives the calls of standard functions their meaning.
pub(super) fn apply(facts: &mut FileFacts, calls: &[StandardCall]) {
    if calls.is_empty() || is_open(facts) {
        return;
    }
    let bound = list_bound(facts);
    for call in calls {
        if is_standard(facts, &bound, call.function, call.module) {
            facts.exprs[call.call.index()] = call.meaning;
        }
    }
}

/// Adds the calls that built-in functions make.
pub(super) fn add_calls(facts: &mut FileFacts, by_function: &[ByFunction]) {
    if by_function.is_empty() || is_open(facts) {
        return;
    }
    let bound = list_bound(facts);
    let standard = by_function.iter().filter(|one| is_standard(facts, &bound, one.function, None));
    let calls: Vec<Reference> = standard.map(|one| one.call).collect();
    facts.references.extend(calls);
}

/// Returns whether a wildcard import may bring a function of its own under any name.
fn is_open(facts: &FileFacts) -> bool {
    facts.imports.iter().any(|import| import.kind == ImportKind::Wildcard)
}

/// Bindings of each name of a scope: the import, if it is the only one.
type Bound = FxHashMap<(ScopeId, NameId), Option<ImportId>>;

fn list_bound(facts: &FileFacts) -> Bound {
    let mut bound = Bound::default();
    for binding in &facts.bindings {
        let import = match binding.target {
            BindingTarget::Import(id) => Some(id),
            _ => None,
        };
        let entry = bound.entry((binding.scope, binding.name)).or_insert(import);
        *entry = entry.and(import);
    }
    bound
}

fn is_standard(facts: &FileFacts, bound: &Bound, function: StandardName, module: Option<&str>) -> bool {
    let StandardName { name, mut scope } = function;
    for _ in 0..super::finish::MAX_LOOKUP {
        let holder = &facts.scopes[scope.index()];
        let is_visible = holder.kind != ScopeKind::Class || scope == function.scope;
        if let Some(import) = bound.get(&(scope, name)).filter(|_| is_visible) {
            let imported = import.map(|id| facts.name(facts.imports[id.index()].module));
            return imported.is_some() && imported == module;
        }
        match holder.parent {
            Some(parent) => scope = parent,
            None => return module.is_none(),
        }
    }
    false
}
