//! The heads of all shards.

use super::record::Heads;
use crate::Error;
use crate::rocks::error::engine_error;
use crate::rocks::layout::{ShardKeys, decode_head, shard_of};
use rocksdb::DB;

/// The number of each shard's last change.
pub(in crate::rocks) fn all_heads(db: &DB) -> Result<Heads, Error> {
    let mut heads = Heads::new();
    let mut entries = db.raw_iterator();
    entries.seek_to_first();
    // The store's own entries come after all shards.
    while let Some((key, value)) = entries.item()
        && let Some(shard) = shard_of(key)
    {
        let keys = ShardKeys::new(shard);
        // The head comes first. What a crash left of a dropped shard has none.
        if key == keys.head() {
            heads.insert(shard, decode_head(value)?.sequence);
        }
        entries.seek(keys.all().1);
    }
    entries
        .status()
        .map_err(engine_error("reading the heads of all shards"))?;
    Ok(heads)
}
