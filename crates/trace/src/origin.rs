//! Classifies the owner of a frame's code by its path and function.

use crate::model::{Format, Frame, Origin};

/// Path components that contain dependencies.
const VENDORED: &[&str] = &[
    "/node_modules/",
    "/site-packages/",
    "/dist-packages/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/pkg/mod/",
    "/vendor/",
    "/gems/",
    "/bower_components/",
    "/.m2/repository/",
    "/.pnpm/",
    "/.yarn/",
    "/.nuget/",
];
/// Path components that contain a language's standard library.
const RUNTIME: &[(Format, &[&str])] = &[
    (
        Format::Python,
        &["/lib/python2", "/lib/python3", "<frozen ", "/lib/pypy", "/lib64/python", "/Python3", "/Python2"],
    ),
    (
        Format::Rust,
        &[
            "/rustc/",
            "/library/std/",
            "/library/core/",
            "/library/alloc/",
            "src/libstd/",
            "src/libcore/",
            "src/libtest/",
            "src/liballoc/",
            "/rustlib/",
        ],
    ),
    (Format::JavaScript, &["node:", "ext:", "internal/", "native ", "<anonymous>", "[native"]),
    (Format::Go, &["/usr/local/go/src/", "/go/src/runtime/", "/libexec/src/", "/goroot/"]),
    (
        Format::Cpp,
        &[
            "/sysdeps/",
            "libc.so",
            "/usr/include/",
            "/csu/",
            "libc_start",
            "/asan/",
            "/tsan/",
            "/ubsan/",
            "/sanitizer_common/",
            "glibc",
            "vg_replace_malloc",
        ],
    ),
    (Format::Php, &["[internal function]"]),
    (Format::Ruby, &["<internal:", "/lib/ruby/2", "/lib/ruby/3"]),
];
/// System folders of shared libraries.
const SYSTEM: &[&str] = &["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"];
/// Name prefixes of standard library functions. A plain word matches the whole name only: `free`, not `freePool`.
const FUNCTIONS: &[(Format, &[&str])] = &[
    (
        Format::Rust,
        &[
            "std::",
            "core::",
            "alloc::",
            "rust_begin_unwind",
            "__rust",
            "<std::",
            "<core::",
            "<alloc::",
            "backtrace::",
            "test::run_test",
            "test::__rust",
            "_start",
            "__libc",
        ],
    ),
    (Format::Java, &["java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "kotlinx.", "scala.", "android.os."]),
    (Format::Go, &["runtime.", "panic", "runtime/", "testing.", "reflect.", "net/http.", "created by"]),
    (Format::CSharp, &["System.", "Microsoft."]),
    (
        Format::Cpp,
        &[
            "__libc",
            "_start",
            "__asan",
            "__interceptor",
            "abort",
            "raise",
            "__assert",
            "std::",
            "__gnu_cxx::",
            "__GI_",
            "__cxa",
            "_Unwind",
            "operator new",
            "operator delete",
            "malloc",
            "malloc_consolidate",
            "malloc_printerr",
            "free",
        ],
    ),
];
/// Column that only a single-line file can have.
const MINIFIED_COLUMN: u32 = 400;
/// Maximum line number in such a file.
const MINIFIED_LINES: u32 = 50;

/// Returns the owner of a frame's code.
pub(crate) fn origin(format: Format, frame: &Frame) -> Origin {
    let path = frame.path.as_deref().unwrap_or_default().replace('\\', "/");
    if is_minified(format, &path, frame) {
        return Origin::Minified;
    }
    let slashed = format!("/{}", path.trim_start_matches('/'));
    if VENDORED.iter().any(|part| slashed.contains(part)) {
        return Origin::Vendored;
    }
    let of = |table: &[(Format, &'static [&'static str])]| {
        table.iter().find(|(row, _)| *row == format).map_or(&[][..], |(_, parts)| *parts)
    };
    let raw = frame.path.as_deref().unwrap_or_default();
    let is_runtime_path = of(RUNTIME).iter().any(|part| raw.contains(part) || slashed.contains(part));
    let function = frame.function.as_deref().unwrap_or_default();
    let is_runtime_function = of(FUNCTIONS).iter().any(|start| starts(function, start));
    if is_runtime_path || is_runtime_function {
        return Origin::Runtime;
    }
    let is_library = format == Format::Cpp && raw.contains(".so") && SYSTEM.iter().any(|start| raw.starts_with(start));
    if is_library { Origin::Vendored } else { Origin::Code }
}

/// Returns whether a function starts with a prefix of [`FUNCTIONS`].
fn starts(function: &str, start: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = !start.starts_with('_') && start.chars().all(is_word);
    function.strip_prefix(start).is_some_and(|rest| !(is_name && rest.starts_with(is_word)))
}

fn is_minified(format: Format, path: &str, frame: &Frame) -> bool {
    if format != Format::JavaScript {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let far = frame.column.is_some_and(|column| column >= MINIFIED_COLUMN)
        && frame.line.is_some_and(|line| line <= MINIFIED_LINES);
    far || name.contains(".min.") || name.contains(".bundle.") || name.contains(".chunk.") || has_hash(name)
}

/// `main.3f4e5a6b.js`, `index-BkQ3x9aZ.js`: names generated by bundlers.
fn has_hash(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.rsplit(['.', '-']).next().is_some_and(|part| {
        part.len() < stem.len()
            && (8..=32).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && part.bytes().any(|byte| byte.is_ascii_digit())
            && part.bytes().filter(u8::is_ascii_digit).count() >= 2
    })
}
