//! The indexes that a collection has, as they are kept with it.

use crate::definition::Definition;
use crate::error::{Result, refused, unsupported};
use crate::spec::Spec;
use code::Code;
use engine::{Error, WhichSearchIndex};
use value::{Document, ObjectId, Value, doc};

/// The name of an index that is given none.
const DEFAULT_NAME: &str = "default";
/// Indexes of one collection at most.
const INDEXES_MAX: usize = 64;

/// An index as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct CatalogEntry {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: i64,
    created_ms: i64,
    pub(crate) definition: Document,
}

impl CatalogEntry {
    /// Reads what a client wants made.
    pub(crate) fn asked(at: usize, document: &Document, now_ms: i64) -> Result<CatalogEntry> {
        let spec = Spec::new(format!("indexes[{at}]"), document);
        match spec.text("type")? {
            None | Some("search") => {}
            Some(other) => return Err(unsupported(format!("a search index of the type \"{other}\""))),
        }
        let name = spec.text("name")?.unwrap_or(DEFAULT_NAME);
        if name.is_empty() {
            return Err(refused(format!("\"{}\" cannot be empty", spec.path_of("name"))));
        }
        let definition = spec.required("definition")?;
        let Value::Document(definition) = definition else {
            return Err(refused(format!(
                "\"{}\" must be a document",
                spec.path_of("definition")
            )));
        };
        spec.end()?;
        Definition::parse(definition)?;
        Ok(CatalogEntry {
            id: ObjectId::generate().to_string(),
            name: name.to_owned(),
            version: 0,
            created_ms: now_ms,
            definition: definition.clone(),
        })
    }

    /// The same with another definition.
    pub(crate) fn updated(&self, definition: Document, now_ms: i64) -> Result<CatalogEntry> {
        Definition::parse(&definition)?;
        Ok(CatalogEntry {
            version: self.version + 1,
            created_ms: now_ms,
            definition,
            ..self.clone()
        })
    }

    /// What no other index, and no other version of this one, has.
    pub(crate) fn key(&self) -> String {
        format!("{}-{}", self.id, self.version)
    }

    fn is(&self, which: &WhichSearchIndex) -> bool {
        which.id.as_ref().is_none_or(|id| *id == self.id)
            && which.name.as_ref().is_none_or(|name| *name == self.name)
    }

    fn kept(&self) -> Document {
        doc! {
            "id": self.id.as_str(),
            "name": self.name.as_str(),
            "version": self.version,
            "createdAt": Value::DateTime(self.created_ms),
            "definition": self.definition.clone(),
        }
    }

    fn of_kept(kept: &Document) -> Option<CatalogEntry> {
        let text = |name| Some(kept.get(name)?.as_ref().as_str()?.to_owned());
        let Some(Value::Document(definition)) = kept.get("definition") else {
            return None;
        };
        Some(CatalogEntry {
            id: text("id")?,
            name: text("name")?,
            version: kept.get("version")?.as_ref().as_i64_exact()?,
            created_ms: match kept.get("createdAt") {
                Some(Value::DateTime(ms)) => *ms,
                _ => 0,
            },
            definition: definition.clone(),
        })
    }

    /// As clients see it. What was written is found at once, so an index is always ready.
    pub(crate) fn shown(&self) -> Document {
        doc! {
            "id": self.id.as_str(),
            "name": self.name.as_str(),
            "type": "search",
            "status": "READY",
            "queryable": true,
            "latestVersion": self.version,
            "latestDefinitionVersion": doc! {
                "version": self.version,
                "createdAt": Value::DateTime(self.created_ms),
            },
            "latestDefinition": self.definition.clone(),
        }
    }
}

/// The indexes of a collection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog(Vec<CatalogEntry>);

impl Catalog {
    pub(crate) fn of_kept(kept: &[Document]) -> Catalog {
        Catalog(kept.iter().filter_map(CatalogEntry::of_kept).collect())
    }

    pub(crate) fn kept(&self) -> Vec<Document> {
        self.0.iter().map(CatalogEntry::kept).collect()
    }

    pub(crate) fn entries(&self) -> &[CatalogEntry] {
        &self.0
    }

    /// Those that are meant.
    pub(crate) fn which(&self, which: &WhichSearchIndex) -> impl Iterator<Item = &CatalogEntry> {
        self.0.iter().filter(|entry| entry.is(which))
    }

    /// The one of this name.
    pub(crate) fn named(&self, name: &str) -> Option<&CatalogEntry> {
        self.0.iter().find(|entry| entry.name == name)
    }

    /// Adds an index; one that is there already must be the same, and stays.
    pub(crate) fn add(&mut self, entry: CatalogEntry) -> Result<(String, String)> {
        if let Some(known) = self.named(&entry.name) {
            let is_same =
                value::compare_documents((&known.definition).into(), (&entry.definition).into()).is_eq();
            return match is_same {
                true => Ok((known.id.clone(), known.name.clone())),
                false => Err(Error::new(
                    Code::INDEX_ALREADY_EXISTS,
                    format!(
                        "Duplicate Index: an index named \"{}\" is already defined",
                        entry.name
                    ),
                )),
            };
        }
        if self.0.len() >= INDEXES_MAX {
            return Err(Error::new(
                Code::CANNOT_CREATE_INDEX,
                format!("a collection has at most {INDEXES_MAX} search indexes"),
            ));
        }
        let made = (entry.id.clone(), entry.name.clone());
        self.0.push(entry);
        Ok(made)
    }

    /// Gives an index another definition.
    pub(crate) fn update(
        &mut self,
        which: &WhichSearchIndex,
        definition: Document,
        now_ms: i64,
    ) -> Result<CatalogEntry> {
        let known = self.0.iter_mut().find(|entry| entry.is(which));
        let known = known.ok_or_else(|| not_found(which))?;
        let updated = known.updated(definition, now_ms)?;
        Ok(std::mem::replace(known, updated))
    }

    /// Takes an index away.
    pub(crate) fn remove(&mut self, which: &WhichSearchIndex) -> Result<CatalogEntry> {
        let at = self.0.iter().position(|entry| entry.is(which));
        Ok(self.0.remove(at.ok_or_else(|| not_found(which))?))
    }
}

fn not_found(which: &WhichSearchIndex) -> Error {
    let named = which.name.as_ref().or(which.id.as_ref());
    let named = named.map_or("", String::as_str);
    Error::new(
        Code::INDEX_NOT_FOUND,
        format!("no search index \"{named}\" was found"),
    )
}
