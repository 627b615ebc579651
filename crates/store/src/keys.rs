//! Keys within a shard.
