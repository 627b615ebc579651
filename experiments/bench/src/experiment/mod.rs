//! One experiment a file. What was published and what must come out stands in `experiments/NAME/README.md`.

pub mod batching;
pub mod coupons;
pub mod files;
pub mod flush;
pub mod ids;
pub mod leaves;
pub mod logs;
pub mod pagetable;
pub mod parking;
pub mod pi;
pub mod pipelines;
pub mod plans;
pub mod shippers;
pub mod uploads;
pub mod ycsb;
