//! How generators of gRPC name what they make of a service, as data.

use m1nd_lang::Language;

/// A pattern of names: what stands in front of the name of the service, and behind it.
type Pattern = (&'static str, &'static str);

/// Names of one family of languages. The service is what a pattern leaves.
#[derive(Debug)]
pub(crate) struct Names {
    /// Classes and traits that implementations derive from.
    pub(crate) bases: &'static [Pattern],
    /// Members of the service's own class that implementations derive from: `Service::Service`.
    pub(crate) inner_bases: &'static [&'static str],
    /// Functions and constructors that take an implementation.
    pub(crate) registers: &'static [Pattern],
    /// Types and constructors of clients.
    pub(crate) stubs: &'static [Pattern],
    /// Members of the service's own class that are or make a client: `Service::Stub`.
    pub(crate) inner_stubs: &'static [&'static str],
    /// How the name of a procedure is written.
    pub(crate) method: fn(&str) -> Vec<String>,
}

const PYTHON: Names = Names {
    bases: &[("", "Servicer"), ("", "Base")],
    inner_bases: &[],
    registers: &[("add_", "Servicer_to_server")],
    stubs: &[("", "Stub")],
    inner_stubs: &[],
    method: |name| vec![name.to_owned(), snake(name)],
};
const JAVASCRIPT: Names = Names {
    bases: &[],
    inner_bases: &[],
    registers: &[],
    stubs: &[("", "Client"), ("", "PromiseClient"), ("", "")],
    inner_stubs: &[],
    method: |name| vec![name.to_owned(), camel(name)],
};
const GO: Names = Names {
    bases: &[("Unimplemented", "Server"), ("Unsafe", "Server"), ("Unimplemented", "Handler")],
    inner_bases: &[],
    registers: &[("Register", "Server"), ("New", "Handler")],
    stubs: &[("New", "Client"), ("", "Client")],
    inner_stubs: &[],
    method: |name| vec![title(name)],
};
const JAVA: Names = Names {
    bases: &[("", "CoroutineImplBase"), ("", "ImplBase")],
    inner_bases: &[],
    registers: &[],
    stubs: &[
        ("", "Grpc"),
        ("", "BlockingStub"),
        ("", "FutureStub"),
        ("", "CoroutineStub"),
        ("", "BlockingV2Stub"),
        ("", "Stub"),
    ],
    inner_stubs: &[],
    method: |name| vec![camel(name)],
};
const RUST: Names = Names {
    bases: &[("", "")],
    inner_bases: &[],
    registers: &[("", "Server")],
    stubs: &[("", "Client")],
    inner_stubs: &[],
    method: |name| vec![snake(name)],
};
const CPP: Names = Names {
    bases: &[],
    inner_bases: &["Service", "AsyncService", "CallbackService", "ExperimentalCallbackService"],
    registers: &[],
    stubs: &[],
    inner_stubs: &["Stub", "StubInterface", "NewStub"],
    method: |name| vec![name.to_owned()],
};
const CSHARP: Names = Names {
    bases: &[("", "Base")],
    inner_bases: &[],
    registers: &[],
    stubs: &[("", "Client")],
    inner_stubs: &[],
    method: |name| vec![name.to_owned(), format!("{name}Async")],
};

/// The names of a language; `None` if no generator of it is known.
pub(crate) fn names(language: Language) -> Option<&'static Names> {
    Some(match language.family() {
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::Rust => &RUST,
        Language::C => &CPP,
        Language::CSharp => &CSHARP,
        _ => return None,
    })
}

/// The services that a name may be of, by patterns.
pub(crate) fn services<'n>(patterns: &'static [Pattern], name: &'n str) -> impl Iterator<Item = &'n str> {
    patterns.iter().filter_map(move |(before, behind)| {
        let rest = name.strip_prefix(before)?.strip_suffix(behind)?;
        let is_name = rest.starts_with(|c: char| c.is_ascii_uppercase());
        is_name.then_some(rest)
    })
}

/// `GetCart` as `getCart`.
fn camel(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// `getCart` as `GetCart`.
fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// `GetCart` as `get_cart`.
pub(crate) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut text = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let begins = letter.is_ascii_uppercase() && at > 0 && {
            let next_is_small = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
            letters[at - 1].is_ascii_lowercase() || letters[at - 1].is_ascii_digit() || next_is_small
        };
        if begins && !text.ends_with('_') {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Returns whether a file was written by a generator of gRPC: what it has only leads on.
pub(crate) fn is_generated(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "_pb2.py", "_pb2_grpc.py", "_grpc.py", ".pb.go", "_pb.js", "_pb.ts", "_pb.d.ts", "_grpc_pb.js",
        "_grpc_pb.d.ts", ".pb.h", ".pb.cc", "Grpc.java", "Grpc.cs", "GrpcKt.kt",
    ];
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_generators() {
        assert_eq!(snake("GetHTTPCart2Go"), "get_http_cart2_go");
        assert_eq!(camel("GetCart"), "getCart");
        let of = |patterns, name| services(patterns, name).collect::<Vec<_>>();
        assert_eq!(of(GO.registers, "RegisterCartServer"), ["Cart"]);
        assert_eq!(of(JAVA.stubs, "CartBlockingStub"), ["Cart", "CartBlocking"]);
        assert!(of(PYTHON.registers, "add_cartServicer_to_server").is_empty());
    }
}
