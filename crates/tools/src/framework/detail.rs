//! `detail: brief`: an answer without what its reader can do without. Identity, place, verdict and reason always stay.

use serde_json::{Map, Value};

/// Removes the members at these paths (`results.score_breakdown`; a list stands for each of its elements), those that
/// are null, and those of the answer itself that repeat an argument.
pub(super) fn make_brief(body: &mut Map<String, Value>, details: &[&str], arguments: &Map<String, Value>) {
    body.retain(|name, value| arguments.get(name) != Some(value));
    for path in details {
        let mut names = path.split('.');
        let Some(last) = names.next_back() else { continue };
        let mut open: Vec<&mut Map<String, Value>> = vec![&mut *body];
        for name in names {
            open = open.into_iter().filter_map(|members| members.get_mut(name)).flat_map(objects).collect();
        }
        open.into_iter().for_each(|members| drop(members.shift_remove(last)));
    }
    body.values_mut().flat_map(objects).for_each(drop_nulls);
    drop_nulls(body);
}

/// The object that a value is, or those in the list that it is.
fn objects(value: &mut Value) -> Vec<&mut Map<String, Value>> {
    match value {
        Value::Object(members) => vec![members],
        Value::Array(items) => items.iter_mut().filter_map(Value::as_object_mut).collect(),
        _ => Vec::new(),
    }
}

fn drop_nulls(members: &mut Map<String, Value>) {
    members.retain(|_, value| !value.is_null());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn details_nulls_and_repeated_arguments_are_left_out() {
        let full = json!({"rows": [{"id": 1, "parts": {"a": 1}, "of": null}, {"id": 2, "parts": {}}], "query": "x",
            "scope": null, "verdict": {"state": "closed", "hiding": [1], "why": null}, "total": 2});
        let Value::Object(mut body) = full else { return };
        let arguments = json!({"query": "x", "rows": 2}).as_object().cloned().unwrap_or_default();
        make_brief(&mut body, &["rows.parts", "verdict.hiding", "no.such", "total.of"], &arguments);
        let brief = json!({"rows": [{"id": 1}, {"id": 2}], "verdict": {"state": "closed"}, "total": 2});
        assert_eq!(Value::Object(body), brief);
    }
}
