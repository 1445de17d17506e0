//! The rules of a language for the evaluator.

use m1nd_lang::facts::{Literal, PathRoot};

use crate::tables::files::{FileId, Files};

/// The resolution of an import's module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleTarget {
    /// A file of the project.
    File(FileId),
    /// A folder that stands for a package without a file of its own (Python namespace packages).
    Folder(String),
    /// Several files that are one module together (Go packages, Java packages).
    Files(Vec<FileId>),
    /// Files of a module of the project that is required by version, and its package: the build may use another version
    /// from outside, so these files are only possible (Go).
    Version(Vec<FileId>, String),
    /// A definition by its path of names from the top level of any of the files (a class of a package, a nested class).
    Member(Vec<FileId>, Vec<String>),
    /// Outside the indexed roots: the package's name.
    External(String),
    /// Unresolved.
    NotFound,
}

/// Where members of a class-like scope are visible by bare name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareMembers {
    /// Never: always through a receiver or path (Rust, JavaScript).
    Never,
    /// Only directly in the class body, not in its methods (Python).
    InBody,
    /// Everywhere inside, inherited ones too (Java, C++, C#, …).
    Everywhere,
}

/// The order in which bases are searched for a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberOrder {
    /// C3 linearisation (Python).
    C3,
    /// Depth first, left to right (single inheritance, interfaces).
    DepthFirst,
    /// Right to left, each behind all that are derived from it (Scala).
    Linearised,
    /// The shallowest member counts; of several at one depth none does (Go embedding).
    Embedding,
}

/// The types that satisfy an interface without naming it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// None.
    None,
    /// Types with all methods of the interface (Go).
    Structural,
    /// Types with all members of the interface, besides those that name it (TypeScript).
    Members,
}

/// A type of the standard library whose type arguments determine the types of its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Builtin {
    /// Elements of argument 0: lists, sets, iterators, generators, slices.
    List,
    /// Elements of argument 0 in an array, where arrays are unlike other containers.
    Array,
    /// Keys of argument 0, values of argument 1.
    Map,
    /// One argument per item.
    Tuple,
    /// May hold a value of argument 0 that unwrapping or awaiting yields: `Option`, `Result`, `Promise`, `Awaitable`.
    Wrapper,
    /// Leads to a value of argument 0 by methods only (`NonNull`).
    Pointer,
    /// Behaves as its argument 0: `Box`, `Rc`, `Arc`, `Final`, `Annotated`, `Readonly`, Python `Optional`.
    Transparent,
    /// The class that argument 0 names, not a value of it: `type[X]`.
    ClassOf,
    /// One of its arguments: `Union`.
    Union,
    /// A function whose result is the last argument: `Callable`.
    Function,
    /// Text, numbers and all other built-in values without arguments.
    Scalar,
}

/// The result of a function of the standard library, by its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factory {
    /// A list with its arguments as elements.
    ListOfAll,
    /// A wrapper of its argument.
    Wrapper,
    /// A map from its first argument to its second.
    Pair,
    /// Its first argument, or a container with the same elements.
    Same,
    /// A list of the elements of its first argument.
    Elements,
}

/// What is known of a type of the standard library.
#[derive(Debug)]
pub struct StandardType {
    /// Nothing is derived from it.
    pub is_final: bool,
    /// All types that it is derived from, except the top type.
    pub bases: Vec<&'static str>,
    /// Its methods that have one result type, in order of their names; `T[]` is an array, `T*` has type
    /// arguments.
    pub results: Vec<(&'static str, &'static str)>,
    /// Number of parameters of its only method, if it is a type of functions, and whether that returns a value.
    pub function: Option<(u8, bool)>,
}

/// A function that runs a lambda with the value that it is called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeFunction {
    /// The value is the receiver in the lambda, and the result (`apply`).
    Apply,
    /// The value is the parameter of the lambda, and the result (`also`).
    Also,
    /// The value is the parameter of the lambda, whose result is the result (`let`).
    Let,
    /// The value is the receiver in the lambda, whose result is the result (`run`).
    Run,
    /// The first argument is the receiver in the lambda, whose result is the result (`with`).
    With,
}

