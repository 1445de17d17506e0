//! Facts of a file as compact text, for golden files.

use std::fmt::Write;

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{
    BindingTarget, Collection, DefId, Definition, Expr, ExprId, ImportKind, ListId, Literal, ParameterKind, PathRoot,
    Role, ScopeId, ScopeKind, Visibility,
};

pub(crate) fn dump(facts: &FileFacts) -> String {
    let mut out = String::new();
    if let Some(package) = facts.package {
        let _ = writeln!(out, "package {}", facts.name(package));
    }
    if let Some(doc) = &facts.doc {
        let _ = writeln!(out, "doc {doc:?}");
    }
    for problem in &facts.problems {
        let _ = writeln!(out, "problem {:?} {} line {}", problem.kind, problem.detail, problem.line);
    }
    out.push_str("# imports\n");
    imports(facts, &mut out);
    out.push_str("# definitions\n");
    for (index, definition) in facts.definitions.iter().enumerate() {
        self::definition(facts, DefId(index as u32), definition, &mut out);
    }
    out.push_str("# bindings\n");
    bindings(facts, &mut out);
    for write in &facts.member_writes {
        let (base, value) = (expr(facts, write.base), expr(facts, write.value));
        let _ = writeln!(out, "{base}.{} := {value}", facts.name(write.name));
    }
    for stored in &facts.stored {
        let (base, value) = (expr(facts, stored.base), expr(facts, stored.value));
        let _ = writeln!(out, "{base}.{} holds {value}", facts.name(stored.name));
    }
    out.push_str("# references\n");
    references(facts, &mut out);
    for arguments in &facts.macro_arguments {
        let (start, end) = (arguments.start, arguments.end);
        let places = format!("{}:{}-{}:{}", start.line, start.col, end.line, end.col);
        let _ = writeln!(out, "{places} arguments of {}", expr(facts, arguments.path));
    }
    if !facts.shared.is_empty() {
        out.push_str("# shared\n");
    }
    for row in &facts.shared {
        let act = if row.declares { "declares" } else { "uses" };
        let owner = row.owner.map_or("file", |owner| facts.name(facts.definition(owner).name));
        let (line, col) = (row.pos.line, row.pos.col);
        let _ = writeln!(out, "{line}:{col} {owner} {act} {:?} {:?} {:?}", row.kind, row.name, row.of);
    }
    out
}

fn imports(facts: &FileFacts, out: &mut String) {
    for (index, import) in facts.imports.iter().enumerate() {
        let kind = match import.kind {
            ImportKind::Symbol(name) => format!("symbol {}", facts.name(name)),
            ImportKind::FileModule(name) => format!("file_module {}", facts.name(name)),
            other => format!("{other:?}").to_lowercase(),
        };
        let bound = facts
            .bindings
            .iter()
            .find(|binding| matches!(binding.target, BindingTarget::Import(id) if id.index() == index));
        let bound = bound.map(|binding| format!(" as {}", facts.name(binding.name))).unwrap_or_default();
        let flags = flag_words(&format!("{:?}", import.flags));
        let (line, col) = (import.pos.line, import.pos.col);
        let _ = writeln!(out, "{line}:{col} {kind} {:?}{bound}{flags}", facts.name(import.module));
    }
}

/// The flags of a `Debug` struct of booleans that are set.
fn flag_words(debug: &str) -> String {
    let body = debug.split_once('{').map_or("", |(_, body)| body).trim_end_matches('}');
    let set = body.split(',').filter_map(|flag| flag.trim().strip_suffix(": true"));
    set.map(|flag| format!(" {}", flag.trim_start_matches("is_"))).collect()
}

pub(crate) fn path(facts: &FileFacts, id: Option<DefId>) -> String {
    let mut parts = Vec::new();
    let mut next = id;
    while let Some(id) = next {
        let definition = facts.definition(id);
        parts.push(if definition.flags.is_anonymous { "<anonymous>" } else { facts.name(definition.name) });
        next = definition.owner;
    }
    parts.reverse();
    parts.join("/")
}

