//! Functions of decimals, computed with more digits than the result keeps.

use crate::expression::decimal;
use dec::{Context, Decimal, Decimal128};

/// Units of three digits in which intermediate results are kept: 60 digits for results of 34.
const UNITS: usize = 20;

type Wide = Decimal<UNITS>;

fn wide() -> Context<Wide> {
    Context::default()
}

fn narrow(number: &Wide) -> Decimal128 {
    decimal::context().from_decimal(number)
}

fn of(number: Decimal128, function: impl FnOnce(&mut Context<Wide>, &mut Wide)) -> Decimal128 {
    let mut result = Wide::from(number);
    function(&mut wide(), &mut result);
    decimal::shortest(narrow(&result))
}

pub(super) fn exp(x: Decimal128) -> Decimal128 {
    of(x, |cx, x| cx.exp(x))
}

pub(super) fn ln(x: Decimal128) -> Decimal128 {
    of(x, |cx, x| cx.ln(x))
}

pub(super) fn log10(x: Decimal128) -> Decimal128 {
    of(x, |cx, x| cx.log10(x))
}

pub(super) fn sqrt(x: Decimal128) -> Decimal128 {
    let mut result = Wide::from(x);
    wide().sqrt(&mut result);
    narrow(&result)
}

/// The logarithm of `x` to a base.
pub(super) fn log(x: Decimal128, base: Decimal128) -> Decimal128 {
    let mut divisor = Wide::from(base);
    wide().ln(&mut divisor);
    of(x, |cx, x| {
        cx.ln(x);
        cx.div(x, &divisor);
    })
}

pub(super) fn pow(base: Decimal128, exponent: Decimal128) -> Decimal128 {
    let exponent = Wide::from(exponent);
    let mut result = Wide::from(base);
    wide().pow(&mut result, &exponent);
    narrow(&result)
}
