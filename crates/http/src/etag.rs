//! Entity tags in conditional requests (RFC 9110, sections 8.8.3 and 13.1).

use hyper::HeaderMap;
use hyper::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};

/// Whether `If-None-Match` names this tag (given with its quotes), or any: then the client has what it asks for.
/// Compared weakly, as the standard says.
pub fn if_none_match(headers: &HeaderMap, tag: &str) -> bool {
    let tag = without_weakness(tag);
    let mut tags = tags(headers, &IF_NONE_MATCH);
    tags.any(|named| named == "*" || without_weakness(named) == tag)
}

/// Whether `If-Match` is missing or names this tag, or any; compared strongly.
pub(crate) fn if_match(headers: &HeaderMap, tag: &str) -> bool {
    if !headers.contains_key(IF_MATCH) {
        return true;
    }
    tags(headers, &IF_MATCH).any(|named| named == "*" || (named == tag && !tag.starts_with("W/")))
}

fn tags<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    values.flat_map(Tags)
}

fn without_weakness(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// The tags of one header; a comma within quotes is part of a tag.
struct Tags<'a>(&'a str);

impl<'a> Iterator for Tags<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return None;
        }
        let opening = rest.strip_prefix("W/").unwrap_or(rest);
        let end = match opening.strip_prefix('"') {
            // Prefix, both quotes and what is between them.
            Some(quoted) => quoted
                .find('"')
                .map_or(rest.len(), |at| rest.len() - quoted.len() + at + 1),
            None => rest.find(',').unwrap_or(rest.len()),
        };
        let (tag, behind) = rest.split_at(end);
        self.0 = behind;
        Some(tag.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn finds_a_tag_in_a_list_weakly() {
        let headers = headers(IF_NONE_MATCH, "\"a,b\", W/\"c\"");
        assert!(if_none_match(&headers, "\"a,b\""));
        assert!(if_none_match(&headers, "\"c\""));
        assert!(!if_none_match(&headers, "\"a\""));
    }

    #[test]
    fn a_star_names_every_tag() {
        assert!(if_none_match(&headers(IF_NONE_MATCH, "*"), "\"x\""));
        assert!(if_match(&headers(IF_MATCH, "*"), "\"x\""));
    }

    #[test]
    fn if_match_is_strong_and_may_be_missing() {
        assert!(if_match(&HeaderMap::new(), "\"x\""));
        assert!(!if_match(&headers(IF_MATCH, "W/\"x\""), "\"x\""));
        assert!(if_match(&headers(IF_MATCH, "\"y\", \"x\""), "\"x\""));
        assert!(!if_match(&headers(IF_MATCH, "\"unclosed"), "\"x\""));
    }
}
