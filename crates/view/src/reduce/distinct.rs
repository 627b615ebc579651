//! `_approx_count_distinct`: how many different keys there are, by a HyperLogLog of 2^11 registers.
//!
//! Algorithm: Flajolet, Fusy, Gandouet, Meunier, "HyperLogLog: the analysis of a near-optimal cardinality estimation
//! algorithm" (2007), figure 3, with its correction for small ranges. CouchDB uses the same precision: an error of
//! about 2 %.

/// As in CouchDB (`couch_query_servers`, `couch_hyper:new(11)`).
const PRECISION_BITS: u32 = 11;
const REGISTERS: usize = 1 << PRECISION_BITS;

/// The registers of these encoded keys.
pub(super) fn registers<'a>(keys: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut registers = vec![0; REGISTERS];
    for key in keys {
        let hash = blake3::hash(key);
        let (first, _) = hash.as_bytes().split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
        let hash = u64::from_be_bytes(*first);
        let register = &mut registers[(hash >> (64 - PRECISION_BITS)) as usize];
        // The place of the first one among the bits that do not choose the register.
        let rank = ((hash << PRECISION_BITS) | 1 << (PRECISION_BITS - 1)).leading_zeros() as u8 + 1;
        *register = rank.max(*register);
    }
    registers
}

/// The registers of all.
pub(super) fn union<'a>(all: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut registers = vec![0; REGISTERS];
    for one in all {
        registers
            .iter_mut()
            .zip(one)
            .for_each(|(mine, &other)| *mine = other.max(*mine));
    }
    registers
}

/// How many different keys went into the registers.
pub(super) fn estimate(registers: &[u8]) -> u64 {
    let count = REGISTERS as f64;
    let sum: f64 = registers.iter().map(|&rank| (-f64::from(rank)).exp2()).sum();
    let estimate = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
    let empty = registers.iter().filter(|&&rank| rank == 0).count();
    if estimate <= 2.5 * count && empty > 0 {
        return (count * (count / empty as f64).ln()).round() as u64;
    }
    estimate.round() as u64
}
