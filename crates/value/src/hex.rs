//! Bytes as hexadecimal digits.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two lower-case digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |number: u8| char::from(DIGITS[usize::from(number)]);
    let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    digits.collect()
}

/// The bytes that hex digits of either case stand for; `None` if others are among them, or their number is odd.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let number = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| match *pair {
        [high, low] => u8::try_from(number(high)? << 4 | number(low)?).ok(),
        _ => None,
    };
    text.as_bytes().chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0x00, 0x0A, 0xF9, 0xFF]), "000af9ff");
        assert_eq!(unhex("000aF9ff"), Some(vec![0x00, 0x0A, 0xF9, 0xFF]));
        assert_eq!((hex(&[]), unhex("")), (String::new(), Some(Vec::new())));
    }

    #[test]
    fn other_texts_are_no_bytes() {
        for wrong in ["0", "000", "0g", "+1", "é"] {
            assert_eq!(unhex(wrong), None, "{wrong}");
        }
    }
}
