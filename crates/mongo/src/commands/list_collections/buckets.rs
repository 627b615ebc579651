//! The buckets of time series, as MongoDB lists them beside the series.

use engine::{CollectionEntry, buckets_name};
use value::{Binary, Document, Value, doc};

/// The collection of buckets that stands behind a time series; none for anything else.
pub(super) fn describe(entry: &CollectionEntry) -> Option<Document> {
    let Some(Value::Document(series)) = entry.options.get("timeseries") else {
        return None;
    };
    let Some(Value::String(time_field)) = series.get("timeField") else {
        return None;
    };
    let mut options = doc! {"validator": validator(time_field), "clusteredIndex": true};
    if let Some(seconds) = entry.options.get("expireAfterSeconds") {
        options.push("expireAfterSeconds", seconds.clone());
    }
    options.push("timeseries", series.clone());
    let mut info = doc! {"readOnly": false};
    if let Some(uuid) = entry.uuid {
        info.push(
            "uuid",
            Binary {
                subtype: 4,
                bytes: uuid.to_vec(),
            },
        );
    }
    Some(doc! {
        "name": buckets_name(&entry.name),
        "type": "collection",
        "options": options,
        "info": info,
    })
}

/// What MongoDB asks of a bucket.
fn validator(time_field: &str) -> Document {
    let of_type = |name: &str| doc! {"bsonType": name};
    let bound = doc! {
        "bsonType": "object",
        "required": [time_field],
        "properties": {time_field: of_type("date")},
    };
    doc! {"$jsonSchema": {
        "bsonType": "object",
        "required": ["_id", "control", "data"],
        "properties": {
            "_id": of_type("objectId"),
            "control": {
                "bsonType": "object",
                "required": ["version", "min", "max"],
                "properties": {
                    "version": of_type("number"),
                    "min": bound.clone(),
                    "max": bound,
                    "closed": of_type("bool"),
                    "count": {"bsonType": "number", "minimum": 1},
                },
                "additionalProperties": false,
            },
            "data": of_type("object"),
            "meta": {},
        },
        "additionalProperties": false,
    }}
}
