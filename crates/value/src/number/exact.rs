//! Exact comparison of binary with decimal fractions.

use std::cmp::Ordering;

/// The number of decimal digits; 0 has none.
pub(crate) fn decimal_digit_count(coefficient: u128) -> u32 {
    coefficient.checked_ilog10().map_or(0, |log| log + 1)
}

/// A positive finite double as `mantissa * 2^exponent`.
fn binary_parts(double: f64) -> (u64, i32) {
    let bits = double.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52) as i32 & 0x7FF {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent - 1075),
    }
}

/// Compares `coefficient * 10^exponent` with a positive finite double.
pub(super) fn compare_decimal_with_double(coefficient: u128, exponent: i32, double: f64) -> Ordering {
    // Doubles lie between 10^-324 and 10^309; beyond, size alone decides, and the integers below stay small.
    let magnitude = exponent + decimal_digit_count(coefficient) as i32;
    if coefficient == 0 || magnitude < -324 {
        return Ordering::Less;
    }
    if magnitude > 309 {
        return Ordering::Greater;
    }
    let (mantissa, binary_exponent) = binary_parts(double);
    let mut left = Natural::new(coefficient);
    let mut right = Natural::new(u128::from(mantissa));
    // 10^e = 5^e * 2^e; powers with negative exponents go to the other side.
    if exponent >= 0 {
        left.multiply_by_power_of_5(exponent.unsigned_abs());
    } else {
        right.multiply_by_power_of_5(exponent.unsigned_abs());
    }
    let shift = exponent - binary_exponent;
    if shift >= 0 {
        left.shift_left(shift.unsigned_abs());
    } else {
        right.shift_left(shift.unsigned_abs());
    }
    left.compare(&right)
}

/// The largest finite double that is at most `coefficient * 10^exponent`, and whether it is equal.
pub(crate) fn double_at_most(coefficient: u128, exponent: i32) -> (f64, bool) {
    // The standard library's parser rounds to the nearest; a text of this form always parses.
    let nearest: f64 = format!("{coefficient}e{exponent}").parse().unwrap_or(f64::MAX);
    let nearest = nearest.min(f64::MAX);
    if nearest == 0.0 {
        return (0.0, coefficient == 0);
    }
    match compare_decimal_with_double(coefficient, exponent, nearest) {
        Ordering::Less => (nearest.next_down(), false),
        Ordering::Equal => (nearest, true),
        Ordering::Greater => (nearest, false),
    }
}

/// A natural number of any size, its least significant 64 bits first, the last not zero.
struct Natural {
    limbs: Vec<u64>,
}

impl Natural {
    fn new(value: u128) -> Natural {
        let mut natural = Natural {
            limbs: vec![value as u64, (value >> 64) as u64],
        };
        natural.trim();
        natural
    }

    fn trim(&mut self) {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }

    fn multiply(&mut self, factor: u64) {
        let mut carry = 0;
        for limb in &mut self.limbs {
            let product = u128::from(*limb) * u128::from(factor) + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
        if carry != 0 {
            self.limbs.push(carry as u64);
        }
    }

    fn multiply_by_power_of_5(&mut self, mut power: u32) {
        // 5^27 is the largest power that fits 64 bits.
        while power > 0 {
            let step = power.min(27);
            self.multiply(5u64.pow(step));
            power -= step;
        }
    }

    fn shift_left(&mut self, bits: u32) {
        self.multiply(1 << (bits % 64));
        self.limbs
            .splice(0..0, std::iter::repeat_n(0, (bits / 64) as usize));
    }

    fn compare(&self, other: &Natural) -> Ordering {
        self.limbs
            .len()
            .cmp(&other.limbs.len())
            .then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}
