//! Members of external packages: the package, and the path from it to the member if the code reveals it.

use std::ops::Deref;
use std::rc::Rc;

use m1nd_base::node_id::{self, SEPARATOR};
use m1nd_lang::facts::{ExprId, Namespace};

use super::ancestors::Ancestor;
use super::{Entity, Eval, Value, Values, no_args};
use crate::names::Name;
use crate::rules::{Builtin, Yields};
use crate::tables::files::{DefRef, FileId};

/// Names on the way from a package to one of its members that are kept.
const MOST_NAMES: usize = 4;
/// Bytes of that way.
const LONGEST: usize = 160;
/// Packages whose modules are imported by their own names.
const BUNDLES: &[&str] = &["node"];
/// Packages whose classes make the constructors of those that inherit from them.
const GENERATING: &[&str] = &["enum", "typing", "typing_extensions"];
/// Endings of the names of files that may be written or left out.
const ENDINGS: &[&str] = &[".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".json"];
/// Suffix of a called member in a path.
const CALLED: &str = "()";

/// Something outside the roots. It reads like the name of its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outside {
    package: Rc<str>,
    /// Names on the way from the package; none for the package itself, `None` if the way is not known.
    way: Option<Rc<str>>,
    /// A value of it or of one of its members, not the thing itself.
    is_value: bool,
    /// A value that code of the package yields, which need not be of a type of the package: containers, guards and
    /// generic functions yield what the project gave them.
    is_yielded: bool,
    /// The standard type that it has, or that calling it yields.
    result: Option<Name>,
}

impl Outside {
    /// The package itself.
    pub(crate) fn package(name: impl Into<Rc<str>>) -> Self {
        Self { package: name.into(), way: Some("".into()), is_value: false, is_yielded: false, result: None }
    }

    /// The module of the package that an import names.
    pub(crate) fn module(package: String, written: &str) -> Self {
        let way = match written.strip_prefix(package.as_str()) {
            Some("") => Some(Rc::from("")),
            Some(rest) => match rest.strip_prefix('.') {
                Some(names) => Some(names.replace('.', SEPARATOR).into()),
                None => rest.strip_prefix(['/', ':']).map(way_of_file),
            },
            None if BUNDLES.contains(&package.as_str()) => Some(way_of_file(written)),
            None => None,
        };
        let way = way.filter(|way: &Rc<str>| fits(way));
        Self { package: package.into(), way, is_value: false, is_yielded: false, result: None }
    }

    /// An unknown member of the package.
    pub(crate) fn somewhere(&self) -> Self {
        Self { way: None, result: None, ..self.clone() }
    }

    /// A value that it yields: an element, the result of a method, what it holds.
    pub(crate) fn yield_value(&self) -> Self {
        Self { is_yielded: true, ..self.somewhere() }
    }

    /// The same, if it yields values that need not be of types of the package.
    pub(crate) fn yielding(self, is_yielded: bool) -> Self {
        Self { is_yielded: self.is_yielded || is_yielded, ..self }
    }

    /// Returns whether it is a value whose type may be of the project, although it comes from outside.
    pub(crate) fn is_yielded(&self) -> bool {
        self.is_yielded
    }

    /// The same, if the standard type is known that it has or that calling it yields.
    pub(crate) fn resulting(self, result: Option<Name>) -> Self {
        Self { result, ..self }
    }

    /// The standard type that it has, or that calling it yields, where that is known.
    pub(crate) fn result(&self) -> Option<Name> {
        self.result
    }

    /// A value of it, if it is a type.
    pub(crate) fn instance(self) -> Self {
        Self { is_value: true, ..self }
    }

    /// Returns whether it is a value, or a member of one.
    pub(crate) fn is_value(&self) -> bool {
        self.is_value || self.way.is_none()
    }

    /// Returns whether it is a type by itself, not a value: a member of its package.
    pub(crate) fn is_type(&self) -> bool {
        let is_member = |way: &Rc<str>| !way.is_empty() && !way.contains(SEPARATOR);
        !self.is_value && self.way.as_ref().is_some_and(is_member)
    }

    /// Returns whether its name is written like that of a class.
    pub(crate) fn is_named_as_class(&self) -> bool {
        let last = self.way.as_deref().and_then(|way| node_id::names(way).last());
        last.is_some_and(|name| name.trim_start_matches('_').starts_with(char::is_uppercase))
    }

    /// A member of it.
    pub(crate) fn member(&self, name: &str) -> Self {
        let name = crate::names::strip_count(name);
        let way =
            self.way.as_deref().map(|way| if way.is_empty() { name.to_owned() } else { node_id::join(way, name) });
        let way = way.filter(|way| fits(way)).map(Rc::from);
        Self { way, result: None, ..self.clone() }
    }

    /// Result of calling it. The result of a further call is unknown.
    pub(crate) fn call(&self) -> Self {
        let way = self.way.as_deref().filter(|way| !way.is_empty() && !way.contains(CALLED));
        let way = way.map(|way| format!("{way}{CALLED}")).filter(|way| fits(way));
        Self { way: way.map(Rc::from), is_value: true, result: None, ..self.clone() }
    }

