//! Days in headings.

use jiff::civil::Date;

/// The day that a heading or divider starts with, and what is said after it. A day without a year that would lie in the
/// future is that of the year before.
pub(crate) fn leading_day(text: &str, today: Date) -> Option<(Date, &str)> {
    let text = text.trim_start_matches([' ', '\t', '[', '(', '*', '_', '#', '📅']);
    let text = without_weekday(text);
    let found = iso(text).or_else(|| parse_slashed(text)).or_else(|| parse_dotted(text)).or_else(|| kanji(text));
    let (date, rest) = found.or_else(|| parse_named(text, today))?;
    if rest.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let rest = rest.trim_start_matches([']', ')', '*', '_', ' ', '\t', ':', '-', '–', '—', ',']);
    Some((date, without_time(rest)))
}

/// `---` and a day: a divider between two days.
pub(crate) fn divider_day(text: &str, today: Date) -> Option<(Date, &str)> {
    let rest = text.trim_start().strip_prefix("---")?.trim_start_matches('-');
    let (date, rest) = leading_day(rest.strip_prefix([' ', '\t'])?, today)?;
    Some((date, rest.trim_end_matches(['-', ' '])))
}

fn without_weekday(text: &str) -> &str {
    const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let (word, rest) = split_word(text);
    let lower = word.to_ascii_lowercase();
    let is_day = DAYS.iter().any(|day| lower == *day || (lower.starts_with(day) && lower.ends_with("day")));
    if is_day { rest.trim_start_matches([',', '.', ' ', '\t']) } else { text }
}

/// `14:30` or `(Thu)` between a day and what is said of it.
fn without_time(text: &str) -> &str {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_time = word.len() >= 4 && word.contains(':') && word.chars().all(|c| c.is_ascii_digit() || c == ':');
    if is_time { rest.trim_start_matches([' ', '-', '–', '—', ':']) } else { text }
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len()))
}

fn number(text: &str) -> Option<(i16, usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).take(5).count();
    let value = text.get(..digits)?.parse().ok()?;
    Some((value, digits, &text[digits..]))
}

fn iso(text: &str) -> Option<(Date, &str)> {
    let (year, digits, rest) = number(text)?;
    let separator = rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
    if digits != 4 {
        return None;
    }
    let (month, _, rest) = number(&rest[1..])?;
    let (day, _, rest) = number(rest.strip_prefix(separator)?)?;
    let rest = rest
        .strip_prefix('T')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        .map_or(rest, |time| time.trim_start_matches(|c: char| !c.is_whitespace()));
    Some((date(year, month, day)?, rest))
}

/// Month first; day first where the first number can be no month.
fn parse_slashed(text: &str) -> Option<(Date, &str)> {
    let (first, _, rest) = number(text)?;
    let (second, _, rest) = number(rest.strip_prefix('/')?)?;
    let (year, digits, rest) = number(rest.strip_prefix('/')?)?;
    if digits != 4 {
        return None;
    }
    let (month, day) = if first > 12 { (second, first) } else { (first, second) };
    Some((date(year, month, day)?, rest))
}

/// `12.03.2026`, day first as everywhere where days are written with dots.
fn parse_dotted(text: &str) -> Option<(Date, &str)> {
    let (day, _, rest) = number(text)?;
    let (month, _, rest) = number(rest.strip_prefix('.')?.trim_start())?;
    let (year, digits, rest) = number(rest.strip_prefix('.')?.trim_start())?;
    let is_version = rest.starts_with(['-', '+', '.']) && rest[1..].starts_with(|c: char| c.is_alphanumeric());
    if digits != 4 || is_version {
        return None;
    }
    Some((date(year, month, day)?, rest))
}

/// `2026年3月3日`.
fn kanji(text: &str) -> Option<(Date, &str)> {
    let (year, digits, rest) = number(text)?;
    let (month, _, rest) = number(rest.strip_prefix('年')?)?;
    let (day, _, rest) = number(rest.strip_prefix('月')?)?;
    let rest = rest.strip_prefix('日')?;
    if digits != 4 {
        return None;
    }
    Some((date(year, month, day)?, rest))
}

