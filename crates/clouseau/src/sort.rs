//! What hits are sorted by.

use crate::distance::Distance;
use crate::said::{FieldType, Fields, whole};
use serde_json::{Value as Json, json};

/// The members of entries that hold distances; a number follows.
const DISTANCE: char = '\u{4}';

/// What hits are sorted by; after all of it their ids.
#[derive(Clone, Debug, PartialEq)]
pub enum SortBy {
    /// How well they match.
    Score {
        /// Whether the best are first.
        descending: bool,
    },
    /// Their ids.
    Id {
        /// Whether the last are first.
        descending: bool,
    },
    /// Their places in the index.
    Place {
        /// Whether the last are first.
        descending: bool,
    },
    /// The values of a field.
    Field {
        /// The field.
        name: String,
        /// Whether the greatest are first.
        descending: bool,
    },
    /// How far they are from a place.
    Distance {
        /// From where, and by which fields.
        distance: Distance,
        /// Whether the farthest are first.
        descending: bool,
    },
}

/// The distances among sorts.
pub(crate) fn distances(sorts: &[&[SortBy]]) -> Vec<Distance> {
    let distance = |by: &SortBy| match by {
        SortBy::Distance { distance, .. } => Some(distance.clone()),
        _ => None,
    };
    sorts.iter().copied().flatten().filter_map(distance).collect()
}

/// The member of entries that holds one of the distances.
pub(crate) fn distance_field(at: usize) -> String {
    format!("{DISTANCE}{at}")
}

/// The sort of a request; `distances` are those that entries hold. With `by_greatest`, of several values the greatest counts; else the
/// one that is first. As in Lucene, no text is before every text, and no number is 0.
pub(crate) fn keys(sort: &[SortBy], fields: &Fields, distances: &[Distance], by_greatest: bool) -> Json {
    let order = |descending: bool| if descending { "desc" } else { "asc" };
    let by_field = |name: String, descending: bool, missing: Json| {
        let mut options = json!({"order": order(descending), "unmapped_type": "keyword", "missing": missing});
        if by_greatest {
            options["mode"] = "max".into();
        }
        json!({ name: options })
    };
    let key = |by: &SortBy| match by {
        SortBy::Score { descending } => json!({"_score": order(*descending)}),
        SortBy::Id { descending } => json!({"_id": order(*descending)}),
        SortBy::Place { descending } => json!({"_doc": order(*descending)}),
        SortBy::Field { name, descending } => match fields.types.get(name) {
            Some(FieldType::Number) => by_field(name.clone(), *descending, 0.into()),
            _ => {
                let missing = if *descending { "_last" } else { "_first" };
                by_field(whole(name), *descending, missing.into())
            }
        },
        SortBy::Distance { distance, descending } => {
            let at = distances.iter().position(|other| other == distance);
            by_field(
                distance_field(at.unwrap_or_default()),
                *descending,
                "_last".into(),
            )
        }
    };
    sort.iter().map(key).collect()
}
