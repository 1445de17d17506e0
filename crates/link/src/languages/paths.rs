//! Paths as text: joining, and folders.

/// `relative` seen from `folder` (`""` is the root), with `.` and `..` taken out. `None` if it leaves the root.
pub(crate) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Folder of a path; `""` at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder and all folders above it, nearest first, the root (`""`) last.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let current = next?;
        next = match current.rsplit_once('/') {
            Some((above, _)) => Some(above),
            None => (!current.is_empty()).then_some(""),
        };
        Some(current)
    })
}

/// A path without `.` and `..`, a leading slash kept; `None` if it leaves the root.
pub(super) fn normal(path: &str) -> Option<String> {
    let inner = join("", path)?;
    Some(if path.starts_with('/') { format!("/{inner}") } else { inner })
}

/// Number of folders that two paths share from the root on.
pub(super) fn count_shared(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::{count_shared, join, normal, upwards};

    #[test]
    fn joins() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("", "./x").as_deref(), Some("x"));
        assert_eq!(join("a", ".."), Some(String::new()));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(normal("/usr/./include/../lib").as_deref(), Some("/usr/lib"));
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(upwards("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn shared_folders() {
        assert_eq!(count_shared("a/src/main/p/A.java", "a/src/test/p/B.java"), 2);
        assert_eq!(count_shared("a/B.java", "c/B.java"), 0);
    }
}
