use super::*;

#[test]
fn tags_of_manifests() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("package.json", r#"{"dependencies":{"@sveltejs/kit":"2","svelte":"5"}}"#)], "sveltekit"),
        (&[("package.json", r#"{"devDependencies":{"svelte":"5"}}"#)], "svelte"),
        (&[("package.json", r#"{"dependencies":{"next":"15","react":"19","typescript":"5"}}"#)], "nextjs typescript"),
        (&[("package.json", r#"{"dependencies":{"react":"19","tailwindcss":"4"}}"#)], "react tailwind"),
        (&[("package.json", r#"{"name":"next","description":"react"}"#)], ""),
        (&[("package.json", "{ not json")], ""),
        (&[("web/app/package.json", r#"{"dependencies":{"vue":"3"}}"#)], "vue"),
        (&[("a/b/c/d/package.json", r#"{"dependencies":{"vue":"3"}}"#)], ""),
        (&[("package.json", r#"{"dependencies":{"@modelcontextprotocol/sdk":"1","stripe":"1"}}"#)], "mcp stripe"),
        (&[("pyproject.toml", "[project]\ndependencies = [\"FastAPI[all]>=0.1\"]\n")], "fastapi python"),
        (&[("pyproject.toml", "# django is no dependency\n[project]\nname = \"flask\"\n")], "python"),
        (&[("pyproject.toml", "[tool.poetry.dependencies]\ndjango = \"^5\"\n")], "django python"),
        (&[("pyproject.toml", "[dependency-groups]\ndev = [\"flask\", {include-group = \"x\"}]\n")], "flask python"),
        (&[("requirements-dev.txt", "# django\n-r base.txt\nflask==3\n")], "flask python"),
        (
            &[("setup.py", "# 'django'\nsetup(install_requires=['flask>=2', 'x'], description='uses django well')\n")],
            "flask python",
        ),
        (&[("Pipfile", "[packages]\nfastapi = \"*\"\n")], "fastapi python"),
        (&[("uv.lock", "")], "python"),
        (
            &[("Cargo.toml", "[dependencies]\naxum = \"1\"\nrt = { package = \"tokio\", version = \"1\" }\n")],
            "axum rust tokio",
        ),
        (&[("Cargo.toml", "[package]\nkeywords = [\"tokio\"]\n[dev-dependencies]\nbevy = \"1\"\n")], "rust"),
        (&[("Cargo.toml", "[workspace.dependencies]\nrmcp = \"1\"\n")], "mcp rust"),
        (
            &[("go.mod", ""), ("vercel.json", "{}"), ("supabase/config.toml", ""), ("docker-compose.yaml", "")],
            "go supabase vercel docker",
        ),
        (
            &[("Dockerfile", ""), ("main.tf", ""), (".github/workflows/ci.yml", ""), ("deploy/Chart.yaml", "")],
            "docker helm terraform github-actions",
        ),
        (&[("Gemfile", "# gem 'rails'\ngem \"rack\"\n")], "ruby"),
        (&[("Gemfile", "gem 'rails', '~> 8'\n")], "rails ruby"),
        (&[("composer.json", r#"{"require":{"laravel/framework":"^11"}}"#)], "laravel php"),
        (&[("mix.exs", "defp deps do [{:phoenix, \"~> 1.7\"}] end")], "phoenix elixir"),
        (&[("App.csproj", ""), ("pom.xml", ""), ("build.gradle.kts", "")], "java kotlin dotnet"),
        (&[("tsconfig.json", "{}"), ("deno.json", ""), ("bun.lock", "")], "typescript deno bun"),
        (&[("package.json", r#"{"dependencies":{"next":"15"}}"#), ("middleware.ts", "")], "nextjs edge middleware"),
        (&[("middleware.ts", "")], ""),
        (&[("src/app/api/users/[id]/route.ts", "export const runtime: string = \"edge\" as const;\n")], "edge"),
        (&[("pages/api/a.ts", "export const config = {\n  maxDuration: 5,\n  runtime: 'edge',\n}\n")], "edge"),
        (&[("api/a.js", "export const config = { 'runtime': \"experimental-edge\" }")], "edge"),
        (&[("src/routes/+server.ts", "export const config = { runtime: 'nodejs' }\nconst x = {runtime: 'edge'}")], ""),
        (&[("lib/a.ts", "export const runtime = 'edge'")], ""),
        (&[("app/page.tsx", "export const runtimeName = 'edge'")], ""),
        (
            &[("setup.cfg", "[metadata]\nname = django\n[options]\ninstall_requires =\n    flask>=2\n    # fastapi\n")],
            "flask python",
        ),
        (&[("setup.cfg", "[options.extras_require]\nweb = fastapi; python_version > '3'\n")], "fastapi python"),
        (
            &[(
                "uv.lock",
                "[[package]]\nname = \"shop\"\nsource = { virtual = \".\" }\ndependencies = [{ name = \"flask\" }]\n\
                 [[package]]\nname = \"x\"\nsource = { registry = \"r\" }\ndependencies = [{ name = \"django\" }]\n",
            )],
            "flask python",
        ),
        (&[("poetry.lock", "")], "python"),
        (&[("build.gradle", "plugins { id 'java' }")], "java"),
        (&[("build.gradle", "apply plugin: 'kotlin-android'\n")], "kotlin"),
        (&[("build.gradle.kts", "plugins {\n  id(\"java-library\")\n}")], "java"),
        (&[("build.gradle.kts", "plugins {\n  java\n  kotlin(\"jvm\")\n}")], "java kotlin"),
        (&[("app/api/route.ts", "export const runtime = 'edge';\n")], "edge"),
        (&[("app/api/route.ts", "// export const runtime = 'edge'\nexport const runtime = 'nodejs'\n")], ""),
        (&[], ""),
    ];
    for (files, expected) in cases {
        let manifests: Vec<Manifest<'_>> = files.iter().map(|(path, text)| Manifest { path, text }).collect();
        assert_eq!(detect_stack(&manifests, &[]).join(" "), *expected, "{files:?}");
        let mut turned = manifests.clone();
        turned.reverse();
        assert_eq!(detect_stack(&turned, &[]).join(" "), *expected, "in another order: {files:?}");
    }
}

#[test]
fn stated_tags_join_the_detected_ones() {
    let manifests = [Manifest { path: "Cargo.toml", text: "" }];
    let stated: Vec<Box<str>> = ["Next.js 15", "Postgres (Neon)", "Rust", "Acme Cloud", "node"].map(Into::into).into();
    assert_eq!(detect_stack(&manifests, &stated).join(" "), "rust nextjs postgresql acme-cloud nodejs");
}

#[test]
fn which_files_are_wanted() {
    assert_eq!(stack_evidence("web/package.json"), Some(Evidence::Text));
    assert_eq!(stack_evidence("go.mod"), Some(Evidence::Name));
    assert_eq!(stack_evidence("src/main.rs"), None);
    assert_eq!(stack_evidence("a/b/c/d/package.json"), None);
    assert_eq!(stack_evidence("web/src/app/a/b/route.ts"), Some(Evidence::Script));
    assert_eq!(stack_evidence("src/page.ts"), None);
    assert!(UNLISTED.iter().all(|name| stack_evidence(name).is_some()));
}
