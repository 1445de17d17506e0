//! What an edit has to know of a language: a row each. The crate `query` reads the rows to rename symbols and to say
//! what a write breaks.

use crate::language::Language;

/// The rules of a language for edits.
#[derive(Debug, Clone, Copy)]
pub struct EditRules {
    /// What a name may look like.
    pub names: NameRules,
    /// What is known about the arguments of calls.
    pub arguments: ArgumentRules,
    /// What compilers ask of types and their members.
    pub types: TypeRules,
    /// Where names are known.
    pub scopes: ScopeRules,
    /// Texts that mean a symbol.
    pub texts: TextRules,
}

/// What a name may look like.
#[derive(Debug, Clone, Copy)]
pub struct NameRules {
    /// Words that the language keeps for itself, by spaces. Words that are names in most places (`async`, `union`) are
    /// not among them.
    pub keywords: &'static str,
    /// Whether names may have `$` in them.
    pub has_dollar: bool,
}

/// How strict a language is about the number of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Too many and too few are errors, and defaults are written.
    Both,
    /// Only too many are known to be an error: parameters may be optional in ways that the facts do not have.
    TooMany,
}

/// Which decorators may change what a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapping {
    /// None: types are checked, and those of the declaration count.
    Never,
    /// All but the decorators of these names.
    Unless(&'static [&'static str]),
    /// All.
    Always,
}

/// What is known about the arguments of calls.
#[derive(Debug, Clone, Copy)]
pub struct ArgumentRules {
    /// Which numbers of arguments are errors; `None` if they are not compared.
    pub strictness: Option<Strictness>,
    /// Which decorators may change what a function takes.
    pub wrapping: Wrapping,
    /// Whether several signatures of one name stand in front of its body.
    pub has_overload_signatures: bool,
    /// Whether a class without a constructor takes no arguments.
    pub has_default_constructor: bool,
    /// Whether a call names arguments by the parameters of its target (`f(size=1)`).
    pub has_keywords: bool,
}

/// What compilers ask of types and their members.
#[derive(Debug, Clone, Copy)]
pub struct TypeRules {
    /// The decorator of methods that must override another.
    pub override_mark: Option<&'static str>,
    /// Methods that every type has, so that a marked method of that name overrides one.
    pub universal_methods: &'static [&'static str],
    /// Ending of files that must have the name of the public type in them.
    pub public_type_file: Option<&'static str>,
    /// Whether a method without a type is a constructor and has the name of its class.
    pub constructors_named_like_class: bool,
    /// Whether a type must have every method that its bases only declare.
    pub implements_all: bool,
    /// Whether a block that implements a trait has nothing but what the trait declares.
    pub implements_only_declared: bool,
    /// Whether values satisfy a type by their members.
    pub is_structural: bool,
    /// Whether the types of most values are known, so that a member belongs to one class.
    pub is_typed: bool,
    /// Whether modules import each other as a matter of course.
    pub has_import_cycles: bool,
}

/// Which other definitions of a name are the same symbol for who uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// None.
    Nothing,
    /// Those of the same scope: a later one replaces or completes an earlier one.
    InScope,
    /// Those of the same scope and kind: alternatives of a condition.
    InScopeByKind,
    /// Those at the same place of other files of the package, for other systems.
    InOtherFiles,
    /// The component of a record and its accessor.
    OfRecord,
}

/// Where names are known.
#[derive(Debug, Clone, Copy)]
pub struct ScopeRules {
    /// Which other definitions of a name are the same symbol.
    pub completion: Completion,
    /// Whether code inside of a class names its members without a receiver.
    pub has_bare_members: bool,
    /// Whether attributes of base and derived classes stand for each other, because values are asked for them by name.
    pub has_replaced_attributes: bool,
    /// Whether the word `private` keeps a member in its file.
    pub has_private_word: bool,
    /// Whether the top of a file is a module that shows only what it exports.
    pub hides_top_level: bool,
    /// Whether names that do not begin with a capital are known in their folder alone.
    pub hides_lower_case: bool,
    /// Whether functions inside of tests have names of their own in each test.
    pub has_local_test_functions: bool,
    /// Whether imports name a type by its package and the types around it, and may go on behind it.
    pub imports_by_path: bool,
    /// Whether elements of annotations are declared as functions.
    pub has_annotation_elements: bool,
    /// Whether `<…>` behind a type gives values to names (`Shape<Unit = u8>`).
    pub binds_in_type_arguments: bool,
}

