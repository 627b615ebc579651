//! Who asks: by basic authentication, by cookie, or nobody (`src/couch/src/couch_httpd_auth.erl`).
//!
//! The users are those of the MongoDB protocol, looked for in the databases `admin` and `default`. Where none exists, whoever
//! asks from the machine itself may do everything, and nobody else anything.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::limits::{PASSWORDS_REMEMBERED_MAX, SESSION_SECONDS};
use auth::{Credentials, Decoy, Mechanism, Privileges, RoleKind};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use engine::Engine;
use hmac::{Hmac, Mac};
use http::{basic_credentials, cookie};
use parking_lot::Mutex;
use sha2::Sha256;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use subtle::ConstantTimeEq;
use value::Value;

/// The databases in which a name is looked for, in their order.
const USER_DATABASES: [&str; 2] = ["admin", "default"];

/// Who asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct User {
    /// The name; none where nobody has logged in.
    pub(crate) name: Option<String>,
    /// The roles as CouchDB names them; `_admin` may do everything.
    pub(crate) roles: Vec<String>,
    /// How the user was known: `default` (by password) or `cookie`.
    pub(crate) handler: Option<&'static str>,
    /// What the MongoDB protocol's roles allow besides.
    pub(crate) privileges: Option<Arc<Privileges>>,
    /// Whether the request comes from the machine itself.
    pub(crate) is_local: bool,
}

impl User {
    /// Nobody yet, from this address.
    pub(crate) fn at(peer: &SocketAddr) -> User {
        User {
            is_local: peer.ip().is_loopback(),
            ..User::default()
        }
    }

    /// Whoever this machine itself is: where no users exist, it may do everything, and else nothing.
    pub(crate) fn of_this_machine(engine: &Engine) -> User {
        let mut user = User {
            is_local: true,
            ..User::default()
        };
        if !engine.has_users() {
            user.roles.push("_admin".to_owned());
            user.handler = Some("default");
        }
        user
    }

    /// The same user with the roles of this moment; nobody, if there is no such account any more.
    pub(crate) fn renewed(&self, engine: &Engine) -> User {
        match &self.name {
            None => User::of_this_machine(engine),
            Some(name) => match account(engine, name) {
                Some(account) => User::of(&account, "default", true),
                None => User::default(),
            },
        }
    }

    /// Whether the user may do everything.
    pub(crate) fn is_admin(&self) -> bool {
        self.roles.iter().any(|role| role == "_admin")
    }

    /// Whoever has this account.
    fn of(account: &auth::User, handler: &'static str, is_local: bool) -> User {
        User {
            name: Some(account.name.clone()),
            roles: roles(account),
            handler: Some(handler),
            privileges: Some(Arc::new(account.privileges())),
            is_local,
        }
    }
}

/// The roles of an account as CouchDB names them.
pub(crate) fn roles(account: &auth::User) -> Vec<String> {
    let mut roles = Vec::new();
    if account.roles.iter().any(|role| role.kind == RoleKind::Root) {
        roles.push("_admin".to_owned());
    }
    let noted = account.custom_data.as_ref().and_then(|data| data.get("roles"));
    if let Some(Value::Array(noted)) = noted {
        roles.extend(noted.iter().filter_map(|role| match role {
            // Only the store's own role makes an administrator.
            Value::String(role) if !role.starts_with('_') => Some(role.clone()),
            _ => None,
        }));
    }
    roles
}

/// Finds out who asks.
pub(crate) async fn authenticate(call: &mut Call) -> Result<()> {
    let is_local = call.user.is_local;
    if let Some(given) = basic_credentials(&call.headers) {
        let given =
            given.map_err(|_| CouchError::bad_request("Authorization header has invalid base64 value"))?;
        let account = by_password(call, &given.name, &given.password).await?;
        call.user = User::of(&account, "default", is_local);
        return Ok(());
    }
    let account = match cookie(&call.headers, "AuthSession").filter(|value| !value.is_empty()) {
        Some(value) => call.server.logins.by_cookie(&call.server.engine, value)?,
        None => None,
    };
    if let Some(account) = account {
        call.user = User::of(&account, "cookie", is_local);
    } else if !call.server.engine.has_users() && is_local {
        call.user.roles.push("_admin".to_owned());
        call.user.handler = Some("default");
    }
    Ok(())
}

