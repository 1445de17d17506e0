//! `CMakeLists.txt`: what a repository offers to others by CMake, and which packages it uses. Only what needs no
//! evaluation is read: names and folders that are written out.

use rustc_hash::FxHashSet;

use crate::languages::paths::normal;

/// Name of the manifest.
pub(super) const FILE_NAME: &str = "CMakeLists.txt";
/// Commands read of one file; more are left out.
const MAX_COMMANDS: usize = 20_000;
/// Words among the arguments that are no names.
const KEYWORDS: &[&str] =
    &["PUBLIC", "PRIVATE", "INTERFACE", "SYSTEM", "BEFORE", "AFTER", "debug", "optimized", "general"];
/// Variables for the folder of the file.
const HERE: &[&str] = &["${CMAKE_CURRENT_SOURCE_DIR}", "${CMAKE_CURRENT_LIST_DIR}"];

/// What the files of one repository say. Names are in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CMake {
    /// Projects and libraries.
    pub(super) names: FxHashSet<String>,
    /// Packages and libraries that are found, fetched or linked.
    pub(super) needs: FxHashSet<String>,
    /// Folders of headers for those who link a library of it, by their paths in the index.
    pub(super) headers: FxHashSet<String>,
}

impl CMake {
    /// Adds what a file at a path says.
    pub(super) fn add(&mut self, path: &str, text: &str) {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (command, arguments) in commands(text).into_iter().take(MAX_COMMANDS) {
            let first = arguments.first().copied().unwrap_or_default();
            match command.to_ascii_lowercase().as_str() {
                "project" | "add_library" => parts(first).for_each(|name| _ = self.names.insert(name)),
                "find_package" => parts(first).for_each(|name| _ = self.needs.insert(name)),
                "target_link_libraries" => {
                    let libraries = arguments.iter().skip(1).filter(|word| !KEYWORDS.contains(word));
                    libraries.flat_map(|name| parts(name)).for_each(|name| _ = self.needs.insert(name));
                }
                "fetchcontent_declare" | "externalproject_add" => {
                    let after = arguments.iter().skip_while(|word| !matches!(**word, "GIT_REPOSITORY" | "URL"));
                    let repository = after.skip(1).copied().next().map_or("", |url| url.trim_end_matches('/'));
                    let last = repository.rsplit('/').next().unwrap_or_default();
                    parts(first).for_each(|name| _ = self.needs.insert(name));
                    parts(last.trim_end_matches(".git")).for_each(|name| _ = self.needs.insert(name));
                }
                "add_subdirectory" => {
                    parts(first.rsplit('/').next().unwrap_or_default()).for_each(|name| _ = self.needs.insert(name));
                }
                "target_include_directories" => {
                    let mut is_public = false;
                    for word in arguments.iter().skip(1) {
                        match *word {
                            "PUBLIC" | "INTERFACE" => is_public = true,
                            "PRIVATE" => is_public = false,
                            word if is_public => self.headers.extend(folder_of(word, folder)),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The parts of a name between `::`, in lower case; none if it has to be evaluated.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let is_plain = !name.is_empty() && !name.contains(['$', '/', ' ']) && !name.starts_with('-');
    name.split("::").filter(move |part| is_plain && !part.is_empty()).map(str::to_ascii_lowercase)
}

/// The folder that an argument means; `None` if it has to be evaluated.
fn folder_of(written: &str, folder: &str) -> Option<String> {
    let inner = written.strip_prefix("$<BUILD_INTERFACE:").and_then(|inner| inner.strip_suffix('>')).unwrap_or(written);
    let inner = HERE.iter().find_map(|here| inner.strip_prefix(here)).unwrap_or(inner).trim_start_matches('/');
    let is_plain = !inner.contains(['$', '<', '>']) && !written.starts_with('/');
    let path = if folder.is_empty() { inner.to_owned() } else { format!("{folder}/{inner}") };
    normal(path.trim_end_matches('/')).filter(|_| is_plain)
}

/// The commands of a file with their arguments, without comments.
fn commands(text: &str) -> Vec<(&str, Vec<&str>)> {
    let bytes = text.as_bytes();
    let (mut found, mut name, mut at) = (Vec::new(), "", 0);
    // Arguments of the command that is open, and brackets inside of it.
    let mut open: Option<(&str, Vec<&str>)> = None;
    let mut depth = 0_usize;
    while at < bytes.len() {
        match bytes[at] {
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'"' => {
                let end = text[at + 1..].find('"').map_or(text.len(), |end| at + 1 + end);
                if let Some((_, arguments)) = &mut open {
                    arguments.push(&text[at + 1..end]);
                }
                at = end + 1;
            }
            b'(' if open.is_none() => {
                open = Some((name, Vec::new()));
                at += 1;
            }
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b')' => {
                found.extend(open.take());
                at += 1;
            }
            byte if byte.is_ascii_whitespace() || byte == b';' => at += 1,
            _ => {
                let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b'#' | b';');
                let length = bytes[at..].iter().position(|byte| is_end(*byte)).unwrap_or(bytes.len() - at);
                let word = &text[at..at + length];
                match &mut open {
                    Some((_, arguments)) => arguments.push(word),
                    None => name = word,
                }
                at += length;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_needs_and_folders_that_are_written_out() {
        let text = "cmake_minimum_required(VERSION 3.8)\nproject(Store LANGUAGES CXX) # the store\n\
                    add_library(store-core STATIC a.cc)\nadd_library(Store::core ALIAS store-core)\n\
                    target_include_directories(store-core\n  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/api> \"public\"\n  \
                    PRIVATE inner INTERFACE ${OTHER}/x)\nif(NOT (A AND B))\n  find_package(fmt 9 REQUIRED)\nendif()\n\
                    target_link_libraries(store-core PRIVATE fmt::fmt ${LIBS} -lm)\n\
                    FetchContent_Declare(json GIT_REPOSITORY https://github.com/nlohmann/json-lib.git GIT_TAG v3)\n\
                    add_subdirectory(../third/leveldb)\n#[[ unbalanced (";
        let mut cmake = CMake::default();
        cmake.add("store/src/CMakeLists.txt", text);
        let sorted = |set: &FxHashSet<String>| {
            let mut rows: Vec<String> = set.iter().cloned().collect();
            rows.sort();
            rows.join(" ")
        };
        assert_eq!(sorted(&cmake.names), "core store store-core");
        assert_eq!(sorted(&cmake.needs), "fmt json json-lib leveldb");
        assert_eq!(sorted(&cmake.headers), "store/src/api store/src/public");
    }
}
