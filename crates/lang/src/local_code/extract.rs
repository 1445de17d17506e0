//! Plans to make statements a function: its parameters, its results, and what stands in the way.

use m1nd_base::Limits;
use tree_sitter::{Node, Tree};

use super::flow::{Flow, ends_always};
use super::liveness::Lives;
use super::locals::{Locals, Variable};
use super::rules::LocalRules;
use super::select::Selected;
use super::types::Types;
use super::{KnownCalls, Lines, Obstacle, Result, line_of, refuse};
use crate::Language;

/// How a value is given to the new function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passing {
    /// As it is.
    Plain,
    /// As it is, to a parameter that is written.
    Mutable,
}

/// A value that the new function takes.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) kind: Option<String>,
    pub(super) passing: Passing,
}

/// A value that the new function gives back.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) name: String,
    pub(super) kind: Option<String>,
    /// Whether the statements declare it.
    pub(super) is_new: bool,
    /// Whether it is written after its declaration, behind the statements.
    pub(super) is_written_later: bool,
    /// Whether the function does not take it: it declares it itself.
    pub(super) needs_declaration: bool,
}

/// How the call of the new function ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// Control goes on behind it.
    GoesOn,
    /// Its value is what the function around it returns.
    Returns,
    /// The function around it ends there without a value.
    EndsEmpty,
}

/// How the new function gets at the object of the method around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Receiver {
    /// Not at all; it is a function.
    Function,
    /// It is a method; the text is the parameter of the receiver, or empty.
    Method(String),
    /// A method of the class.
    Static,
    /// `name.call(this, …)`
    Called,
}

/// All that a new function is made of.
pub(super) struct Plan<'a, 't> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) lines: Lines<'a>,
    pub(super) selected: Selected<'t>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) ending: Ending,
    pub(super) receiver: Receiver,
    pub(super) is_async: bool,
    /// Type parameters that it needs: those of the function around, as written.
    pub(super) generics: Option<Node<'t>>,
    /// Type of its value if the ending is `Returns`.
    pub(super) returned: Option<String>,
}

impl<'a, 't> Plan<'a, 't> {
    /// Plans the new function for lines.
    pub(super) fn new(
        (language, rules): (Language, &'static LocalRules),
        tree: &'t Tree,
        text: &'a str,
        lines: Lines<'a>,
        calls: &dyn KnownCalls,
        limits: &Limits,
    ) -> Result<Self> {
        let selected = Selected::find((language, rules), tree, text, (lines.first, lines.last))?;
        if selected.top.has_error() {
            return Err(refuse(line_of(text, selected.top.start_byte()), "the function has syntax errors"));
        }
        let locals = Locals::find((language, rules), tree, selected.top, text, limits);
        let flow = Flow::find((language, rules), &selected, text);
        if let Some(obstacle) = flow.obstacles.first() {
            return Err(obstacle.clone());
        }
        // What stands in the way, then what the function is made of.
        let planner = Planner {
            lives: Lives { language, rules, selected: &selected, locals: &locals },
            types: Types { language, text, locals: &locals, calls, at: selected.core.start },
            flow: &flow,
            text,
        };
        planner.check_name(lines.name)?;
        planner.check_surroundings()?;
        let ending = planner.find_ending()?;
        let (inputs, outputs) = planner.list_values(&ending)?;
        let receiver = planner.find_receiver()?;
        let generics = planner.find_generics(&inputs, &outputs)?;
        let mut returned = (ending == Ending::Returns).then(|| result_type(selected.nearest, text)).flatten();
        if language == Language::Python {
            returned = planner.find_python_result(&ending, &outputs);
        }
        planner.check_lifetimes((&inputs, &outputs), &receiver, returned.as_deref())?;
        let is_async = flow.has_await;
        let plan =
            Self { language, text, lines, inputs, outputs, ending, receiver, is_async, generics, returned, selected };
        Ok(plan)
    }
}

/// The written type of what a function returns, without its mark.
pub(super) fn result_type(function: Node<'_>, text: &str) -> Option<String> {
    let field = ["return_type", "result", "type"].iter().find_map(|field| function.child_by_field_name(field))?;
    Some(text.get(field.byte_range())?.trim_start_matches(':').trim().to_owned())
}

/// Looks at the variables and the control flow of statements.
pub(super) struct Planner<'p, 'x, 't> {
    pub(super) lives: Lives<'p, 't>,
    pub(super) types: Types<'p, 't>,
    pub(super) flow: &'p Flow<'t>,
    pub(super) text: &'x str,
}

