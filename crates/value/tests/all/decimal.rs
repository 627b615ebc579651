//! Decimal128: text, conversions, rounding, arithmetic.

use crate::support::any_number;
use proptest::prelude::*;
use value::decimal::{ParseDecimalError, Parts, Rounding};
use value::{Decimal128, Value};

fn decimal(text: &str) -> Decimal128 {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Operations and what they come to, all as text.
#[track_caller]
fn check(rows: &[(Decimal128, &str)]) {
    for (result, expected) in rows {
        assert_eq!(result.to_string(), *expected);
    }
}

#[test]
fn text_keeps_digits_and_exponent() {
    for text in [
        "0",
        "-0",
        "1",
        "-1",
        "1.0",
        "0.001",
        "1.000000",
        "0.000001",
        "1E-7",
        "1.5E-7",
        "1E+3",
        "1.2345E+10",
        "0E+5",
        "0.00",
        "9.999999999999999999999999999999999E+6144",
        "1E-6176",
        "-0E-6176",
        "NaN",
        "Infinity",
        "-Infinity",
        "1234567890123456789012345678901234",
        "0.1234567890123456789012345678901234",
    ] {
        assert_eq!(decimal(text).to_string(), text);
    }
}

#[test]
fn other_spellings_are_understood() {
    let rows = [
        ("+1", "1"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1E+3"),
        ("1e0", "1"),
        ("10E-1", "1.0"),
        ("-nan", "NaN"),
        ("inf", "Infinity"),
        ("-INFINITY", "-Infinity"),
        ("00012", "12"),
        ("1E6144", "1.000000000000000000000000000000000E+6144"),
        ("0E9999", "0E+6111"),
        ("0E-9999", "0E-6176"),
        ("10E-6177", "1E-6176"),
        (
            "1000000000000000000000000000000000000",
            "1.000000000000000000000000000000000E+36",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(decimal(text).to_string(), expected);
    }
}

#[test]
fn malformed_numbers_are_refused() {
    for text in [
        "", " ", "1 ", " 1", "+", "-", ".", "e1", "1e", "1e+", "1..2", "--1", "1e1.5", "infin", "sNaN",
        "1_0", "0x1", "é",
    ] {
        assert_eq!(
            text.parse::<Decimal128>(),
            Err(ParseDecimalError::Syntax),
            "{text:?}"
        );
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused_or_rounded() {
    let rows = [
        (
            "12345678901234567890123456789012345",
            "1.234567890123456789012345678901234E+34",
        ),
        (
            "12345678901234567890123456789012355",
            "1.234567890123456789012345678901236E+34",
        ),
        (
            "123456789012345678901234567890123450000001",
            "1.234567890123456789012345678901235E+41",
        ),
        (
            "99999999999999999999999999999999999",
            "1.000000000000000000000000000000000E+35",
        ),
        ("1E-6177", "0E-6176"),
        ("6E-6177", "1E-6176"),
        ("1E+6145", "Infinity"),
        ("-1E+999999999999999999999", "-Infinity"),
        ("1E-999999999999999999999", "0E-6176"),
    ];
    for (text, rounded) in rows {
        assert_eq!(
            text.parse::<Decimal128>(),
            Err(ParseDecimalError::Inexact),
            "{text}"
        );
        assert_eq!(Decimal128::parse_rounded(text).unwrap().to_string(), rounded);
    }
}

#[test]
fn encodings_are_bsons() {
    let hex = |decimal: Decimal128| u128::from_le_bytes(*decimal.bytes());
    assert_eq!(hex(decimal("1")), 0x3040_0000_0000_0000_0000_0000_0000_0001);
    assert_eq!(hex(decimal("-0.1")), 0xB03E_0000_0000_0000_0000_0000_0000_0001);
    assert_eq!(hex(decimal("NaN")), 0x7C00_0000_0000_0000_0000_0000_0000_0000);
    assert_eq!(
        hex(decimal("-Infinity")),
        0xF800_0000_0000_0000_0000_0000_0000_0000
    );
}

#[test]
fn coefficients_that_are_too_large_mean_zero() {
    let too_large = Decimal128::from_bytes((0x3040u128 << 112 | 10u128.pow(34)).to_le_bytes());
    assert!(too_large.is_zero());
    assert_eq!(too_large.canonical(), decimal("0"));
    let other_form = Decimal128::from_bytes((0x6C10u128 << 112 | 5).to_le_bytes());
    assert_eq!(other_form.to_string(), "0");
}

#[test]
fn doubles_become_15_digits() {
    let rows = [
        (2.5, "2.50000000000000"),
        (1.0, "1.00000000000000"),
        (0.1, "0.100000000000000"),
        (1e16, "1.00000000000000E+16"),
        (1.0 / 3.0, "0.333333333333333"),
        (0.0, "0"),
        (-0.0, "-0"),
        (f64::MAX, "1.79769313486232E+308"),
        (5e-324, "4.94065645841247E-324"),
        (42.0, "42.0000000000000"),
        (1.234_567_890_123_456, "1.23456789012346"),
        (f64::INFINITY, "Infinity"),
        (f64::NAN, "NaN"),
    ];
    for (double, expected) in rows {
        assert_eq!(Decimal128::from_f64(double).to_string(), expected);
    }
}

#[test]
fn decimals_become_the_nearest_double() {
    for double in [0.1, 1e22, 1e23, f64::MAX, f64::MIN_POSITIVE, -2.5, 1.0 / 3.0] {
        assert_eq!(decimal(&format!("{double:.17e}")).to_f64(), double);
    }
    assert_eq!(decimal("1E+400").to_f64(), f64::INFINITY);
    assert_eq!(decimal("-1E-400").to_f64(), 0.0);
    assert!(decimal("NaN").to_f64().is_nan());
}

#[test]
fn decimals_become_integers_where_they_are() {
    let rows = [
        ("5", Some(5), Some(5)),
        ("5.00", Some(5), Some(5)),
        ("-5.9", None, Some(-5)),
        ("1E+3", Some(1000), Some(1000)),
        ("9223372036854775807", Some(i64::MAX), Some(i64::MAX)),
        ("9223372036854775808", None, None),
        ("-9223372036854775808", Some(i64::MIN), Some(i64::MIN)),
        ("1E-6000", None, Some(0)),
        ("0E+6000", Some(0), Some(0)),
        ("1E+30", None, None),
        ("NaN", None, None),
        ("-Infinity", None, None),
    ];
    for (text, exact, truncated) in rows {
        assert_eq!(
            (decimal(text).to_i64_exact(), decimal(text).to_i64_truncated()),
            (exact, truncated),
            "{text}"
        );
    }
}

#[test]
fn rounding_drops_digits_in_the_direction_asked() {
    let rows = [
        ("2.5", "2", "2", "2", "3"),
        ("-2.5", "-2", "-2", "-3", "-2"),
        ("3.5", "4", "3", "3", "4"),
        ("2.51", "3", "2", "2", "3"),
        ("0.2", "0", "0", "0", "1"),
        ("-0.2", "-0", "-0", "-1", "-0"),
        ("1E-100", "0", "0", "0", "1"),
        ("7", "7", "7", "7", "7"),
    ];
    for (text, half_even, towards_zero, floor, ceiling) in rows {
        let round = |rounding| decimal(text).quantize(0, rounding);
        check(&[
            (round(Rounding::HalfEven), half_even),
            (round(Rounding::TowardsZero), towards_zero),
            (round(Rounding::Floor), floor),
            (round(Rounding::Ceiling), ceiling),
        ]);
    }
}

#[test]
fn rounding_to_a_place_keeps_what_has_fewer_digits() {
    let round = |text: &str, place| decimal(text).round_to_place(place, Rounding::HalfEven);
    check(&[
        (round("23.298", -1), "2E+1"),
        (round("0.95", 1), "1.0"),
        (round("0.65", 1), "0.6"),
        (round("1.5", 3), "1.5"),
        (round("1E+6144", 0), "1.000000000000000000000000000000000E+6144"),
        (round("-Infinity", 0), "-Infinity"),
    ]);
}

#[test]
fn floor_and_ceil_give_integers_or_nan() {
    check(&[
        (decimal("1.5").floor(), "1"),
        (decimal("-1.5").floor(), "-2"),
        (decimal("-1.5").ceil(), "-1"),
        (decimal("1E+6144").floor(), "NaN"),
        (decimal("1E-6143").floor(), "0"),
        (decimal("Infinity").ceil(), "Infinity"),
    ]);
}

#[test]
fn arithmetic_is_decimal() {
    let [a, b] = [decimal("10.5"), decimal("3.2")];
    check(&[
        (a.add(b), "13.7"),
        (a.subtract(b), "7.3"),
        (a.multiply(b), "33.60"),
        (a.divide(b), "3.28125"),
        (a.remainder(b), "0.9"),
        (decimal("0.1").add(decimal("0.2")), "0.3"),
        (
            decimal("10").divide(decimal("3")),
            "3.333333333333333333333333333333333",
        ),
        (decimal("1").divide(decimal("0")), "Infinity"),
        (decimal("0").divide(decimal("0")), "NaN"),
        (decimal("-Infinity").add(decimal("1")), "-Infinity"),
        (decimal("NaN").multiply(b), "NaN"),
        (decimal("9E+6144").multiply(decimal("10")), "Infinity"),
        (a.negate(), "-10.5"),
        (a.negate().abs(), "10.5"),
        (decimal("-0").add(decimal("-0.00")), "-0.00"),
    ]);
}

#[test]
fn remainders_are_exact_at_any_distance() {
    let three = decimal("3");
    check(&[
        (
            decimal("9.999999999999999999999999999999999E+6144").remainder(three),
            "0",
        ),
        (decimal("1E+6144").remainder(three), "1"),
        (decimal("-7").remainder(three), "-1"),
        (decimal("-6").remainder(three), "-0"),
        (three.remainder(decimal("Infinity")), "3"),
        (decimal("5").remainder(decimal("1E+6000")), "5"),
        (decimal("1").remainder(decimal("0")), "NaN"),
        (decimal("1E-6176").remainder(three), "1E-6176"),
    ]);
}

#[test]
fn functions_have_34_digits() {
    check(&[
        (decimal("2").sqrt(), "1.414213562373095048801688724209698"),
        (decimal("0.25").sqrt(), "0.5"),
        (decimal("-1").sqrt(), "NaN"),
        (decimal("1").exp(), "2.718281828459045235360287471352662"),
        (decimal("0").exp(), "1"),
        (decimal("-Infinity").exp(), "0"),
        (decimal("-1E+10").exp(), "0E-6176"),
        (decimal("1E+10").exp(), "Infinity"),
        (decimal("10").ln(), "2.302585092994045684017991454684364"),
        (decimal("1").ln(), "0"),
        (decimal("0").ln(), "-Infinity"),
        (decimal("2").log10(), "0.3010299956639811952137388947244930"),
        (decimal("1E-6176").log10(), "-6176"),
        (decimal("1E-6143").ln(), "-14144.78022626242263692252150612605"),
    ]);
}

#[test]
fn powers_are_padded_to_34_digits() {
    let pow = |base: &str, exponent: &str| decimal(base).pow(decimal(exponent));
    check(&[
        (pow("2", "3"), "8.000000000000000000000000000000000"),
        (pow("10", "20"), "100000000000000000000.0000000000000"),
        (pow("-Infinity", "3"), "-Infinity"),
        (pow("-Infinity", "-1"), "0E-6176"),
        (pow("2", "0.5"), "1.414213562373095048801688724209698"),
        (pow("0", "0"), "1.000000000000000000000000000000000"),
        (pow("0.5", "Infinity"), "0E-6176"),
        (pow("-2", "0.5"), "NaN"),
    ]);
}

proptest! {
    #[test]
    fn every_decimal_reads_back_from_its_text(bytes in any::<[u8; 16]>()) {
        let decimal = Decimal128::from_bytes(bytes);
        let canonical = if decimal.is_nan() { Decimal128::NAN } else { decimal.canonical() };
        prop_assert_eq!(decimal.to_string().parse::<Decimal128>(), Ok(canonical));
    }

    #[test]
    fn parts_make_the_same_decimal(negative in any::<bool>(), coefficient in 0..10u128.pow(34), exponent in -6176i32..=6111) {
        let parts = Parts::Finite { negative, coefficient, exponent };
        prop_assert_eq!(Decimal128::from_parts(parts).unwrap().parts(), parts);
    }

    #[test]
    fn what_is_added_can_be_subtracted_again(a in 0i64.., b in 0i64..) {
        let [x, y] = [Decimal128::from(a), Decimal128::from(b)];
        prop_assert_eq!(x.add(y).subtract(y), x);
    }

    #[test]
    fn numbers_that_are_integers_say_so(value in any_number()) {
        if let Some(int) = value.as_i64_exact() {
            prop_assert!(value::compare(value.as_ref(), Value::Int64(int).as_ref()).is_eq());
        }
    }
}
