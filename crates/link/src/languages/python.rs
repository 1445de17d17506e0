//! Python: packages, source roots, standard library.

mod distributions;
mod roots;
mod standard;

use std::hash::{Hash, Hasher};

use m1nd_lang::Language;
use rustc_hash::FxHasher;

use self::distributions::Distributions;
use self::roots::{Roots, join, parent};
use super::groups::Groups;
use super::{Family, Manifests};
use crate::rules::{
    AsyncMethods, BareMembers, Builtin, FieldShape, Fixtures, FunctionMethods, Injectors, MemberOrder, MethodShape,
    ModuleTarget, PrivateMethods, Resolver, Rules,
};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Python),
    languages: &[(Language::Python, &RULES), (Language::Notebook, &RULES)],
    is_manifest: |name| matches!(name, "pyproject.toml" | "setup.cfg") || distributions::is_list(name),
    check_manifest: roots::check,
    resolver: |files, manifests| Box::new(Python::new(files, manifests)),
};

/// Methods by which task queues run what they decorate.
const DEFERRED_CALLS: &[(&str, &[&str])] = &[
    (
        "celery",
        &["apply", "apply_async", "chunks", "delay", "map", "replace", "s", "si", "signature", "starmap", "subtask"],
    ),
    ("dramatiq", &["message", "message_with_options", "send", "send_with_options"]),
    ("huey", &["call_local", "map", "s", "schedule"]),
    ("taskiq", &["kicker", "kiq"]),
    ("procrastinate", &["configure", "defer", "defer_async"]),
];

