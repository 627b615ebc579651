//! Numbers by Zipf's law: the first is the most frequent.
//!
//! After Gray and others, "Quickly generating billion-record synthetic databases" (1994), as YCSB does it.

/// YCSB's constant: the most frequent of 100,000 is asked for one time in thirteen.
const THETA: f64 = 0.99;

/// Draws numbers below a bound.
#[derive(Clone, Debug)]
pub(super) struct Zipfian {
    items: u64,
    zeta: f64,
    eta: f64,
}

impl Zipfian {
    /// Numbers below `items`.
    pub(super) fn new(items: u64) -> Zipfian {
        let zeta = zeta(items);
        let of_two = 1.0 - zeta_two() / zeta;
        Zipfian {
            items,
            zeta,
            eta: (1.0 - (2.0 / items as f64).powf(1.0 - THETA)) / of_two,
        }
    }

    /// The number that belongs to an even one between 0 and 1.
    pub(super) fn at(&self, even: f64) -> u64 {
        let of_zeta = even * self.zeta;
        if of_zeta < 1.0 {
            return 0;
        }
        if of_zeta < zeta_two() {
            return 1;
        }
        let alpha = 1.0 / (1.0 - THETA);
        let number = self.items as f64 * (self.eta * even - self.eta + 1.0).powf(alpha);
        (number as u64).min(self.items - 1)
    }
}

fn zeta(items: u64) -> f64 {
    (1..=items).map(|item| 1.0 / (item as f64).powf(THETA)).sum()
}

fn zeta_two() -> f64 {
    1.0 + 0.5f64.powf(THETA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_the_most_frequent() {
        let zipfian = Zipfian::new(1000);
        let draws = 100_000;
        let drawn: Vec<u64> = (0..draws)
            .map(|draw| zipfian.at(draw as f64 / draws as f64))
            .collect();
        let share = |number| drawn.iter().filter(|drawn| **drawn == number).count() as f64 / draws as f64;
        let expected = 1.0 / zeta(1000);
        assert!((share(0) - expected).abs() < 0.001, "{}", share(0));
        assert!(share(0) > share(1) && share(1) > share(10) && share(10) > share(500));
        assert!(drawn.iter().all(|number| *number < 1000));
    }
}
