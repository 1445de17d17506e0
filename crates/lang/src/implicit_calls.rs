//! Constructors that a language calls where nothing names them.

use crate::Language;

/// Returns whether a language calls a constructor with this header for conversions, copies, or members and bases
/// without an initialiser. C++ does so for constructors that can be called with no argument or, unless they say
/// `explicit`, with one.
pub fn is_implicit_constructor(language: Language, name: &str, signature: &str) -> bool {
    if language != Language::Cpp {
        return false;
    }
    let Some((before, parameters)) = parameters(name, signature) else { return false };
    let needed = count_required(parameters);
    let is_explicit = before.split_whitespace().any(|word| word.starts_with("explicit"));
    needed == 0 || needed == 1 && !is_explicit
}

/// What stands before the name of a function, and between the brackets behind it.
fn parameters<'s>(name: &str, signature: &'s str) -> Option<(&'s str, &'s str)> {
    let start = signature.match_indices(name).map(|(at, _)| at).find(|at| {
        let rest = &signature[at + name.len()..];
        rest.trim_start().starts_with('(')
    })?;
    let open = start + signature[start..].find('(')?;
    let mut depth = 0;
    for (at, char) in signature[open..].char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&signature[..start], &signature[open + 1..open + at]));
        }
    }
    None
}

/// Number of parameters without a default.
fn count_required(parameters: &str) -> usize {
    let mut depth = 0;
    let mut count = 0;
    let mut parameter = String::new();
    for char in parameters.chars().chain([',']) {
        match char {
            '(' | '<' | '{' | '[' => depth += 1,
            ')' | '>' | '}' | ']' => depth -= 1,
            _ => {}
        }
        if char != ',' || depth > 0 {
            parameter.push(char);
            continue;
        }
        let text = parameter.trim();
        let is_needed = !text.is_empty() && text != "void" && text != "..." && !text.contains('=');
        count += usize::from(is_needed);
        parameter.clear();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_called_without_being_named() {
        let cases = [
            ("A()", true),
            ("A(void)", true),
            ("explicit A()", true),
            ("A(int n)", true),
            ("explicit A(int n)", false),
            ("explicit A(int n = 0)", true),
            ("A(const A& other)", true),
            ("A(std::map<int, int> all)", true),
            ("A(int n, int m)", false),
            ("A(int n, int m = f(1, 2))", true),
            ("A::A(int n) : n_(n), m_(1)", true),
            ("template <class T, class U> A(T t, U u)", false),
        ];
        for (signature, expected) in cases {
            assert_eq!(is_implicit_constructor(Language::Cpp, "A", signature), expected, "{signature}");
        }
        assert!(!is_implicit_constructor(Language::Java, "A", "A()"));
    }
}
