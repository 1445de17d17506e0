//! Templates of paths: `/users/{id}`, as servers and clients of all kinds write them, and how two of them fit.

/// Maximum segments that are compared.
const MAX_SEGMENTS: usize = 24;
/// Segments that so many services have that they say nothing.
const GENERIC: &[&str] = &[
    "api", "rest", "v1", "v2", "v3", "health", "healthz", "status", "ping", "metrics", "ready", "index", "public",
    "static",
];

/// A part of a path between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// As written.
    Text(String),
    /// A parameter, or computed.
    Any,
}

/// A path, by its segments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Template {
    pub(crate) segments: Vec<Segment>,
}

/// An address that a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The name of what is in front of the path, if that is computed: empty if it has none.
    pub(crate) base: Option<String>,
    pub(crate) path: Template,
    /// It begins with `/` or a host.
    pub(crate) is_rooted: bool,
}

/// How a client's path and a server's fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fit {
    /// Nothing is left over in front of either.
    pub(crate) whole: bool,
    /// Equal segments that are not generic.
    pub(crate) said: u16,
    /// Equal segments.
    pub(crate) equal: u16,
}

impl Template {
    /// Reads a path as written. Query and fragment are left out, and slashes at the ends say nothing.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.split(['?', '#']).next().unwrap_or("");
        let parts = parts(text).into_iter().filter(|part| !part.is_empty());
        Self { segments: parts.take(MAX_SEGMENTS).map(segment).collect() }
    }

    /// One path behind another.
    pub(crate) fn join(&self, behind: &Self) -> Self {
        let segments = self.segments.iter().chain(&behind.segments).take(MAX_SEGMENTS);
        Self { segments: segments.cloned().collect() }
    }

    /// The segments that are no parameters.
    pub(crate) fn words(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Text(text) => Some(text.as_str()),
            Segment::Any => None,
        })
    }

    /// How a client's path (`self`) fits a server's: whole, or as the end of the longer one. `None` if it does not, or
    /// if no equal segment says anything.
    pub(crate) fn fits(&self, server: &Self) -> Option<Fit> {
        let (client, server) = (&self.segments, &server.segments);
        let shared = client.len().min(server.len());
        let mut fit = Fit { whole: client.len() == server.len(), said: 0, equal: 0 };
        let pairs = client[client.len() - shared..].iter().zip(&server[server.len() - shared..]);
        for (one, other) in pairs {
            match (one, other) {
                (Segment::Text(a), Segment::Text(b)) if a == b => {
                    fit.equal += 1;
                    fit.said += u16::from(!is_generic(a));
                }
                (_, Segment::Any) => {}
                _ => return None,
            }
        }
        (fit.said > 0).then_some(fit)
    }

    /// The path with `{}` for each parameter.
    pub(crate) fn text(&self) -> String {
        let parts = self.segments.iter().map(|segment| match segment {
            Segment::Text(text) => text,
            Segment::Any => "{}",
        });
        parts.fold(String::new(), |all, part| all + "/" + part)
    }
}

/// Returns whether a segment is one that most services have.
pub(crate) fn is_generic(text: &str) -> bool {
    GENERIC.contains(&text)
}

impl Address {
    /// Reads an address as a client writes it. `None` if there is no path in it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mut base, mut rest, mut is_rooted) = (None, text, text.starts_with('/'));
        if let Some((scheme, behind)) = text.split_once("://")
            && !scheme.is_empty()
            && scheme.len() <= 8
        {
            rest = &behind[behind.find('/')?..];
            is_rooted = true;
        } else if let Some(behind) = text.strip_prefix('{')
            && let Some((name, behind)) = behind.split_once('}')
        {
            base = Some(name.to_owned());
            rest = behind;
        }
        let path = Template::parse(rest);
        (!path.segments.is_empty()).then_some(Self { base, path, is_rooted })
    }
}

/// Splits at slashes outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0u32);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'<' | b'(' => depth += 1,
            b'}' | b'>' | b')' => depth = depth.saturating_sub(1),
            b'/' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn segment(part: &str) -> Segment {
    let computed = part.contains(['{', '<', '%', '*', '(']) || part.starts_with([':', '$', '^']);
    match computed {
        true => Segment::Any,
        false => Segment::Text(part.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fit_segment_by_segment() {
        let rows = [
            ("/users/{id}", "/users/<int:id>", Some((true, 1))),
            ("/users/me", "/users/:id", Some((true, 1))),
            ("/users/{}", "/users/me", None),
            ("/users", "/items", None),
            ("/api/users", "/users/", Some((false, 1))),
            ("/articles/feed?x={y}", "/api/articles/feed", Some((false, 2))),
            ("/api/v1", "/api/v1", None),
            ("/{a}/{b}", "/{a}/{b}", None),
            ("/a/b", "/a", None),
        ];
        for (client, server, expected) in rows {
            let found = Template::parse(client).fits(&Template::parse(server));
            assert_eq!(found.map(|fit| (fit.whole, fit.said)), expected, "{client} {server}");
        }
    }

    #[test]
    fn addresses_have_a_base_and_a_path() {
        let rows = [
            ("http://h:80/a/b", Some((None, "/a/b", true))),
            ("{BASE}/a", Some((Some("BASE"), "/a", false))),
            ("a/b", Some((None, "/a/b", false))),
            ("http://{}/x", Some((None, "/x", true))),
            ("http://h", None),
            ("/", None),
        ];
        for (text, expected) in rows {
            let found = Address::parse(text);
            let found = found.as_ref().map(|row| (row.base.as_deref(), row.path.text(), row.is_rooted));
            assert_eq!(found, expected.map(|(base, path, rooted)| (base, path.to_owned(), rooted)), "{text}");
        }
    }
}
