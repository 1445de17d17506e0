//! What a server that is asked for it adds to every answer that is an object: the next calls, memories about its nodes,
//! and whether the caller's folder is another one.

use m1nd_base::Cancel;
use serde_json::{Map, Value, json};

use crate::checks::reception;
use crate::framework::Context;

/// Name of the added member.
const MEMBER: &str = "_m1nd";
/// Nodes of an answer about which memories are looked for.
const NODES: usize = 8;

/// Adds `_m1nd` to an answer: `suggest_next`, `read_only`, and where there is something to say `memory_nearby` (at most
/// three) and `reception`.
pub fn add_envelope(cx: &Context<'_>, body: &mut Map<String, Value>) {
    let mut own = Map::new();
    let next = body.get("next_suggested_tool").filter(|tool| tool.is_string());
    let next = next.map(|tool| json!([{"tool": tool, "target": body.get("next_suggested_target")}]));
    own.insert("suggest_next".into(), next.unwrap_or_else(|| json!([])));
    own.insert("read_only".into(), cx.services.engine.is_read_only().into());
    let nearby = cx.services.memories.about(&nodes_of(body, cx.cancel), &cx.snapshot);
    if !nearby.is_empty() {
        own.insert("memory_nearby".into(), json!(nearby));
    }
    if let Some(reception) = reception(&cx.services.memories, &cx.services.engine.status(), cx.reads_history) {
        own.insert("reception".into(), json!(reception));
    }
    body.insert(MEMBER.into(), Value::Object(own));
}

/// The first ids of nodes in the lists of an answer.
fn nodes_of(body: &Map<String, Value>, cancel: &Cancel) -> Vec<String> {
    if cancel.is_cancelled() {
        return Vec::new();
    }
    let rows = body.values().filter_map(Value::as_array).flatten();
    rows.filter_map(|row| row["node_id"].as_str()).take(NODES).map(str::to_owned).collect()
}
