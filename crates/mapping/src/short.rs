//! Numbers of types with fewer bits than 64: `float` and `half_float`.

/// The bits of the fraction of a number of 16 bits.
const HALF_FRACTION_BITS: i64 = 10;
/// The exponent below which its neighbours are no nearer any more.
const HALF_EXPONENT_MIN: i64 = -14;
/// The first number that is rounded to one that it has no bits for.
const HALF_END: f64 = 65_520.0;

/// What a double has besides.
const FRACTION_BITS: u32 = 52;
const EXPONENT_MASK: u64 = 0x7ff;
const EXPONENT_BIAS: i64 = 1023;

/// Whether numbers of this type have fewer bits.
pub fn is_short(type_name: &str) -> bool {
    matches!(type_name, "float" | "half_float")
}

/// The number that a field of this type has in place of another: the nearest one, which may be infinite.
pub(crate) fn nearest(type_name: &str, number: f64) -> f64 {
    match type_name {
        "float" => f64::from(number as f32),
        "half_float" => half(f64::from(number as f32)),
        _ => number,
    }
}

/// The end of a range of numbers of this type: one between two numbers of 16 bits is an end all the same.
pub(crate) fn end(type_name: &str, number: f64) -> f64 {
    match is_short(type_name) {
        true => f64::from(number as f32),
        false => number,
    }
}

/// A number of 32 bits with the fewest digits that tell it from all others.
pub fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

/// The nearest number of 16 bits; of two as near, the even one.
fn half(number: f64) -> f64 {
    let exponent = ((number.to_bits() >> FRACTION_BITS) & EXPONENT_MASK) as i64 - EXPONENT_BIAS;
    let step = exponent.max(HALF_EXPONENT_MIN) - HALF_FRACTION_BITS;
    let step = f64::from_bits(((step + EXPONENT_BIAS) as u64) << FRACTION_BITS);
    let rounded = (number / step).round_ties_even() * step;
    match rounded.abs() < HALF_END {
        true => rounded,
        false => f64::INFINITY.copysign(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest_of_their_type() {
        assert_eq!(nearest("float", 0.1), 0.100_000_001_490_116_12);
        assert_eq!(nearest("double", 0.1), 0.1);
        for (number, rounded) in [
            (0.0, 0.0),
            (1.0, 1.0),
            (0.1, 0.099_975_585_937_5),
            (-0.1, -0.099_975_585_937_5),
            // Between two, the even one.
            (2049.0, 2048.0),
            (2051.0, 2052.0),
            (65_519.0, 65_504.0),
            (65_520.0, f64::INFINITY),
            (-1e9, f64::NEG_INFINITY),
            (f64::INFINITY, f64::INFINITY),
            // The least number, and half of it.
            (6e-8, 2_f64.powi(-24)),
            (2_f64.powi(-25), 0.0),
        ] {
            assert_eq!(nearest("half_float", number), rounded, "{number}");
        }
    }

    #[test]
    fn the_digits_of_short_numbers_tell_them_apart() {
        assert_eq!(shortest(0.1), 0.1);
        assert_eq!(shortest(half(0.1) as f32), 0.099_975_586);
    }
}
