//! A part of what a search finds, so that several clients read it at once: `slice`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mapping::error::{Result, SearchError};
use mapping::fields::View;
use mapping::json::Members;
use mapping::murmur::{bits, mixed, murmur3};
use mapping::shards::Shards;
use mapping::{Field, FieldKind, Mapping};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use value::ValueRef;

/// Which one of how many slices.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The field by whose values documents are parted; by their ids where there is none.
    field: Option<String>,
    id: u32,
    max: u32,
}

/// A slice of indices, each of which has these shards.
#[derive(Debug)]
pub struct Sliced {
    slice: Slice,
    shards: HashMap<String, Shards>,
}

impl Slice {
    /// Reads it from JSON.
    pub fn parse(value: &Value) -> Result<Slice> {
        let Value::Object(object) = value else {
            return Err(SearchError::content(
                "[slice] Expected START_OBJECT but was: VALUE_STRING",
            ));
        };
        let mut members = Members::of_content("slice", object);
        let field = members.text("field")?;
        let (mut id, mut max) = (None, None);
        for name in object.keys() {
            match name.as_str() {
                "id" => id = members.integer(name)?,
                "max" => max = members.integer(name)?,
                _ => continue,
            }
            if let Some(why) = fault(name, id, max) {
                return Err(SearchError::of_member("slice", name, SearchError::illegal(why)));
            }
        }
        members.end()?;
        let whole = |number: Option<i64>| number.and_then(|number| u32::try_from(number).ok());
        match (whole(id), whole(max)) {
            (Some(id), Some(max)) => Ok(Slice { field, id, max }),
            _ => Err(SearchError::illegal(
                "[slice] must have an [id] and a [max], which are whole numbers",
            )),
        }
    }

    /// Into how many slices all is cut.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// The same of these indices, by their names.
    pub fn of(self, shards: HashMap<String, Shards>) -> Sliced {
        Sliced { slice: self, shards }
    }
}

/// Why a member cannot be what it is, of those that were read so far.
fn fault(member: &str, id: Option<i64>, max: Option<i64>) -> Option<&'static str> {
    match (member, id, max) {
        ("id", Some(..=-1), _) => Some("id must be greater than or equal to 0"),
        ("max", _, Some(..=1)) => Some("max must be greater than 1"),
        (_, Some(id), Some(max)) if id >= max => Some("max must be greater than id"),
        _ => None,
    }
}

impl Sliced {
    /// The field of an index by which documents are parted; `None` where that is their ids.
    pub(crate) fn field(&self, mapping: &Mapping) -> Result<Option<Arc<Field>>> {
        let Some(name) = self.slice.field.as_deref().filter(|name| *name != "_id") else {
            return Ok(None);
        };
        let Some(field) = mapping.field(name).filter(|field| !field.is_object()) else {
            return Err(SearchError::illegal(format!("field {name} not found")));
        };
        let is_number = field.is_number() || matches!(field.kind, FieldKind::Date | FieldKind::Boolean);
        match is_number && field.doc_values {
            true => Ok(Some(field.into_owned())),
            false => Err(SearchError::illegal(format!(
                "cannot load numeric doc values on {name}"
            ))),
        }
    }

    /// Whether a document is in it. Shards are cut first: into slices of several of them, or each into several slices.
    pub(crate) fn has(&self, field: Option<&Field>, view: &View<'_>) -> bool {
        let Slice { id, max, .. } = self.slice;
        let shards = self.shards.get(view.index).filter(|shards| shards.count() > 1);
        let Some(shards) = shards else {
            return is_part(field, view, id, max);
        };
        let shard = match view.root.get("_routing") {
            Some(ValueRef::String(routing)) => shards.shard(routing),
            _ => shards.shard(view.id),
        };
        let count = shards.count();
        if max < count {
            return shard % max == id;
        }
        let parts = max / count + u32::from(max % count > shard);
        id % count == shard && (parts == 1 || is_part(field, view, id / count, parts))
    }
}