/// Texts that mean a symbol.
#[derive(Debug, Clone, Copy)]
pub struct TextRules {
    /// Whether texts in lists (`__all__`, `__slots__`) and in annotations name definitions, and functions look up names
    /// given as texts (`setattr(app, "load", …)`).
    pub names_definitions: bool,
    /// Whether a statement (`global x`) names variables of the module.
    pub has_global_statement: bool,
    /// Whether comments can be types (`# type: Pool`).
    pub has_type_comments: bool,
    /// Whether texts in attributes are paths of functions.
    pub has_attribute_paths: bool,
    /// Whether format strings capture variables (`{load:?}`).
    pub captures_variables: bool,
    /// Whether only reflection looks up names given as texts.
    pub only_by_reflection: bool,
}

impl EditRules {
    /// Of a language without a row: what is true of most.
    const DEFAULT: Self = Self {
        names: NameRules { keywords: "", has_dollar: false },
        arguments: ArgumentRules {
            strictness: None,
            wrapping: Wrapping::Always,
            has_overload_signatures: false,
            has_default_constructor: false,
            has_keywords: false,
        },
        types: TypeRules {
            override_mark: None,
            universal_methods: &[],
            public_type_file: None,
            constructors_named_like_class: false,
            implements_all: false,
            implements_only_declared: false,
            is_structural: false,
            is_typed: true,
            has_import_cycles: false,
        },
        scopes: ScopeRules {
            completion: Completion::Nothing,
            has_bare_members: true,
            has_replaced_attributes: false,
            has_private_word: false,
            hides_top_level: false,
            hides_lower_case: false,
            has_local_test_functions: false,
            imports_by_path: false,
            has_annotation_elements: false,
            binds_in_type_arguments: false,
        },
        texts: TextRules {
            names_definitions: false,
            has_global_statement: false,
            has_type_comments: false,
            has_attribute_paths: false,
            captures_variables: false,
            only_by_reflection: false,
        },
    };

    /// The row of a language.
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::Python => &PYTHON,
            Language::Notebook => &NOTEBOOK,
            Language::JavaScript | Language::Vue | Language::Svelte | Language::Astro => &SCRIPT,
            Language::TypeScript | Language::Tsx => &TYPED_SCRIPT,
            Language::Rust => &RUST,
            Language::Go => &GO,
            Language::Java => &JAVA,
            Language::Kotlin => &KOTLIN,
            Language::Scala => &SCALA,
            Language::C => &C,
            Language::Cpp => &CPP,
            Language::CSharp => &CSHARP,
            Language::Php => &PHP,
            Language::Ruby => &RUBY,
            _ => &Self::DEFAULT,
        }
    }
}

impl NameRules {
    const fn with(keywords: &'static str) -> Self {
        Self { keywords, has_dollar: false }
    }

    /// Whether the language keeps a word for itself.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.keywords.split_whitespace().any(|keyword| keyword == word)
    }
}

const PYTHON: EditRules = EditRules {
    names: NameRules::with(
        "False None True and as assert async await break class continue def del elif else except finally for from \
         global if import in is lambda nonlocal not or pass raise return try while with yield",
    ),
    arguments: ArgumentRules {
        strictness: Some(Strictness::Both),
        wrapping: Wrapping::Unless(AS_DECLARED),
        has_keywords: true,
        ..EditRules::DEFAULT.arguments
    },
    types: TypeRules { is_typed: false, ..EditRules::DEFAULT.types },
    scopes: ScopeRules {
        completion: Completion::InScope,
        has_bare_members: false,
        has_replaced_attributes: true,
        has_local_test_functions: true,
        ..EditRules::DEFAULT.scopes
    },
    texts: TextRules {
        names_definitions: true,
        has_global_statement: true,
        has_type_comments: true,
        ..EditRules::DEFAULT.texts
    },
};

