//! Indexes in design documents (`src/mango/src/mango_idx.erl`, `mango_idx_view.erl`).

use super::wrong;
use crate::incoming::Incoming;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::{
    CollatedDefinition, Edit, EditOrigin, EditOutcome, Order, PageLimit, Record, RevisionedSnapshot,
};
use mango::index::{Index, MEMBERS, REVISION};
use value::{Document, Value, doc};

/// The indexes of a database: that of all documents first, then by design document and name.
pub(crate) async fn indexes(database: &Database, snapshot: &RevisionedSnapshot) -> Result<Vec<Index>> {
    let mut found = vec![Index::all_docs()];
    let mut after = None;
    loop {
        let (records, next) = snapshot
            .documents(
                ids::of_designs(),
                after.as_ref(),
                Order::Forward,
                PageLimit::default(),
            )
            .await?;
        for record in &records {
            collect(database, &record.document.as_raw().to_document(), &mut found);
        }
        after = next;
        if after.is_none() {
            break;
        }
    }
    found.sort_by(|a, b| a.key().cmp(&b.key()));
    Ok(found)
}

/// The store's index that an index stands for; without fields, it is that of the ids.
pub(crate) fn definition(index: &Index) -> CollatedDefinition {
    let fields = index.columns().iter().filter(|column| *column != REVISION);
    CollatedDefinition {
        fields: fields.cloned().collect(),
        selector: index.partial.clone(),
        partitioned: index.partitioned,
    }
}

fn is_query(design: &Document) -> bool {
    matches!(design.get("language"), Some(Value::String(language)) if language == "query")
}

fn collect(database: &Database, design: &Document, found: &mut Vec<Index>) {
    let Some(Value::String(id)) = design.get("_id") else {
        return;
    };
    if !is_query(design) {
        return;
    }
    let partitioned = partitioned(design).unwrap_or_else(|| database.collection.is_partitioned());
    for member in MEMBERS {
        for (name, index) in indexes_of(design, member).iter() {
            if let Value::Document(index) = index {
                found.extend(Index::of_member(member, (id, name), index, partitioned));
            }
        }
    }
}

fn indexes_of(design: &Document, member: &str) -> Document {
    match design.get(member) {
        Some(Value::Document(members)) => members.clone(),
        _ => Document::new(),
    }
}

fn partitioned(design: &Document) -> Option<bool> {
    match design.get("options") {
        Some(Value::Document(options)) => match options.get("partitioned") {
            Some(Value::Bool(partitioned)) => Some(*partitioned),
            _ => None,
        },
        _ => None,
    }
}

/// A design document while indexes are put in or taken out.
pub(crate) struct Design {
    id: String,
    record: Option<Record>,
    /// Its members but the id.
    pub(crate) body: Document,
}

impl Design {
    /// Reads it, or begins it where there is none.
    pub(crate) async fn load(snapshot: &RevisionedSnapshot, id: String) -> Result<Design> {
        let record = snapshot.document(Value::from(id.as_str()).as_ref()).await?;
        let mut body = match &record {
            Some(record) => record.document.as_raw().to_document(),
            None => doc! {"language": "query"},
        };
        body.remove("_id");
        if !is_query(&body) {
            let language = body
                .get("language")
                .map_or_else(|| "false".to_owned(), mango::shown);
            let reason = format!("Existing design doc has an invalid language: {language}");
            return Err(wrong("invalid_ddoc_lang", reason));
        }
        Ok(Design { id, record, body })
    }

    /// Whether its indexes are built before they are asked for.
    pub(crate) fn is_built_ahead(&self) -> bool {
        self.body.get("autoupdate") != Some(&Value::Bool(false))
    }

    /// Puts an index in; false where it is there as it is.
    pub(crate) fn put(
        &mut self,
        name: &str,
        (member, index): (&str, Document),
        options: Option<bool>,
    ) -> Result<bool> {
        if options != partitioned(&self.body) {
            if self.record.is_some() {
                let reason = format!(
                    "Requested partitioned option does not match existing value on design document {}",
                    self.id
                );
                return Err(wrong("invalid_partitioned_option", reason));
            }
            if let Some(wanted) = options {
                self.body.set("options", doc! {"partitioned": wanted});
            }
        }
        let mut indexes = indexes_of(&self.body, member);
        let index = Value::from(index);
        if indexes.get(name) == Some(&index) {
            return Ok(false);
        }
        indexes.set(name, index);
        self.body.set(member, indexes);
        Ok(true)
    }

    /// Takes an index out.
    pub(crate) fn remove(&mut self, index: &Index) {
        let member = index.member();
        let mut indexes = indexes_of(&self.body, member);
        indexes.remove(&index.name);
        match indexes.is_empty() {
            true => drop(self.body.remove(member)),
            false => {
                self.body.set(member, indexes);
            }
        }
    }

    /// Writes it; it is deleted where nothing but its language is left.
    pub(crate) async fn save(self, database: &Database) -> Result<()> {
        let deleted = self.body.len() == 1;
        let mut incoming = Incoming::default();
        if !deleted {
            incoming.set_fields(&self.body);
        }
        let edit = Edit {
            document: incoming.document(Value::from(self.id.as_str()).as_ref()),
            deleted,
            origin: EditOrigin::After(self.record.map(|record| record.revision())),
        };
        match database.collection.edit(vec![edit], true).await?.pop() {
            Some(EditOutcome::Written(_)) => Ok(()),
            Some(EditOutcome::Refused(error)) => Err(error.into()),
            Some(EditOutcome::Conflict) | None => Err(CouchError::new(
                http::StatusCode::INTERNAL_SERVER_ERROR,
                "error_saving_ddoc",
                "Encountered a conflict while saving the design document.",
            )),
        }
    }
}
