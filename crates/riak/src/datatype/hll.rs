//! HyperLogLogs: about how many different elements were added.

/// The bits of a hash that choose a register.
const PRECISION: u32 = 14;
const REGISTERS: usize = 1 << PRECISION;

/// A HyperLogLog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hll(pub(super) Vec<u8>);

impl Hll {
    /// Adds an element.
    pub fn add(&mut self, element: &[u8]) {
        self.0.resize(REGISTERS, 0);
        let hash = blake3::hash(element);
        let hash = hash
            .as_bytes()
            .first_chunk()
            .map_or(0, |bytes| u64::from_be_bytes(*bytes));
        let register = (hash >> (64 - PRECISION)) as usize;
        let rank = ((hash << PRECISION) | (1 << (PRECISION - 1))).leading_zeros() + 1;
        self.0[register] = self.0[register].max(rank as u8);
    }

    /// One with these registers; `None` if they are not as many as there have to be.
    pub(super) fn of_registers(registers: Vec<u8>) -> Option<Hll> {
        [0, REGISTERS]
            .contains(&registers.len())
            .then_some(Hll(registers))
    }

    /// The estimate.
    pub fn value(&self) -> u64 {
        if self.0.is_empty() {
            return 0;
        }
        let count = REGISTERS as f64;
        let sum: f64 = self.0.iter().map(|&rank| 2f64.powi(-i32::from(rank))).sum();
        let estimate = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let zeros = self.0.iter().filter(|&&rank| rank == 0).count();
        // Of few elements the empty registers say more.
        match zeros > 0 && estimate <= 2.5 * count {
            true => (count * (count / zeros as f64).ln()).round() as u64,
            false => estimate.round() as u64,
        }
    }

    pub(super) fn merge(&mut self, other: &Hll) {
        if !other.0.is_empty() {
            self.0.resize(REGISTERS, 0);
        }
        for (own, &other) in self.0.iter_mut().zip(&other.0) {
            *own = other.max(*own);
        }
    }
}
