use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::*;

/// Made up here, split so that no scanner of repositories takes them for real: text before, secret in two parts, text
/// after.
const SEEDED: &[(&str, &str, &str, &str)] = &[
    ("deploys use ", "AKIA", "QX7ZT4NB2MPL9RWD", " for the bucket"),
    ("temporary ", "ASIA", "Y34FZKBOKMUTVV7A", ""),
    ("token ", "ghp_", "x9QmT2vLw8ZrK4nPd7YbH1sCj6FgA3uEoi5X", " in the remote"),
    ("", "gho_", "B7dKs0aQwErTyUiOpLkJhGfDsAzXcVbNm123", ""),
    ("", "ghs_", "Zk4Lq8Wm2Np6Rt0Vx3Yb7Cd1Fg5Hj9KlPoIu", " expires"),
    ("", "github_pat_", "11ABCDE0Y0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789", ""),
    ("CI has ", "glpat-", "k3Vn9Xq2Lm7Rb5Tz1WyP", ""),
    ("bot ", "xoxb-", "2847562910-4837261950-QwErTyUiOpAsDfGh", " posts"),
    ("", "xoxp-", "9182736455-1029384756-zXcVbNmAsDfG", ""),
    ("hook https://hooks.slack.com/services/", "T02ABCDEF/B03", "GHIJKL/q1W2e3R4t5Y6u7I8o9P0a1S2", ""),
    ("maps ", "AIza", "SyD4kLm9Qw2Er7Ty5Ui1Op8As3Df6Gh0Jk-", ""),
    ("", "ya29.", "a0AfH6SMBx7Kq2Lw9Zr4Tn8Vb", ""),
    ("", "sk-ant-", "api03-Lk8Jh7Gf6Ds5Aq4Wz3Xe2Cr1Vt0B", ""),
    ("", "sk-", "Qm4Nb8Vc2Xz6Lk0Jh5Gf9Dsa7Poi3Uyt1Rew4Qaz8Wsx2Edc", " is for tests"),
    ("", "sk-proj-", "Zx8Cv7Bn6Mq5Wl4Ek3Rj2Th1", ""),
    ("", "sk_live_", "4eC39HqLyjWDarjtT1zdp7dc", ""),
    ("", "rk_test_", "8sT2mNb5VcXz1QwErTy7UiOp", ""),
    ("", "whsec_", "Kq9Lw2Zr7Tn4Vb8Xm1Pd6Hs3", ""),
    ("publish with ", "npm_", "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW2xY4", ""),
    ("", "pypi-", "AgEIcHlwaS5vcmcCJDk4ZmQ2YzBhLTNkOWUtNDU2Ny1hYmNk", ""),
    ("", "hf_", "QwErTyUiOpAsDfGhJkLzXcVbNmQaZwSxEd", ""),
    ("", "SG.", "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr", ""),
    ("", "dop_v1_", "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab91", ""),
    ("", "sb_secret_", "N7UND0UgjKTVK9Uodkm0Hg_xSvEMPvz", ""),
    ("", "eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", ""),
    ("bot ", "123456789:", "AAEhBOweik6ad9rQXMENQjcrGbqCr4KbcXy", " answers"),
    ("", "MTk4NjIyNDgzNDcxOTI1MjQ4.", "Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs", ""),
    ("", "AGE-SECRET-KEY-1", "QYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGP", ""),
    ("curl -s -u admin:", "s3cr", "3tPass https://example.org", ""),
    ("curl https://example.org --user 'ci:", "9x", "Lm42'", ""),
    ("das Passwort: ", "gehe", "im123!", " auf dem Testrechner"),
    ("Kennwort ist ", "Blau", "kraut#7", ""),
    ("mot de passe : ", "Tr0u", "b4dor&3", " du serveur"),
    ("la contraseña es ", "c0ns", "tanza9", ""),
    ("db is postgres://app:", "s3cr", "etPa55@db.internal:5432/app", ""),
    ("amqp://guest:", "g0", "estpw@mq:5672 was used", ""),
    ("https://user:", "p@ss", "w0rd@example.org/path", ""),
    ("redis://:", "hunter", "2hunter2@cache:6379", ""),
    ("mysql://root:", "correct", "horse@localhost/db", ""),
    ("Authorization: Bearer ", "7f3kQ9mZ", "2xLw8Rn4Tb6Vp1Ys", ""),
    ("curl -H 'Authorization: Basic ", "dXNlcjpw", "YXNzd29yZDEyMw==", "'"),
    ("password=", "hunter", "2", ""),
    ("password: \"", "Tr0ub4dor", "&3xyz", "\""),
    ("DB_PASSWORD=", "n0tSo", "Secure99", ""),
    ("passwd = '", "letmein", "please", "'"),
    ("API_KEY=", "9f86d081884c", "7d659a2feaa0c55ad015", ""),
    ("api_key: '", "c0ffee", "1234decaf", "'"),
    ("\"client_secret\": \"", "kY7-", "zQ2_mW9xLp4R", "\""),
    ("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7", "MDENG/bPxRfiCYzzzzzzKEYS", ""),
    ("AccountKey=", "Eby8vdM02xNOcqFlqUwJ", "PLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6==", ";"),
    ("echo bob:", "s3cr", "etPw9", " | chpasswd"),
    ("secret_key_base: ", "b2c8f1e9a7d3", "6045b2c8f1e9a7d36045", ""),
    ("export TOKEN=", "a8f5f167f44f", "4964e6c998dee827110c", ""),
    ("the password is ", "Winter", "2024!", ""),
    ("token was ", "zk29dj3k", "fl20dk", ""),
    ("our signing key moved: ", "mQ3kZ9xLw2Rn8T", "b6Vp1YsKd4Hf7JgA0", ""),
    ("session cookie ", "s%3AJ8kQ2mN7vR4xZ1", "pL9wT6yB3cH5dF0gS8aE", " works"),
    ("ENCRYPTION_KEY = \"", "4f7Kp2Qz9Lm5", "Xw8Rt1Vb6Nc3", "\""),
    ("-----BEGIN RSA PRIVATE ", "KEY-----\nMIIEowIBAAKCAQEAx", "9Qm\nbase64lines\n-----END RSA PRIVATE KEY-----", "\n"),
    ("-----BEGIN OPENSSH PRIVATE ", "KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA", "BG5vbmU", ""),
];

