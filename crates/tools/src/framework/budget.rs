use serde_json::{Map, Value, json};

use super::answer::Cursor;
use super::layout::text_bytes;

/// Maximum size of an answer, in bytes as sent: 25,000 tokens of four bytes. Callers may request less.
pub(crate) const MAX_ANSWER_BYTES: usize = 100_000;
/// Size of an answer in JSON to a client that asks for no other, in bytes: what a model reads of one call.
pub(crate) const JSON_BYTES: usize = 10_000;
/// Minimum budget that a caller can request, in bytes: room for the frame of an answer and a row or two.
pub(crate) const MIN_ANSWER_BYTES: usize = 2_000;
/// Bytes that count as one token, see `token_budget`.
pub(super) const TOKEN_BYTES: usize = 4;
/// Room kept for what is added when the answer is ready: the time it took.
const LATE_BYTES: usize = 60;
/// Comma, line break and indentation of an element, in bytes.
const ELEMENT_FRAME: usize = 4;
/// Maximum attempts to cut with less room if the notes about the cut do not fit.
const TRIES: usize = 6;
/// Limits on texts (in bytes) and list elements inside rows, tried in this order if cutting rows does not suffice.
const INNER_LIMITS: &[(usize, usize)] = &[(4_000, 100), (1_000, 30), (400, 10), (200, 4), (120, 2)];
/// Members that are never shortened. Only the tool itself can cut `content`, since it has to return the line at which
/// to continue.
const EXACT: &[&str] = &["content", "cursor", "node_id", "file_path", "next_suggested_target"];

/// The member of an answer that is a page of rows, the number of all rows, and the start of the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paged {
    pub(crate) member: &'static str,
    pub(crate) total: usize,
    pub(crate) at: Cursor,
}

/// A list that can be cut: a member of the answer or of one of its members.
struct List {
    outer: String,
    inner: Option<String>,
    sizes: Vec<usize>,
    keep: usize,
}

impl List {
    fn bytes(&self) -> usize {
        self.sizes.iter().sum()
    }

    fn name(&self) -> String {
        match &self.inner {
            Some(inner) => format!("{}.{inner}", self.outer),
            None => self.outer.clone(),
        }
    }

    fn elements<'a>(&self, body: &'a mut Map<String, Value>) -> Option<&'a mut Vec<Value>> {
        let outer = body.get_mut(&self.outer)?;
        let list = match &self.inner {
            Some(inner) => outer.get_mut(inner)?,
            None => outer,
        };
        list.as_array_mut()
    }

    /// Number of elements from the front that fit into `room` bytes.
    fn fitting(&self, room: usize) -> usize {
        let mut used = 0usize;
        self.sizes
            .iter()
            .take_while(|size| {
                used = used.saturating_add(**size);
                used <= room
            })
            .count()
    }
}

/// Cuts an answer so that it fits into `budget` bytes as sent, and notes what was cut and how to get the rest.
///
/// Lists share the room: small ones are kept whole, the largest are truncated to an equal size. The page keeps at least
/// one row, so that paging makes progress. Long texts and lists inside rows are cut only if that does not suffice.
pub(crate) fn fit(body: &mut Map<String, Value>, page: Option<Paged>, budget: usize) {
    let fits = |body: &Map<String, Value>| text_bytes(body) + LATE_BYTES <= budget;
    note(body, page, &[], false);
    if fits(body) {
        return;
    }
    clip_longest_text(body, page, budget);
    let mut best = None;
    for limits in std::iter::once(None).chain(INNER_LIMITS.iter().map(Some)) {
        if let Some((text, elements)) = limits {
            body.iter_mut().filter(|(name, _)| !EXACT.contains(&name.as_str())).for_each(|(name, value)| {
                let is_page = page.is_some_and(|page| page.member == name);
                shrink(value, *text, if is_page { usize::MAX } else { *elements }, *elements);
            });
        }
        let mut room = budget.saturating_sub(LATE_BYTES);
        for _ in 0..TRIES {
            let mut trial = body.clone();
            cut_lists(&mut trial, page, room, limits.is_some());
            if fits(&trial) {
                *body = trial;
                return;
            }
            room = room.saturating_sub((text_bytes(&trial) + LATE_BYTES).saturating_sub(budget));
            best = Some(trial);
        }
    }
    // Ids and paths exceed the budget on their own: the last attempt is the smallest usable answer.
    *body = best.unwrap_or_default();
}

