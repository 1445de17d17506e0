//! `m1nd docs check`: where documents and the code no longer agree. For CI, and before a release.

use m1nd_base::{Cancel, RepoPath};
use m1nd_query::documents::{self, CheckScope, Checked, DriftClass};
use m1nd_tools::sarif::{self, Level, Location, Rule};
use serde_json::{Value, json};

use super::check::open_indexed;
use crate::args::{Common, DocsArgs, DocsCheckArgs, DocsCommand};
use crate::error::CliError;
use crate::output::{Out, Tone};
use crate::project;

/// The name of the check in SARIF.
const TOOL: &str = "m1nd docs check";
/// Findings that are listed; more are counted.
const MAX_FINDINGS: usize = 2_000;

/// Runs the command.
pub(crate) fn run(args: &DocsArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    match &args.command {
        DocsCommand::Check(args) => check(args, common, out),
    }
}

fn check(args: &DocsCheckArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = open_indexed(common, &root)?;
    let snapshot = services.engine.snapshot();
    let cancel = Cancel::new();
    let paths = choose_documents(&documents::documents_of(&snapshot), &args.paths)?;
    let history = snapshot.history(&cancel);
    let scope = CheckScope { changed_code: args.changed_code };
    let cancelled = |_| CliError::fail("the check was cancelled", "run it again");
    let mut checked = documents::check(&snapshot, &history, &paths, scope, &cancel).map_err(cancelled)?;
    checked.findings.retain(|(_, finding)| finding.confidence >= args.confidence);
    if let Some(since) = &args.since {
        let since = documents::keep_since(&snapshot, &history, &mut checked, since);
        since.map_err(|error| CliError::fail(error.to_string(), "pass a commit, branch or tag of this clone"))?;
    }
    if !history.is_known() {
        checked.gaps.push("no history: names that code has lost are not known".to_owned());
    }
    let total = checked.findings.len();
    if total > MAX_FINDINGS {
        checked.gaps.push(format!("{} findings more are not listed", total - MAX_FINDINGS));
        checked.findings.truncate(MAX_FINDINGS);
    }
    if args.sarif {
        out.value(&sarif::log(TOOL, &rules(), &rows(&checked)))?;
    } else if args.markdown {
        markdown(&checked, total, out)?;
    } else if out.json {
        out.value(&value(&checked, total))?;
    } else {
        page(&checked, total, out)?;
    }
    if total > 0 { Err(CliError::Findings(total)) } else { Ok(()) }
}

/// The documents that the arguments name.
fn choose_documents(all: &[RepoPath], paths: &[String]) -> Result<Vec<RepoPath>, CliError> {
    if paths.is_empty() {
        return Ok(all.to_vec());
    }
    let mut chosen = Vec::new();
    for path in paths {
        let plain = path.trim_end_matches('/').trim_start_matches("./");
        let inside: Vec<&RepoPath> = all.iter().filter(|own| plain.is_empty() || own.is_within(plain)).collect();
        if inside.is_empty() {
            let message = format!("`{path}` is no document and no folder with documents");
            return Err(CliError::usage(message, "pass paths from the top of the repository"));
        }
        chosen.extend(inside.into_iter().cloned());
    }
    chosen.sort();
    chosen.dedup();
    Ok(chosen)
}

const fn summary(class: DriftClass) -> &'static str {
    match class {
        DriftClass::BindingMissing => "A document names code that no longer exists.",
        DriftClass::BindingMoved => "A document names code by a name or path that it no longer has.",
        DriftClass::BindingAmbiguous => "A name in a document is that of several things.",
        DriftClass::CodeChanged => "The parameters of a function changed, and the text about it says what they were.",
        DriftClass::ClaimUnbacked => "A document names code, and none of it is there.",
        DriftClass::LinkBroken => "A link leads to a file that does not exist.",
        DriftClass::AnchorBroken => "A link leads to a heading that does not exist.",
        DriftClass::CommandMissing => "A document names a command or option that no longer exists.",
        DriftClass::ExampleBroken => "An example imports what the project does not have.",
    }
}

