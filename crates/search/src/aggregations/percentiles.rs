//! What is made of all values together: percentiles, ranks, the median of deviations.

/// A percentile as a histogram of high dynamic range gives it: the end of the range of values that have the same digits.
pub(super) fn rounded(sorted: &[f64], percent: f64, digits: u32) -> Option<f64> {
    let unit = sorted.iter().copied().find(|value| *value > 0.0);
    let unit = unit.map_or(0.0, |value| width(value, digits));
    let place = ((percent / 100.0 * sorted.len() as f64 + 0.5).floor() as usize).max(1);
    let value = *sorted.get(place.min(sorted.len()).checked_sub(1)?)?;
    let width = width(value, digits);
    match width > 0.0 {
        true => Some((value / width).floor() * width + width - unit),
        false => Some(0.0),
    }
}

/// How wide the range is of the values that have the same digits as this one.
fn width(value: f64, digits: u32) -> f64 {
    let ranges = f64::from(2 * 10_u32.pow(digits)).log2().ceil() as i32;
    match value > 0.0 {
        true => 2_f64.powi(value.log2().floor() as i32 + 1 - ranges),
        false => 0.0,
    }
}

/// How many of a hundred values have at most the same digits as this one.
pub(super) fn rounded_rank(sorted: &[f64], value: f64, digits: u32) -> Option<f64> {
    let width = width(value, digits);
    let end = match width > 0.0 {
        true => (value / width).floor() * width + width,
        false => value,
    };
    let below = sorted.partition_point(|one| *one < end || *one <= value);
    (!sorted.is_empty()).then(|| below as f64 * 100.0 / sorted.len() as f64)
}

/// The value below which this many of a hundred are, between two values in proportion.
pub(super) fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = (percent / 100.0 * sorted.len() as f64 - 0.5).clamp(0.0, last as f64);
    let (below, part) = (place.floor() as usize, place.fract());
    let next = sorted[(below + 1).min(last)];
    Some(sorted[below] + (next - sorted[below]) * part)
}

/// How many of a hundred values are below this one, between two values in proportion; as Elasticsearch has it, the greatest value
/// has none above.
pub(super) fn rank(sorted: &[f64], value: f64) -> Option<f64> {
    let count = sorted.len() as f64;
    let groups = || {
        sorted
            .chunk_by(|a, b| a == b)
            .map(|group| (group[0], group.len() as f64))
    };
    let means: Vec<(f64, f64)> = groups().collect();
    let [(first, _), (second, _), ..] = means[..] else {
        let only = means.first()?.0;
        return Some(if value < only { 0.0 } else { 100.0 });
    };
    let mut left = (second - first) / 2.0;
    let mut before = 0.0;
    for pair in means.windows(2) {
        let [(mean, weight), (next, _)] = *pair else { break };
        let right = (next - mean) / 2.0;
        if value < mean + right {
            let part = (value - (mean - left)) / (left + right);
            return Some(((before + weight * part) / count).max(0.0) * 100.0);
        }
        before += weight;
        left = right;
    }
    Some(100.0)
}

fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

pub(super) fn median_absolute_deviation(mut sorted: Vec<f64>) -> Option<f64> {
    let middle = median(&sorted)?;
    for value in &mut sorted {
        *value = (*value - middle).abs();
    }
    sorted.sort_by(f64::total_cmp);
    median(&sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_values() {
        let values = [1.0, 51.0, 101.0, 151.0];
        for (percent, wanted) in [
            (1.0, 1.0),
            (5.0, 1.0),
            (25.0, 26.0),
            (50.0, 76.0),
            (75.0, 126.0),
            (99.0, 151.0),
        ] {
            assert_eq!(percentile(&values, percent), Some(wanted), "{percent}");
        }
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn ranks_lie_between_values() {
        let values = [1.0, 51.0, 101.0, 151.0];
        for (value, wanted) in [
            (-100.0, 0.0),
            (1.0, 12.5),
            (26.0, 25.0),
            (51.0, 37.5),
            (200.0, 100.0),
        ] {
            assert_eq!(rank(&values, value), Some(wanted), "{value}");
        }
        assert_eq!(rank(&[], 1.0), None);
        assert_eq!(rank(&[3.0], 3.0), Some(100.0));
        assert_eq!(rounded_rank(&[5.0, 10.7, 30.0], 10.5, 1), Some(200.0 / 3.0));
    }
}
