//! The vocabulary in which a language's syntax tree is described to the extractor: one [`Rule`] for each kind of node.

use tree_sitter::{Node, Tree};

use super::Outline;
use super::draft::Draft;
use crate::facts::{Collection, DefFlags, DefKind, ExprId, FileFacts, Literal, ParameterKind, ScopeId, Visibility};
use crate::parse::Layout;

/// Names one child of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pick {
    /// No child.
    None,
    /// The child that fills a field.
    Field(&'static str),
    /// The named child with this number, comments counted.
    Nth(usize),
    /// The last named child.
    Last,
    /// The first named child of one of these kinds.
    Kind(&'static [&'static str]),
    /// The child of the parent that fills a field.
    Up(&'static str),
}

/// The child in a field.
pub(crate) const fn field(name: &'static str) -> Pick {
    Pick::Field(name)
}

impl Pick {
    /// The child, if it is there.
    pub(crate) fn get<'t>(self, node: Node<'t>, parent: Option<Node<'t>>) -> Option<Node<'t>> {
        match self {
            Self::None => None,
            Self::Field(field) => node.child_by_field_name(field),
            Self::Nth(index) => node.named_child(index as u32),
            Self::Last => node.named_child((node.named_child_count() as u32).checked_sub(1)?),
            Self::Kind(kinds) => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
            }
            Self::Up(field) => parent?.child_by_field_name(field),
        }
    }

    /// All children it names: a field may be filled several times.
    pub(crate) fn all<'t>(self, node: Node<'t>, parent: Option<Node<'t>>) -> Vec<Node<'t>> {
        match self {
            Self::Field(field) => {
                let mut cursor = node.walk();
                node.children_by_field_name(field, &mut cursor).filter(Node::is_named).collect()
            }
            Self::Kind(kinds) => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).filter(|child| kinds.contains(&child.kind())).collect()
            }
            other => other.get(node, parent).into_iter().collect(),
        }
    }
}

/// Called when a node with irregular shape is entered.
pub(crate) type Enter = for<'t> fn(&mut Outline<'_>, Node<'t>, Option<Node<'t>>) -> crate::walk::Enter;
/// Called when such a node is left.
pub(crate) type Leave = for<'t> fn(&mut Outline<'_>, Node<'t>, Option<Node<'t>>);
/// Completes what the table says of a definition.
pub(crate) type Adjust = for<'a, 't> fn(&mut Outline<'a>, Node<'t>, Option<Node<'t>>, &mut Draft<'a, 't>);

/// What a kind of node means.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Nothing itself; its children count.
    Plain,
    /// The same as its first child that is an expression; what its parent says of it holds for its children.
    Forward,
    /// [`Rule::Forward`] in type position.
    Type,
    /// Nothing, with all its children.
    Skip,
    /// A comment.
    Comment,
    /// A bare name.
    Name,
    /// A bare name in type position.
    TypeName,
    /// The name of a built-in type: an expression without reference.
    Primitive,
    /// The receiver keyword.
    This,
    /// The keyword for the base class.
    Super,
    /// A literal of a built-in type.
    Literal(Literal),
    /// A container literal.
    Collection(Collection),
    /// A container type; its last type is that of the elements, except for tuples.
    TypeOf(Collection),
    /// `base.name`.
    Member(Pick, Pick),
    /// `callee(arguments)`.
    Call(Pick, Pick),
    /// `base<arguments>`.
    Generic(Pick, Pick),
    /// `base[…]`.
    Index(Pick),
    /// `await x` and its like.
    Unwrap,
    /// A cast to the picked type.
    Instance(Pick),
    /// A list of values: itself if it is one, else a tuple; what its parent says of it holds for its children.
    List,
    /// Arguments: its children are in value position wherever it stands.
    Values,
    /// Its children count, but for the picked one.
    Without(Pick),
    /// One of several children.
    Union(&'static [&'static str]),
    /// Opens a block scope.
    Block,
    /// The value is that of its last child; opens a block scope if set.
    Sequence(bool),
    /// Returns its last child's value from the function.
    Return,
    /// Assigns to the picked child.
    Assign(Pick),
    /// A definition.
    Define(&'static Define),
    /// A variable: a field or module variable outside of functions, else a local.
    Bind(&'static Bind),
    /// A parameter.
    Param(&'static Bind, ParameterKind),
    /// A type parameter: name, bound.
    TypeParam(Pick, Pick),
    /// All children are base types.
    Bases,
    /// All children are implemented interfaces.
    Implements,
    /// A decorator; the picked child names it.
    Decorator(Pick),
    /// Anything irregular.
    Custom(Enter, Leave),
}

/// What is said of a definition whose body is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoBody {
    /// Nothing.
    Nothing,
    /// It is abstract.
    Abstract,
    /// It declares what is defined elsewhere.
    Declaration,
}

/// Shape of a definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Define {
    /// What it is, unless [`Grammar::adjust`] says otherwise.
    pub(crate) kind: DefKind,
    /// Its name.
    pub(crate) name: Pick,
    /// Its parameter list.
    pub(crate) params: Pick,
    /// Its body.
    pub(crate) body: Pick,
    /// Its declared type.
    pub(crate) result: Pick,
    /// Has no name of its own and is an expression.
    pub(crate) anonymous: bool,
    /// Called to construct its class.
    pub(crate) constructor: bool,
    /// What a missing body means.
    pub(crate) no_body: NoBody,
}

