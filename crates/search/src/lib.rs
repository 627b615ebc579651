//! Full text and Elasticsearch's queries over documents.
//!
//! A [`Mapping`] says how the fields of a collection are read, [`Analysis`] how text becomes terms (both of the crate
//! `mapping`). A [`Request`] is what a client asks: a query, a sort, aggregations. A [`Run`] shows it every document of one or more
//! collections and gives the best hits in the end.
//!
//! What must hold: the same documents and the same request give the same answer in whatever order the documents come; a
//! document is read as it lies on disk, and nothing of it is kept twice; a parameter that is not understood is an error
//! that names it.
//!
//! Left to others: where documents come from and who may see them (`engine`), the wire form of answers (`elastic`).

mod aggregations;
mod form;
mod given;
mod highlight;
mod hit;
mod indexed;
mod inner;
mod more_like;
mod named;
mod order;
mod profile;
mod prospect;
mod request;
mod run;
mod seen;
mod sort;

pub use aggregations::{Aggregations, BUCKETS_MAX, Background, Counting, Counts, Grouping, Rows, ShowHit};
pub use form::check_form;
pub use highlight::{ANALYZED_CHARS_MAX, Highlight};
pub use hit::Hit;
pub use indexed::{IndexLookup, Layout, Scoring};
pub use inner::InnerFound;
pub use mapping::analysis::{Analysis, Analyzer, Token};
pub use mapping::dates::{date_math_name, date_text};
pub use mapping::error::{ErrorKind, Result, SearchError};
pub use mapping::fields::simple_match;
pub use mapping::intervals::Relation;
pub use mapping::java::class_of_json;
pub use mapping::json::{Members, token_of};
pub use mapping::meant::{meant, unrecognized};
pub use mapping::names;
pub use mapping::shards::{Shards, usual_parts};
pub use mapping::{Mapping, OBJECTS_DEPTH_MAX, Placed, Rules, ValueKind, shard_counts};
pub use more_like::{Like, MoreLike};
pub use profile::{FoundBy, Profile};
pub use prospect::Prospect;
pub use querying::{
    BoolQuery, CLAUSES_MAX, DEPTH_MAX, DocumentScript, FieldUse, Held, InnerHits, Knn, NearnessQuery,
    Neighbours, NestedMode, NestedQuery, Query, Slice, bytes_of, look_if_wanted, lucene_expression,
    parse_query, parse_query_string, parse_time, script_parts,
};
pub use request::{Request, WINDOW_MAX};
pub use run::{NewestWanted, Run};
pub use seen::{Index, Outcome, Seen};
pub use sort::{Order, SortKey, parse_sort};
