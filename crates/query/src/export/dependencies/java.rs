//! `pom.xml` and Gradle's build files. Names are `group:artifact`. What a project offers are the packages of its main
//! sources.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, Offered, Required, Scope, Texts, folder_of, join};

/// Folders with sources that are published.
const SOURCES: &[&str] = &["src/main/java", "src/main/kotlin", "src/main/scala", "src/commonMain/kotlin"];
/// Words that begin a dependency in Gradle.
const CONFIGURATIONS: &[(&str, Scope)] = &[
    ("testImplementation", Scope::Dev),
    ("testRuntimeOnly", Scope::Dev),
    ("testCompileOnly", Scope::Dev),
    ("androidTestImplementation", Scope::Dev),
    ("annotationProcessor", Scope::Build),
    ("implementation", Scope::Normal),
    ("api", Scope::Normal),
    ("compileOnly", Scope::Optional),
    ("runtimeOnly", Scope::Normal),
];
/// Maximum depth of elements that are read of a `pom.xml`.
const MAX_DEPTH: usize = 32;
/// Maximum number of properties that one value is followed through.
const MAX_PROPERTIES: usize = 8;

/// Reads a `pom.xml`.
pub(super) fn parse_maven(texts: &mut Texts<'_>, path: &str) -> Found {
    let pom = read_pom(texts.text(path));
    let word = |key: &str| pom.texts.get(key).map(|text| pom.resolve(text));
    let mut found = Found { required: pom.list_required(), ..Found::default() };
    let group = word("project/groupId").or_else(|| word("project/parent/groupId"));
    let version = word("project/version").or_else(|| word("project/parent/version"));
    if let (Some(group), Some(artifact)) = (group, word("project/artifactId")) {
        found.offered = offer(texts, path, &format!("{group}:{artifact}"), version.filter(|text| !text.contains("${")));
    }
    found
}

/// Reads `build.gradle` and `build.gradle.kts`: requirements that are written as one text.
pub(super) fn parse_gradle(texts: &mut Texts<'_>, path: &str) -> Found {
    let mut found = Found::default();
    for line in texts.text(path).lines() {
        let line = line.trim();
        let configuration = CONFIGURATIONS.iter().find_map(|(word, scope)| {
            let rest = line.strip_prefix(word).filter(|rest| rest.starts_with([' ', '(']))?;
            Some((rest.trim_start_matches([' ', '(']), *scope))
        });
        let Some((rest, scope)) = configuration else { continue };
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
        let Some(text) = rest[1..].split(quote).next() else { continue };
        let parts: Vec<&str> = text.split(':').collect();
        let (group, artifact, version) = match parts.as_slice() {
            [group, artifact] => (group, artifact, None),
            [group, artifact, version, ..] => (group, artifact, Some(*version).filter(|text| !text.contains('$'))),
            _ => continue,
        };
        found.required.push(build_row(format!("{group}:{artifact}"), scope, version.map(str::to_owned)));
    }
    let name = folder_of(path).rsplit('/').next().unwrap_or_default().to_owned();
    found.offered = offer(texts, path, &name, None);
    found
}

fn build_row(name: String, scope: Scope, version: Option<String>) -> Required {
    // A plain version is exact; `[1,2)` is a range.
    let exact = version.clone().filter(|version| !version.contains(['[', '(', ',', '+', '$']));
    Required { name, alias: None, scope, requirement: version, version: exact }
}

/// The Java packages of the main sources below a manifest.
fn offer(texts: &Texts<'_>, path: &str, name: &str, version: Option<String>) -> Vec<Offered> {
    let folder = folder_of(path);
    let mut packages: BTreeSet<String> = BTreeSet::new();
    for source in SOURCES {
        let top = join(folder, source);
        let inner = |file: &str| folder_of(file[top.len()..].trim_start_matches('/')).replace('/', ".");
        packages.extend(texts.files_below(&top).map(inner).filter(|package| !package.is_empty()));
    }
    let row = |package| Offered { name: name.to_owned(), import_name: Some(package), version: version.clone() };
    packages.into_iter().map(row).collect()
}

