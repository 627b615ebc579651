//! Virtual hosts: names of the server under which a part of it is seen (`[vhosts]`, `src/couch/src/couch_httpd_vhost.erl`).
//!
//! A rule has a name, in which `*` and `:word` stand for labels, perhaps a port, and the beginning of a path; a request that it fits is
//! led to the rule's target, and the rest of its path below that.

use access::config::Config;
use access::error::{CouchError, Result};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Uri, header};
use std::collections::BTreeMap;

/// The header that holds the path that was asked for.
pub(crate) const ASKED_PATH: HeaderName = HeaderName::from_static("x-couchdb-vhost-path");

/// What is the same under every name.
const EVERYWHERE: [&str; 4] = ["_utils", "_uuids", "_session", "_users"];

/// A part of a name or of a target. In the order in which rules are tried, the last first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    /// All that is left.
    Rest,
    /// Any one, under a name.
    Bound(String),
    /// This one.
    Text(String),
}

/// The port of a name. In the order in which rules are tried, the last first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Port {
    Number(u32),
    Any,
}

/// One line of the settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    name: Vec<Label>,
    port: Port,
    /// What the path begins with.
    path: Vec<String>,
    target: Vec<Label>,
}

/// What the labels of a host stand for.
struct Bound<'n> {
    named: Vec<(&'n str, &'n str)>,
    /// Those that `*` stands for, the last first.
    rest: Vec<&'n str>,
}

/// The host that a client asks, which a proxy may tell.
pub(crate) fn asked_host<'h>(config: &Config, headers: &'h HeaderMap) -> Option<&'h str> {
    let forwarded = config.get("chttpd", "x_forwarded_host");
    let host = headers
        .get(forwarded.as_deref().unwrap_or("X-Forwarded-Host"))
        .or_else(|| headers.get(header::HOST));
    host?.to_str().ok()
}

/// Leads a request to where its host stands for, if it stands for a part of the server.
pub(crate) fn lead(config: &Config, request: &mut Request) -> Result<()> {
    let settings = config.section("vhosts");
    if settings.is_empty() {
        return Ok(());
    }
    let host = asked_host(config, &request.headers).unwrap_or_default();
    let Some(mut target) = target(&settings, host, request.path()) else {
        return Ok(());
    };
    let query = request.query();
    if !query.is_empty() {
        target = format!("{target}?{query}");
    }
    let invalid = || CouchError::bad_request("Invalid host header");
    let asked = request.uri.path_and_query().map_or("/", |asked| asked.as_str());
    let asked = HeaderValue::from_str(asked).map_err(|_| invalid())?;
    request.uri = Uri::try_from(target).map_err(|_| invalid())?;
    request.headers.insert(ASKED_PATH, asked);
    Ok(())
}

/// The path that a path means under the name of a host; `None` where it is the same.
fn target(settings: &BTreeMap<String, String>, host: &str, path: &str) -> Option<String> {
    let path: Vec<&str> = tokens(path, '/').collect();
    if path.first().is_some_and(|first| EVERYWHERE.contains(first)) {
        return None;
    }
    let mut rules: Vec<Rule> = settings
        .iter()
        .filter_map(|(name, target)| rule(name, target))
        .collect();
    rules.sort();
    let (name, port) = name_and_port(host);
    let labels: Vec<&str> = tokens(name, '.').collect();
    rules
        .iter()
        .rev()
        .find_map(|rule| rule.target(&labels, port, &path))
}

fn tokens(text: &str, between: char) -> impl Iterator<Item = &str> {
    text.split(between).filter(|token| !token.is_empty())
}

fn labels(text: &str, between: char) -> Vec<Label> {
    let label = |token: &str| match token.strip_prefix(':') {
        _ if token == "*" => Label::Rest,
        Some(name) => Label::Bound(name.to_owned()),
        None => Label::Text(token.to_owned()),
    };
    tokens(text, between).map(label).collect()
}

fn name_and_port(host: &str) -> (&str, Port) {
    match host.rsplit_once(':') {
        Some((name, port)) => match port.parse() {
            Ok(port) => (name, Port::Number(port)),
            Err(_) => (host, Port::Any),
        },
        None => (host, Port::Any),
    }
}

