//! The Python wheel `m1nd-fleet`, which runs m1nd over many repositories on Spark. It is pure Python, so it is the
//! same for every platform. Its metadata is that of `fleet/pyproject.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Outcome, repository};

use super::Product;
use super::container::Entry;
use super::release::Release;
use super::wheel::pack;

/// Folder of the package.
const FOLDER: &str = "fleet";
/// Name of the module in `src`, which also begins the name of the wheel.
const MODULE: &str = "m1nd_fleet";
/// Endings of the files that belong to the module.
const ENDINGS: &[&str] = &["py", "sql", "typed"];

#[derive(Deserialize)]
struct Pyproject {
    project: Project,
}

/// What the package says about itself.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Project {
    name: String,
    pub(super) version: String,
    description: String,
    requires_python: String,
    license: String,
    dependencies: Vec<String>,
    optional_dependencies: BTreeMap<String, Vec<String>>,
}

pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    let folder = repository().join(FOLDER);
    let project = read_project(&std::fs::read_to_string(folder.join("pyproject.toml"))?)?;
    if project.version != release.version {
        return Err(
            format!("fleet/pyproject.toml has version {}, expected {}", project.version, release.version).into()
        );
    }
    let info = format!("{MODULE}-{}.dist-info", release.version);
    let page = write_page(&std::fs::read_to_string(folder.join("README.md"))?, &release.repository);
    let metadata = write_metadata(&project, &page, &release.repository);
    let sources = folder.join("src");
    let files = list_files(&sources.join(MODULE))?;
    let texts = files.iter().map(|path| Ok((entry_path(&sources, path)?, std::fs::read(path)?)));
    let texts: Vec<(String, Vec<u8>)> = texts.collect::<Outcome<_>>()?;
    let wheel = "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    let mut entries: Vec<Entry<'_>> = texts.iter().map(|(path, text)| Entry::file(path, text)).collect();
    entries.push(Entry::file(format!("{info}/METADATA"), metadata.as_bytes()));
    entries.push(Entry::file(format!("{info}/WHEEL"), wheel.as_bytes()));
    for (name, text) in &release.licences {
        entries.push(Entry::file(format!("{info}/licenses/{name}"), text));
    }
    let name = format!("{MODULE}-{}-py3-none-any.whl", release.version);
    Ok(vec![Product { name, bytes: pack(release, &info, entries)? }])
}

/// # Errors
/// The text is not TOML, or lacks a field.
pub(super) fn read_project(text: &str) -> Outcome<Project> {
    let Pyproject { project } = toml::from_str(text).map_err(|error| format!("fleet/pyproject.toml: {error}"))?;
    Ok(project)
}

/// The metadata, with the page of the package below it.
pub(super) fn write_metadata(project: &Project, page: &str, repository: &str) -> String {
    let row = |name: &str, value: &str| format!("{name}: {value}\n");
    let mut text = row("Metadata-Version", "2.4");
    text += &row("Name", &project.name);
    text += &row("Version", &project.version);
    text += &row("Summary", &project.description);
    text += &row("License-Expression", &project.license);
    text += &row("License-File", "LICENSE-APACHE");
    text += &row("License-File", "LICENSE-MIT");
    text += &row("Project-URL", &format!("Source, {repository}"));
    text += &row("Requires-Python", &project.requires_python);
    for needed in &project.dependencies {
        text += &row("Requires-Dist", needed);
    }
    for (extra, all) in &project.optional_dependencies {
        text += &row("Provides-Extra", extra);
        for needed in all {
            text += &row("Requires-Dist", &format!("{needed}; extra == \"{extra}\""));
        }
    }
    text += &row("Description-Content-Type", "text/markdown");
    format!("{text}\n{page}")
}

/// The page of the package, whose links lead to the repository.
pub(super) fn write_page(readme: &str, repository: &str) -> String {
    readme.replace("](../", &format!("]({repository}/blob/main/"))
}

/// All files of the module, sorted.
fn list_files(module: &Path) -> Outcome<Vec<PathBuf>> {
    let (mut files, mut open) = (Vec::new(), vec![module.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Path of a file in the wheel.
fn entry_path(sources: &Path, path: &Path) -> Outcome<String> {
    let words = path.strip_prefix(sources)?.iter().map(|word| word.to_str().ok_or("a file name is not text"));
    Ok(words.collect::<Result<Vec<_>, _>>()?.join("/"))
}
