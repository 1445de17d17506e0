//! Annotations: which parts of the tree are types, the meaning of typing constructs, quoted annotations.

use tree_sitter::{Node, Range};

use crate::facts::{Expr, ExprId, Literal, ScopeId, ScopeKind};
use crate::languages::python::state::{Extractor, FIELDS, GRAMMAR, KindName, last_word};
use crate::parse;
use crate::walk::{Step, walk};

/// Longest annotation in quotes that is parsed, in bytes.
const MAX_QUOTED: usize = 2 << 10;
/// Functions whose first argument is a type and whose result is a value of it.
const CASTS: [&str; 1] = ["cast"];
/// Names of functions that take types are shorter, with their module, in bytes.
pub(in crate::languages::python) const MAX_TYPE_FUNCTION: usize = 32;
/// Wrappers that say something of a name but do not change its type.
const TRANSPARENT: [&str; 7] = ["Annotated", "ClassVar", "Final", "InitVar", "Required", "NotRequired", "ReadOnly"];

impl Extractor<'_> {
    /// Returns whether reading of types or of values begins at this node; `None` if it stays as it is.
    pub(in crate::languages::python) fn mode<'t>(
        &self,
        step: Step<'t>,
        parent: Node<'t>,
        path: &[Step<'t>],
    ) -> Option<bool> {
        let grand = path.len().checked_sub(2).map(|index| path[index].node);
        let field = step.field.unwrap_or("");
        match (step.node.kind_name(), parent.kind_name()) {
            ("argument_list", "class_definition") => None,
            ("argument_list" | "list_comprehension" | "lambda", _) => self.in_type().then_some(false),
            ("type", "type_parameter") => {
                let generic = grand.filter(|grand| grand.kind_name() == "generic_type");
                let head = generic.and_then(|generic| generic.named_child(0));
                let is_first = parent.named_child(0) == Some(step.node);
                Some(head.is_none_or(|head| self.is_type_argument(head, is_first)))
            }
            ("type", _) => Some(true),
            (_, "subscript") if field == "subscript" && self.in_type() => {
                let head = parent.child_by_field_id(FIELDS.value)?;
                let is_first = parent.child_by_field_id(FIELDS.subscript) == Some(step.node);
                Some(self.is_type_argument(head, is_first))
            }
            ("subscript", "argument_list") if grand.is_some_and(|grand| grand.kind_name() == "class_definition") => {
                Some(true)
            }
            (_, "argument_list") => self.argument_mode(step.node, parent, grand?),
            (_, "keyword_argument") => {
                let call = path.len().checked_sub(3).map(|index| path[index].node);
                self.is_type_variable_bound(parent, call).then_some(true)
            }
            (_, "assignment") if field == "right" => self.is_alias(parent).then_some(true),
            _ => None,
        }
    }

    /// Like [`Self::mode`], of an argument.
    fn argument_mode(&self, node: Node<'_>, arguments: Node<'_>, call: Node<'_>) -> Option<bool> {
        if !self.may_take_types(call, arguments) {
            return None;
        }
        let is_first = || arguments.named_child(0) == Some(node);
        if self.is_cast(call) {
            return is_first().then_some(true);
        }
        let is_limit = node.kind_name() != "keyword_argument" && self.is_type_variable_call(call) && !is_first();
        is_limit.then_some(true)
    }

    /// Returns whether the callee may be one of the functions that take types, by a cheap check of the start of the
    /// call.
    fn may_take_types(&self, call: Node<'_>, arguments: Node<'_>) -> bool {
        let (start, end) = (call.start_byte(), arguments.start_byte());
        let head = self.source.text.as_bytes().get(start..end.min(start + MAX_TYPE_FUNCTION)).unwrap_or_default();
        head.windows(4).any(|word| matches!(word, b"cast" | b"Type"))
    }

    /// The scope that a name in an annotation is looked up from. A method of the class around it is not meant if Python
    /// evaluates the annotation before the method is defined, or not in the class.
    pub(in crate::languages::python) fn annotation_scope(&mut self, node: Node<'_>) -> ScopeId {
        let scope = self.scope();
        let mut class = scope;
        while self.scope_kind(class) == ScopeKind::Generics
            && let Some(outer) = self.b.facts().scopes[class.index()].parent
        {
            class = outer;
        }
        if self.scope_kind(class) != ScopeKind::Class {
            return scope;
        }
        let name = self.b.name(self.source.text(node));
        match self.no_types.get(&(class, name)) {
            Some(&from) if self.postponed || self.in_quotes || node.start_byte() < from => {
                self.b.facts().scopes[class.index()].parent.unwrap_or(scope)
            }
            _ => scope,
        }
    }

    fn is_type_argument(&self, head: Node<'_>, is_first: bool) -> bool {
        match last_word(self.source.text(head)) {
            "Literal" => false,
            "Annotated" => is_first,
            _ => true,
        }
    }

    /// Returns whether a node is a call of `cast`.
    pub(in crate::languages::python) fn is_cast(&self, call: Node<'_>) -> bool {
        let function = call.child_by_field_id(FIELDS.function).filter(|_| call.kind_name() == "call");
        function.is_some_and(|function| {
            function.byte_range().len() < MAX_TYPE_FUNCTION && CASTS.contains(&last_word(self.source.text(function)))
        })
    }

    /// `Head[arguments]` in a type.
    pub(in crate::languages::python) fn generic(&mut self, head: Node<'_>, base: ExprId, args: &[ExprId]) -> ExprId {
        match last_word(self.source.text(head)) {
            "Optional" => {
                let null = self.literal(Literal::Null);
                let mut items = args.to_vec();
                items.push(null);
                self.b.union(&items)
            }
            "Union" | "Literal" => self.b.union(args),
            "Callable" => {
                let result = args.last().copied().unwrap_or_else(|| self.b.unknown());
                self.b.expr(Expr::Function { result })
            }
            word if TRANSPARENT.contains(&word) => args.first().copied().unwrap_or(base),
            _ => {
                let args = self.b.list(args);
                self.b.expr(Expr::Generic { base, args })
            }
        }
    }

    /// `List[X]` as the grammar reads it in annotations.
    pub(in crate::languages::python) fn leave_generic_type(&mut self, node: Node<'_>) {
        let Some(head) = node.named_child(0) else { return };
        let base = self.expr_of(Some(head));
        let mut args = Vec::new();
        if let Some(list) = node.named_child(1) {
            let mut cursor = list.walk();
            let children = list.named_children(&mut cursor).filter(|child| child.kind_name() != "comment");
            args.extend(
                children.take(crate::languages::python::state::MAX_ITEMS).map(|child| self.expr_of(Some(child))),
            );
        }
        let expr = self.generic(head, base, &args);
        self.exprs.set(node, expr);
    }

    /// `a.List[X]`, and `List[X]` where the grammar does not know that it is a type.
    pub(in crate::languages::python) fn leave_type_subscript(&mut self, node: Node<'_>) {
        let Some(head) = node.child_by_field_id(FIELDS.value) else { return };
        let base = self.expr_of(Some(head));
        let mut cursor = node.walk();
        let children =
            node.children_by_field_name("subscript", &mut cursor).take(crate::languages::python::state::MAX_ITEMS);
        let children: Vec<Node<'_>> = children.collect();
        let args: Vec<ExprId> = children.into_iter().map(|child| self.expr_of(Some(child))).collect();
        let expr = self.generic(head, base, &args);
        self.exprs.set(node, expr);
    }

    /// A quoted annotation, parsed in place, so that positions are those of the file.
    pub(in crate::languages::python) fn forward_reference<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) {
        let mut cursor = node.walk();
        let mut children = node.named_children(&mut cursor);
        let content = children.find(|child| child.kind_name() == "string_content");
        let Some(content) = content.filter(|_| !self.in_quotes && node.named_child_count() == 3) else { return };
        if content.byte_range().len() > MAX_QUOTED || content.named_child_count() > 0 {
            return;
        }
        let mut parser = parse::parser();
        let range = Range {
            start_byte: content.start_byte(),
            end_byte: content.end_byte(),
            start_point: content.start_position(),
            end_point: content.end_position(),
        };
        if parser.set_language(&GRAMMAR).is_err() || parser.set_included_ranges(&[range]).is_err() {
            return;
        }
        let Some(tree) = parser.parse(self.source.text, None) else { return };
        if tree.root_node().has_error() || self.cancel.is_cancelled() {
            return;
        }
        // Ids of nodes are addresses: those of another tree say nothing here, and these nothing afterwards.
        let outer_exprs = std::mem::take(&mut self.exprs);
        let outer_written = std::mem::take(&mut self.written);
        let outer_defining = std::mem::take(&mut self.defining);
        let outer_aliases = std::mem::take(&mut self.aliases);
        let inner_base = self.depth_base + path.len() + 1;
        let outer_base = std::mem::replace(&mut self.depth_base, inner_base);
        self.in_quotes = true;
        self.last_expression = None;
        walk(&tree, self.limits, self);
        self.in_quotes = false;
        self.depth_base = outer_base;
        self.exprs = outer_exprs;
        self.written = outer_written;
        self.defining = outer_defining;
        self.aliases = outer_aliases;
        if let Some(expr) = self.last_expression.take() {
            self.exprs.set(node, expr);
        }
    }
}
