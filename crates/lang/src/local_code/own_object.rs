//! The object of a method of Java that is inlined: its members, which the body names without an object, and `this`.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::callee::Callee;
use super::inline::{Site, find_fresh, refuse_at};
use super::{Result, line_of, list_named};

/// Nodes that the members of a class stand in.
const BODIES: &[&str] = &["class_body", "enum_body", "interface_body", "annotation_type_body"];

/// A member of the class of a function that the function names without an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnMember {
    /// A field or method of an object.
    OfObject,
    /// A static member, or a type.
    OfClass,
}

/// What stands before the members that the body names, and in the place of `this`.
#[derive(Debug, Default)]
pub(super) struct Own {
    object: Option<String>,
    this: Option<String>,
    class: Option<String>,
    /// The declaration of the object before the body, and its name.
    pub(super) binding: Option<(String, String)>,
    /// The class, if the new text names it and the call did not.
    pub(super) named_class: Option<String>,
}

impl Own {
    /// Finds out how the body of a method of Java names its object at a call.
    pub(super) fn find(
        callee: &Callee<'_, '_>,
        site: &Site<'_, '_>,
        means_the_same: &dyn Fn(&str) -> bool,
    ) -> Result<Self> {
        let class = find_body(callee.function);
        let nearest = find_body(site.call);
        let is_same_file = std::ptr::eq(callee.text, site.text);
        let holds = |inner: Node<'_>| class.is_some_and(|class| class.byte_range().contains(&inner.start_byte()));
        let is_inside = is_same_file && holds(site.call);
        let is_static = callee.has_modifier("static");
        let is_own_object = site.object.is_none_or(|object| object.kind() == "this");
        let mut own = Self::default();
        // What the body needs of its object, and of its class.
        let needs_class = callee.members.values().any(|member| *member == OwnMember::OfClass);
        if let Some(at) = callee.unknown_calls.first().filter(|_| !is_own_object || !is_inside) {
            let line = line_of(callee.text, *at);
            let why = format!("what is called in line {line} may be a member of another object here");
            return Err(refuse_at(site.text, site.call, why));
        }
        match site.object {
            Some(object) if object.kind() == "super" => {
                return Err(refuse_at(site.text, object, "the method is called through `super`"));
            }
            Some(object) if !is_own_object && is_static => {
                if !is_path(object) {
                    return Err(refuse_at(site.text, object, "the object of the call is an expression"));
                }
                own.class = Some(site.text_of(object).to_owned()).filter(|_| !is_inside);
            }
            Some(object) if !is_own_object => own.take_object(callee, site, object, means_the_same)?,
            _ if is_inside && nearest.map(|body| body.byte_range()) == class.map(|body| body.byte_range()) => {}
            _ if !is_static && callee.list_this().next().is_some() => {
                // In a class inside of the class, or in one that inherits from it.
                let is_top = nearest.and_then(|body| body.parent()?.parent()).is_some_and(|at| at.kind() == "program");
                match (is_inside && site.object.is_none(), callee.class_name()) {
                    (true, Some(name)) => own.this = Some(format!("{name}.this")),
                    _ if is_top && !is_inside => {}
                    _ => return Err(refuse_at(site.text, site.call, "`this` is a different object here")),
                }
            }
            _ => {}
        }
        if needs_class && !is_inside && own.class.is_none() {
            let name = callee.class_name().filter(|name| means_the_same(name)).ok_or_else(|| {
                refuse_at(site.text, site.call, "the class whose members the function uses is not known by name here")
            })?;
            (own.class, own.named_class) = (Some(name.to_owned()), Some(name.to_owned()));
        }
        Ok(own)
    }

    /// The object of a call: as it is written, or a variable with its value.
    fn take_object(
        &mut self,
        callee: &Callee<'_, '_>,
        site: &Site<'_, '_>,
        object: Node<'_>,
        means_the_same: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let text = site.text_of(object).to_owned();
        if is_path(object) {
            // A function inside of the body sees only variables that do not change.
            let writes = site
                .locals
                .uses
                .iter()
                .find(|found| found.at == object)
                .map_or(0, |found| site.locals.of(found.variable).filter(|other| other.is_write()).count());
            if writes > 1 && callee.is_captured() {
                let why = "the object of the call changes, and a function inside of the body would see it";
                return Err(refuse_at(site.text, object, why));
            }
            (self.object, self.this) = (Some(text.clone()), Some(text));
            return Ok(());
        }
        let name = callee.class_name().filter(|name| !callee.is_class_generic() && means_the_same(name));
        let (Some(class), Some(_)) = (name, site.statement) else {
            return Err(refuse_at(site.text, object, "the object of the call is an expression"));
        };
        // The object is evaluated once, before the arguments.
        let mut taken: BTreeSet<String> = site.locals.words.union(&callee.locals.words).cloned().collect();
        let variable = find_fresh("target", &taken.clone(), &mut taken);
        self.named_class = Some(class.to_owned());
        self.binding = Some((variable.clone(), format!("{class} {variable} = {text};")));
        (self.object, self.this) = (Some(variable.clone()), Some(variable));
        Ok(())
    }

    fn prefix(&self, member: OwnMember) -> Option<&str> {
        match member {
            OwnMember::OfObject => self.object.as_deref(),
            OwnMember::OfClass => self.class.as_deref(),
        }
    }

    /// Returns whether a name gets its object or class written before it.
    pub(super) fn covers(&self, callee: &Callee<'_, '_>, at: usize) -> bool {
        callee.members.get(&at).is_some_and(|member| self.prefix(*member).is_some())
    }

