//! One bucket: columns of values, what they range over, and the document that MongoDB makes of them (version 1, which is
//! not compressed).

use foldhash::fast::FixedState;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasher;
use value::size::{document_bytes, size_bytes};
use value::{Document, DocumentBuf, ObjectId, Value, compare, doc};

/// The most measurements of a bucket, as in MongoDB.
const MEASUREMENTS_MAX: usize = 1_000;

/// The most bytes of the measurements of a bucket, as in MongoDB; one alone may be larger.
const BYTES_MAX: usize = 125 * 1024;

/// What a bucket takes in memory besides its values.
const BUCKET_BYTES: usize = 512;

/// Measurements of one `meta` within a span of time.
pub(super) struct Bucket {
    id: ObjectId,
    meta_key: Vec<u8>,
    meta: Option<Value>,
    /// Where its time begins.
    low_ms: i64,
    columns: Vec<Column>,
    /// The place of each column, by its name: a measurement may have very many fields.
    places: HashMap<String, usize>,
    count: usize,
    bytes: usize,
    /// About the bytes that it takes in memory.
    held: usize,
}

/// The values of a field, each with the number of its measurement.
struct Column {
    name: String,
    cells: Vec<(usize, Value)>,
}

impl Bucket {
    pub(super) fn new(meta_key: Vec<u8>, meta: Option<Value>, low_ms: i64, first: &Document) -> Bucket {
        // The packer finds buckets by this key, too.
        let of_meta = 2 * meta_key.len() + meta.as_ref().map_or(0, |meta| size_bytes(meta.as_ref()));
        Bucket {
            id: id(low_ms, &meta_key, first),
            meta_key,
            meta,
            low_ms,
            columns: Vec::new(),
            places: HashMap::new(),
            count: 0,
            bytes: 0,
            held: BUCKET_BYTES + of_meta,
        }
    }

    pub(super) fn meta_key(&self) -> &[u8] {
        &self.meta_key
    }

    /// About the bytes that it takes in memory.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Whether a measurement belongs in this bucket too.
    pub(super) fn has_room(&self, time_ms: i64, span_ms: i64, bytes: usize, measurement: &Document) -> bool {
        let within = time_ms
            .checked_sub(self.low_ms)
            .is_some_and(|behind| (0..span_ms).contains(&behind));
        within
            && self.count < MEASUREMENTS_MAX
            && self.bytes + bytes <= BYTES_MAX
            && self.keeps_order(measurement)
    }

    /// Whether the measurement's fields stand in the order of the columns, new ones after all: so they come back.
    fn keeps_order(&self, measurement: &Document) -> bool {
        let mut next = 0;
        measurement.iter().all(|(name, _)| {
            let at = self.places.get(name).copied().unwrap_or(self.columns.len());
            let in_order = at >= next;
            next = at.saturating_add(1).min(self.columns.len());
            in_order
        })
    }

    pub(super) fn add(&mut self, measurement: Document, bytes: usize) {
        self.held += document_bytes((&measurement).into());
        for (name, value) in measurement {
            let cell = (self.count, value);
            let known = self.places.get(&name).and_then(|&at| self.columns.get_mut(at));
            if let Some(column) = known {
                column.cells.push(cell);
                continue;
            }
            // The name stands in both.
            self.held += name.len();
            self.places.insert(name.clone(), self.columns.len());
            self.columns.push(Column {
                name,
                cells: vec![cell],
            });
        }
        self.count += 1;
        self.bytes += bytes;
    }

    pub(super) fn into_document(self, time_field: &str) -> Document {
        let (mut min, mut max) = (Document::new(), Document::new());
        let mut data = Document::new();
        for column in self.columns {
            let lowest = match column.name == time_field {
                true => Some(Value::DateTime(self.low_ms)),
                false => extreme(&column.cells, Ordering::Less),
            };
            if let (Some(lowest), Some(highest)) = (lowest, extreme(&column.cells, Ordering::Greater)) {
                min.push(&column.name, lowest);
                max.push(&column.name, highest);
            }
            let mut cells = Document::with_capacity(column.cells.len());
            for (number, value) in column.cells {
                cells.push(itoa::Buffer::new().format(number), value);
            }
            data.push(column.name, cells);
        }
        let mut bucket = doc! {
            "_id": Value::ObjectId(self.id),
            "control": {"version": 1, "min": min, "max": max},
        };
        if let Some(meta) = self.meta {
            bucket.push("meta", meta);
        }
        bucket.with("data", data)
    }
}

/// The id of a bucket: the second in which its time begins, as in MongoDB, and what it is of, so that it is the same when it
/// is read again.
fn id(low_ms: i64, meta_key: &[u8], first: &Document) -> ObjectId {
    let hash = FixedState::default().hash_one((meta_key, DocumentBuf::from(first).bytes()));
    let seconds = low_ms.div_euclid(1000) as u32;
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&seconds.to_be_bytes());
    bytes[4..].copy_from_slice(&hash.to_be_bytes());
    ObjectId::from_bytes(bytes)
}

/// The lowest or highest of a column's values: of documents field by field, of arrays element by element, as in MongoDB.
fn extreme(cells: &[(usize, Value)], wanted: Ordering) -> Option<Value> {
    let mut values = cells.iter().map(|(_, value)| value);
    let first = values.next()?.clone();
    Some(values.fold(first, |mut present, value| {
        widen(&mut present, value, wanted);
        present
    }))
}

fn widen(present: &mut Value, value: &Value, wanted: Ordering) {
    match (present, value) {
        (Value::Document(present), Value::Document(document)) => {
            for (name, value) in document.iter() {
                match present.get_mut(name) {
                    Some(present) => widen(present, value, wanted),
                    None => present.push(name, value.clone()),
                }
            }
        }
        (Value::Array(present), Value::Array(values)) => {
            present
                .iter_mut()
                .zip(values)
                .for_each(|(present, value)| widen(present, value, wanted));
            let known = present.len();
            present.extend(values.iter().skip(known).cloned());
        }
        (present, value) => {
            if compare(value.as_ref(), present.as_ref()) == wanted {
                *present = value.clone();
            }
        }
    }
}
