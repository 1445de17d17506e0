use serde::{Deserialize, Serialize};

use super::{DefId, Pos};

/// A name that a file shares with other programs, by what its format says of it or a text in its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// What the name is one of.
    pub kind: SharedKind,
    /// The file brings it into being; else it needs it.
    pub declares: bool,
    /// The name.
    pub name: Box<str>,
    /// What else belongs to it, see [`SharedKind`].
    pub of: Box<str>,
    /// The definition that it is or belongs to.
    pub owner: Option<DefId>,
    /// Where it is written.
    pub pos: Pos,
}

/// Kind of a shared name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SharedKind {
    /// A procedure of a gRPC service: `Service/Method`; `of` is its package.
    Procedure,
    /// A type of a schema, as written.
    Type,
    /// A schema that another one imports, by its path as written.
    Schema,
    /// A table of a database; `of` is `r`, `w`, or empty if only its declaration refers to it.
    Table,
    /// A field of a root type of GraphQL: `Query.user`.
    Field,
    /// An operation of an HTTP interface, `GET /users/{id}`; `of` is the name of the operation.
    Operation,
    /// An environment variable that is set.
    Variable,
    /// An image of a container. Whoever declares it says in `of` what it is built from: the path of the folder and that
    /// of the Dockerfile, with `|` between, relative to the file; the name may be empty.
    Image,
    /// A unit of deployment of the same file that another one needs.
    Unit,
    /// A set of variables that is given to a container as a whole (a ConfigMap).
    Variables,
    /// A program that a container starts, by the path of a file.
    Program,
    /// A manifest, or a folder of them, that another file applies (Kustomize), by its path relative to the file.
    Manifest,
    /// A name of an image in manifests; `of` is the name that takes its place.
    ImageAlias,
    /// A value of a Helm chart by the keys that lead to it (`image.repository`); `of` is the value.
    Value,
    /// A definition or file of the project that settings, or a text in code, name by its address; `of` is how it is
    /// written: [`Shared::OBJECT`] and the others.
    Code,
}

impl Shared {
    /// Longest name, in bytes.
    pub const MAX_NAME: usize = 256;
    /// `pkg.mod:attr`: a definition of a module.
    pub const OBJECT: &str = "object";
    /// `pkg.mod.attr`: a definition or a module.
    pub const DOTTED: &str = "dotted";
    /// `pkg.mod`: a module that is run.
    pub const MODULE: &str = "module";
    /// A path of a file, relative to that which names it or to the top of the repository.
    pub const FILE: &str = "file";
    /// A class, by its name alone.
    pub const CLASS: &str = "class";
    /// A definition of the same file, by its name alone.
    pub const OWN: &str = "own";
}