/// What is read of a `pom.xml`.
#[derive(Default)]
struct Pom {
    /// Texts of elements by their path: `project/artifactId`.
    texts: BTreeMap<String, String>,
    /// Requirements: the texts of their members.
    dependencies: Vec<BTreeMap<String, String>>,
    /// Versions that `dependencyManagement` states, by `group:artifact`.
    managed: BTreeMap<String, String>,
}

impl Pom {
    /// A text with properties of the same file in place.
    fn resolve(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..MAX_PROPERTIES {
            let Some((before, rest)) = text.split_once("${") else { break };
            let Some((key, after)) = rest.split_once('}') else { break };
            let key = key.strip_prefix("project.").map_or_else(
                || format!("project/properties/{key}"),
                |member| format!("project/{}", member.replace('.', "/")),
            );
            let Some(value) = self.texts.get(&key) else { break };
            text = format!("{before}{value}{after}");
        }
        text
    }

    fn list_required(&self) -> Vec<Required> {
        let rows = self.dependencies.iter().filter_map(|members| {
            let member = |key: &str| members.get(key).map(|text| self.resolve(text));
            let name = format!("{}:{}", member("groupId")?, member("artifactId")?);
            let version = member("version").or_else(|| self.managed.get(&name).map(|text| self.resolve(text)));
            let scope = match (member("scope").as_deref(), member("optional").as_deref()) {
                (Some("test"), _) => Scope::Dev,
                (Some("provided"), _) | (_, Some("true")) => Scope::Optional,
                _ => Scope::Normal,
            };
            Some(build_row(name, scope, version.filter(|version| !version.contains("${"))))
        });
        rows.collect()
    }
}

/// Reads elements and texts. Attributes, comments and instructions do not matter here; entities are left as they are.
fn read_pom(text: &str) -> Pom {
    let mut pom = Pom::default();
    let mut open: Vec<&str> = Vec::new();
    let mut current: Option<BTreeMap<String, String>> = None;
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        // 1. The text in front of the next tag belongs to the element that is open.
        let content = rest[..start].trim();
        let path = open.join("/");
        if !content.is_empty() {
            let inside = path.rsplit_once("dependency/").map(|(_, member)| member.to_owned());
            match (&mut current, inside) {
                (Some(members), Some(member)) => drop(members.insert(member, content.to_owned())),
                (None, _) => drop(pom.texts.entry(path.clone()).or_insert_with(|| content.to_owned())),
                _ => {}
            }
        }
        // 2. Take the tag; comments and raw texts end differently.
        rest = &rest[start + 1..];
        let (end, skipped) = match () {
            () if rest.starts_with("!--") => (rest.find("-->"), 3),
            () if rest.starts_with("![CDATA[") => (rest.find("]]>"), 3),
            () => (rest.find('>'), 1),
        };
        let Some(end) = end else { break };
        let tag = &rest[..end];
        rest = &rest[end + skipped..];
        if tag.starts_with(['!', '?']) || tag.ends_with('/') {
            continue;
        }
        // 3. Close or open an element.
        if let Some(name) = tag.strip_prefix('/') {
            if name.trim() == "dependency"
                && let Some(members) = current.take()
            {
                close_dependency(&mut pom, &path, members);
            }
            open.pop();
        } else {
            if open.len() >= MAX_DEPTH {
                break;
            }
            open.push(tag.split_whitespace().next().unwrap_or_default());
            if open.last() == Some(&"dependency") {
                current = Some(BTreeMap::new());
            }
        }
    }
    pom
}

/// Keeps a dependency: of the project, or what `dependencyManagement` says of its version. Those of plugins are left
/// out.
fn close_dependency(pom: &mut Pom, path: &str, members: BTreeMap<String, String>) {
    match path {
        "project/dependencies/dependency" => pom.dependencies.push(members),
        "project/dependencyManagement/dependencies/dependency" => {
            if let (Some(group), Some(artifact), Some(version)) =
                (members.get("groupId"), members.get("artifactId"), members.get("version"))
            {
                pom.managed.insert(format!("{group}:{artifact}"), version.clone());
            }
        }
        _ => {}
    }
}
