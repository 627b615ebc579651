//! Trigonometry on decimals: reduction of the argument, then series, with twice the digits that are kept.

use super::Decimal128;
use super::wide::{Wide, narrowed, wide_context, widened};
use dec::Context;

/// π to 100 digits.
const PI: &str =
    "3.141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117068";

struct Math {
    cx: Context<Wide>,
    pi: Wide,
}

impl Math {
    fn new() -> Math {
        let mut cx = wide_context();
        let pi = cx.parse(PI).unwrap_or_else(|_| Wide::zero());
        Math { cx, pi }
    }

    fn int(&self, number: u32) -> Wide {
        Wide::from(number)
    }

    fn add(&mut self, a: Wide, b: Wide) -> Wide {
        let mut sum = a;
        self.cx.add(&mut sum, &b);
        sum
    }

    fn sub(&mut self, a: Wide, b: Wide) -> Wide {
        let mut difference = a;
        self.cx.sub(&mut difference, &b);
        difference
    }

    fn mul(&mut self, a: Wide, b: Wide) -> Wide {
        let mut product = a;
        self.cx.mul(&mut product, &b);
        product
    }

    fn div(&mut self, a: Wide, b: Wide) -> Wide {
        let mut quotient = a;
        self.cx.div(&mut quotient, &b);
        quotient
    }

    fn sqrt(&mut self, a: Wide) -> Wide {
        let mut root = a;
        self.cx.sqrt(&mut root);
        root
    }

    fn exp(&mut self, a: Wide) -> Wide {
        let mut power = a;
        self.cx.exp(&mut power);
        power
    }

    fn ln(&mut self, a: Wide) -> Wide {
        let mut logarithm = a;
        self.cx.ln(&mut logarithm);
        logarithm
    }

    /// The sum of terms, each made from the one before, until they no longer count.
    fn series(&mut self, first: Wide, mut next: impl FnMut(&mut Math, Wide, u32) -> Wide) -> Wide {
        let (mut sum, mut term) = (first, first);
        for step in 1..1_000 {
            term = next(self, term, step);
            let before = sum;
            sum = self.add(sum, term);
            if sum == before || term.is_zero() {
                break;
            }
        }
        sum
    }

    /// The argument brought into (-π, π) by whole turns.
    fn reduced(&mut self, x: Wide) -> Wide {
        let turn = self.add(self.pi, self.pi);
        let mut rest = x;
        self.cx.rem(&mut rest, &turn);
        rest
    }

    fn sin(&mut self, x: Wide) -> Wide {
        let x = self.reduced(x);
        let square = self.mul(x, x);
        self.series(x, |math, term, step| {
            let divisor = math.int(2 * step * (2 * step + 1));
            let next = math.mul(term, square);
            -math.div(next, divisor)
        })
    }

    fn cos(&mut self, x: Wide) -> Wide {
        let x = self.reduced(x);
        let square = self.mul(x, x);
        let one = self.int(1);
        self.series(one, |math, term, step| {
            let divisor = math.int(2 * step * (2 * step - 1));
            let next = math.mul(term, square);
            -math.div(next, divisor)
        })
    }

    /// The arc tangent: the argument is halved until the series converges fast.
    fn atan(&mut self, x: Wide) -> Wide {
        let one = self.int(1);
        let (mut x, mut doublings) = (x, 0);
        while doublings < 8 {
            // atan(x) = 2 atan(x / (1 + sqrt(1 + x²)))
            let square = self.mul(x, x);
            let sum = self.add(one, square);
            let root = self.sqrt(sum);
            let divisor = self.add(one, root);
            x = self.div(x, divisor);
            doublings += 1;
        }
        let square = self.mul(x, x);
        let mut power = x;
        let sum = self.series(x, |math, _, step| {
            let next = math.mul(power, square);
            power = -next;
            let divisor = math.int(2 * step + 1);
            math.div(power, divisor)
        });
        let factor = self.int(1 << doublings);
        self.mul(sum, factor)
    }

    fn half_pi(&mut self) -> Wide {
        let two = self.int(2);
        self.div(self.pi, two)
    }
}

fn apply(x: Decimal128, function: impl FnOnce(&mut Math, Wide) -> Wide) -> Decimal128 {
    narrowed(&function(&mut Math::new(), widened(x)))
}

/// The sine.
pub fn sin(x: Decimal128) -> Decimal128 {
    if x.is_zero() { x } else { apply(x, Math::sin) }
}

/// The cosine.
pub fn cos(x: Decimal128) -> Decimal128 {
    apply(x, Math::cos)
}

/// The tangent.
pub fn tan(x: Decimal128) -> Decimal128 {
    if x.is_zero() {
        return x;
    }
    apply(x, |math, x| {
        let (sin, cos) = (math.sin(x), math.cos(x));
        math.div(sin, cos)
    })
}

/// The angle whose sine this is, for numbers from -1 to 1.
pub fn asin(x: Decimal128) -> Decimal128 {
    if x.is_zero() {
        return x;
    }
    apply(x, |math, x| {
        let (one, square) = (math.int(1), math.mul(x, x));
        let rest = math.sub(one, square);
        if rest.is_zero() {
            let half = math.half_pi();
            return if x.is_negative() { -half } else { half };
        }
        let root = math.sqrt(rest);
        let tangent = math.div(x, root);
        math.atan(tangent)
    })
}

