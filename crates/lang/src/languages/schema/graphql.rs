//! GraphQL: types and their fields in schemas, and what documents of clients ask for.

use m1nd_base::Problem;

use super::Sheet;
use super::lexer::{Lexed, Lexer, Style, Token};
use crate::facts::{DefId, DefKind, FileFacts, SharedKind};
use crate::languages::Input;

const STYLE: Style = Style { line: &["#"], blocks: false, texts: b"\"", names: &[], word: b"", doubles: false };
/// Tokens of one text that are looked at.
const MAX_TOKENS: usize = 200_000;
/// Types that no schema declares.
const SCALARS: &[&str] = &["Boolean", "Float", "ID", "Int", "String"];

/// Something that a text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item<'t> {
    pub(crate) what: What,
    pub(crate) name: &'t str,
    /// The item that it is part of.
    pub(crate) owner: Option<usize>,
    /// First byte of it, and of its name.
    start: usize,
    pub(crate) named: usize,
    end: usize,
    comment: Option<usize>,
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A type, as a definition of this kind.
    Type(DefKind),
    /// A field or value of the type that it is part of.
    Member(DefKind),
    /// The name of a type is used.
    Uses,
    /// An operation or fragment with a name.
    Operation,
    /// A field of a root type that a client asks for.
    Asks(Root),
}

/// Root types, under their usual names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    Query,
    Mutation,
    Subscription,
}

impl Root {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Query => "Query",
            Self::Mutation => "Mutation",
            Self::Subscription => "Subscription",
        }
    }

    fn of_operation(word: &str) -> Option<Self> {
        match word {
            "query" => Some(Self::Query),
            "mutation" => Some(Self::Mutation),
            "subscription" => Some(Self::Subscription),
            _ => None,
        }
    }

    /// The root type of this name.
    pub(crate) fn of_type(name: &str) -> Option<Self> {
        [Self::Query, Self::Mutation, Self::Subscription].into_iter().find(|root| root.word() == name)
    }
}

struct Reader<'t> {
    tokens: Vec<Lexed<'t>>,
    at: usize,
    items: Vec<Item<'t>>,
}

/// All that a text says, in order.
pub(crate) fn items(text: &str) -> Vec<Item<'_>> {
    let tokens: Vec<Lexed<'_>> = Lexer::new(STYLE, text).take(MAX_TOKENS).collect();
    let mut reader = Reader { tokens, at: 0, items: Vec::new() };
    while reader.at < reader.tokens.len() {
        reader.definition();
    }
    reader.items
}

/// The facts of a file.
pub(crate) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let mut sheet = Sheet::new(input);
    let items = items(input.text);
    let mut defs: Vec<Option<DefId>> = Vec::with_capacity(items.len());
    // Owners come before what they hold, so their definitions are there already.
    for item in &items {
        let owner = item.owner.and_then(|owner| defs[owner]);
        let def = match item.what {
            What::Type(kind) | What::Member(kind) => {
                let lexed =
                    |start| Lexed { token: Token::Word(item.name), start, end: item.end, comment: item.comment };
                let (first, named) = (lexed(item.start), lexed(item.named));
                Some(sheet.define_with(kind, item.name, owner, (&first, &named), item.end))
            }
            What::Operation => {
                Some(sheet.define_at(DefKind::Function, item.name, None, (item.start, item.named), item.end))
            }
            What::Uses => {
                sheet.share(SharedKind::Type, false, item.name, "", owner, item.named);
                None
            }
            What::Asks(root) => {
                let full = format!("{}.{}", root.word(), item.name);
                sheet.share(SharedKind::Field, false, &full, "", owner, item.named);
                None
            }
        };
        // Fields of the root types are what operations of clients ask for.
        if let (What::Member(DefKind::Field), Some(_), Some(above)) = (item.what, def, item.owner)
            && let Some(root) = Root::of_type(items[above].name)
        {
            let full = format!("{}.{}", root.word(), item.name);
            sheet.share(SharedKind::Field, true, &full, "", def, item.named);
        }
        defs.push(def);
    }
    Ok(sheet.finish())
}

