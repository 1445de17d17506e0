//! `m1nd upgrade --check`: says what runs, how it was installed, and what it does with the stored indexes. Replaces
//! nothing: what installed the program upgrades it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use m1nd_engine::{FormatState, StoredFormat, list_formats};
use serde_json::{Value, json};

use crate::args::{Common, UpgradeArgs};
use crate::error::CliError;
use crate::output::{Out, Tone};
use crate::project;
use crate::version::VERSION;

/// Name of the program.
const PROGRAM: &str = "m1nd";
/// Where Debian lists the files of the package.
const DEBIAN_LIST: &str = "/var/lib/dpkg/info/m1nd.list";

/// A way to install: whether the path of the program shows it, and the command that upgrades it.
struct Way {
    name: &'static str,
    shows: fn(&Path) -> bool,
    upgrade: &'static str,
}

/// Ways to install, the most specific first.
const WAYS: &[Way] = &[
    Way { name: "npx", shows: |path| has_folder(path, "_npx"), upgrade: "npx -y m1nd@latest" },
    Way { name: "npm", shows: |path| has_folder(path, "node_modules"), upgrade: "npm install --global m1nd@latest" },
    Way { name: "uvx", shows: |path| has_folder_like(path, "archive-v"), upgrade: "uvx m1nd@latest" },
    Way { name: "uv", shows: is_of_uv, upgrade: "uv tool upgrade m1nd" },
    Way { name: "pip", shows: is_in_venv, upgrade: "pip install --upgrade m1nd" },
    Way { name: "Homebrew", shows: |path| has_folder(path, "Cellar"), upgrade: "brew upgrade m1nd" },
    Way { name: "Scoop", shows: |path| has_folder(path, "scoop"), upgrade: "scoop update m1nd" },
    Way { name: "winget", shows: |path| has_folder(path, "WinGet"), upgrade: "winget upgrade m1nd" },
    Way {
        name: "Debian package",
        shows: |path| path.starts_with("/usr/bin") && Path::new(DEBIAN_LIST).exists(),
        upgrade: "apt install ./m1nd_VERSION_ARCHITECTURE.deb, with the file of the release",
    },
    Way {
        name: "cargo",
        shows: |path| path.parent().is_some_and(|folder| folder.ends_with(".cargo/bin")),
        upgrade: "git pull && cargo install --path crates/cli, in the checkout",
    },
    Way {
        name: "a checkout",
        shows: |path| has_folder(path, "target"),
        upgrade: "git pull && cargo build --release -p m1nd-cli, in the checkout",
    },
];
/// For a program that was copied to its place.
const BY_HAND: (&str, &str) = ("an archive", "unpack the archive of the release over the program");

/// Another program of the same name on `PATH`.
struct Other {
    path: PathBuf,
    version: String,
    is_newer: bool,
}

/// Runs the command.
pub(crate) fn run(args: &UpgradeArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let this = std::env::current_exe().and_then(std::fs::canonicalize)?;
    let (way, upgrade) = find_way(&this);
    let others = list_others(&this);
    let formats = list_formats(&project::home(common)?, &project::root(args.path.path.as_deref())?);
    let release = args.online.as_deref().map(find_release).transpose()?;
    if out.json {
        let file = |row: &StoredFormat| json!({"file": row.file, "format": row.found, "supported": row.supported, "state": describe(row)});
        let other = |other: &Other| json!({"path": other.path, "version": other.version, "newer": other.is_newer});
        let is_newer = |release: &Option<String>| release.as_deref().is_some_and(|release| is_newer(release, VERSION));
        return out.value(&json!({
            "version": VERSION, "program": this, "installed_by": way, "upgrade": upgrade,
            "others": others.iter().map(other).collect::<Vec<Value>>(),
            "stored": formats.iter().map(file).collect::<Vec<Value>>(),
            "release": release, "newer_release": release.as_ref().map(is_newer),
        }));
    }
    out.line(format!("m1nd {VERSION}"))?;
    out.line(format!("program  {} (installed by {way})", this.display()))?;
    for other in &others {
        let (what, tone) = if other.is_newer { ("newer", Tone::Warn) } else { ("not newer", Tone::Dim) };
        out.line(out.paint(tone, &format!("also on PATH  {} {} ({what})", other.path.display(), other.version)))?;
    }
    for row in &formats {
        out.line(format!("stored   {}: {}", row.file.display(), describe(row)))?;
    }
    if formats.is_empty() {
        out.line("stored   nothing for this project")?;
    }
    let line = match release {
        None => format!("no network was used; `--online` asks for the newest release; to upgrade: {upgrade}"),
        Some(None) => "no release is published".to_owned(),
        Some(Some(release)) if is_newer(&release, VERSION) => {
            format!("release {release} is newer; to upgrade: {upgrade}")
        }
        Some(Some(release)) => format!("up to date: the newest release is {release}"),
    };
    out.line(line)
}

/// The way this program was installed, and the command that upgrades it.
fn find_way(program: &Path) -> (&'static str, &'static str) {
    WAYS.iter().find(|way| (way.shows)(program)).map_or(BY_HAND, |way| (way.name, way.upgrade))
}