static RULES: Rules = Rules {
    bare_members: BareMembers::InBody,
    member_order: MemberOrder::C3,
    module_scope_ends_lookup: false,
    explicit_exports: false,
    submodules_are_members: true,
    constructors: &["__init__"],
    also_constructing: &["__new__", "__post_init__"],
    call_method: Some("__call__"),
    private_methods: PrivateMethods::Convention("__"),
    stubs: &[(".py", ".pyi")],
    index_method: Some("__getitem__"),
    iterate_method: Some("__iter__"),
    map_iterates_pairs: false,
    next_method: Some("__next__"),
    enter_method: Some("__enter__"),
    async_methods: Some(AsyncMethods { enter: "__aenter__", iterate: "__aiter__", next: "__anext__" }),
    async_wraps_declared: true,
    decorations_call: true,
    plain_decorators: crate::plain_decorators::PYTHON,
    stand_ins: &[
        ("__bool__", "__len__"),
        ("__contains__", "__iter__"),
        ("__float__", "__index__"),
        ("__format__", "__str__"),
        ("__iadd__", "__add__"),
        ("__iand__", "__and__"),
        ("__ifloordiv__", "__floordiv__"),
        ("__ilshift__", "__lshift__"),
        ("__imatmul__", "__matmul__"),
        ("__imod__", "__mod__"),
        ("__imul__", "__mul__"),
        ("__int__", "__index__"),
        ("__ior__", "__or__"),
        ("__ipow__", "__pow__"),
        ("__irshift__", "__rshift__"),
        ("__isub__", "__sub__"),
        ("__iter__", "__getitem__"),
        ("__itruediv__", "__truediv__"),
        ("__ixor__", "__xor__"),
        ("__ne__", "__eq__"),
        ("__reversed__", "__getitem__"),
        ("__str__", "__repr__"),
    ],
    is_standard_library: |package| {
        let first = package.split('.').next().unwrap_or(package);
        package == RULES.builtin_package || standard::is_module(first)
    },
    namespace_functions: &["globals", "locals", "vars"],
    finders: &["gc", "importlib", "inspect", "pickle", "pkgutil", "runpy", "shelve", "sys"],
    builtin_types: &[
        ("list", Builtin::List),
        ("List", Builtin::List),
        ("Sequence", Builtin::List),
        ("MutableSequence", Builtin::List),
        ("Iterable", Builtin::List),
        ("Iterator", Builtin::List),
        ("Generator", Builtin::List),
        ("AsyncIterator", Builtin::List),
        ("AsyncIterable", Builtin::List),
        ("AsyncGenerator", Builtin::List),
        ("Collection", Builtin::List),
        ("set", Builtin::List),
        ("Set", Builtin::List),
        ("frozenset", Builtin::List),
        ("FrozenSet", Builtin::List),
        ("deque", Builtin::List),
        ("Deque", Builtin::List),
        ("dict", Builtin::Map),
        ("Dict", Builtin::Map),
        ("Mapping", Builtin::Map),
        ("MutableMapping", Builtin::Map),
        ("defaultdict", Builtin::Map),
        ("DefaultDict", Builtin::Map),
        ("OrderedDict", Builtin::Map),
        ("tuple", Builtin::Tuple),
        ("Tuple", Builtin::Tuple),
        ("Optional", Builtin::Transparent),
        ("Final", Builtin::Transparent),
        ("ClassVar", Builtin::Transparent),
        ("Annotated", Builtin::Transparent),
        ("Required", Builtin::Transparent),
        ("NotRequired", Builtin::Transparent),
        ("Union", Builtin::Union),
        ("type", Builtin::ClassOf),
        ("Type", Builtin::ClassOf),
        ("Awaitable", Builtin::Wrapper),
        ("Coroutine", Builtin::Wrapper),
        ("Task", Builtin::Wrapper),
        ("Future", Builtin::Wrapper),
        ("Callable", Builtin::Function),
    ],
    builtin_methods: &[
        (Builtin::List, "pop", MethodShape::First),
        (Builtin::List, "popleft", MethodShape::First),
        (Builtin::List, "copy", MethodShape::Same),
        (Builtin::List, "union", MethodShape::Same),
        (Builtin::List, "intersection", MethodShape::Same),
        (Builtin::List, "difference", MethodShape::Same),
        (Builtin::List, "__next__", MethodShape::First),
        (Builtin::Map, "get", MethodShape::Second),
        (Builtin::Map, "pop", MethodShape::Second),
        (Builtin::Map, "setdefault", MethodShape::Second),
        (Builtin::Map, "values", MethodShape::ListOfSecond),
        (Builtin::Map, "keys", MethodShape::ListOfFirst),
        (Builtin::Map, "items", MethodShape::ListOfPairs),
        (Builtin::Map, "copy", MethodShape::Same),
    ],
    identity_methods: &[],
    derived_methods: &[],
    universal_members: &[
        "__annotations__", "__class__", "__delattr__", "__dict__", "__dir__", "__doc__", "__eq__", "__file__",
        "__format__", "__getattribute__", "__hash__", "__init__", "__init_subclass__", "__loader__", "__module__",
        "__mro__", "__name__", "__ne__", "__new__", "__package__", "__path__", "__qualname__", "__reduce__",
        "__reduce_ex__", "__repr__", "__setattr__", "__sizeof__", "__spec__", "__str__", "__subclasses__",
        "__subclasshook__", "__weakref__", "mro",
    ],
    builtin_package: "builtins",
    is_standard_package: |package| !matches!(package, "std" | "globals"),
    common_methods: &[],
    duck_typing: true,
    computed_members: true,
    deferred_calls: DEFERRED_CALLS,
    function_methods: FunctionMethods::Named(&["__call__"]),
    follows_arguments: true,
    reassigns_functions: true,
    fields_apart: false,
    function_classes: false,
    includes: false,
    defaults_run_outside: true,
    fixtures: Some(&PYTEST),
    overrides_static: true,
    class_members: &[("__class__", MethodShape::Field(FieldShape::First))],
    injectors: Some(&FASTAPI),
    linked: true,
    ..Rules::OUTLINED
};

static FASTAPI: Injectors = Injectors {
    packages: &["fastapi", "fast_depends", "faststream", "taskiq_dependencies"],
    functions: &["Depends", "Security", "TaskiqDepends"],
    argument: "dependency",
    open_types: &["Any", "object"],
};

static PYTEST: Fixtures = Fixtures {
    decorators: &["fixture", "yield_fixture"],
    packages: &["pytest", "pytest_asyncio", "pytest_trio"],
    shared: "conftest.py",
    values: "parametrize",
    uses: "usefixtures",
    own: &[
        ("cache", "pytest"),
        ("caplog", "pytest"),
        ("capfd", "pytest"),
        ("capfdbinary", "pytest"),
        ("capsys", "pytest"),
        ("capsysbinary", "pytest"),
        ("monkeypatch", "pytest"),
        ("pytestconfig", "pytest"),
        ("pytester", "pytest"),
        ("record_property", "pytest"),
        ("recwarn", "pytest"),
        ("request", "pytest"),
        ("tmp_path", "pathlib"),
        ("tmp_path_factory", "pytest"),
        ("tmpdir", "py"),
        ("tmpdir_factory", "pytest"),
    ],
};

/// Module resolution: folders that absolute imports are tried against.
struct Python {
    roots: Roots,
    distributions: Distributions,
    /// Files by their distributions and repositories.
    groups: Groups,
    fingerprint: u64,
}

