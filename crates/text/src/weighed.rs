//! Terms with their weights, as the entries of a unique index have them: there no two documents have the same term with the same
//! weight.

use std::fmt::Write;

/// What stands between a term and its weight: no term has it, since words end at it.
const SEPARATOR: char = ' ';
/// The character after it.
const AFTER_SEPARATOR: char = '!';

/// A term and its weight in one string.
pub fn weighed(term: &str, weight: f64) -> String {
    let mut text = String::with_capacity(term.len() + 1 + 16);
    text.push_str(term);
    // Writing into a string never fails.
    let _ = write!(text, "{SEPARATOR}{:016x}", weight.to_bits());
    text
}

/// The term and the weight of such a string.
pub fn of_weighed(text: &str) -> Option<(&str, f64)> {
    let (term, bits) = text.rsplit_once(SEPARATOR)?;
    let bits = u64::from_str_radix(bits, 16).ok()?;
    Some((term, f64::from_bits(bits)))
}

/// The strings of a term with all weights: from the first on, and before the second.
pub fn all_weights(term: &str) -> (String, String) {
    (format!("{term}{SEPARATOR}"), format!("{term}{AFTER_SEPARATOR}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_found_with_whatever_it_weighs_and_no_other_term_is() {
        let (low, high) = all_weights("fox");
        let is_within = |text: &str| low.as_str() <= text && text < high.as_str();
        for weight in [0.5, 1.1, 99_999.0, -0.0] {
            let text = weighed("fox", weight);
            assert!(is_within(&text), "{text}");
            assert_eq!(of_weighed(&text), Some(("fox", weight)));
        }
        for other in ["fo", "foxes", "foxy", "fo\u{1}x"] {
            assert!(!is_within(&weighed(other, 1.0)), "{other}");
        }
    }
}