impl Define {
    /// A function with the usual fields.
    pub(crate) const FUNCTION: Self = Self {
        kind: DefKind::Function,
        name: Pick::Field("name"),
        params: Pick::Field("parameters"),
        body: Pick::Field("body"),
        result: Pick::None,
        anonymous: false,
        constructor: false,
        no_body: NoBody::Abstract,
    };
    /// A class with the usual fields.
    pub(crate) const CLASS: Self =
        Self { kind: DefKind::Class, params: Pick::None, no_body: NoBody::Nothing, ..Self::FUNCTION };
    /// A lambda.
    pub(crate) const LAMBDA: Self =
        Self { name: Pick::None, anonymous: true, no_body: NoBody::Nothing, ..Self::FUNCTION };

    /// As [`Define::CLASS`], of another kind.
    pub(crate) const fn like_class(kind: DefKind) -> Self {
        Self { kind, ..Self::CLASS }
    }
}

/// How the value of a variable follows from the picked one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// It is that value.
    Plain,
    /// It is an element of it.
    Element,
}

/// Shape of variables and parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bind {
    /// The names, or the patterns that hold them.
    pub(crate) names: Pick,
    /// The written type.
    pub(crate) ty: Pick,
    /// The value.
    pub(crate) value: Pick,
    /// How names get their value.
    pub(crate) wrap: Wrap,
    /// What it is outside of functions: [`DefKind::Variable`] becomes a field inside of a class.
    pub(crate) kind: DefKind,
    /// Never a definition, wherever it stands (loop variables, patterns).
    pub(crate) local: bool,
}

impl Bind {
    /// `type name = value` with the usual fields.
    pub(crate) const VARIABLE: Self = Self {
        names: Pick::Field("name"),
        ty: Pick::Field("type"),
        value: Pick::Field("value"),
        wrap: Wrap::Plain,
        kind: DefKind::Variable,
        local: false,
    };
    /// A local with the usual fields.
    pub(crate) const LOCAL: Self = Self { local: true, ..Self::VARIABLE };
}