/// The result of calling a method of a [`Builtin`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodShape {
    /// A value of argument 0 (an element, the unwrapped value).
    First,
    /// A value of argument 1 (a map's value).
    Second,
    /// A pair of arguments 0 and 1 (an iterator of a map).
    Pair,
    /// The same container with the same arguments.
    Same,
    /// A list of argument 0.
    ListOfFirst,
    /// An array of argument 0.
    ArrayOfFirst,
    /// A list of argument 1.
    ListOfSecond,
    /// A list of pairs of arguments 0 and 1.
    ListOfPairs,
    /// A list of pairs of something and argument 0 (`enumerate`).
    Enumerated,
    /// A wrapper of argument 0 (`first() -> Option<T>`).
    WrapperOfFirst,
    /// A wrapper of argument 1.
    WrapperOfSecond,
    /// A list of the results of the function argument (`map`).
    Mapped,
    /// A list of the contents of the results of the function argument (`filter_map`, `flat_map`).
    FlatMapped,
    /// A wrapper of the result of the function argument (`Option::map`).
    WrapperMapped,
    /// A wrapper of the contents of the result of the function argument (`and_then`).
    WrapperFlatMapped,
    /// Not a method: a field or type of this shape, which is not called.
    Field(FieldShape),
}

/// What a field or a member type of a [`Builtin`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldShape {
    /// Argument 0.
    First,
    /// Argument 1.
    Second,
    /// A pair of arguments 0 and 1.
    Pair,
    /// A list of argument 0.
    Firsts,
    /// A list of argument 1.
    Seconds,
}

impl MethodShape {
    /// The container that holds what a function yields, and whether what is inside of that is taken; `None` if calling
    /// does not depend on a function.
    pub(crate) fn maps(self) -> Option<(Builtin, bool)> {
        match self {
            Self::Mapped => Some((Builtin::List, false)),
            Self::FlatMapped => Some((Builtin::List, true)),
            Self::WrapperMapped => Some((Builtin::Wrapper, false)),
            Self::WrapperFlatMapped => Some((Builtin::Wrapper, true)),
            _ => None,
        }
    }
}

/// From where code outside of the project takes values of types of the project that it yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yields {
    /// From anywhere: functions have no declared results, and objects keep what they are given.
    Anything,
    /// From the use of the result, from which type parameters are inferred (Rust).
    Inferred,
    /// From its arguments, which determine type parameters; methods of a type without parameters have none (Go).
    OfFunctions,
    /// From its arguments, which determine type parameters.
    OfCalls,
}

/// How overloads are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overloads {
    /// One function per name; if there are several, each is a candidate (C: one per platform).
    None,
    /// By the number of arguments and by those that are values of classes of the project: types can be converted in
    /// ways that are not looked at (C++).
    ByClass,
    /// By all known types of the arguments; a call of a class resolves to the matching constructor (Java).
    Chosen,
}

/// Which private methods a method of a derived class in another file replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivateMethods {
    /// None (Java, TypeScript).
    Hidden,
    /// All: derived classes may replace what they may not call (C++).
    Replaceable,
    /// All but those with this prefix and without it at their end: private is a convention, and only such names are
    /// those of their class alone, in one file too (Python).
    Convention(&'static str),
}

/// How a test framework passes values to parameters of tests and fixtures by name.
#[derive(Debug)]
pub struct Fixtures {
    /// Decorators that declare a fixture.
    pub decorators: &'static [&'static str],
    /// Packages of these decorators.
    pub packages: &'static [&'static str],
    /// File whose fixtures are visible in its folder and all below.
    pub shared: &'static str,
    /// Decorator that lists values of parameters.
    pub values: &'static str,
    /// Decorator that names fixtures used without a parameter.
    pub uses: &'static str,
    /// Fixtures of the framework itself: name, and the package of the value.
    pub own: &'static [(&'static str, &'static str)],
}

