//! What must hold for any bytes given to the parsers of the crate `couch`. Each function gives back whether the bytes were
//! accepted, and panics where something does not hold.

use couch::check_changes_request;
use couch::incoming::Incoming;
use couch::json;
use couch::query::Query;
use http::{Event, MultipartError, MultipartParser, PART_HEAD_BYTES_MAX};
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
    if incoming.brought().is_none() {
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
        let _ = couch::query::number(value);
    }
    true
}

/// A request for changes is read or refused: the parameters up to the first line's end, then the body.
pub fn changes(bytes: &[u8]) -> bool {
    let line = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(bytes.len());
    let (parameters, body) = bytes.split_at(line);
    let Ok(query) = str::from_utf8(parameters)
        .map_err(drop)
        .and_then(|text| Query::parse(text).map_err(drop))
    else {
        return false;
    };
    check_changes_request(&query, body.get(1..).unwrap_or_default()).is_ok()
}

/// A multipart body with the boundary `b` gives the same parts however its bytes come, or is refused.
pub fn multipart(bytes: &[u8]) -> bool {
    let whole = parts(bytes, bytes.len().max(1));
    // Byte by byte, where that does not take long.
    for size in [1 + bytes.len() / 2000, 7 + bytes.len() / 200] {
        let pieces = parts(bytes, size);
        assert_eq!(pieces.is_ok(), whole.is_ok());
        if let (Ok(pieces), Ok(whole)) = (&pieces, &whole) {
            assert_eq!(pieces, whole);
        }
    }
    whole.is_ok()
}

/// The parts' bytes, fed in pieces of this size.
fn parts(bytes: &[u8], size: usize) -> Result<Vec<Vec<u8>>, MultipartError> {
    let mut parser = MultipartParser::new("b");
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut waiting = 0;
    for piece in bytes.chunks(size) {
        parser.feed(piece);
        waiting += piece.len();
        while let Some(event) = parser.next_event()? {
            waiting = 0;
            match event {
                Event::Part(_) => parts.push(Vec::new()),
                Event::Data(data) => parts
                    .last_mut()
                    .expect("a part has begun")
                    .extend_from_slice(&data),
                Event::PartEnd | Event::End => {}
            }
        }
        // Nothing but the head of a part is gathered.
        assert!(
            parser.is_ended()
                || waiting <= bytes.len().min(PART_HEAD_BYTES_MAX + size + 8)
                || parts.is_empty()
        );
    }
    match parser.is_ended() {
        true => Ok(parts),
        false => Err(MultipartError::Ended),
    }
}
