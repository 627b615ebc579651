//! 128-bit decimal floating point, in BSON's encoding (IEEE 754-2008 decimal128, binary integer significand).

/// A decimal128 as its 16 little-endian bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal128([u8; 16]);

impl Decimal128 {
    /// The value of these bytes as BSON has them (little-endian).
    pub const fn from_bytes(bytes: [u8; 16]) -> Decimal128 {
        Decimal128(bytes)
    }

    /// The bytes as BSON has them.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl std::fmt::Debug for Decimal128 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decimal128({:02x?})", self.0)
    }
}
