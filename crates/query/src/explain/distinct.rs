//! The stages of a `distinct` that reads each value of an index once.

use super::stage::Stage;
use super::stages::{bounds, of_index};
use crate::execute::ValuesRead;
use value::{Document, doc};

/// The stages, with what they have read.
pub fn of_values(read: &ValuesRead, field: &str) -> Stage {
    let scan = &read.scan;
    let scanned = of_index(Stage::new("DISTINCT_SCAN", read.values, read.counters.keys), scan)
        .with("isShardFiltering", false)
        .with("isFetching", false)
        .with("direction", "forward")
        .with("indexBounds", bounds(scan))
        .counting("keysExamined", read.counters.keys)
        .counting("docsExamined", read.documents)
        .counting("chunkSkips", 0)
        .counting("orphanChunkSkips", 0);
    projected(scanned, field)
}

/// The stage that makes the field out of index keys.
pub fn projected(input: Stage, field: &str) -> Stage {
    let name = if field.contains('.') {
        "PROJECTION_DEFAULT"
    } else {
        "PROJECTION_COVERED"
    };
    let returned = input.returned();
    let transform: Document = doc! {"_id": 0, (field): 1};
    Stage::new(name, returned, returned)
        .with("transformBy", transform)
        .over(input)
}
