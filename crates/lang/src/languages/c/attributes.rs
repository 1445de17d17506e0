//! Attributes by which a compiler, linker or loader uses a function that no code names.

/// Words that open a list of attributes, with the brackets that enclose it.
const LISTS: &[(&str, &str)] = &[("__attribute__", "(("), ("__attribute", "(("), ("__declspec", "("), ("[[", "")];
/// Attributes of functions that run, stand in or are kept although no code of the project calls them.
const ENTRY_ATTRIBUTES: &[&str] = &[
    "alias", "constructor", "destructor", "dllexport", "exception", "export_name", "externally_visible", "ifunc",
    "init_priority", "interrupt", "interrupt_handler", "kernel", "naked", "retain", "section", "signal", "used",
    "weak", "weak_import", "weakref",
];
/// Attribute whose argument decides.
const VISIBILITY: &str = "visibility";
/// Longest list of attributes that is read, in bytes.
const MAX_LIST: usize = 1_000;

/// Returns whether attributes in the header of a function say that something other than a call reaches it.
pub(super) fn is_entry(header: &str) -> bool {
    LISTS.iter().any(|(opener, brackets)| {
        header.match_indices(opener).any(|(at, _)| {
            let list = header[at + opener.len()..].trim_start();
            list.strip_prefix(brackets).is_some_and(lists_entry)
        })
    })
}

/// Returns whether one of the attributes of a list, which may go on behind its end, is among [`ENTRY_ATTRIBUTES`].
fn lists_entry(list: &str) -> bool {
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, c) in list.char_indices().take(MAX_LIST) {
        match c {
            '(' => depth += 1,
            ')' | ']' if depth == 0 => return is_entry_attribute(&list[start..at]),
            ')' => depth -= 1,
            ',' if depth == 0 => {
                if is_entry_attribute(&list[start..at]) {
                    return true;
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    false
}

/// `gnu::constructor(101)`, `__used__`, `visibility("default")`.
fn is_entry_attribute(text: &str) -> bool {
    let (name, argument) = text.split_once('(').unwrap_or((text, ""));
    let name = name.rsplit("::").next().unwrap_or(name).trim();
    let name = name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name);
    ENTRY_ATTRIBUTES.contains(&name) || name == VISIBILITY && argument.contains("default")
}

#[cfg(test)]
mod tests {
    use super::is_entry;

    #[test]
    fn attributes_that_reach_a_function() {
        for header in [
            "__attribute__((constructor)) static void f(void) ",
            "static void __attribute__ ((constructor(101), noinline)) f(void) ",
            "static void f(void) __attribute__((noinline, __destructor__));",
            "[[gnu::constructor]] void f() ",
            "[[nodiscard, gnu::used]] int f() ",
            "__declspec(dllexport) void f() ",
            "__attribute__((section(\".init_array\"))) void f(void) ",
            "void f(void) __attribute__((weak, alias(\"g\")));",
            "__attribute__((visibility(\"default\"))) void f(void) ",
        ] {
            assert!(is_entry(header), "{header}");
        }
    }

    #[test]
    fn other_attributes_reach_nothing() {
        for header in [
            "static int used(int weak) ",
            "__attribute__((noinline)) static int f(int used) ",
            "[[nodiscard]] int f(int constructor) ",
            "__attribute__((visibility(\"hidden\"))) void f(void) ",
            "__attribute__((format(printf, 1, 2))) void f(const char *section, ...) ",
        ] {
            assert!(!is_entry(header), "{header}");
        }
    }
}
