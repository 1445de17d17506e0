use m1nd_base::{Cancel, Limits};

use crate::{Language, extract};

/// The texts of a file, each as `callee place key text [around]`.
fn show_texts(language: Language, text: &str) -> Vec<String> {
    let facts = extract(language, text.as_bytes(), &Limits::default(), &Cancel::new());
    let rows = facts.texts.iter().map(|row| {
        let callee = row.reference.map_or(String::new(), |at| {
            let pos = facts.references[at as usize].pos;
            let line = text.lines().nth(pos.line as usize - 1).unwrap_or("");
            let rest: String = line.chars().skip(usize::from(pos.col) - 1).collect();
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        });
        let key = row.key.as_deref().unwrap_or("-");
        format!("{callee} {} {key} {} [{}]", row.place, row.text, row.around)
    });
    rows.collect()
}

#[test]
fn texts_of_each_language() {
    let rows: &[(Language, &str, &[&str])] = &[
        (
            Language::Python,
            "BASE = 'http://h/api'\n@app.route('/users/<int:id>', methods=['GET', 'POST'])\ndef f(id):\n    requests.get(f'{BASE}/users/{id}')\n    requests.put(BASE + '/x/' + str(id), json={})\n    s.post('/y/{}'.format(id))\n",
            &[
                " 0 BASE http://h/api []", "route 0 - /users/<int:id> []", "route 1 methods GET []",
                "route 1 methods POST []", "get 0 - {BASE}/users/{id} []", "put 0 - {BASE}/x/{str} []",
                "post 0 - /y/{} []",
            ],
        ),
        (
            Language::TypeScript,
            "const api = axios.create({ baseURL: 'http://h/v1' });\napi.get<User[]>(`/users/${id}`, { headers: {} });\nfetch('/a/' + x.id, { method: 'POST' });\nrouter.route('/b').get(list);\nconst r = /['\"]/;\napp.use('/c', router);\n",
            &[
                "create 0 baseURL http://h/v1 []", "get 0 - /users/{id} []", "fetch 0 - /a/{x.id} []",
                "fetch 1 method POST []", "route 0 - /b []", "use 0 - /c []",
            ],
        ),
        (
            Language::Go,
            "package p\nfunc f() {\n\tr.Route(\"/users\", func(r chi.Router) {\n\t\tr.Get(\"/{id}\", show)\n\t})\n\thttp.Get(fmt.Sprintf(\"http://%s/items/%d\", host, id))\n\thttp.NewRequest(\"POST\", base+\"/x\", nil)\n}\n",
            &[
                "Route 0 - /users []", "Get 0 - /{id} [/users]", "Get 0 - http://%s/items/%d []",
                "NewRequest 0 - POST []", "NewRequest 1 - {base}/x []",
            ],
        ),
        (
            Language::Java,
            "@RequestMapping(\"/api\") class A { @GetMapping(value = \"/x/{id}\") String f() { char c = '\"'; return rest.getForObject(\"http://h/x/\" + id, String.class); } }\n",
            &["RequestMapping 0 - /api []", "GetMapping 0 value /x/{id} []", "getForObject 0 - http://h/x/{id} []"],
        ),
        (
            Language::Rust,
            "#[get(\"/hello/{name}\")]\nasync fn f<'a>(x: &'a str) {}\nfn g() { Router::new().nest(\"/api\", Router::new().route(\"/users\", get(list))); client.get(format!(\"{}/users\", base)); }\n",
            &["get 0 - /hello/{name} []", "route 0 - /users [/api]", "nest 0 - /api []", "get 0 - {}/users []"],
        ),
    ];
    for (language, text, expected) in rows {
        let mut found = show_texts(*language, text);
        let mut expected: Vec<String> = expected.iter().map(|row| (*row).to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{language:?}");
    }
}

#[test]
fn any_bytes_are_scanned() {
    let hostile = ["'", "\"", "`${", "(((((", ")))", "f'{{{", "/*", "r#\"", "a(b[c{'x", "'\\", "\"é{é", "/[", "$\"{"];
    for language in [Language::Python, Language::TypeScript, Language::Go, Language::Kotlin, Language::Rust] {
        for text in hostile {
            show_texts(language, text);
            show_texts(language, &text.repeat(2_000));
        }
    }
}
