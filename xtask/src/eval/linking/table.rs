//! Formats results as a Markdown table.

use std::fs;
use std::path::Path;

use super::edges::RepositoryResult;
use crate::Outcome;
use crate::eval::repositories::{self, REPOSITORIES};

const HEAD: &str = "\
| | calls, certain: precision | certain: recall (at the site) | certain + possible: recall (mean candidates) \
| cross-file: precision / recall | ambiguous names: precision / recall / with possible \
| invented share | phantom share | references: precision / recall | inheritance: precision / recall \
| file dependencies: precision / recall |
|---|---|---|---|---|---|---|---|---|---|---|
";

/// Prints the stored results.
pub(in crate::eval) fn print(folder: &Path) -> Outcome<()> {
    let mut results: Vec<RepositoryResult> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let text = fs::read_to_string(&path)?;
            let result = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            results.push(result);
        }
    }
    let place = |name: &str| REPOSITORIES.iter().position(|known| known.name == name).unwrap_or(usize::MAX);
    results.sort_by_key(|result| (place(&result.name), result.name.clone()));
    println!("{}", of(&results));
    Ok(())
}

/// The table of these results.
pub(in crate::eval) fn of(results: &[RepositoryResult]) -> String {
    results.iter().fold(HEAD.to_owned(), |table, result| table + &row(result))
}

fn row(result: &RepositoryResult) -> String {
    let title = match repositories::find(&result.name) {
        Some(known) => format!("{} ({})", known.language, known.name),
        None => result.name.clone(),
    };
    let calls = &result.calls;
    let (all, cross, ambiguous) = (&calls.all.ratios, &calls.cross_file.ratios, &calls.ambiguous.ratios);
    let candidates = all.mean_candidates.map_or_else(|| "–".into(), |mean| format!("{mean:.2}"));
    let (references, inheritance, files) =
        (&result.references.all.ratios, &result.inheritance.ratios, &result.file_dependencies.ratios);
    let cells = [
        title,
        share(all.precision),
        format!("{} ({})", share(all.recall_certain), share(all.recall_at_site)),
        format!("{} ({candidates})", share(all.recall_possible)),
        shares(&[cross.precision, cross.recall_certain]),
        shares(&[ambiguous.precision, ambiguous.recall_certain, ambiguous.recall_possible]),
        share(all.invented_share),
        share(all.phantom_share),
        shares(&[references.precision, references.recall_certain]),
        shares(&[inheritance.precision, inheritance.recall_certain]),
        shares(&[files.precision, files.recall_certain]),
    ];
    format!("| {} |\n", cells.join(" | "))
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.3}"))
}

fn shares(values: &[Option<f64>]) -> String {
    values.iter().map(|value| share(*value)).collect::<Vec<_>>().join(" / ")
}
