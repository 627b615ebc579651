//! Unsigned integers in as few bytes as they need: seven bits a byte, lowest first.

/// Appends a number.
pub fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front; `None` if the bytes end early or are not a number.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_take_no_more_bytes_than_they_need() {
        for (number, size) in [
            (0, 1),
            (0x7F, 1),
            (0x80, 2),
            (0x3FFF, 2),
            (0x4000, 3),
            (u64::MAX, 10),
        ] {
            let mut bytes = Vec::new();
            put(number, &mut bytes);
            assert_eq!(bytes.len(), size, "{number}");
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!((take(&mut rest), rest), (Some(number), &[7][..]));
        }
    }

    #[test]
    fn bytes_that_end_early_or_go_on_too_long_are_no_number() {
        for bytes in [&[][..], &[0x80], &[0xFF; 9], &[0x80; 11]] {
            assert_eq!(take(&mut &bytes[..]), None, "{bytes:?}");
        }
    }
}