fn has_folder(path: &Path, name: &str) -> bool {
    path.iter().any(|part| part == name)
}

fn has_folder_like(path: &Path, start: &str) -> bool {
    has_folder(path, "uv") && path.iter().any(|part| part.to_string_lossy().starts_with(start))
}

/// `…/uv/tools/m1nd/bin/m1nd`
fn is_of_uv(path: &Path) -> bool {
    let folders: Vec<_> = path.iter().collect();
    folders.windows(2).any(|pair| pair[0] == "uv" && pair[1] == "tools")
}

fn is_in_venv(path: &Path) -> bool {
    path.ancestors().nth(2).is_some_and(|top| top.join("pyvenv.cfg").is_file())
}

/// Other programs of this name on `PATH`, each once.
fn list_others(this: &Path) -> Vec<Other> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut seen = vec![this.to_owned()];
    let mut others = Vec::new();
    for folder in std::env::split_paths(&path).filter(|folder| folder.is_absolute()) {
        let file = folder.join(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX));
        let Ok(target) = std::fs::canonicalize(&file) else { continue };
        if seen.contains(&target) {
            continue;
        }
        seen.push(target);
        let answer = Command::new(&file).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
        let text = answer.map(|answer| String::from_utf8_lossy(&answer.stdout).into_owned()).unwrap_or_default();
        let version = text.trim().strip_prefix("m1nd ").unwrap_or("of an unknown version").to_owned();
        others.push(Other { path: file, is_newer: is_newer(&version, VERSION), version });
    }
    others
}

/// The newest release in a repository; `None` if it has none.
fn find_release(repository: &str) -> Result<Option<String>, CliError> {
    let failed = |why: &str| {
        CliError::fail(format!("cannot list the releases of {repository}: {why}"), "check the connection and repeat")
    };
    let answer = Command::new("git")
        .args(["ls-remote", "--tags", "--refs", "--", repository, "v*"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(&format!("git: {error}")))?;
    if !answer.status.success() {
        return Err(failed(String::from_utf8_lossy(&answer.stderr).lines().next().unwrap_or("git failed")));
    }
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let tags = text.lines().filter_map(|line| line.split_once("refs/tags/v").map(|(_, version)| version.trim()));
    Ok(tags.filter_map(|version| Some((read_version(version)?, version))).max().map(|(_, version)| version.to_owned()))
}

/// Whether a version is newer than another. Versions that cannot be read are not.
fn is_newer(version: &str, than: &str) -> bool {
    matches!((read_version(version), read_version(than)), (Some(version), Some(than)) if version > than)
}

/// The three numbers that a version starts with. Versions before a release (`1.0.0-rc.1`) are not read.
fn read_version(text: &str) -> Option<[u64; 3]> {
    let mut numbers = text.split_whitespace().next()?.split('.').map(|number| number.parse().ok());
    let version = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(version)
}

/// What this program does with a stored file.
fn describe(row: &StoredFormat) -> String {
    let found = row.found.map_or_else(|| "unknown format".to_owned(), |found| format!("format {found}"));
    let supported = row.supported;
    match &row.state {
        FormatState::Current => format!("{found}, current"),
        FormatState::Outdated => {
            format!("{found}, current; content of another version, run `m1nd ingest` to rebuild it")
        }
        FormatState::Rebuilt => format!("{found}, older than {supported}: it will be rebuilt from the files"),
        FormatState::Migrated => format!("{found}, older than {supported}: it will be converted, nothing is lost"),
        FormatState::TooNew => {
            format!("{found}, newer than {supported}: it is left as it is and not used; upgrade m1nd")
        }
        FormatState::Unreadable(why) => format!("not readable ({why}); run `m1nd doctor`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_program_says_how_it_was_installed() {
        let rows = [
            ("/users/a/.npm/_npx/d9/node_modules/m1nd-linux-x64/bin/m1nd", "npx"),
            ("/usr/lib/node_modules/m1nd/node_modules/m1nd-linux-x64/bin/m1nd", "npm"),
            ("/users/a/.cache/uv/archive-v0/x1/bin/m1nd", "uvx"),
            ("/users/a/.local/share/uv/tools/m1nd/bin/m1nd", "uv"),
            ("/opt/homebrew/Cellar/m1nd/0.1.0/bin/m1nd", "Homebrew"),
            ("/users/a/scoop/apps/m1nd/current/m1nd.exe", "Scoop"),
            ("/users/a/.cargo/bin/m1nd", "cargo"),
            ("/users/a/code/m1nd/target/release/m1nd", "a checkout"),
            ("/users/a/bin/m1nd", "an archive"),
        ];
        for (path, expected) in rows {
            assert_eq!(find_way(Path::new(path)).0, expected, "{path}");
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        let rows = [
            ("0.10.0", "0.9.9 (abc, x86_64)", true),
            ("0.1.0", "0.1.0", false),
            ("1.0.0-rc.1", "0.1.0", false),
            ("of an unknown version", "0.1.0", false),
            ("1.0", "0.1.0", false),
        ];
        for (version, than, expected) in rows {
            assert_eq!(is_newer(version, than), expected, "{version} {than}");
        }
    }
}