impl<'t> Planner<'_, '_, 't> {
    pub(super) fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn refuse_at(&self, node: Node<'_>, why: impl Into<String>) -> Obstacle {
        Obstacle { line: line_of(self.text, node.start_byte()), why: why.into() }
    }

    pub(super) fn first(&self) -> Node<'t> {
        self.lives.selected.statements[0]
    }

    fn is_typed(&self) -> bool {
        matches!(
            self.lives.language,
            Language::Go | Language::Rust | Language::Java | Language::TypeScript | Language::Tsx
        )
    }

    /// Finds out how control leaves the statements.
    fn find_ending(&self) -> Result<Ending> {
        let selected = self.lives.selected;
        let language = self.lives.language;
        let result = result_type(selected.nearest, self.text).filter(|found| found != "void");
        let at_end = selected.is_at_end();
        let is_void = result.is_none() && matches!(language, Language::Go | Language::Java | Language::Rust);
        // A function of Rust has a value at its end.
        if language == Language::Rust {
            let leaves = self.flow.returns.first().or(self.flow.tries.first());
            let ends =
                at_end && !selected.nearest.kind().ends_with("block") && selected.nearest.kind() == "function_item";
            return match (leaves, ends) {
                (_, true) if is_void => Ok(Ending::EndsEmpty),
                (_, true) => Ok(Ending::Returns),
                (None, false) => Ok(Ending::GoesOn),
                (Some(node), false) => Err(self.refuse_at(
                    *node,
                    format!(
                        "`{}` leaves the function in the middle of it",
                        self.text(*node).split([' ', ';']).next().filter(|word| *word == "return").unwrap_or("?")
                    ),
                )),
            };
        }
        let Some(first) = self.flow.returns.first() else {
            return Ok(if at_end && is_void { Ending::EndsEmpty } else { Ending::GoesOn });
        };
        // `return` is allowed where the lines end the function.
        let always = ends_always(self.lives.rules, &selected.statements, 0);
        let has_value = self.flow.returns.iter().any(|node| node.named_child_count() > 0);
        let is_named_result = language == Language::Go && !has_value && result.is_some();
        if is_named_result {
            return Err(self.refuse_at(*first, "`return` gives back results that the function names"));
        }
        match (language, has_value) {
            (Language::Go | Language::Java, false) if at_end => Ok(Ending::EndsEmpty),
            (Language::Go | Language::Java, true) if always => Ok(Ending::Returns),
            (Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx, _) if always || at_end => {
                Ok(Ending::Returns)
            }
            _ => Err(self.refuse_at(*first, "`return` leaves the function in the middle of the lines")),
        }
    }

    /// The annotation of what the new function gives back, where the function around it has one.
    fn find_python_result(&self, ending: &Ending, outputs: &[Output]) -> Option<String> {
        let nearest = self.lives.selected.nearest;
        let own = result_type(nearest, self.text).filter(|kind| !self.home_is_generic() && !kind.contains('\n'))?;
        if *ending == Ending::Returns {
            // Generators are annotated with what they yield.
            let is_generator = self.text(nearest).contains("yield");
            let is_value = self.flow.returns.iter().all(|node| node.named_child_count() > 0);
            let always = ends_always(self.lives.rules, &self.lives.selected.statements, 0);
            return Some(own).filter(|own| !is_generator && (is_value && always || own == "None"));
        }
        match outputs {
            [] => Some("None".to_owned()),
            [output] => output.kind.clone(),
            _ => None,
        }
    }

    /// The values that the new function takes and gives back.
    fn list_values(&self, ending: &Ending) -> Result<(Vec<Input>, Vec<Output>)> {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let lives = &self.lives;
        for (index, variable) in lives.locals.variables.iter().enumerate() {
            let mut inside = lives.locals.of(index).filter(|found| found.is_in(&lives.selected.core));
            let Some(first) = inside.next() else { continue };
            // Names of functions that stand beside the home, not in it.
            if variable.known.start < lives.selected.home.start_byte() {
                continue;
            }
            if self.is_receiver(variable) || is_function_itself(variable, lives.selected.home) {
                continue;
            }
            // A variable of a function or block in the lines goes along with it.
            if lives.selected.core.start <= variable.known.start && variable.known.end <= lives.selected.core.end {
                continue;
            }
            let is_outside = lives.is_outside(index);
            if is_outside
                && is_kind_of_item(variable.by.kind())
                && !self.is_type_parameter_of(variable, lives.selected.home)
            {
                self.check_item(variable, first.at)?;
            }
            if variable.by.kind().starts_with("type_parameter") {
                continue;
            }
            let is_written = lives.locals.of(index).any(|found| found.is_in(&lives.selected.core) && found.is_write());
            if is_outside {
                self.check_sharing(index, is_written)?;
            }
            let later = *ending == Ending::GoesOn && is_written && lives.is_read_later(index);
            if is_outside
                && *ending != Ending::GoesOn
                && is_written
                && variable.function != lives.selected.nearest.start_byte()
            {
                return Err(self.refuse_at(
                    first.at,
                    format!("`{}` is a variable of an outer function and gets a new value", variable.name),
                ));
            }
            let is_input = is_outside && lives.needs_old_value(index);
            if is_outside && !is_input && is_written && self.would_be_unused(index) {
                let why = format!("`{}` would be declared and not used, which Go refuses", variable.name);
                return Err(self.refuse_at(first.at, why));
            }
            if is_input {
                inputs.push((variable.at.start_byte(), self.plan_input(index, is_written)?));
            }
            if later {
                outputs.push((variable.at.start_byte(), self.plan_output(index, is_outside, !is_input && is_outside)?));
            }
        }
        inputs.sort_by_key(|(at, _)| *at);
        outputs.sort_by_key(|(at, _)| *at);
        let rest = |input: &(usize, Input)| input.1.clone();
        Ok((inputs.iter().map(rest).collect(), outputs.into_iter().map(|(_, output)| output).collect()))
    }

    /// Returns whether a variable of Go is only read by the lines, so that nothing would read it without them.
    fn would_be_unused(&self, index: usize) -> bool {
        let lives = &self.lives;
        lives.language == Language::Go
            && lives.locals.variables[index].by.kind() != "parameter_declaration"
            && !lives.locals.of(index).any(|found| found.is_read() && !found.is_in(&lives.selected.core))
    }

    fn is_receiver(&self, variable: &Variable<'t>) -> bool {
        let home = self.lives.selected.home;
        match self.lives.language {
            Language::Go => home
                .child_by_field_name("receiver")
                .is_some_and(|list| list.byte_range().contains(&variable.at.start_byte())),
            Language::Python => self.method_receiver().is_some_and(|node| node == variable.at),
            _ => false,
        }
    }

    fn is_type_parameter_of(&self, variable: &Variable<'t>, home: Node<'t>) -> bool {
        variable.by.kind().starts_with("type_parameter")
            && home
                .child_by_field_name("type_parameters")
                .is_some_and(|list| list.byte_range().contains(&variable.at.start_byte()))
    }

    /// Refuses to take along what only the function knows: types, functions and imports inside of it.
    fn check_item(&self, variable: &Variable<'t>, at: Node<'t>) -> Result<()> {
        let is_value = match self.lives.language {
            Language::Python => true,
            Language::JavaScript => !variable.by.kind().contains("interface"),
            _ => false,
        };
        if is_value {
            return Ok(());
        }
        Err(self.refuse_at(
            at,
            format!("`{}` is declared inside of the function, and a new function cannot name it", variable.name),
        ))
    }

    fn plan_input(&self, index: usize, is_written: bool) -> Result<Input> {
        let variable = &self.lives.locals.variables[index];
        // A variable of JavaScript has a value from its declaration on.
        let is_declared =
            self.lives.language == Language::JavaScript && variable.at.start_byte() < self.lives.selected.core.start;
        if !is_declared && !self.lives.is_bound_before(index) && self.lives.language != Language::Go {
            let why = format!("`{}` may not have a value where the lines begin", variable.name);
            return Err(self.refuse_at(self.first(), why));
        }
        let mut kind = self.types.of(variable);
        let is_python = self.lives.language == Language::Python;
        if is_python && (self.may_narrow_python(index) || self.home_is_generic()) {
            kind = None;
        }
        if self.is_typed() && kind.is_none() {
            return Err(self.refuse_at(
                variable.at,
                format!("the type of `{}`, which the lines use, is not known", variable.name),
            ));
        }
        let mut passing = if is_written { Passing::Mutable } else { Passing::Plain };
        let kind_text = kind.as_deref().unwrap_or_default();
        match self.lives.language {
            Language::Rust => passing = self.pass_rust(index, kind_text, is_written)?,
            Language::Go => self.check_copy_of_go(index, kind_text)?,
            Language::TypeScript | Language::Tsx => self.check_narrowing(index, kind_text)?,
            _ => {}
        }
        Ok(Input { name: variable.name.clone(), kind, passing })
    }

    /// Returns whether the function has type parameters, which annotations may name.
    fn home_is_generic(&self) -> bool {
        self.lives.selected.home.child_by_field_name("type_parameters").is_some()
    }

    fn plan_output(&self, index: usize, is_outside: bool, needs_declaration: bool) -> Result<Output> {
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        if variable.function != lives.selected.nearest.start_byte() && lives.language == Language::Python {
            return Err(self.refuse_at(variable.at, format!("`{}` belongs to an outer function", variable.name)));
        }
        if (!is_outside || needs_declaration)
            && !matches!(lives.language, Language::Go | Language::JavaScript)
            && !lives.is_always_bound(index, &lives.selected.statements)
        {
            let why = format!("`{}` may not have a value at the end of the lines", variable.name);
            return Err(self.refuse_at(variable.at, why));
        }
        if !is_outside && is_kind_of_item(variable.by.kind()) && lives.language != Language::Python {
            return Err(self
                .refuse_at(variable.at, format!("`{}` is declared in the lines and used behind them", variable.name)));
        }
        let kind = self.types.of(variable).filter(|_| lives.language != Language::Python || !self.home_is_generic());
        let needs_type = matches!(lives.language, Language::Go | Language::Rust | Language::Java);
        if needs_type && kind.is_none() {
            return Err(self.refuse_at(
                variable.at,
                format!("the type of `{}`, which is used behind the lines, is not known", variable.name),
            ));
        }
        let end = lives.selected.core.end;
        let is_written_later = lives.locals.of(index).any(|found| found.is_write() && found.at.start_byte() >= end)
            || lives.locals.variables[index].by.child(0).is_some_and(|child| child.kind() == "mutable_specifier")
            || lives.language == Language::Rust && has_mut(variable);
        Ok(Output { name: variable.name.clone(), kind, is_new: !is_outside, is_written_later, needs_declaration })
    }
}

/// Returns whether a declaration of Rust begins with `mut`.
pub(super) fn has_mut(variable: &Variable<'_>) -> bool {
    let mut cursor = variable.by.walk();
    variable.by.children(&mut cursor).any(|child| child.kind() == "mutable_specifier")
        || variable.at.parent().is_some_and(|parent| parent.kind() == "mut_pattern")
}

fn is_function_itself(variable: &Variable<'_>, home: Node<'_>) -> bool {
    variable.by == home && variable.known.start <= home.start_byte()
}

/// Returns whether a node declares something other than a variable.
fn is_kind_of_item(kind: &str) -> bool {
    kind.ends_with("_item")
        || kind.starts_with("use_")
        || kind.ends_with("_spec") && kind != "var_spec"
        || kind.starts_with("type_parameter")
        || matches!(
            kind,
            "class_declaration"
                | "record_declaration"
                | "interface_declaration"
                | "enum_declaration"
                | "type_alias_declaration"
                | "function_declaration"
                | "generator_function_declaration"
        )
}
