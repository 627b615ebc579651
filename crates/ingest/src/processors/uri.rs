//! `uri_parts`: what an address is made of. It is read as Java's `URI` reads it, or else as its `URL` does, which takes more.

use crate::context::Context;
use crate::error::{Result, failed};
use crate::options::{self, Options};
use value::{Document, Value};

/// The processor.
#[derive(Debug)]
pub(crate) struct UriParts {
    field: String,
    target: String,
    removes: bool,
    keeps_original: bool,
    ignores_missing: bool,
}

impl UriParts {
    pub(super) fn parse(options: &mut Options) -> options::Result<UriParts> {
        Ok(UriParts {
            field: options.text("field")?,
            target: options
                .optional_text("target_field")?
                .unwrap_or_else(|| "url".to_owned()),
            removes: options.flag("remove_if_successful", false)?,
            keeps_original: options.flag("keep_original", true)?,
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let Some(text) = context.text(&self.field, self.ignores_missing)? else {
            return Ok(());
        };
        let Some(parts) = Uri::strict(&text).or_else(|| Uri::lenient(&text)) else {
            return failed(format!("unable to parse URI [{text}]"));
        };
        let mut document = parts.document();
        if self.keeps_original {
            document.set("original", text);
        }
        if self.removes && self.target != self.field {
            context.remove(&self.field)?;
        }
        context.set(&self.target, Value::Document(document))
    }
}

/// The parts of an address, those that it has.
#[derive(Debug, Default)]
struct Uri {
    scheme: Option<String>,
    user: Option<String>,
    host: Option<String>,
    port: Option<i32>,
    path: Option<String>,
    query: Option<String>,
    fragment: Option<String>,
}

/// The schemes that Java's `URL` knows of those that texts have.
const SCHEMES: [&str; 4] = ["http", "https", "ftp", "file"];

impl Uri {
    /// An address with no characters but those that one may have; the others are written as `%` and digits, which are decoded.
    fn strict(text: &str) -> Option<Uri> {
        let (before, fragment) = cut(text, '#');
        let (scheme, rest) = match scheme_of(before) {
            Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
            None => (None, before),
        };
        let mut uri = Uri {
            scheme,
            fragment: decoded_of(fragment, "[]")?,
            ..Uri::default()
        };
        // What has a scheme and no `/` after it is not taken apart.
        if uri.scheme.is_some() && !rest.starts_with('/') {
            return (!rest.is_empty() && is_legal(rest, "[]")).then_some(uri);
        }
        let (rest, query) = cut(rest, '?');
        uri.query = decoded_of(query, "[]")?;
        let path = match rest.strip_prefix("//") {
            None => rest,
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                if (authority.is_empty() && path.is_empty()) || !is_legal(authority, "[]") {
                    return None;
                }
                uri.take_authority(authority);
                path
            }
        };
        uri.path = decoded_of(Some(path), "")?;
        Some(uri)
    }

    /// Takes user, host and port, all of them or none.
    fn take_authority(&mut self, authority: &str) {
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let end = place.rfind(']').map_or(0, |at| at + 1);
        let (host, port) = match place[end..].find(':') {
            Some(at) => (&place[..end + at], &place[end + at + 1..]),
            None => (place, ""),
        };
        let port = match port {
            "" => Ok(None),
            digits => digits.parse::<i32>().map(Some),
        };
        if let Ok(port) = port
            && is_host(host)
        {
            self.user = user.map(decoded);
            self.host = Some(host.to_owned());
            self.port = port;
        }
    }

    /// An address of a scheme that is known, with whatever characters.
    fn lenient(text: &str) -> Option<Uri> {
        let text = text.trim_matches(|c: char| c <= ' ');
        let (scheme, rest) = text.split_once(':')?;
        let scheme = scheme.to_ascii_lowercase();
        if !SCHEMES.contains(&scheme.as_str()) {
            return None;
        }
        let (rest, fragment) = cut(rest, '#');
        let (rest, query) = cut(rest, '?');
        let (authority, path) = match rest.strip_prefix("//") {
            None => ("", rest),
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        };
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user.to_owned()), place),
            None => (None, authority),
        };
        let end = place.rfind(']').map_or(0, |at| at + 1);
        let (host, port) = match place[end..].find(':') {
            Some(at) => (&place[..end + at], &place[end + at + 1..]),
            None => (place, ""),
        };
        Some(Uri {
            scheme: Some(scheme),
            user,
            host: Some(host.to_owned()),
            port: match port {
                "" => None,
                digits => Some(digits.parse().ok()?),
            },
            path: Some(path.to_owned()),
            query: query.map(str::to_owned),
            fragment: fragment.map(str::to_owned),
        })
    }

    fn document(self) -> Document {
        let mut document = Document::new();
        let or_null = |text: Option<String>| text.map_or(Value::Null, Value::from);
        document.set("domain", or_null(self.host));
        if let Some(fragment) = self.fragment {
            document.set("fragment", fragment);
        }
        if let Some(path) = self.path {
            let last = path.rsplit_once('/').map(|(_, last)| last);
            let extension = last.and_then(|last| last.rsplit_once('.'));
            let extension = extension.map(|(_, extension)| extension.to_owned());
            document.set("path", path);
            if let Some(extension) = extension {
                document.set("extension", extension);
            }
        }
        if let Some(port) = self.port {
            document.set("port", port);
        }
        if let Some(query) = self.query {
            document.set("query", query);
        }
        document.set("scheme", or_null(self.scheme));
        if let Some(user) = self.user {
            if let Some((name, password)) = user.split_once(':') {
                document.set("username", name);
                document.set("password", password);
            }
            document.set("user_info", user);
        }
        document
    }
}

