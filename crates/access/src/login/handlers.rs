//! The ways in which it is found out who asks.

use crate::config::Config;
use crate::user::Handler;

/// The functions that stand for them in CouchDB's settings.
const FUNCTIONS: [(&str, Handler); 4] = [
    ("cookie_authentication_handler", Handler::Cookie),
    ("proxy_authentication_handler", Handler::Proxy),
    ("jwt_authentication_handler", Handler::Jwt),
    ("default_authentication_handler", Handler::Default),
];

/// Those of the setting `authentication_handlers`, in its order; without it, cookies and passwords.
pub fn configured(config: &Config) -> Vec<Handler> {
    let setting = config.get("chttpd", "authentication_handlers");
    setting.map_or_else(|| vec![Handler::Cookie, Handler::Default], |text| parse(&text))
}

/// Reads a list like `{chttpd_auth, cookie_authentication_handler}, {chttpd_auth, default_authentication_handler}`.
fn parse(text: &str) -> Vec<Handler> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let named = |word: &str| FUNCTIONS.iter().find(|(function, _)| *function == word);
    words.filter_map(named).map(|(_, handler)| *handler).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_read_in_their_order() {
        let text = "{chttpd_auth, jwt_authentication_handler}, {chttpd_auth, default_authentication_handler}";
        assert_eq!(parse(text), [Handler::Jwt, Handler::Default]);
    }
}
