//! The tags and their order.

/// All detectable tags, in display order: frameworks, languages, data, hosting, tools.
pub(super) const ORDER: &[&str] = &[
    "nextjs", "sveltekit", "svelte", "nuxt", "vue", "angular", "astro", "solid", "remix", "react-native", "expo",
    "react", "flutter", "electron", "tauri", "leptos", "bevy", "fastapi", "django", "flask", "rails", "laravel",
    "phoenix", "express", "fastify", "hono", "axum", "actix-web", "mcp", "typescript", "nodejs", "deno", "bun",
    "python", "rust", "go", "java", "kotlin", "swift", "dotnet", "ruby", "php", "elixir", "tokio", "wasm", "tailwind",
    "vite", "prisma", "drizzle", "sqlx", "sqlite", "postgresql", "supabase", "firebase", "stripe", "vercel",
    "cloudflare", "netlify", "fly", "edge", "middleware", "docker", "helm", "terraform", "github-actions",
];