/// `December 12, 2024`, `Dec 12`, `12 Dec 2024`.
fn parse_named(text: &str, today: Date) -> Option<(Date, &str)> {
    let (month, day, rest) = if text.starts_with(|c: char| c.is_ascii_digit()) {
        let (day, _, rest) = number(text)?;
        let rest = without_ordinal(rest).strip_prefix([' ', '\t'])?.trim_start();
        let (word, rest) = split_word(rest);
        (month(word)?, day, rest)
    } else {
        let (word, rest) = split_word(text);
        let month = month(word)?;
        let rest = rest.trim_start_matches('.').strip_prefix([' ', '\t'])?.trim_start();
        let (day, digits, rest) = number(rest)?;
        if digits > 2 {
            return None;
        }
        (month, day, without_ordinal(rest))
    };
    let after = rest.trim_start_matches([',', '.', ' ', '\t']);
    if let Some((year, 4, rest)) = number(after) {
        return Some((date(year, month, day)?, rest));
    }
    // 29 February is of the last leap year; a day of the future is of the year before.
    const LEAP: i16 = 8;
    let year =
        (0..=LEAP).map(|back| today.year() - back).find_map(|year| date(year, month, day).filter(|it| *it <= today))?;
    Some((year, rest))
}

fn without_ordinal(text: &str) -> &str {
    ["st", "nd", "rd", "th", ".", "er"].iter().find_map(|ending| text.strip_prefix(ending)).unwrap_or(text)
}

fn month(word: &str) -> Option<i16> {
    const MONTHS: [&str; 12] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ];
    let lower = word.to_ascii_lowercase();
    // German, French and Spanish names that are not the English ones.
    const OTHERS: &[(&str, i16)] = &[
        ("januar", 1),
        ("jänner", 1),
        ("janvier", 1),
        ("enero", 1),
        ("februar", 2),
        ("février", 2),
        ("febrero", 2),
        ("märz", 3),
        ("mars", 3),
        ("marzo", 3),
        ("avril", 4),
        ("abril", 4),
        ("mai", 5),
        ("mayo", 5),
        ("juni", 6),
        ("juin", 6),
        ("junio", 6),
        ("juli", 7),
        ("juillet", 7),
        ("julio", 7),
        ("août", 8),
        ("agosto", 8),
        ("septembre", 9),
        ("septiembre", 9),
        ("oktober", 10),
        ("octobre", 10),
        ("octubre", 10),
        ("novembre", 11),
        ("noviembre", 11),
        ("dezember", 12),
        ("décembre", 12),
        ("diciembre", 12),
    ];
    if let Some((_, month)) = OTHERS.iter().find(|(name, _)| *name == lower) {
        return Some(*month);
    }
    let is_short = |month: &str| lower.len() == 3 && month.starts_with(&*lower);
    let index = MONTHS
        .iter()
        .position(|month| lower == *month || is_short(month) || (lower == "sept" && *month == "september"))?;
    i16::try_from(index + 1).ok()
}

fn date(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_headings() {
        let today = jiff::civil::date(2025, 1, 10);
        let cases = [
            ("2024-12-12", Some("2024-12-12|")),
            ("December 12, 2024", Some("2024-12-12|")),
            ("Dec 12", Some("2024-12-12|")),
            ("Jan 9", Some("2025-01-09|")),
            ("12/12/2024", Some("2024-12-12|")),
            ("25/12/2024", Some("2024-12-25|")),
            ("12 Dec 2024", Some("2024-12-12|")),
            ("12th December", Some("2024-12-12|")),
            ("Sept. 3rd, 2024", Some("2024-09-03|")),
            ("Thursday, December 12, 2024 - auth", Some("2024-12-12|auth")),
            ("2024-12-12 | shipped auth | mood: good", Some("2024-12-12|| shipped auth | mood: good")),
            ("2024-12-12T10:00:00Z", Some("2024-12-12|")),
            ("[2024-12-12] 14:30 - login", Some("2024-12-12|login")),
            ("Feb 29", Some("2024-02-29|")),
            ("04.03.2024", Some("2024-03-04|")),
            ("4. 3. 2024 - Drucker", Some("2024-03-04|Drucker")),
            ("3. März 2024", Some("2024-03-03|")),
            ("1er février 2024", Some("2024-02-01|")),
            ("2024年3月3日", Some("2024-03-03|")),
            ("1.2.2024-rc1", None),
            ("10.15.2024", None),
            ("1.0.2024", None),
            ("Version 1.2.2024", None),
            ("3. Oktober", Some("2024-10-03|")),
            ("2024-13-12", None),
            ("2024-02-30", None),
            ("May the tests pass", None),
            ("2024 plans", None),
            ("v2024-12-12", None),
            ("Dec 12345", None),
            ("12", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = leading_day(text, today).map(|(date, rest)| format!("{date}|{rest}"));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        assert!(divider_day("--- 2024-12-12", today).is_some());
        assert!(divider_day("--- 2024-12-12 ---", today).is_some_and(|(_, rest)| rest.is_empty()));
        assert!(divider_day("---2024-12-12", today).is_none());
        assert!(divider_day("--- a/src/lib.rs", today).is_none());
    }
}
