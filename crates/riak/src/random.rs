//! Random bytes of the operating system, drawn many at a time: a system call takes longer than most of what they are needed for.

use crate::error::{Result, RiakError};
use http::StatusCode;
use std::cell::RefCell;

/// How many numbers one system call draws.
const DRAWN_AT_ONCE: usize = 64;

const NUMBER_BYTES: usize = 16;

thread_local! {
    static DRAWN: RefCell<Vec<[u8; NUMBER_BYTES]>> = const { RefCell::new(Vec::new()) };
}

/// A random number, which serves as a unique one.
pub(crate) fn random() -> Result<[u8; NUMBER_BYTES]> {
    DRAWN.with_borrow_mut(|drawn| match drawn.pop() {
        Some(number) => Ok(number),
        None => draw(drawn),
    })
}

fn draw(drawn: &mut Vec<[u8; NUMBER_BYTES]>) -> Result<[u8; NUMBER_BYTES]> {
    let mut bytes = [0; DRAWN_AT_ONCE * NUMBER_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| RiakError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let (numbers, _) = bytes.as_chunks::<NUMBER_BYTES>();
    drawn.extend_from_slice(numbers);
    drawn
        .pop()
        .ok_or_else(|| RiakError::new(StatusCode::INTERNAL_SERVER_ERROR, "no random number was drawn"))
}

#[cfg(test)]
mod tests {
    use super::{DRAWN_AT_ONCE, random};
    use std::collections::HashSet;

    #[test]
    fn no_number_is_given_twice() {
        let numbers = (0..3 * DRAWN_AT_ONCE).map(|_| random().ok());
        let numbers: HashSet<_> = numbers.collect();
        assert_eq!(numbers.len(), 3 * DRAWN_AT_ONCE);
        assert!(!numbers.contains(&None));
    }
}
