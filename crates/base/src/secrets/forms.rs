//! Tokens whose form gives them away: a fixed beginning, then characters of one alphabet.
//!
//! A row is a fact that the issuer of the token documents. It is a row and not an expression because every process
//! that answers one question would have to compile the expression; this way one search finds all beginnings, and only
//! the characters behind each are looked at.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::checks::{has_digit, is_gap};

/// Characters behind a beginning that decide whether it begins a token. It bounds how often a character is looked at.
const MAX_LOOK: usize = 512;

/// Alphabet of the characters behind the beginning of a token.
#[derive(Clone, Copy)]
enum Body {
    Hex,
    /// Capitals and digits.
    Upper,
    /// Letters and digits.
    Alnum,
    /// The same behind a beginning that names of code have, too.
    Mixed,
    /// As in base64 for URLs.
    Token,
    /// As in base64 of either kind.
    Base64,
    /// Several tokens with dots between them.
    Dotted,
}

use Body::{Alnum, Base64, Dotted, Hex, Mixed, Token, Upper};

impl Body {
    fn has(self, byte: u8) -> bool {
        match self {
            Hex => byte.is_ascii_hexdigit(),
            Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alnum | Mixed => byte.is_ascii_alphanumeric(),
            Token => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Base64 => byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte),
            Dotted => byte.is_ascii_alphanumeric() || b"_-=.".contains(&byte),
        }
    }
}

struct Form {
    /// Description for people.
    kind: &'static str,
    /// Any of these; case matters.
    beginnings: &'static [&'static str],
    body: Body,
    /// Fewest characters of the body.
    least: usize,
    /// Most characters of the body; a longer run is something else.
    most: usize,
    /// The body must look as if it was generated: the beginning is that of ordinary words, too.
    is_common: bool,
}

const fn form(kind: &'static str, beginnings: &'static [&'static str], body: Body, least: usize) -> Form {
    limit_form(kind, beginnings, body, least, usize::MAX)
}

const fn limit_form(
    kind: &'static str,
    beginnings: &'static [&'static str],
    body: Body,
    least: usize,
    most: usize,
) -> Form {
    let is_common = matches!(body, Token | Mixed | Base64 | Dotted);
    Form { kind, beginnings, body, least, most, is_common }
}

