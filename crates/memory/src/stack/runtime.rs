//! Runtime settings in scripts of web frameworks.

/// Maximum bytes of a settings object that are examined.
const MAX_SETTINGS: usize = 400;

/// Returns whether a file is one in which a framework reads such a setting: a route, page or layout below `app`, a
/// file below `pages/api`, a function of a platform below the top `api`, a `+server.ts` and its like.
pub(super) fn is_told_by(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    if !matches!(ending, "ts" | "tsx" | "js" | "jsx" | "mjs") {
        return false;
    }
    let is_below = |name: &str| folder.split('/').any(|part| part == name);
    let is_api = folder == "api" || folder.starts_with("api/") || format!("/{folder}/").contains("/pages/api/");
    is_api || stem.starts_with('+') || (is_below("app") && matches!(stem, "route" | "page" | "layout"))
}

/// `export const runtime = 'edge'` as a statement of its own, or `runtime: 'edge'` in `export const config = {…}`.
pub(super) fn is_edge(text: &str) -> bool {
    let is_runtime = |line: &str| {
        let rest = line.strip_prefix("export const runtime").filter(|rest| rest.starts_with([' ', ':', '=']));
        rest.and_then(|rest| rest.split_once('=')).is_some_and(|(_, value)| names_edge(value))
    };
    if text.lines().map(str::trim).any(is_runtime) {
        return true;
    }
    let begins_line = |at: usize| text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
    let Some((at, _)) = text.match_indices("export const config").find(|(at, _)| begins_line(*at)) else {
        return false;
    };
    let settings = &text[at..text.floor_char_boundary(at.saturating_add(MAX_SETTINGS))];
    let settings = settings.split('}').next().unwrap_or(settings);
    settings.split([',', '{', '\n']).any(|entry| {
        let entry = entry.trim().trim_start_matches(['"', '\'']);
        let value = entry.strip_prefix("runtime").map(|rest| rest.trim_start_matches(['"', '\'', ' ']));
        value.and_then(|rest| rest.strip_prefix(':')).is_some_and(names_edge)
    })
}

fn names_edge(value: &str) -> bool {
    let value = value.trim_start();
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let inner = quote.and_then(|quote| value[1..].split_once(quote));
    inner.is_some_and(|(inner, _)| matches!(inner, "edge" | "experimental-edge"))
}
