//! How a new function gets at the object and the type parameters of the one it comes from.

use tree_sitter::Node;

use super::extract::{Input, Output, Planner, Receiver, result_type};
use super::{Result, list_named};
use crate::Language;

impl<'t> Planner<'_, '_, 't> {
    /// How the new function gets at the object of the method.
    pub(super) fn find_receiver(&self) -> Result<Receiver> {
        let selected = self.lives.selected;
        let home = selected.home;
        let used = self.flow.receivers.first();
        // As each language writes methods.
        match self.lives.language {
            Language::Python => {
                let in_class = selected
                    .top
                    .parent()
                    .and_then(|block| block.parent())
                    .is_some_and(|class| class.kind() == "class_definition");
                Ok(match (self.method_receiver(), in_class) {
                    (Some(receiver), _) => Receiver::Method(self.text(receiver).to_owned()),
                    (None, true) => Receiver::Static,
                    (None, false) => Receiver::Function,
                })
            }
            Language::Go => {
                let receiver = home.child_by_field_name("receiver");
                let name = receiver
                    .and_then(|list| list.named_child(0))
                    .and_then(|parameter| parameter.child_by_field_name("name"));
                let Some((receiver, name)) = receiver.zip(name) else { return Ok(Receiver::Function) };
                let uses = self.lives.locals.variables.iter().position(|variable| variable.at == name);
                let used = uses.and_then(|index| self.lives.locals.of(index).find(|found| found.is_in(&selected.core)));
                let is_pointer = self.text(receiver).contains('*');
                match used {
                    None if self.text(receiver).contains('[') => Ok(Receiver::Method(self.text(receiver).to_owned())),
                    None => Ok(Receiver::Function),
                    Some(found) if found.is_write() => Err(self.refuse_at(found.at, "the receiver gets a new value")),
                    Some(found) if !is_pointer && self.is_changed_member(found.at) => {
                        Err(self.refuse_at(found.at, "the receiver is a value that the lines change"))
                    }
                    Some(_) => Ok(Receiver::Method(self.text(receiver).to_owned())),
                }
            }
            Language::Rust => self.find_rust_receiver(home, used.copied()),
            Language::Java => {
                let mut cursor = home.walk();
                let modifiers = home
                    .named_children(&mut cursor)
                    .find(|child| child.kind() == "modifiers")
                    .map_or("", |node| self.text(node));
                Ok(match modifiers.split_whitespace().any(|word| word == "static") {
                    true => Receiver::Static,
                    false => Receiver::Method(String::new()),
                })
            }
            _ => self.find_script_receiver(home, used.copied()),
        }
    }

