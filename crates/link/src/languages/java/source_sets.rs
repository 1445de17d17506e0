//! Source sets of Gradle and of Kotlin for several platforms: which of several files with a name another one sees.

use m1nd_lang::Language;

use super::super::paths::count_shared;
use crate::tables::files::{FileId, Files};

/// Folders of a source set, by the language of their files.
const LANGUAGES: &[&str] = &["java", "kotlin"];

/// Endings of the names of source sets for tests.
const TESTS: &[&str] = &["Test", "test", "TestFixtures", "testFixtures"];

/// Platforms, each with those that it stands for besides those that begin with its name.
const PLATFORMS: &[(&str, &[&str])] = &[
    ("android", &[]),
    ("apple", &["ios", "macos", "tvos", "watchos"]),
    ("ios", &[]),
    ("js", &[]),
    ("jvm", &["android"]),
    ("linux", &[]),
    ("macos", &[]),
    ("mingw", &[]),
    ("native", &["apple", "ios", "linux", "macos", "mingw", "tvos", "watchos", "androidNative"]),
    ("tvos", &[]),
    ("wasm", &[]),
    ("watchos", &[]),
];

/// The project that a file belongs to, and its source set.
fn split(path: &str) -> (&str, &str) {
    let start = match path.find("/src/") {
        Some(place) => place + 1,
        None if path.starts_with("src/") => 0,
        None => return ("", ""),
    };
    let mut rest = path[start + "src/".len()..].split('/');
    let (set, language) = (rest.next().unwrap_or_default(), rest.next().unwrap_or_default());
    if LANGUAGES.contains(&language) { (&path[..start], set) } else { ("", "") }
}

fn is_test(set: &str) -> bool {
    TESTS.iter().any(|ending| set.ends_with(ending))
}

/// The platform of a source set; empty if it is for all.
fn platform(set: &str) -> &str {
    let name = ["Main", "UnitTest", "InstrumentedTest", "Test"].iter().find_map(|ending| set.strip_suffix(ending));
    match name.unwrap_or(set) {
        "common" | "main" | "test" | "kotlin" | "java" => "",
        name => name,
    }
}

/// Returns whether code of one source set is built together with that of another.
fn sees(from: &str, to: &str) -> bool {
    if from == to {
        return true;
    }
    if is_test(to) && !is_test(from) {
        return false;
    }
    let (from, to) = (platform(from), platform(to));
    if to.is_empty() || from == to {
        return true;
    }
    if from.is_empty() {
        return false;
    }
    // `nonJvm` is all but one.
    if let Some(not) = to.strip_prefix("non") {
        return !not.to_ascii_lowercase().starts_with(&from.to_ascii_lowercase());
    }
    match PLATFORMS.iter().find(|(name, _)| *name == to) {
        Some((name, others)) => from.starts_with(name) || others.iter().any(|other| from.starts_with(other)),
        // A set between others, or the variant of a build.
        None => !PLATFORMS.iter().any(|(name, _)| to.starts_with(name)),
    }
}

/// Keeps the files of a name that a file sees: those of its own project before others, then the nearest.
pub(super) fn keep_visible(files: &Files<'_>, from: FileId, found: &mut Vec<FileId>) {
    found.sort_unstable_by_key(|file| files.path(*file));
    found.dedup();
    if found.len() < 2 {
        return;
    }
    let path = files.path(from);
    let (project, set) = split(path);
    let is_own = |file: &FileId| split(files.path(*file)).0 == project;
    let is_kotlin = |file: &FileId| files.heading(*file).language == Language::Kotlin;
    let has_sets = !set.is_empty() && (is_kotlin(&from) || found.iter().any(is_kotlin));
    if has_sets && found.iter().any(is_own) {
        found.retain(is_own);
    } else {
        let near = |file: &FileId| count_shared(files.path(*file), path);
        let nearest = found.iter().map(near).max();
        found.retain(|file| Some(near(file)) == nearest);
    }
    if !has_sets {
        return;
    }
    let is_seen = |file: &FileId| sees(set, split(files.path(*file)).1);
    if found.iter().any(is_seen) {
        found.retain(is_seen);
    }
    // What a platform has itself, it does not take from a set of all others but one.
    let own = platform(set);
    let set_of = |file: &FileId| platform(split(files.path(*file)).1);
    if !own.is_empty() && found.iter().any(|file| set_of(file) == own) {
        found.retain(|file| !set_of(file).starts_with("non"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_are_seen() {
        for (from, to, seen) in [
            ("jvmMain", "commonMain", true),
            ("commonMain", "jvmMain", false),
            ("jvmMain", "jsMain", false),
            ("iosArm64Main", "appleMain", true),
            ("iosArm64Main", "nativeMain", true),
            ("jvmMain", "nonJvmMain", false),
            ("jsMain", "nonJvmMain", true),
            ("androidMain", "jvmMain", true),
            ("jvmTest", "commonTest", true),
            ("test", "main", true),
            ("main", "test", false),
            ("jvmMain", "zlibMain", true),
            ("commonTest", "commonMain", true),
        ] {
            assert_eq!(sees(from, to), seen, "{from} sees {to}");
        }
    }

    #[test]
    fn projects_of_paths() {
        assert_eq!(split("okio/src/jvmMain/kotlin/okio/A.kt"), ("okio/", "jvmMain"));
        assert_eq!(split("src/main/java/A.java"), ("", "main"));
        assert_eq!(split("app/A.kt"), ("", ""));
    }
}
