//! The `Cookie` header (RFC 6265, section 4.2).

use hyper::HeaderMap;
use hyper::header::COOKIE;

/// The value of the cookie of this name, without the quotes that may stand around it.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut pairs = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(found, _)| *found == name)?;
    let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    Some(unquoted.unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn finds_one_of_many() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; AuthSession=\"x=y\""));
        headers.append(COOKIE, HeaderValue::from_static("b=2"));
        assert_eq!(cookie(&headers, "AuthSession"), Some("x=y"));
        assert_eq!(cookie(&headers, "b"), Some("2"));
        assert_eq!(cookie(&headers, "c"), None);
    }
}
