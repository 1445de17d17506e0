//! The platforms that packages are made for, and what each package manager calls them.

use std::process::Command;

use crate::Outcome;

/// A platform.
pub(super) struct Target {
    /// Its name for Rust.
    pub(super) triple: &'static str,
    /// Its name for Node: `process.platform`, `process.arch` and, on Linux, the C library.
    pub(super) node: (&'static str, &'static str, Option<&'static str>),
    /// Its architecture for Debian, if packages for Debian are made.
    pub(super) debian: Option<&'static str>,
    /// Its tag for Python. On Linux it is the architecture: the rest follows from what the binary needs.
    pub(super) python: &'static str,
    /// Its architecture for winget and Scoop.
    pub(super) windows: Option<&'static str>,
}

/// Every platform. A package of npm names all of them.
pub(super) const TARGETS: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-gnu",
        node: ("linux", "x64", Some("glibc")),
        debian: Some("amd64"),
        python: "x86_64",
        windows: None,
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        node: ("linux", "arm64", Some("glibc")),
        debian: Some("arm64"),
        python: "aarch64",
        windows: None,
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        node: ("linux", "x64", Some("musl")),
        debian: None,
        python: "x86_64",
        windows: None,
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        node: ("linux", "arm64", Some("musl")),
        debian: None,
        python: "aarch64",
        windows: None,
    },
    Target {
        triple: "x86_64-apple-darwin",
        node: ("darwin", "x64", None),
        debian: None,
        python: "macosx_10_12_x86_64",
        windows: None,
    },
    Target {
        triple: "aarch64-apple-darwin",
        node: ("darwin", "arm64", None),
        debian: None,
        python: "macosx_11_0_arm64",
        windows: None,
    },
    Target {
        triple: "x86_64-pc-windows-msvc",
        node: ("win32", "x64", None),
        debian: None,
        python: "win_amd64",
        windows: Some("x64"),
    },
    Target {
        triple: "aarch64-pc-windows-msvc",
        node: ("win32", "arm64", None),
        debian: None,
        python: "win_arm64",
        windows: Some("arm64"),
    },
];

impl Target {
    pub(super) fn is_windows(&self) -> bool {
        self.windows.is_some()
    }

    pub(super) fn is_linux(&self) -> bool {
        self.node.0 == "linux"
    }

    /// File name of a program.
    pub(super) fn program(&self, name: &str) -> String {
        if self.is_windows() { format!("{name}.exe") } else { name.to_owned() }
    }

    /// Name of the npm package that holds the program.
    pub(super) fn npm_package(&self) -> String {
        let (system, architecture, library) = self.node;
        let suffix = if library == Some("musl") { "-musl" } else { "" };
        format!("m1nd-{system}-{architecture}{suffix}")
    }

    /// Name of the archive of a version.
    pub(super) fn archive(&self, version: &str) -> String {
        self.archive_of("m1nd", version)
    }

    /// Name of the archive of a program.
    pub(super) fn archive_of(&self, program: &str, version: &str) -> String {
        let ending = if self.is_windows() { "zip" } else { "tar.gz" };
        format!("{program}-{version}-{}.{ending}", self.triple)
    }

    /// Name of the MCP bundle of a version.
    pub(super) fn bundle(&self, version: &str) -> String {
        format!("m1nd-{version}-{}.mcpb", self.triple)
    }
}

/// # Errors
/// There is no such platform.
pub(super) fn find(triple: &str) -> Outcome<&'static Target> {
    let names = || TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
    let target = TARGETS.iter().find(|target| target.triple == triple);
    target.ok_or_else(|| format!("no packages are made for {triple}; there are {}", names()).into())
}

/// The platform of this machine.
pub(super) fn read_host() -> Outcome<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let answer = Command::new(rustc).arg("-vV").output()?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("`rustc -vV` does not name a host")?.to_owned())
}
