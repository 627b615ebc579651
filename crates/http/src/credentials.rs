//! The `Authorization` header's basic scheme (RFC 7617).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use std::fmt;

/// A user's name and password as the client sent them.
#[derive(Clone, PartialEq, Eq)]
pub struct BasicCredentials {
    /// The part before the first colon.
    pub name: String,
    /// The part after it, colons included.
    pub password: String,
}

impl fmt::Debug for BasicCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Passwords do not belong in logs.
        f.debug_struct("BasicCredentials")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The basic credentials of a request; `None` if it has none. Fails if they have no valid form.
pub fn basic_credentials(headers: &HeaderMap) -> Option<Result<BasicCredentials, &'static str>> {
    let (scheme, encoded) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("basic")
        .then(|| decode(encoded.trim()))
}

fn decode(encoded: &str) -> Result<BasicCredentials, &'static str> {
    let bytes = BASE64_STANDARD
        .decode(encoded)
        .map_err(|_| "the credentials are not base64")?;
    let text = String::from_utf8(bytes).map_err(|_| "the credentials are not UTF-8")?;
    let (name, password) = text
        .split_once(':')
        .ok_or("no colon stands between name and password")?;
    Ok(BasicCredentials {
        name: name.to_owned(),
        password: password.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn credentials(value: &'static str) -> Option<Result<BasicCredentials, &'static str>> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
        basic_credentials(&headers)
    }

    #[test]
    fn a_password_may_have_colons() {
        let expected = BasicCredentials {
            name: "anna".to_owned(),
            password: "a:b".to_owned(),
        };
        assert_eq!(credentials("Basic YW5uYTphOmI="), Some(Ok(expected)));
    }

    #[test]
    fn other_schemes_are_none_and_wrong_forms_are_errors() {
        assert_eq!(credentials("Bearer abc"), None);
        assert!(credentials("basic ???").expect("basic").is_err());
        assert!(credentials("Basic YW5uYQ==").expect("basic").is_err());
    }
}
