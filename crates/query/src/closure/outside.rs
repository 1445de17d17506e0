//! Members that outside code calls: those of traits, interfaces and bases outside of the project, methods that a
//! language calls for its syntax, functions that programs and test runners start with. No call of them need be written
//! in the project, and their names are not its to change.

mod bases;
mod signature;
#[cfg(test)]
mod tests;
mod values;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::outside::{OutsideCalls, Overriding};

use bases::OutsideBases;

use super::properties::is_value;
use super::{Hiding, Rows, reasons};

/// Maximum number of methods above a method, and of types around it, that are considered.
const MAX_ABOVE: usize = 200;

/// First part of the names of accessors that take a value.
const SETTER: &str = "set";

/// Why code outside of the project calls something, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FromOutside {
    /// The trait, interface, base, syntax or program that calls it.
    pub(crate) by: String,
    pub(crate) how: How,
}

/// How code outside of the project comes to call something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// A program, library or module starts with it.
    Starts,
    /// A test runner runs it.
    Test,
    /// It is a symbol that other languages, linkers or the compiler look up.
    Exported,
    /// It is a member of something outside.
    Member,
    /// A base outside, whose members are not known, may have a member of the name.
    MayReplace,
    /// The language calls it for its syntax.
    Syntax,
    /// Libraries call it by reflection.
    Reflection,
    /// Libraries read it by reflection, or a base outside reads what has its name.
    Reads,
    /// A value that has it is handed to code outside.
    HandedOver,
}

impl FromOutside {
    fn new(how: How, by: impl Into<String>) -> Self {
        Self { by: by.into(), how }
    }

    /// Returns whether code outside decides about its name.
    pub(crate) fn names_it(&self) -> bool {
        !matches!(self.how, How::Test | How::Reflection | How::Reads | How::HandedOver)
    }

    /// What follows the name of the symbol in a sentence.
    pub(crate) fn clause(&self) -> String {
        let by = &self.by;
        match self.how {
            How::Starts => "is where a program or module starts".to_owned(),
            How::Test => "is run by a test runner".to_owned(),
            How::Exported => "is a symbol that code outside looks up".to_owned(),
            How::Member => format!("implements a member of `{by}`, which is outside of the project"),
            How::MayReplace => format!("may override a method of `{by}`, which is not known"),
            How::Syntax => format!("is called by {by}"),
            How::Reflection => format!("may be called by reflection, as a part of `{by}`"),
            How::Reads => format!("may be read by `{by}`"),
            How::HandedOver => format!("may be called by {by}"),
        }
    }
}

/// What outside code that may use a node hides, as a row of an answer. It has the name of what calls the node.
pub(super) fn find_callers(snapshot: &Snapshot, node: NodeIx, rows: Rows, far: bool) -> Option<Hiding> {
    let from = called_from_outside(snapshot, node)?;
    // Nothing in the project depends on a caller that only starts it.
    let only_starts = matches!(from.how, How::Starts | How::Test | How::Exported);
    if far && only_starts || rows == Rows::Names && !from.names_it() {
        return None;
    }
    let graph = snapshot.graph();
    Some(Hiding {
        place: None,
        node,
        role: if graph.kind(node) == NodeKind::Function { "call" } else { "read" }.to_owned(),
        name: from.by,
        reason: reasons::CALLED_FROM_OUTSIDE.to_owned(),
        file: graph.path(node).to_owned(),
        line: graph.name_line(node),
        far,
    })
}

/// Whether a call that names a member outside of the project may run a function: it implements or replaces one.
pub(crate) fn may_run_for_outside_member(snapshot: &Snapshot, node: NodeIx) -> bool {
    called_from_outside(snapshot, node)
        .is_some_and(|from| matches!(from.how, How::Member | How::MayReplace | How::HandedOver | How::Reflection))
}

