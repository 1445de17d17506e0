use super::definition::ToolDef;
use super::kinds::{Purpose, Stage};
use super::names::{canonical_name, edit_distance};

/// Maximum edit distance between an unknown name and a suggested one.
const SUGGESTION_DISTANCE: usize = 6;
/// Maximum names suggested for an unknown one.
const SUGGESTIONS: usize = 3;
/// Maximum characters of an unknown name that are compared.
const COMPARED_NAME: usize = 60;

/// The tools of a server or command line. Help, instructions and docs take the names of tools from here.
#[derive(Debug, Clone, Copy)]
pub struct Catalog {
    tools: &'static [ToolDef],
}

impl Catalog {
    /// Creates a catalog of these tools, in the order of the list of tools.
    pub const fn new(tools: &'static [ToolDef]) -> Self {
        Self { tools }
    }

    /// Every tool, in order.
    pub const fn all(self) -> &'static [ToolDef] {
        self.tools
    }

    /// Returns the tool with this name, in any form that [`canonical_name`] accepts.
    pub fn find(self, name: &str) -> Option<&'static ToolDef> {
        let name = canonical_name(name);
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Returns the names of tools similar to `name`, nearest first, at most three.
    pub fn suggestions(self, name: &str) -> Vec<&'static str> {
        let name: String = canonical_name(name).chars().take(COMPARED_NAME).collect();
        let mut near: Vec<_> = self.tools.iter().map(|tool| (edit_distance(&name, tool.name), tool.name)).collect();
        // A name without a common character is no suggestion, however short both are.
        near.retain(|(distance, tool)| {
            *distance <= SUGGESTION_DISTANCE && *distance < tool.len().max(name.chars().count())
        });
        near.sort();
        near.into_iter().take(SUGGESTIONS).map(|(_, tool)| tool).collect()
    }

    /// Returns the tools proposed for a stage, each with the reason, in order.
    pub fn route(self, stage: Stage) -> Vec<(&'static ToolDef, &'static str)> {
        self.rank_tools(|tool| tool.stages.iter().find(|(of, ..)| *of == stage).map(|(_, rank, why)| (*rank, *why)))
    }

    /// Returns the tools that a sentence of the instructions names, each with the words after its name, in order.
    pub fn mentions(self, purpose: Purpose) -> Vec<(&'static ToolDef, &'static str)> {
        self.rank_tools(|tool| {
            tool.mentions.iter().find(|(of, ..)| *of == purpose).map(|(_, rank, text)| (*rank, *text))
        })
    }

    fn rank_tools<T>(self, of: impl Fn(&ToolDef) -> Option<(u8, T)>) -> Vec<(&'static ToolDef, T)> {
        let mut found: Vec<_> =
            self.tools.iter().filter_map(|tool| of(tool).map(|(rank, it)| (rank, tool, it))).collect();
        // Stable, so that equal ranks keep the order of the registry.
        found.sort_by_key(|(rank, ..)| *rank);
        found.into_iter().map(|(_, tool, it)| (tool, it)).collect()
    }
}