impl Resolver for Python {
    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, level: u16) -> ModuleTarget {
        let folder = parent(files.path(from));
        if level > 0 {
            return match above(folder, level - 1) {
                Some(base) => self.below(files, base, module),
                None => ModuleTarget::NotFound,
            };
        }
        self.absolute(files, folder, module)
    }

    fn may_use(&self, files: &Files<'_>, from: FileId, to: FileId) -> bool {
        self.groups.answer(from, to, || self.distributions.may_use(files, files.path(from), files.path(to)))
    }

    fn submodule(&self, files: &Files<'_>, _from: FileId, of: &ModuleTarget, name: &str) -> ModuleTarget {
        match of {
            ModuleTarget::File(file) => {
                let path = files.path(*file);
                let name_of_file = path.rsplit('/').next().unwrap_or(path);
                match name_of_file {
                    "__init__.py" | "__init__.pyi" => self.child(files, parent(path), name),
                    _ => ModuleTarget::NotFound,
                }
            }
            ModuleTarget::Folder(folder) => match self.child(files, folder, name) {
                ModuleTarget::NotFound => self.other_portion(files, folder, name),
                target => target,
            },
            _ => ModuleTarget::NotFound,
        }
    }

    fn outside(&self, _files: &Files<'_>, _from: FileId, name: &str) -> Option<ModuleTarget> {
        standard::is_builtin(name).then(|| ModuleTarget::External(RULES.builtin_package.to_owned()))
    }
}

/// Names that packages and modules of many repositories have, and none means another repository by.
const OWN_NAMES: &[&str] =
    &["conftest", "docs", "examples", "noxfile", "setup", "scripts", "test", "tests", "tools", "utils"];

