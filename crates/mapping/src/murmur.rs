//! The hashes by which Elasticsearch parts terms and places documents: of texts Austin Appleby's MurmurHash3, of 32 bits; of numbers
//! their bits, mixed.

use crate::term::Term;

/// The hash of these bytes.
pub fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    let mix = |word: u32| {
        word.wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let mut hash = seed;
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        hash ^= mix(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        let tail = rest
            .iter()
            .rev()
            .fold(0_u32, |tail, byte| tail << 8 | u32::from(*byte));
        hash ^= mix(tail);
    }
    hash ^= bytes.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// The bits of a number, mixed so that they are spread over all of the 64.
pub fn mixed(bits: u64) -> i64 {
    let hash = (bits ^ (bits >> 32)).wrapping_mul(0x4cd6_944c_5cc2_0b6d);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0xfc12_c5b1_9d32_59e9);
    (hash ^ (hash >> 32)).cast_signed()
}

/// The bits of a number as a column has it, in the order of the numbers; `None` of what is no number.
pub fn bits(term: &Term) -> Option<u64> {
    Some(match term {
        Term::Integer(number) | Term::Date(number) => number.cast_unsigned(),
        // As columns have it, with the first bit turned over.
        Term::Unsigned(number) => number ^ (1_u64 << 63),
        Term::Boolean(flag) => u64::from(*flag),
        Term::Float(number) => {
            let bits = number.to_bits().cast_signed();
            (bits ^ ((bits >> 63) & i64::MAX)).cast_unsigned()
        }
        _ => return None,
    })
}
