//! Documents as clients send them: CouchDB's special members taken apart from the body.
//!
//! The rules are those of `src/couch/src/couch_doc.erl` (`from_json_obj`).

use crate::attachments::{self, Attachment};
use access::error::{CouchError, Result};
use access::ids;
use engine::{Revision, RevisionHash, RevisionPath};
use json::underscored;
use json::{Reader, finish, keep_last_of_each_name, put_string};
use value::{Document, DocumentBuf, RawDocument, Type, Value, ValueRef};

/// A document of a request.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// `_id`, if the body names it.
    pub id: Option<String>,
    /// `_rev`, or the first of `_revisions`.
    pub revision: Option<Revision>,
    /// `_revisions`: the branch that a replicator brings.
    pub revisions: Option<RevisionPath>,
    /// `_deleted`: whether the edit deletes the document.
    pub deleted: bool,
    /// `_attachments`, as the client sent them: contents, stubs, or names of parts that follow.
    pub attachments: Option<Document>,
    /// Attachments as the document will keep them, once they are stored.
    pub(crate) kept: Option<Vec<Attachment>>,
    /// The files that were made for it, which are of no use unless it is written.
    pub(crate) made: Vec<Value>,
    /// All other members as BSON elements.
    body: Vec<u8>,
}

impl Incoming {
    /// The only document of a request's body.
    pub fn whole(bytes: &[u8]) -> Result<Incoming> {
        let mut reader = Reader::new(bytes)?;
        if reader.peek() != Some(b'{') {
            // What is no JSON at all is told first.
            Reader::whole(bytes)?;
            return Err(CouchError::bad_request("Document must be a JSON object"));
        }
        let document = Incoming::read(&mut reader)?;
        reader.end()?;
        Ok(document)
    }

    /// Takes one document.
    pub fn read(reader: &mut Reader<'_>) -> Result<Incoming> {
        if reader.peek() != Some(b'{') {
            return Err(CouchError::bad_request("Document must be a JSON object"));
        }
        let mut document = Incoming::default();
        let mut members = Vec::new();
        reader.object(|reader, name| {
            if document.take_special(&name, reader)? {
                return Ok(());
            }
            members.push(document.body.len());
            Ok::<_, CouchError>(reader.element(underscored::stored(&name), &mut document.body, 1)?)
        })?;
        keep_last_of_each_name(&mut document.body, &members);
        Ok(document)
    }

    /// Takes a member that means something to CouchDB; false where it is one of the body, which is still to be taken.
    fn take_special(&mut self, name: &str, reader: &mut Reader<'_>) -> Result<bool> {
        let Some(special) = name.strip_prefix('_') else {
            return Ok(false);
        };
        match special {
            "id" => match reader.value()? {
                Value::String(id) => {
                    ids::check(&id)?;
                    self.id = Some(id);
                }
                _ => return Err(CouchError::illegal_docid("Document id must be a string")),
            },
            "rev" => match reader.value()? {
                Value::String(text) => {
                    let revision = parse_revision(&text)?;
                    if self.revisions.is_none() {
                        self.revision = Some(revision);
                    }
                }
                _ => return Err(CouchError::bad_request("Invalid rev format")),
            },
            "revisions" => {
                if let Some(path) = revisions(&reader.value()?)? {
                    self.revision = path.revisions().next();
                    self.revisions = Some(path);
                }
            }
            "deleted" => match reader.value()? {
                Value::Bool(deleted) => self.deleted = deleted,
                _ => {
                    return Err(CouchError::doc_validation(
                        "Bad special document member: _deleted",
                    ));
                }
            },
            "attachments" => match reader.value()? {
                Value::Document(attachments) => self.attachments = Some(attachments),
                _ => {
                    return Err(CouchError::doc_validation(
                        "Bad special document member: _attachments",
                    ));
                }
            },
            "revs_info" | "local_seq" | "conflicts" | "deleted_conflicts" => drop(reader.value()?),
            "access"
            | "replication_state"
            | "replication_state_time"
            | "replication_state_reason"
            | "replication_id"
            | "replication_stats" => return Ok(false),
            other => {
                let reason = format!("Bad special document member: _{other}");
                return Err(CouchError::doc_validation(reason));
            }
        }
        Ok(true)
    }

