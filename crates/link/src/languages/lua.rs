//! Lua: files that `require` names, and what they return.

use std::sync::LazyLock;

use m1nd_lang::Language;
use rustc_hash::FxHashSet;

use super::{Family, paths};
use crate::rules::{BareMembers, FunctionMethods, MemberOrder, ModuleTarget, Resolver, Rules, Yields};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Lua),
    languages: &[(Language::Lua, &RULES)],
    is_manifest: |_| false,
    check_manifest: |_, _| None,
    resolver: |_, _| Box::new(Lua),
};

/// What the language itself defines.
const PACKAGE: &str = "lua";

static RULES: Rules = Rules {
    bare_members: BareMembers::Never,
    member_order: MemberOrder::DepthFirst,
    explicit_exports: true,
    call_method: Some("__call"),
    missing_methods: &["__index"],
    is_standard_library: |package| package == PACKAGE,
    builtin_package: PACKAGE,
    common_methods: COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Named(&[]),
    follows_arguments: true,
    tables_inherit: true,
    linked: true,
    yields: Yields::Anything,
    ..Rules::OUTLINED
};

/// Methods of texts and files.
#[rustfmt::skip]
const COMMON_METHODS: &[&str] = &[
    "byte", "close", "find", "flush", "format", "gmatch", "gsub", "len", "lines", "lower", "match", "read", "rep",
    "reverse", "seek", "setvbuf", "sub", "upper", "write",
];

/// Functions and tables of the language and of LuaJIT.
#[rustfmt::skip]
const GLOBALS: &[&str] = &[
    "_ENV", "_G", "_VERSION", "arg", "assert", "bit", "bit32", "collectgarbage", "coroutine", "debug", "dofile",
    "error", "ffi", "getfenv", "getmetatable", "io", "ipairs", "jit", "load", "loadfile", "loadstring", "math",
    "module", "next", "os", "package", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen", "rawset",
    "require", "select", "setfenv", "setmetatable", "string", "table", "tonumber", "tostring", "type", "unpack",
    "utf8", "warn", "xpcall",
];

/// Globals that programs get from what runs them, and that package.
#[rustfmt::skip]
const GIVEN: &[(&str, &[&str])] = &[
    ("busted", &[
        "after_each", "before_each", "context", "describe", "expose", "finally", "insulate", "it", "lazy_setup",
        "lazy_teardown", "mock", "pending", "setup", "spec", "spy", "strict_setup", "strict_teardown", "stub",
        "teardown", "test",
    ]),
    ("ngx", &["ndk", "ngx"]),
    ("love", &["love"]),
    ("vim", &["vim"]),
    ("redis", &["KEYS", "redis"]),
];

static STANDARD: LazyLock<FxHashSet<&str>> = LazyLock::new(|| GLOBALS.iter().copied().collect());

/// Folders that `require` looks into, below any folder above the file.
const LOAD_PATHS: &[&str] = &["", "lua", "src", "lib", "spec", "test", "tests"];

/// Required files.
struct Lua;

impl Resolver for Lua {
    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        let path = module.replace('.', "/");
        let folder = paths::folder(files.path(from));
        let find = |folder: &str| {
            let path = paths::join(folder, &path)?;
            [".lua", "/init.lua"].iter().find_map(|ending| files.find(&format!("{path}{ending}")))
        };
        for above in paths::upwards(folder) {
            for root in LOAD_PATHS {
                let found = paths::join(above, root).and_then(|root| find(&root));
                if let Some(file) = found.filter(|file| *file != from) {
                    return ModuleTarget::File(file);
                }
            }
        }
        ModuleTarget::External(module.split(['.', '/']).next().unwrap_or(module).to_owned())
    }

    fn outside(&self, _files: &Files<'_>, _from: FileId, name: &str) -> Option<ModuleTarget> {
        if STANDARD.contains(name) {
            return Some(ModuleTarget::External(PACKAGE.to_owned()));
        }
        let given = GIVEN.iter().find(|(_, names)| names.contains(&name));
        given.map(|(package, _)| ModuleTarget::External((*package).to_owned()))
    }
}
