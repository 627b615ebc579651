//! The settings that clients read and change at `/_node/_local/_config`: sections of names and texts.
//!
//! They are kept in a local document of `admin.system.couch`, which is made with the first change.

use engine::{Engine, Namespace};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use value::{Document, DocumentBuf, Value};

/// The local document that holds the settings.
const DOCUMENT: &str = "config";

type Sections = BTreeMap<String, BTreeMap<String, String>>;

/// All settings.
#[derive(Debug)]
pub(crate) struct Config {
    sections: RwLock<Sections>,
    /// Whether they are kept on disk.
    is_kept: AtomicBool,
}

fn namespace() -> Namespace {
    Namespace::new("admin", "system.couch")
}

impl Config {
    /// The defaults, and what was changed before.
    pub(crate) async fn load(engine: &Engine) -> engine::Result<Config> {
        let mut sections = defaults();
        let mut is_kept = false;
        if let Some(kept) = engine.revisioned(&namespace())?
            && let Some(document) = kept.snapshot().await?.local(DOCUMENT).await?
        {
            merge(&document.to_document(), &mut sections);
            is_kept = true;
        }
        Ok(Config {
            sections: RwLock::new(sections),
            is_kept: AtomicBool::new(is_kept),
        })
    }

    /// One setting.
    pub(crate) fn get(&self, section: &str, name: &str) -> Option<String> {
        self.sections.read().get(section)?.get(name).cloned()
    }

    /// All sections.
    pub(crate) fn all(&self) -> Sections {
        self.sections.read().clone()
    }

    /// Sets a setting, or removes it; what it was before.
    pub(crate) async fn set(
        &self,
        engine: &Engine,
        section: &str,
        name: &str,
        text: Option<String>,
    ) -> engine::Result<Option<String>> {
        let before = {
            let mut sections = self.sections.write();
            let settings = sections.entry(section.to_owned()).or_default();
            match text {
                Some(text) => settings.insert(name.to_owned(), text),
                None => settings.remove(name),
            }
        };
        self.save(engine).await?;
        Ok(before)
    }

    /// Keeps the settings as they are, so that those that were made up at the start stay.
    pub(crate) async fn keep(&self, engine: &Engine) -> engine::Result<()> {
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
        for (section, settings) in self.all() {
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
    let uuid = uuid::Uuid::new_v4().simple().to_string();
    let all = [
        ("chttpd", "enable_cors", "false"),
        ("chttpd", "require_valid_user", "false"),
        ("couchdb", "max_document_size", "8000000"),
        ("couchdb", "uuid", &uuid),
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
