//! Full text and Elasticsearch's queries over documents.
//!
//! A [`Mapping`] says how the fields of a collection are read ([`mapping`]), [`Analysis`] how text becomes terms. A
//! [`Request`] is what a client asks: a query, a sort, aggregations. A [`Run`] shows it every document of one or more
//! collections and gives the best hits in the end.
//!
//! What must hold: the same documents and the same request give the same answer in whatever order the documents come; a
//! document is read as it lies on disk, and nothing of it is kept twice; a parameter that is not understood is an error
//! that names it.
//!
//! Left to others: where documents come from and who may see them (`engine`), the wire form of answers (`elastic`).

mod aggregations;
mod analysis;
mod completion;
mod dates;
mod error;
mod fetch;
mod field_caps;
mod fields;
mod geo;
mod held;
mod highlight;
mod hit;
mod indexed;
mod intervals;
mod json;
pub mod mapping;
mod matching;
mod more_like;
mod order;
mod query;
mod request;
mod run;
mod sort;
mod suggest;
mod term_vector;

pub use aggregations::{Aggregations, BUCKETS_MAX, Grouping, Rows, ShowHit};
pub use analysis::{Analysis, Analyzer, Token};
pub use dates::{DateFormat, date_math_name, date_text};
pub use error::{Kind, Result, SearchError};
pub use fetch::{ValuesOf, WantedField};
pub use field_caps::FieldCaps;
pub use held::Held;
pub use highlight::{ANALYZED_CHARS_MAX, Highlight};
pub use hit::Hit;
pub use indexed::{Layout, Scoring, Wanted};
pub use intervals::Relation;
pub use mapping::Mapping;
pub use more_like::{Like, MoreLike};
pub use query::{CLAUSES_MAX, DEPTH_MAX, Query, parse_query, parse_query_string};
pub use request::{Request, WINDOW_MAX};
pub use run::{Index, NewestWanted, Outcome, Run, Seen};
pub use sort::{Order, SortKey, parse_sort};
pub use suggest::{ShowSuggested, Suggest, Suggested};
pub use term_vector::{TermCounts, TermVectors};
