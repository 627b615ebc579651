//! The settings that clients read and change at `/_node/_local/_config`: sections of names and texts.
//!
//! They are kept in a local document of `admin.system.couch`, which is made with the first change.

use crate::error::{CouchError, Result};
use crate::limits::{DOCUMENT_BYTES_MAX, REVISIONS_SHOWN};
use crate::names::USERS;
use engine::{Engine, Namespace};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use value::{Document, DocumentBuf, Value};

/// The local document that holds the settings.
const DOCUMENT: &str = "config";

/// The setting that holds the secret of cookies and of proxies.
pub const SECRET: (&str, &str) = ("chttpd_auth", "secret");

/// Settings by section and name.
pub type Sections = BTreeMap<String, BTreeMap<String, String>>;

/// All settings.
#[derive(Debug)]
pub struct Config {
    sections: RwLock<Layers>,
    /// Whether they are kept on disk.
    is_kept: AtomicBool,
}

#[derive(Debug)]
struct Layers {
    /// What is in force.
    present: Sections,
    /// What a restart brings back.
    lasting: Sections,
}

fn namespace() -> Namespace {
    Namespace::new("admin", "system.couch")
}

impl Config {
    /// The defaults, what was changed before, and where the server listens.
    pub async fn load(engine: &Engine, address: Option<SocketAddr>) -> engine::Result<Config> {
        let mut sections = defaults();
        let mut is_kept = false;
        if let Some(kept) = engine.revisioned(&namespace())?
            && let Some(document) = kept.snapshot().await?.local(DOCUMENT).await?
        {
            merge(&document.to_document(), &mut sections);
            is_kept = true;
        }
        if let Some(address) = address {
            let listening = [
                ("bind_address", address.ip().to_string()),
                ("port", address.port().to_string()),
            ];
            let section = sections.entry("chttpd".to_owned()).or_default();
            section.extend(listening.map(|(name, text)| (name.to_owned(), text)));
        }
        Ok(Config {
            sections: RwLock::new(Layers {
                present: sections.clone(),
                lasting: sections,
            }),
            is_kept: AtomicBool::new(is_kept),
        })
    }

    /// A setting, looked for under the former name of its section too.
    pub fn get(&self, section: &str, name: &str) -> Option<String> {
        let layers = self.sections.read();
        let found = |section: &str| layers.present.get(section)?.get(name).cloned();
        found(section).or_else(|| found(former(section)?))
    }

    /// The name of the database of users.
    pub fn users_database(&self) -> String {
        let configured = self.get("chttpd_auth", "authentication_db");
        configured.unwrap_or_else(|| USERS.to_owned())
    }

    /// One setting that is a whole number; `None` if it is none.
    pub fn number<N: std::str::FromStr>(&self, section: &str, name: &str) -> Option<N> {
        self.get(section, name)?.trim().parse().ok()
    }

    /// The bytes that one document may have: no more than Larder keeps, whatever the setting says.
    pub fn document_bytes_max(&self) -> usize {
        let set: Option<usize> = self.number("couchdb", "max_document_size");
        set.map_or(DOCUMENT_BYTES_MAX, |bytes| bytes.min(DOCUMENT_BYTES_MAX))
    }

    /// The revisions that functions of design documents are shown of a document, the newest; `None` for none.
    pub fn revisions_shown(&self) -> Option<usize> {
        let set = self.number("query_server_config", "revs_limit");
        let count = set.unwrap_or(REVISIONS_SHOWN);
        (count > 0).then_some(count)
    }

