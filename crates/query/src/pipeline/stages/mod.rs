//! The stages, a file each.

pub(super) mod accumulation;
pub(super) mod bucket;
pub(super) mod bucket_auto;
pub(super) mod count;
pub(super) mod describing;
pub(super) mod documents;
pub(super) mod facet;
mod granularity;
pub(super) mod graph_lookup;
pub(super) mod group;
pub(super) mod limit;
pub(super) mod lookup;
pub(super) mod matching;
pub(super) mod merge;
pub(super) mod out;
mod out_time_series;
mod percentile;
pub(super) mod project;
mod ranking;
pub(super) mod redact;
pub(super) mod replace_root;
pub(super) mod sample;
pub(super) mod sort;
pub(super) mod union_with;
pub(super) mod unwind;
mod write_batch;