/// The cells are Python, with members behind a receiver; edits of notebooks are not checked.
const NOTEBOOK: EditRules =
    EditRules { scopes: ScopeRules { has_bare_members: false, ..EditRules::DEFAULT.scopes }, ..EditRules::DEFAULT };

const SCRIPT: EditRules = EditRules {
    names: NameRules {
        keywords: "await break case catch class const continue debugger default delete do else enum export extends \
                   false finally for function if implements import in instanceof interface let new null package \
                   private protected public return static super switch this throw true try typeof var void while with \
                   yield",
        has_dollar: true,
    },
    types: TypeRules { is_structural: true, is_typed: false, ..EditRules::DEFAULT.types },
    scopes: ScopeRules {
        completion: Completion::InScope,
        has_bare_members: false,
        has_replaced_attributes: true,
        hides_top_level: true,
        ..EditRules::DEFAULT.scopes
    },
    ..EditRules::DEFAULT
};

const TYPED_SCRIPT: EditRules = EditRules {
    arguments: ArgumentRules {
        strictness: Some(Strictness::Both),
        wrapping: Wrapping::Never,
        has_overload_signatures: true,
        ..EditRules::DEFAULT.arguments
    },
    types: TypeRules { is_typed: true, ..SCRIPT.types },
    ..SCRIPT
};

const RUST: EditRules = EditRules {
    names: NameRules::with(
        "Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for \
         gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait \
         true try type typeof unsafe unsized use virtual where while yield",
    ),
    arguments: ArgumentRules { strictness: Some(Strictness::Both), ..EditRules::DEFAULT.arguments },
    types: TypeRules {
        implements_all: true,
        implements_only_declared: true,
        has_import_cycles: true,
        ..EditRules::DEFAULT.types
    },
    scopes: ScopeRules {
        completion: Completion::InScopeByKind,
        has_bare_members: false,
        binds_in_type_arguments: true,
        ..EditRules::DEFAULT.scopes
    },
    texts: TextRules { has_attribute_paths: true, captures_variables: true, ..EditRules::DEFAULT.texts },
};

const GO: EditRules = EditRules {
    names: NameRules::with(
        "break case chan const continue default defer else fallthrough for func go goto if import interface map \
         package range return select struct switch type var",
    ),
    arguments: ArgumentRules { strictness: Some(Strictness::Both), ..EditRules::DEFAULT.arguments },
    scopes: ScopeRules {
        completion: Completion::InOtherFiles,
        has_bare_members: false,
        hides_lower_case: true,
        ..EditRules::DEFAULT.scopes
    },
    ..EditRules::DEFAULT
};

const JAVA: EditRules = EditRules {
    names: NameRules {
        keywords: "abstract assert boolean break byte case catch char class const continue default do double else enum \
                   extends false final finally float for goto if implements import instanceof int interface long \
                   native new null package private protected public return short static strictfp super switch \
                   synchronized this throw throws transient true try void volatile while",
        has_dollar: true,
    },
    arguments: ArgumentRules {
        strictness: Some(Strictness::Both),
        wrapping: Wrapping::Never,
        has_default_constructor: true,
        ..EditRules::DEFAULT.arguments
    },
    types: TypeRules {
        override_mark: Some("Override"),
        universal_methods: OF_OBJECT,
        public_type_file: Some("java"),
        constructors_named_like_class: true,
        implements_all: true,
        has_import_cycles: true,
        ..EditRules::DEFAULT.types
    },
    scopes: ScopeRules {
        completion: Completion::OfRecord,
        has_private_word: true,
        imports_by_path: true,
        has_annotation_elements: true,
        ..EditRules::DEFAULT.scopes
    },
    texts: TextRules { only_by_reflection: true, ..EditRules::DEFAULT.texts },
};

