use serde::{Deserialize, Serialize};

use super::{DefId, ExprId, ImportId, ListId, NameId, ScopeId};

/// An expression, reduced to what name resolution needs. Written types are expressions, too (`Pool`, `pkg.Pool`,
/// `List[Pool]`), evaluated in type position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A bare name, looked up from `scope` outwards.
    Name {
        /// The name.
        name: NameId,
        /// Scope where look-up starts.
        scope: ScopeId,
    },
    /// `base.name`: a member of a value.
    Member {
        /// The value.
        base: ExprId,
        /// The member.
        name: NameId,
    },
    /// `base::name`: a member of a namespace or type (Rust, C++, PHP, Ruby).
    Path {
        /// The namespace or type.
        base: ExprId,
        /// The member.
        name: NameId,
    },
    /// A path that starts at a keyword.
    Root {
        /// The keyword.
        root: PathRoot,
        /// Enclosing scope.
        scope: ScopeId,
    },
    /// `callee(args)`. The callee of `new C()` is wrapped in nothing: calling a class constructs it.
    Call {
        /// The callee.
        callee: ExprId,
        /// Positional arguments in order; [`Expr::Unknown`] replaces a spread.
        args: ListId,
    },
    /// `base[…]`: an element taken by key or position.
    Index {
        /// The container.
        base: ExprId,
    },
    /// `base[key]` with a constant key.
    Key {
        /// The container.
        base: ExprId,
        /// The key as [`Expr::Entry`] has it.
        name: NameId,
    },
    /// A map element with a constant key; only occurs among the items of a collection. Also an argument with a label,
    /// where labels belong to the names of functions (Swift).
    Entry {
        /// The key: an integer in decimal digits, or a string in double quotes. Or the label; empty for a closure that
        /// is written behind the other arguments.
        name: NameId,
        /// The element.
        value: ExprId,
    },
    /// The method of this name, of values that have it: for calls that the language makes without writing them
    /// (`for` calls `__iter__`).
    Implicit {
        /// The value.
        base: ExprId,
        /// The method.
        name: NameId,
    },
    /// Element number `index` of a tuple, or of a container when its arity is not known (destructuring).
    Item {
        /// The tuple.
        base: ExprId,
        /// 0-based position.
        index: u32,
    },
    /// Element of an iteration over `base`.
    Element {
        /// The iterable.
        base: ExprId,
    },
    /// Result of awaiting, unwrapping or matching `base` (`await x`, `x?`, `Some(p)`/`Ok(p)` in a pattern): the first
    /// type argument of a known wrapper, else `base` itself.
    Unwrap {
        /// The wrapper.
        base: ExprId,
    },
    /// Result of entering a context manager: `with base as x`.
    Enter {
        /// The manager.
        base: ExprId,
    },
    /// Element of an asynchronous iteration over `base`: `async for`.
    AwaitedElement {
        /// The iterable.
        base: ExprId,
    },
    /// Result of entering an asynchronous context manager: `async with base as x`.
    AwaitedEnter {
        /// The manager.
        base: ExprId,
    },
    /// A value of the type that `of` names: casts, `except E as e`, typed patterns.
    Instance {
        /// Names the type.
        of: ExprId,
    },
    /// A definition written in place: function expression, lambda, class expression, object literal.
    Definition(DefId),
    /// The value of an import written as an expression: `require("x")`, `export { a } from "x"`.
    Import(ImportId),
    /// The receiver: `this`, `self` where it is a keyword. Belongs to the class-like owner around `scope`.
    This {
        /// Enclosing scope.
        scope: ScopeId,
    },
    /// The class around `scope` itself, as a type: Rust `Self`, PHP `static`, TypeScript `this` types.
    SelfType {
        /// Enclosing scope.
        scope: ScopeId,
    },
    /// `super` / `super()` / `base`: the receiver seen as its next base class.
    Super {
        /// Enclosing scope.
        scope: ScopeId,
    },
    /// `super(class, self)`: the receiver seen as the class behind `class` in the order of its bases.
    SuperOf {
        /// Names the class.
        class: ExprId,
        /// Enclosing scope.
        scope: ScopeId,
    },
    /// A literal of a built-in type.
    Literal(Literal),
    /// A built-in container with these elements (values for a map).
    Collection {
        /// Kind of the collection.
        kind: Collection,
        /// Elements in order; for maps the values.
        items: ListId,
    },
    /// One of several: conditional expressions, `a or b`, union types, match arms.
    Union(ListId),
    /// A generic type or function with arguments: `List[Pool]`, `Vec<T>`, `f::<T>`.
    Generic {
        /// The generic.
        base: ExprId,
        /// Its arguments.
        args: ListId,
    },
    /// A function type: its result. Calling a value of this type yields an instance of `result`.
    Function {
        /// Result type.
        result: ExprId,
    },
    /// A function type with the types of its parameters; else as [`Expr::Function`].
    Signature {
        /// Types of the parameters in order; [`Expr::Unknown`] where none is written.
        parameters: ListId,
        /// Result type.
        result: ExprId,
    },
    /// Argument received by a parameter of a function, according to its context.
    Given {
        /// The expected value, or the call whose next argument it is.
        by: ExprId,
        /// 0-based index of the parameter; [`Expr::WHOLE`] means the expected value itself.
        parameter: u32,
    },
    /// `base` where a condition tells more of it.
    Narrowed {
        /// The value.
        base: ExprId,
        /// What it is tested for: classes, or an [`Expr::Entry`] with the name of a member and its value.
        by: ListId,
        /// The test.
        test: NarrowTest,
        /// Whether the test holds here.
        holds: bool,
    },
    /// Any other expression; nothing is known about it.
    Unknown,
}

/// What a condition tests a value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NarrowTest {
    /// It is of one of these classes (`isinstance`, `instanceof`).
    Class,
    /// It has a member of this name (`"name" in x`, `hasattr`).
    Member,
    /// Its member of this name is this constant (`x.kind === "a"`).
    Constant,
}

impl Expr {
    /// In [`Expr::Given`]: no parameter, but the value that is expected as the next argument of a call.
    pub const WHOLE: u32 = u32::MAX;
}

/// In [`Expr::Implicit`]: the constructor of a type, or of the class of a value.
pub const CONSTRUCTOR: &str = "constructor";
/// In [`Expr::Implicit`]: the destructor of the class of a value.
pub const DESTRUCTOR: &str = "destructor";

/// The keyword a path starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PathRoot {
    /// `crate::`
    Crate,
    /// `super::`, as often as given.
    Super(u8),
    /// `self::`
    SelfModule,
    /// A leading `::`.
    Global,
}

/// A literal's built-in type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Literal {
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// Integer.
    Int,
    /// Other number.
    Float,
    /// True or false.
    Bool,
    /// `None`, `null`, `undefined`, `nil`, unit.
    Null,
    /// Regular expression.
    Regex,
}

/// A built-in container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Collection {
    /// List, array, vector, slice.
    List,
    /// Set.
    Set,
    /// Map with known values.
    Map,
    /// Tuple: each item has its own type.
    Tuple,
    /// A generator or iterator over the items.
    Iterator,
}
