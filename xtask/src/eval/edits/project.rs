//! A checkout with a server over it.

use std::path::{Path, PathBuf};
use std::process::Command;

use m1nd_testkit::wire::Wire;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Request;
use crate::Outcome;

/// Version of the protocol that the client speaks.
const PROTOCOL: &str = "2025-06-18";

pub(super) struct Project {
    pub(super) root: PathBuf,
    home: TempDir,
    wire: Option<Wire>,
}

impl Project {
    /// A checkout of a repository's newest commit below the work folder, without a server.
    pub(super) fn check_out(request: &Request, repository: &str) -> Outcome<Self> {
        let name = repository.replace('/', "+");
        let root = request.work.join(&name);
        if !root.is_dir() {
            let source = request.mirror.join(&name).join("repo").display().to_string();
            git(&request.work, &["clone", "--quiet", "--shared", &source, &name])?;
            std::fs::write(root.join(".newest"), git(&root, &["rev-parse", "HEAD"])?)?;
            std::fs::write(root.join(".git/info/exclude"), ".newest\n")?;
        }
        let project = Self { root, home: TempDir::new()?, wire: None };
        let newest = std::fs::read_to_string(project.root.join(".newest"))?;
        project.reset(newest.trim())?;
        Ok(project)
    }

    /// Brings the files to a commit.
    pub(super) fn reset(&self, commit: &str) -> Outcome<()> {
        git(&self.root, &["checkout", "--quiet", "--force", "--detach", commit])?;
        git(&self.root, &["clean", "--quiet", "--force", "-d"])?;
        Ok(())
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Starts the server and indexes the files.
    pub(super) fn serve(&mut self, request: &Request) -> Outcome<()> {
        let mut command = Command::new(&request.binary);
        command.arg("--home").arg(self.home.path()).args(["serve", "--stdio", "--no-watch", "--root"]).arg(&self.root);
        command.current_dir(&self.root).stderr(std::process::Stdio::null());
        let mut wire = Wire::spawn(&mut command)?;
        wire.initialize(PROTOCOL);
        self.wire = Some(wire);
        self.ingest()
    }

    /// Ends the server.
    pub(super) fn stop(&mut self) {
        self.wire = None;
    }

    /// Brings the index up to date with the files.
    pub(super) fn ingest(&mut self) -> Outcome<()> {
        let root = self.root.display().to_string();
        match self.call("ingest", json!({"path": root, "incremental": true})) {
            (_, false) => Ok(()),
            (answer, true) => Err(format!("ingest: {answer}").into()),
        }
    }

    /// Calls a tool; the answer, and whether it is an error.
    pub(super) fn call(&mut self, tool: &str, mut arguments: Value) -> (Value, bool) {
        arguments["agent_id"] = json!("eval");
        self.wire.as_mut().expect("`serve` was called before").call(tool, arguments)
    }

    /// Undoes all changes of files.
    pub(super) fn restore(&mut self) -> Outcome<()> {
        self.reset("HEAD")?;
        self.ingest()
    }
}

/// What git prints.
pub(super) fn git(folder: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(args).output()?;
    if !output.status.success() {
        return Err(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