const KOTLIN: EditRules = EditRules {
    names: NameRules::with(
        "as break class continue do else false for fun if in interface is null object package return super this throw \
         true try typealias typeof val var when while",
    ),
    arguments: ArgumentRules {
        strictness: Some(Strictness::TooMany),
        wrapping: Wrapping::Never,
        ..EditRules::DEFAULT.arguments
    },
    types: TypeRules { implements_all: true, has_import_cycles: true, ..EditRules::DEFAULT.types },
    scopes: ScopeRules { has_private_word: true, ..EditRules::DEFAULT.scopes },
    ..EditRules::DEFAULT
};

const SCALA: EditRules = EditRules {
    names: NameRules::with(
        "abstract case catch class def do else enum export extends false final finally for given if implicit import \
         lazy match new null object override package private protected return sealed super then this throw trait true \
         try type val var while with yield",
    ),
    scopes: ScopeRules { has_private_word: true, ..EditRules::DEFAULT.scopes },
    ..EditRules::DEFAULT
};

const C: EditRules = EditRules {
    names: NameRules::with(
        "auto break case char const continue default do double else enum extern float for goto if inline int long \
         register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while",
    ),
    ..EditRules::DEFAULT
};

const CPP: EditRules = EditRules {
    names: NameRules::with(
        "alignas alignof and asm auto bool break case catch char class const constexpr continue decltype default delete \
         do double else enum explicit export extern false float for friend goto if inline int long mutable namespace \
         new noexcept not nullptr operator or private protected public register return short signed sizeof static \
         struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile \
         wchar_t while xor",
    ),
    ..EditRules::DEFAULT
};

const CSHARP: EditRules = EditRules {
    names: NameRules::with(
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do \
         double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface \
         internal is lock long namespace new null object operator out override params private protected public readonly \
         ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint \
         ulong unchecked unsafe ushort using virtual void volatile while",
    ),
    scopes: ScopeRules { has_private_word: true, ..EditRules::DEFAULT.scopes },
    ..EditRules::DEFAULT
};

const PHP: EditRules = EditRules {
    names: NameRules {
        keywords: "abstract and array as break callable case catch class clone const continue declare default die do \
                   echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile eval exit extends final \
                   finally fn for foreach function global goto if implements include include_once instanceof insteadof \
                   interface isset list match namespace new or print private protected public readonly require \
                   require_once return static switch throw trait try unset use var while xor yield",
        has_dollar: true,
    },
    scopes: ScopeRules { has_bare_members: false, ..EditRules::DEFAULT.scopes },
    ..EditRules::DEFAULT
};

const RUBY: EditRules = EditRules {
    names: NameRules::with(
        "BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module next nil \
         not or redo rescue retry return self super then true undef unless until when while yield",
    ),
    ..EditRules::DEFAULT
};

/// Decorators of Python after which a function takes what it declares.
const AS_DECLARED: &[&str] = &[
    "staticmethod", "classmethod", "abstractmethod", "abstractclassmethod", "abstractstaticmethod", "override", "final",
];

/// Methods of `java.lang.Object`, which every class and interface overrides.
const OF_OBJECT: &[&str] = &["clone", "equals", "finalize", "hashCode", "toString"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_listed_once_and_in_order() {
        for language in Language::all() {
            let words: Vec<&str> = EditRules::of(language).names.keywords.split_whitespace().collect();
            let is_sorted = words.windows(2).all(|pair| pair[0] < pair[1]);
            let capitals_first = words.iter().all(|word| word.is_ascii());
            assert!(is_sorted && capitals_first, "{language:?}: {words:?}");
        }
        assert!(
            EditRules::of(Language::Go).names.is_keyword("func") && !EditRules::of(Language::Go).names.is_keyword("")
        );
    }

    #[test]
    fn files_of_one_family_have_the_same_names_and_scopes() {
        for language in [Language::TypeScript, Language::Tsx, Language::Vue, Language::Svelte, Language::Astro] {
            let (own, script) = (EditRules::of(language), EditRules::of(Language::JavaScript));
            assert_eq!(own.names.keywords, script.names.keywords, "{language:?}");
            assert_eq!(own.scopes.completion, script.scopes.completion, "{language:?}");
        }
    }
}
