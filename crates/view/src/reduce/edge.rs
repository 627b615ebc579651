//! `_first` and `_last`: the value of the row with the least or the greatest key of a group.
//!
//! Reference: CouchDB, `couch_query_servers:builtin_first_last`. A reduction is the row's place (encoded key, id,
//! emission) followed by the value's JSON text, so that reductions of pages can be compared.

use crate::codec::{Reader, put_sized};
use crate::tree::{Position, Row};
use bytes::Bytes;
use value::varint;

/// Which row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// The one with the least key.
    First,
    /// The one with the greatest key.
    Last,
}

impl Edge {
    /// The reduction of rows; empty where there is none.
    pub(super) fn of_rows(self, rows: &[&Row]) -> Bytes {
        let places = rows.iter().copied();
        let row = match self {
            Edge::First => places.min_by_key(|row| &row.position),
            Edge::Last => places.max_by_key(|row| &row.position),
        };
        row.map_or_else(Bytes::new, encode)
    }

    /// The one of these reductions that counts.
    pub(super) fn of_reductions(self, reductions: &[Bytes]) -> Bytes {
        let places = reductions
            .iter()
            .filter_map(|reduction| Some((decode(reduction)?.0, reduction)));
        let found = match self {
            Edge::First => places.min_by(|(a, _), (b, _)| a.cmp(b)),
            Edge::Last => places.max_by(|(a, _), (b, _)| a.cmp(b)),
        };
        found.map_or_else(Bytes::new, |(_, reduction)| reduction.clone())
    }
}

/// The value of a reduction, as JSON text.
pub(super) fn value(reduction: &Bytes) -> Bytes {
    decode(reduction).map_or_else(|| Bytes::from_static(b"null"), |(_, value)| value)
}

fn encode(row: &Row) -> Bytes {
    let mut out = Vec::new();
    put_sized(&row.position.sort_key, &mut out);
    put_sized(&row.position.id, &mut out);
    varint::put(u64::from(row.position.emission), &mut out);
    out.extend_from_slice(&row.value);
    out.into()
}

fn decode(reduction: &Bytes) -> Option<(Position, Bytes)> {
    let mut reader = Reader::new(reduction.clone());
    let position = Position {
        sort_key: reader.sized()?,
        id: reader.sized()?,
        emission: reader.number()?,
    };
    Some((position, Bytes::copy_from_slice(reader.rest())))
}
