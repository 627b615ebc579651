//! Numbers of BSON's four number types as one kind of thing.

mod access;
mod compare;
mod exact;

pub(crate) use compare::compare;
pub(crate) use exact::{decimal_digit_count, double_at_most};

use crate::Decimal128;

/// A number of any type; the two integer types are one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i64),
    Double(f64),
    Decimal(Decimal128),
}
