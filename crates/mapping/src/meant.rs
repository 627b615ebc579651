//! Names that somebody may have meant who gives another.

/// The names that are near to one, the nearest first.
fn near<'k>(name: &str, known: &[&'k str]) -> Vec<&'k str> {
    let length = name.chars().count();
    let score = |other: &str| {
        let longest = length.max(other.chars().count());
        1.0 - strsim::levenshtein(name, other) as f32 / longest as f32
    };
    let mut near: Vec<(f32, &str)> = known
        .iter()
        // One that is twice as long is not near, and may be longer than is worth comparing.
        .filter(|other| length < 2 * other.chars().count())
        .map(|other| (score(other), *other))
        .filter(|(score, _)| *score > 0.5)
        .collect();
    near.sort_by(|(a, a_name), (b, b_name)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
    near.dedup();
    near.into_iter().map(|(_, name)| name).collect()
}

/// ` did you mean [one]?`, as it follows the name of what is unknown; nothing where no name is near.
pub fn meant(name: &str, known: &[&str]) -> String {
    match &near(name, known)[..] {
        [] => String::new(),
        [one] => format!(" did you mean [{one}]?"),
        several => format!(" did you mean any of [{}]?", several.join(", ")),
    }
}

/// What is said of parts of a request that are unknown.
pub fn unrecognized(path: &str, what: &str, mut names: Vec<&str>, known: &[&str]) -> String {
    names.sort_unstable();
    let shown = |name: &&str| match meant(name, known) {
        none if none.is_empty() => format!("[{name}]"),
        meant => format!("[{name}] ->{meant}"),
    };
    let plural = if names.len() > 1 { "s" } else { "" };
    let names: Vec<String> = names.iter().map(shown).collect();
    format!(
        "request [{path}] contains unrecognized {what}{plural}: {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_near_are_told_the_nearest_first() {
        let known = ["match", "match_all", "term", "terms", "range"];
        assert_eq!(meant("mtch", &known), " did you mean [match]?");
        assert_eq!(meant("trm", &known), " did you mean any of [term, terms]?");
        assert_eq!(meant("colour", &known), "");
        assert_eq!(meant("", &known), "");
        assert_eq!(meant(&"match".repeat(1_000_000), &known), "");
        assert_eq!(
            unrecognized("/a", "parameter", vec!["rage", "b"], &known),
            "request [/a] contains unrecognized parameters: [b], [rage] -> did you mean [range]?"
        );
    }
}
