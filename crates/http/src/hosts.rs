//! Under which names a server without users may be asked, and by pages from where.
//!
//! A page from anywhere can make a browser send requests to this machine, and by a name of its own that suddenly
//! stands for 127.0.0.1 (DNS rebinding) it can read the answers too. If nobody has to log in, that gives it
//! everything. So the name that the browser was given (`Host`), and the page's own (`Origin`), have to be known.

use hyper::HeaderMap;
use hyper::header::{HOST, ORIGIN};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// The name that stands for all names.
const ANY: &str = "*";

/// Names besides those of the machine itself.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    named: Arc<[String]>,
}

/// A request by, or from, a name that is not known. The text says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The server is asked by this name.
    #[error(
        "no user exists, so this server answers only under localhost or an IP address, not as {0}: create a user, \
         or name the host by --allowed-hosts"
    )]
    Host(String),
    /// A page from there asks.
    #[error(
        "no user exists, so pages from {0} may ask nothing here: create a user, or name the page's host by --allowed-hosts"
    )]
    Origin(String),
}

impl Hosts {
    /// These names too; `*` is every name. The empty one, which a variable without a value gives, is none: pages without an
    /// origin have it.
    pub fn new(names: &[String]) -> Hosts {
        let names = names.iter().map(|name| name.trim().to_ascii_lowercase());
        Hosts {
            named: names.filter(|name| !name.is_empty()).collect(),
        }
    }

    /// Refuses a request whose `Host` or `Origin` is not known.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), HostError> {
        let text = |name| {
            headers
                .get(name)
                .map(|value| String::from_utf8_lossy(value.as_bytes()))
        };
        let host = text(HOST);
        if let Some(host) = &host
            && !self.is_known(host)
            // A server that is asked by an address has that address: no page of another server has the same origin.
            && address(without_port(host)).is_none()
        {
            return Err(HostError::Host(host.to_string()));
        }
        let Some(origin) = text(ORIGIN) else {
            return Ok(());
        };
        let asks = origin.split_once("://").map_or("", |(_, host)| host);
        let is_same = host.is_some_and(|host| asks.eq_ignore_ascii_case(&host));
        match is_same || self.is_known(asks) {
            true => Ok(()),
            false => Err(HostError::Origin(origin.to_string())),
        }
    }

    /// Whether a host, with its port perhaps, is the machine itself, or one of those named.
    fn is_known(&self, host: &str) -> bool {
        let host = without_port(host).to_ascii_lowercase();
        let name = host.trim_end_matches('.');
        name == "localhost"
            || name.ends_with(".localhost")
            || address(name).is_some_and(|address| address.is_loopback())
            || self.named.iter().any(|named| named == ANY || named == name)
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // The colons of an address in brackets are its own.
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    }
}

fn address(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hosts: &Hosts, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().expect("a header"));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().expect("a header"));
        }
        hosts.check(&headers).is_ok()
    }

    #[test]
    fn the_machine_itself_and_addresses_are_known_by_any_port() {
        let hosts = Hosts::default();
        for host in [
            "localhost",
            "LocalHost:5984",
            "db.localhost.:1",
            "127.0.0.1",
            "127.1.2.3:80",
            "[::1]:5984",
            "10.0.0.7:1",
        ] {
            assert!(check(&hosts, host, None), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example:5984",
            "127.0.0.1.evil.example",
            "",
            "[::1].example",
            "[evil]",
        ] {
            assert!(!check(&hosts, host, None), "{host}");
        }
        assert!(hosts.check(&HeaderMap::new()).is_ok());
    }

    #[test]
    fn pages_from_elsewhere_are_refused_by_name_and_by_address() {
        let hosts = Hosts::default();
        for origin in ["http://localhost:3000", "http://127.0.0.1:5984", "http://[::1]"] {
            assert!(check(&hosts, "localhost:5984", Some(origin)), "{origin}");
        }
        for origin in ["http://evil.example", "http://6.6.6.6", "null", "localhost", ""] {
            assert!(!check(&hosts, "localhost:5984", Some(origin)), "{origin}");
        }
        // A page that the server gave out itself.
        assert!(check(&hosts, "10.0.0.7:5984", Some("http://10.0.0.7:5984")));
        assert!(!check(&hosts, "10.0.0.7:5984", Some("http://10.0.0.7:80")));
    }

    #[test]
    fn further_names_are_known_where_they_are_given() {
        let hosts = Hosts::new(&["DB.example".to_owned()]);
        assert!(check(&hosts, "db.example:5984", Some("https://db.example")));
        assert!(!check(&hosts, "example", None));
        let nothing = Hosts::new(&[String::new()]);
        assert!(!check(&nothing, "localhost", Some("null")) && !check(&nothing, "", None));
        assert!(check(
            &Hosts::new(&["*".to_owned()]),
            "evil.example",
            Some("http://other.example")
        ));
    }
}