const fn level(class: DriftClass) -> Level {
    match class {
        DriftClass::CodeChanged | DriftClass::BindingAmbiguous | DriftClass::ClaimUnbacked => Level::Note,
        DriftClass::AnchorBroken | DriftClass::CommandMissing => Level::Warning,
        _ => Level::Error,
    }
}

/// `link_broken` is `link-broken` as a rule.
fn rule_name(class: DriftClass) -> String {
    class.word().replace('_', "-")
}

fn rules() -> Vec<Rule> {
    let rule =
        |class: &DriftClass| Rule { id: rule_name(*class), summary: summary(*class).to_owned(), level: level(*class) };
    DriftClass::ALL.iter().map(rule).collect()
}

/// What a finding says, with its evidence.
fn message(finding: &documents::Finding) -> String {
    let mut text = format!("`{}`: {}", finding.name, finding.message);
    if let Some(evidence) = &finding.evidence {
        let short: String = evidence.commit.chars().take(10).collect();
        text += &format!(" ({short} {})", evidence.subject);
    }
    text
}

fn rows(checked: &Checked) -> Vec<sarif::Finding> {
    let row = |(path, finding): &(RepoPath, documents::Finding)| sarif::Finding {
        rule: rule_name(finding.class),
        level: level(finding.class),
        message: message(finding),
        place: Location { path: path.to_string(), line: Some(finding.line).filter(|line| *line > 0) },
        related: Vec::new(),
        identity: format!("{} {path} {}", finding.class.word(), finding.name),
        is_new: None,
    };
    checked.findings.iter().map(row).collect()
}

fn value(checked: &Checked, total: usize) -> Value {
    let row = |(path, finding): &(RepoPath, documents::Finding)| {
        json!({
            "class": finding.class.word(),
            "path": path.as_str(),
            "line": finding.line,
            "name": finding.name,
            "message": finding.message,
            "confidence": finding.confidence,
            "target": finding.target,
            "commit": finding.evidence.as_ref().map(|evidence| &evidence.commit),
            "commit_subject": finding.evidence.as_ref().map(|evidence| &evidence.subject),
        })
    };
    json!({
        "findings": checked.findings.iter().map(row).collect::<Vec<_>>(),
        "total": total,
        "documents": checked.documents,
        "sections": checked.sections,
        "what_is_missing": checked.gaps,
    })
}

/// A number of things.
fn several(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

fn count(total: usize) -> String {
    match total {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        total => format!("{total} findings"),
    }
}

fn page(checked: &Checked, total: usize, out: &mut Out) -> Result<(), CliError> {
    for (path, finding) in &checked.findings {
        let line = if finding.line > 0 { format!(":{}", finding.line) } else { String::new() };
        let own = level(finding.class);
        let tone = if own == Level::Error { Tone::Bad } else { Tone::Strong };
        let word = out.paint(tone, own.word());
        out.line(format!("{path}{line}: {word}[{}] {}", rule_name(finding.class), message(finding)))?;
    }
    let (documents, sections) = (several(checked.documents, "document"), several(checked.sections, "section"));
    out.line(format!("{} in {documents} with {sections}", count(total)))?;
    checked.gaps.iter().try_for_each(|gap| out.line(format!("not looked at: {gap}")))
}

fn markdown(checked: &Checked, total: usize, out: &mut Out) -> Result<(), CliError> {
    out.line(format!("### Documents: {}", count(total)))?;
    out.line("")?;
    if total > 0 {
        out.line("| place | finding |")?;
        out.line("|---|---|")?;
    }
    for (path, finding) in &checked.findings {
        let line = if finding.line > 0 { format!("#L{}", finding.line) } else { String::new() };
        let text = message(finding).replace('|', "\\|").replace('\n', " ");
        out.line(format!("| [{path}:{}]({path}{line}) | {text} |", finding.line))?;
    }
    checked.gaps.iter().try_for_each(|gap| out.line(format!("\nNot looked at: {gap}.")))
}