impl<'t> Reader<'t> {
    fn token(&self) -> Option<&Lexed<'t>> {
        self.tokens.get(self.at)
    }

    fn is_sign(&self, sign: u8) -> bool {
        self.token().is_some_and(|lexed| lexed.is_sign(sign))
    }

    fn word(&self) -> Option<&'t str> {
        match self.token()?.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Goes behind the bracket that closes the one here.
    fn skip_balanced(&mut self) {
        let mut depth = 0u32;
        while let Some(lexed) = self.token() {
            match lexed.token {
                Token::Sign(b'(' | b'[' | b'{') => depth += 1,
                Token::Sign(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips directives and their arguments.
    fn skip_directives(&mut self) {
        while self.is_sign(b'@') {
            self.at += 2;
            if self.is_sign(b'(') {
                self.skip_balanced();
            }
        }
    }

    fn add(&mut self, what: What, owner: Option<usize>, first: usize, named: usize) -> usize {
        let (first, named) = (self.tokens[first], self.tokens[named]);
        let name = named.name().unwrap_or("");
        let (start, end) = (first.start, named.end);
        self.items.push(Item { what, name, owner, start, named: named.start, end, comment: first.comment });
        self.items.len() - 1
    }

    fn close(&mut self, item: usize) {
        let end = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |lexed| lexed.end);
        let row = &mut self.items[item];
        row.end = row.end.max(end);
    }

    /// A definition at the top level.
    fn definition(&mut self) {
        let first = self.at;
        if self.is_sign(b'{') {
            self.selection(Root::Query, None);
            return;
        }
        let Some(word) = self.word() else {
            self.at += 1;
            return;
        };
        self.at += 1;
        // An operation of a client: a selection, with or without a name.
        if let Some(root) = Root::of_operation(word) {
            let named = self.word().map(|_| self.at);
            let owner = named.map(|named| self.add(What::Operation, None, first, named));
            self.at += usize::from(named.is_some());
            if self.is_sign(b'(') {
                self.skip_balanced();
            }
            self.skip_directives();
            if self.is_sign(b'{') {
                self.selection(root, owner);
            }
            if let Some(owner) = owner {
                self.close(owner);
            }
            return;
        }
        // Else a type. `extend` is followed by the definition that it extends.
        let kind = match word {
            "extend" => return,
            "type" | "input" => DefKind::Struct,
            "interface" => DefKind::Interface,
            "enum" => DefKind::Enum,
            "union" | "scalar" => DefKind::TypeAlias,
            "schema" => {
                self.skip_directives();
                if self.is_sign(b'{') {
                    self.skip_balanced();
                }
                return;
            }
            "fragment" => {
                while self.token().is_some() && !self.is_sign(b'{') {
                    self.at += 1;
                }
                self.skip_balanced();
                return;
            }
            _ => return,
        };
        if self.word().is_none() {
            return;
        }
        let item = self.add(What::Type(kind), None, first, self.at);
        self.at += 1;
        self.head(item, word);
        if self.is_sign(b'{') {
            self.at += 1;
            if kind == DefKind::Enum {
                self.values(item)
            } else {
                self.fields(item)
            }
            self.at += 1;
        }
        self.close(item);
    }

    /// What stands between the name of a type and its body: interfaces, members of a union, directives.
    fn head(&mut self, item: usize, word: &str) {
        while let Some(lexed) = self.token() {
            match lexed.token {
                Token::Sign(b'@') => self.skip_directives(),
                Token::Sign(b'&' | b'|' | b'=') => self.at += 1,
                Token::Word("implements") => self.at += 1,
                Token::Word(_) => {
                    // After a `=` or `|`, or in a list of interfaces; else the next definition begins.
                    let before = self.tokens[self.at - 1];
                    let goes_on = matches!(before.token, Token::Sign(b'&' | b'|' | b'=')) || before.is("implements");
                    if !goes_on || word == "scalar" {
                        return;
                    }
                    self.add(What::Uses, Some(item), self.at, self.at);
                    self.at += 1;
                }
                _ => return,
            }
        }
    }

    /// The fields of a type, up to its closing brace.
    fn fields(&mut self, item: usize) {
        while let Some(lexed) = self.token() {
            match lexed.token {
                Token::Sign(b'}') => return,
                Token::Word(_) => {
                    let field = self.add(What::Member(DefKind::Field), Some(item), self.at, self.at);
                    self.at += 1;
                    if self.is_sign(b'(') {
                        self.arguments(field);
                    }
                    if self.is_sign(b':') {
                        self.at += 1;
                        self.type_name(field);
                    }
                    if self.is_sign(b'=') {
                        self.at += 1;
                        self.skip_balanced();
                    }
                    self.skip_directives();
                    self.close(field);
                }
                _ => self.at += 1,
            }
        }
    }

    /// The types of arguments.
    fn arguments(&mut self, field: usize) {
        let end = {
            let start = self.at;
            self.skip_balanced();
            std::mem::replace(&mut self.at, start)
        };
        while self.at < end {
            if self.is_sign(b':') {
                self.at += 1;
                self.type_name(field);
            } else {
                self.at += 1;
            }
        }
        self.at = end;
    }

    fn type_name(&mut self, owner: usize) {
        while self.is_sign(b'[') {
            self.at += 1;
        }
        if let Some(name) = self.word() {
            if !SCALARS.contains(&name) {
                self.add(What::Uses, Some(owner), self.at, self.at);
            }
            self.at += 1;
        }
        while self.is_sign(b']') || self.is_sign(b'!') {
            self.at += 1;
        }
    }

    /// The values of an enum, up to its closing brace.
    fn values(&mut self, item: usize) {
        while let Some(lexed) = self.token() {
            match lexed.token {
                Token::Sign(b'}') => return,
                Token::Sign(b'@') => self.skip_directives(),
                Token::Word(_) => {
                    self.add(What::Member(DefKind::Variant), Some(item), self.at, self.at);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    /// The fields that an operation asks its root type for. What they contain is skipped.
    fn selection(&mut self, root: Root, owner: Option<usize>) {
        self.at += 1;
        while let Some(lexed) = self.token() {
            match lexed.token {
                Token::Sign(b'}') => {
                    self.at += 1;
                    return;
                }
                Token::Sign(b'@') => self.skip_directives(),
                Token::Sign(b'(' | b'{') => self.skip_balanced(),
                Token::Sign(b'.') => {
                    // A fragment: `...Name`, `... on Query {`.
                    while self.is_sign(b'.') {
                        self.at += 1;
                    }
                    self.at += if self.word() == Some("on") { 2 } else { 1 };
                }
                Token::Word(_) => {
                    if self.tokens.get(self.at + 1).is_some_and(|next| next.is_sign(b':')) {
                        self.at += 2;
                        continue;
                    }
                    self.add(What::Asks(root), owner, self.at, self.at);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show_items(text: &str) -> Vec<String> {
        let row = |item: &Item<'_>| match item.what {
            What::Asks(root) => format!("{}.{}?", root.word(), item.name),
            What::Uses => format!("<{}>", item.name),
            _ => item.name.to_owned(),
        };
        items(text).iter().map(row).collect()
    }

    #[test]
    fn schemas_and_documents() {
        let schema = "\"\"\"A user { x }\"\"\"\ntype User implements Node & Named @key(fields: \"id\") { id: ID! tags(first: Int = 1, by: Order): [Tag!]! @deprecated }\nunion Any = User | Tag\nenum Order { ASC DESC @x }\nextend type Query { user(id: ID!): User }\nscalar Date\ninput In { a: [Int] = [1, 2] b: User }";
        let expected = [
            "User", "<Node>", "<Named>", "id", "tags", "<Order>", "<Tag>", "Any", "<User>", "<Tag>", "Order", "ASC",
            "DESC", "Query", "user", "<User>", "Date", "In", "a", "b", "<User>",
        ];
        assert_eq!(show_items(schema), expected);
        let document = "query Load($id: ID!) @cached { me: user(id: $id) { name(x: {a: 1}) } ...Rest ... on Query { b } }\nmutation { save(a: \"}\") }\n{ users { id } }\nfragment F on User { id }\n";
        assert_eq!(show_items(document), ["Load", "Query.user?", "Mutation.save?", "Query.users?"]);
        for broken in ["type", "type A", "type A {", "query {", "{ a(", "...", "@", "enum E { @", "type A { b("] {
            _ = show_items(broken);
        }
    }
}
