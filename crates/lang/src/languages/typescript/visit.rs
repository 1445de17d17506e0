//! The walk: which node opens which scope, which node is which expression.

use super::state::{Extractor, FrameKind, This, parent};
use crate::facts::ScopeKind;
use crate::walk::{Enter, Step, Visitor};

impl<'tree> Visitor<'tree> for Extractor<'_> {
    fn enter(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Enter {
        let node = step.node;
        self.open_narrowing(step, path);
        match node.kind() {
            "comment" => {
                self.comment(node, path);
                return Enter::Skip;
            }
            "import_statement" => {
                self.import_statement(node);
                return Enter::Skip;
            }
            "export_statement" => return self.enter_export(node, path),
            "import_alias" => {
                self.import_alias(node, path);
                return Enter::Skip;
            }
            "jsx_closing_element" | "hash_bang_line" | "regex" | "string" | "number" => {
                self.literal(node);
                return Enter::Skip;
            }
            "function_declaration"
            | "generator_function_declaration"
            | "function_signature"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
            | "method_signature"
            | "abstract_method_signature"
            | "call_signature"
            | "construct_signature" => self.enter_function(step, path),
            "function_type" | "constructor_type" => self.open(node, FrameKind::Block, ScopeKind::Generics, None),
            "variable_declarator" => return self.enter_declarator(node, path),
            kind => self.enter_scope(kind, step, path),
        }
        // Only a comment in front of all code belongs to the file.
        self.seen_code |= !matches!(node.kind(), "program");
        Enter::Descend
    }

    fn leave(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        self.leave_node(step, path);
        self.narrowings.close(path.len());
        self.narrow_after(step.node, path);
        let id = step.node.id();
        while self.frames.len() > 1 && self.frame().node == id {
            self.frames.pop();
        }
        while self.initialising.last().is_some_and(|&(node, ..)| node == id) {
            self.initialising.pop();
        }
    }

    fn is_done(&self) -> bool {
        self.b.full()
    }
}

impl Extractor<'_> {
    /// Opens the scope or starts the definition that a node is.
    fn enter_scope<'tree>(&mut self, kind: &str, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        // Definitions before plain scopes: each of them opens its own.
        match kind {
            "class_declaration" | "abstract_class_declaration" | "class" => self.enter_class(step, path),
            "interface_declaration" | "type_alias_declaration" | "enum_declaration" => self.enter_type(node, path),
            "module" | "internal_module" => self.enter_namespace(node, path),
            "object_type" => self.enter_object_type(node, path),
            "object" => self.enter_object(step, path),
            "public_field_definition" | "field_definition" | "property_signature" => self.enter_field(node),
            "pair" | "shorthand_property_identifier" => self.enter_pair(node),
            "enum_assignment" => self.enum_member(node, path),
            "property_identifier" if step.field == Some("name") => self.enum_member(node, path),
            "class_static_block" => {
                self.open(node, FrameKind::Function, ScopeKind::Function, None);
                let outer = self.frames[self.frames.len() - 2].scope;
                let frame = self.top();
                frame.this = This::Scope(outer);
                frame.local = true;
            }
            "assignment_expression" => self.enter_assignment(node),
            "statement_block" => self.enter_block(node, path),
            "conditional_type" => {
                self.open(node, FrameKind::Block, ScopeKind::Block, None);
                self.conditionals.push(self.scope());
            }
            "for_statement" | "for_in_statement" | "switch_body" | "catch_clause" | "index_signature" => {
                self.open(node, FrameKind::Block, ScopeKind::Block, None);
                self.announce_loop(node);
            }
            _ => {}
        }
    }

    fn leave_node<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        match node.kind() {
            "function_declaration"
            | "generator_function_declaration"
            | "function_signature"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
            | "method_signature"
            | "abstract_method_signature"
            | "call_signature"
            | "construct_signature" => self.leave_function(node),
            "formal_parameters" => self.leave_parameters(node, path),
            "type_parameter" => self.leave_type_parameter(node),
            "class_declaration" | "abstract_class_declaration" | "class" => self.leave_class(node),
            "class_heritage" => self.class_heritage(node),
            "extends_clause" | "extends_type_clause" => self.extends(node),
            "implements_clause" => self.implements(node),
            "type_alias_declaration" => self.leave_type_alias(node),
            "object_type" | "object" => self.leave_object(node),
            "public_field_definition" | "field_definition" | "property_signature" => self.leave_field(node),
            "pair" => self.leave_pair(node),
            "shorthand_property_identifier" => self.leave_shorthand(node),
            "spread_element" => self.leave_spread(node, path),
            "variable_declarator" => self.leave_declarator(node, path),
            "for_in_statement" => self.leave_for_in(node),
            "catch_clause" => self.leave_catch(node),
            "return_statement" => {
                let value = node.named_child(0).and_then(|child| self.exprs.get(child));
                let def = self.function_frame().def;
                let generator = def.is_some_and(|id| self.b.facts().definition(id).flags.is_generator);
                if let Some(value) = value.filter(|_| !generator) {
                    self.function_frame().values.push(value);
                }
            }
            "yield_expression" => self.leave_yield(node),
            "assignment_expression" => self.leave_assignment(node),
            "augmented_assignment_expression" => self.leave_augmented(node),
            "export_statement" => self.leave_export(node),
            "decorator" => self.leave_decorator(node, path),
            // `import.meta`, known like a global; other such words say nothing.
            "meta_property" if self.source.text(node) == "import.meta" => {
                let scope = self.scope();
                let expr = self.b.name_expr("import.meta", scope);
                self.exprs.set(node, expr);
            }
            kind => self.leave_expression(kind, step, path),
        }
    }

    fn enter_block<'tree>(&mut self, node: tree_sitter::Node<'tree>, path: &[Step<'tree>]) {
        let shares = parent(path).is_some_and(|step| {
            matches!(
                step.node.kind(),
                "function_declaration"
                    | "generator_function_declaration"
                    | "function_expression"
                    | "generator_function"
                    | "arrow_function"
                    | "method_definition"
                    | "module"
                    | "internal_module"
                    | "ambient_declaration"
                    | "class_static_block"
                    | "catch_clause"
            )
        });
        if !shares {
            self.open(node, FrameKind::Block, ScopeKind::Block, None);
        }
    }

    fn comment<'tree>(&mut self, node: tree_sitter::Node<'tree>, path: &[Step<'tree>]) {
        let text = self.source.text(node);
        self.last_comment = Some((node.start_byte(), node.end_byte()));
        if self.seen_code || path.len() != 1 || self.b.facts().doc.is_some() || !text.starts_with("/*") {
            return;
        }
        let rest = self.source.text.get(node.end_byte()..).unwrap_or("");
        let gap = &rest[..rest.len() - rest.trim_start().len()];
        let describes_file = text.starts_with("/*!")
            || ["@file", "@module", "@license", "@packageDocumentation"].iter().any(|tag| text.contains(tag))
            || gap.bytes().filter(|&byte| byte == b'\n').count() > 1;
        if describes_file {
            self.b.facts_mut().doc = crate::text::doc(text);
        }
    }
}