/// Returns why code outside of the project calls a function or reads a value, or `None` if nothing says so.
pub(crate) fn called_from_outside(snapshot: &Snapshot, node: NodeIx) -> Option<FromOutside> {
    let graph = snapshot.graph();
    let is_function = graph.kind(node) == NodeKind::Function;
    if !is_function && !is_value(graph.kind(node)) && graph.kind(node) != NodeKind::Variant {
        return None;
    }
    let calls = OutsideCalls::of(snapshot.file_of(node)?.language);
    let flags = graph.flags(node);
    let question = Question { graph, node, name: graph.label(node), signature: graph.signature(node), calls };
    if !is_function {
        return question.value();
    }
    if flags.has(NodeFlags::ENTRY) {
        if let (false, Some(start)) = (flags.has(NodeFlags::TEST), question.start()) {
            return Some(start);
        }
        let (how, by) = match flags.has(NodeFlags::TEST) {
            true => (How::Test, "the test runner"),
            false => (How::Exported, "a linker, a compiler or another language"),
        };
        return Some(FromOutside::new(how, by));
    }
    if flags.has(NodeFlags::CONSTRUCTOR) {
        return question.constructor();
    }
    question.start().or_else(|| question.syntax()).or_else(|| question.member())
}

/// A function or value, and the rules of its language.
struct Question<'a> {
    graph: &'a Graph,
    node: NodeIx,
    name: &'a str,
    signature: &'a str,
    calls: &'static OutsideCalls,
}

