use serde_json::{Map, Value};

use crate::analysis::{
    Callers, Counterfactual, Differential, Diverge, Fingerprint, Hypothesize, Impact, Predict, References, TestsFor,
    Why,
};
use crate::continuity::{
    LockCreate, LockDiff, LockRebase, LockRelease, LockWatch, TrailList, TrailMerge, TrailResume, TrailSave,
};
use crate::core::{BatchView, CallTool, Definition, Glob, Health, Help, Ingest, Outline, Search, Seek, View};
use crate::documents::{
    AutoIngestStart, AutoIngestStatus, AutoIngestStop, AutoIngestTick, DocumentBindings, DocumentDrift,
    DocumentProviderHealth, DocumentResolve,
};
use crate::edit::{
    Apply, ApplyBatch, EditCommit, EditPreview, EditUndo, RefactorCommit, RefactorPreview, RenameCommit, RenamePreview,
    SurgicalContext, SurgicalContextV2, ValidatePlan,
};
use crate::exploration::{
    Activate, AntibodyCreate, AntibodyList, AntibodyScan, Diagram, Drift, FlowSimulate, GhostEdges, HeuristicsSurface,
    LayerInspect, Layers, Learn, Missing, Panoramic, Report, Resonate, Savings, Scan, Timeline, Trace, Tremor, Trust,
    Warmup,
};
use crate::framework::{Catalog, ToolDef};
use crate::lifecycle::{Audit, BootMemory, Federate, FederateAuto, FocusTool, North, Orient, Persist};
use crate::memory::{AddGlobalEdge, Edges, MemorySearch, MemoryStatus};
use crate::perspective::{
    PerspectiveAffinity, PerspectiveBack, PerspectiveBranch, PerspectiveClose, PerspectiveCompare, PerspectiveFollow,
    PerspectiveInspect, PerspectiveList, PerspectivePeek, PerspectiveRoutes, PerspectiveStart, PerspectiveSuggest,
};
use crate::trust::{Doctor, RecoveryPlaybook, SessionHandshake, TrustSelftest};

/// Every tool, in the order of the list of tools.
pub static ALL: &[ToolDef] = &[
    ToolDef::read::<North>(),
    ToolDef::write::<Ingest>(),
    ToolDef::read::<Health>(),
    ToolDef::read::<Help>(),
    ToolDef::read::<CallTool>(),
    ToolDef::read::<Search>(),
    ToolDef::read::<Glob>(),
    ToolDef::read::<View>(),
    ToolDef::read::<BatchView>(),
    ToolDef::read::<Outline>(),
    ToolDef::read::<Definition>(),
    ToolDef::read::<Seek>(),
    ToolDef::read::<Activate>(),
    ToolDef::read::<Resonate>(),
    ToolDef::write::<Warmup>(),
    ToolDef::write::<Learn>(),
    ToolDef::read::<Scan>(),
    ToolDef::read::<Missing>(),
    ToolDef::read::<Why>(),
    ToolDef::read::<Impact>(),
    ToolDef::read::<TestsFor>(),
    ToolDef::read::<Counterfactual>(),
    ToolDef::read::<Hypothesize>(),
    ToolDef::read::<Fingerprint>(),
    ToolDef::read::<Callers>(),
    ToolDef::read::<References>(),
    ToolDef::read::<Trace>(),
    ToolDef::read::<MemorySearch>(),
    ToolDef::read::<Edges>(),
    ToolDef::write::<AddGlobalEdge>(),
    ToolDef::read::<MemoryStatus>(),
    ToolDef::read::<Timeline>(),
    ToolDef::read::<Predict>(),
    ToolDef::read::<GhostEdges>(),
    ToolDef::read::<Differential>(),
    ToolDef::read::<Diverge>(),
    ToolDef::read::<DocumentResolve>(),
    ToolDef::read::<DocumentBindings>(),
    ToolDef::read::<DocumentDrift>(),
    ToolDef::read::<DocumentProviderHealth>(),
    ToolDef::write::<AutoIngestStart>(),
    ToolDef::read::<AutoIngestStatus>(),
    ToolDef::write::<AutoIngestTick>(),
    ToolDef::write::<AutoIngestStop>(),
    ToolDef::read::<Trust>(),
    ToolDef::read::<Tremor>(),
    ToolDef::read::<AntibodyScan>(),
    ToolDef::read::<AntibodyList>(),
    ToolDef::write::<AntibodyCreate>(),
    ToolDef::read::<FlowSimulate>(),
    ToolDef::read::<HeuristicsSurface>(),
    ToolDef::read::<Report>(),
    ToolDef::read::<Panoramic>(),
    ToolDef::read::<Savings>(),
    ToolDef::read::<Layers>(),
    ToolDef::read::<LayerInspect>(),
    ToolDef::read::<Diagram>(),
    ToolDef::write::<TrailSave>(),
    ToolDef::read::<TrailResume>(),
    ToolDef::read::<TrailList>(),
    ToolDef::write::<TrailMerge>(),
    ToolDef::write::<LockCreate>(),
    ToolDef::write::<LockWatch>(),
    ToolDef::read::<LockDiff>(),
    ToolDef::write::<LockRebase>(),
    ToolDef::write::<LockRelease>(),
    ToolDef::read::<Drift>(),
    ToolDef::write::<PerspectiveStart>(),
    ToolDef::write::<PerspectiveRoutes>(),
    ToolDef::read::<PerspectiveInspect>(),
    ToolDef::read::<PerspectivePeek>(),
    ToolDef::write::<PerspectiveFollow>(),
    ToolDef::read::<PerspectiveSuggest>(),
    ToolDef::read::<PerspectiveAffinity>(),
    ToolDef::write::<PerspectiveBranch>(),
    ToolDef::write::<PerspectiveBack>(),
    ToolDef::read::<PerspectiveCompare>(),
    ToolDef::read::<PerspectiveList>(),
    ToolDef::write::<PerspectiveClose>(),
    ToolDef::read::<Orient>(),
    ToolDef::read::<FocusTool>(),
    ToolDef::write::<BootMemory>(),
    ToolDef::read::<Audit>(),
    ToolDef::write::<Persist>(),
    ToolDef::read::<TrustSelftest>(),
    ToolDef::read::<SessionHandshake>(),
    ToolDef::read::<RecoveryPlaybook>(),
    ToolDef::read::<Doctor>(),
    ToolDef::write::<Federate>(),
    ToolDef::read::<ValidatePlan>(),
    ToolDef::read::<SurgicalContext>(),
    ToolDef::read::<SurgicalContextV2>(),
    ToolDef::write::<EditPreview>(),
    ToolDef::write::<EditCommit>(),
    ToolDef::write::<Apply>(),
    ToolDef::write::<ApplyBatch>(),
    ToolDef::read::<RenamePreview>(),
    ToolDef::write::<RenameCommit>(),
    ToolDef::read::<RefactorPreview>(),
    ToolDef::write::<RefactorCommit>(),
    ToolDef::write::<EditUndo>(),
    ToolDef::write::<FederateAuto>(),
];

