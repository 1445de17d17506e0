//! `m1nd doctor`: prints the findings of the tool `doctor`, and looks at the store and the configuration of clients.
//! Changes nothing beyond opening the store, which puts damaged files aside.

use std::path::Path;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, EngineConfig};
use m1nd_tools::{Context, Services, TOOLS};
use serde::Serialize;
use serde_json::json;

use crate::answers::{self, CheckResult, CheckRow, Checkup, Repair};
use crate::args::{Common, DoctorArgs};
use crate::clients::Client;
use crate::error::CliError;
use crate::output::{Out, Tone};
use crate::project;
use crate::settings::Settings;
use crate::version::VERSION;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    Ok,
    Note,
    Problem,
}

#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) level: Level,
    pub(super) what: String,
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
pub(crate) fn run(args: &DoctorArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.path.as_deref())?;
    let home = project::home(common)?;
    let mut findings = vec![ok(format!("m1nd {VERSION}")), home_finding(&home)];
    findings.extend(settings_findings(&home, &root));
    findings.extend(index_findings(&home, &root)?);
    findings.extend(client_findings(&root));
    if let Some(file) = &args.bundle {
        return super::bundle::write(file, &findings, out);
    }
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

/// What of `settings.toml` is not used.
fn settings_findings(home: &Path, root: &Path) -> Vec<Finding> {
    let (_, problems) = Settings::load(home, root);
    problems.into_iter().map(|why| problem(why, "correct the file, or remove it")).collect()
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

/// The findings of the tool, on an engine that writes if it can.
fn index_findings(home: &Path, root: &Path) -> Result<Vec<Finding>, CliError> {
    if !home.exists() {
        return Ok(Vec::new());
    }
    // Opened as a writer, since only that shows whether another one is active. Nothing is indexed.
    let config = EngineConfig {
        verify_at_open: EngineConfig::VERIFIED_AT_OPEN,
        check_budget: project::CHECK_BUDGET,
        // A report changes no file of the project.
        recovers: false,
        ..EngineConfig::new(home.to_path_buf(), vec![root.to_path_buf()])
    };
    let mut findings = Vec::new();
    let engine = match Engine::open(config.clone()) {
        Ok(engine) => engine,
        Err(error) => {
            findings.push(problem(error.to_string(), "fix this, then run `m1nd doctor` again"));
            match Engine::open(EngineConfig { read_only: true, ..config }) {
                Ok(engine) => engine,
                Err(_) => return Ok(findings),
            }
        }
    };
    if engine.role() == m1nd_engine::ProcessRole::Reader {
        findings.push(ok("another m1nd process updates this index"));
    }
    let services = Services::over(engine, project::memory_places(&[root.to_path_buf()], true)?);
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &NoProgress) };
    let checkup: Checkup = answers::ask(&context, json!({}))?.answer;
    findings.extend(checkup.findings.iter().filter_map(of_tool));
    Ok(findings)
}

/// A finding of the tool. Those about a host and its agent do not concern the command line.
fn of_tool(row: &CheckRow) -> Option<Finding> {
    let what = match &*row.check {
        "host_tools" | "workspace" => return None,
        check => format!("{check}: {}", row.detail),
    };
    let level = match row.result {
        CheckResult::Pass => Level::Ok,
        CheckResult::Fail => Level::Problem,
        CheckResult::Unknown => Level::Note,
    };
    Some(Finding { level, what, next: row.repair.as_ref().and_then(repair) })
}

/// A repair as a person reads it.
fn repair(step: &Repair) -> Option<String> {
    let action = Some(&step.action).filter(|action| !action.is_empty())?;
    Some(match (step.tool.as_deref(), step.command.is_empty()) {
        (Some("ingest"), _) => format!("{action}: `m1nd ingest`"),
        (Some(tool), _) => format!("{action}: `m1nd call {tool} --json '{}'`", step.arguments),
        (None, false) => format!("{action}: `{}`", step.command.join(" ")),
        (None, true) => action.clone(),
    })
}

fn client_findings(root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let user_home = std::env::home_dir();
    for client in Client::all() {
        let Some(file) = client.file(root, user_home.as_deref()) else { continue };
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let (label, shown) = (client.label(), file.display());
        findings.push(match client.read_command(&text) {
            Err(error) => problem(format!("{shown} is {error}"), format!("fix it; {label} cannot read it")),
            Ok(Some(program)) if Path::new(&program).is_absolute() && !Path::new(&program).exists() => {
                problem(format!("{label} starts {program}, which does not exist"), "run `m1nd init` to fix it")
            }
            Ok(Some(_)) => ok(format!("{label} is connected by {shown}")),
            // A file of the user's home says nothing about this project.
            Ok(None) if !file.starts_with(root) => continue,
            Ok(None) => note(format!("{shown} has no entry for m1nd"), "run `m1nd init`"),
        });
    }
    if findings.is_empty() {
        findings.push(note("no MCP client is connected in this project", "run `m1nd init`"));
    }
    findings
}
