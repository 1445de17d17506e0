//! Expressions and references.

use tree_sitter::Node;

use super::rules::{Pick, Rule};
use super::{Mark, Outline};
use crate::facts::{Collection, Expr, ExprId, FactsBuilder, ListId, Reference, Role};

impl Outline<'_> {
    /// The expression that a node is; [`Expr::Unknown`] if it is none.
    pub(crate) fn expr_of(&mut self, node: Node<'_>) -> ExprId {
        if let Some(&expr) = self.exprs.get(&node.id()) {
            return expr;
        }
        if !node.is_named() {
            let text = self.source.text(node);
            if self.grammar.this.contains(&text) {
                return self.keyword_expr(false);
            }
            if self.grammar.super_.contains(&text) {
                return self.keyword_expr(true);
            }
        }
        self.builder.unknown()
    }

    /// The expression that a node is, if it is one.
    pub(crate) fn find_known(&self, node: Option<Node<'_>>) -> Option<ExprId> {
        self.exprs.get(&node?.id()).copied()
    }

    /// Says which expression a node is.
    pub(crate) fn set_expr(&mut self, node: Node<'_>, expr: ExprId) {
        self.exprs.insert(node.id(), expr);
    }

    /// The receiver, or the receiver seen as its base class.
    pub(crate) fn keyword_expr(&mut self, base: bool) -> ExprId {
        let scope = self.scope();
        self.builder.expr(if base { Expr::Super { scope } } else { Expr::This { scope } })
    }

    /// The expression of a bare name.
    pub(crate) fn bare_name(&mut self, text: &str) -> ExprId {
        let scope = self.scope();
        if self.grammar.this.contains(&text) {
            return self.keyword_expr(false);
        }
        if self.grammar.super_.contains(&text) {
            return self.keyword_expr(true);
        }
        if self.grammar.self_type.contains(&text) {
            return self.builder.expr(Expr::SelfType { scope });
        }
        self.builder.name_expr(text, scope)
    }

    /// A node that is a bare name.
    pub(crate) fn name(&mut self, node: Node<'_>) {
        let text = self.name_text(node);
        let listed = self.stack.iter().rev().nth(1).is_some_and(|parent| parent.mark == Mark::Params);
        if self.current_mark() == Mark::Params || listed {
            self.plain_parameter(text);
            return;
        }
        if text.starts_with('$') {
            // Numbered parameters of closures.
            return;
        }
        let no_type = self.in_type() && self.grammar.no_type.contains(&text);
        if text.is_empty() || text == "_" || no_type {
            return;
        }
        let expr = self.bare_name(text);
        self.finish_expr(node, node, expr);
    }

    /// Sets the expression of the current node and refers to what it names, written at `at`.
    pub(crate) fn finish_expr(&mut self, node: Node<'_>, at: Node<'_>, expr: ExprId) {
        self.set_expr(node, expr);
        let refers = matches!(
            self.builder.facts().expr(expr),
            Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } | Expr::Super { .. }
        );
        if refers {
            let is_super = matches!(self.builder.facts().expr(expr), Expr::Super { .. });
            if !is_super || matches!(self.current_mark(), Mark::Call(_)) {
                self.refer(expr, at);
            }
        }
        self.list_in_frame(expr, at);
    }

    /// Adds an expression to the bases or interfaces of the definition around it, or to the decorators of what it
    /// stands before, if its mark says so.
    pub(crate) fn list_in_frame(&mut self, expr: ExprId, at: Node<'_>) {
        let mark = self.current_mark();
        if mark == Mark::Decorate(true) {
            let pos = self.source.pos(at);
            self.builder.decorator(expr, pos, at.start_byte());
        }
        let Some(frame) = self.frames.last_mut() else { return };
        match mark {
            Mark::Inherit(true) => frame.bases.push(expr),
            Mark::Implement(true) => frame.implements.push(expr),
            _ => {}
        }
    }

    /// Adds a reference.
    pub(crate) fn refer_as(&mut self, expr: ExprId, role: Role, at: Node<'_>) {
        let arity = match self.current_mark() {
            Mark::Call(arity) => arity,
            _ => u8::MAX,
        };
        self.refer_with(expr, role, arity, at);
    }

    /// Adds a reference with the role that the parent of the current node has.
    pub(crate) fn refer_as_parent(&mut self, expr: ExprId, at: Node<'_>) {
        match self.parent_mark() {
            Mark::Call(arity) => self.refer_with(expr, Role::Call, arity, at),
            Mark::Write => self.refer_with(expr, Role::Write, u8::MAX, at),
            _ => self.refer_with(expr, Role::Read, u8::MAX, at),
        }
    }

    /// Adds a reference with a number of arguments.
    pub(crate) fn refer_with(&mut self, expr: ExprId, role: Role, arity: u8, at: Node<'_>) {
        let refers = matches!(
            self.builder.facts().expr(expr),
            Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } | Expr::Super { .. }
        );
        if refers {
            let pos = self.source.pos(at);
            let enclosing = self.enclosing();
            let reference = Reference { expr, role, inexact: false, arity, pos, enclosing };
            self.builder.reference_at(reference, at.start_byte());
        }
    }

    /// Number of arguments of a list, 255 if any stands for several.
    pub(crate) fn arity(&self, args: Option<Node<'_>>) -> u8 {
        let Some(args) = args else { return 0 };
        let mut cursor = args.walk();
        let mut count = 0u8;
        for arg in args.named_children(&mut cursor) {
            if self.grammar.spreads.contains(&arg.kind()) {
                return u8::MAX;
            }
            count = count.saturating_add(u8::from(!arg.is_extra()));
        }
        count.min(u8::MAX - 1)
    }

    /// The arguments of a list.
    pub(crate) fn arguments(&mut self, args: Option<Node<'_>>) -> ListId {
        let Some(args) = args else { return FactsBuilder::EMPTY };
        let mut cursor = args.walk();
        let nodes: Vec<Node<'_>> = args.named_children(&mut cursor).filter(|arg| !arg.is_extra()).collect();
        let items: Vec<ExprId> = nodes.into_iter().map(|arg| self.expr_of(arg)).collect();
        self.builder.list(&items)
    }

    /// Keeps the text that is given first, where it is a string and the callee in the list of those kept.
    pub(crate) fn keep_text(&mut self, callee: ExprId, args: Option<Node<'_>>) {
        let Some(args) = args.filter(|_| self.builder.keeps_arguments(callee)) else { return };
        if let Some(first) = args.named_child(0).filter(|first| first.kind().starts_with("string")) {
            let value = self.expr_of(first);
            self.builder.argument(callee, None, Some(self.source.text(first)), value);
        }
    }

    /// The first child that is an expression.
    pub(crate) fn first_expr(&self, node: Node<'_>) -> Option<ExprId> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).find_map(|child| self.find_known(Some(child)))
    }

    fn last_expr(&self, node: Node<'_>) -> Option<ExprId> {
        let mut last = node.named_child((node.named_child_count() as u32).checked_sub(1)?)?;
        while last.is_extra() {
            last = last.prev_named_sibling()?;
        }
        self.find_known(Some(last))
    }

    fn child_exprs(&self, node: Node<'_>) -> Vec<ExprId> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).filter_map(|child| self.find_known(Some(child))).collect()
    }

    /// Gives a node its expression by its rule, all its children being left.
    pub(crate) fn leave_expr<'t>(&mut self, rule: Rule, node: Node<'t>, parent: Option<Node<'t>>) {
        let expr = match rule {
            Rule::Forward | Rule::Type => self.first_expr(node),
            Rule::List => {
                let items = self.child_exprs(node);
                match items.as_slice() {
                    [] => None,
                    [one] => Some(*one),
                    many => {
                        let items = self.builder.list(many);
                        Some(self.builder.expr(Expr::Collection { kind: Collection::Tuple, items }))
                    }
                }
            }
            Rule::Sequence(_) => self.last_expr(node),
            Rule::Literal(literal) => Some(self.builder.expr(Expr::Literal(literal))),
            Rule::Collection(kind) | Rule::TypeOf(kind) => {
                Some(self.collection(kind, matches!(rule, Rule::TypeOf(_)), node))
            }
            Rule::Unwrap => self.first_expr(node).map(|base| self.builder.expr(Expr::Unwrap { base })),
            Rule::Index(base) => {
                let base = base.get(node, parent).map(|base| self.expr_of(base));
                base.map(|base| self.builder.expr(Expr::Index { base }))
            }
            Rule::Instance(ty) => {
                self.find_known(ty.get(node, parent)).map(|of| self.builder.expr(Expr::Instance { of }))
            }
            Rule::Union(fields) => {
                let items: Vec<ExprId> = if fields.is_empty() {
                    self.child_exprs(node)
                } else {
                    fields.iter().filter_map(|field| self.find_known(node.child_by_field_name(field))).collect()
                };
                Some(self.builder.union(&items))
            }
            Rule::Member(base, name) => return self.leave_member(node, base, name),
            Rule::Call(callee, args) => {
                let callee = callee.get(node, parent).map(|callee| self.expr_of(callee));
                let callee = callee.unwrap_or(self.builder.unknown());
                self.keep_text(callee, args.get(node, parent));
                let args = self.arguments(args.get(node, parent));
                Some(self.builder.expr(Expr::Call { callee, args }))
            }
            Rule::Generic(base, args) => {
                let base = base.get(node, parent).map(|base| self.expr_of(base));
                let args = self.arguments(args.get(node, parent));
                base.map(|base| self.builder.expr(Expr::Generic { base, args }))
            }
            _ => None,
        };
        let Some(expr) = expr else { return };
        self.set_expr(node, expr);
        // Names of generic types may be bases or bounds of the definition around.
        if matches!(rule, Rule::Generic(..)) {
            self.list_in_frame(expr, node);
        }
    }

    fn collection(&mut self, kind: Collection, is_type: bool, node: Node<'_>) -> ExprId {
        let items = self.child_exprs(node);
        // A type names its length or key before its element.
        let items =
            if kind != Collection::Tuple && is_type { items.last().copied().into_iter().collect() } else { items };
        let items = self.builder.list(&items);
        self.builder.expr(Expr::Collection { kind, items })
    }

    /// `template name<T>` has one node around the name and its arguments.
    pub(super) fn unwrap_member<'t>(&self, name: Node<'t>) -> Node<'t> {
        let inner = matches!(self.rule(name), Rule::Forward).then(|| name.named_child(0)).flatten();
        inner.filter(|&inner| matches!(self.rule(inner), Rule::Generic(..))).unwrap_or(name)
    }

    /// The node that is the last name of a member access, and its type arguments.
    fn member_name<'t>(&self, name: Node<'t>) -> (Node<'t>, Option<Node<'t>>) {
        let name = self.unwrap_member(name);
        match self.rule(name) {
            Rule::Generic(base, args) => (base.get(name, None).unwrap_or(name), args.get(name, None)),
            _ => (name, None),
        }
    }

    fn leave_member(&mut self, node: Node<'_>, base: Pick, name: Pick) {
        let Some(name) = name.get(node, None) else { return };
        let (name, args) = self.member_name(name);
        let text = self.name_text(name);
        if text.is_empty() {
            return;
        }
        let base = match base.get(node, None) {
            Some(base) => self.expr_of(base),
            None => self.builder.unknown(),
        };
        let expr = self.builder.member(base, text);
        self.finish_expr(node, name, expr);
        if let Some(args) = args {
            let args = self.arguments(Some(args));
            let expr = self.builder.expr(Expr::Generic { base: expr, args });
            self.set_expr(node, expr);
        }
    }

    /// A type written as names with dots between them, in one node: the first is looked up, the others are members.
    pub(crate) fn dotted_type(&mut self, node: Node<'_>, names: &[Node<'_>], arguments: Option<Node<'_>>) {
        let Some((&first, rest)) = names.split_first() else { return };
        let text = self.name_text(first);
        let mut expr = self.bare_name(text);
        let mut last = first;
        for &name in rest {
            self.refer_with(expr, Role::Type, u8::MAX, last);
            let text = self.name_text(name);
            expr = self.builder.member(expr, text);
            last = name;
        }
        self.refer(expr, last);
        if let Some(arguments) = arguments {
            let args = self.arguments(Some(arguments));
            expr = self.builder.expr(Expr::Generic { base: expr, args });
        }
        self.set_expr(node, expr);
        self.list_in_frame(expr, node);
    }
}
