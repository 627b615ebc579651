//! `mongodb://[user:password@]host[:port][/authSource][?tls=true]`: as much of a connection string as one server needs.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A server to connect to.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUri {
    /// `host:port`.
    pub address: String,
    /// Name and password.
    pub login: Option<(String, String)>,
    /// The database that the user belongs to.
    pub auth_source: String,
    /// Whether the connection goes through TLS.
    pub tls: Tls,
}

/// Whether a connection goes through TLS, and which authorities are trusted to say who the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tls {
    /// It does not.
    Off,
    /// Those that the system trusts.
    TrustingSystem,
    /// Those in this file, in PEM form.
    Trusting(PathBuf),
}

impl FromStr for ServerUri {
    type Err = String;

    fn from_str(text: &str) -> Result<ServerUri, String> {
        let rest = text
            .strip_prefix("mongodb://")
            .ok_or("a server is named as mongodb://[user:password@]host:port")?;
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (rest, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, host) = match rest.rsplit_once('@') {
            Some((login, host)) => (Some(login), host),
            None => (None, rest),
        };
        if host.is_empty() || host.contains(',') {
            return Err(format!("'{host}' is not one host"));
        }
        let mut auth_source = if database.is_empty() {
            "admin".to_owned()
        } else {
            database.to_owned()
        };
        let (mut tls, mut authorities) = (None, None);
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("authSource", source)) => auth_source = decoded(source)?,
                Some(("tls" | "ssl", on @ ("true" | "false"))) => tls = Some(on == "true"),
                Some(("tlsCAFile", file)) => authorities = Some(decoded(file)?.into()),
                Some(("directConnection", _)) => {}
                _ => {
                    return Err(format!(
                        "the option '{option}' is not supported here; authSource, tls=true and tlsCAFile are"
                    ));
                }
            }
        }
        let login = match login.map(|login| login.split_once(':').ok_or("the password is missing")) {
            Some(parts) => {
                let (user, password) = parts?;
                Some((decoded(user)?, decoded(password)?))
            }
            None => None,
        };
        let has_port = host
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let address = if has_port {
            host.to_owned()
        } else {
            format!("{host}:27017")
        };
        Ok(ServerUri {
            address,
            login,
            auth_source,
            tls: tls_of(tls, authorities)?,
        })
    }
}

/// A file of authorities asks for TLS by itself.
fn tls_of(is_on: Option<bool>, authorities: Option<PathBuf>) -> Result<Tls, String> {
    match (is_on, authorities) {
        (Some(false), Some(_)) => Err("tlsCAFile says nothing with tls=false".to_owned()),
        (_, Some(file)) => Ok(Tls::Trusting(file)),
        (Some(true), None) => Ok(Tls::TrustingSystem),
        (_, None) => Ok(Tls::Off),
    }
}

/// Shows no password.
impl fmt::Debug for ServerUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mongodb://{}", self.address)
    }
}

/// Undoes percent-encoding (RFC 3986, section 2.1).
fn decoded(text: &str) -> Result<String, String> {
    let wrong = || format!("'{text}' is not percent-encoded text");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let digits = after
                .get(..2)
                .and_then(|d| std::str::from_utf8(d).ok())
                .ok_or_else(wrong)?;
            bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_host_user_and_database() {
        let uri: ServerUri = "mongodb://ann:p%40ss@db.example:5/app?authSource=users"
            .parse()
            .unwrap();
        assert_eq!(uri.address, "db.example:5");
        assert_eq!(uri.login, Some(("ann".to_owned(), "p@ss".to_owned())));
        assert_eq!(uri.auth_source, "users");
        assert_eq!(uri.tls, Tls::Off);
        let uri: ServerUri = "mongodb://db/?tls=true&tlsCAFile=%2Fetc%2Fca.pem"
            .parse()
            .unwrap();
        assert_eq!(uri.tls, Tls::Trusting("/etc/ca.pem".into()));
        assert_eq!(
            "mongodb://localhost".parse::<ServerUri>().unwrap().address,
            "localhost:27017"
        );
    }

    #[test]
    fn malformed_addresses_are_refused() {
        for wrong in [
            "http://x",
            "mongodb://",
            "mongodb://a,b",
            "mongodb://x/?tls=perhaps",
            "mongodb://x/?tls=false&tlsCAFile=ca.pem",
            "mongodb://x/?tlsAllowInvalidCertificates=true",
            "mongodb://u@x",
        ] {
            assert!(wrong.parse::<ServerUri>().is_err(), "{wrong}");
        }
    }
}
