//! What every request passes before its body is read: the name of the server, the page that sends it, the token. A page
//! of another site can make a browser send requests here, also under a name of its own (DNS rebinding).

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::{Failure, is_api};
use crate::token::Token;

/// Headers of all answers. Neither scripts nor styles are inline: the editor of the page adopts its sheets in a shadow
/// root.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// What the wall compares requests with.
#[derive(Debug)]
pub(crate) struct Wall {
    /// The address that the server listens on.
    pub(crate) address: SocketAddr,
    /// Further names of the server.
    pub(crate) names: Vec<String>,
    pub(crate) token: Token,
}

impl Wall {
    /// Returns whether a name in `Host` is one of this server. A browser sends an address only to that address, so that
    /// of a server that listens on all addresses may be any.
    fn has_name(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        if self.names.iter().any(|name| name.eq_ignore_ascii_case(host)) {
            return true;
        }
        let bound = self.address.ip();
        let is_local = bound.is_loopback() || bound.is_unspecified();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        match bare.parse::<IpAddr>() {
            Ok(ip) => ip == bound || is_local && ip.is_loopback() || bound.is_unspecified(),
            Err(_) => is_local && host.eq_ignore_ascii_case("localhost"),
        }
    }

    /// Returns whether a request names this server, once.
    fn is_for_us(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let (Some(host), authority) = (read_host(headers), uri.authority()) else { return false };
        self.has_name(host.host()) && authority.is_none_or(|authority| *authority == host)
    }

    /// Returns whether a request is of a page of this server, or of a program. Pages of other ports of this machine are
    /// other sites.
    fn is_from_us(&self, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return true };
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        let (Some(origin), Some(host), None) = (origin, read_host(headers), origins.next()) else { return false };
        let default = match origin.scheme_str() {
            Some("http") => 80,
            Some("https") => 443,
            _ => return false,
        };
        let port = |authority: &Authority| authority.port_u16().unwrap_or(default);
        origin.authority().is_some_and(|authority| {
            authority.host().eq_ignore_ascii_case(host.host()) && port(authority) == port(&host)
        })
    }

    /// Returns whether a request has the token.
    fn is_allowed(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (given.next(), given.next()) else { return false };
        let bytes = value.as_bytes();
        let Some((scheme, rest)) = bytes.split_at_checked("Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && self.token.is(rest.trim_ascii())
    }

    /// The reason to refuse a request, if there is one.
    fn find_fault(&self, request: &Request) -> Option<Failure> {
        let (uri, headers) = (request.uri(), request.headers());
        if !self.is_for_us(uri, headers) {
            return Some(
                Failure::new(StatusCode::FORBIDDEN, "forbidden_host", "the `Host` is not one of this server")
                    .next("use the address that the server shows, or start it with --allow-host NAME"),
            );
        }
        if !self.is_from_us(headers) {
            return Some(Failure::new(StatusCode::FORBIDDEN, "forbidden_origin", "the `Origin` is not this server"));
        }
        if is_api(uri.path()) && !self.is_allowed(headers) {
            return Some(
                Failure::new(
                    StatusCode::UNAUTHORIZED,
                    "unauthorized",
                    "the token is missing or wrong; expected `Authorization: Bearer TOKEN`",
                )
                .next("take the token from the line that the server shows, or from `http/token` in the home of m1nd"),
            );
        }
        None
    }
}

/// The one `Host` of a request, without user information.
fn read_host(headers: &HeaderMap) -> Option<Authority> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return None };
    let authority = Authority::try_from(host.as_bytes()).ok()?;
    (!authority.as_str().contains('@')).then_some(authority)
}

/// Refuses what does not pass, and sets the headers of all answers.
pub(crate) async fn guard(State(wall): State<Arc<Wall>>, request: Request, next: Next) -> Response {
    let is_api = is_api(request.uri().path());
    let mut response = match wall.find_fault(&request) {
        Some(failure) => {
            let mut response = failure.into_response();
            // Its body is not read, so the connection cannot go on.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            response
        }
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_api {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(address: &str, names: &[&str]) -> Wall {
        let home = tempfile::tempdir().unwrap();
        let token = Token::load(home.path()).unwrap();
        Wall { address: address.parse().unwrap(), names: names.iter().map(|name| (*name).into()).collect(), token }
    }

    fn headers(rows: &[(&'static str, &str)]) -> HeaderMap {
        rows.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_names_of_this_server_are_hosts() {
        let local = "127.0.0.1:7000";
        for (address, host, is_ours) in [
            (local, "127.0.0.1:7000", true),
            (local, "localhost:7000", true),
            (local, "LocalHost", true),
            (local, "[::1]:9", true),
            (local, "evil.example", false),
            (local, "evil.example:7000", false),
            (local, "localhost.evil.example", false),
            (local, "127.0.0.1.evil.example:7000", false),
            (local, "127.0.0.1@evil.example", false),
            (local, "evil.example@127.0.0.1", false),
            (local, "192.168.1.5:7000", false),
            (local, "m1nd.example", true),
            (local, "", false),
            ("192.168.1.5:7000", "192.168.1.5:7000", true),
            ("192.168.1.5:7000", "localhost:7000", false),
            ("0.0.0.0:7000", "192.168.1.5:7000", true),
            ("0.0.0.0:7000", "evil.example:7000", false),
        ] {
            let wall = wall(address, &["m1nd.example"]);
            assert_eq!(
                wall.is_for_us(&Uri::from_static("/"), &headers(&[("host", host)])),
                is_ours,
                "{address} {host}"
            );
        }
        let wall = wall(local, &[]);
        assert!(!wall.is_for_us(&Uri::from_static("/"), &headers(&[])));
        let mut twice = headers(&[("host", "localhost")]);
        twice.append("host", "evil.example".parse().unwrap());
        assert!(!wall.is_for_us(&Uri::from_static("/"), &twice));
        assert!(!wall.is_for_us(&Uri::from_static("http://evil.example/"), &headers(&[("host", "localhost")])));
    }

    #[test]
    fn only_pages_of_this_server_send_requests() {
        let wall = wall("127.0.0.1:7000", &[]);
        for (origin, is_ours) in [
            ("http://localhost:7000", true),
            ("http://localhost:7001", false),
            ("http://localhost", false),
            ("http://127.0.0.1:7000", false),
            ("http://evil.example", false),
            ("http://localhost:7000.evil.example", false),
            ("null", false),
            ("file://", false),
            ("", false),
        ] {
            let rows = headers(&[("host", "localhost:7000"), ("origin", origin)]);
            assert_eq!(wall.is_from_us(&rows), is_ours, "{origin}");
        }
        assert!(wall.is_from_us(&headers(&[("host", "localhost:7000")])));
        assert!(wall.is_from_us(&headers(&[("host", "m1nd.example"), ("origin", "https://m1nd.example")])));
    }

    #[test]
    fn only_the_token_is_allowed() {
        let wall = wall("127.0.0.1:7000", &[]);
        let token = wall.token.text().to_owned();
        for (value, is_allowed) in [
            (format!("Bearer {token}"), true),
            (format!("bearer {token}"), true),
            (format!("Basic {token}"), false),
            (format!("Bearer {}", &token[1..]), false),
            (format!("Bearer {token}0"), false),
            ("Bearer ".to_owned(), false),
            ("Bearer".to_owned(), false),
            (token.clone(), false),
            (String::new(), false),
        ] {
            assert_eq!(wall.is_allowed(&headers(&[("authorization", &value)])), is_allowed, "{value}");
        }
        assert!(!wall.is_allowed(&headers(&[])));
    }
}
