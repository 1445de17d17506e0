//! `m1nd doctor`: diagnoses problems. Changes nothing beyond opening the store, which puts damaged files aside.

use std::path::Path;

use m1nd_engine::{Engine, EngineConfig};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{Common, PathArg};
use crate::clients::{Client, ENTRY};
use crate::error::CliError;
use crate::output::{Out, Tone};
use crate::project;

/// File watches that a large repository may need.
const WATCHES: u64 = 65_536;
/// File with the Linux limit on watches of a user.
const WATCH_LIMIT: &str = "/proc/sys/fs/inotify/max_user_watches";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Ok,
    Note,
    Problem,
}

#[derive(Debug, Serialize)]
struct Finding {
    level: Level,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

fn ok(what: impl Into<String>) -> Finding {
    Finding { level: Level::Ok, what: what.into(), next: None }
}

fn note(what: impl Into<String>, next: impl Into<String>) -> Finding {
    Finding { level: Level::Note, what: what.into(), next: Some(next.into()) }
}

fn problem(what: impl Into<String>, next: impl Into<String>) -> Finding {
    Finding { level: Level::Problem, what: what.into(), next: Some(next.into()) }
}

/// Runs the command.
pub(crate) fn run(args: &PathArg, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.as_deref())?;
    let home = project::home(common)?;
    let mut findings = vec![ok(format!("m1nd {}", env!("CARGO_PKG_VERSION"))), home_finding(&home)];
    findings.extend(index_findings(&home, &root));
    findings.extend(watch_finding());
    findings.extend(client_findings(&root));
    let problems = findings.iter().filter(|finding| finding.level == Level::Problem).count();
    if out.json {
        out.value(&json!({"problems": problems, "findings": findings}))?;
    } else {
        for finding in &findings {
            let mark = match finding.level {
                Level::Ok => out.paint(Tone::Good, "ok     "),
                Level::Note => out.paint(Tone::Warn, "note   "),
                Level::Problem => out.paint(Tone::Bad, "problem"),
            };
            out.line(format!("{mark}  {}", finding.what))?;
            if let Some(next) = &finding.next {
                out.line(format!("         → {next}"))?;
            }
        }
    }
    if problems > 0 { Err(CliError::Problems(problems)) } else { Ok(()) }
}

fn home_finding(home: &Path) -> Finding {
    let shown = home.display();
    let choose = "make it writable, or choose another folder: --home FOLDER or M1ND_HOME";
    if !home.exists() {
        return note(format!("{shown} does not exist yet"), "the first `m1nd ingest` creates it");
    }
    let probe = home.join(format!(".probe-{}", std::process::id()));
    let written = std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe));
    match written {
        Ok(()) => ok(format!("{shown} is writable")),
        Err(error) => problem(format!("cannot write to {shown}: {error}"), choose),
    }
}

fn index_findings(home: &Path, root: &Path) -> Vec<Finding> {
    if !home.exists() {
        return Vec::new();
    }
    // Opened as a writer, since only that shows whether another one is active. Nothing is indexed.
    let config = EngineConfig {
        verify_at_open: EngineConfig::VERIFIED_AT_OPEN,
        ..EngineConfig::new(home.to_path_buf(), vec![root.to_path_buf()])
    };
    let mut findings = Vec::new();
    let engine = match Engine::open(config.clone()) {
        Ok(engine) => engine,
        Err(error) => {
            findings.push(problem(error.to_string(), "fix this, then run `m1nd doctor` again"));
            match Engine::open(EngineConfig { read_only: true, ..config }) {
                Ok(engine) => engine,
                Err(_) => return findings,
            }
        }
    };
    let status = engine.status();
    let database = engine.project().notice();
    findings.extend(status.notices.iter().map(|notice| match database == Some(notice) {
        true => problem(notice.clone(), "restore a backup, or go on without what was in it"),
        false => problem(notice.clone(), "run `m1nd ingest` to rebuild the index"),
    }));
    if database.is_none() {
        findings.extend(engine.project().kept_databases().into_iter().map(|path| {
            note(
                format!("{} is a damaged database that was put aside", path.display()),
                "delete it once nothing of it is needed",
            )
        }));
    }
    let shown = root.display();
    findings.push(match engine.snapshot().is_empty() {
        true => note(format!("{shown} is not indexed"), "run `m1nd ingest`"),
        false => ok(format!("{shown} is indexed: {} files, generation {}", status.files, status.generation)),
    });
    if let Some(unseen) = project::unseen(&engine) {
        findings.push(note(unseen, "run `m1nd ingest`"));
    }
    if status.role == m1nd_engine::ProcessRole::Reader {
        findings.push(ok("another m1nd process updates this index"));
    }
    findings
}

fn watch_finding() -> Option<Finding> {
    let limit: u64 = std::fs::read_to_string(WATCH_LIMIT).ok()?.trim().parse().ok()?;
    Some(match limit < WATCHES {
        true => note(
            format!("the system allows {limit} file watches; a large repository needs more to be watched"),
            format!("sudo sysctl fs.inotify.max_user_watches={WATCHES}"),
        ),
        false => ok(format!("{limit} file watches are allowed")),
    })
}

fn client_findings(root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &client in Client::ALL {
        let file = client.file(root);
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let (label, shown) = (client.label(), file.display());
        findings.push(match serde_json::from_str::<Value>(&text) {
            Err(error) => {
                problem(format!("{shown} is not valid JSON: {error}"), format!("fix it; {label} cannot read it"))
            }
            Ok(whole) => match &whole[client.section()][ENTRY]["command"] {
                Value::String(program) if Path::new(program).is_absolute() && !Path::new(program).exists() => {
                    problem(format!("{label} starts {program}, which does not exist"), "run `m1nd init` to fix it")
                }
                Value::String(_) => ok(format!("{label} is connected by {shown}")),
                _ => note(format!("{shown} has no entry for m1nd"), "run `m1nd init`"),
            },
        });
    }
    if findings.is_empty() {
        findings.push(note("no MCP client is connected in this project", "run `m1nd init`"));
    }
    findings
}