/// Cuts an answer of several lists into pages: the lists follow each other, and `at` is the place in all of them.
/// Every page has the members that are not lists.
pub(crate) fn fit_lists(body: &mut Map<String, Value>, at: Cursor, budget: usize) {
    let total: usize = list_all(body).iter().map(|list| list.sizes.len()).sum();
    take_elements(body, at.offset, usize::MAX);
    let mut lists = list_all(body);
    let rest = text_bytes(body).saturating_sub(lists.iter().map(List::bytes).sum());
    let mut tries = TRIES;
    let mut room = budget.saturating_sub(LATE_BYTES + rest);
    loop {
        let mut trial = body.clone();
        // One element, so that paging makes progress.
        let kept = count_fitting(&mut lists, room).max(usize::from(at.offset < total));
        take_elements(&mut trial, 0, kept);
        let shown = at.offset + kept;
        trial.insert("truncated".into(), (shown < total).into());
        if shown < total {
            trial.insert("cursor".into(), Cursor { offset: shown, ..at }.to_text().into());
            let cut = lists.iter().filter(|list| list.keep < list.sizes.len());
            let rows = cut.map(|list| json!({"list": list.name(), "shown": list.keep, "of": list.sizes.len()}));
            trial.insert("cut".into(), rows.collect());
            trial.insert("rest_hint".into(), "repeat the call with `cursor` for the rest of the lists in `cut`".into());
        }
        let over = (text_bytes(&trial) + LATE_BYTES).saturating_sub(budget);
        tries -= 1;
        if over == 0 || tries == 0 || kept <= 1 {
            *body = trial;
            break;
        }
        // Less than what is kept now, so that each try keeps fewer.
        let used: usize = lists.iter().map(|list| list.sizes[..list.keep].iter().sum::<usize>()).sum();
        room = used.saturating_sub(over);
    }
    if text_bytes(body) + LATE_BYTES > budget {
        // What is too long is not in a list.
        fit(body, None, budget);
    }
}

/// Sets how many elements of each list fit into `room` bytes, one list after the other. Returns their number.
fn count_fitting(lists: &mut [List], room: usize) -> usize {
    let (mut left, mut count, mut is_full) = (room, 0, false);
    for list in lists {
        list.keep = if is_full { 0 } else { list.fitting(left) };
        is_full |= list.keep < list.sizes.len();
        left = left.saturating_sub(list.sizes[..list.keep].iter().sum());
        count += list.keep;
    }
    count
}

/// Keeps `count` elements of all lists behind the first `skipped`, in the order of [`list_all`].
fn take_elements(body: &mut Map<String, Value>, skipped: usize, count: usize) {
    let (mut skipped, mut count) = (skipped, count);
    for list in list_all(body) {
        if let Some(elements) = list.elements(body) {
            let from = skipped.min(elements.len());
            elements.drain(..from);
            skipped -= from;
            elements.truncate(count);
            count -= elements.len();
        }
    }
}

/// All lists of an answer, one level deep, empty ones included.
fn list_all(body: &Map<String, Value>) -> Vec<List> {
    list_from(body, 0)
}

/// A page cut to a number of tokens, before the whole answer is cut to its byte budget.
pub(crate) struct TokenCut {
    member: &'static str,
    requested: usize,
    /// Sizes of all rows of the page, in bytes.
    sizes: Vec<usize>,
}

impl TokenCut {
    /// Keeps the first rows that fit, at least one.
    pub(crate) fn make(body: &mut Map<String, Value>, member: &'static str, requested: usize) -> Self {
        let mut cut = Self { member, requested, sizes: Vec::new() };
        if let Some(rows) = body.get_mut(member).and_then(Value::as_array_mut) {
            cut.sizes = rows.iter().map(inner_bytes).collect();
            let (room, mut used) = (requested.saturating_mul(TOKEN_BYTES), 0usize);
            let fits = cut.sizes.iter().take_while(|size| {
                used = used.saturating_add(**size);
                used <= room
            });
            let kept = fits.count().max(1);
            rows.truncate(kept);
        }
        // Written here so that its size is measured with the answer.
        cut.report(body);
        cut
    }

