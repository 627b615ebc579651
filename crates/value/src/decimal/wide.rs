//! Computing with more digits than are kept, and giving the results as many as are meant.

use super::{DIGITS_MAX, Decimal128, Parts, Rounding};
use dec::{Context, Decimal};

/// Units of three digits in which intermediate results are kept: 90 digits for results of 34.
pub(super) const WIDE_UNITS: usize = 30;

/// A decimal with the digits of an intermediate result.
pub(super) type Wide = Decimal<WIDE_UNITS>;

/// The largest exponent of intermediate results: libdecnumber's functions refuse to work without such a limit.
const WIDE_EXPONENT_MAX: isize = 99_999;

/// A context to compute in.
pub(super) fn wide_context() -> Context<Wide> {
    let mut cx = Context::<Wide>::default();
    // Within what the library accepts, so that neither can fail.
    let limited = cx
        .set_max_exponent(WIDE_EXPONENT_MAX)
        .and(cx.set_min_exponent(-WIDE_EXPONENT_MAX));
    debug_assert!(limited.is_ok());
    cx
}

/// The double's exact value to 34 digits.
pub fn from_double_exactly(number: f64) -> Decimal128 {
    if !number.is_finite() || number == 0.0 {
        return Decimal128::from_f64(number);
    }
    Decimal128::parse_rounded(&format!("{number:.33e}")).unwrap_or(Decimal128::NAN)
}

/// The number with exactly `places` decimals (negative: rounded to tens, hundreds …), or as many as 34 digits allow.
pub fn to_places(number: Decimal128, places: i32, rounding: Rounding) -> Decimal128 {
    let Parts::Finite {
        coefficient,
        exponent,
        ..
    } = number.parts()
    else {
        return number;
    };
    let digits = coefficient.checked_ilog10().unwrap_or(0) + 1;
    let exponent_min = exponent - (DIGITS_MAX as i32 - digits as i32);
    number.quantize((-places).max(exponent_min), rounding)
}

/// The number with more digits to compute with.
pub(super) fn widened(number: Decimal128) -> Wide {
    // Both write and read the same notation.
    wide_context()
        .parse(number.to_string())
        .unwrap_or_else(|_| Wide::nan())
}

/// The result of a computation, rounded to 34 digits; an exact one without trailing zeros after the point.
pub(super) fn narrowed(number: &Wide) -> Decimal128 {
    let rounded = Decimal128::parse_rounded(&number.to_string()).unwrap_or(Decimal128::NAN);
    let mut shortest = *number;
    wide_context().reduce(&mut shortest);
    if shortest.digits() > DIGITS_MAX {
        return rounded;
    }
    without_zeros(rounded)
}

/// The same number without trailing zeros after the point.
pub fn without_zeros(rounded: Decimal128) -> Decimal128 {
    let Parts::Finite {
        negative,
        mut coefficient,
        mut exponent,
    } = rounded.parts()
    else {
        return rounded;
    };
    while exponent < 0 && coefficient != 0 && coefficient.is_multiple_of(10) {
        coefficient /= 10;
        exponent += 1;
    }
    Decimal128::from_parts(Parts::Finite {
        negative,
        coefficient,
        exponent,
    })
    .unwrap_or(rounded)
}
