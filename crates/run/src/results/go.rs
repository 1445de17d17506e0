//! `go test -json` and the text of Go's tools.

use serde_json::Value;

use super::{Failure, Results, lines};

/// Reads the lines of one run.
#[derive(Debug, Default)]
pub(super) struct Reader {
    counts: bool,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, results: &mut Results) {
        if line.starts_with('{')
            && let Ok(event) = serde_json::from_str::<Value>(line)
        {
            self.event(&event, results);
            return;
        }
        if let Some(name) = line.trim_start().strip_prefix("--- FAIL: ") {
            results.counts_tests = true;
            results.add(Failure::test(name.split(' ').next().unwrap_or_default()));
        } else if line.trim_start().starts_with("--- PASS: ") {
            results.counts_tests = true;
            results.passed += 1;
        } else if !self.counts {
            lines::diagnostic(line, results);
        }
    }

    fn event(&mut self, event: &Value, results: &mut Results) {
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        (self.counts, results.counts_tests) = (true, true);
        match (text("Action"), event["Test"].as_str()) {
            ("pass", Some(_)) => results.passed += 1,
            ("fail", Some(test)) => results.add(Failure::test(&format!("{}.{test}", text("Package")))),
            ("build-output", _) => lines::diagnostic(text("Output").trim_end(), results),
            _ => {}
        }
    }
}
