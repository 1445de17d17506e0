use crate::interner::Interner;

/// An interned text of the whole project: names in facts are local to their file, this makes them comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub(crate) u32);

/// The names of the project.
#[derive(Debug)]
pub(crate) struct Names {
    texts: Interner,
    /// `default`, the name of a module's default export.
    pub(crate) default_export: Name,
    /// The name of the export that represents the whole module.
    pub(crate) whole_export: Name,
}

impl Default for Names {
    fn default() -> Self {
        let texts = Interner::default();
        let default_export = Name(texts.intern("default"));
        let whole_export = Name(texts.intern(m1nd_lang::FileFacts::EXPORT_ASSIGN));
        Self { texts, default_export, whole_export }
    }
}

impl Names {
    /// The name with this text. Files that were not read yet may have it, so it is never unknown.
    pub(crate) fn intern(&self, text: &str) -> Name {
        Name(self.texts.intern(text))
    }

    /// Bytes of memory that they take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.bytes()
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        self.texts.text(name.0)
    }
}

/// The name of a type with this many type parameters, where that tells types of one name apart.
pub(crate) fn name_generic(name: &str, count: u32) -> String {
    format!("{name}`{count}")
}

/// A name without the number of type parameters.
pub(crate) fn strip_count(name: &str) -> &str {
    match name.rsplit_once('`') {
        Some((plain, count)) if !plain.is_empty() && count.parse::<u32>().is_ok() => plain,
        _ => name,
    }
}
