//! The address to listen on.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// An address to listen on, as people write it: `127.0.0.1:8080`, `8080`, `localhost`, `0.0.0.0:8080`, `[::1]:0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(pub SocketAddr);

/// The text is not an address.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an address to listen on; expected IP:PORT, an IP address, or a port")]
pub struct AddressError(String);

impl Default for Address {
    fn default() -> Self {
        Self(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0))
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let local = IpAddr::from(Ipv4Addr::LOCALHOST);
        let port_of = |text: &str| text.parse::<u16>().ok();
        let named = text.strip_prefix("localhost");
        let found = match named {
            Some("") => Some(SocketAddr::new(local, 0)),
            Some(rest) => rest.strip_prefix(':').and_then(port_of).map(|port| SocketAddr::new(local, port)),
            None => text.parse::<SocketAddr>().ok(),
        };
        let found = found.or_else(|| text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, 0)));
        let bare = text.strip_prefix(':').unwrap_or(text);
        let found = found.or_else(|| port_of(bare).map(|port| SocketAddr::new(local, port)));
        found.map(Self).ok_or_else(|| AddressError(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_people_write_them() {
        for (text, expected) in [
            ("127.0.0.1:8080", Some("127.0.0.1:8080")),
            ("8080", Some("127.0.0.1:8080")),
            (":8080", Some("127.0.0.1:8080")),
            ("localhost", Some("127.0.0.1:0")),
            ("localhost:1", Some("127.0.0.1:1")),
            ("0.0.0.0", Some("0.0.0.0:0")),
            ("[::1]:0", Some("[::1]:0")),
            ("::1", Some("[::1]:0")),
            ("localhost.evil:1", None),
            ("example.com:80", None),
            ("70000", None),
            ("", None),
        ] {
            let found = text.parse::<Address>().ok().map(|address| address.0.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
