//! One realistic file of each language, free of syntax errors.

use m1nd_lang::Language;

pub(crate) fn sample(language: Language) -> &'static str {
    match language {
        Language::Text => "plain text\n",
        Language::Python => include_str!("../samples/sample.py"),
        Language::JavaScript => include_str!("../samples/sample.js"),
        Language::TypeScript => include_str!("../samples/sample.ts"),
        Language::Tsx => include_str!("../samples/sample.tsx"),
        Language::Vue => include_str!("../samples/sample.vue"),
        Language::Svelte => include_str!("../samples/sample.svelte"),
        Language::Astro => include_str!("../samples/sample.astro"),
        Language::Rust => include_str!("../samples/sample.rs"),
        Language::Go => include_str!("../golden/go/pool.go"),
        Language::Java => include_str!("../golden/java/Pool.java"),
        Language::C => include_str!("../golden/c/pool.c"),
        Language::Cpp => include_str!("../golden/cpp/pool.cpp"),
        Language::CSharp => include_str!("../golden/csharp/pool.cs"),
        Language::Kotlin => include_str!("../golden/kotlin/pool.kt"),
        Language::Ruby => include_str!("../golden/ruby/pool.rb"),
        Language::Php => include_str!("../golden/php/pool.php"),
        Language::Swift => include_str!("../golden/swift/pool.swift"),
        Language::Scala => include_str!("../golden/scala/pool.scala"),
        Language::Bash => include_str!("../golden/bash/build.sh"),
        Language::Markdown => "# Pool\n\nKeeps connections.\n\n## Use\n\n```py\n# none\n```\n",
        Language::RestructuredText => "Pool\n====\n\nKeeps connections.\n\nUse\n---\n",
        Language::AsciiDoc => "= Pool\n\nKeeps connections.\n\n== Use\n",
        Language::Html => "<h1>Pool</h1>\n<p>Keeps <code>connections</code>.</p>\n<h2>Use</h2>\n<p>Once.</p>\n",
        Language::Notebook => {
            "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"metadata\": {},\n   \"source\": [\n    \"# Pool\\n\",\n    \"Keeps `connections`.\"\n   ]\n  }\n ]\n}\n"
        }
        // The text of a packed document is read as it is.
        Language::Docx | Language::Pptx | Language::Xlsx | Language::Pdf => "# Pool\n\nKeeps connections.\n",
        Language::Lua => include_str!("../golden/lua/pool.lua"),
        Language::Proto => include_str!("../golden/proto/pool.proto"),
        Language::GraphQl => include_str!("../golden/graphql/pool.graphql"),
        Language::Sql => include_str!("../golden/sql/pool.sql"),
        Language::Yaml => include_str!("../golden/yaml/compose.yaml"),
        Language::Docker => include_str!("../golden/dockerfile/pool.dockerfile"),
    }
}