/// Whether a document is in one of several parts of a shard.
fn is_part(field: Option<&Field>, view: &View<'_>, part: u32, parts: u32) -> bool {
    const SEED: u32 = 7919;
    let is_in = |hash: i32| i64::from(hash).rem_euclid(i64::from(parts)) == i64::from(part);
    let Some(field) = field else {
        return is_in(murmur3(&encoded(view.id), SEED).cast_signed());
    };
    let terms = view.terms(field);
    // What has no value is where 0 is.
    terms.is_empty() && is_in(0)
        || terms
            .iter()
            .filter_map(bits)
            .any(|bits| is_in(mixed(bits) as i32))
}

/// An id as Elasticsearch keeps it: two digits in a byte, what base64 may have made as what it was made of, and others as they are.
fn encoded(id: &str) -> Vec<u8> {
    const TEXT: u8 = 0xff;
    const DIGITS: u8 = 0xfe;
    const ESCAPE: u8 = 0xfd;
    /// Stands for the digit that an odd number of them lacks.
    const NO_DIGIT: u8 = 0x0f;
    let bytes = id.as_bytes();
    if bytes.iter().all(u8::is_ascii_digit) {
        let two = |pair: &[u8]| {
            let digit = |at: usize| pair.get(at).map_or(NO_DIGIT, |digit| digit - b'0');
            digit(0) << 4 | digit(1)
        };
        return std::iter::once(DIGITS).chain(bytes.chunks(2).map(two)).collect();
    }
    match URL_SAFE_NO_PAD.decode(id) {
        Ok(decoded) if decoded.first().is_some_and(|first| *first >= ESCAPE) => {
            std::iter::once(ESCAPE).chain(decoded).collect()
        }
        Ok(decoded) => decoded,
        Err(_) => std::iter::once(TEXT).chain(bytes.iter().copied()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapping::analysis::Analysis;
    use serde_json::json;
    use value::doc;

    fn sliced(given: &Value, shards: &str) -> Sliced {
        let settings = json!({"number_of_shards": shards});
        let shards = Shards::of(settings.as_object().expect("an object"));
        let slice = Slice::parse(given).expect("a slice");
        slice.of(HashMap::from([("i".to_owned(), shards)]))
    }

    #[test]
    fn a_document_is_in_one_slice() {
        let source = json!({"properties": {"n": {"type": "long"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let ids = (0..40).map(|n| n.to_string());
        let ids = ids.chain(["some id", "AbCd", "_____w", "é"].map(str::to_owned));
        let ids: Vec<String> = ids.collect();
        for shards in ["1", "2", "5"] {
            for field in ["_id", "n"] {
                for (at, id) in ids.iter().enumerate() {
                    let document = doc! {"n": at as i64};
                    let view = View {
                        id,
                        index: "i",
                        ..View::of_document(&mapping, (&document).into())
                    };
                    let is_in = |slice: &u32| {
                        let of = sliced(&json!({"field": field, "id": slice, "max": 3}), shards);
                        let field = of.field(&mapping).expect("a field");
                        of.has(field.as_deref(), &view)
                    };
                    assert_eq!((0..3).filter(is_in).count(), 1, "{id} {field} {shards}");
                }
            }
        }
    }

    #[test]
    fn ids_are_kept_as_short_as_they_can_be() {
        assert_eq!(encoded("12"), [0xfe, 0x12]);
        assert_eq!(encoded("123"), [0xfe, 0x12, 0x3f]);
        assert_eq!(encoded("AAAA"), [0, 0, 0]);
        assert_eq!(encoded("_w"), [0xfd, 0xff]);
        assert_eq!(encoded("a b"), [0xff, b'a', b' ', b'b']);
    }

    #[test]
    fn slices_that_there_are_not_are_refused() {
        for (given, why) in [
            (
                json!({"id": -1, "max": 2}),
                "id must be greater than or equal to 0",
            ),
            (json!({"id": 0, "max": 1}), "max must be greater than 1"),
            (json!({"id": 3, "max": 2}), "max must be greater than id"),
            (json!({"max": 2, "id": 2}), "max must be greater than id"),
        ] {
            let error = Slice::parse(&given).expect_err("refused");
            let cause = error.cause.map(|cause| cause.reason);
            assert_eq!(cause.as_deref(), Some(why), "{given}");
        }
        let mapping = Mapping::default();
        let missing = sliced(&json!({"field": "n", "id": 0, "max": 2}), "1").field(&mapping);
        assert_eq!(missing.expect_err("refused").reason, "field n not found");
    }
}