impl Question<'_> {
    /// What it is a member of; `None` at the top of a file or module.
    fn owner(&self) -> Option<NodeIx> {
        let parent = self.graph.parent(self.node)?;
        if !matches!(self.graph.kind(parent), NodeKind::File | NodeKind::Module) {
            return Some(parent);
        }
        // A method that is written outside of its type is held by the file, and by the type.
        let holders = self.graph.in_edges(self.node).filter(|edge| edge.relation == Relation::Contains);
        let holder = holders.map(|edge| edge.from).find(|&holder| holder != parent);
        let is_of_no_known_type = || self.graph.id(self.node).contains("::impl::").then_some(parent);
        holder.or_else(is_of_no_known_type)
    }

    /// A function that a program starts with.
    fn start(&self) -> Option<FromOutside> {
        let is_apart = match self.owner() {
            None => true,
            Some(owner) => {
                let is_static = self.graph.flags(self.node).has(NodeFlags::STATIC);
                self.calls.static_starts && (is_static || self.graph.kind(owner) == NodeKind::Object)
            }
        };
        let is_start = self.calls.starts.contains(&self.name)
            || self.calls.starts_with.iter().any(|start| self.name.starts_with(start));
        (is_apart && is_start).then(|| FromOutside::new(How::Starts, "the start of a program or library"))
    }

    /// Operators and special methods.
    fn syntax(&self) -> Option<FromOutside> {
        let is_symbol = !self.name.is_empty() && !self.name.contains(|c: char| c.is_alphanumeric() || c == '_');
        let is_operator = self.calls.operator_word.is_some_and(|word| {
            let rest = self.name.strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                || signature::has_word_before(self.signature, self.name, word)
        });
        if is_symbol || is_operator {
            return Some(FromOutside::new(How::Syntax, "the operators of the language"));
        }
        let (start, end) = self.calls.special?;
        let is_special =
            self.name.len() > start.len() + end.len() && self.name.starts_with(start) && self.name.ends_with(end);
        is_special.then(|| FromOutside::new(How::Syntax, "the language under this name"))
    }

    fn member(&self) -> Option<FromOutside> {
        let owner = self.owner()?;
        match self.calls.overriding {
            Overriding::InBlock => self.of_trait(owner),
            Overriding::Never => None,
            Overriding::Structural => self.of_library().or_else(|| self.of_handed_value()),
            Overriding::ByName | Overriding::ByWord | Overriding::ByWordOrPublic => {
                let of_base = self.of_library().or_else(|| self.of_bases(owner));
                let of_class = of_base.or_else(|| self.accessor(owner)).or_else(|| self.of_reflected_class(owner));
                of_class.or_else(|| self.of_handed_object(owner))
            }
        }
    }

    /// A member of a block that implements a trait from outside.
    fn of_trait(&self, block: NodeIx) -> Option<FromOutside> {
        let (name, _) = self.graph.label(block).rsplit_once(" for ")?;
        let is_ours = self.list_replaced(self.node).any(|(_, tier)| tier != EdgeTier::External);
        (self.graph.kind(block) == NodeKind::Impl && !is_ours).then(|| FromOutside::new(How::Member, name))
    }

    /// A member that the library of the language calls on any value.
    fn of_library(&self) -> Option<FromOutside> {
        let parameters = signature::parameters(self.signature, self.name);
        let member = self.calls.member(self.name, parameters)?;
        Some(FromOutside::new(How::Member, member.of))
    }

    /// A method that others see of a type whose values are handed to code outside, which may ask for it by an interface
    /// of its own.
    fn of_handed_value(&self) -> Option<FromOutside> {
        if !self.name.starts_with(char::is_uppercase) {
            return None;
        }
        let of = signature::receiver(self.signature)?;
        let folder = |node: NodeIx| self.graph.path(node).rsplit_once('/').map_or("", |(folder, _)| folder);
        let types = self.graph.find_labelled(of).into_iter().filter(|&other| folder(other) == folder(self.node));
        let by = types
            .flat_map(|of| self.graph.in_edges(of))
            .find(|edge| edge.relation == Relation::Registers && edge.tier == EdgeTier::Possible)?;
        Some(FromOutside::new(How::HandedOver, format!("what {} hands a `{of}` to", self.graph.label(by.from))))
    }

    /// A member of an object that is handed to code outside.
    fn of_handed_object(&self, owner: NodeIx) -> Option<FromOutside> {
        if self.graph.kind(owner) != NodeKind::Object {
            return None;
        }
        let by = self.graph.in_edges(owner).find(|edge| edge.relation == Relation::Registers)?;
        let (giver, object) = (self.graph.label(by.from), self.graph.label(owner));
        Some(FromOutside::new(How::HandedOver, format!("what {giver} hands `{object}` to")))
    }

    /// A member of a base outside of the project.
    fn of_bases(&self, owner: NodeIx) -> Option<FromOutside> {
        if self.is_hidden() {
            return None;
        }
        let mut roots = vec![self.node];
        let mut next = 0;
        while next < roots.len() && roots.len() <= MAX_ABOVE {
            for (above, tier) in self.list_replaced(roots[next]) {
                if tier == EdgeTier::External || self.graph.path(above).is_empty() {
                    let id = self.graph.id(above);
                    return Some(FromOutside::new(How::Member, id.strip_prefix("external::").unwrap_or(id)));
                }
                if !roots.contains(&above) {
                    roots.push(above);
                }
            }
            next += 1;
        }
        let replaces = roots.len() > 1;
        // What a method of the project replaces has its name from there.
        roots.retain(|&root| !self.list_replaced(root).any(|_| true));
        let mut may_replace = None;
        for root in roots {
            let of = Question { node: root, ..*self };
            let Some(class) = of.owner() else { continue };
            for base in OutsideBases::of(self.graph, class, MAX_ABOVE).bases {
                match self.calls.base(&base.name) {
                    Some(known) if known.members.contains(&self.name) => {
                        return Some(FromOutside::new(How::Member, base.shown));
                    }
                    Some(_) => {}
                    None if self.may_replace_member_of(&base.name) => {
                        may_replace.get_or_insert_with(|| FromOutside::new(How::MayReplace, base.shown));
                    }
                    None if self.is_action() => {
                        may_replace.get_or_insert_with(|| FromOutside::new(How::Reflection, base.shown));
                    }
                    None => {}
                }
            }
        }
        may_replace.or_else(|| self.of_unnamed_base(owner).filter(|_| !replaces))
    }

    /// A member that says that it replaces another one, or stands where only members of a base make sense.
    fn of_unnamed_base(&self, owner: NodeIx) -> Option<FromOutside> {
        let in_anonymous = self.calls.nested_is_member
            && matches!(
                self.graph.kind(owner),
                NodeKind::Function | NodeKind::Field | NodeKind::Variable | NodeKind::Constant
            );
        if in_anonymous {
            return Some(FromOutside::new(How::MayReplace, "the base of an anonymous class"));
        }
        self.says_override().then(|| FromOutside::new(How::MayReplace, "a base"))
    }

    /// Returns whether a method may take the place of one of a base of which nothing but the name is known.
    fn may_replace_member_of(&self, base: &str) -> bool {
        match self.calls.overriding {
            Overriding::ByWord => self.says_override(),
            Overriding::ByWordOrPublic => {
                let is_interface = base.strip_prefix('I').is_some_and(|rest| rest.starts_with(char::is_uppercase));
                self.says_override() || is_interface && signature::has_word(self.signature, "public")
            }
            _ => true,
        }
    }

    /// Returns whether frameworks find it by reflection, as a public method of a class that they know by its base, its
    /// attributes or its name.
    fn is_action(&self) -> bool {
        !self.calls.reflected_classes.is_empty() && signature::has_word(self.signature, "public") && !self.is_hidden()
    }

    /// A public method of a class that an attribute registers, or that has the name of those that a framework finds.
    fn of_reflected_class(&self, owner: NodeIx) -> Option<FromOutside> {
        if !self.is_action() {
            return None;
        }
        let class = self.graph.label(owner);
        let is_named = self.calls.reflected_classes.iter().any(|end| class.ends_with(end));
        let is_registered = || self.graph.in_edges(owner).any(|edge| edge.relation == Relation::Registers);
        (is_named || is_registered()).then(|| FromOutside::new(How::Reflection, class))
    }

    fn says_override(&self) -> bool {
        self.calls.override_word.is_some_and(|word| signature::has_word(self.signature, word))
    }

    /// Returns whether no base can have a member that it replaces.
    fn is_hidden(&self) -> bool {
        let words = self.calls.hidden_words;
        let flags = self.graph.flags(self.node);
        let special_start = self.calls.special.map_or("", |(start, end)| if end.is_empty() { "" } else { start });
        words.iter().any(|word| signature::has_word_before(self.signature, self.name, word))
            || words.contains(&"static") && flags.has(NodeFlags::STATIC)
            || self.name.starts_with('#')
            || !special_start.is_empty() && self.name.starts_with(special_start)
    }

    /// Methods that a method replaces.
    fn list_replaced(&self, node: NodeIx) -> impl Iterator<Item = (NodeIx, EdgeTier)> + use<'_> {
        let edges = self.graph.out_edges(node).filter(|edge| edge.relation == Relation::Overrides);
        edges.map(|edge| (edge.to, edge.tier))
    }

    /// An accessor of a class that libraries fill or read by reflection.
    fn accessor(&self, owner: NodeIx) -> Option<FromOutside> {
        let is_accessor = self.calls.accessors.iter().any(|start| {
            self.name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'))
        });
        // What is set is given, and nothing else is.
        let fits = signature::parameters(self.signature, self.name)
            .is_none_or(|count| count == usize::from(self.name.starts_with(SETTER)));
        if !is_accessor || !fits || self.is_hidden() {
            return None;
        }
        bases::reflected_by(self.graph, owner).map(|by| FromOutside::new(How::Reflection, by))
    }

    /// A constructor of a class that a library constructs.
    fn constructor(&self) -> Option<FromOutside> {
        let owner = self.owner()?;
        if self.calls.accessors.is_empty() {
            return None;
        }
        let by = bases::annotated_by(self.graph, owner).or_else(|| bases::reflected_by(self.graph, owner));
        by.map(|by| FromOutside::new(How::Reflection, by))
    }
}
