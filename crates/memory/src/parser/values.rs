//! Decisions about the same thing that differ in nothing but a value: `sessions expire after 12 hours`, later `after 24
//! hours`.

use m1nd_search::words::is_stop_word;

use super::words::value;

/// Fewest words of a text that says something beside its values.
const MIN_WORDS: usize = 3;

/// A decision without its values, and those; `None` where it has none, or says nothing else.
pub(crate) fn subject(title: &str) -> Option<(String, Vec<String>)> {
    let (mut subject, mut values, mut says_something) = (String::new(), Vec::new(), false);
    let mut before = String::new();
    let mut count = 0;
    for word in title.split_whitespace() {
        let is_inside = |char: char| char.is_alphanumeric() || char == '%';
        let bare = word.trim_matches(|char| !is_inside(char)).to_lowercase();
        if bare.is_empty() {
            continue;
        }
        count += 1;
        let is_value = bare.starts_with(|first: char| first.is_ascii_digit())
            && !word.contains('#')
            && !value::NAMES.contains(&before.as_str());
        subject.push(' ');
        if is_value {
            subject.push('#');
            values.push(bare.clone());
        } else {
            subject.push_str(&bare);
            says_something |= bare.len() > 2 && !is_stop_word(&bare) && bare != "use";
        }
        before = bare;
    }
    (says_something && !values.is_empty() && count >= MIN_WORDS).then_some((subject, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without its values, and those.
    type Subject = (&'static str, &'static [&'static str]);

    #[test]
    fn what_is_a_value_and_what_is_a_name() {
        let rows: [(&str, Option<Subject>); 8] = [
            ("sessions expire after 12 hours", Some((" sessions expire after # hours", &["12"]))),
            ("Use `Postgres` 16.", Some((" use postgres #", &["16"]))),
            ("keep 3 of 5 replicas at 80%", Some((" keep # of # replicas at #", &["3", "5", "80%"]))),
            ("issue #12 is no bug", None),
            ("release 1.2 ships on Monday", None),
            ("use 16", None),
            ("use it 16", None),
            ("use UTF-8 everywhere", None),
        ];
        for (title, expected) in rows {
            let found = subject(title);
            let found = found
                .as_ref()
                .map(|(subject, values)| (subject.as_str(), values.iter().map(String::as_str).collect::<Vec<_>>()));
            assert_eq!(found, expected.map(|(subject, values)| (subject, values.to_vec())), "{title}");
        }
    }
}