/// The catalog of [`ALL`].
pub static TOOLS: Catalog = Catalog::new(ALL);

/// Returns the tool with this name, in any form that [`canonical_name`](crate::canonical_name) accepts.
pub fn find(name: &str) -> Option<&'static ToolDef> {
    TOOLS.find(name)
}

/// Arguments that the framework takes of every call.
const OF_EVERY_TOOL: &[&str] = &["agent_id", "format", "detail", "max_output_chars"];

/// The call that a call of a tool stands for: the named tool with its arguments if the tool passes calls on, else the
/// call itself. What the framework takes of every call is passed on with it.
pub fn resolve_call(name: &str, mut arguments: Map<String, Value>) -> (String, Map<String, Value>) {
    let passes_on = find(name).is_some_and(|tool| tool.forwards);
    let Some(tool) = arguments.get("tool").and_then(Value::as_str).filter(|_| passes_on).map(str::to_owned) else {
        return (name.to_owned(), arguments);
    };
    let mut inner = match arguments.remove("arguments") {
        Some(Value::Object(inner)) => inner,
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or_default(),
        _ => Map::new(),
    };
    for name in OF_EVERY_TOOL {
        if let Some(value) = arguments.remove(*name) {
            inner.entry(*name).or_insert(value);
        }
    }
    (tool, inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_calls_of_it_that_name_a_tool_are_passed_on() {
        let cases = [
            (
                "call_tool",
                json!({"agent_id": "a", "tool": "timeline", "arguments": {"node": "x"}}),
                ("timeline", json!({"node": "x", "agent_id": "a"})),
            ),
            (
                "m1nd.call_tool",
                json!({"tool": "x", "arguments": "{\"agent_id\": \"b\"}"}),
                ("x", json!({"agent_id": "b"})),
            ),
            ("call_tool", json!({"agent_id": "a"}), ("call_tool", json!({"agent_id": "a"}))),
            ("help", json!({"tool": "seek"}), ("help", json!({"tool": "seek"}))),
        ];
        for (name, arguments, (expected_name, expected)) in cases {
            let arguments = arguments.as_object().expect("an object").clone();
            let (tool, inner) = resolve_call(name, arguments);
            assert_eq!((tool.as_str(), Value::Object(inner)), (expected_name, expected), "{name}");
        }
    }
}
