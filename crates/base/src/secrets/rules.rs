//! The rules about secrets: expressions for what has a form, and for what stands behind a word that announces a secret.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::checks::MIN_RANDOM;
use crate::needles::Needles;

/// Additional condition for a match to be a secret. None depends on chance in the value: words and names of code are
/// told apart from values by how they are spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// The form is enough.
    None,
    /// Not a placeholder.
    Real,
    /// It has a digit and a letter, which every token of this form has.
    Mixed,
    /// It is not made of words, as what a generator yields.
    Generated,
    /// As after `Authorization: Basic`: not the name of a scheme or of code.
    Header,
    /// As after `export DB_PASSWORD=` or `mysql -p`: anything but a reference to a value.
    Stated,
    /// As between `<password>` and `</password>`.
    Element,
    /// As in a line of `.pgpass`.
    Entry,
    /// As between `user:` and `@host`.
    Url,
    /// As after `password=`.
    Assigned,
    /// As after `password is`.
    Told,
    /// As after `password` alone.
    Beside,
    /// Random, and beside a word like `key`.
    Random,
}

pub(super) struct Rule {
    pub(super) kind: &'static str,
    /// The secret is the first group that matched, or all of it.
    pattern: &'static str,
    pub(super) check: Check,
    /// It has at least [`MIN_RANDOM`] characters of a token in a row.
    is_long: bool,
    /// It has many lines.
    pub(super) is_over_lines: bool,
}

const fn rule_over_lines(kind: &'static str, pattern: &'static str) -> Rule {
    Rule { kind, pattern, check: Check::None, is_long: false, is_over_lines: true }
}

const fn rule(kind: &'static str, pattern: &'static str, check: Check) -> Rule {
    Rule { kind, pattern, check, is_long: false, is_over_lines: false }
}

const fn long_rule(kind: &'static str, pattern: &'static str, check: Check) -> Rule {
    Rule { is_long: true, ..rule(kind, pattern, check) }
}