/// The angle whose cosine this is, for numbers from -1 to 1.
pub fn acos(x: Decimal128) -> Decimal128 {
    apply(x, |math, x| {
        let (one, square) = (math.int(1), math.mul(x, x));
        let rest = math.sub(one, square);
        let half = math.half_pi();
        if rest.is_zero() {
            let arc = if x.is_negative() { -half } else { half };
            return math.sub(half, arc);
        }
        let root = math.sqrt(rest);
        let tangent = math.div(x, root);
        let arc = math.atan(tangent);
        math.sub(half, arc)
    })
}

/// The angle whose tangent this is.
pub fn atan(x: Decimal128) -> Decimal128 {
    if x.is_zero() || x.is_nan() {
        return x;
    }
    apply(x, |math, x| {
        if x.is_infinite() {
            let half = math.half_pi();
            return if x.is_negative() { -half } else { half };
        }
        math.atan(x)
    })
}

/// The angle of the point at `x` and `y`.
pub fn atan2(y: Decimal128, x: Decimal128) -> Decimal128 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_infinite() || x.is_zero() || y.is_zero() {
        let quadrant = y.to_f64().atan2(x.to_f64());
        return apply(Decimal128::ZERO, |math, _| multiple_of_pi(math, quadrant));
    }
    let wide_x = widened(x);
    apply(y, |math, y| {
        let tangent = math.div(y, wide_x);
        let arc = math.atan(tangent);
        match (wide_x.is_negative(), y.is_negative()) {
            (false, _) => arc,
            (true, false) => math.add(arc, math.pi),
            (true, true) => math.sub(arc, math.pi),
        }
    })
}

/// The exact multiple of a quarter of π that a double arc stands for.
fn multiple_of_pi(math: &mut Math, arc: f64) -> Wide {
    if arc.is_nan() {
        return Wide::nan();
    }
    let quarters = (arc / std::f64::consts::FRAC_PI_4).round() as i32;
    let (factor, four) = (Wide::from(quarters), math.int(4));
    let product = math.mul(math.pi, factor);
    math.div(product, four)
}

/// (e^x ± e^-x) / 2
fn half_sum(math: &mut Math, x: Wide, sign: i32) -> Wide {
    let (up, down) = (math.exp(x), math.exp(-x));
    let down = math.mul(down, Wide::from(sign));
    let (sum, two) = (math.add(up, down), math.int(2));
    math.div(sum, two)
}

/// The hyperbolic sine.
pub fn sinh(x: Decimal128) -> Decimal128 {
    if x.is_zero() || !x.is_finite() {
        x
    } else {
        apply(x, |math, x| half_sum(math, x, -1))
    }
}

/// The hyperbolic cosine.
pub fn cosh(x: Decimal128) -> Decimal128 {
    if x.is_infinite() {
        x.abs()
    } else {
        apply(x, |math, x| half_sum(math, x, 1))
    }
}

/// The hyperbolic tangent.
pub fn tanh(x: Decimal128) -> Decimal128 {
    if x.is_zero() {
        return x;
    }
    apply(x, |math, x| {
        let (one, two) = (math.int(1), math.int(2));
        let doubled = math.mul(x, two);
        // 1 - 2 / (e^2x + 1) holds at both infinities.
        let power = math.exp(doubled);
        let divisor = math.add(power, one);
        let rest = math.div(two, divisor);
        math.sub(one, rest)
    })
}

/// The number whose hyperbolic sine this is.
pub fn asinh(x: Decimal128) -> Decimal128 {
    if x.is_zero() || !x.is_finite() {
        return x;
    }
    let negative = x.is_negative();
    apply(x, |math, x| {
        // ln(|x| + sqrt(x² + 1)), on |x| so that nothing cancels.
        let x = if negative { -x } else { x };
        let (one, square) = (math.int(1), math.mul(x, x));
        let sum = math.add(square, one);
        let root = math.sqrt(sum);
        let sum = math.add(x, root);
        let arc = math.ln(sum);
        if negative { -arc } else { arc }
    })
}

/// The number whose hyperbolic cosine this is, for numbers from 1.
pub fn acosh(x: Decimal128) -> Decimal128 {
    if !x.is_finite() {
        return x;
    }
    apply(x, |math, x| {
        let (one, square) = (math.int(1), math.mul(x, x));
        let rest = math.sub(square, one);
        let root = math.sqrt(rest);
        let sum = math.add(x, root);
        math.ln(sum)
    })
}

/// The number whose hyperbolic tangent this is, for numbers from -1 to 1.
pub fn atanh(x: Decimal128) -> Decimal128 {
    if x.is_zero() || x.is_nan() {
        return x;
    }
    apply(x, |math, x| {
        let (one, two) = (math.int(1), math.int(2));
        let (up, down) = (math.add(one, x), math.sub(one, x));
        let quotient = math.div(up, down);
        let logarithm = math.ln(quotient);
        math.div(logarithm, two)
    })
}

/// Degrees in radians.
pub fn to_radians(x: Decimal128) -> Decimal128 {
    apply(x, |math, x| {
        let half_turn = math.int(180);
        let product = math.mul(x, math.pi);
        math.div(product, half_turn)
    })
}

/// Radians in degrees.
pub fn to_degrees(x: Decimal128) -> Decimal128 {
    apply(x, |math, x| {
        let half_turn = math.int(180);
        let product = math.mul(x, half_turn);
        math.div(product, math.pi)
    })
}
