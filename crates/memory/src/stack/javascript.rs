//! Dependencies of a `package.json`.

use serde_json::Value;

/// Packages and their tags.
const PACKAGES: &[(&str, &str)] = &[
    ("@sveltejs/kit", "sveltekit"),
    ("next", "nextjs"),
    ("vue", "vue"),
    ("nuxt", "nuxt"),
    ("@angular/core", "angular"),
    ("astro", "astro"),
    ("solid-js", "solid"),
    ("remix", "remix"),
    ("@remix-run/react", "remix"),
    ("@remix-run/node", "remix"),
    ("typescript", "typescript"),
    ("tailwindcss", "tailwind"),
    ("express", "express"),
    ("fastify", "fastify"),
    ("hono", "hono"),
    ("electron", "electron"),
    ("react-native", "react-native"),
    ("expo", "expo"),
    ("vite", "vite"),
    ("prisma", "prisma"),
    ("@prisma/client", "prisma"),
    ("drizzle-orm", "drizzle"),
    ("@supabase/supabase-js", "supabase"),
    ("firebase", "firebase"),
    ("stripe", "stripe"),
    ("@modelcontextprotocol/sdk", "mcp"),
    ("@types/node", "nodejs"),
    ("better-sqlite3", "sqlite"),
    ("pg", "postgresql"),
    ("wrangler", "cloudflare"),
];

pub(super) fn package(text: &str, found: &mut Vec<&'static str>) {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return };
    let has = |name: &str| {
        let tables = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
        tables.iter().any(|table| manifest.get(table).and_then(|table| table.get(name)).is_some())
    };
    found.extend(PACKAGES.iter().filter(|(name, _)| has(name)).map(|(_, tag)| *tag));
    // A framework implies its underlying library.
    if has("svelte") && !has("@sveltejs/kit") {
        found.push("svelte");
    }
    if has("react") && !has("next") {
        found.push("react");
    }
    let engine = manifest.get("engines").and_then(|engines| engines.get("node")).is_some();
    if engine || has("express") || has("fastify") {
        found.push("nodejs");
    }
}
