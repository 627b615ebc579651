//! The memory that JSON takes as a tree.

/// What a name, a value or a list takes beside its bytes.
const PART_BYTES: usize = 48;

/// About the bytes of memory that JSON takes once it is a tree. A list of numbers takes many times its length, a long text hardly more.
pub fn tree_bytes(json: &[u8]) -> usize {
    let parts = json
        .iter()
        .filter(|byte| matches!(byte, b',' | b':' | b'[' | b'{'));
    json.len() + parts.count() * PART_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_short_values_take_more_than_one_long_text() {
        let numbers = format!("[{}1]", "1,".repeat(1_000));
        assert!(tree_bytes(numbers.as_bytes()) > 20 * numbers.len());
        let text = format!("[\"{}\"]", "x".repeat(1_000));
        assert!(tree_bytes(text.as_bytes()) < 2 * text.len());
    }
}
