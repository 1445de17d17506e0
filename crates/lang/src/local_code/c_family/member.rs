//! Where a new function of C or C++ stands: beside a function of a file, or in the class of a method.

use tree_sitter::Node;

use super::super::select::Selected;
use super::super::{KnownCalls, Obstacle, Result, line_of, list_named};
use super::declared::{function_declarator, text_of};

/// The declaration of a new method that its class needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// The class.
    pub class: String,
    /// Without indentation.
    pub declaration: String,
    /// Words of the types in it.
    pub words: Vec<String>,
}

/// How the function around the lines is written.
#[derive(Debug)]
pub(super) struct Home<'t> {
    /// Its declarator with the parameters.
    pub(super) declarator: Node<'t>,
    pub(super) place: Place,
    /// `template <…>` before it, with the white space behind.
    pub(super) template: String,
    /// The names of the parameters of the template.
    pub(super) arguments: Vec<String>,
    pub(super) is_const: bool,
    pub(super) is_static: bool,
    pub(super) is_inline: bool,
}

/// Where the new function belongs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the file or namespace.
    Free,
    /// In the class that the text is in.
    InClass,
    /// In a class that declares it elsewhere: the class, and what stands before the name (`K::`).
    OfClass(String, String),
}

impl<'t> Home<'t> {
    /// Reads the head of the function around the lines.
    pub(super) fn read((text, is_cpp): (&str, bool), selected: &Selected<'t>, calls: &dyn KnownCalls) -> Result<Self> {
        let home = selected.home;
        let refuse = |why: &str| Obstacle { line: line_of(text, home.start_byte()), why: why.to_owned() };
        let declarator =
            function_declarator(home).ok_or_else(|| refuse("the function has a declaration that is not plain"))?;
        let name = declarator.child_by_field_name("declarator").ok_or_else(|| refuse("the function has no name"))?;
        let words = |node: Node<'t>| list_named(node).into_iter().map(|part| text_of(text, part)).collect::<Vec<_>>();
        let mut found = Self {
            declarator,
            place: Place::Free,
            template: String::new(),
            arguments: Vec::new(),
            is_const: words(declarator).contains(&"const"),
            is_static: words(home).contains(&"static"),
            is_inline: words(home).contains(&"inline"),
        };
        if !is_cpp {
            return Ok(found);
        }
        let in_class = selected.top.parent().is_some_and(|parent| parent.kind() == "field_declaration_list");
        let scope = name.child_by_field_name("scope").filter(|_| name.kind() == "qualified_identifier");
        if selected.top.kind() == "friend_declaration" {
            return Err(refuse("the function is a friend that is defined in a class"));
        }
        // The class.
        if in_class {
            found.place = Place::InClass;
        } else if scope.is_some() {
            let mut last = name;
            while let Some(inner) =
                last.child_by_field_name("name").filter(|inner| inner.kind() == "qualified_identifier")
            {
                last = inner;
            }
            let holder = last.child_by_field_name("scope").ok_or_else(|| refuse("the function has no name"))?;
            let class = holder.child_by_field_name("name").unwrap_or(holder);
            let class = text_of(text, class).to_owned();
            let end = last.child_by_field_name("name").map_or(name.end_byte(), |own| own.start_byte());
            let before = text.get(name.start_byte()..end).unwrap_or_default().to_owned();
            let own = last.child_by_field_name("name").map_or("", |own| text_of(text, own));
            let known = calls.class_named(&class).ok_or_else(|| {
                refuse(&format!("`{class}`, which the function belongs to, is not known as one class"))
            })?;
            found.is_static = declares_static(&known.text, own);
            found.place = Place::OfClass(class, before);
        }
        found.read_template((text, selected), &refuse)?;
        Ok(found)
    }

    fn read_template(
        &mut self,
        (text, selected): (&str, &Selected<'t>),
        refuse: &dyn Fn(&str) -> Obstacle,
    ) -> Result<()> {
        let (top, home) = (selected.top, selected.home);
        if top.kind() != "template_declaration" {
            return if top == home || top.kind() == "linkage_specification" {
                Ok(())
            } else {
                Err(refuse("the function is declared in a way that is not known"))
            };
        }
        if home.parent() != Some(top) {
            return Err(refuse("the function is a template in a template"));
        }
        self.template = text.get(top.start_byte()..home.start_byte()).unwrap_or_default().to_owned();
        for part in top.child_by_field_name("parameters").into_iter().flat_map(list_named) {
            if part.kind().starts_with("optional") || part.kind() == "template_template_parameter_declaration" {
                return Err(refuse("the template has parameters with defaults, or templates"));
            }
            let name = list_named(part).into_iter().rev().find(|name| name.kind().ends_with("identifier"));
            let name = name
                .map(|name| text_of(text, name))
                .ok_or_else(|| refuse("the template has a parameter without a name"))?;
            let dots = if part.kind().starts_with("variadic") { "..." } else { "" };
            self.arguments.push(format!("{name}{dots}"));
        }
        // The parameters are those of the class.
        if matches!(self.place, Place::OfClass(..)) {
            self.arguments.clear();
        }
        if self.template.contains("<>") {
            return Err(refuse("the function is a specialization of a template"));
        }
        Ok(())
    }
}

/// Returns whether a class declares a function of this name as `static`.
fn declares_static(class: &str, name: &str) -> bool {
    class.match_indices(name).any(|(at, _)| {
        let behind = class[at + name.len()..].trim_start();
        let before = &class[..at];
        let start = before.rfind([';', '{', '}']).map_or(0, |at| at + 1);
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        is_word
            && behind.starts_with('(')
            && super::declared::split_words(&before[start..]).any(|word| word == "static")
    })
}
