//! The wire form of protocol buffers, as far as Riak's messages need it: a field is a number and a type, then a varint or a
//! length with bytes.
//!
//! Messages are structs made by [`message!`], a field a line with its number. What has an unknown number is skipped, as
//! everywhere; of a field that comes twice the last counts, and lists have all.

use bytes::Bytes;
use value::varint;

/// How deep messages may lie in each other (maps of data types do).
const DEPTH_MAX: usize = 100;
/// The elements of one list.
const ELEMENTS_MAX: usize = 100_000;

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const BYTES: u8 = 2;
const FIXED32: u8 = 5;

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// They end within a field.
    #[error("it is cut off")]
    CutOff,
    /// A field has another type than it should have.
    #[error("a field has the wrong type")]
    WrongType,
    /// Messages lie too deep in each other.
    #[error("messages lie more than {DEPTH_MAX} deep in each other")]
    TooDeep,
    /// A list has too much.
    #[error("a list has more than {ELEMENTS_MAX} elements")]
    TooMany,
}

/// The value of a field as it lies there.
#[derive(Clone, Copy, Debug)]
pub enum Raw<'a> {
    /// A number.
    Varint(u64),
    /// Bytes: themselves, a text, or a message.
    Bytes(&'a [u8]),
    /// Of a type that no field of ours has.
    Other,
}

/// A message.
pub trait Message: Default {
    /// Appends it.
    fn encode(&self, out: &mut Vec<u8>);

    /// Takes a field's value. Unknown ones are left out.
    fn take(&mut self, number: u64, raw: Raw<'_>, depth: usize) -> Result<(), WireError>;

    /// Reads a message.
    fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        Self::decode_at(bytes, 0)
    }

    /// Reads one that lies within others.
    fn decode_at(mut bytes: &[u8], depth: usize) -> Result<Self, WireError> {
        if depth > DEPTH_MAX {
            return Err(WireError::TooDeep);
        }
        let mut message = Self::default();
        while !bytes.is_empty() {
            let (number, raw) = next_field(&mut bytes)?;
            message.take(number, raw, depth + 1)?;
        }
        Ok(message)
    }
}

fn next_field<'a>(bytes: &mut &'a [u8]) -> Result<(u64, Raw<'a>), WireError> {
    let key = varint::take(bytes).ok_or(WireError::CutOff)?;
    let raw = match (key & 7) as u8 {
        VARINT => Raw::Varint(varint::take(bytes).ok_or(WireError::CutOff)?),
        BYTES => {
            let length = varint::take(bytes).ok_or(WireError::CutOff)?;
            let length = usize::try_from(length).map_err(|_| WireError::CutOff)?;
            Raw::Bytes(split(bytes, length)?)
        }
        FIXED64 => split(bytes, 8).map(|_| Raw::Other)?,
        FIXED32 => split(bytes, 4).map(|_| Raw::Other)?,
        // Groups, which nobody makes any more.
        _ => return Err(WireError::WrongType),
    };
    Ok((key >> 3, raw))
}

fn split<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], WireError> {
    let (taken, rest) = bytes.split_at_checked(length).ok_or(WireError::CutOff)?;
    *bytes = rest;
    Ok(taken)
}

/// What a field holds once.
pub trait Single: Sized {
    /// Appends key and value.
    fn put(&self, number: u64, out: &mut Vec<u8>);
    /// Reads the value.
    fn read(raw: Raw<'_>, depth: usize) -> Result<Self, WireError>;
}

/// A field of a struct: required, optional or a list.
pub trait Field {
    /// Appends what there is.
    fn put_field(&self, number: u64, out: &mut Vec<u8>);
    /// Takes a value.
    fn take_field(&mut self, raw: Raw<'_>, depth: usize) -> Result<(), WireError>;
}

impl<T: Single> Field for Option<T> {
    fn put_field(&self, number: u64, out: &mut Vec<u8>) {
        if let Some(value) = self {
            value.put(number, out);
        }
    }

    fn take_field(&mut self, raw: Raw<'_>, depth: usize) -> Result<(), WireError> {
        *self = Some(T::read(raw, depth)?);
        Ok(())
    }
}

impl<T: Single> Field for Vec<T> {
    fn put_field(&self, number: u64, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(number, out));
    }