#[test]
fn no_seeded_secret_is_left() {
    assert!(SEEDED.len() >= 50, "{}", SEEDED.len());
    for (before, first, second, after) in SEEDED {
        let text = format!("Note 1: fine.\n{before}{first}{second}{after}\nend");
        let clean = redact(&text);
        // The parts in which the secret lies; marks around it may stay.
        let is_gone = !clean.contains(second) && clean.contains(REDACTED);
        assert!(is_gone, "{text:?} became {clean:?}");
        assert!(clean.starts_with("Note 1: fine.\n"), "{clean:?}");
        assert_eq!(find(&text)[0].line, 2, "{text:?}");
        assert_eq!(redact(&clean), clean, "redacted once is redacted");
    }
}

#[test]
fn what_is_found_does_not_hold_the_value() {
    let text = format!("a\nb password={}", "hunter2");
    let found = find(&text);
    assert_eq!(found, [Found { line: 2, kind: "assigned secret", range: 13..20 }]);
    assert!(!format!("{found:?}").contains("hunter"));
}

#[test]
fn prose_and_code_stay() {
    let harmless = [
        "Decided: store the password hash with argon2 because bcrypt truncates",
        "the token is validated in middleware",
        "password: users must reset it yearly",
        "token: String, secret: Option<Secret>",
        "let password = read_password()?;",
        "api_key = os.environ[\"API_KEY\"]",
        "password = ${DB_PASSWORD}",
        "const apiKey = process.env.API_KEY",
        "postgres://user:${PASSWORD}@host/db and https://example.org/a:b",
        "secret = \"<your secret>\"",
        "commit d4fb714bce0f9a1c2d3e4f5061728394a5b6c7d8 broke auth tokens",
        "test_authentication_token_expiry_with_refresh_window_2 fails",
        "the key is `user_id`; sort key: created_at",
        "auth/middleware/token_validation/jwt_rotation.rs:120",
        "blake3 of the key file: 16 hex",
        "bearer token authentication is required",
        "The API key is stored in the vault",
        "tokenizer = AutoTokenizer.from_pretrained(name)",
        "max_tokens: 4096, token_count=1200",
        "password=password",
        "curl -u user:password https://example.org",
        "docker run -u 1000:1000 and -u node:node",
        "curl -s https://example.org/a:b -H 'x: y'",
        "Passwort: wird beim ersten Start gesetzt",
        "le mot de passe est obligatoire",
        "12345678:30 is no time",
        "token = AuthenticationTokenFactory",
        "token: TSESTree.Token | null, (token: Token): token is Exclude<TSESTree.Token, Other>",
        "import type { JSXTextToken } from '../token/JSXTextToken/spec'",
        "TSPrivateKeyword = 'TSPrivateKeyword', password: Option<CString>, use password_hash::{PasswordHash}",
        "Authorization: Bearer token",
        "Authorization: Basic authentication is off",
        "headers[\"Authorization\"] = f\"Bearer {token}\"",
        "use the Bearer AuthenticationScheme for that",
        "GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}",
        "SECRET_KEY=settings.SECRET_KEY, TOKEN=my_token, SSH_PRIVATE_KEY=/run/secrets/key",
        "PRIMARY_KEY=id and PWD=/home/bob",
        "<Password>Passphrase</Password> and <token>access_token</token>",
        "docker run -p 8080:80 --name login x",
        "src/main.rs:1234:unused:error:something",
        "\"auth\": \"required\", \"auth\": \"oauth2-client\"",
        "golang.org/x/oauth2 v0.36.0 h1:peZ/1z27fi9hUOFCAZaHyrpWG5lwe0RJEEEeH0ThlIs=",
        "kind: ConfigMap\ndata:\n  color: blue",
    ];
    for text in harmless {
        assert_eq!(redact(text), text);
    }
}

/// Every identifier of our own sources, alone and in sentences that invite an alarm.
#[test]
fn symbols_of_real_sources_stay() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
    let mut symbols = BTreeSet::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = entry.file_name().expect("a name").to_string_lossy().into_owned();
            if entry.is_dir() && name != "testdata" && name != "fixtures" && name != "secrets" {
                folders.push(entry);
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&entry).expect("UTF-8");
                let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
                symbols.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }
    assert!(symbols.len() >= 10_000, "{}", symbols.len());
    let templates: [fn(&str) -> String; 3] =
        [|symbol| symbol.into(), |symbol| format!("the key {symbol} is read"), |symbol| format!("token = {symbol}()")];
    for template in templates {
        let alarms: Vec<_> = symbols.iter().filter(|symbol| !find(&template(symbol)).is_empty()).collect();
        assert!(alarms.len() * 100 <= symbols.len(), "{} of {}: {:?}", alarms.len(), symbols.len(), &alarms[..10]);
    }
}
