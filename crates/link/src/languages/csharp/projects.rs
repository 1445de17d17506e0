//! Project files of .NET: which files are built together, and what all of them use.

use std::collections::BTreeMap;

use super::super::Manifests;

/// Folders of projects, each with the namespaces that all its files use.
pub(super) type Projects = BTreeMap<String, Vec<String>>;

pub(super) fn is_manifest(name: &str) -> bool {
    name.ends_with(".csproj") || matches!(name, "Directory.Build.props" | "Directory.Build.targets")
}

/// The projects of all manifests.
pub(super) fn read_projects(manifests: &Manifests) -> Projects {
    let mut projects = Projects::new();
    let mut shared: Vec<(&str, Vec<String>)> = Vec::new();
    for (path, text) in manifests {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name.ends_with(".csproj") {
            projects.entry(folder.to_owned()).or_default().extend(read_usings(text));
        } else if is_manifest(name) {
            shared.push((folder, read_usings(text)));
        }
    }
    for (folder, usings) in shared {
        let is_inside =
            |project: &str| folder.is_empty() || project == folder || project.starts_with(&format!("{folder}/"));
        for (_, own) in projects.iter_mut().filter(|(project, _)| is_inside(project)) {
            own.extend(usings.iter().cloned());
        }
    }
    for usings in projects.values_mut() {
        usings.sort_unstable();
        usings.dedup();
    }
    projects
}

/// The namespaces of `<Using Include="…" />`, without those that name a type or an alias.
fn read_usings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for element in text.split("<Using ").skip(1) {
        let element = element.split('>').next().unwrap_or_default();
        let is_plain = !element.contains("Alias") && !element.contains("Static");
        let name = element.split("Include=\"").nth(1).and_then(|rest| rest.split('"').next());
        found.extend(name.filter(|_| is_plain).map(|name| name.trim().to_owned()));
    }
    found
}

/// The folder of the project that a path belongs to.
pub(super) fn project_of<'p>(projects: &'p Projects, path: &str) -> Option<&'p str> {
    super::super::paths::upwards(path)
        .find_map(|folder| projects.get_key_value(folder))
        .map(|(folder, _)| folder.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usings_of_a_project() {
        let text = "<ItemGroup><Using Include=\"Xunit\" /><Using Include=\"A.B\" Static=\"true\"/></ItemGroup>";
        assert_eq!(read_usings(text), ["Xunit"]);
    }
}