/// What is before a sign, and what is behind it.
fn cut(text: &str, sign: char) -> (&str, Option<&str>) {
    match text.split_once(sign) {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

/// The scheme of an address, and what follows.
fn scheme_of(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_begun = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_scheme = scheme
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (is_begun && is_scheme).then_some((scheme, rest))
}

/// Whether all characters of a part may stand in an address, or are among these.
fn is_legal(part: &str, more: &str) -> bool {
    let bytes = part.as_bytes();
    let is_escape = |at: usize| {
        let digits = bytes.get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    part.char_indices().all(|(at, c)| match c {
        '%' => is_escape(at),
        c if c.is_ascii() => {
            c.is_ascii_alphanumeric() || "-_.!~*'();/?:@&=+$,".contains(c) || more.contains(c)
        }
        c => !c.is_control() && !c.is_whitespace(),
    })
}

/// A part that is there, decoded; `None` where it has what no address has.
fn decoded_of(part: Option<&str>, more: &str) -> Option<Option<String>> {
    match part {
        None => Some(None),
        Some(part) => is_legal(part, more).then(|| Some(decoded(part))),
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let digits = others
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = others.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a text is an address of a machine, or the name of one.
fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner.strip_suffix(']').map(|inner| cut(inner, '%').0);
        return address.is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok());
    }
    if host.parse::<std::net::Ipv4Addr>().is_ok() {
        return true;
    }
    let mut labels = host.strip_suffix('.').unwrap_or(host).split('.');
    let is_label = |label: &str| {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty() && label.chars().all(is_of_name) && !label.starts_with('-') && !label.ends_with('-')
    };
    let is_top = |label: &str| label.starts_with(|c: char| c.is_ascii_alphabetic());
    labels.clone().all(is_label) && labels.next_back().is_some_and(is_top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<String> {
        let uri = Uri::strict(text).or_else(|| Uri::lenient(text))?;
        let document = uri.document();
        let shown = |(name, value): (&str, &Value)| match value {
            Value::String(text) => format!("{name}={text}"),
            Value::Int32(number) => format!("{name}={number}"),
            _ => name.to_owned(),
        };
        let fields: Vec<String> = document.iter().map(shown).collect();
        Some(fields.join(" "))
    }

    #[test]
    fn addresses_are_taken_apart() {
        for (text, wanted) in [
            (
                "http://myusername:mypassword@www.example.com:80/foo.gif?key1=val1&key2=val2#fragment",
                "domain=www.example.com fragment=fragment path=/foo.gif extension=gif port=80 query=key1=val1&key2=val2 scheme=http \
                 username=myusername password=mypassword user_info=myusername:mypassword",
            ),
            (
                "https://a.b/c%20d?x=%C3%A9",
                "domain=a.b path=/c d query=x=é scheme=https",
            ),
            ("https://[::1]:9200", "domain=[::1] path= port=9200 scheme=https"),
            (
                "/var/log/x.tar.gz",
                "domain path=/var/log/x.tar.gz extension=gz scheme",
            ),
            ("mailto:a@b.c", "domain scheme=mailto"),
            // No name of a machine.
            ("http://a_b/c", "domain path=/c scheme=http"),
            // Characters that must be encoded.
            (
                "http://a.b/c d?e=f|g",
                "domain=a.b path=/c d query=e=f|g scheme=http",
            ),
        ] {
            assert_eq!(parts(text).as_deref(), Some(wanted), "{text}");
        }
        for wrong in ["not an uri", "http://a b:c/d", "gopher://a b", "a:"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }
}
