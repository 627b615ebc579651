//! What must hold for any bytes given to the parsers of the crate `couch`. Each function gives back whether the bytes were
//! accepted, and panics where something does not hold.

use couch::incoming::Incoming;
use couch::json;
use couch::query::Query;
use value::{RawDocument, ValueRef};

/// A document that is accepted is valid BSON, and comes back from its own text as the same bytes.
pub fn document(bytes: &[u8]) -> bool {
    let Ok(incoming) = Incoming::whole(bytes) else {
        return false;
    };
    let document = incoming.document(ValueRef::String("id"));
    let raw = RawDocument::new(document.bytes()).expect("what was written is valid BSON");
    let mut text = String::from(r#"{"_id":"id""#);
    json::write_fields(raw, |name| name != "_id" && name != "_attachments", &mut text);
    text.push('}');
    let again = Incoming::whole(text.as_bytes()).expect("what was written is a document");
    if !incoming.has_attachments() {
        assert_eq!(again.document(ValueRef::String("id")).bytes(), document.bytes());
    }
    true
}

/// A query is taken apart or refused.
pub fn query(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    let Ok(query) = Query::parse(text) else {
        return false;
    };
    for (name, value) in query.iter() {
        assert!(query.get(name).is_some());
        // Any value may be given where JSON is wanted.
        let _ = couch::query::json(value);
        let _ = couch::query::number(name, value);
    }
    true
}
