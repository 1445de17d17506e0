//! Components of Vue that are written as an object of options: what their methods and their template see as `this`.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use crate::Language;
use crate::facts::{DefId, Expr, ExprId, FactsBuilder, NameId};
use crate::languages::typescript::state::{Extractor, FrameKind, children, parent};
use crate::walk::Step;

/// Options whose members are members of the component.
const MEMBERS: &[&str] = &["components", "computed", "directives", "filters", "inject", "methods", "props"];
/// Options that are functions; the members of their result are members of the component.
const RESULTS: &[&str] = &["asyncData", "data", "setup"];
/// Options that bring in members from elsewhere.
const ELSEWHERE: &[&str] = &["extends", "mixins"];
/// Scopes between a method and the options of its component.
const MAX_LEVELS: usize = 2;

impl Extractor<'_> {
    /// Notes that an object literal is the options of the component: exported as such, or given to the call that is.
    pub(in crate::languages::typescript) fn begin_options(&mut self, id: DefId, node: Node<'_>, path: &[Step<'_>]) {
        if self.b.facts().language != Language::Vue || self.component.is_some() || self.is_markup() {
            return;
        }
        let around = match (path, parent(path).map(|step| step.node.kind())) {
            ([.., around, _call, _arguments], Some("arguments")) => around,
            ([.., around], _) => around,
            _ => return,
        };
        if around.node.kind() != "export_statement" {
            return;
        }
        self.component = Some(id);
        let component = self.b.expr(Expr::Definition(id));
        let mut members = vec![component];
        for option in children(node) {
            let key = option.child_by_field_name("key").or_else(|| option.child_by_field_name("name"));
            let name = key.map_or("", |key| self.property(key));
            if MEMBERS.contains(&name) {
                members.push(self.b.member(component, name));
            } else if RESULTS.contains(&name) {
                let callee = self.b.member(component, name);
                let args = self.b.list(&[]);
                members.push(self.b.expr(Expr::Call { callee, args }));
            } else if ELSEWHERE.contains(&name) || option.kind() == "spread_element" {
                members.push(self.b.unknown());
            }
        }
        self.component_members = Some(self.b.union(&members));
    }

    /// `this` in a method of the options that is entered, or of an object that is one of them.
    pub(in crate::languages::typescript) fn options_receiver(&self) -> Option<ExprId> {
        let component = self.component?;
        // The innermost frame is that of the method itself.
        let around = self.frames.iter().rev().skip(1).take(MAX_LEVELS + 1);
        let around = around.skip_while(|frame| frame.def.is_some_and(|def| self.is_method(def)));
        let mut around = around.take_while(|frame| frame.kind == FrameKind::Members);
        around.any(|frame| frame.def == Some(component)).then_some(self.component_members).flatten()
    }

    /// The value of a call that the compiler of Vue replaces by the properties of the component.
    pub(in crate::languages::typescript) fn properties_call(
        &mut self,
        callee: &str,
        call: Node<'_>,
        args: &[ExprId],
    ) -> Option<ExprId> {
        if self.b.facts().language != Language::Vue || self.is_markup() {
            return None;
        }
        match callee {
            "withDefaults" => args.first().copied().filter(|&first| first != self.b.unknown()),
            "defineProps" => {
                let of = call.child_by_field_name("type_arguments")?.named_child(0)?;
                self.record_typed(call, None, Some(of));
                let properties = self.find_known(call)?;
                self.properties = Some(properties);
                self.property_names = self.list_properties(of);
                Some(properties)
            }
            _ => None,
        }
    }

    /// Names of the members of a type that is written in place or is one of the file.
    fn list_properties(&mut self, of: Node<'_>) -> FxHashSet<NameId> {
        if of.kind() == "object_type" {
            let names = children(of).into_iter().filter_map(|member| member.child_by_field_name("name"));
            let names: Vec<&str> = names.map(|name| self.property(name)).collect();
            return names.into_iter().map(|name| self.b.name(name)).collect();
        }
        let name = self.b.name(self.source.text(of));
        let Some(&id) = self.named.get(&(FactsBuilder::FILE, name, true)) else { return FxHashSet::default() };
        let members = self.b.facts().definitions.iter().filter(|definition| definition.owner == Some(id));
        members.map(|definition| definition.name).collect()
    }

    /// What the script itself knows under the name of a property comes first.
    pub(in crate::languages::typescript) fn settle_properties(&mut self) {
        let bindings = self.b.facts().bindings.iter().filter(|binding| binding.scope == FactsBuilder::FILE);
        for binding in bindings {
            self.property_names.remove(&binding.name);
        }
    }

    fn is_method(&self, def: DefId) -> bool {
        self.b.facts().definition(def).kind == crate::facts::DefKind::Function
    }

    /// The variables of a loop in a template are known before what is inside of it, where they come before members.
    pub(in crate::languages::typescript) fn announce_loop(&mut self, node: Node<'_>) {
        let left = node.child_by_field_name("left").filter(|_| self.is_markup() && node.kind() == "for_in_statement");
        let Some(left) = left else { return };
        let scope = self.scope();
        for name in self.list_names(left) {
            self.locals.insert((scope, name));
        }
    }

    /// A name in a template of such a component: a member of it, unless the template binds the name.
    pub(in crate::languages::typescript) fn template_name(&mut self, name: &str) -> Option<ExprId> {
        if !self.is_markup() || self.is_local(name) {
            return None;
        }
        let name_id = self.b.name(name);
        let property = self.properties.filter(|_| self.property_names.contains(&name_id));
        let base = self.component_members.or(property)?;
        Some(self.b.member(base, name))
    }
}