// Letters of any case only where they are words: folding a class, or one that leaves out a few characters, over all
// of Unicode takes longer than everything else that is done with it.
pub(super) const RULES: &[Rule] = &[
    rule_over_lines(
        "private key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    rule_over_lines("private key", r"PuTTY-User-Key-File-[0-9]+:(?s:.*?)(?:Private-MAC:[ \t]*[0-9A-Fa-f]*|\z)"),
    rule("Slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})", Check::Mixed),
    rule(
        "Discord webhook",
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/([0-9]{8,}/[A-Za-z0-9_-]{20,})",
        Check::Mixed,
    ),
    rule("Teams webhook", r#"webhook\.office\.com/webhookb2/([^\s"'<>]{20,})"#, Check::Mixed),
    rule(
        "webhook",
        r"\b(?:hooks\.zapier\.com/hooks/(?:catch|standard)|hook\.(?:[a-z0-9]+\.)?(?:make|integromat)\.com|maker\.ifttt\.com/trigger/[^\s/]+/(?:json/)?with/key|outlook\.office(?:365)?\.com/webhook|hooks\.airtable\.com/workflows/v1/genericWebhook|events\.pagerduty\.com/integration|open\.(?:feishu|larksuite)\.(?:cn|com)/open-apis/bot/v2/hook|hooks\.chime\.aws/incomingwebhooks)/([A-Za-z0-9@/_.-]{6,})",
        Check::Real,
    ),
    rule("JSON web token", r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", Check::None),
    long_rule("Telegram token", r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b", Check::None),
    long_rule("Discord token", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}", Check::Mixed),
    long_rule("Terraform token", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}", Check::None),
    long_rule("Azure secret", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", Check::Mixed),
    long_rule("Azure DevOps token", r"\b(?:[a-z2-7]{52}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b", Check::Mixed),
    long_rule(
        "Azure key",
        r"(?:[A-Za-z0-9+/]{33}(?:AIoT|\+(?:ASb|AEh|ARm))[A-P][A-Za-z0-9+/]{5}=|[A-Za-z0-9+/]{76}(?:\+(?:ASt|AMC|ABa)|APIM|ACDb)[A-Za-z0-9+/]{5}[AQgw]==|\b[A-Za-z0-9]{52}AzSe[A-Za-z0-9]{2,24}|\b[A-Za-z0-9]{42}AzCa[A-Za-z0-9+/]{5,6}=?)",
        Check::None,
    ),
    long_rule(
        "Authress key",
        r"\b(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        Check::None,
    ),
    long_rule("Asana token", r"\b[0-2]/[0-9]{13,19}(?:/[0-9]{13,19})?:[0-9a-f]{32}\b", Check::None),
    long_rule("Braintree token", r"\baccess_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}\b", Check::None),
    rule("Okta token", r"\bSSWS\s+([A-Za-z0-9_-]{16,})", Check::Header),
    rule("Sidekiq key", r#"CONTRIBSYS__COM["'`]?\s*[:=]\s*["'`]?([0-9a-f]{8}:[0-9a-f]{8})\b"#, Check::None),
    rule(
        "password hash",
        r"\$(?:(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}|[56]\$(?:rounds=[0-9]+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}|(?:y|gy|7)\$[./A-Za-z0-9$]{20,}|argon2(?:id|i|d)\$v=[0-9]+\$[a-z0-9=,]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{16,}|(?:scrypt|sha1|pbkdf2[a-z0-9-]*)\$[./A-Za-z0-9$=,+-]{20,})|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{24,}={0,2}",
        Check::None,
    ),
    rule(
        "password of a database",
        r#"(?m:(?:^|[\s"'`(])[A-Za-z0-9*][A-Za-z0-9_.*-]*:(?:[0-9]{4,5}|\*):[A-Za-z*_][A-Za-z0-9_.*-]*:[A-Za-z_*][A-Za-z0-9_.@*-]*:([^\s:"'`)]{4,})(?:$|[\s"'`).,;]))"#,
        Check::Entry,
    ),
    long_rule("Airtable token", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b", Check::Mixed),
    long_rule("Harness key", r"\b[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b", Check::Mixed),
    long_rule("Firebase key", r"\bAAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}", Check::Mixed),
    long_rule("Facebook token", r"\b[0-9]{15,16}(?:\||%7C|%)[A-Za-z0-9_-]{27,40}\b", Check::Mixed),
    long_rule("X token", r"\bA{20,}[A-Za-z0-9%]{60,}", Check::Mixed),
    long_rule("MaxMind key", r"\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b", Check::None),
    long_rule("Mailchimp key", r"\b[0-9a-f]{32}-us[0-9]{1,2}\b", Check::Mixed),
    long_rule("Mailgun key", r"\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b", Check::Mixed),
    long_rule("Resend key", r"\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b", Check::Generated),
    long_rule("ElevenLabs key", r"\bsk_[0-9a-f]{48}\b", Check::Mixed),
    long_rule("LaunchDarkly key", r"\b(?:sdk|mob|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", Check::Mixed),
    long_rule("Vault token", r"\bs\.([A-Za-z0-9]{24})\b", Check::Generated),
    rule("password for curl", r#"\bcurl\b[^\n]*?\s(?:-u|--user)[ =]?["']?[^\s:"']+:([^\s"']{4,})"#, Check::Real),
    rule("password in a URL", r#"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'`<>]*:([^\s"'`<>]+)@"#, Check::Url),
    rule("token in a URL", r"\b[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_~%-]{16,})@", Check::Generated),
    rule(
        "signed URL",
        r#"[?&](?i-u:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token|access_token|api_?key|token|auth|key|secret)=([^\s&"'`<>()#]{16,})"#,
        Check::Generated,
    ),
    rule(
        "authorization header",
        r#"(?i-u:\bauthorization)["'`]?\s*(?:=>|[:=,])\s*["'`]?(?i-u:bearer|basic|token|api-?key|digest|negotiate|bot|oauth|splunk)\s+(?:token=["']?)?([A-Za-z0-9._~+/|:=-]{6,})"#,
        Check::Header,
    ),
    rule(
        "authorization header",
        r"\b(?i:bearer|basic|token|apikey|digest)\s+([A-Za-z0-9._~+/-]{16,}={0,2})",
        Check::Generated,
    ),
    rule(
        "authorization of a registry",
        r#"(?:"(?:_?auth|identitytoken|registrytoken)"\s*:\s*"|(?m:(?:^|[\s:/"'`(])_auth\s*=\s*)"?)([A-Za-z0-9+/_.=-]{8,})"#,
        Check::Header,
    ),
    rule(
        "variable of the environment",
        r#"(?-u:\b[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE|SECRET|TOKEN|API_?KEY|(?:ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|DEPLOY|SHARED|LICENSE|ACCOUNT|SERVICE|AUTH|STORAGE)_?KEY|[A-Z0-9]_(?:PASS|PWD|PAT|PSK|CREDS|CREDENTIALS?))_?[0-9]{0,2})=(?:"([^"\n]{4,})"|'([^'\n]{4,})'|([^\s"'`<>]{4,}))"#,
        Check::Stated,
    ),
    rule(
        "password for a program",
        r#"\b(?:(?:mysql|mariadb)(?:-?(?:dump|admin|import|show|check|pump))?|mycli|7za?|7zz|rar|unrar)\b[^\n|;&`]*?\s-p(?:"([^"\n]{3,})"|'([^'\n]{3,})'|([^\s"'`;|&)]{3,}))"#,
        Check::Stated,
    ),
    rule(
        "password for a program",
        r#"\b(?:sshpass\b(?:\s+-[ev])*\s+-p\s*|redis-cli\b[^\n|;&`]*?\s(?:-a|--pass)[ =]+|(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|az|oc)\s[^\n|;&`]*?\blogin\b[^\n|;&`]*?\s-p\s+|(?:mongo(?:sh|dump|restore|import|export|stat|top)?|cqlsh|rabbitmqadmin)\b[^\n|;&`]*?\s-p\s+|(?:sqlcmd|bcp|zip|unzip)\b[^\n|;&`]*?\s-P\s+|ldap(?:search|modify|add|delete|passwd|whoami|compare)\b[^\n|;&`]*?\s-w\s+|(?:keytool|jarsigner)\b[^\n|;&`]*?\s-(?:storepass|keypass|srcstorepass|deststorepass)\s+|htpasswd\s+-[A-Za-z]*b[A-Za-z]*\s+\S+\s+\S+\s+|(?:smbclient|rpcclient|mount\.cifs)\b[^\n|;&`]*?\s-U\s*["']?[\w.\\/-]+%|machine\s+\S+\s+login\s+\S+\s+(?:account\s+\S+\s+)?password\s+|(?:requirepass|masterauth)\s+)(?:"([^"\n]{3,})"|'([^'\n]{3,})'|([^\s"'`;|&)-][^\s"'`;|&)]{2,}))"#,
        Check::Stated,
    ),
    rule(
        "password for a program",
        r#"\becho\s+(?:-n\s+)?["']?[\w.-]+:([^\s"'|]{3,})["']?\s*\|\s*(?:sudo\s+)?chpasswd\b"#,
        Check::Stated,
    ),
    rule(
        "password in a statement",
        r#"\b(?i:identified\s+(?:with\s+\w+\s+)?by|with\s+(?:encrypted\s+)?password|(?:create|alter)\s+(?:user|role|login)\b[^\n;]*?\bpassword)\s*=?\s*'([^'\n]{3,})'"#,
        Check::Stated,
    ),
    rule(
        "secret in an element",
        r"<(?-u:[A-Za-z0-9_.:-]*(?i:password|passwd|passphrase|secret|token|api-?key|private-?key))(?:\s[^<>\n]*)?>[ \t]*([^<>\n]*[^<>\s])\s*</",
        Check::Element,
    ),
    rule(
        "secret in an element",
        r#"<add\s+key="[^"\n]*(?i:password|secret|token|api-?key)[^"\n]*"\s+value="([^"\n]{4,})""#,
        Check::Stated,
    ),
    rule(
        "assigned secret",
        r#"(?i-u:\bpass|\bpw|password|passwd|passphrase|passcode|pwd|secret|credential|token|(?:api|access|account|auth|encryption|signing|master|private|deploy|shared|ssh|service|license)[ _.-]?key)(?:(?-u:[\w.-])|[^\x00-\x7F])*["'`]?\s*(?:=>|:=|[:=]|->|→)\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`|([^\s"'`,;()]+))"#,
        Check::Assigned,
    ),
    rule(
        "assigned secret",
        r#"(?i-u:\b(?:adafruit|adobe|airtable|algolia|alibaba|asana|atlassian|beamer|bitbucket|bittrex|cloudflare|codecov|cohere|coinbase|confluence|confluent|contentful|datadog|deepseek|discord|drone_?ci|dropbox|elastic|etsy|artifactory|bintray|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|gocardless|heroku|hubspot|intercom|jfrog|jira|kraken|kucoin|launchdarkly|linear|linked[_-]?in|lob|looker|mailchimp|mailgun|mapbox|mattermost|meraki|message[_-]?bird|private[_-]?ai|mistral|netlify|new_?relic|nytimes|okta|openai|pagerduty|plaid|rapidapi|rollbar|segment|sendbird|sentry|sidekiq|snyk|sonar|splunk|squarespace|sumo_?logic|telegr|travis|trello|twilio|twitch|twitter|typeform|vercel|wandb|yandex|zendesk))(?-u:[\w.-]){0,40}["'`]?\s*(?:=>|:=|[:=])\s*["'`]?([A-Za-z0-9_+/=-]{14,})"#,
        Check::Generated,
    ),
    rule(
        "told secret",
        r#"\b(?i:password|passwd|passphrase|passcode|pass|pwd|pw|secret|(?:api|access|auth|secret)[ _-]?(?:key|token)|token|credentials?)(?:\s+(?i:of|for|on|in|at|to|from|behind|there|here|now)(?:\s+[^\s:="'`]+){0,6}?)?(?:\s+(?i:is|was|are|equals|stays|remains|became|=)(?:\s+(?i:now|still|again))?\s*:?\s*|\s*:\s+)(?:"([^"\n]{6,})"|'([^'\n]{6,})'|`([^`\n]{6,})`|([^\s"'`]{6,}))"#,
        Check::Told,
    ),
    rule(
        "told secret",
        r#"\b(?i:passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)(?:\s+\S+){0,5}?(?:\s*[:=]|\s+(?i:ist|lautet|est|es|é|is)\s*:?)\s*["'`]?([^\s"'`]{6,})"#,
        Check::Told,
    ),
    rule("told secret", r#"\b(?i:password|passwd|passphrase|passcode|pwd)\s+["'`]?([^\s"'`]{6,})"#, Check::Beside),
    rule(
        "told credentials",
        r#"\b(?i:credentials|creds|login|log in (?:as|with)|logged in (?:as|with)|sign in (?:as|with))(?:\s*:|\s+(?:are|is))?\s+["'`]?[A-Za-z0-9_.@+-]+["'`]?\s*[:/|]\s*["'`]?([^\s"'`/:]{6,})"#,
        Check::Beside,
    ),
    rule(
        "recovery phrase",
        r#"\b(?i:seed|recovery|mnemonic|backup)(?:\s+(?:phrase|words?|code))?\s*(?:is|was|[:=])\s*["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})"#,
        Check::None,
    ),
    long_rule("random token beside a key word", r"[A-Za-z0-9+/_=-]{24,}", Check::Random),
];

/// The patterns of [`RULES`], each compiled when there is first a text that it may be in.
static PATTERNS: [OnceLock<Regex>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];
static NEEDLES: LazyLock<Needles> = LazyLock::new(|| Needles::of(RULES.iter().map(|rule| rule.pattern)));
/// The expression of a rule.
pub(super) fn pattern_of(number: usize) -> &'static Regex {
    PATTERNS[number].get_or_init(|| Regex::new(RULES[number].pattern).expect("the patterns are constant and tested"))
}

/// The rules that may find something, in order.
pub(super) fn list_due(text: &str) -> impl Iterator<Item = usize> {
    let has_token = has_token(text);
    NEEDLES.candidates(text).into_iter().filter(move |number| has_token || !RULES[*number].is_long)
}

/// Returns whether there are as many characters in a row as a random token has.
fn has_token(text: &str) -> bool {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_=-".contains(byte);
    text.as_bytes().split(|byte| !is_inside(byte)).any(|run| run.len() >= MIN_RANDOM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        (0..RULES.len()).for_each(|number| _ = pattern_of(number));
    }
}
