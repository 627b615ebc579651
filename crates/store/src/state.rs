//! What the head of a shard keeps: counts and sizes.