/// A rule out of the settings; `None` for one without a name or a target.
fn rule(name: &str, target: &str) -> Option<Rule> {
    let (host, path) = name.split_once('/').unwrap_or((name, ""));
    if host.is_empty() || target.is_empty() {
        return None;
    }
    let (name, port) = name_and_port(host);
    Some(Rule {
        name: labels(name, '.'),
        port,
        path: tokens(path, '/').map(str::to_owned).collect(),
        target: labels(target, '/'),
    })
}

impl Rule {
    /// Where a request is led; `None` if the rule does not fit it.
    fn target(&self, name: &[&str], port: Port, path: &[&str]) -> Option<String> {
        if self.port != Port::Any && self.port != port {
            return None;
        }
        let Bound { named, rest } = self.bind(name)?;
        let left = path.get(..self.path.len()).filter(|first| *first == self.path);
        let left = left.and_then(|first| path.get(first.len()..))?;
        let mut parts: Vec<&str> = Vec::new();
        for label in &self.target {
            match label {
                Label::Text(text) => parts.push(text),
                Label::Bound(name) => {
                    let found = named.iter().rev().find(|(known, _)| known == name);
                    parts.push(found.map_or("undefined", |&(_, label)| label));
                }
                Label::Rest => {
                    parts.extend(&rest);
                    break;
                }
            }
        }
        parts.extend(left);
        Some(format!("/{}", parts.join("/")))
    }

    /// What the labels of a host stand for; `None` if the rule is another's.
    fn bind<'n>(&'n self, name: &[&'n str]) -> Option<Bound<'n>> {
        let mut named = Vec::new();
        let mut asked = name.iter().rev().copied();
        for (at, label) in self.name.iter().enumerate().rev() {
            match label {
                Label::Rest if at == 0 => {
                    let rest: Vec<&str> = asked.collect();
                    return (!rest.is_empty()).then_some(Bound { named, rest });
                }
                Label::Rest => named.push(("*", asked.next()?)),
                Label::Bound(name) => named.push((name.as_str(), asked.next()?)),
                Label::Text(text) => {
                    if asked.next()? != text {
                        return None;
                    }
                }
            }
        }
        let rest = Vec::new();
        asked.next().is_none().then_some(Bound { named, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(lines: &[(&str, &str)]) -> BTreeMap<String, String> {
        let line = |(name, target): &(&str, &str)| ((*name).to_owned(), (*target).to_owned());
        lines.iter().map(line).collect()
    }

    #[test]
    fn names_stand_for_paths() {
        let settings = settings(&[
            ("example.com", "/shop"),
            ("*.example.com", "/*"),
            (":design.:db.example.org", "/:db/_design/:design/_rewrite"),
            ("example.net:5984/app", "/shop/_design/app"),
            ("unused.example.net", ""),
        ]);
        for (host, path, led) in [
            ("example.com", "/a/b", Some("/shop/a/b")),
            ("example.com:5984", "/", Some("/shop")),
            ("example.com", "/_session", None),
            ("fleet.example.com", "/a", Some("/fleet/a")),
            ("a.b.example.com", "/c", Some("/b/a/c")),
            (
                "app.fleet.example.org",
                "/x",
                Some("/fleet/_design/app/_rewrite/x"),
            ),
            ("fleet.example.org", "/x", None),
            ("example.net:5984", "/app/x", Some("/shop/_design/app/x")),
            ("example.net:5984", "/other", None),
            ("example.net", "/app/x", None),
            ("unused.example.net", "/x", None),
            ("localhost:5984", "/x", None),
            ("", "/x", None),
        ] {
            assert_eq!(target(&settings, host, path).as_deref(), led, "{host}{path}");
        }
    }

    #[test]
    fn a_name_comes_before_what_stands_for_any() {
        let settings = settings(&[("*.example.com", "/any"), ("db.example.com", "/this")]);
        assert_eq!(
            target(&settings, "db.example.com", "/a").as_deref(),
            Some("/this/a")
        );
        assert_eq!(
            target(&settings, "web.example.com", "/a").as_deref(),
            Some("/any/a")
        );
    }
}