    /// The first parameter of a method of Python.
    pub(super) fn method_receiver(&self) -> Option<Node<'t>> {
        let (home, top) = (self.lives.selected.home, self.lives.selected.top);
        let class = top.parent()?.parent()?;
        if home.kind() != "function_definition"
            || class.kind() != "class_definition"
            || self.has_decorator("staticmethod")
        {
            return None;
        }
        let first = home.child_by_field_name("parameters")?.named_child(0)?;
        match first.kind() {
            "identifier" => Some(first),
            "typed_parameter" => first.named_child(0),
            _ => None,
        }
    }

    pub(super) fn has_decorator(&self, name: &str) -> bool {
        let top = self.lives.selected.top;
        let mut cursor = top.walk();
        top.kind() == "decorated_definition"
            && top
                .named_children(&mut cursor)
                .any(|child| child.kind() == "decorator" && self.text(child).contains(name))
    }

    pub(super) fn is_changed_member(&self, at: Node<'t>) -> bool {
        let mut node = at;
        while let Some(parent) =
            node.parent().filter(|parent| matches!(parent.kind(), "selector_expression" | "index_expression"))
        {
            node = parent;
        }
        node.parent().is_some_and(|parent| match parent.kind() {
            "expression_list" => parent.parent().is_some_and(|by| {
                by.kind() == "assignment_statement" && by.child_by_field_name("left") == Some(parent)
            }),
            kind => matches!(kind, "inc_statement" | "dec_statement"),
        })
    }

    pub(super) fn find_rust_receiver(&self, home: Node<'t>, used: Option<Node<'t>>) -> Result<Receiver> {
        let selected = self.lives.selected;
        let block = home.parent().and_then(|list| list.parent());
        let own_type = self.lives.locals.words.contains("Self")
            && self.text.get(selected.core.clone()).unwrap_or_default().contains("Self");
        let is_trait =
            block.is_some_and(|block| block.kind() == "trait_item" || block.child_by_field_name("trait").is_some());
        // Traits have the methods that they declare, no others.
        if is_trait {
            let names =
                block.and_then(|block| block.child_by_field_name("type_parameters")).map(|list| self.text(list));
            let words = |text: &str| {
                text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect::<Vec<_>>()
            };
            let own = words(self.text(home));
            if words(names.unwrap_or_default()).iter().any(|name| !name.is_empty() && own.contains(name)) {
                return Err(self.refuse_at(home, "type parameters of the `impl` are not known outside of it"));
            }
            return match used {
                Some(node) => Err(self.refuse_at(node, "a method of a trait cannot get another method beside it")),
                None if own_type => Err(self.refuse_at(home, "`Self` of a trait is not known outside of it")),
                None => Ok(Receiver::Function),
            };
        }
        let Some(node) = used else {
            let in_impl = block.is_some_and(|block| block.kind() == "impl_item");
            return Ok(if in_impl { Receiver::Static } else { Receiver::Function });
        };
        // The same receiver as that of the method.
        let parameters = home.child_by_field_name("parameters");
        let own = parameters.and_then(|list| list.named_child(0)).filter(|first| first.kind() == "self_parameter");
        let own = own.map_or("", |first| self.text(first));
        if node.kind() == "self"
            && node
                .parent()
                .is_some_and(|parent| parent.kind() == "scoped_identifier" || parent.kind().starts_with("use_"))
        {
            return Err(self.refuse_at(node, "`self` is a module here"));
        }
        if selected.nearest != home {
            return Err(self.refuse_at(node, "`self` is captured by a closure around the lines"));
        }
        match own {
            "&self" | "&mut self" => Ok(Receiver::Method(own.to_owned())),
            _ => Err(self.refuse_at(node, "`self` is not a plain reference")),
        }
    }

    pub(super) fn find_script_receiver(&self, home: Node<'t>, used: Option<Node<'t>>) -> Result<Receiver> {
        let selected = self.lives.selected;
        let is_member = home.parent().is_some_and(|parent| parent.kind() == "class_body");
        let in_class = selected.top.parent().is_some_and(|parent| parent.kind() == "class_body");
        // `this` at the site is that of the method if only arrow functions are between.
        let mut node = Some(selected.nearest);
        let mut is_bound = true;
        while let Some(above) = node.filter(|above| *above != home) {
            is_bound &= above.kind() == "arrow_function" || !self.lives.rules.functions.contains(&above.kind());
            node = above.parent();
        }
        let is_static = |top: Node<'t>| {
            let mut cursor = top.walk();
            top.children(&mut cursor).any(|child| child.kind() == "static")
        };
        match used {
            None if in_class && is_member && is_bound && !is_static(home) => Ok(Receiver::Method(String::new())),
            None if in_class => match selected
                .top
                .parent()
                .and_then(|body| body.parent())
                .and_then(|class| class.parent())
                .map(|above| above.kind())
            {
                Some("program" | "export_statement") => Ok(Receiver::Function),
                _ => Err(self.refuse_at(home, "the class is declared inside of other code")),
            },
            None => Ok(Receiver::Function),
            Some(node) if node.kind() == "super" && !(is_member && is_bound) => {
                Err(self.refuse_at(node, "`super` belongs to the method around the lines"))
            }
            Some(_) if in_class && is_member && is_bound && !is_static(home) => Ok(Receiver::Method(String::new())),
            Some(node) if self.lives.language != Language::JavaScript => {
                Err(self.refuse_at(node, "the type of `this` is not known here"))
            }
            Some(_) => Ok(Receiver::Called),
        }
    }

    /// The type parameters that the new function needs: those of the home, if one of them is named.
    pub(super) fn find_generics(&self, inputs: &[Input], outputs: &[Output]) -> Result<Option<Node<'t>>> {
        let home = self.lives.selected.home;
        let Some(list) = home.child_by_field_name("type_parameters") else { return Ok(None) };
        let mut texts: Vec<&str> = inputs.iter().filter_map(|input| input.kind.as_deref()).collect();
        texts.extend(outputs.iter().filter_map(|output| output.kind.as_deref()));
        texts.push(self.text.get(self.lives.selected.core.clone()).unwrap_or_default());
        let result = result_type(self.lives.selected.nearest, self.text).unwrap_or_default();
        texts.push(&result);
        let mut cursor = list.walk();
        let names: Vec<&str> = list
            .named_children(&mut cursor)
            .filter_map(|child| child.child_by_field_name("name").or_else(|| child.named_child(0)).or(Some(child)))
            .map(|name| self.text(name))
            .collect();
        let has_word = |text: &str, name: &str| {
            text.match_indices(name).any(|(at, _)| {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
            })
        };
        let needs = names.iter().any(|name| texts.iter().any(|text| has_word(text, name)));
        let can_infer =
            |name: &&str| inputs.iter().any(|input| has_word(input.kind.as_deref().unwrap_or_default(), name));
        match needs {
            false => Ok(None),
            true if names.iter().all(|name| can_infer(name) || name.starts_with('\'')) => Ok(Some(list)),
            true => Err(self.refuse_at(list, "the lines need type parameters that the values they take do not show")),
        }
    }

    /// Refuses results of Rust and TypeScript whose written type is not what the lines give.
    pub(super) fn check_lifetimes(
        &self,
        (inputs, outputs): (&[Input], &[Output]),
        receiver: &Receiver,
        returned: Option<&str>,
    ) -> Result<()> {
        let is_elided = |kind: &str| {
            kind.contains("'_") || kind.match_indices('&').any(|(at, _)| !kind[at + 1..].starts_with('\''))
        };
        let kinds = || outputs.iter().filter_map(|output| output.kind.as_deref()).chain(returned);
        // As each language infers results.
        match self.lives.language {
            Language::Rust => {
                let count = inputs.iter().filter(|input| is_elided(input.kind.as_deref().unwrap_or_default())).count();
                let home = self.lives.selected.home.child_by_field_name("parameters");
                let parameters = home
                    .map_or(0, |list| list_named(list).into_iter().filter(|node| is_elided(self.text(*node))).count());
                let is_clear = matches!(receiver, Receiver::Method(_)) || count == 1 && parameters == 1;
                match kinds().any(is_elided) && !is_clear {
                    true => {
                        Err(self.refuse_at(self.first(), "the lifetime of what the lines give back is not written"))
                    }
                    false => Ok(()),
                }
            }
            Language::TypeScript | Language::Tsx => {
                match outputs.iter().find(|output| output.kind.as_deref().is_some_and(|kind| kind.contains('|'))) {
                    Some(output) => Err(self.refuse_at(
                        self.first(),
                        format!("the type of `{}` may be narrowed in the lines", output.name),
                    )),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}
