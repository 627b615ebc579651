//! BSON's decimal128 (binary integer significand) and the decimals that are computed with (densely packed).

use dec::{Context, Decimal128 as Decimal};
use value::Decimal128;

const EXPONENT_BIAS: i32 = 6176;
const COEFFICIENT_MAX: u128 = 10u128.pow(34) - 1;
const SIGN: u128 = 1 << 127;
const NAN: u128 = 0x7C << 120;
const INFINITY: u128 = 0x78 << 120;

/// A context with BSON's precision and rounding (34 digits, half to even).
pub(crate) fn context() -> Context<Decimal> {
    Context::default()
}

/// The number to compute with.
pub(crate) fn from_bson(number: Decimal128) -> Decimal {
    let bits = u128::from_le_bytes(*number.bytes());
    let negative = bits & SIGN != 0;
    let magnitude = match bits >> 122 & 0x1F {
        0b1_1111 => return Decimal::NAN,
        0b1_1110 => infinity(),
        // The longer exponent goes with coefficients that are too large to be valid, and so count as zero.
        0b1_1000..=0b1_1101 => finite(0, ((bits >> 111) & 0x3FFF) as i32),
        _ => {
            let coefficient = bits & ((1 << 113) - 1);
            let exponent = ((bits >> 113) & 0x3FFF) as i32;
            finite(
                if coefficient > COEFFICIENT_MAX {
                    0
                } else {
                    coefficient
                },
                exponent,
            )
        }
    };
    if negative { negated(magnitude) } else { magnitude }
}

fn finite(coefficient: u128, biased: i32) -> Decimal {
    let mut cx = context();
    let mut number = cx.from_u128(coefficient);
    cx.set_exponent(&mut number, biased - EXPONENT_BIAS);
    number
}

fn infinity() -> Decimal {
    let mut cx = context();
    cx.div(Decimal::ONE, Decimal::ZERO)
}

/// The number with its sign turned, zero's and infinity's too.
pub(crate) fn negated(number: Decimal) -> Decimal {
    let mut bytes = number.to_le_bytes();
    bytes[15] ^= 0x80;
    Decimal::from_le_bytes(bytes)
}

/// The number as BSON has it.
pub(crate) fn to_bson(number: Decimal) -> Decimal128 {
    let sign = if number.is_signed() && !number.is_nan() {
        SIGN
    } else {
        0
    };
    let bits = if number.is_nan() {
        NAN
    } else if number.is_infinite() {
        INFINITY
    } else {
        let biased = (number.exponent() + EXPONENT_BIAS) as u128;
        biased << 113 | number.coefficient().unsigned_abs()
    };
    Decimal128::from_bytes((sign | bits).to_le_bytes())
}

/// The double to 15 significant digits, as MongoDB has it in arithmetic.
pub(crate) fn from_double(number: f64) -> Decimal {
    if number.is_nan() {
        return Decimal::NAN;
    }
    if number.is_infinite() {
        return if number < 0.0 {
            negated(infinity())
        } else {
            infinity()
        };
    }
    if number == 0.0 {
        return if number.is_sign_negative() {
            negated(Decimal::ZERO)
        } else {
            Decimal::ZERO
        };
    }
    context().parse(format!("{number:.14e}")).unwrap_or(Decimal::NAN)
}

/// The double's exact value to 34 digits.
pub(crate) fn from_double_exactly(number: f64) -> Decimal {
    if !number.is_finite() || number == 0.0 {
        return from_double(number);
    }
    context().parse(format!("{number:.33e}")).unwrap_or(Decimal::NAN)
}

/// The nearest double.
pub(crate) fn to_double(number: Decimal) -> f64 {
    if number.is_nan() {
        return f64::NAN;
    }
    // Its text is Rust's syntax too, "Infinity" included.
    number.to_string().parse().unwrap_or(f64::NAN)
}

/// The integer, rounded half to even where there is a fraction; none where it does not fit.
pub(crate) fn to_i64(number: Decimal) -> Option<i64> {
    if !number.is_finite() {
        return None;
    }
    let whole = context().round(number);
    to_double(whole)
        .abs()
        .lt(&1e19)
        .then(|| whole.to_standard_notation_string().parse().ok())?
}

/// The nearest whole number in this direction, with no decimals.
pub(crate) fn to_whole(number: Decimal, rounding: dec::Rounding) -> Decimal {
    if !number.is_finite() || number.exponent() >= 0 {
        return number;
    }
    quantize(number, 0, rounding)
}

/// The number with so many decimals (negative: rounded to tens, hundreds …), as far as 34 digits allow.
pub(crate) fn quantize(number: Decimal, places: i32, rounding: dec::Rounding) -> Decimal {
    if !number.is_finite() {
        return number;
    }
    let mut cx = context();
    cx.set_rounding(rounding);
    let mut quantum = cx.from_u128(1);
    // More decimals than fit are as many as fit.
    let room = number.exponent() - (34 - number.digits() as i32);
    cx.set_exponent(&mut quantum, (-places).max(room));
    cx.quantize(number, quantum)
}

/// The same number without trailing zeros behind the point.
pub(crate) fn shortest(number: Decimal) -> Decimal {
    if !number.is_finite() || number.exponent() >= 0 {
        return number;
    }
    let reduced = context().reduce(number);
    if reduced.exponent() > 0 {
        context().quantize(reduced, Decimal::ONE)
    } else {
        reduced
    }
}