    /// The whole document under this `_id`.
    pub fn document(&self, id: ValueRef<'_>) -> DocumentBuf {
        let kept = self.kept.as_deref().filter(|kept| !kept.is_empty());
        let kept = kept.map(attachments::kept);
        let mut bytes = Vec::with_capacity(self.body.len() + 48);
        bytes.extend_from_slice(&[0; 4]);
        bytes.push(id.type_of() as u8);
        bytes.extend_from_slice(b"_id\0");
        match id {
            ValueRef::String(text) => put_string(text, &mut bytes),
            other => value::raw::encode_value_into(&mut bytes, other),
        }
        bytes.extend_from_slice(&self.body);
        if let Some(kept) = kept {
            bytes.push(Type::Document as u8);
            bytes.extend_from_slice(attachments::MEMBER.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(&value::raw::encode_document(&kept));
        }
        finish(&mut bytes, 0);
        DocumentBuf::from_validated(bytes.into())
    }

    /// A deletion that says nothing else.
    pub fn deletion(revision: Option<Revision>) -> Incoming {
        Incoming {
            deleted: true,
            revision,
            ..Incoming::default()
        }
    }

    /// A new document with the body of another, but for one member.
    pub fn of_body(body: RawDocument<'_>, left_out: &str) -> Incoming {
        let mut copy = Incoming::default();
        for (name, value) in body
            .iter()
            .filter(|(name, _)| *name != "_id" && *name != left_out)
        {
            copy.body.push(value.type_of() as u8);
            copy.body.extend_from_slice(name.as_bytes());
            copy.body.push(0);
            value::raw::encode_value_into(&mut copy.body, value);
        }
        copy
    }

    /// The members besides the special ones, as a tree.
    pub fn fields(&self) -> Document {
        let mut bytes = vec![0; 4];
        bytes.extend_from_slice(&self.body);
        finish(&mut bytes, 0);
        RawDocument::from_validated(&bytes).to_document()
    }

    /// Sets the members besides the special ones.
    pub fn set_fields(&mut self, fields: &Document) {
        let bytes = value::raw::encode_document(fields);
        // Between the length and the end.
        self.body = bytes.get(4..bytes.len() - 1).unwrap_or_default().to_vec();
    }

    /// The attachments that it brings, as they came.
    pub fn brought(&self) -> Option<&Document> {
        self.attachments.as_ref().filter(|brought| !brought.is_empty())
    }

    /// The generation of the revision that it will be.
    pub fn generation(&self, given: bool) -> u64 {
        let named = self.revision.as_ref().map_or(0, |revision| revision.generation);
        if given { named } else { named + 1 }
    }

    /// The revisions that it names as those before it, the newest first.
    pub(crate) fn ancestors(&self, given: bool) -> Vec<Revision> {
        match (given, &self.revisions) {
            (false, _) => self.revision.iter().cloned().collect(),
            (true, None) => Vec::new(),
            (true, Some(path)) => path.revisions().skip(1).collect(),
        }
    }

    /// The revisions that another store gave it: `_revisions`, or `_rev` alone.
    pub fn given(&self) -> Option<RevisionPath> {
        let alone = || self.revision.clone().map(RevisionPath::of);
        self.revisions.clone().or_else(alone)
    }
}

/// Reads a revision, or refuses it.
pub fn parse_revision(text: &str) -> Result<Revision> {
    let invalid = || CouchError::bad_request("Invalid rev format");
    let revision = Revision::parse(text).ok_or_else(invalid)?;
    match &revision.hash {
        // 32 characters that are no digits cannot be meant.
        RevisionHash::Text(text) if text.len() == 32 => Err(invalid()),
        _ => Ok(revision),
    }
}

/// Reads `_revisions`; `None` if it names no revision.
fn revisions(value: &Value) -> Result<Option<RevisionPath>> {
    let Value::Document(revisions) = value else {
        return Err(CouchError::doc_validation(
            "Bad special document member: _revisions",
        ));
    };
    let start = match revisions.get("start") {
        Some(Value::Int32(start)) if *start >= 0 => *start as u64,
        Some(Value::Int64(start)) if *start >= 0 => *start as u64,
        _ => return Err(CouchError::doc_validation("_revisions.start isn't an integer.")),
    };
    let Some(Value::Array(ids)) = revisions.get("ids") else {
        return Err(CouchError::doc_validation("_revisions.ids isn't a array."));
    };
    let hash = |id: &Value| match id {
        Value::String(text) => match RevisionHash::parse(text) {
            RevisionHash::Text(text) if text.len() == 32 => {
                Err(CouchError::doc_validation("RevId isn't a valid hexadecimal"))
            }
            hash => Ok(hash),
        },
        _ => Err(CouchError::doc_validation("RevId isn't a string")),
    };
    let hashes: Vec<RevisionHash> = ids.iter().map(hash).collect::<Result<_>>()?;
    if start == 0 {
        // Local documents have no history; the count in `_rev` is all.
        return Ok(None);
    }
    if hashes.len() as u64 > start {
        return Err(CouchError::doc_validation(
            "_revisions.ids has more revisions than _revisions.start says",
        ));
    }
    Ok((!hashes.is_empty()).then_some(RevisionPath {
        generation: start,
        hashes,
    }))
}
