//! Planning: which indexes can answer a query, and how.
//!
//! A [`Query`] (filter, sort, the fields that are needed, hint) and the collection's indexes ([`catalog`]) become
//! [`Candidates`]: plans ([`Plan`]) that each give all results. The filter's top conjunction ([`leaves`]) is taken
//! apart into conditions on single paths, each condition into the keys that it allows ([`predicate`]), these into
//! bounds of each index ([`index_bounds`]) and byte ranges ([`key_bounds`]). `execute` lets the candidates run
//! against each other and remembers the winner of each shape of query.
//!
//! What must hold: every candidate finds every document that matches the filter; conditions that the bounds do not ensure are
//! matched again (`residual`); a scan that claims to be sorted is sorted.
//!
//! Left to others: reading (`execute`), showing plans (`explain`).

pub mod cache;
pub mod candidates;
pub mod catalog;
pub mod display;
pub mod facts;
pub mod geo;
pub mod hinted;
pub mod implies;
pub mod index_bounds;
pub mod index_filters;
pub mod interval;
pub mod key_bounds;
pub mod leaves;
pub mod near;
pub mod predicate;
pub mod query;
pub mod shape;
pub mod sort;
pub mod sort_fit;
pub mod text;
pub mod tree;
pub mod wildcard;

pub use cache::{PlanCache, collection_scans, forget_plan, forget_plans, remembered_plans};
pub use index_filters::{IndexFilter, IndexFilters};
pub use near::NearScan;
pub use query::{Hint, Query};
pub use shape::Shape;
pub use sort::{Ordering, SortField, SortPattern};
pub use tree::{Access, Candidates, IndexScan, Plan};