impl Python {
    fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let (roots, distributions) = (Roots::new(files, manifests), Distributions::new(files, manifests));
        let mut hasher = FxHasher::default();
        (roots.fingerprint(), &distributions).hash(&mut hasher);
        let groups = Groups::by_folder(files, |folder| distributions.places_of(files, folder));
        Self { roots, distributions, groups, fingerprint: hasher.finish() }
    }

    /// A module or package of that name in a folder: a package before a module, source before a stub, and a folder
    /// without `__init__` last.
    fn child(&self, files: &Files<'_>, folder: &str, name: &str) -> ModuleTarget {
        if let Some(file) = Self::regular(files, folder, name) {
            return ModuleTarget::File(file);
        }
        let path = join(folder, name);
        // The look-up is recorded, so that new files in the folder invalidate the answer.
        if files.is_folder(&path) && self.roots.folders.contains(&path) {
            return ModuleTarget::Folder(path);
        }
        ModuleTarget::NotFound
    }

    fn regular(files: &Files<'_>, folder: &str, name: &str) -> Option<FileId> {
        let path = join(folder, name);
        let endings = ["/__init__.py", ".py", "/__init__.pyi", ".pyi"];
        endings.iter().find_map(|ending| files.find(&format!("{path}{ending}")))
    }

    /// A dotted module below a folder; the folder's own package if the module is empty.
    fn below(&self, files: &Files<'_>, folder: &str, module: &str) -> ModuleTarget {
        let mut target =
            match files.find(&join(folder, "__init__.py")).or_else(|| files.find(&join(folder, "__init__.pyi"))) {
                Some(file) => ModuleTarget::File(file),
                None => ModuleTarget::Folder(folder.to_owned()),
            };
        let mut here = folder.to_owned();
        for part in module.split('.').filter(|part| !part.is_empty()) {
            let is_package = match &target {
                ModuleTarget::File(file) => files.path(*file).starts_with(&join(&here, "__init__.py")),
                ModuleTarget::Folder(_) => true,
                _ => false,
            };
            target = if is_package { self.child(files, &here, part) } else { ModuleTarget::NotFound };
            if target == ModuleTarget::NotFound {
                return target;
            }
            here = join(&here, part);
        }
        target
    }

    /// An absolute import: the first root that has the whole module; the package's name if no root knows the package.
    fn absolute(&self, files: &Files<'_>, folder: &str, module: &str) -> ModuleTarget {
        let first = module.split('.').next().unwrap_or(module);
        if first.is_empty() {
            return ModuleTarget::NotFound;
        }
        let is_standard = standard::is_module(first);
        let mut is_ours = false;
        let mut namespace = None;
        for root in self.search_path(files, folder, module, is_standard) {
            if Self::regular(files, &root, first).is_some() {
                is_ours = true;
                let target = self.below(files, &root, module);
                if target != ModuleTarget::NotFound {
                    return target;
                }
            } else if !is_standard && namespace.is_none() {
                let target = self.below(files, &root, module);
                namespace = (target != ModuleTarget::NotFound).then_some(target);
            }
        }
        match namespace {
            Some(target) if !is_ours => target,
            _ if is_ours => ModuleTarget::NotFound,
            _ => ModuleTarget::External(first.to_owned()),
        }
    }

    /// Roots to try for a package, most likely first: the folder that the importing file's own package is in (its own
    /// folder, for a script), folders that manifests and conventions name, the folders above the file, and the folder
    /// that alone in the repository has such a package; then that of another repository.
    fn search_path(&self, files: &Files<'_>, folder: &str, module: &str, is_standard: bool) -> Vec<String> {
        let first = module.split('.').next().unwrap_or(module);
        let own = files.root_of(folder);
        let mut path = Vec::new();
        let mut add = |root: &str| {
            if !path.iter().any(|known| known == root) {
                path.push(root.to_owned());
            }
        };
        // The folder above the outermost package around the file: what a script or test runner starts from.
        let mut top = folder;
        let is_package = |folder: &str| {
            files.find(&join(folder, "__init__.py")).or_else(|| files.find(&join(folder, "__init__.pyi"))).is_some()
        };
        while !top.is_empty() && is_package(top) {
            top = parent(top);
        }
        add(top);
        if is_standard {
            return path;
        }
        // Folders that manifests name, those nearest to the file first.
        let mut named: Vec<&String> = self.roots.named.iter().filter(|root| is_in(root, own)).collect();
        named.sort_by_key(|root| std::cmp::Reverse(count_shared(root, folder)));
        named.into_iter().for_each(|root| add(root));
        // Folders above, up to the root.
        let mut around = top;
        while around != own && !around.is_empty() {
            around = parent(around);
            add(around);
        }
        // Elsewhere in the project only if one folder alone has the package; then in other repositories.
        let tops = self.roots.tops.get(first).into_iter().flatten();
        let tops: Vec<&String> = tops.filter(|root| is_in(root, own)).collect();
        if let [top] = tops.as_slice() {
            add(top);
        }
        if files.roots().nth(1).is_some()
            && let Some(root) = self.other_repository(files, own, module)
        {
            add(&root);
        }
        path
    }

    /// The folder of another repository that has a package, if only one repository has it and the manifests of `own` do
    /// not say otherwise.
    fn other_repository(&self, files: &Files<'_>, own: &str, module: &str) -> Option<String> {
        let first = module.split('.').next().unwrap_or(module);
        if OWN_NAMES.contains(&first) {
            return None;
        }
        let has = |root: &&String| {
            let is_regular = Self::regular(files, root, first).is_some();
            is_regular || module.contains('.') && matches!(self.below(files, root, module), ModuleTarget::File(_))
        };
        let named = self.roots.named.iter().filter(|root| !is_in(root, own)).filter(has);
        let tops = self.roots.tops.get(first).into_iter().flatten().filter(|root| !is_in(root, own));
        let may_import = |root: &&String| self.distributions.may_import(own, root, first);
        let found: Vec<&String> = named.chain(tops).filter(may_import).collect();
        let (one, others) = found.split_first()?;
        let repository = files.root_of(one);
        others.iter().all(|root| files.root_of(root) == repository).then(|| (*one).clone())
    }

    /// A package without `__init__` may have portions below several roots.
    fn other_portion(&self, files: &Files<'_>, folder: &str, name: &str) -> ModuleTarget {
        let inside = |root: &String| {
            if root.is_empty() { Some(folder) } else { folder.strip_prefix(root.as_str())?.strip_prefix('/') }
        };
        for relative in self.roots.named.iter().filter_map(inside) {
            for root in &self.roots.named {
                let portion = join(root, relative);
                if portion != folder && Self::regular(files, root, relative).is_none() {
                    let target = self.child(files, &portion, name);
                    if target != ModuleTarget::NotFound {
                        return target;
                    }
                }
            }
        }
        ModuleTarget::NotFound
    }
}

/// The folder `levels` above; `None` beyond the root.
fn above(mut folder: &str, levels: u16) -> Option<&str> {
    for _ in 0..levels {
        if folder.is_empty() {
            return None;
        }
        folder = parent(folder);
    }
    Some(folder)
}

/// Whether a folder is in a repository.
fn is_in(folder: &str, repository: &str) -> bool {
    let rest = folder.strip_prefix(repository);
    repository.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Number of leading folders that two paths share.
fn count_shared(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}
