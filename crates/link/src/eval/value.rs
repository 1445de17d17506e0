use std::rc::Rc;

use smallvec::SmallVec;

use super::Outside;
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::{Builtin, MethodShape, ModuleTarget};
use crate::tables::files::{DefRef, FileId};

/// Type arguments, each with its possible values.
pub(crate) type Args = Rc<[Values]>;

/// A possible value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A definition itself: the class, the function, the object.
    Def(DefRef, Args),
    /// A value of the class-like definition.
    Instance(DefRef, Args),
    /// A function taken of a value.
    Bound(DefRef, Rc<Receiver>),
    /// A module.
    Module(Module),
    /// A standard type, as a type.
    BuiltinType(Builtin, Args),
    /// A value of a standard type.
    Builtin(Builtin, Args),
    /// A function known only by its result.
    Callable(Rc<Values>),
    /// A method of a standard type, with the result of calling it.
    Method(Rc<Values>),
    /// A method of a standard type that returns a container of the results of its callback; the flag flattens them.
    Maps(Builtin, bool),
    /// A receiver of class `.0`, searched behind class `.1` in the order of its bases.
    Super(DefRef, DefRef),
    /// A value of type parameter number `.1` of the definition.
    TypeVar(DefRef, u32),
    /// Something of a package outside the roots; if it is known to be a value of a type of that package, the type.
    External(Outside, Option<Name>),
    /// A constant key of a map; only occurs before an element.
    Key(Name),
    /// `None`, `null`: has no members worth following.
    Null,
}

impl Value {
    /// Returns whether it is a type parameter of a definition or has one among its type arguments.
    pub(crate) fn mentions(&self, of: DefRef) -> bool {
        match self {
            Self::TypeVar(owner, _) => *owner == of,
            Self::Def(_, args) | Self::Instance(_, args) | Self::Builtin(_, args) | Self::BuiltinType(_, args) => {
                args.iter().any(|arg| arg.mention(of))
            }
            Self::Callable(result) => result.mention(of),
            _ => false,
        }
    }
}

/// The value that a method was accessed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receiver {
    /// The value.
    pub(crate) value: Value,
    /// The class the method was found in, with its type arguments as the value fixes them.
    pub(crate) owner: Option<(DefRef, Args)>,
}

/// A module as a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Module {
    File(FileId),
    Folder(Rc<str>),
    Files(Rc<[FileId]>),
}

impl Module {
    pub(crate) fn target(&self) -> ModuleTarget {
        match self {
            Self::File(file) => ModuleTarget::File(*file),
            Self::Folder(path) => ModuleTarget::Folder(path.to_string()),
            Self::Files(files) => ModuleTarget::Files(files.to_vec()),
        }
    }
}

/// All that an expression may evaluate to; `unknown` if there may be more, and why.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Values {
    pub(crate) items: SmallVec<[Value; 1]>,
    pub(crate) unknown: Option<Reason>,
}

/// Alternatives kept of one expression.
const ALTERNATIVES: usize = 8;

impl Values {
    pub(crate) fn one(value: Value) -> Self {
        Self { items: SmallVec::from_buf([value]), unknown: None }
    }

    pub(crate) fn unknown(reason: Reason) -> Self {
        Self { items: SmallVec::new(), unknown: Some(reason) }
    }

    pub(crate) fn push(&mut self, value: Value) {
        if self.items.contains(&value) {
            return;
        }
        // Several things of one package are one alternative.
        if let Value::External(package, name) = &value
            && let Some(known) = self.items.iter_mut().find_map(|known| match known {
                Value::External(other, known) if other.same_package(package) && known == name => Some(other),
                _ => None,
            })
        {
            known.meet(package);
            return;
        }
        if self.items.len() >= ALTERNATIVES {
            self.unknown = Some(Reason::TooManyCandidates);
            return;
        }
        self.items.push(value);
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.unknown = self.unknown.or(other.unknown);
        for value in other.items {
            self.push(value);
        }
    }

    /// The result of `f` for every alternative.
    pub(crate) fn flat_map(self, mut f: impl FnMut(Value) -> Self) -> Self {
        let mut result = Self { items: SmallVec::new(), unknown: self.unknown };
        for value in self.items {
            result.add(f(value));
        }
        result
    }

    /// Returns whether one of them [mentions](Value::mentions) a type parameter of a definition.
    pub(crate) fn mention(&self, of: DefRef) -> bool {
        self.items.iter().any(|value| value.mentions(of))
    }

    /// Nothing is known and nothing is unknown: an expression without a value.
    pub(crate) fn is_nothing(&self) -> bool {
        self.items.is_empty() && self.unknown.is_none()
    }
}

/// Target of a name or access path, before evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entity {
    /// A definition.
    Def(DefRef),
    /// A module.
    Module(Module),
    /// A parameter, local variable or the like: number of the binding in its file.
    Local(FileId, u32),
    /// The value of an expression of a file (an export).
    Expr(FileId, m1nd_lang::facts::ExprId),
    /// Something outside the roots: package, and the name it is known by there.
    External(Outside, Option<Name>),
    /// A method of a standard type.
    BuiltinMethod(Option<MethodShape>, Rc<Value>),
}

/// One thing found, and the value it was taken of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) entity: Entity,
    pub(crate) receiver: Option<Rc<Value>>,
    /// The class the member was found in, with its type arguments as the receiver fixes them.
    pub(crate) owner: Option<(DefRef, Args)>,
}

impl Found {
    pub(crate) fn plain(entity: Entity) -> Self {
        Self { entity, receiver: None, owner: None }
    }
}

/// Result of a search: the entities found, and whether there may be more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    pub(crate) found: SmallVec<[Found; 2]>,
    pub(crate) unknown: Option<Reason>,
}

impl Search {
    pub(crate) fn one(entity: Entity) -> Self {
        let mut search = Self::default();
        search.found.push(Found::plain(entity));
        search
    }

    pub(crate) fn unknown(reason: Reason) -> Self {
        Self { found: SmallVec::new(), unknown: Some(reason) }
    }

    pub(crate) fn push(&mut self, found: Found) {
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.unknown = self.unknown.or(other.unknown);
        for found in other.found {
            self.push(found);
        }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.found.is_empty() && self.unknown.is_none()
    }

    /// Keeps the marked entities, in order: fitness mostly needs the evaluator, which cannot be used while the search
    /// is borrowed.
    pub(crate) fn keep(&mut self, marks: &[bool]) {
        let mut marks = marks.iter();
        self.found.retain(|_| marks.next().copied().unwrap_or(true));
    }
}
