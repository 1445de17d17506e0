//! Questions of documents, which are written in no language of their own.

use m1nd_lang::facts::Namespace;

use super::{Entity, Eval, Value, no_args};
use crate::tables::files::{DefRef, FileId, Key, Word};

impl Eval<'_> {
    /// The files that define a name; the question is remembered.
    pub(crate) fn defining(&mut self, word: Word) -> Vec<FileId> {
        self.asked.keys.insert(Key::for_defined(word));
        self.project.defining(word)
    }

    /// The definitions that a value of a class has under a name, by the rules of the language of the class.
    pub(crate) fn member_of_class(&mut self, of: DefRef, name: &str) -> Vec<DefRef> {
        let rules = self.rules(of.file);
        let before = std::mem::replace(&mut self.home, rules);
        self.begin_reference();
        let name = self.project.names.intern(name);
        let search = self.member(&Value::Instance(of, no_args()), name, Namespace::Any);
        self.home = before;
        let found = search.found.into_iter().filter_map(|found| match found.entity {
            Entity::Def(of) => Some(of),
            _ => None,
        });
        found.collect()
    }
}