    /// Writes the result as `budget`: the `requested` tokens, the tokens of the rows (`used`), the rows in the answer
    /// (`kept`) and the rows cut off the page (`dropped`), with which `cursor` continues.
    pub(crate) fn report(&self, body: &mut Map<String, Value>) {
        let kept = body.get(self.member).and_then(Value::as_array).map_or(0, Vec::len).min(self.sizes.len());
        let used: usize = self.sizes[..kept].iter().sum();
        let report = json!({
            "requested": self.requested, "used": used.div_ceil(TOKEN_BYTES), "kept": kept, "dropped": self.sizes.len() - kept,
        });
        body.insert("budget".into(), report);
    }
}

fn cut_lists(body: &mut Map<String, Value>, page: Option<Paged>, room: usize, shortened: bool) {
    let mut lists = lists(body);
    let in_lists: usize = lists.iter().map(List::bytes).sum();
    let rest = text_bytes(body).saturating_sub(in_lists);
    let mut room = room.saturating_sub(rest);
    let share = fair_share(lists.iter().map(List::bytes).collect(), room);
    let is_page = |list: &List| page.is_some_and(|page| list.inner.is_none() && list.outer == page.member);
    // The page comes last, so that it gets the room that the others leave by rounding.
    lists.sort_by_key(|list| is_page(list));
    for list in &mut lists {
        let (least, own) = if is_page(list) { (1, room) } else { (0, share.min(room)) };
        list.keep = list.fitting(own).max(least).min(list.sizes.len());
        room = room.saturating_sub(list.sizes[..list.keep].iter().sum());
        if let Some(elements) = list.elements(body) {
            elements.truncate(list.keep);
        }
    }
    let cut: Vec<&List> = lists.iter().filter(|list| list.keep < list.sizes.len()).collect();
    let others: Vec<&List> = cut.into_iter().filter(|list| !is_page(list)).collect();
    note(body, page, &others, shortened);
}

/// All lists of more than one element, ordered by name.
fn lists(body: &Map<String, Value>) -> Vec<List> {
    list_from(body, 2)
}

/// All lists of at least this many elements.
fn list_from(body: &Map<String, Value>, least: usize) -> Vec<List> {
    let list = |outer: &str, inner: Option<&str>, value: &Value| {
        let elements = value.as_array().filter(|elements| elements.len() >= least)?;
        let sizes: Vec<usize> = elements.iter().map(|element| inner_bytes(element) + ELEMENT_FRAME).collect();
        let keep = sizes.len();
        Some(List { outer: outer.to_owned(), inner: inner.map(str::to_owned), sizes, keep })
    };
    let mut found = Vec::new();
    for (name, value) in body {
        found.extend(list(name, None, value));
        for (inner, value) in value.as_object().into_iter().flatten() {
            found.extend(list(name, Some(inner), value));
        }
    }
    found
}

/// Size of an element of a list, in bytes.
fn inner_bytes(value: &Value) -> usize {
    // Elements of lists are written on one line.
    serde_json::to_string(value).map_or(0, |text| text.len())
}

/// The size limit of each list at which all of them fit into `room`.
fn fair_share(mut sizes: Vec<usize>, room: usize) -> usize {
    sizes.sort_unstable();
    let (mut left, mut share) = (room, usize::MAX);
    for (at, size) in sizes.iter().enumerate() {
        let equal = left / (sizes.len() - at);
        if *size > equal {
            share = equal;
            break;
        }
        left -= size;
    }
    share
}

/// Writes `truncated`, `cursor`, `cut` and `rest_hint` for the current body.
fn note(body: &mut Map<String, Value>, page: Option<Paged>, cut: &[&List], shortened: bool) {
    let mut hints = Vec::new();
    if let Some(page) = page {
        let shown = page.at.offset.saturating_add(body.get(page.member).and_then(Value::as_array).map_or(0, Vec::len));
        let more = page.total.saturating_sub(shown) > 0 && shown > page.at.offset;
        body.insert("truncated".into(), (more || !cut.is_empty() || shortened).into());
        body.remove("cursor");
        if more {
            body.insert("cursor".into(), Cursor { offset: shown, ..page.at }.to_text().into());
            hints.push(format!("repeat the call with `cursor` for more `{}`", page.member));
        }
    }
    if cut.is_empty() && !shortened {
        return;
    }
    body.insert("truncated".into(), true.into());
    let rows = cut.iter().map(|list| json!({"list": list.name(), "shown": list.keep, "of": list.sizes.len()}));
    let rows: Vec<Value> = rows.collect();
    if !rows.is_empty() {
        body.insert("cut".into(), rows.into());
    }
    hints.push(match (page, shortened) {
        (None, _) => format!("request less at once, or raise `max_output_chars` (up to {MAX_ANSWER_BYTES})"),
        (Some(_), false) => format!("raise `max_output_chars` (up to {MAX_ANSWER_BYTES}) for the lists in `cut`"),
        (Some(_), true) => format!("raise `max_output_chars` (up to {MAX_ANSWER_BYTES}) for shortened values"),
    });
    body.insert("rest_hint".into(), hints.join("; ").into());
}