    fn take_field(&mut self, raw: Raw<'_>, depth: usize) -> Result<(), WireError> {
        if self.len() >= ELEMENTS_MAX {
            return Err(WireError::TooMany);
        }
        self.push(T::read(raw, depth)?);
        Ok(())
    }
}

/// Required fields are there whatever they hold.
macro_rules! required {
    ($($kind:ty),*) => {$(
        impl Field for $kind {
            fn put_field(&self, number: u64, out: &mut Vec<u8>) {
                self.put(number, out);
            }

            fn take_field(&mut self, raw: Raw<'_>, depth: usize) -> Result<(), WireError> {
                *self = <$kind>::read(raw, depth)?;
                Ok(())
            }
        }
    )*};
}

required!(Vec<u8>, Bytes, u32, i64, bool);

pub(crate) fn put_key(number: u64, kind: u8, out: &mut Vec<u8>) {
    varint::put(number << 3 | u64::from(kind), out);
}

pub(crate) fn put_bytes(number: u64, bytes: &[u8], out: &mut Vec<u8>) {
    put_key(number, BYTES, out);
    varint::put(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

impl Single for Vec<u8> {
    fn put(&self, number: u64, out: &mut Vec<u8>) {
        put_bytes(number, self, out);
    }

    fn read(raw: Raw<'_>, _: usize) -> Result<Vec<u8>, WireError> {
        match raw {
            Raw::Bytes(bytes) => Ok(bytes.to_vec()),
            _ => Err(WireError::WrongType),
        }
    }
}

impl Single for Bytes {
    fn put(&self, number: u64, out: &mut Vec<u8>) {
        put_bytes(number, self, out);
    }

    fn read(raw: Raw<'_>, depth: usize) -> Result<Bytes, WireError> {
        Vec::read(raw, depth).map(Bytes::from)
    }
}

/// A number of the zigzag form, in which small negative ones are short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zigzag(pub i64);

macro_rules! number {
    ($($kind:ty: $to:expr, $of:expr;)*) => {$(
        impl Single for $kind {
            fn put(&self, number: u64, out: &mut Vec<u8>) {
                put_key(number, VARINT, out);
                varint::put($to(*self), out);
            }

            fn read(raw: Raw<'_>, _: usize) -> Result<$kind, WireError> {
                match raw {
                    Raw::Varint(number) => Ok($of(number)),
                    _ => Err(WireError::WrongType),
                }
            }
        }
    )*};
}

number! {
    bool: u64::from, |number| number != 0;
    u32: u64::from, |number| number as u32;
    u64: |number| number, |number| number;
    i32: |number| i64::from(number) as u64, |number| number as i32;
    i64: |number| number as u64, |number| number as i64;
    Zigzag: |Zigzag(number)| (number << 1 ^ number >> 63) as u64,
        |number| Zigzag((number >> 1) as i64 ^ -((number & 1) as i64));
}

/// Makes structs that are messages.
macro_rules! message {
    ($($(#[$attribute:meta])* pub struct $name:ident { $($number:literal => $field:ident: $kind:ty,)* })*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $(pub $field: $kind,)*
        }

        impl $crate::pb::wire::Message for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                $($crate::pb::wire::Field::put_field(&self.$field, $number, out);)*
            }

            fn take(
                &mut self,
                number: u64,
                raw: $crate::pb::wire::Raw<'_>,
                depth: usize,
            ) -> Result<(), $crate::pb::wire::WireError> {
                match number {
                    $($number => $crate::pb::wire::Field::take_field(&mut self.$field, raw, depth),)*
                    _ => Ok(()),
                }
            }
        }

        impl $crate::pb::wire::Single for $name {
            fn put(&self, number: u64, out: &mut Vec<u8>) {
                let mut bytes = Vec::new();
                $crate::pb::wire::Message::encode(self, &mut bytes);
                $crate::pb::wire::put_bytes(number, &bytes, out);
            }

            fn read(raw: $crate::pb::wire::Raw<'_>, depth: usize) -> Result<$name, $crate::pb::wire::WireError> {
                match raw {
                    $crate::pb::wire::Raw::Bytes(bytes) => $crate::pb::wire::Message::decode_at(bytes, depth),
                    _ => Err($crate::pb::wire::WireError::WrongType),
                }
            }
        }

        impl $crate::pb::wire::Field for $name {
            fn put_field(&self, number: u64, out: &mut Vec<u8>) {
                $crate::pb::wire::Single::put(self, number, out);
            }

            fn take_field(
                &mut self,
                raw: $crate::pb::wire::Raw<'_>,
                depth: usize,
            ) -> Result<(), $crate::pb::wire::WireError> {
                *self = <$name as $crate::pb::wire::Single>::read(raw, depth)?;
                Ok(())
            }
        }
    )*};
}

pub(crate) use message;
