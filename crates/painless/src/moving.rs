//! Moving averages and forecasts of a series of numbers: the functions of `MovingFunctions`. NaN is left out.

use std::collections::VecDeque;

/// What is added to all numbers where seasons are multiplicative, so that none of them is 0.
pub const PADDING: f64 = 1e-10;

/// The parameters of the Holt-Winters method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seasons {
    /// The weight of the last number in the level.
    pub alpha: f64,
    /// Its weight in the trend.
    pub beta: f64,
    /// Its weight in the seasons.
    pub gamma: f64,
    /// After how many numbers the seasons repeat.
    pub period: usize,
    /// Whether seasons are multiplicative, and not additive.
    pub are_factors: bool,
    /// What is added to every number.
    pub padding: f64,
}

fn there(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().copied().filter(|value| !value.is_nan())
}

/// The sum; 0 if there are no numbers.
pub fn sum(values: &[f64]) -> f64 {
    // Begins at 0, since the empty sum of Rust is -0.
    there(values).fold(0.0, |sum, value| sum + value)
}

/// The mean; NaN if there are no numbers.
pub fn unweighted_avg(values: &[f64]) -> f64 {
    let count = there(values).count();
    if count == 0 {
        f64::NAN
    } else {
        sum(values) / count as f64
    }
}

/// The standard deviation from a mean.
pub fn std_dev(values: &[f64], avg: f64) -> f64 {
    let squares: f64 = there(values).map(|value| (value - avg).powi(2)).sum();
    (squares / there(values).count() as f64).sqrt()
}

/// The mean with weights 1, 2, 3 and so on. It is divided by one more than the sum of the weights, as Elasticsearch does.
pub fn linear_weighted_avg(values: &[f64]) -> f64 {
    let (mut sum, mut weights) = (0.0, 1.0);
    for (at, value) in there(values).enumerate() {
        let weight = (at + 1) as f64;
        sum += value * weight;
        weights += weight;
    }
    if weights == 1.0 { f64::NAN } else { sum / weights }
}

/// The exponentially weighted mean: the last number has the weight `alpha`, the mean of those before it the rest.
pub fn ewma(values: &[f64], alpha: f64) -> f64 {
    let mean = there(values).reduce(|before, value| value * alpha + before * (1.0 - alpha));
    mean.unwrap_or(f64::NAN)
}

/// Forecasts the next `count` numbers by Holt's linear method; the first of them is the level itself.
pub fn holt(values: &[f64], alpha: f64, beta: f64, count: usize) -> Vec<f64> {
    let mut level = f64::NAN;
    let mut trend = 0.0;
    for (at, value) in there(values).enumerate() {
        if at == 0 {
            level = value;
            continue;
        }
        let before = level;
        level = alpha * value + (1.0 - alpha) * (before + trend);
        trend = beta * (level - before) + (1.0 - beta) * trend;
    }
    (0..count).map(|steps| level + steps as f64 * trend).collect()
}

/// Forecasts the next `count` numbers by level, trend and season; an error says why that is impossible.
pub fn holt_winters(values: &[f64], by: Seasons, count: usize) -> Result<Vec<f64>, String> {
    let Seasons {
        alpha,
        beta,
        gamma,
        period,
        are_factors,
        padding,
    } = by;
    if period == 0 {
        return Err("the period of Holt-Winters must be positive".to_owned());
    }
    let needed = period.saturating_mul(2);
    if values.len() < needed {
        return Err(format!(
            "Holt-Winters aggregation requires at least (2 * period == 2 * {period} == {needed}) data-points to function.  Only [{}] \
             were provided.",
            values.len()
        ));
    }
    let mut padded: Vec<f64> = there(values).map(|value| value + padding).collect();
    if padded.is_empty() {
        return Ok(vec![f64::NAN; count]);
    }
    padded.resize(values.len(), 0.0);
    let length = period as f64;
    // The first level is the mean of the first season, the first trend the mean change from it to the second.
    let first = &padded[..period];
    let mut level = first.iter().sum::<f64>() / length;
    let slopes = first.iter().zip(&padded[period..]).map(|(a, b)| (b - a) / length);
    let mut trend = slopes.sum::<f64>() / length;
    let share = |value: &f64| if level == 0.0 { 0.0 } else { value / level };
    // The seasons of the last period, the oldest first.
    let mut seasons: VecDeque<f64> = first.iter().map(share).collect();
    for value in &padded[period..] {
        let season = seasons.pop_front().unwrap_or(0.0);
        let (level_before, trend_before) = (level, trend);
        let without = if are_factors {
            value / season
        } else {
            value - season
        };
        level = alpha * without + (1.0 - alpha) * (level_before + trend_before);
        trend = beta * (level - level_before) + (1.0 - beta) * trend_before;
        let own = match are_factors {
            true => value / (level_before + trend_before),
            false => value - (level_before - trend_before),
        };
        seasons.push_back(gamma * own + (1.0 - gamma) * season);
    }
    let next = |at: usize| {
        let season = seasons[at % period];
        let base = level + (at + 1) as f64 * trend;
        if are_factors { base * season } else { base + season }
    };
    Ok((0..count).map(next).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_trends() {
        let line = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(holt(&line, 1.0, 1.0, 3), [4.0, 5.0, 6.0]);
        assert_eq!(holt(&[5.0, f64::NAN], 0.3, 0.1, 2), [5.0, 5.0]);
        assert!(holt(&[], 0.3, 0.1, 1)[0].is_nan());
        // 1; 1 + 0.5, its trend 0.25; (3 + 1.75) / 2.
        assert_eq!(holt(&[1.0, 2.0, 3.0], 0.5, 0.5, 1), [2.375]);
    }

    #[test]
    fn seasons_come_again() {
        let by = Seasons {
            alpha: 0.5,
            beta: 0.5,
            gamma: 0.5,
            period: 2,
            are_factors: true,
            padding: 0.0,
        };
        let next = holt_winters(&[1.0, 3.0, 1.0, 3.0, 1.0, 3.0], by, 4).unwrap();
        for (found, wanted) in next.iter().zip([1.0, 3.0, 1.0, 3.0]) {
            assert!((found - wanted).abs() < 1e-9, "{next:?}");
        }
        assert!(holt_winters(&[1.0, 2.0, 3.0], by, 1).is_err());
        assert!(holt_winters(&[1.0], Seasons { period: 0, ..by }, 1).is_err());
    }

    #[test]
    fn means_leave_out_what_is_no_number() {
        let values = [1.0, f64::NAN, 3.0];
        assert_eq!(unweighted_avg(&values), 2.0);
        assert_eq!(std_dev(&values, 2.0), 1.0);
        assert_eq!(linear_weighted_avg(&values), 7.0 / 4.0);
        assert_eq!(ewma(&values, 0.5), 2.0);
        assert!(unweighted_avg(&[]).is_nan() && linear_weighted_avg(&[]).is_nan() && ewma(&[], 0.5).is_nan());
        assert!(sum(&[]) == 0.0 && sum(&[]).is_sign_positive());
    }
}
