//! Whether what stands in front of a name fits a definition: its owners, then the modules and folders of its file, then
//! the name of its package.

use crate::named::stem;
use crate::packages::Packages;

/// How well it fits; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// Folders that are left out between those that are named.
    pub(super) gaps: usize,
    /// Owners are not named, or the first one is meant by the name of a value: `session.get` of `Session`.
    pub(super) is_loose: bool,
}

/// Parts of a name that stand for the place where they are written.
const RELATIVE: &[&str] = &["crate", "self", "super", "this", "cls"];

/// The parts of a name: `a.b::C#d` has four. Those of a path of a module are apart as well.
pub(super) fn parts(name: &str) -> Vec<&str> {
    let parts = name.split(['.', '#', ':', '/']).filter(|part| !part.is_empty());
    let mut parts: Vec<&str> = parts.map(|part| part.trim_start_matches('@')).collect();
    let relative = parts.iter().take_while(|part| RELATIVE.contains(part)).count();
    parts.drain(..relative.min(parts.len().saturating_sub(1)));
    parts
}

/// Compares names in front of a name, from the outermost, with the owners of a definition, from the innermost, and the
/// path of its file. `None` if they do not fit.
pub(super) fn fit(before: &[&str], owners: &[&str], path: &str, packages: &Packages) -> Option<Fit> {
    let mut left = before.len();
    let mut named = 0;
    for owner in owners {
        match left.checked_sub(1) {
            Some(last) if is_same(before[last], owner) => {
                left = last;
                named += 1;
            }
            _ => break,
        }
    }
    // A member of a class is not a member of its module.
    let unnamed = owners.len() - named;
    if left > 0 && unnamed > 0 {
        return None;
    }
    let (rest, gaps) = folders(&before[..left], path)?;
    let is_fit = rest == 0 || is_package(&before[..rest], path, packages);
    is_fit.then_some(Fit { gaps: if before.is_empty() { 0 } else { gaps }, is_loose: unnamed > 0 })
}

/// The number of names that are not those of the file and its folders, and the folders passed over.
fn folders(before: &[&str], path: &str) -> Option<(usize, usize)> {
    let (own, is_folder) = stem(path);
    let above = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let file = (!is_folder).then_some(own);
    let mut left = before.len();
    let (mut gaps, mut passed) = (0, 0);
    for part in file.into_iter().chain(above.rsplit('/')) {
        let Some(last) = left.checked_sub(1) else { break };
        if is_same(before[last], part) {
            left = last;
            gaps += passed;
            passed = 0;
        } else {
            passed += 1;
        }
    }
    Some((left, gaps))
}

/// Returns whether names are the end of the name of the package around a file.
fn is_package(names: &[&str], path: &str, packages: &Packages) -> bool {
    packages.around(path).any(|(_, package)| {
        let mut own: Vec<&str> = package.split(['/', '.', '@']).filter(|part| !part.is_empty()).collect();
        while own.len() > 1 && own.last().is_some_and(|last| is_version(last)) {
            own.pop();
        }
        let fits = own.len() >= names.len();
        fits && own.iter().rev().zip(names.iter().rev()).all(|(own, name)| is_same(own, name))
    })
}

/// `v5`
fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The same name; `-` and `_` are the same.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| a == b || matches!((a, b), (b'_', b'-') | (b'-', b'_')))
}

/// Returns whether a name is that of a value of a type, by custom: `session` of `Session`, `http_client` of
/// `HttpClient`.
pub(super) fn is_value_of(value: &str, owner: &str) -> bool {
    let plain = |text: &str| text.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect();
    let (left, right): (Vec<u8>, Vec<u8>) = (plain(value), plain(owner));
    left == right && value.starts_with(|c: char| c.is_lowercase()) && owner.starts_with(|c: char| c.is_uppercase())
}

/// Returns whether a name is spelled like that of a type: `Pool`, but not `URL`.
pub(super) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.len() > 2 && name.chars().any(char::is_lowercase)
}

/// Returns whether a type holds what a noun stands for: `Options` the options, `Hooks` the hooks.
pub(super) fn is_kind(owner: &str, noun: &str) -> bool {
    let Some(last) = words(owner).pop() else { return false };
    !noun.is_empty() && (last.strip_suffix('s') == Some(noun) || last == noun)
}

/// Words at the end of the name of a type that values leave out.
const KINDS: &[&str] = &["options", "option", "config", "settings", "props", "params", "init"];

/// Returns whether names of values lead to a type by their words: `promise` to `RequestPromise`, `options.retry` to
/// `RetryOptions`, `https` to `HttpsOptions`.
pub(super) fn is_like_value(values: &[&str], owner: &str) -> bool {
    let of_type = words(owner);
    let Some(last) = values.last().map(|value| words(value)) else { return false };
    let (own, kind): (Vec<&String>, Vec<&String>) = of_type.iter().partition(|word| !KINDS.contains(&word.as_str()));
    let is_end = !last.is_empty() && of_type.ends_with(&last);
    // All words of the type are said, but for its kind.
    let is_said = !own.is_empty() && !kind.is_empty() && own == last.iter().collect::<Vec<&String>>();
    owner.starts_with(char::is_uppercase) && (is_end || is_said)
}

/// The words of a name in lower case: `RequestPromise` → `request`, `promise`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut was_upper = true;
    for c in name.chars() {
        let is_upper = c.is_uppercase();
        if c == '_' || c == '$' {
            words.push(String::new());
        } else {
            if is_upper && !was_upper || words.is_empty() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        was_upper = is_upper;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_front_are_owners_then_modules_then_the_package() {
        let manifests = [("go.mod".to_owned(), "module github.com/go-chi/chi/v5".to_owned())].into_iter().collect();
        let packages = Packages::of(&manifests);
        let gaps =
            |name: &str, owners: &[&str], path: &str| fit(&parts(name), owners, path, &packages).map(|fit| fit.gaps);
        assert_eq!(gaps("flask.Flask", &["Flask"], "src/flask/app.py"), Some(1));
        assert_eq!(gaps("flask.app.Flask", &["Flask"], "src/flask/app.py"), Some(0));
        assert_eq!(gaps("flask", &[], "src/flask/__init__.py"), Some(0));
        assert_eq!(gaps("flask", &["Flask"], "src/flask/app.py"), None);
        assert_eq!(gaps("chi", &[], "mux.go"), Some(0));
        assert_eq!(gaps("express", &[], "mux.go"), None);
        assert_eq!(gaps("", &["Flask"], "src/flask/app.py"), Some(0));
        assert!(is_value_of("http_client", "HTTPClient") && !is_value_of("Client", "Client"));
        assert!(is_like_value(&["promise"], "RequestPromise") && is_like_value(&["options", "retry"], "RetryOptions"));
        assert!(is_like_value(&["https"], "HttpsOptions") && !is_like_value(&["options"], "RetryPolicy"));
        assert!(!is_like_value(&["request"], "RequestPromise") && !is_like_value(&["self"], "Pool"));
    }
}
