//! Sessions by cookie.
//!
//! A cookie holds the name, when it was made, and what only this server can make of both: so nothing is kept for a session,
//! and one outlives a restart, because the secret is a setting that is kept. Another password makes another code.

use super::Visitor;
use crate::config::{Config, SECRET};
use crate::error::{CouchError, Result};
use crate::limits::SESSION_SECONDS;
use crate::user::{Handler, User, account};
use crate::users::{self, SALT};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use engine::Engine;
use hmac::{Hmac, Mac};
use http::cookie;
use sha2::Sha256;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use value::date::since_1970;
use value::{hex, unhex};

/// The name of the cookie.
const NAME: &str = "AuthSession";

/// The secret with which cookies are made; proxies know it too. Without one, no cookie is believed.
pub(super) fn secret(config: &Config) -> Option<String> {
    config.get(SECRET.0, SECRET.1).filter(|secret| !secret.is_empty())
}

/// Whoever the request's cookie names.
pub(super) async fn user(visitor: &Visitor<'_>) -> Result<Option<User>> {
    let Some(value) = cookie(visitor.headers, NAME).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let cookies = Cookies::configured(visitor.config);
    let Some((account, left)) = cookies.read(visitor.engine, value)? else {
        return Ok(None);
    };
    users::check_usable(visitor.engine, visitor.config, &account.name).await?;
    let mut user = User::of(visitor.engine, &account, Handler::Cookie, visitor.is_local());
    // Whoever goes on asking stays logged in.
    if left < cookies.seconds - cookies.seconds / 10 {
        user.cookie = Some(cookies.log_in(&account));
    }
    Ok(Some(user))
}

/// How cookies are made.
#[derive(Debug)]
pub struct Cookies {
    secret: Option<String>,
    /// How long a session lasts.
    seconds: u64,
    is_persistent: bool,
    domain: Option<String>,
    same_site: Option<&'static str>,
}

impl Cookies {
    /// Cookies as the settings say (`[chttpd_auth]`: `timeout`, `allow_persistent_cookies`, `cookie_domain`, `same_site`).
    pub fn configured(config: &Config) -> Cookies {
        let setting = |name| config.get("chttpd_auth", name);
        let same_site = setting("same_site").unwrap_or_default().to_ascii_lowercase();
        Cookies {
            secret: secret(config),
            seconds: config.number("chttpd_auth", "timeout").unwrap_or(SESSION_SECONDS),
            is_persistent: setting("allow_persistent_cookies").as_deref() != Some("false"),
            domain: setting("cookie_domain").filter(|domain| !domain.is_empty()),
            same_site: match same_site.as_str() {
                "none" => Some("None"),
                "lax" => Some("Lax"),
                "strict" => Some("Strict"),
                _ => None,
            },
        }
    }

    /// A cookie that logs this account in for a while.
    pub fn log_in(&self, account: &auth::User) -> String {
        let time = format!("{:X}", now_seconds());
        let mark = hex(&self.mark(account, &time).finalize().into_bytes());
        self.with(&BASE64_URL_SAFE_NO_PAD.encode(format!("{}:{time}:{mark}", account.name)))
    }

    /// A cookie that logs nobody in.
    pub fn log_out(&self) -> String {
        self.with("")
    }

    fn with(&self, value: &str) -> String {
        let mut cookie = format!("{NAME}={value}; Version=1");
        if self.is_persistent {
            let end = SystemTime::now().checked_add(Duration::from_secs(self.seconds));
            // One that is good for ever ends with its Max-Age.
            if let Some(end) = end {
                let _ = write!(cookie, "; Expires={}", http::http_date(end));
            }
            let _ = write!(cookie, "; Max-Age={}", self.seconds);
        }
        cookie.push_str("; Path=/; HttpOnly");
        if let Some(domain) = &self.domain {
            let _ = write!(cookie, "; Domain={domain}");
        }
        if let Some(same_site) = self.same_site {
            let _ = write!(cookie, "; SameSite={same_site}");
        }
        cookie
    }

    /// The account of a cookie and the seconds that it is still good for; `None` if it is too old or not ours.
    fn read(&self, engine: &Engine, value: &str) -> Result<Option<(Arc<auth::User>, u64)>> {
        let malformed =
            || CouchError::bad_request("Malformed AuthSession cookie. Please clear your cookies.");
        let bytes = BASE64_URL_SAFE_NO_PAD
            .decode(value.trim_end_matches('='))
            .map_err(|_| malformed())?;
        let text = String::from_utf8(bytes).map_err(|_| malformed())?;
        let mut parts = text.rsplitn(3, ':');
        let (Some(mark), Some(time), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(malformed());
        };
        let made = u64::from_str_radix(time, 16).unwrap_or(0);
        let left = made.saturating_add(self.seconds).saturating_sub(now_seconds());
        let is_ours = |account: &Arc<auth::User>| -> bool {
            let mark = unhex(mark).unwrap_or_default();
            self.mark(account, time).verify_slice(&mark).is_ok()
        };
        let account =
            account(engine, name).filter(|account| self.secret.is_some() && left > 0 && is_ours(account));
        Ok(account.map(|account| (account, left)))
    }

    /// What only this server can make of an account and a time.
    fn mark(&self, account: &auth::User, time: &str) -> Hmac<Sha256> {
        let credentials = account.credentials.first();
        let salt = || account.custom_data.as_ref()?.get(SALT)?.as_ref().as_str();
        let key = credentials
            .map(|(_, kept)| kept.stored_key.as_slice())
            .or_else(|| salt().map(str::as_bytes));
        let mut mac =
            <Hmac<Sha256> as Mac>::new_from_slice(self.secret.as_deref().unwrap_or_default().as_bytes())
                .expect("HMAC takes keys of every length (RFC 2104)");
        for part in [account.id().as_bytes(), time.as_bytes(), key.unwrap_or_default()] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }
}

fn now_seconds() -> u64 {
    since_1970().as_secs()
}