/// Cuts the longest text among the members of the answer, for answers that are one long text.
fn clip_longest_text(body: &mut Map<String, Value>, page: Option<Paged>, budget: usize) {
    if page.is_some() {
        return;
    }
    let note = r#"rest_hint,truncated,request less at once"#.len() + 30;
    for _ in 0..TRIES {
        let over = (text_bytes(body) + LATE_BYTES + note).saturating_sub(budget);
        if over == 0 {
            return;
        }
        let longest = body.iter_mut().filter_map(|(name, value)| match value {
            Value::String(text) if !EXACT.contains(&name.as_str()) => Some(text),
            _ => None,
        });
        let Some(text) = longest.max_by_key(|text| text.len()).filter(|text| text.len() > over.min(200)) else {
            return;
        };
        let keep = text.floor_char_boundary(text.len().saturating_sub(over));
        text.truncate(keep);
        body.insert("truncated".into(), true.into());
        body.insert("rest_hint".into(), "request less at once".into());
    }
}

/// Cuts long texts and lists inside a value. `own` limits the value itself if it is a list, `inner` the lists in it.
fn shrink(value: &mut Value, text_limit: usize, own: usize, inner: usize) {
    match value {
        Value::String(text) if text.len() > text_limit => {
            text.truncate(text.floor_char_boundary(text_limit));
            text.push('…');
        }
        Value::Array(elements) => {
            elements.truncate(own);
            elements.iter_mut().for_each(|element| shrink(element, text_limit, inner, inner));
        }
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| !EXACT.contains(&name.as_str()))
            .for_each(|(_, member)| shrink(member, text_limit, inner, inner)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AT: Cursor = Cursor { generation: 7, call: 3, state: 0, offset: 10 };

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    fn rows(number: usize, size: usize) -> Vec<Value> {
        (0..number).map(|n| json!({"n": n, "text": "x".repeat(size)})).collect()
    }

    fn cut(body: Value, page: Option<Paged>, budget: usize) -> Map<String, Value> {
        let mut body = object(body);
        fit(&mut body, page, budget);
        assert!(text_bytes(&body) <= budget, "{} > {budget}: {body:?}", text_bytes(&body));
        body
    }

    fn len(body: &Map<String, Value>, member: &str) -> usize {
        body[member].as_array().map_or(0, Vec::len)
    }

    #[test]
    fn rows_are_cut_to_the_budget_and_the_cursor_goes_on_there() {
        let page = Paged { member: "rows", total: 200, at: AT };
        let cut = cut(json!({"rows": rows(100, 100)}), Some(page), 5_000);
        let kept = len(&cut, "rows");
        assert!(kept > 30 && kept < 50, "{kept}");
        assert_eq!(cut["truncated"], json!(true));
        let next = Cursor::of_call(cut["cursor"].as_str().expect("cursor"), 7, 3).expect("own cursor");
        assert_eq!(next.offset, 10 + kept);
    }

    #[test]
    fn a_whole_answer_has_no_cursor() {
        let page = Paged { member: "rows", total: 3, at: Cursor { offset: 0, ..AT } };
        let whole = cut(json!({"rows": rows(3, 100)}), Some(page), 5_000);
        assert_eq!(len(&whole, "rows"), 3);
        assert_eq!(whole["truncated"], json!(false));
        assert!(!whole.contains_key("cursor") && !whole.contains_key("cut"));
    }

    #[test]
    fn the_largest_lists_are_cut_and_small_ones_stay_whole() {
        let body = json!({"rows": rows(50, 100), "files": rows(100, 100), "small": rows(3, 20),
            "closure": {"hiding": rows(80, 100), "why": "x"}});
        let page = Paged { member: "rows", total: 50, at: Cursor { offset: 0, ..AT } };
        let cut = cut(body, Some(page), 9_000);
        assert_eq!(len(&cut, "small"), 3);
        let hiding = cut["closure"]["hiding"].as_array().map_or(0, Vec::len);
        let kept = [len(&cut, "rows"), len(&cut, "files"), hiding];
        let (least, most) = (kept.iter().min(), kept.iter().max());
        assert!(kept.iter().all(|n| *n > 10) && most.zip(least).is_some_and(|(a, b)| a - b <= 2), "{kept:?}");
        let names: Vec<&str> = cut["cut"].as_array().into_iter().flatten().filter_map(|c| c["list"].as_str()).collect();
        assert_eq!(names, ["files", "closure.hiding"]);
        assert_eq!(cut["cut"][0]["of"], json!(100));
        let hint = cut["rest_hint"].as_str().unwrap_or_default();
        assert!(hint.contains("cursor") && hint.contains("max_output_chars"), "{hint}");
    }

    #[test]
    fn lists_of_answers_without_pages_are_cut_too() {
        let cut = cut(json!({"a": rows(1_000, 100), "b": rows(2, 10)}), None, 20_000);
        assert!(len(&cut, "a") > 100 && len(&cut, "b") == 2);
        assert_eq!((&cut["truncated"], &cut["cut"][0]["list"]), (&json!(true), &json!("a")));
    }

    #[test]
    fn several_lists_are_pages_of_one_sequence() {
        // The sizes leave every remainder of a row.
        for size in (2_500..3_100).step_by(7) {
            let note = "a sentence that stays whole";
            let (start, b) = (Cursor { offset: 0, ..AT }, json!({"c": rows(20, 100)}));
            let whole = object(json!({"a": rows(30, 100), "b": b, "d": [], "e": rows(1, 100), "note": note}));
            let (mut next, mut seen, mut pages) = (Some(start), Vec::new(), 0);
            while let Some(at) = next {
                let mut page = whole.clone();
                fit_lists(&mut page, at, size);
                assert!(text_bytes(&page) <= size && page["note"] == note, "{page:?}");
                for list in [&page["a"], &page["b"]["c"], &page["e"]] {
                    seen.extend(list.as_array().into_iter().flatten().cloned());
                }
                next = page.get("cursor").and_then(Value::as_str).map(|text| Cursor::parse(text).expect("own"));
                assert_eq!(page["truncated"], json!(next.is_some()));
                pages += 1;
            }
            assert!(pages > 2, "{pages}");
            assert_eq!(seen, [rows(30, 100), rows(20, 100), rows(1, 100)].concat());
        }
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let long = cut(json!({"formatted": "ä漢".repeat(2_000), "path": "a"}), None, 3_000);
        assert!(long["formatted"].as_str().map_or(0, str::len) > 2_500);
        assert_eq!((&long["truncated"], &long["path"]), (&json!(true), &json!("a")));
    }

    #[test]
    fn a_row_larger_than_the_budget_is_shortened_but_not_its_id() {
        let id = "i".repeat(300);
        let row = json!({"node_id": id, "texts": vec!["y".repeat(700); 40], "line": "z".repeat(9_000)});
        let page = Paged { member: "rows", total: 2, at: AT };
        let cut = cut(json!({"rows": [row.clone(), row]}), Some(page), 2_000);
        assert_eq!((len(&cut, "rows"), &cut["rows"][0]["node_id"]), (1, &json!(id)));
    }

    proptest! {
        #[test]
        fn every_answer_fits_and_pages_make_progress(
            sizes in proptest::collection::vec((0usize..80, 0usize..3_000), 1..6),
            budget in MIN_ANSWER_BYTES..20_000,
        ) {
            let mut body = Map::new();
            for (at, (number, size)) in sizes.iter().enumerate() {
                body.insert(format!("list{at}"), rows(*number, *size).into());
            }
            let page = Paged { member: "list0", total: sizes[0].0 + 10, at: AT };
            let had = sizes[0].0;
            let cut = cut(Value::Object(body), Some(page), budget);
            prop_assert!(had == 0 || len(&cut, "list0") > 0);
            let shown = len(&cut, "list0");
            let next = cut.get("cursor").and_then(Value::as_str).map(|c| Cursor::of_call(c, 7, 3).expect("own").offset);
            prop_assert_eq!(next, (shown > 0 && 10 + shown < had + 10).then_some(10 + shown));
        }
    }
}