    /// The new texts of pieces of the body.
    pub(super) fn list_edits(&self, callee: &Callee<'_, '_>, range: &Range<usize>) -> Vec<(Range<usize>, String)> {
        let members = callee.members.range(range.clone());
        let prefixed = members.filter_map(|(at, member)| Some((*at..*at, format!("{}.", self.prefix(*member)?))));
        let is_here = |node: &Node<'_>| range.contains(&node.start_byte());
        let this = callee.list_this().filter(is_here);
        let replaced = this.filter_map(|node| Some((node.byte_range(), self.this.clone()?)));
        prefixed.chain(replaced).collect()
    }
}

/// The body of the innermost class around a node.
fn find_body(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.parent();
    while let Some(above) = at.filter(|above| !BODIES.contains(&above.kind())) {
        at = above.parent();
    }
    at
}

/// Returns whether an expression is a name or fields of one, which have the same value until something changes them.
fn is_path(node: Node<'_>) -> bool {
    let mut rest = vec![node];
    while let Some(at) = rest.pop() {
        if !matches!(at.kind(), "identifier" | "this" | "field_access" | "scoped_identifier") {
            return false;
        }
        rest.extend(list_named(at));
    }
    true
}

impl<'t> Callee<'_, 't> {
    /// Finds the members of its class that the body names without an object.
    pub(super) fn read_members(&mut self, own_member: &dyn Fn(usize) -> Option<OwnMember>) {
        let names: Vec<usize> = self.list_free().into_iter().map(|(_, at)| at).collect();
        self.members = names.iter().filter_map(|at| Some((*at, own_member(*at)?))).collect();
        // What is not a member of the class and is imported by its name is that of another class.
        let imported = self.list_static_imports();
        let is_imported = |name: &str, at: usize| imported.contains(name) && !self.members.contains_key(&at);
        let free = self.list_free().into_iter().filter(|(name, at)| is_imported(name, *at));
        self.imported_members = free.map(|(name, _)| name.to_owned()).collect();
        let mut rest: Vec<Node<'t>> = self.all.iter().chain(&self.value).copied().collect();
        while let Some(node) = rest.pop() {
            if node.kind() == "method_invocation"
                && node.child_by_field_name("object").is_none()
                && let Some(name) = node.child_by_field_name("name")
            {
                match own_member(name.start_byte()) {
                    Some(member) => drop(self.members.insert(name.start_byte(), member)),
                    None if imported.contains(self.text_of(name)) => {
                        self.imported_members.insert(self.text_of(name).to_owned());
                    }
                    None => self.unknown_calls.push(name.start_byte()),
                }
            }
            rest.extend(list_named(node));
        }
    }

    /// Names of static members that the file imports one by one.
    fn list_static_imports(&self) -> BTreeSet<String> {
        let mut root = self.function;
        while let Some(above) = root.parent() {
            root = above;
        }
        let imports = list_named(root).into_iter().filter(|node| node.kind() == "import_declaration");
        let texts = imports.filter_map(|node| self.text.get(node.byte_range()));
        let paths = texts.filter_map(|text| text.strip_prefix("import static ")?.strip_suffix(';'));
        paths.filter_map(|path| path.trim().rsplit('.').next()).filter(|name| *name != "*").map(str::to_owned).collect()
    }

    /// Returns whether a word stands before the name of the method.
    pub(super) fn has_modifier(&self, word: &str) -> bool {
        let end = self.function.child_by_field_name("name").map_or(self.function.end_byte(), |name| name.start_byte());
        let head = self.text.get(self.function.start_byte()..end).unwrap_or_default();
        head.split_whitespace().any(|part| part == word)
    }

    /// The declaration of the class around it.
    fn class_declaration(&self) -> Option<Node<'t>> {
        find_body(self.function)?.parent().filter(|class| class.kind().ends_with("_declaration"))
    }

    /// The name of the class around it.
    fn class_name(&self) -> Option<&str> {
        Some(self.text_of(self.class_declaration()?.child_by_field_name("name")?))
    }

    fn is_class_generic(&self) -> bool {
        self.class_declaration().is_none_or(|class| class.child_by_field_name("type_parameters").is_some())
    }

    /// The places where the body names its object by a word of the language: `this`, and `Box.this` with the name of
    /// the class.
    pub(super) fn list_this(&self) -> impl Iterator<Item = Node<'t>> {
        let mut found = Vec::new();
        let mut rest: Vec<(Node<'t>, bool)> = self.all.iter().chain(&self.value).map(|node| (*node, false)).collect();
        while let Some((node, in_class)) = rest.pop() {
            let in_class = in_class || node.kind() == "class_body";
            if node.kind() == "this" {
                let qualified = node.parent().filter(|above| above.child_by_field_name("field") == Some(node));
                let name = qualified.and_then(|above| above.child_by_field_name("object"));
                match (qualified, name.map(|name| self.text_of(name))) {
                    (Some(above), name) if name == self.class_name() => found.push(above),
                    (None, _) if !in_class => found.push(node),
                    _ => {}
                }
            }
            rest.extend((0..node.child_count()).filter_map(|at| node.child(at)).map(|child| (child, in_class)));
        }
        // A value is also part of the statement that returns it.
        found.sort_by_key(Node::start_byte);
        found.dedup();
        found.into_iter()
    }

    /// Returns whether a function or class inside of the body uses the object.
    fn is_captured(&self) -> bool {
        let function = self.function.start_byte();
        let places = self.members.keys().copied().chain(self.list_this().map(|node| node.start_byte()));
        places.into_iter().any(|at| {
            let mut node = self.function.descendant_for_byte_range(at, at + 1);
            while let Some(above) = node.filter(|above| above.start_byte() != function) {
                if matches!(above.kind(), "lambda_expression" | "class_body") {
                    return true;
                }
                node = above.parent();
            }
            false
        })
    }
}
