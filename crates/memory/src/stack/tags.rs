//! The tags and their other names.

/// All tags that are detected, in the order in which they are told: frameworks, languages, data, hosting, tools.
pub(super) const ORDER: &[&str] = &[
    "nextjs",
    "sveltekit",
    "svelte",
    "nuxt",
    "vue",
    "angular",
    "astro",
    "solid",
    "remix",
    "react-native",
    "expo",
    "react",
    "flutter",
    "electron",
    "tauri",
    "leptos",
    "bevy",
    "fastapi",
    "django",
    "flask",
    "rails",
    "laravel",
    "phoenix",
    "express",
    "fastify",
    "hono",
    "axum",
    "actix-web",
    "mcp",
    "typescript",
    "nodejs",
    "deno",
    "bun",
    "python",
    "rust",
    "go",
    "java",
    "kotlin",
    "swift",
    "dotnet",
    "ruby",
    "php",
    "elixir",
    "tokio",
    "wasm",
    "tailwind",
    "vite",
    "prisma",
    "drizzle",
    "sqlx",
    "sqlite",
    "postgresql",
    "supabase",
    "firebase",
    "stripe",
    "vercel",
    "cloudflare",
    "netlify",
    "fly",
    "edge",
    "middleware",
    "docker",
    "helm",
    "terraform",
    "github-actions",
];

/// Other names of a tag, in lower case, without blanks, dots, dashes and underscores.
const ALIASES: &[(&str, &str)] = &[
    ("next", "nextjs"),
    ("nextjs", "nextjs"),
    ("node", "nodejs"),
    ("nodejs", "nodejs"),
    ("postgres", "postgresql"),
    ("postgresql", "postgresql"),
    ("psql", "postgresql"),
    ("pg", "postgresql"),
    ("reactjs", "react"),
    ("reactnative", "react-native"),
    ("vuejs", "vue"),
    ("nuxtjs", "nuxt"),
    ("sveltekit", "sveltekit"),
    ("solidjs", "solid"),
    ("expressjs", "express"),
    ("tailwindcss", "tailwind"),
    ("golang", "go"),
    ("ts", "typescript"),
    ("js", "javascript"),
    ("py", "python"),
    ("k8s", "kubernetes"),
    ("mongo", "mongodb"),
    ("sqlite3", "sqlite"),
    ("dotnet", "dotnet"),
    ("net", "dotnet"),
    ("c#", "dotnet"),
    ("csharp", "dotnet"),
    ("rubyonrails", "rails"),
    ("ror", "rails"),
    ("drizzleorm", "drizzle"),
    ("dockercompose", "docker"),
    ("cloudflareworkers", "cloudflare"),
    ("githubactions", "github-actions"),
    ("gha", "github-actions"),
    ("flyio", "fly"),
    ("actixweb", "actix-web"),
    ("actix", "actix-web"),
    ("modelcontextprotocol", "mcp"),
    ("webassembly", "wasm"),
    ("angularjs", "angular"),
];

/// The tag that a name of a technology stands for: `Next.js 15` → `nextjs`, `Postgres (Neon)` → `postgresql`. A name that is not
/// known becomes itself in lower case with dashes for blanks.
#[must_use]
pub fn stack_tag(name: &str) -> String {
    let name = name.split(['(', '@']).find(|part| !part.trim().is_empty()).unwrap_or("").trim().to_lowercase();
    let words: Vec<&str> = name.split_whitespace().filter(|word| !is_version(word)).collect();
    let joined = words.join("-");
    let bare: String = joined.chars().filter(|c| !matches!(c, '-' | '.' | '_')).collect();
    match ALIASES.iter().find(|(alias, _)| *alias == bare) {
        Some((_, tag)) => (*tag).to_owned(),
        None => ORDER.iter().find(|tag| tag.replace('-', "") == bare).map_or(joined, |tag| (*tag).to_owned()),
    }
}

fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'x' | '+'))
}