/// The rules of a language, as data. Everything that needs code is in its [`Resolver`].
#[derive(Debug)]
pub struct Rules {
    /// Where members are visible by bare name.
    pub bare_members: BareMembers,
    /// Order of bases.
    pub member_order: MemberOrder,
    /// Lookup of bare names ends at an inline module's scope (Rust, PHP).
    pub module_scope_ends_lookup: bool,
    /// Importers see `Export` rows, and calls of local variables are references to what these hold (JavaScript);
    /// otherwise they see the bindings of the module's scope.
    pub explicit_exports: bool,
    /// A module has its submodules as members (Python packages).
    pub submodules_are_members: bool,
    /// Constructors, called when the class is called (`__init__`, `constructor`).
    pub constructors: &'static [&'static str],
    /// Methods that constructing a value calls besides its constructor, where they are written.
    pub also_constructing: &'static [&'static str],
    /// Method that makes values callable (`__call__`).
    pub call_method: Option<&'static str>,
    /// Endings of files, and of the stubs beside them that declare what the files define.
    pub stubs: &'static [(&'static str, &'static str)],
    /// Names of built-in types that have no members, where they are written like other names.
    pub scalars: &'static [&'static str],
    /// Methods whose result is that of indexing, iterating and entering.
    pub index_method: Option<&'static str>,
    /// Method whose result's elements iteration yields.
    pub iterate_method: Option<&'static str>,
    /// Iterating a map yields pairs, not keys.
    pub map_iterates_pairs: bool,
    /// Method whose result has the members that its value lacks (`deref`).
    pub deref_method: Option<&'static str>,
    /// Method that yields the next element directly (`__next__`, `next`).
    pub next_method: Option<&'static str>,
    /// Method whose result `with` binds.
    pub enter_method: Option<&'static str>,
    /// Methods that `async for` and `async with` call instead of those above.
    pub async_methods: Option<AsyncMethods>,
    /// A call of an async function wraps its declared result (`async def f() -> T` gives an awaitable of `T`).
    pub async_wraps_declared: bool,
    /// Decorating is a call of the decorator when the definition is run, not only a note for readers of it.
    pub decorations_call: bool,
    /// Decorators, annotations and attributes that do not keep what they decorate, so that it is reached by its name
    /// alone: package (any, if empty) and names.
    pub plain_decorators: &'static [(&'static str, &'static [&'static str])],
    /// The method that stands in for one that a class lacks, where the language calls it.
    pub stand_ins: &'static [(&'static str, &'static str)],
    /// Returns whether a package belongs to the language. Its functions know nothing of the project but what they are
    /// given; those of other packages may have been told of it elsewhere.
    pub is_standard_library: fn(&str) -> bool,
    /// Built-in functions that yield the names of the module, as a map.
    pub namespace_functions: &'static [&'static str],
    /// Packages of the standard library whose functions find things of the project by name.
    pub finders: &'static [&'static str],
    /// Names of standard types with arguments.
    pub builtin_types: &'static [(&'static str, Builtin)],
    /// Fields of those types, and types that are their members.
    pub builtin_fields: &'static [(Builtin, &'static str, FieldShape)],
    /// Fields of values of the standard library that hold what the project put there.
    pub holding_fields: &'static [&'static str],
    /// Methods of those types.
    pub builtin_methods: &'static [(Builtin, &'static str, MethodShape)],
    /// Methods that any value may have from the standard library and that yield the value itself (`clone`, `borrow`).
    pub identity_methods: &'static [&'static str],
    /// Members that any class may get from the standard library without writing them (Rust derives and blanket blocks),
    /// unless the project defines the name.
    pub derived_methods: &'static [&'static str],
    /// Members that every value, class and module has from the language itself (`__name__`, `__dict__`).
    pub universal_members: &'static [&'static str],
    /// Package that literals and built-in containers belong to, as `external` target of their methods.
    pub builtin_package: &'static str,
    /// Projects may add to it by a namespace of its name; what they do not add is still the package's.
    pub builtin_package_is_open: bool,
    /// Whether the names of standard types (`builtin_types`) mean these types where they are of this package.
    pub is_standard_package: fn(&str) -> bool,
    /// Methods that standard types have under names so common that an unknown receiver's method of that name is no hint
    /// at the project's own.
    pub common_methods: &'static [&'static str],
    /// An unknown receiver's method may be any method of that name in the project.
    pub duck_typing: bool,
    /// The methods by which a value that is a function is called.
    pub function_methods: FunctionMethods,
    /// Arguments of calls are followed to parameters without a declared type.
    pub follows_arguments: bool,
    /// A variable may be assigned another function at run time, and is called like one.
    pub reassigns_functions: bool,
    /// A name means one definition in every build, and attributes leave definitions out of builds: several that are
    /// found are alternatives, each of which is certain (Rust).
    pub has_conditional_items: bool,
    /// `x.name()` is always a method and `x.name` always a field (Rust).
    pub fields_apart: bool,
    /// Functions can be classes (`function Foo() {}`, `Foo.prototype.bar = …`, `new Foo`).
    pub function_classes: bool,
    /// Object literals have the members of the values spread into them (`{ ...other }`), which are recorded as their
    /// bases, in order. Elsewhere an object is a class of one value.
    pub spreads_into_objects: bool,
    /// `for k, v := range x` counts: what is counted by (a map's key, a channel's element) is written as
    /// [`Expr::Enter`](m1nd_lang::facts::Expr::Enter), the value as an index (Go).
    pub counted_ranges: bool,
    /// Members are in the same folder as their type (Go methods).
    pub members_beside_type: bool,
    /// A variable of a module can be given another value by code that is not looked at: calling it reaches the value
    /// written there for certain only if it is a constant.
    pub variables_are_open: bool,
    /// The types that satisfy an interface without naming it: calls of its methods may run their methods.
    pub dispatch: Dispatch,
    /// From where outside code takes the values of the project that it yields.
    pub yields: Yields,
    /// How overloads are distinguished.
    pub overloads: Overloads,
    /// Which private methods can be replaced.
    pub private_methods: PrivateMethods,
    /// Methods, variables and types of one name do not hide each other: methods are bound in [`Namespace::Callee`] and
    /// only calls look there (Java).
    ///
    /// [`Namespace::Callee`]: m1nd_lang::facts::Namespace::Callee
    pub methods_apart: bool,
    /// What stands at the top of files is known to the whole program by its namespace, whatever file it is in (PHP).
    pub global_names: bool,
    /// A method of a class knows the class that it was called on: what it declares to return is a value of that.
    pub binds_called_class: bool,
    /// Traits and modules are mixed into classes that their own code does not name: the receiver in them may have more
    /// members.
    pub has_mixins: bool,
    /// Any table may be what others get their members from, without saying so: what a method calls of its receiver may
    /// be replaced there (Lua).
    pub tables_inherit: bool,
    /// Classes and modules may be written in several places, which are one; constants are known by their whole path,
    /// and methods of classes and of their values are apart (Ruby).
    pub open_types: bool,
    /// Texts, numbers and arrays have methods.
    pub plain_values_have_members: bool,
    /// Methods that are called in place of one that a class lacks.
    pub missing_methods: &'static [&'static str],
    /// What is constructed is written apart from what is called (`new C`), so a call never names a type. Methods and
    /// variables share one name space (C#).
    pub constructs_apart: bool,
    /// The name of a member may be put together when the code runs: `*` in it stands for any text.
    pub computed_members: bool,
    /// Decorators of a package whose functions are run later by these methods of theirs: package and methods.
    pub deferred_calls: &'static [(&'static str, &'static [&'static str])],
    /// Functions may be written for types elsewhere, outside ones too, and are called like their methods: the first
    /// parameter is the receiver (C#, Kotlin).
    pub extension_functions: bool,
    /// A type may be written in several parts: the first by path stands for all of them (C#).
    pub partial_types: bool,
    /// Functions and variables stand in packages beside types, and a class is constructed by calling it (Kotlin).
    pub packages_have_functions: bool,
    /// Functions may have a receiver whose members are known inside by their bare names: extension functions, and
    /// lambdas that are given to a parameter of such a type (Kotlin).
    pub implicit_receivers: bool,
    /// Functions of the language that run a lambda with the value that they are called on.
    pub scope_functions: &'static [(&'static str, ScopeFunction)],
    /// Labels of arguments belong to the names of functions, which are overloaded by them; constructors are called like
    /// members, too (`T.init(x)`), and a member without a type is one of the type that is expected (Swift).
    pub argument_labels: bool,
    /// Blocks add members to types of the project, to outside ones, and to all that conform to a protocol (Swift).
    pub extension_blocks: bool,
    /// What the other files of a module declare goes before what imports bring (Swift).
    pub siblings_first: bool,
    /// A class may have an object of its name beside it. Names of values mean the object, names of types the class, and
    /// a call of the name calls the object's method `apply`, or constructs a value of the class (Scala).
    pub companions: bool,
    /// A method without parameters is called by its name alone (Scala).
    pub runs_by_name: bool,
    /// Every package clause of a file brings what is in that package and in its package object, whatever files these
    /// are written in; a path starts at what is known where it stands (Scala).
    pub nested_packages: bool,
    /// A value of a known type may have methods of another that it can be converted to (Scala).
    pub implicit_conversions: bool,
    /// Ending that decorators may leave out of the names of their classes.
    pub decorator_suffix: Option<&'static str>,
    /// Standard types that others may be derived from, with all that they are derived from themselves.
    pub outside_bases: &'static [(&'static str, &'static [&'static str])],
    /// A class without a constructor has that of its base.
    pub constructors_inherited: bool,
    /// Folders are packages: their members are the types that files in them declare, and nothing else.
    pub folders_are_packages: bool,
    /// Name of the standard type of a literal, for the selection of overloads.
    pub literal_types: &'static [(Literal, &'static str)],
    /// Standard types whose conversions are all known: the type, what its values are as they stand, what they become
    /// only where nothing else fits (boxing).
    pub conversions: &'static [(&'static str, &'static [&'static str], &'static [&'static str])],
    /// The base type of every value.
    pub top_type: Option<&'static str>,
    /// Results of standard methods that are one standard type: prefix of the package, method, type.
    pub result_types: &'static [(&'static str, &'static str, &'static str)],
    /// Functions that create standard containers from their arguments: the class, the function, the container.
    pub factories: &'static [(&'static str, &'static str, Factory)],
    /// Standard function types: the type argument that each parameter has.
    pub function_types: &'static [(&'static str, &'static [u8])],
    /// Members that every enum class has from the language, by their result.
    pub enum_members: &'static [(&'static str, MethodShape)],
    /// Files see the top-level names of the files they include, as if these were written in them, and what one file
    /// declares another defines (C, C++).
    pub includes: bool,
    /// Defaults of parameters run in the scope that encloses the function (Python).
    pub defaults_run_outside: bool,
    /// Arrays are types of their own, and overloads are chosen in phases: by subtypes, then with boxing, then with a
    /// variable number of arguments; of several, the most specific is meant (Java).
    pub overload_phases: bool,
    /// What is known of a standard type.
    pub standard_type: fn(&str) -> Option<&'static StandardType>,
    /// How tests get values by name.
    pub fixtures: Option<&'static Fixtures>,
    /// The language is linked across files.
    pub linked: bool,
}

