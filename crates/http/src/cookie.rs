//! The `Cookie` header (RFC 6265, section 4.2).

use hyper::HeaderMap;
use hyper::header::COOKIE;

/// The value of the cookie of this name, without the quotes that may stand around it.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let found = cookies(headers).find(|(found, _)| *found == name);
    found.map(|(_, value)| value)
}

/// The names and values of all cookies, without the quotes that may stand around a value.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let values = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let pairs = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.map(|(name, value)| {
        let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        (name, unquoted.unwrap_or(value))
    })
}

/// What was given through TLS is never sent without it.
pub(crate) fn keep_secure(headers: &mut HeaderMap) {
    let hyper::header::Entry::Occupied(mut cookies) = headers.entry(hyper::header::SET_COOKIE) else {
        return;
    };
    for cookie in cookies.iter_mut() {
        let secured = [cookie.as_bytes(), b"; Secure"].concat();
        if let Ok(secured) = hyper::header::HeaderValue::from_bytes(&secured) {
            *cookie = secured;
        }
    }
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
        let all: Vec<_> = cookies(&headers).collect();
        assert_eq!(all, [("a", "1"), ("AuthSession", "x=y"), ("b", "2")]);
    }
}
