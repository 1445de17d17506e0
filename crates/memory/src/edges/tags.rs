/// Names of the same technology; the first of each is the tag.
const ALIASES: &[&[&str]] = &[
    &["angular", "@angular/core", "angularjs"],
    &["aws", "amazon-web-services"],
    &["cloudflare", "cloudflare-workers", "workers", "wrangler"],
    &["docker", "docker-compose", "dockerfile", "compose", "podman"],
    &["dotnet", ".net", "c#", "csharp", "asp.net"],
    &["drizzle", "drizzle-orm"],
    &["edge", "edge-runtime", "edge-functions"],
    &["elasticsearch", "elastic"],
    &["express", "express.js", "expressjs"],
    &["fly", "fly.io"],
    &["github-actions", "gha"],
    &["go", "golang"],
    &["java", "jdk", "jvm"],
    &["javascript", "js", "ecmascript"],
    &["kubernetes", "k8s"],
    &["lambda", "aws-lambda"],
    &["mcp", "@modelcontextprotocol/sdk", "rmcp", "model-context-protocol"],
    &["mongodb", "mongo", "mongoose"],
    &["mysql", "mariadb"],
    &["nextjs", "next.js", "next"],
    &["nodejs", "node.js", "node"],
    &["nuxt", "nuxt.js", "nuxtjs"],
    &["postgresql", "postgres", "pg", "psql"],
    &["python", "py", "python3", "cpython"],
    &["rails", "ruby-on-rails"],
    &["react", "react.js", "reactjs"],
    &["react-native", "reactnative", "expo"],
    &["rust", "rustlang"],
    &["safari", "webkit", "ios-safari"],
    &["solid", "solid-js", "solid.js", "solidjs"],
    &["sqlite", "sqlite3", "rusqlite", "better-sqlite3"],
    &["supabase", "@supabase/supabase-js"],
    &["svelte", "svelte.js"],
    &["tailwind", "tailwindcss", "tailwind-css"],
    &["terraform", "tf", "opentofu"],
    &["typescript", "ts"],
    &["vue", "vue.js", "vuejs"],
    &["wasm", "webassembly", "wasm-bindgen"],
];

/// The one name of a technology: lower case, `-` between words, aliases resolved (`Next.js` → `nextjs`). A version
/// behind it (`postgres 16`, `react@18`) is left out. Names that nobody knows stay as they are.
#[must_use]
pub fn canonical_tag(tag: &str) -> String {
    let lower = tag.trim().to_lowercase();
    let plain = lower.split_whitespace().filter(|word| !is_version(word)).collect::<Vec<_>>().join("-");
    let plain = match plain.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() && is_version(version) => name.to_owned(),
        _ => plain.replace('_', "-"),
    };
    match ALIASES.iter().find(|names| names.contains(&&*plain)) {
        Some(names) => names[0].to_owned(),
        None => plain,
    }
}

fn is_version(word: &str) -> bool {
    let digits = word.trim_start_matches(['v', '^', '~', '=', '<', '>']);
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'x')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_each() {
        let cases = [
            ("Next.js", "nextjs"),
            ("node", "nodejs"),
            ("Postgres 16", "postgresql"),
            ("react@18.2", "react"),
            ("@supabase/supabase-js", "supabase"),
            ("GitHub Actions", "github-actions"),
            ("Golang", "go"),
            ("some_thing", "some-thing"),
            ("  ", ""),
        ];
        for (tag, expected) in cases {
            assert_eq!(canonical_tag(tag), expected, "{tag}");
            assert_eq!(canonical_tag(&canonical_tag(tag)), canonical_tag(tag));
        }
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<_> = ALIASES.iter().flat_map(|names| names.iter()).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