/// The methods by which a value that is a function is called.
#[derive(Debug, Clone, Copy)]
pub enum FunctionMethods {
    /// Any: functions become values of interfaces, whose methods have names of their own.
    Any,
    /// Those of these names.
    Named(&'static [&'static str]),
}

/// The methods of asynchronous loops and context managers.
#[derive(Debug, Clone, Copy)]
pub struct AsyncMethods {
    /// Its awaited result is what `async with` binds.
    pub enter: &'static str,
    /// Its result's elements are what `async for` yields.
    pub iterate: &'static str,
    /// Its awaited result is the next element.
    pub next: &'static str,
}

impl Rules {
    /// Rules of a language for which only an outline is extracted.
    pub const OUTLINED: Self = Self {
        bare_members: BareMembers::Everywhere,
        member_order: MemberOrder::DepthFirst,
        module_scope_ends_lookup: false,
        explicit_exports: false,
        submodules_are_members: false,
        constructors: &[],
        also_constructing: &[],
        call_method: None,
        stubs: &[],
        scalars: &[],
        index_method: None,
        iterate_method: None,
        map_iterates_pairs: false,
        deref_method: None,
        next_method: None,
        enter_method: None,
        async_methods: None,
        async_wraps_declared: false,
        decorations_call: false,
        plain_decorators: crate::plain_decorators::OUTLINED,
        stand_ins: &[],
        is_standard_library: |_| true,
        finders: &[],
        namespace_functions: &[],
        builtin_types: &[],
        builtin_fields: &[],
        holding_fields: &[],
        builtin_methods: &[],
        identity_methods: &[],
        derived_methods: &[],
        universal_members: &[],
        builtin_package: "builtins",
        builtin_package_is_open: false,
        is_standard_package: |_| false,
        common_methods: &[],
        duck_typing: false,
        function_methods: FunctionMethods::Named(&["Invoke", "apply", "call", "invoke"]),
        follows_arguments: false,
        reassigns_functions: false,
        has_conditional_items: false,
        fields_apart: false,
        function_classes: false,
        spreads_into_objects: false,
        counted_ranges: false,
        members_beside_type: false,
        variables_are_open: false,
        dispatch: Dispatch::None,
        yields: Yields::Anything,
        overloads: Overloads::None,
        private_methods: PrivateMethods::Hidden,
        methods_apart: false,
        global_names: false,
        binds_called_class: false,
        has_mixins: false,
        tables_inherit: false,
        open_types: false,
        plain_values_have_members: true,
        missing_methods: &[],
        constructs_apart: false,
        computed_members: false,
        deferred_calls: &[],
        extension_functions: false,
        partial_types: false,
        packages_have_functions: false,
        implicit_receivers: false,
        scope_functions: &[],
        argument_labels: false,
        extension_blocks: false,
        siblings_first: false,
        companions: false,
        runs_by_name: false,
        nested_packages: false,
        implicit_conversions: false,
        decorator_suffix: None,
        outside_bases: &[],
        constructors_inherited: true,
        folders_are_packages: false,
        literal_types: &[],
        conversions: &[],
        top_type: None,
        result_types: &[],
        factories: &[],
        function_types: &[],
        enum_members: &[],
        includes: false,
        defaults_run_outside: false,
        overload_phases: false,
        standard_type: |_| None,
        fixtures: None,
        linked: false,
    };

