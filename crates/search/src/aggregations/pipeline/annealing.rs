//! Fitting a model to numbers by simulated annealing: neighbours of a model are tried, and worse ones are accepted less and less
//! often. The random numbers are the same each time, so that the same request has the same answer.

use super::models::Model;
use mapping::error::Result;
use querying::work;

/// How many neighbours are tried at a temperature.
const TRIES: usize = 100;
/// The factor of the temperature after them.
const COOLING: f64 = 0.9;
/// The temperature at which the search ends.
const COLD: f64 = 0.0001;

/// The model near this one that best predicts `test` from `train`.
pub(super) fn fitted(model: Model, train: &[f64], test: &[f64]) -> Result<Model> {
    let mut drawn = Drawn(0x9E37_79B9_7F4A_7C15);
    let (mut best, mut present) = (model, model);
    let mut present_cost = cost(model, train, test)?;
    let mut best_cost = present_cost;
    let mut temperature = 1.0;
    while temperature > COLD && model.choices() > 0 {
        for _ in 0..TRIES {
            work(1 + (train.len() + test.len()) / 8)?;
            let which = (drawn.next() * model.choices() as f64) as usize;
            let tried = present.neighbour(which, drawn.next());
            let tried_cost = cost(tried, train, test)?;
            let is_better = tried_cost < present_cost;
            if is_better || (-(tried_cost - present_cost) / temperature).exp() > drawn.next() {
                (present, present_cost) = (tried, tried_cost);
                if tried_cost < best_cost {
                    (best, best_cost) = (tried, tried_cost);
                }
            }
        }
        temperature *= COOLING;
    }
    Ok(best)
}

/// How far the predictions of a model are from `test`.
fn cost(model: Model, train: &[f64], test: &[f64]) -> Result<f64> {
    let foretold = model.next(train, test.len())?;
    Ok(foretold.iter().zip(test).map(|(a, b)| (a - b).abs()).sum())
}

/// Pseudo-random numbers from 0 to 1 (xorshift).
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
