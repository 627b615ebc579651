//! Names of fields compared.

/// Whether two names are the same. Most are short: words of theirs, which may overlap, are compared in less time than a call takes
/// that compares texts of any length.
pub(crate) fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        0..4 => a.iter().zip(b).all(|(a, b)| a == b),
        4..8 => ends::<4>(a) == ends::<4>(b),
        8..=16 => ends::<8>(a) == ends::<8>(b),
        _ => a == b,
    }
}

/// The first and the last bytes.
fn ends<const N: usize>(name: &[u8]) -> (Option<&[u8; N]>, Option<&[u8; N]>) {
    (name.first_chunk(), name.last_chunk())
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn names_are_the_same_where_each_byte_is() {
        let text: Vec<u8> = (0..40).collect();
        for end in 0..text.len() {
            let name = &text[..end];
            let mut other = name.to_vec();
            assert!(is_same(name, &other), "{end} bytes");
            assert!(!is_same(name, &text[..=end]), "{end} bytes and one more");
            for at in 0..end {
                other[at] ^= 0x40;
                assert!(!is_same(name, &other), "byte {at} of {end}");
                other[at] ^= 0x40;
            }
        }
    }
}