    /// Returns whether `base::name` takes a method as a value, never a field (Java).
    pub(crate) fn takes_methods_by_path(&self) -> bool {
        self.methods_apart && !self.global_names && !self.open_types
    }

    /// Returns whether calls and types are looked up apart from each other.
    pub(crate) fn separates_calls(&self) -> bool {
        self.methods_apart || self.constructs_apart
    }

    /// Returns whether arguments by name, and type arguments of calls, are kept apart from those by position.
    pub(crate) fn tells_arguments_apart(&self) -> bool {
        self.constructs_apart || self.implicit_receivers
    }

    /// Names of standard types that values have without an annotation.
    pub(crate) fn implied_types(&self) -> impl Iterator<Item = &'static str> {
        let literals = self.literal_types.iter().map(|(_, name)| *name);
        literals.chain(self.result_types.iter().map(|(.., name)| *name))
    }

    pub(crate) fn builtin_type(&self, name: &str) -> Option<Builtin> {
        self.builtin_types.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
    }

    pub(crate) fn builtin_field(&self, builtin: Builtin, name: &str) -> Option<FieldShape> {
        self.builtin_fields.iter().find(|(of, known, _)| *of == builtin && *known == name).map(|(.., shape)| *shape)
    }

    pub(crate) fn builtin_method(&self, builtin: Builtin, name: &str) -> Option<MethodShape> {
        // Other languages of a family see arrays as lists.
        let builtin = if builtin == Builtin::Array { Builtin::List } else { builtin };
        self.builtin_methods.iter().find(|(of, known, _)| *of == builtin && *known == name).map(|(.., shape)| *shape)
    }
}

