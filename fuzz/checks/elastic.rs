//! What must hold for any body of `_bulk`. Gives back whether it was accepted, and panics where something does not hold.

/// A body that is accepted has an item for two lines at most of it, and each document can be read or is refused alone.
pub fn bulk(bytes: &[u8]) -> bool {
    let Some(items) = elastic::bulk_items(bytes) else {
        return false;
    };
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    assert!(items > 0 && items <= lines);
    true
}