/// Everything the extractor knows of one language.
pub(crate) struct Grammar {
    /// The parser's tables.
    pub(crate) language: fn() -> tree_sitter::Language,
    /// How blocks are written.
    pub(crate) layout: Layout,
    /// Rules by kind of node; kinds without a rule are [`Rule::Plain`].
    pub(crate) rules: &'static [(&'static str, Rule)],
    /// Rules of the language that this one extends, for kinds without a rule.
    pub(crate) base_rules: &'static [(&'static str, Rule)],
    /// Fields whose child is in type position.
    pub(crate) type_fields: &'static [&'static str],
    /// Kinds of node that are names inside of patterns.
    pub(crate) name_kinds: &'static [&'static str],
    /// Names that stand for the receiver.
    pub(crate) this: &'static [&'static str],
    /// Names that stand for the receiver as its base class.
    pub(crate) super_: &'static [&'static str],
    /// Names that stand for the class itself.
    pub(crate) self_type: &'static [&'static str],
    /// Names in type position that stand for no type (`var`, `auto`).
    pub(crate) no_type: &'static [&'static str],
    /// Kinds of node that list type parameters.
    pub(crate) type_parameters: &'static [&'static str],
    /// Kinds of node before the header of a definition that do not belong to it.
    pub(crate) decorators: &'static [&'static str],
    /// Kinds of node that hold modifiers and decorators.
    pub(crate) modifiers: &'static [&'static str],
    /// Kinds of node around a definition that belong to it; if set, only if they start on the same line.
    pub(crate) wrappers: &'static [(&'static str, bool)],
    /// Visibility by keyword.
    pub(crate) access: &'static [(&'static str, Visibility)],
    /// Visibility without keyword: by kind of the owner and name.
    pub(crate) visibility: fn(Option<DefKind>, &str) -> Visibility,
    /// Words that name no definition: where code could not be read, statements look like one.
    pub(crate) reserved: &'static [&'static str],
    /// Decorators of tests.
    pub(crate) test_decorators: &'static [&'static str],
    /// Kinds of argument that stand for any number of them.
    pub(crate) spreads: &'static [&'static str],
    /// Characters at the start of names that are not part of them.
    pub(crate) sigils: &'static [char],
    /// Types and values do not share one name space.
    pub(crate) separate_types: bool,
    /// Type parameters are named like values (`T.make()`).
    pub(crate) parameters_are_values: bool,
    /// A type may be defined where it is used (`struct x { … } y;`).
    pub(crate) inline_types: bool,
    /// Bytes to read differently than they are written, where the grammar took one construct for another. Positions
    /// stay, and the text of nodes is that of the file.
    pub(crate) reread: fn(&Tree, &str) -> Vec<(usize, u8)>,
    /// Irregular parts of definitions.
    pub(crate) adjust: Adjust,
    /// After an assignment.
    pub(crate) assigned: Leave,
    /// After a node of no rule, or one that forwards or takes a member.
    pub(crate) left: Leave,
    /// Methods have a name space of their own: a local variable never hides one.
    pub(crate) methods_apart: bool,
    /// The result of a function is that of the last expression of its body, whatever that is.
    pub(crate) returns_last: bool,
    /// Completes the facts once all names of the file are known; given the labels that were remembered.
    pub(crate) finish: fn(&mut FileFacts, &[Label]),
}

/// A bare name that only the whole file can tell from a member of what it is compared with (labels of a switch): its
/// expression, and the scope it stands in.
pub(crate) type Label = (ExprId, ScopeId);

fn public(_: Option<DefKind>, _: &str) -> Visibility {
    Visibility::Public
}

impl Grammar {
    /// A language without any of the optional parts.
    pub(crate) const fn new(language: fn() -> tree_sitter::Language, rules: &'static [(&'static str, Rule)]) -> Self {
        Self {
            language,
            layout: Layout::Brackets,
            rules,
            base_rules: &[],
            type_fields: &[],
            name_kinds: &["identifier"],
            this: &[],
            super_: &[],
            self_type: &[],
            no_type: &[],
            type_parameters: &[],
            decorators: &[],
            modifiers: &[],
            wrappers: &[],
            access: &[],
            visibility: public,
            reserved: &[],
            test_decorators: &[],
            spreads: &[],
            sigils: &[],
            separate_types: false,
            parameters_are_values: false,
            inline_types: false,
            reread: |_, _| Vec::new(),
            adjust: |_, _, _, _| {},
            assigned: |_, _, _| {},
            left: super::common::nothing,
            methods_apart: false,
            returns_last: false,
            finish: |_, _| {},
        }
    }
}

/// Flags that keywords before the name give.
pub(crate) fn flags_of_words(words: &[&str]) -> DefFlags {
    let has = |word: &str| words.contains(&word);
    DefFlags {
        is_static: has("static"),
        is_async: has("async") || has("suspend"),
        is_abstract: has("abstract"),
        ..DefFlags::default()
    }
}