fn definition(facts: &FileFacts, id: DefId, definition: &Definition, out: &mut String) {
    let visibility = match definition.visibility {
        Visibility::Public => "",
        Visibility::Package => " package",
        Visibility::Protected => " protected",
        Visibility::Private => " private",
    };
    let (line, col) = (definition.pos.line, definition.pos.col);
    let lines = format!("{}-{}", definition.line_start, definition.line_end);
    let flags = flag_words(&format!("{:?}", definition.flags));
    let _ = write!(out, "{line}:{col} {} {} {lines}{visibility}{flags}", definition.kind.word(), path(facts, Some(id)));
    let type_parameters: Vec<String> = facts
        .type_parameters(id)
        .iter()
        .map(|parameter| {
            let bound = parameter.bound.map(|bound| format!(": {}", expr(facts, bound))).unwrap_or_default();
            format!("{}{bound}", facts.name(parameter.name))
        })
        .collect();
    if !type_parameters.is_empty() {
        let _ = write!(out, " <{}>", type_parameters.join(", "));
    }
    let parameters: Vec<String> = facts
        .parameters(id)
        .iter()
        .map(|parameter| {
            let kind = match parameter.kind {
                ParameterKind::Receiver => "receiver ",
                ParameterKind::ClassReceiver => "class ",
                ParameterKind::Plain => "",
                ParameterKind::Keyword => "key ",
                ParameterKind::Rest => "*",
                ParameterKind::KeywordRest => "**",
            };
            let declared = parameter.declared.map(|ty| format!(": {}", expr(facts, ty))).unwrap_or_default();
            let default = parameter.default.map(|value| format!(" = {}", expr(facts, value))).unwrap_or_default();
            format!("{kind}{}{declared}{default}", facts.name(parameter.name))
        })
        .collect();
    if !parameters.is_empty() {
        let _ = write!(out, " ({})", parameters.join(", "));
    }
    if let Some(declared) = definition.declared {
        let _ = write!(out, " -> {}", expr(facts, declared));
    }
    let lists = [
        ("bases", definition.bases),
        ("implements", definition.implements),
        ("decorators", definition.decorators),
        ("values", definition.values),
    ];
    for (word, list) in lists {
        if !facts.list(list).is_empty() {
            let _ = write!(out, " {word} [{}]", self::list(facts, list));
        }
    }
    if let Some(extends) = definition.extends_type {
        let _ = write!(out, " extends {}", expr(facts, extends));
    }
    out.push('\n');
    if let Some(signature) = &definition.signature {
        let _ = writeln!(out, "    | {signature}");
    }
    if let Some(doc) = &definition.doc {
        let _ = writeln!(out, "    doc {doc:?}");
    }
}

fn scope(facts: &FileFacts, id: ScopeId) -> String {
    let scope = &facts.scopes[id.index()];
    let kind = match scope.kind {
        ScopeKind::File => "file",
        ScopeKind::Module => "module",
        ScopeKind::Class => "class",
        ScopeKind::Function => "function",
        ScopeKind::Block => "block",
        ScopeKind::Generics => "generics",
    };
    format!("{kind}({})", path(facts, scope.owner))
}

/// Bindings of variables; those of definitions follow from the definitions, unless they are in another scope.
fn bindings(facts: &FileFacts, out: &mut String) {
    for binding in &facts.bindings {
        let target = match binding.target {
            BindingTarget::Definition(id) if facts.definition(id).scope == binding.scope => continue,
            BindingTarget::Definition(id) => format!("{} (definition)", path(facts, Some(id))),
            BindingTarget::Import(_) | BindingTarget::Parameter(..) | BindingTarget::TypeParameter(..) => continue,
            BindingTarget::Value(value) => format!("= {}", expr(facts, value)),
            BindingTarget::Typed(ty) => format!(": {}", expr(facts, ty)),
            BindingTarget::Opaque => "?".to_owned(),
            BindingTarget::Outer(_) => "outer".to_owned(),
        };
        let _ = writeln!(out, "{} {} {target}", scope(facts, binding.scope), facts.name(binding.name));
    }
}

fn references(facts: &FileFacts, out: &mut String) {
    for reference in &facts.references {
        let role = match reference.role {
            Role::Call => "call",
            Role::Read => "read",
            Role::Write => "write",
            Role::Type => "type",
            Role::Inherit => "inherit",
            Role::Implement => "implement",
            Role::Decorate => "decorate",
            Role::Macro => "macro",
        };
        let arity = match (reference.role, reference.arity) {
            (Role::Call, u8::MAX) => "/?".to_owned(),
            (Role::Call, arity) => format!("/{arity}"),
            _ => String::new(),
        };
        let inside = match reference.enclosing {
            Some(id) => format!(" in {}", path(facts, Some(id))),
            None => String::new(),
        };
        let inexact = if reference.inexact { " inexact" } else { "" };
        let (line, col) = (reference.pos.line, reference.pos.col);
        let _ = writeln!(out, "{line}:{col} {role}{arity} {}{inside}{inexact}", expr(facts, reference.expr));
    }
}