    /// The package and the way to the member, if it is a member to which the way is known.
    pub(crate) fn path(&self) -> Option<String> {
        let way = self.way.as_deref().filter(|way| !way.is_empty() && !way.ends_with(CALLED))?;
        Some(node_id::join(&self.package, way))
    }

    /// The last name on the way to it, called or not.
    pub(crate) fn last_name(&self) -> Option<String> {
        let last = node_id::names(self.way.as_deref()?).last()?;
        let name = last.strip_suffix(CALLED).unwrap_or(last);
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// Returns whether both belong to one package.
    pub(crate) fn same_package(&self, other: &Self) -> bool {
        self.package == other.package
    }

    /// Returns whether both are the same, or values of the same.
    pub(crate) fn same_place(&self, other: &Self) -> bool {
        self.package == other.package && self.way == other.way
    }

    /// The same for both of two things of one package, as far as it is known.
    pub(crate) fn meet(&mut self, other: &Self) {
        if self.way != other.way {
            self.way = None;
        }
        self.is_value |= other.is_value;
        self.is_yielded |= other.is_yielded;
    }
}

impl Eval<'_> {
    /// Returns whether calling something outside may yield a value of a type of the project.
    pub(super) fn yields_given(&mut self, callee: &Outside, file: FileId, args: &[ExprId]) -> bool {
        let rules = self.rules(file);
        let by_arguments = match rules.yields {
            Yields::Inferred => return true,
            // Constructing a class yields a value of the class.
            Yields::Anything | Yields::OfCalls if callee.is_named_as_class() => return false,
            // It may have been told of the project elsewhere, or be generated from it.
            _ if !(rules.is_standard_library)(callee) || rules.finders.contains(&&**callee) => return true,
            // An object yields what it was given before.
            Yields::Anything => !callee.is_value(),
            Yields::OfFunctions if callee.is_value() => return false,
            Yields::OfFunctions | Yields::OfCalls => true,
        };
        !by_arguments || !args.iter().all(|&arg| is_outside(&self.eval(file, arg, Namespace::Value)))
    }

    /// Returns whether the value of a member of something outside may be of a type of the project: a library holds what
    /// the project configured, and fields of its types what the project put there.
    pub(super) fn holds_given(&self, member: &Outside) -> bool {
        let rules = self.home;
        !(rules.is_standard_library)(member)
            && match rules.yields {
                Yields::Anything => !member.is_named_as_class(),
                Yields::OfFunctions | Yields::OfCalls => member.is_value(),
                Yields::Inferred => false,
            }
    }

    fn is_decorated(&mut self, of: DefRef) -> bool {
        !self.unit(of.file).list(self.definition(of).decorators).is_empty()
    }

    /// The constructor outside that constructing a value of the class runs, if the class inherits from one class
    /// outside and no class of the project on the way writes one.
    pub(crate) fn outside_constructor(&mut self, class: DefRef) -> Option<Outside> {
        let rules = self.rules(class.file);
        let name = rules.constructors.first().filter(|_| rules.constructors_inherited)?;
        let mut outside = None;
        for ancestor in self.ancestors(class).iter() {
            match ancestor {
                // A decorator may write another constructor into the class.
                Ancestor::Class(own, _) if !self.is_decorated(*own) => {}
                Ancestor::External(base, _) if outside.is_none() && !GENERATING.contains(&&**base) => {
                    outside = Some(base.member(name));
                }
                _ => return None,
            }
        }
        let own = self.constructor(&Value::Def(class, no_args()));
        outside.filter(|_| !own.found.iter().any(|found| matches!(found.entity, Entity::Def(_))))
    }
}

/// Returns whether values are known to be all of outside types, inside of containers as well.
pub(super) fn is_outside(values: &Values) -> bool {
    let mut open = vec![values];
    while let Some(values) = open.pop() {
        if values.unknown.is_some() {
            return false;
        }
        for value in &values.items {
            match value {
                Value::External(outside, _) if !outside.is_yielded() => {}
                Value::Null | Value::Key(_) => {}
                // The keys of a map literal are not evaluated.
                Value::Builtin(Builtin::Map, args) | Value::BuiltinType(Builtin::Map, args) => open.extend(args.last()),
                Value::Builtin(_, args) | Value::BuiltinType(_, args) => open.extend(args.iter()),
                _ => return false,
            }
        }
    }
    true
}

/// The path of a file inside of a package, without its extension.
fn way_of_file(path: &str) -> Rc<str> {
    let file = path.rfind('/').map_or(0, |slash| slash + 1);
    let ending = path[file..].rfind('.').map(|dot| file + dot).filter(|dot| ENDINGS.contains(&&path[*dot..]));
    path[..ending.unwrap_or(path.len())].replace('/', SEPARATOR).into()
}

fn fits(way: &str) -> bool {
    way.len() <= LONGEST && (way.is_empty() || node_id::names(way).count() <= MOST_NAMES)
}

impl Deref for Outside {
    type Target = str;

    fn deref(&self) -> &str {
        &self.package
    }
}

/// Something of the package.
impl From<&str> for Outside {
    fn from(package: &str) -> Self {
        Self { package: package.into(), way: None, is_value: false, is_yielded: false, result: None }
    }
}

/// Something of the package.
impl From<String> for Outside {
    fn from(package: String) -> Self {
        Self { package: package.into(), way: None, is_value: false, is_yielded: false, result: None }
    }
}
