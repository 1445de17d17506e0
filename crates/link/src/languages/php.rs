//! PHP: classes, functions and constants that the whole program knows by their namespaces.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use m1nd_lang::Language;
use rustc_hash::{FxHashSet, FxHasher};

use super::{Family, paths};
use crate::rules::{
    BareMembers, Builtin, FieldShape, FunctionMethods, MemberOrder, MethodShape, ModuleTarget, Resolver, Rules, Yields,
};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Php),
    languages: &[(Language::Php, &RULES)],
    is_manifest: |_| false,
    check_manifest: |_, _| None,
    resolver: |files, _| Box::new(Php::new(files)),
};

/// What the language itself defines.
const PACKAGE: &str = "php";
/// Names outside of all namespaces that neither the project nor the language defines.
const GLOBAL: &str = "global";

static RULES: Rules = Rules {
    bare_members: BareMembers::Never,
    member_order: MemberOrder::DepthFirst,
    module_scope_ends_lookup: true,
    constructors: &["__construct"],
    call_method: Some("__invoke"),
    missing_methods: &["__call", "__callStatic"],
    index_method: Some("offsetGet"),
    iterate_method: Some("getIterator"),
    next_method: Some("current"),
    is_standard_library: |package| package == PACKAGE,
    is_standard_package: |package| package == PACKAGE,
    builtin_package: PACKAGE,
    plain_decorators: crate::plain_decorators::PHP,
    common_methods: COMMON_METHODS,
    duck_typing: true,
    function_methods: FunctionMethods::Named(&["__invoke", "bindTo", "call"]),
    follows_arguments: true,
    methods_apart: true,
    global_names: true,
    binds_called_class: true,
    overrides_static: true,
    has_mixins: true,
    plain_values_have_members: false,
    enum_members: &[
        ("cases", MethodShape::ListOfFirst),
        ("from", MethodShape::First),
        ("tryFrom", MethodShape::First),
        ("name", MethodShape::Field(FieldShape::Second)),
        ("value", MethodShape::Field(FieldShape::Second)),
    ],
    builtin_types: &[
        ("ArrayIterator", Builtin::List),
        ("ArrayObject", Builtin::List),
        ("Generator", Builtin::List),
        ("Iterator", Builtin::List),
        ("SplObjectStorage", Builtin::List),
        ("Traversable", Builtin::List),
    ],
    linked: true,
    yields: Yields::Anything,
    ..Rules::OUTLINED
};

/// Methods of classes of the language with names so common that they say nothing.
const COMMON_METHODS: &[&str] = &[
    "bindTo", "count", "current", "diff", "fetch", "fetchAll", "format", "getCode", "getFile", "getLine", "getMessage",
    "getPrevious", "getShortName", "getTimestamp", "getTrace", "getTraceAsString", "key", "modify", "next",
    "offsetExists", "offsetGet", "offsetSet", "offsetUnset", "rewind", "rowCount", "valid",
];

fn words(text: &'static str) -> FxHashSet<&'static str> {
    text.split_whitespace().collect()
}

static FUNCTIONS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| words(include_str!("php/functions.txt")));
static CLASSES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| words(include_str!("php/classes.txt")));

/// The namespaces of a project.
struct Php {
    /// Every namespace and every beginning of one.
    namespaces: BTreeSet<String>,
    fingerprint: u64,
}

impl Php {
    fn new(files: &Files<'_>) -> Self {
        let mut namespaces = BTreeSet::new();
        for (_, _, brief) in files.all() {
            if brief.language != Language::Php {
                continue;
            }
            for namespace in brief.package.iter().chain(&brief.globals) {
                let ends = namespace.match_indices('\\').map(|(end, _)| end).chain([namespace.len()]);
                namespaces.extend(ends.map(|end| namespace[..end].to_owned()));
            }
        }
        let mut hasher = FxHasher::default();
        namespaces.hash(&mut hasher);
        Self { namespaces, fingerprint: hasher.finish() }
    }

    /// The file that `require` names, relative to the file that it stands in or to a folder above.
    fn find_included(files: &Files<'_>, from: FileId, path: &str) -> ModuleTarget {
        let folder = paths::folder(files.path(from));
        let is_relative = path.starts_with("./") || path.starts_with("../");
        if path.contains("://") {
            return ModuleTarget::NotFound;
        }
        let mut found = paths::join(folder, path.trim_start_matches('/')).and_then(|path| files.find(&path));
        if found.is_none() && !is_relative {
            found = paths::upwards(folder)
                .filter_map(|above| paths::join(above, path.trim_start_matches('/')))
                .find_map(|path| files.find(&path));
        }
        found.map_or(ModuleTarget::NotFound, ModuleTarget::File)
    }
}

impl Resolver for Php {
    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        if module.contains('/') || module.ends_with(".php") || module.ends_with(".inc") {
            return Self::find_included(files, from, module);
        }
        match module.is_empty() || self.namespaces.contains(module) {
            true => ModuleTarget::Folder(module.to_owned()),
            false => ModuleTarget::External(module.to_owned()),
        }
    }

    fn submodule(&self, _files: &Files<'_>, _from: FileId, of: &ModuleTarget, name: &str) -> ModuleTarget {
        let ModuleTarget::Folder(namespace) = of else { return ModuleTarget::NotFound };
        let longer = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}\\{name}") };
        if self.namespaces.contains(&longer) {
            return ModuleTarget::Folder(longer);
        }
        // Names are those of files: what the files do not define is outside.
        ModuleTarget::External(match namespace.as_str() {
            "" if CLASSES.contains(name) || FUNCTIONS.contains(name) => PACKAGE.to_owned(),
            "" => GLOBAL.to_owned(),
            namespace => namespace.to_owned(),
        })
    }
}
