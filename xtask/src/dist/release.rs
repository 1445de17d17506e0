//! What all packages of a release are made of.

use std::path::Path;
use std::process::Command;

use crate::product::DESCRIPTION;
use crate::{Outcome, repository};

use super::dependencies::Packages;
use super::elf::Needs;
use super::fleet::Fleet;
use super::sbom::Subject;
use super::targets::Target;
use super::{licences, sbom};

/// The package of the program.
pub(super) const PACKAGE: &str = "m1nd-cli";
/// Environment variable with the time of all entries, in seconds.
const EPOCH: &str = "SOURCE_DATE_EPOCH";
/// That time outside of a git repository: 1980-01-01, the first of zip.
const FIRST_EPOCH: u64 = 315_532_800;
/// The shell script of the program `mind`, where a package cannot hold a link.
pub(super) const MIND: &str = "#!/bin/sh\nexec \"$(dirname -- \"$0\")/m1nd\" memory \"$@\"\n";
/// Shells, and where completions of `m1nd` are in an archive.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "m1nd.bash"),
    ("zsh", "_m1nd"),
    ("fish", "m1nd.fish"),
    ("powershell", "_m1nd.ps1"),
    ("elvish", "m1nd.elv"),
];

/// Everything that packages are made of.
pub(super) struct Release {
    pub(super) version: String,
    pub(super) target: &'static Target,
    pub(super) repository: String,
    /// The program.
    pub(super) binary: Vec<u8>,
    /// On Windows, the program `mind`. Elsewhere it is a link to `m1nd`.
    pub(super) mind: Option<Vec<u8>>,
    /// What the program needs; on Linux only.
    pub(super) needs: Option<Needs>,
    pub(super) man: Vec<u8>,
    /// File names and texts of completions.
    pub(super) completions: Vec<(&'static str, Vec<u8>)>,
    /// File names and texts of our own licences.
    pub(super) licences: Vec<(&'static str, Vec<u8>)>,
    /// The licences of all packages in the program.
    pub(super) third_party: String,
    /// The bill of materials.
    pub(super) sbom: String,
    pub(super) fleet: Fleet,
    /// The time of all entries, in seconds.
    pub(super) epoch: u64,
    /// The compression level.
    pub(super) level: u32,
}

impl Release {
    /// Reads the binary, what it says about itself, and what it was built from.
    ///
    /// # Errors
    /// The binary does not run here, or is not of this version.
    pub(super) fn read(binary: &Path, target: &'static Target, level: u32, repository_url: String) -> Outcome<Self> {
        let packages = Packages::read(target, PACKAGE)?;
        let version = packages.root.version.clone();
        let binary = std::path::absolute(binary)?;
        let bytes = read_program(&binary, &version)?;
        let mind = binary.with_file_name(target.program("mind"));
        let completions = SHELLS.iter().map(|(shell, file)| Ok((*file, ask(&binary, &["completions", shell])?)));
        let licences = ["LICENSE-APACHE", "LICENSE-MIT"].into_iter();
        let epoch = read_epoch()?;
        let subject = Subject { name: "m1nd", description: DESCRIPTION, target, packages: &packages, epoch };
        Ok(Self {
            needs: target.is_linux().then(|| Needs::read(&bytes)).transpose()?,
            mind: target.is_windows().then(|| std::fs::read(mind)).transpose()?,
            binary: bytes,
            man: ask(&binary, &["man"])?,
            completions: completions.collect::<Outcome<_>>()?,
            licences: licences
                .map(|name| Ok((name, std::fs::read(repository().join(name))?)))
                .collect::<Outcome<_>>()?,
            third_party: format!("{}\n{}", licences::write("m1nd", &packages)?, licences::read_page()?),
            sbom: sbom::write(&subject)?,
            fleet: Fleet::read(&binary, target, &version, epoch)?,
            repository: repository_url,
            epoch,
            version,
            target,
            level,
        })
    }

    /// The name of the server in the MCP registry: `io.github.OWNER/m1nd`.
    pub(super) fn mcp_name(&self) -> String {
        mcp_name(&self.repository)
    }

    /// Who owns the repository.
    pub(super) fn owner(&self) -> &str {
        read_owner(&self.repository)
    }

    /// The page of this project on PyPI and npm, with the marker by which the MCP registry finds its owner.
    pub(super) fn page(&self) -> String {
        let text = include_str!("page.md");
        text.replace("{repository}", &self.repository).replace("{mcp_name}", &self.mcp_name())
    }
}

/// The name in the MCP registry of a server with this repository.
pub(super) fn mcp_name(repository_url: &str) -> String {
    format!("io.github.{}/m1nd", read_owner(repository_url))
}

/// The owner in the address of a repository.
pub(super) fn read_owner(repository_url: &str) -> &str {
    repository_url.trim_end_matches('/').rsplit('/').nth(1).unwrap_or_default()
}

/// The bytes of a program.
///
/// # Errors
/// It does not run here, or is not of this version.
pub(super) fn read_program(path: &Path, version: &str) -> Outcome<Vec<u8>> {
    let own = String::from_utf8(ask(path, &["--version"])?)?;
    if own.split_whitespace().nth(1) != Some(version) {
        return Err(format!("{} is `{}`, expected version {version}", path.display(), own.trim()).into());
    }
    Ok(std::fs::read(path)?)
}

/// What the program writes to standard output.
fn ask(binary: &Path, arguments: &[&str]) -> Outcome<Vec<u8>> {
    let answer = Command::new(binary).args(arguments).env("NO_COLOR", "1").output();
    let answer = answer.map_err(|error| format!("cannot run {}: {error}", binary.display()))?;
    if !answer.status.success() {
        let why = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
        return Err(format!("`{} {}`: {why}", binary.display(), arguments.join(" ")).into());
    }
    Ok(answer.stdout)
}

/// The time of all entries: `SOURCE_DATE_EPOCH`, or that of the last commit.
fn read_epoch() -> Outcome<u64> {
    if let Ok(text) = std::env::var(EPOCH) {
        return text.parse().map_err(|_| format!("{EPOCH} is `{text}`, expected seconds since 1970").into());
    }
    let answer = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(repository()).output();
    let time = answer.ok().and_then(|answer| String::from_utf8_lossy(&answer.stdout).trim().parse().ok());
    Ok(time.unwrap_or(FIRST_EPOCH))
}