    /// Refuses an id that is longer than the setting says, where it says something.
    pub fn check_id_length(&self, id: &str) -> Result<()> {
        match self.number::<usize>("couchdb", "max_document_id_length") {
            Some(bytes_max) if id.len() > bytes_max => {
                Err(CouchError::illegal_docid("Document id is too long"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a setting is `true`.
    pub fn is_on(&self, section: &str, name: &str) -> bool {
        self.get(section, name).as_deref() == Some("true")
    }

    /// Whether a setting is `false`: for those that are in force where nobody says anything, also in settings that were kept before
    /// they were there.
    pub fn is_off(&self, section: &str, name: &str) -> bool {
        self.get(section, name).as_deref() == Some("false")
    }

    /// The settings of a section.
    pub fn section(&self, section: &str) -> BTreeMap<String, String> {
        let layers = self.sections.read();
        layers.present.get(section).cloned().unwrap_or_default()
    }

    /// All settings, section by section.
    pub fn all(&self) -> Sections {
        self.sections.read().present.clone()
    }

    /// Sets a setting, or removes it, for good or until the next start.
    pub async fn set(
        &self,
        engine: &Engine,
        section: &str,
        name: &str,
        text: Option<String>,
        is_lasting: bool,
    ) -> engine::Result<()> {
        {
            let mut layers = self.sections.write();
            put(&mut layers.present, section, name, text.clone());
            if !is_lasting {
                return Ok(());
            }
            put(&mut layers.lasting, section, name, text);
        }
        self.save(engine).await
    }

    /// Forgets what was set until the next start.
    pub fn reload(&self) {
        let mut layers = self.sections.write();
        layers.present = layers.lasting.clone();
    }

    /// The secret with which cookies are made, made now if there is none, and kept.
    pub async fn keep_secret(&self, engine: &Engine) -> engine::Result<()> {
        match self.get(SECRET.0, SECRET.1) {
            Some(secret) if !secret.is_empty() => self.keep(engine).await,
            _ => self.set(engine, SECRET.0, SECRET.1, Some(random()), true).await,
        }
    }

    /// Keeps the settings as they are, so that those that were made up at the start stay.
    pub async fn keep(&self, engine: &Engine) -> engine::Result<()> {
        match self.is_kept.load(Ordering::Acquire) {
            true => Ok(()),
            false => self.save(engine).await,
        }
    }

    async fn save(&self, engine: &Engine) -> engine::Result<()> {
        if engine.revisioned(&namespace())?.is_none() {
            engine.create_revisioned(&namespace(), 1, false).await?;
        }
        let mut document = Document::new();
        let lasting = self.sections.read().lasting.clone();
        for (section, settings) in lasting {
            let settings = settings
                .into_iter()
                .fold(Document::new(), |settings, (name, text)| {
                    settings.with(name, Value::from(text))
                });
            document.push(section, Value::from(settings));
        }
        if let Some(kept) = engine.revisioned(&namespace())? {
            kept.put_local(DOCUMENT, Some(DocumentBuf::from(&document)), true)
                .await?;
            self.is_kept.store(true, Ordering::Release);
        }
        Ok(())
    }
}

/// The name of a section before CouchDB 3.2 (`src/chttpd/src/chttpd_util.erl`).
fn former(section: &str) -> Option<&'static str> {
    match section {
        "chttpd" => Some("httpd"),
        "chttpd_auth" => Some("couch_httpd_auth"),
        _ => None,
    }
}

fn put(sections: &mut Sections, section: &str, name: &str, text: Option<String>) {
    let settings = sections.entry(section.to_owned()).or_default();
    match text {
        Some(text) => settings.insert(name.to_owned(), text),
        None => settings.remove(name),
    };
}

/// A secret or a mark that nobody else has.
fn random() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

fn merge(document: &Document, sections: &mut Sections) {
    for (section, settings) in document.iter() {
        let Value::Document(settings) = settings else {
            continue;
        };
        let known = sections.entry(section.to_owned()).or_default();
        known.clear();
        for (name, text) in settings.iter() {
            if let Value::String(text) = text {
                known.insert(name.to_owned(), text.clone());
            }
        }
    }
}

fn defaults() -> Sections {
    let (uuid, secret) = (random(), random());
    let all = [
        ("chttpd", "admin_only_all_dbs", "true"),
        ("chttpd", "enable_cors", "false"),
        ("chttpd", "require_valid_user", "false"),
        (SECRET.0, SECRET.1, &secret),
        ("couchdb", "database_dir", "./data"),
        ("couchdb", "max_document_size", "8000000"),
        ("couchdb", "uuid", &uuid),
        ("csp", "attachments_enable", "true"),
        ("csp", "attachments_header_value", "sandbox"),
        ("csp", "showlist_enable", "true"),
        ("csp", "showlist_header_value", "sandbox"),
        ("httpd", "enable_cors", "false"),
        ("uuids", "algorithm", "sequential"),
        ("uuids", "max_count", "1000"),
        ("vendor", "name", "Larder"),
    ];
    let mut sections = Sections::new();
    for (section, name, text) in all {
        let settings = sections.entry(section.to_owned()).or_default();
        settings.insert(name.to_owned(), text.to_owned());
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_found_under_the_former_name_of_its_section() {
        let mut sections = Sections::new();
        let set = |text: &str| Some(text.to_owned());
        put(&mut sections, "couch_httpd_auth", "timeout", set("60"));
        put(&mut sections, "couch_httpd_auth", "same_site", set("lax"));
        put(&mut sections, "chttpd_auth", "same_site", set("strict"));
        let config = Config {
            sections: RwLock::new(Layers {
                present: sections.clone(),
                lasting: sections,
            }),
            is_kept: AtomicBool::new(false),
        };
        assert_eq!(config.number("chttpd_auth", "timeout"), Some(60));
        assert_eq!(config.get("chttpd_auth", "same_site").as_deref(), Some("strict"));
        assert_eq!(config.get("chttpd", "timeout"), None);
        assert_eq!(
            config.get("couch_httpd_auth", "same_site").as_deref(),
            Some("lax")
        );
    }
}