fn list(facts: &FileFacts, id: ListId) -> String {
    facts.list(id).iter().map(|&item| expr(facts, item)).collect::<Vec<_>>().join(", ")
}

pub(crate) fn expr(facts: &FileFacts, id: ExprId) -> String {
    match facts.expr(id) {
        Expr::Name { name, .. } => facts.name(name).to_owned(),
        Expr::Member { base, name } => format!("{}.{}", expr(facts, base), facts.name(name)),
        Expr::Path { base, name } => format!("{}::{}", expr(facts, base), facts.name(name)),
        Expr::Root { root, .. } => match root {
            PathRoot::Crate => "crate".to_owned(),
            PathRoot::Super(count) => "super::".repeat(usize::from(count)).trim_end_matches(':').to_owned(),
            PathRoot::SelfModule => "self".to_owned(),
            PathRoot::Global => "(global)".to_owned(),
        },
        Expr::Call { callee, args } => format!("{}({})", expr(facts, callee), list(facts, args)),
        Expr::Key { base, name } => format!("{}[{}]", expr(facts, base), facts.name(name)),
        Expr::Entry { name, value } => format!("{}: {}", facts.name(name), expr(facts, value)),
        Expr::Implicit { base, name } => format!("implicit({}.{})", expr(facts, base), facts.name(name)),
        Expr::Index { base } => format!("{}[_]", expr(facts, base)),
        Expr::Item { base, index } => format!("{}[{index}]", expr(facts, base)),
        Expr::Element { base } => format!("element({})", expr(facts, base)),
        Expr::Unwrap { base } => format!("unwrap({})", expr(facts, base)),
        Expr::Enter { base } => format!("enter({})", expr(facts, base)),
        Expr::AwaitedElement { base } => format!("awaited element({})", expr(facts, base)),
        Expr::AwaitedEnter { base } => format!("awaited enter({})", expr(facts, base)),
        Expr::Narrowed { base, by, test, holds } => {
            let by: Vec<String> = facts.list(by).iter().map(|&one| expr(facts, one)).collect();
            let word = if holds { "is" } else { "is not" };
            format!("{} {word} {test:?}({})", expr(facts, base), by.join(", "))
        }
        Expr::Instance { of } => format!("instance({})", expr(facts, of)),
        Expr::Definition(id) => format!("<{} {}>", facts.definition(id).kind.word(), path(facts, Some(id))),
        Expr::Import(id) => format!("<import {}>", facts.name(facts.imports[id.index()].module)),
        Expr::This { .. } => "this".to_owned(),
        Expr::SelfType { .. } => "Self".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::SuperOf { class, .. } => format!("super({})", expr(facts, class)),
        Expr::Literal(literal) => match literal {
            Literal::Str => "str",
            Literal::Bytes => "bytes",
            Literal::Int => "int",
            Literal::Float => "float",
            Literal::Bool => "bool",
            Literal::Null => "null",
            Literal::Regex => "regex",
        }
        .to_owned(),
        Expr::Collection { kind, items } => {
            let word = match kind {
                Collection::List => "list",
                Collection::Set => "set",
                Collection::Map => "map",
                Collection::Tuple => "tuple",
                Collection::Iterator => "iterator",
            };
            format!("{word}[{}]", list(facts, items))
        }
        Expr::Union(items) => format!("({})", list(facts, items).replace(", ", " | ")),
        Expr::Generic { base, args } => format!("{}<{}>", expr(facts, base), list(facts, args)),
        Expr::Function { result } => format!("fn -> {}", expr(facts, result)),
        Expr::Signature { parameters, result } => format!("fn({}) -> {}", list(facts, parameters), expr(facts, result)),
        Expr::Given { by, parameter } => format!("given({}, {parameter})", expr(facts, by)),
        Expr::Unknown => "?".to_owned(),
    }
}
