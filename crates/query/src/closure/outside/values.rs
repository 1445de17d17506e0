//! Values that code outside reads: fields that a library fills or stores by reflection, attributes that a base outside
//! of the project looks up, constants and types that a trait from outside asks for.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_graph::NodeIx;
use m1nd_lang::outside::Overriding;

use super::bases::{self, OutsideBases, WIRING_PACKAGES};
use super::{FromOutside, How, MAX_ABOVE, Question, signature};
use crate::bases::implemented_trait;

impl Question<'_> {
    /// What outside reads a member that is not a function.
    pub(super) fn value(&self) -> Option<FromOutside> {
        let owner = self.graph.parent(self.node).filter(|&owner| {
            !matches!(self.graph.kind(owner), NodeKind::File | NodeKind::Module | NodeKind::Function | NodeKind::Route)
        })?;
        let reads = |by: String| FromOutside::new(How::Reads, by);
        let annotated = [self.node, owner].into_iter().find_map(|of| {
            let open = self.graph.unresolved_of(of).find(|open| open.role == "decorate");
            let open = open.map(|open| open.name.to_owned());
            open.or_else(|| bases::annotation(self.graph, of, &[WIRING_PACKAGES]))
        });
        if let Some(by) = annotated {
            return Some(reads(by));
        }
        match self.calls.overriding {
            Overriding::Never => None,
            Overriding::InBlock => self.of_trait_item(owner),
            Overriding::Structural => self.of_encoded_value(owner),
            _ if !self.calls.accessors.is_empty() => bases::reflected_by(self.graph, owner).map(reads),
            _ => self.of_reading_base(owner),
        }
    }

    /// A constant or type of a block that implements a trait from outside.
    fn of_trait_item(&self, block: NodeIx) -> Option<FromOutside> {
        let label = self.graph.label(block);
        let name = implemented_trait(label).filter(|_| self.graph.kind(block) == NodeKind::Impl)?;
        let is_trait = |of: NodeIx| self.graph.kind(of) == NodeKind::Trait && !self.graph.path(of).is_empty();
        let is_ours = self.graph.find_labelled(name).into_iter().any(is_trait);
        (!is_ours).then(|| FromOutside::new(How::Member, name))
    }

    /// A field that encoders find by its tag, or that others see of a value that is handed to code outside.
    fn of_encoded_value(&self, owner: NodeIx) -> Option<FromOutside> {
        if self.signature.contains('`') {
            return Some(FromOutside::new(How::Reads, "what reads its tag"));
        }
        let is_handed = || {
            let mut edges = self.graph.in_edges(owner);
            edges.any(|edge| edge.relation == Relation::Registers && edge.tier == EdgeTier::Possible)
        };
        let is_seen = self.name.starts_with(char::is_uppercase);
        (is_seen && is_handed()).then(|| FromOutside::new(How::Reads, "what its values are handed to"))
    }

    /// A value of a type with a base outside, which may look up what has its name.
    fn of_reading_base(&self, owner: NodeIx) -> Option<FromOutside> {
        let is_private = signature::has_word_before(self.signature, self.name, "private") || self.name.starts_with('#');
        if self.calls.hides_values || is_private {
            return None;
        }
        let may_read = |base: &bases::OutsideBase| match self.calls.base(&base.name) {
            _ if self.calls.reading_bases.contains(&&*base.name) => true,
            Some(known) => known.members.contains(&self.name),
            None => match self.calls.overriding {
                Overriding::ByWord => self.says_override(),
                Overriding::ByWordOrPublic => self.says_override() || signature::has_word(self.signature, "public"),
                _ => true,
            },
        };
        let found = OutsideBases::of(self.graph, owner, MAX_ABOVE).bases.into_iter().find(may_read);
        found.map(|base| FromOutside::new(How::Reads, base.shown))
    }
}
