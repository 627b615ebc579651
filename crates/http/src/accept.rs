//! What a client accepts (RFC 9110, section 12.5).

use hyper::HeaderMap;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, HeaderName};

/// Whether `Accept` has room for a media type (`multipart/related`); a client that says nothing takes anything.
pub fn accepts_type(headers: &HeaderMap, kind: &str) -> bool {
    !headers.contains_key(ACCEPT) || wish(headers, kind).is_some_and(|wish| wish.weight > 0)
}

/// Which of several media types `Accept` wants most: the one with the greatest weight, of those the one that is named most exactly, of
/// those the one that is named last, as Riak has it. A client that says nothing, or takes anything, gets the first; `None` if it takes
/// none of them.
pub fn preferred_type<'k>(headers: &HeaderMap, kinds: &[&'k str]) -> Option<&'k str> {
    if !headers.contains_key(ACCEPT) {
        return kinds.first().copied();
    }
    let wishes = kinds
        .iter()
        .filter_map(|&kind| Some((wish(headers, kind)?, kind)));
    let accepted = wishes.filter(|(wish, _)| wish.weight > 0);
    // Of equals the first: later ones have to be more than that.
    let best = accepted.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, kind)| kind)
}

/// How much a media type is wanted, and by which member of the header; the greater is wanted more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    weight: u16,
    range: MediaRange,
    place: usize,
}

/// How exactly a member names a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MediaRange {
    Anything,
    Group,
    Itself,
}

impl MediaRange {
    /// What a member is to a media type; `None` if it means others.
    fn of(named: &str, kind: &str) -> Option<MediaRange> {
        let main = kind.split('/').next().unwrap_or_default();
        match named.strip_suffix("/*") {
            _ if named.eq_ignore_ascii_case(kind) => Some(MediaRange::Itself),
            Some("*") => Some(MediaRange::Anything),
            Some(group) if group.eq_ignore_ascii_case(main) => Some(MediaRange::Group),
            _ => None,
        }
    }
}

/// What `Accept` says of a media type: by the member that names it most exactly (RFC 9110, section 12.5.1).
fn wish(headers: &HeaderMap, kind: &str) -> Option<Wish> {
    let members = weighted(headers, &ACCEPT).enumerate();
    let wishes = members.filter_map(|(place, (named, weight))| {
        let range = MediaRange::of(&named, kind)?;
        Some(Wish { weight, range, place })
    });
    wishes.max_by_key(|wish| (wish.range, wish.weight, wish.place))
}

/// Whether `Accept-Encoding` allows a coding (`gzip`, `identity`). Without the header only `identity` is accepted,
/// which is refused only if the header says so expressly.
pub fn accepts_encoding(headers: &HeaderMap, coding: &str) -> bool {
    let mut any = None;
    for (named, weight) in weighted(headers, &ACCEPT_ENCODING) {
        if named == coding {
            return weight > 0;
        }
        if named == "*" {
            any = Some(weight > 0);
        }
    }
    any.unwrap_or(coding == "identity")
}

/// The members of a list in lower case with their weights in thousandths; parameters other than `q` are skipped.
fn weighted(headers: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = (String, u16)> {
    let values = headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|member| {
        let mut parts = member.split(';').map(str::trim);
        let named = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        (named, weight.map_or(WEIGHT_MAX, thousandths))
    })
}

/// The weight of what is named without one.
const WEIGHT_MAX: u16 = 1_000;

/// A weight in thousandths, which are all the digits that it may have (RFC 9110, section 12.4.2); 0 if it cannot be read.
fn thousandths(weight: &str) -> u16 {
    let weight: f32 = weight.trim().parse().unwrap_or(0.0);
    ((weight * f32::from(WEIGHT_MAX)).round() as u16).min(WEIGHT_MAX)
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
            ("multipart/*;q=0, multipart/mixed", true),
            ("*/*, multipart/mixed;q=nan", false),
        ] {
            assert_eq!(
                accepts_type(&headers(ACCEPT, value), "multipart/mixed"),
                wanted,
                "{value}"
            );
        }
    }

    #[test]
    fn the_most_wanted_of_several_media_types_is_chosen() {
        let kinds = ["text/plain", "multipart/mixed"];
        assert_eq!(preferred_type(&HeaderMap::new(), &kinds), Some("text/plain"));
        for (value, wanted) in [
            ("*/*", Some("text/plain")),
            ("multipart/*", Some("multipart/mixed")),
            ("text/plain, multipart/mixed;q=0.1", Some("text/plain")),
            ("multipart/mixed;q=0, text/plain", Some("text/plain")),
            ("multipart/mixed;q=0, */*;q=0.1", Some("text/plain")),
            (
                "multipart/mixed, application/json, */*;q=0.5",
                Some("multipart/mixed"),
            ),
            ("*/*, Multipart/Mixed", Some("multipart/mixed")),
            ("multipart/mixed, text/plain", Some("text/plain")),
            ("text/plain, multipart/mixed", Some("multipart/mixed")),
            ("text/*;q=0.2, multipart/*;q=0.3", Some("multipart/mixed")),
            ("application/json", None),
            ("*/*;q=0", None),
            ("", None),
        ] {
            assert_eq!(preferred_type(&headers(ACCEPT, value), &kinds), wanted, "{value}");
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
