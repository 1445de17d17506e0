//! Arguments that a call names by the parameters of its target.

use m1nd_lang::facts::{DefId, ParameterKind};
use m1nd_lang::{FileFacts, Language, TokenKind, tokens};

/// Maximum bytes of a call that are read in search of its closing bracket.
const MAX_CALL_BYTES: usize = 4_000;

/// A parameter, as calls may name it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    name: String,
    is_required: bool,
    is_keyword_only: bool,
}

/// The parameters of a function, where calls may name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameters {
    named: Vec<Named>,
    has_receiver: bool,
    /// Takes any number of positional arguments.
    has_rest: bool,
    /// Takes arguments of any name.
    has_keyword_rest: bool,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    positional: usize,
    names: Vec<String>,
}

impl Parameters {
    /// The parameters of a definition.
    pub(super) fn of(facts: &FileFacts, definition: DefId) -> Self {
        let mut all = Self { named: Vec::new(), has_receiver: false, has_rest: false, has_keyword_rest: false };
        for parameter in facts.parameters(definition) {
            match parameter.kind {
                ParameterKind::Receiver | ParameterKind::ClassReceiver => all.has_receiver = true,
                ParameterKind::Rest => all.has_rest = true,
                ParameterKind::KeywordRest => all.has_keyword_rest = true,
                ParameterKind::Plain | ParameterKind::Keyword => all.named.push(Named {
                    name: facts.name(parameter.name).to_owned(),
                    is_required: parameter.default.is_none(),
                    is_keyword_only: parameter.kind == ParameterKind::Keyword,
                }),
            }
        }
        all
    }

    /// Why a call does not fit, for certain: through its type a method takes its receiver as an argument, too.
    pub(super) fn misfit(&self, given: &Given) -> Option<String> {
        let unknown = |name: &&String| !self.has_keyword_rest && !self.named.iter().any(|known| known.name == **name);
        if let Some(name) = given.names.iter().find(unknown) {
            return Some(format!("has no parameter `{name}`"));
        }
        let mut position = 0;
        for parameter in &self.named {
            let is_named = given.names.contains(&parameter.name);
            let is_filled = !parameter.is_keyword_only && position < given.positional;
            position += usize::from(!parameter.is_keyword_only);
            if is_named && is_filled && !self.has_receiver {
                return Some(format!("gets `{}` twice", parameter.name));
            }
            if parameter.is_required && !is_named && !is_filled {
                return Some(format!("lacks `{}`", parameter.name));
            }
        }
        let most = position + usize::from(self.has_receiver);
        (!self.has_rest && given.positional > most).then(|| format!("takes {most} positional argument(s)"))
    }
}

impl Given {
    /// The arguments of the call whose name starts at a byte of a text; `None` if some are not written one by one
    /// (`*all`), or no call is there.
    pub(super) fn at(language: Language, text: &str, start: usize) -> Option<Self> {
        let end = text.floor_char_boundary(start.saturating_add(MAX_CALL_BYTES).min(text.len()));
        let text = text.get(start..end)?;
        let all = tokens(language, text);
        let word = |at: usize| all.get(at).map(|token| &text[token.range.clone()]);
        if word(1) != Some("(") {
            return None;
        }
        let (mut given, mut depth, mut at, mut is_start) = (Self { positional: 0, names: Vec::new() }, 1usize, 2, true);
        // From each start of an argument to the next comma outside of brackets.
        while let Some(token) = word(at) {
            if matches!(token, ")" | "]" | "}") {
                depth -= 1;
                if depth == 0 {
                    return Some(given);
                }
            } else if is_start {
                is_start = false;
                let is_word = matches!(all[at].kind, TokenKind::Name | TokenKind::Keyword);
                match (token, word(at + 1), word(at + 2)) {
                    ("*", ..) => return None,
                    (name, Some("="), next) if is_word && next != Some("=") => given.names.push(name.to_owned()),
                    _ => given.positional += 1,
                }
                depth += usize::from(matches!(token, "(" | "[" | "{"));
            } else if matches!(token, "(" | "[" | "{") {
                depth += 1;
            } else if token == "," && depth == 1 {
                is_start = true;
            } else if token == "for" && depth == 1 && given.positional == 1 {
                // A generator is one argument; commas in it are of its targets.
                return None;
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use m1nd_base::{Cancel, Limits};

    fn parameters(text: &str) -> Parameters {
        let facts = m1nd_lang::extract(Language::Python, text.as_bytes(), &Limits::default(), &Cancel::new());
        Parameters::of(&facts, DefId(0))
    }

    #[test]
    fn calls_that_name_their_arguments() {
        let rows = [
            ("def f(a, b=1): pass", "f(1, b=2)", Ok(None)),
            ("def f(a, b=1): pass", "f(b=2, a=[1, (2, 3)])", Ok(None)),
            ("def f(a, b=1): pass", "f(1, c=2)", Ok(Some("has no parameter `c`"))),
            ("def f(a, b=1): pass", "f(b=2)", Ok(Some("lacks `a`"))),
            ("def f(a, b=1): pass", "f(1, a=2)", Ok(Some("gets `a` twice"))),
            ("def f(a, b=1): pass", "f(x == 2)", Ok(None)),
            ("def f(a, *, b): pass", "f(1)", Ok(Some("lacks `b`"))),
            ("def f(a, *, b=1): pass", "f(1, 2)", Ok(Some("takes 1 positional argument(s)"))),
            ("def f(a, **more): pass", "f(1, c=2)", Ok(None)),
            ("def f(a, *more): pass", "f(1, 2, 3)", Ok(None)),
            ("def f(a): pass", "f(*all)", Err(())),
            ("def f(a): pass", "f(1, **all)", Err(())),
            ("def f(a): pass", "f(x for x in y)", Err(())),
            ("def f(a): pass", "f", Err(())),
            ("def f(a): pass", "f(\n    a=')',  # no (\n)", Ok(None)),
        ];
        for (definition, call, expected) in rows {
            let found = Given::at(Language::Python, call, 0).map(|given| parameters(definition).misfit(&given));
            assert_eq!(found.as_ref().map(|why| why.as_deref()).ok_or(()), expected, "{definition} {call}");
        }
    }
}
