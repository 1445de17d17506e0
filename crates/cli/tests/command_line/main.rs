//! The built program, run as a person or a client runs it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod attach;
#[cfg(unix)]
mod book;
mod check;
mod colour;
mod docs;
mod export;
mod help;
mod init;
mod interrupted;
mod manners;
mod map;
mod memory;
mod north;
mod past;
mod permissions;
#[cfg(unix)]
mod resident;
mod schema;
mod settings;
mod stale;
mod start;
mod store;
mod tools;
mod trail;
mod unseen;
mod upgrade;
mod verify;
mod work;
mod workspace;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use m1nd_testkit::TempTree;

/// A small repository in two languages with a test.
pub(crate) const SHOP: &str = "\
//- .git/HEAD
ref: refs/heads/main
//- shop/__init__.py
//- shop/price.py
def net(value):
    return value * 2

def gross(value):
    return net(value) + 1
//- shop/order.py
from shop.price import gross

class Order:
    def total(self):
        return gross(3)
//- web/cart.ts
export function add(a: number): number { return a + 1 }
";

/// A project and a home of its own for one test.
pub(crate) struct Place {
    pub(crate) project: TempTree,
    pub(crate) user: TempTree,
}

/// What a run of the program gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// A repository with one commit; `None` where there is no git.
    pub(crate) fn open_committed(fixture: &str) -> Option<Self> {
        let place = Self::new(fixture);
        (place.git(&["init", "-q"]) && place.commit("start")).then_some(place)
    }

    /// Commits all files; returns whether git did so.
    pub(crate) fn commit(&self, subject: &str) -> bool {
        self.git(&["add", "-A"]) && self.git(&["commit", "-q", "-m", subject])
    }

    fn git(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com"]).args(arguments);
        command.current_dir(self.project.path()).env("HOME", self.user.path());
        command.output().is_ok_and(|output| output.status.success())
    }

    pub(crate) fn new(fixture: &str) -> Self {
        Self { project: TempTree::new(fixture), user: TempTree::new("") }
    }

    /// The program, to be run in the project with the user's home in a temporary folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_m1nd"));
        command.args(arguments).current_dir(self.project.path()).stdin(Stdio::null());
        command
            .env("HOME", self.user.path())
            .env_remove("M1ND_LOG")
            .env_remove("NO_COLOR")
            .env_remove("M1ND_PAGER")
            .env("M1ND_NO_DAEMON", "1")
            .env("COLUMNS", "100");
        command.env("M1ND_HOME", self.user.join("store"));
        command.env("MIND_HOME", self.user.join("mind")).env_remove("CLAUDE_PROJECT_DIR").env_remove("MIND_LOG_LEVEL");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        Run {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }
}

/// Every file below a folder with its content, in order.
pub(crate) fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            out.push((name, std::fs::read(&path).unwrap()));
        }
    }
    out.sort();
    out
}