/// The account of a name and password.
pub(crate) async fn by_password(call: &Call, name: &str, password: &str) -> Result<Arc<auth::User>> {
    let wrong = || CouchError::unauthorized("Name or password is incorrect.");
    let logins = &call.server.logins;
    let account = account(&call.server.engine, name);
    let known = account.as_ref().and_then(|account| {
        let mechanisms = Mechanism::ALL.iter().rev();
        mechanisms
            .filter_map(|&mechanism| Some((mechanism, account.credentials_for(mechanism)?.clone())))
            .next()
    });
    let is_known = known.is_some();
    // Where there is no such user, the same work is done, so that the time tells nothing.
    let (mechanism, kept) = known.unwrap_or_else(|| {
        let mechanism = Mechanism::ScramSha256;
        (mechanism, logins.decoy.credentials(mechanism, "admin", name))
    });
    let memory = logins.digest(&[name.as_bytes(), password.as_bytes(), &kept.stored_key]);
    if is_known && logins.remembered.lock().contains(&memory) {
        return account.ok_or_else(wrong);
    }
    let (name, password) = (name.to_owned(), password.to_owned());
    let derived = tokio::task::spawn_blocking(move || {
        let derived = Credentials::derive(mechanism, &name, &password, kept.salt.clone(), kept.iterations);
        derived.is_ok_and(|derived| derived.stored_key.ct_eq(&kept.stored_key).into())
    });
    let is_right = derived.await.unwrap_or(false);
    match account.filter(|_| is_known && is_right) {
        Some(account) => {
            logins.remember(memory);
            Ok(account)
        }
        None => Err(wrong()),
    }
}

/// The account of this name.
pub(crate) fn account(engine: &Engine, name: &str) -> Option<Arc<auth::User>> {
    USER_DATABASES
        .iter()
        .find_map(|database| engine.user(database, name))
}

/// What is needed to know who asks.
#[derive(Debug)]
pub(crate) struct Logins {
    secret: [u8; 32],
    decoy: Decoy,
    /// Digests of names and passwords that were found right.
    remembered: Mutex<HashSet<[u8; 32]>>,
}

impl Logins {
    /// With a secret of its own; none where there is no randomness.
    pub(crate) fn new() -> Option<Logins> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        Some(Logins {
            secret,
            decoy: Decoy::new().ok()?,
            remembered: Mutex::default(),
        })
    }

    fn digest(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.secret)
            .expect("HMAC takes keys of every length (RFC 2104)");
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    fn remember(&self, memory: [u8; 32]) {
        let mut remembered = self.remembered.lock();
        if remembered.len() >= PASSWORDS_REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(memory);
    }

    /// A cookie that logs this account in for a while.
    pub(crate) fn cookie(&self, account: &auth::User) -> String {
        let time = format!("{:X}", now_seconds());
        let mark = self.mark(account, &time);
        let value = BASE64_URL_SAFE_NO_PAD.encode(format!("{}:{time}:{mark}", account.name));
        format!("AuthSession={value}; Version=1; Path=/; HttpOnly")
    }

    /// The account of a cookie; none where it is too old or not ours.
    fn by_cookie(&self, engine: &Engine, value: &str) -> Result<Option<Arc<auth::User>>> {
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
        let is_fresh = now_seconds() < made.saturating_add(SESSION_SECONDS);
        let is_ours = |account: &Arc<auth::User>| -> bool {
            self.mark(account, time).as_bytes().ct_eq(mark.as_bytes()).into()
        };
        Ok(account(engine, name).filter(|account| is_fresh && is_ours(account)))
    }

    /// What only this server can make of an account and a time; another password makes another.
    fn mark(&self, account: &auth::User, time: &str) -> String {
        let key = account
            .credentials
            .first()
            .map(|(_, kept)| kept.stored_key.as_slice());
        let digest = self.digest(&[account.id().as_bytes(), time.as_bytes(), key.unwrap_or_default()]);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn now_seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |elapsed| elapsed.as_secs())
}
