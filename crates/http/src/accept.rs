//! What a client accepts (RFC 9110, section 12.5).

use hyper::HeaderMap;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, HeaderName};

/// Whether `Accept` has room for a media type (`multipart/related`); a client that says nothing takes anything.
pub fn accepts_type(headers: &HeaderMap, kind: &str) -> bool {
    if !headers.contains_key(ACCEPT) {
        return true;
    }
    let main = kind.split('/').next().unwrap_or_default();
    let is_group = |named: &str| named.strip_suffix("/*").is_some_and(|group| group == main);
    let mut is_accepted = false;
    for (named, weight) in weighted(headers, &ACCEPT) {
        let is_meant = named == kind || is_group(&named);
        if is_meant && weight <= 0.0 {
            return false;
        }
        is_accepted |= weight > 0.0 && (is_meant || named == "*/*");
    }
    is_accepted
}

/// Whether `Accept-Encoding` allows a coding (`gzip`, `identity`). Without the header only `identity` is accepted,
/// which is refused only if the header says so expressly.
pub fn accepts_encoding(headers: &HeaderMap, coding: &str) -> bool {
    let mut any = None;
    for (named, weight) in weighted(headers, &ACCEPT_ENCODING) {
        if named == coding {
            return weight > 0.0;
        }
        if named == "*" {
            any = Some(weight > 0.0);
        }
    }
    any.unwrap_or(coding == "identity")
}

/// The members of a list in lower case with their weights; parameters other than `q` are passed over.
fn weighted(headers: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = (String, f32)> {
    let values = headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|member| {
        let mut parts = member.split(';').map(str::trim);
        let named = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        (
            named,
            weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0)),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn media_types_are_accepted_by_name_group_or_anything() {
        assert!(accepts_type(&HeaderMap::new(), "multipart/mixed"));
        for (value, wanted) in [
            ("*/*", true),
            ("multipart/*", true),
            ("application/json, Multipart/Mixed;q=0.1", true),
            ("application/json", false),
            ("*/*, multipart/mixed;q=0", false),
            ("*/*;q=0", false),
        ] {
            assert_eq!(
                accepts_type(&headers(ACCEPT, value), "multipart/mixed"),
                wanted,
                "{value}"
            );
        }
    }

    #[test]
    fn encodings_are_accepted_where_they_are_named() {
        let all = |value| {
            let headers = headers(ACCEPT_ENCODING, value);
            ["gzip", "identity"].map(|coding| accepts_encoding(&headers, coding))
        };
        assert_eq!(all("gzip, deflate"), [true, true]);
        assert_eq!(all("identity"), [false, true]);
        assert_eq!(all("*"), [true, true]);
        assert_eq!(all("gzip;q=0"), [false, true]);
        assert_eq!(all("gzip, *;q=0"), [true, false]);
        assert!(!accepts_encoding(&HeaderMap::new(), "gzip"));
        assert!(accepts_encoding(&HeaderMap::new(), "identity"));
    }
}
