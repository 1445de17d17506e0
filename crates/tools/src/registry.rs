use crate::analysis::{Impact, Why};
use crate::core::{Glob, Health, Help, Ingest, Search, Seek, View};
use crate::exploration::{Activate, Learn, Missing, Resonate, Scan, Trace, Warmup};
use crate::framework::{ToolDef, canonical_name, edit_distance};
use crate::memory::{AddGlobalEdge, Edges, MemorySearch, MemoryStatus};

/// Every tool, in the order of the list of tools.
pub static ALL: &[ToolDef] = &[
    ToolDef::write::<Ingest>(),
    ToolDef::read::<Health>(),
    ToolDef::read::<Help>(),
    ToolDef::read::<Search>(),
    ToolDef::read::<Glob>(),
    ToolDef::read::<View>(),
    ToolDef::read::<Seek>(),
    ToolDef::read::<Activate>(),
    ToolDef::read::<Resonate>(),
    ToolDef::write::<Warmup>(),
    ToolDef::write::<Learn>(),
    ToolDef::read::<Scan>(),
    ToolDef::read::<Missing>(),
    ToolDef::read::<Why>(),
    ToolDef::read::<Impact>(),
    ToolDef::read::<Trace>(),
    ToolDef::read::<MemorySearch>(),
    ToolDef::read::<Edges>(),
    ToolDef::write::<AddGlobalEdge>(),
    ToolDef::read::<MemoryStatus>(),
];

/// The tool with this name, in any form that [`canonical_name`] knows.
pub fn find(name: &str) -> Option<&'static ToolDef> {
    let name = canonical_name(name);
    ALL.iter().find(|tool| tool.name == name)
}

/// Largest number of edits between an unknown name and one that is worth suggesting.
const SUGGESTION_DISTANCE: usize = 6;

/// Names of tools that `name` may have meant, nearest first, at most three.
pub fn suggestions(name: &str) -> Vec<&'static str> {
    let name: String = canonical_name(name).chars().take(60).collect();
    let mut near: Vec<_> = ALL.iter().map(|tool| (edit_distance(&name, tool.name), tool.name)).collect();
    // A name that shares nothing is no suggestion, however short both are.
    near.retain(|(distance, tool)| {
        *distance <= SUGGESTION_DISTANCE && *distance < tool.len().max(name.chars().count())
    });
    near.sort();
    near.into_iter().take(3).map(|(_, tool)| tool).collect()
}