const fn exact(kind: &'static str, beginnings: &'static [&'static str], body: Body, length: usize) -> Form {
    Form { kind, beginnings, body, least: length, most: length, is_common: true }
}

const FORMS: &[Form] = &[
    limit_form("1Password key", &["A3-"], Token, 36, 37),
    form("1Password token", &["ops_eyJ"], Base64, 40),
    form("Adobe secret", &["p8e-"], Token, 28),
    form("Adafruit key", &["aio_"], Token, 28),
    form("age key", &["AGE-SECRET-KEY-1"], Upper, 40),
    exact("Alibaba key", &["LTAI"], Alnum, 20),
    form("Anthropic key", &["sk-ant-"], Token, 16),
    form("Apify token", &["apify_api_"], Alnum, 30),
    form("Artifactory key", &["AKCp"], Alnum, 60),
    form("Artifactory token", &["cmVmd"], Alnum, 55),
    form("Atlassian token", &["ATATT3", "ATCTT3"], Base64, 60),
    limit_form("AWS access key", &["AKIA", "ASIA", "AROA", "AIDA", "AGPA", "ANPA", "ABIA", "ACCA"], Upper, 16, 16),
    form("AWS Bedrock key", &["ABSK"], Base64, 80),
    form("AWS Bedrock key", &["bedrock-api-key-"], Base64, 40),
    form("Bitbucket password", &["ATBB"], Alnum, 28),
    form("Brevo key", &["xkeysib-", "xsmtpsib-"], Token, 64),
    form("Buildkite token", &["bkua_"], Alnum, 32),
    form("Cerebras key", &["csk-"], Alnum, 40),
    form("CircleCI token", &["CCIPAT_", "CCIPRJ_"], Token, 40),
    exact("ClickHouse key", &["4b1d"], Alnum, 38),
    form("Clojars token", &["CLOJARS_"], Alnum, 50),
    form("Cloudflare key", &["v1.0-"], Token, 48),
    form("Contentful token", &["CFPAT-"], Token, 40),
    exact("crates.io token", &["cio"], Alnum, 32),
    exact("Databricks token", &["dapi", "dose", "dkea"], Hex, 32),
    form("Databricks token", &["dapi"], Token, 34),
    form("Defined Networking key", &["dnkey-"], Token, 60),
    form("DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_", "dot_v1_"], Hex, 40),
    form("Docker token", &["dckr_pat_", "dckr_oat_"], Token, 20),
    form("Doppler token", &["dp.pt.", "dp.sa.", "dp.ct.", "dp.st.", "dp.scim.", "dp.audit."], Dotted, 40),
    form("Dropbox token", &["sl.u.", "sl.B"], Token, 100),
    form("Duffel token", &["duffel_live_", "duffel_test_"], Token, 40),
    form("Dynatrace token", &["dt0c01.", "dt0s01.", "dt0s16."], Dotted, 60),
    form("EasyPost key", &["EZAK", "EZTK"], Alnum, 50),
    form("Facebook token", &["EAAC", "EAAM", "EAAG", "EAAB"], Alnum, 90),
    form("Figma token", &["figd_", "figu_", "figo_"], Token, 36),
    form("Fireworks key", &["fw_"], Mixed, 20),
    form("Flutterwave key", &["FLWSECK_TEST-", "FLWSECK-"], Token, 12),
    form("Fly token", &["fo1_"], Token, 40),
    form("Fly token", &["fm1a_", "fm1r_", "fm2_"], Base64, 80),
    form("Frame.io token", &["fio-u-"], Token, 60),
    form("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Alnum, 30),
    form("GitHub token", &["github_pat_"], Token, 22),
    form("GitLab token", &["glpat-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glptt-"], Dotted, 20),
    form("GitLab token", &["glffct-", "glft-", "glimt-", "glagent-", "gloas-", "GR1348941"], Token, 20),
    form("GitLab session", &["_gitlab_session="], Hex, 32),
    form("Google key", &["AIza"], Token, 35),
    form("Google key", &["GOCSPX-"], Token, 20),
    form("Google key", &["ya29."], Dotted, 20),
    form("Grafana token", &["glc_"], Base64, 32),
    form("Grafana token", &["glsa_"], Token, 32),
    form("Grafana key", &["eyJrIjoi"], Base64, 60),
    form("Groq key", &["gsk_"], Alnum, 40),
    form("Heroku key", &["HRKU-"], Token, 32),
    form("HubSpot token", &["pat-na1-", "pat-eu1-", "pat-na2-"], Token, 36),
    form("Hugging Face token", &["hf_", "api_org_"], Alnum, 30),
    form("Infracost key", &["ico-"], Alnum, 32),
    form("Intra 42 secret", &["s-s4t2ud-", "s-s4t2af-"], Hex, 60),
    form("JSON web token", &["ZXlKaGJHY2lPaU"], Base64, 40),
    form("LangSmith key", &["lsv2_pt_", "lsv2_sk_", "ls__"], Token, 32),
    form("Langfuse key", &["sk-lf-"], Token, 32),
    form("Linear key", &["lin_api_", "lin_oauth_", "lin_wh_"], Alnum, 32),
    exact("Mailgun key", &["key-"], Hex, 32),
    exact("Mailgun key", &["key-"], Alnum, 32),
    form("Mapbox token", &["sk.eyJ", "pk.eyJ", "tk.eyJ"], Dotted, 60),
    form("New Relic key", &["NRAK-"], Alnum, 24),
    form("New Relic key", &["NRII-", "NRIQ-", "NRRA-", "NRSP-", "NRJS-"], Token, 19),
    form("Neon key", &["napi_"], Mixed, 40),
    form("Neon password", &["npg_"], Mixed, 10),
    form("Netlify token", &["nfp_", "nfc_", "nfo_"], Mixed, 32),
    form("Notion token", &["ntn_"], Alnum, 40),
    exact("Notion token", &["secret_"], Alnum, 43),
    form("npm token", &["npm_"], Alnum, 36),
    exact("NuGet key", &["oy2"], Alnum, 43),
    form("NVIDIA key", &["nvapi-"], Token, 40),
    exact("Octopus Deploy key", &["API-"], Upper, 26),
    form("OpenAI key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"], Token, 16),
    form("OpenAI key", &["sess-"], Alnum, 32),
    form("OpenAI key", &["sk-"], Alnum, 32),
    exact("OpenShift token", &["sha256~"], Token, 43),
    form("Perplexity key", &["pplx-"], Alnum, 40),
    form("Pinecone key", &["pcsk_"], Token, 40),
    form("Plaid token", &["access-sandbox-", "access-development-", "access-production-"], Token, 36),
    form("PlanetScale token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], Dotted, 32),
    form("PostHog key", &["phx_"], Alnum, 40),
    form("Postman key", &["PMAK-", "PMAT-"], Token, 24),
    form("Prefect key", &["pnu_", "pnb_"], Alnum, 36),
    form("Pulumi token", &["pul-"], Hex, 40),
    form("PyPI token", &["pypi-AgE", "pypi-"], Token, 32),
    form("ReadMe key", &["rdme_"], Alnum, 60),
    form("Render key", &["rnd_"], Mixed, 24),
    form("Replicate token", &["r8_"], Alnum, 36),
    form("RubyGems key", &["rubygems_"], Hex, 40),
    form("RunPod key", &["rpa_"], Mixed, 30),
    form("Scalingo token", &["tk-us-"], Token, 48),
    form("SendGrid key", &["SG."], Dotted, 40),
    form("Sentry token", &["sntrys_", "sntryu_", "sntrya_", "sntryi_"], Base64, 40),
    form("SettleMint token", &["sm_aat_", "sm_pat_", "sm_sat_"], Alnum, 16),
    form("Shippo token", &["shippo_live_", "shippo_test_"], Hex, 40),
    form("Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], Alnum, 32),
    form("Slack token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxo-", "xoxs-", "xoxe-", "xoxc-", "xoxd-"], Dotted, 10),
    form("Slack token", &["xoxe."], Dotted, 20),
    form("Slack token", &["xapp-"], Token, 12),
    form("Sonar token", &["squ_", "sqp_", "sqa_"], Hex, 40),
    form("Sourcegraph token", &["sgp_", "slk_"], Token, 40),
    form("Square token", &["sq0atp-", "sq0csp-"], Token, 22),
    limit_form("Square token", &["EAAA"], Token, 22, 64),
    form("Stripe key", &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"], Base64, 16),
    form("Supabase key", &["sbp_", "sb_secret_"], Token, 20),
    form("Tailscale key", &["tskey-"], Token, 20),
    form("Tavily key", &["tvly-"], Token, 20),
    form("Together key", &["tgp_v1_"], Token, 36),
    form("Trigger.dev key", &["tr_dev_", "tr_prod_", "tr_stg_"], Mixed, 20),
    exact("Twilio key", &["SK"], Hex, 32),
    form("Typeform token", &["tfp_"], Dotted, 40),
    form("Vault token", &["hvs.", "hvb.", "hvr."], Token, 24),
    form("Vercel token", &["vercel_blob_rw_"], Token, 30),
    form("xAI key", &["xai-"], Alnum, 60),
    form("Yandex key", &["AQVN"], Token, 35),
    exact("Yandex key", &["YC"], Token, 38),
    form("Yandex token", &["t1."], Dotted, 90),
    form("Zuplo key", &["zpka_"], Token, 30),
];

/// The search for all beginnings, and the number of the form of each.
static SEARCH: LazyLock<(Option<AhoCorasick>, Vec<usize>)> = LazyLock::new(|| {
    let all =
        FORMS.iter().enumerate().flat_map(|(number, form)| form.beginnings.iter().map(move |text| (number, *text)));
    let (numbers, texts): (Vec<usize>, Vec<&str>) = all.unzip();
    let mut builder = AhoCorasick::builder();
    // The quickest to make: it is seldom used often.
    builder.kind(Some(AhoCorasickKind::NoncontiguousNFA));
    (builder.build(texts).ok(), numbers)
});

/// Calls `found` with the place and kind of each token in a text.
pub(super) fn find(text: &str, mut found: impl FnMut(Range<usize>, &'static str)) {
    let (search, numbers) = &*SEARCH;
    let bytes = text.as_bytes();
    let mut end_of_last = 0;
    for begun in search.iter().flat_map(|search| search.find_overlapping_iter(text)) {
        let form = &FORMS[numbers[begun.pattern().as_usize()]];
        if begun.start() < end_of_last || !is_start(bytes, begun.start()) {
            continue;
        }
        let is_inside = |byte: &&u8| form.body.has(**byte);
        let run = bytes[begun.end()..].iter().take(MAX_LOOK).take_while(is_inside).count();
        // What ends a sentence is not part of the token.
        let body = text[begun.end()..begun.end() + run].trim_end_matches('.');
        if (form.least..=form.most).contains(&body.len()) && !is_gap(body) && (!form.is_common || is_made(body)) {
            let end = begun.end() + body.len();
            let rest = if run == MAX_LOOK { bytes[end..].iter().take_while(is_inside).count() } else { 0 };
            end_of_last = end + rest;
            found(begun.start()..end_of_last, form.kind);
        }
    }
}

/// Returns whether a token may begin here: behind no letter or digit, unless that belongs to an escape (`%3D`).
fn is_start(bytes: &[u8], at: usize) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match &bytes[..at] {
        [.., before] if !is_word(before) => true,
        [] => true,
        [.., b'%', first, second] => first.is_ascii_hexdigit() && second.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Returns whether a generator may have made a body, and not somebody who named something.
fn is_made(body: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase();
    // Capitals alone are those of a base32 or the like.
    has_digit(body) || body.bytes().any(is_upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body as a generator makes it.
    fn body(form: &Form) -> String {
        let alphabet = "k7Qa2Zc9Fe4Bd1Xm8R".bytes().cycle().filter(|byte| form.body.has(*byte));
        alphabet.take(form.least).map(char::from).collect()
    }

    #[test]
    fn every_form_is_found() {
        for form in FORMS {
            for beginning in form.beginnings {
                let token = format!("{beginning}{}", body(form));
                let mut places = Vec::new();
                find(&format!("it is {token}, yes"), |range, _| places.push(range));
                assert_eq!(places.first(), Some(&(6..6 + token.len())), "{beginning}");
            }
        }
    }
}