/// The part of a language's rules that needs code: the lookup of modules. Created for each link run from the list of
/// files and the manifests; shared by all threads.
///
/// Queries for existing files go through [`Files`], which records them: if a file that would have been a result appears
/// later, the querying file is linked again.
pub trait Resolver: Send + Sync {
    /// A hash of everything the resolver took from manifests and from the files as a whole (source roots, packages) and
    /// that is not in the hash of a single file. If it changes, every file of the family is linked again.
    fn fingerprint(&self) -> u64 {
        0
    }

    /// A hash of what the resolver took for one file (its crate, its place in the module tree, the targets of its
    /// includes). If it changes, that file is linked again with those that looked into it: whoever answers from this
    /// notes by [`Files::see`] that it did.
    fn file_fingerprint(&self, file: FileId) -> u64 {
        let _ = file;
        0
    }

    /// Returns whether some builds leave a whole file out.
    fn is_conditional(&self, files: &Files<'_>, file: FileId) -> bool {
        let _ = (files, file);
        false
    }

    /// Files that the project declares as test code, in order. Test code recognised by its path is not included. Not
    /// part of the fingerprint: a file that is added or removed here is linked again, with the files that depend on it.
    fn test_files(&self) -> &[FileId] {
        &[]
    }

    /// The module that an import in `from` names. `module` and `level` as written
    /// ([`Import`](m1nd_lang::facts::Import)).
    fn module(&self, files: &Files<'_>, from: FileId, module: &str, level: u16) -> ModuleTarget;

    /// A module below a module, seen from a file: `name` inside package file `of` (Python `pkg/__init__.py` →
    /// `pkg/name.py`).
    fn submodule(&self, files: &Files<'_>, from: FileId, of: &ModuleTarget, name: &str) -> ModuleTarget {
        let _ = (files, from, of, name);
        ModuleTarget::NotFound
    }

    /// The file of `mod name;` in `from`, inside the inline modules `inline` (outermost first); `written` is the path
    /// attribute, if any.
    fn file_module(&self, files: &Files<'_>, from: FileId, inline: &[&str], name: &str, written: &str) -> ModuleTarget {
        let _ = (files, from, inline, name, written);
        ModuleTarget::NotFound
    }

    /// Where a path that starts at a keyword begins, for code at the top level of `from`: its crate's root file, or
    /// the file whose module declares `from`, `levels` up.
    fn root(&self, files: &Files<'_>, from: FileId, root: PathRoot) -> ModuleTarget {
        let _ = (files, from, root);
        ModuleTarget::NotFound
    }

    /// Resolves a name that no scope of the file defines: a crate, a global, a built-in. `None` if there is none.
    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        let _ = (files, from, name);
        None
    }

