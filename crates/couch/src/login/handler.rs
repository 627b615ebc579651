//! The ways in which it is found out who asks.

use crate::config::Config;
use std::fmt;

/// One way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handler {
    /// The cookie of a session.
    Cookie,
    /// Headers that a proxy sets.
    Proxy,
    /// A signed token.
    Jwt,
    /// Name and password.
    Default,
}

impl Handler {
    const ALL: [Handler; 4] = [Handler::Cookie, Handler::Proxy, Handler::Jwt, Handler::Default];

    /// The name under which `_session` shows it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Handler::Cookie => "cookie",
            Handler::Proxy => "proxy",
            Handler::Jwt => "jwt",
            Handler::Default => "default",
        }
    }

    /// The function that stands for it in CouchDB's settings.
    fn function(self) -> &'static str {
        match self {
            Handler::Cookie => "cookie_authentication_handler",
            Handler::Proxy => "proxy_authentication_handler",
            Handler::Jwt => "jwt_authentication_handler",
            Handler::Default => "default_authentication_handler",
        }
    }
}

impl fmt::Display for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Those of the setting `authentication_handlers`, in its order; without it, cookies and passwords.
pub(crate) fn configured(config: &Config) -> Vec<Handler> {
    let setting = config.get("chttpd", "authentication_handlers");
    setting.map_or_else(|| vec![Handler::Cookie, Handler::Default], |text| parse(&text))
}

/// Reads a list like `{chttpd_auth, cookie_authentication_handler}, {chttpd_auth, default_authentication_handler}`.
fn parse(text: &str) -> Vec<Handler> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let named = |word: &str| {
        Handler::ALL
            .into_iter()
            .find(|handler| handler.function() == word)
    };
    words.filter_map(named).collect()
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
