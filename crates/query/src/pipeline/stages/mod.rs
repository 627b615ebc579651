//! The stages, a file each.

pub(super) mod accumulation;
pub(super) mod bucket;
pub(super) mod bucket_auto;
pub(super) mod count;
pub(super) mod documents;
pub(super) mod facet;
mod granularity;
pub(super) mod group;
pub(super) mod limit;
pub(super) mod matching;
mod percentile;
pub(super) mod project;
mod ranking;
pub(super) mod redact;
pub(super) mod replace_root;
pub(super) mod sample;
pub(super) mod sort;
pub(super) mod unwind;