    /// Resolves a name that neither the scopes nor the named imports of the file define, before wildcard imports (types
    /// of the own package in Java).
    fn near(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        let _ = (files, from, name);
        None
    }

    /// Like [`Resolver::near`], inside of modules of the file, outermost first.
    fn near_inside(&self, files: &Files<'_>, from: FileId, inline: &[&str], name: &str) -> Option<ModuleTarget> {
        let _ = (files, from, inline, name);
        None
    }

    /// The files that may hold parts of a type at the top of modules of `from`, in order of their paths, and the names
    /// that lead to it in each.
    fn parts(&self, files: &Files<'_>, from: FileId, inline: &[&str], name: &str) -> Vec<(FileId, Vec<String>)> {
        let _ = (files, from, inline, name);
        Vec::new()
    }

    /// Packages whose members all files that are built with `from` see.
    fn shared_packages(&self, files: &Files<'_>, from: FileId) -> Vec<&str> {
        let _ = (files, from);
        Vec::new()
    }

    /// Returns whether a package is one of the project.
    fn is_own_package(&self, package: &str) -> bool {
        let _ = package;
        false
    }

    /// Returns whether code in `from` may use what `to` defines, by the dependencies of their packages. What is not
    /// known is allowed. Only manifests and paths decide, so that [`Resolver::fingerprint`] covers it.
    fn may_use(&self, files: &Files<'_>, from: FileId, to: FileId) -> bool {
        let _ = (files, from, to);
        true
    }

    /// Files whose top-level macros are visible in `from` without import, nearest first.
    fn macro_files(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        let _ = (files, from);
        Vec::new()
    }

    /// Files whose exported macros are members of module file `of`, wherever they are defined.
    fn exported_macro_files(&self, files: &Files<'_>, of: FileId) -> Vec<FileId> {
        let _ = (files, of);
        Vec::new()
    }

    /// Files whose top-level names are visible in `from` without import (Go and Java packages, C includes).
    fn siblings(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        let _ = (files, from);
        Vec::new()
    }

    /// Files whose top-level names may be visible in `from`, where an include can mean several files.
    fn doubtful_siblings(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        let _ = (files, from);
        Vec::new()
    }

    /// The package of a name that the project does not define, if `from` includes headers outside the project.
    fn outside_headers(&self, files: &Files<'_>, from: FileId) -> Option<String> {
        let _ = (files, from);
        None
    }

    /// The program or library that a file is built into, if the build files define it.
    fn target(&self, files: &Files<'_>, file: FileId) -> Option<&str> {
        let _ = (files, file);
        None
    }
}
