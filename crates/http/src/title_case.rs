//! The names of headers as they are sent. The case of their letters means nothing, but not all clients know that.

/// The name with the first letter of each word in upper case: `Content-Type`, as older servers send it.
pub fn title_case(name: &str) -> String {
    let mut is_first = true;
    let letter = |c: char| {
        let shown = if is_first { c.to_ascii_uppercase() } else { c };
        is_first = c == '-';
        shown
    };
    name.chars().map(letter).collect()
}
