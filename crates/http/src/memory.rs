//! The memory of the project for people: what it holds, approving what came with the project, forgetting.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use m1nd_mind::{Depth, IndexedMemory, Keeper, MemoryError, ProjectMemory, Record};
use m1nd_tools::{ErrorCode, memory_error};
use serde_json::{Map, Value, json};

use crate::api::{Failure, answer, read_arguments};
use crate::server::App;

/// `GET /api/memory`: all memories with their state, and the texts of the repository that hold some.
pub(crate) async fn list_memories(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let is_read_only = app.host.options().read_only;
    run(&app, move |keeper, project| {
        if !is_read_only {
            keeper.refresh(project, Depth::Full)?;
        }
        let memory = ProjectMemory::read(project, keeper.home())?;
        let index = memory.index();
        let known: HashMap<String, &IndexedMemory> =
            index.memories.iter().map(|known| (known.id.to_string(), known)).collect();
        let list = |records: &[Record]| records.iter().map(|record| describe(record, &known)).collect::<Vec<_>>();
        Ok(json!({
            "project": project, "registered": true, "approved": memory.is_own(),
            "memories": list(&memory.records), "hidden": list(&memory.hidden), "sources": memory.sources(),
        }))
    })
    .await
}

/// `POST /api/memory/approve` `{sources?, undo?}`: all without `sources`.
pub(crate) async fn approve_memories(State(app): State<Arc<App>>, request: Request) -> Result<Response, Failure> {
    let arguments = read_arguments(&app, request).await?;
    check_writable(&app)?;
    let sources = read_texts(&arguments, "sources")?;
    let undo = read_flag(&arguments, "undo")?;
    run(&app, move |keeper, project| {
        if undo {
            keeper.disapprove(project, &sources)?;
            return Ok(json!({"project": project, "taken_back": sources}));
        }
        let new = keeper.approve(project, &sources, None)?;
        Ok(json!({"project": project, "approved": new}))
    })
    .await
}

/// `POST /api/memory/forget` `{id, undo?, dry_run?}`.
pub(crate) async fn forget_memory(State(app): State<Arc<App>>, request: Request) -> Result<Response, Failure> {
    let arguments = read_arguments(&app, request).await?;
    check_writable(&app)?;
    let Some(Value::String(id)) = arguments.get("id").cloned() else {
        return Err(report_argument("id", "the id of a memory"));
    };
    let (undo, dry_run) = (read_flag(&arguments, "undo")?, read_flag(&arguments, "dry_run")?);
    run(&app, move |keeper, project| {
        if undo {
            return match m1nd_mind::show_again(keeper, project, &id)? {
                true => Ok(json!({"id": id, "hidden": false})),
                false => Err(MemoryError::Invalid(format!("no hidden memory has the id `{id}`"))),
            };
        }
        let memory = ProjectMemory::read(project, keeper.home())?;
        let forgotten = m1nd_mind::forget(keeper, &memory, &id, dry_run)?;
        if !dry_run {
            for problem in m1nd_mind::refresh_blocks(&ProjectMemory::read(project, keeper.home())?).problems {
                tracing::warn!(%problem, "a block of memories was not written");
            }
        }
        let mut body = json!(forgotten);
        body["dry_run"] = json!(dry_run);
        Ok(body)
    })
    .await
}

/// Runs work on the memory of the project, which reads and writes files.
async fn run(
    app: &App,
    work: impl FnOnce(&Keeper, &Path) -> Result<Value, MemoryError> + Send + 'static,
) -> Result<Response, Failure> {
    let services = app.host.services();
    let done = tokio::task::spawn_blocking(move || {
        let project = services.memories.project()?;
        work(&services.memories.keeper(services.engine.snapshot()), &project)
    });
    match done.await {
        Ok(Ok(body)) => Ok(answer(StatusCode::OK, &body)),
        Ok(Err(MemoryError::NoProject { .. })) => {
            let none = json!({"registered": false, "approved": false, "memories": [], "hidden": [], "sources": []});
            Ok(answer(StatusCode::OK, &none))
        }
        Ok(Err(error)) => Err(memory_error(&error).into()),
        Err(_) => {
            let message = "the memory could not be read";
            Err(Failure::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal.word(), message))
        }
    }
}

/// A memory as a row, with the state of the code that it names.
fn describe(record: &Record, known: &HashMap<String, &IndexedMemory>) -> Value {
    let id = record.id.to_string();
    let known = known.get(&id);
    let state = known.and_then(|known| known.state).map(|state| state.word());
    let code: Vec<Value> = known
        .into_iter()
        .flat_map(|known| &known.code)
        .map(|code| json!({"name": code.name, "node_id": code.node_id, "state": state.unwrap_or("unknown")}))
        .collect();
    json!({
        "id": id, "type": record.kind.name(), "title": record.title, "content": record.content,
        "reasoning": record.reasoning, "status": record.status, "source_file": record.source.file,
        "source_line": record.source.line, "source_kind": record.source.kind, "date": record.date,
        "is_key": record.is_key, "resolved_by": record.resolved_by,
        "superseded_by": record.superseded_by.map(|id| id.to_string()), "state": state, "code": code,
    })
}

fn check_writable(app: &App) -> Result<(), Failure> {
    if !app.host.options().read_only {
        return Ok(());
    }
    let message = "the server is read-only, so the memory was not changed";
    Err(Failure::new(StatusCode::FORBIDDEN, ErrorCode::ReadOnly.word(), message).next("start it without --read-only"))
}

fn report_argument(name: &str, expected: &str) -> Failure {
    let message = format!("`{name}` is missing or of another type, expected {expected}");
    Failure::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidParams.word(), message)
}

fn read_flag(arguments: &Map<String, Value>, name: &str) -> Result<bool, Failure> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(report_argument(name, "true or false")),
    }
}

fn read_texts(arguments: &Map<String, Value>, name: &str) -> Result<Vec<String>, Failure> {
    let Some(value) = arguments.get(name).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let texts = value.as_array().and_then(|list| list.iter().map(|text| text.as_str().map(str::to_owned)).collect());
    texts.ok_or_else(|| report_argument(name, "a list of texts"))
}
