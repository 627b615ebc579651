//! As much of X.509 as rustls does not tell: a certificate's subject, in words, and its time (RFC 5280, section 4.1).
//!
//! The bytes come from a certificate that rustls has accepted; they are read with care all the same, since all lengths in them
//! are whatever their maker wrote.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const INTEGER: u8 = 0x02;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const PRINTABLE_STRING: u8 = 0x13;
const TELETEX_STRING: u8 = 0x14;
const IA5_STRING: u8 = 0x16;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const BMP_STRING: u8 = 0x1e;
const VERSION: u8 = 0xa0;

/// A certificate that is not built as certificates are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the certificate's {0} cannot be read")]
pub struct CertificateError(&'static str);

impl From<CertificateError> for io::Error {
    fn from(error: CertificateError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

/// A client by its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The certificate's subject as RFC 2253 writes it, the last part first: `CN=ann,OU=devices,O=Example`.
    pub subject: String,
}

/// From when to when a certificate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first moment.
    pub begins: SystemTime,
    /// The last moment.
    pub ends: SystemTime,
}

impl Peer {
    pub(crate) fn new(certificate: &[u8]) -> Result<Peer, CertificateError> {
        let subject = Parts::of(certificate)?.subject;
        Ok(Peer {
            subject: name(subject).ok_or(CertificateError("subject"))?,
        })
    }
}

impl Validity {
    /// The time of a certificate in DER.
    pub fn of(certificate: &[u8]) -> Result<Validity, CertificateError> {
        let mut times = Reader(Parts::of(certificate)?.validity);
        let mut next = || times.next().and_then(|(tag, bytes)| time(tag, bytes));
        let (Some(begins), Some(ends)) = (next(), next()) else {
            return Err(CertificateError("time"));
        };
        Ok(Validity { begins, ends })
    }
}

/// The parts that are wanted, as they stand.
struct Parts<'a> {
    validity: &'a [u8],
    subject: &'a [u8],
}

impl Parts<'_> {
    fn of(certificate: &[u8]) -> Result<Parts<'_>, CertificateError> {
        Parts::read(certificate).ok_or(CertificateError("form"))
    }

    fn read(certificate: &[u8]) -> Option<Parts<'_>> {
        let mut whole = Reader(Reader(certificate).take(SEQUENCE)?);
        let mut signed = Reader(whole.take(SEQUENCE)?);
        if signed.0.first() == Some(&VERSION) {
            signed.take(VERSION)?;
        }
        signed.take(INTEGER)?;
        let (_signature, _issuer) = (signed.take(SEQUENCE)?, signed.take(SEQUENCE)?);
        Some(Parts {
            validity: signed.take(SEQUENCE)?,
            subject: signed.take(SEQUENCE)?,
        })
    }
}

/// Values of DER, one after the other.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The next value's tag and bytes.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&length, mut rest) = rest.split_first()?;
        let mut bytes = usize::from(length);
        if length & 0x80 != 0 {
            let digits = usize::from(length & 0x7f);
            // More than three bytes of length are more than any certificate has.
            if !(1..=3).contains(&digits) {
                return None;
            }
            let (number, after) = rest.split_at_checked(digits)?;
            bytes = number.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            rest = after;
        }
        let (value, rest) = rest.split_at_checked(bytes)?;
        self.0 = rest;
        Some((tag, value))
    }

    /// The next value, which must have this tag.
    fn take(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|(has, _)| *has == tag).map(|(_, value)| value)
    }
}

/// A name: sets of attributes, of which the last comes first.
fn name(bytes: &[u8]) -> Option<String> {
    let mut sets = Reader(bytes);
    let mut out = Vec::new();
    while !sets.0.is_empty() {
        let mut attributes = Reader(sets.take(SET)?);
        let mut together = Vec::new();
        while !attributes.0.is_empty() {
            together.push(attribute(attributes.take(SEQUENCE)?)?);
        }
        out.push(together.join("+"));
    }
    out.reverse();
    Some(out.join(","))
}

fn attribute(bytes: &[u8]) -> Option<String> {
    let mut parts = Reader(bytes);
    let kind = parts.take(OBJECT_IDENTIFIER)?;
    let (tag, value) = parts.next()?;
    let kind = match kind {
        [0x55, 4, 3] => "CN",
        [0x55, 4, 4] => "SN",
        [0x55, 4, 5] => "serialNumber",
        [0x55, 4, 6] => "C",
        [0x55, 4, 7] => "L",
        [0x55, 4, 8] => "ST",
        [0x55, 4, 9] => "street",
        [0x55, 4, 10] => "O",
        [0x55, 4, 11] => "OU",
        [0x55, 4, 12] => "title",
        [0x55, 4, 42] => "GN",
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1] => "emailAddress",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1] => "UID",
        [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25] => "DC",
        other => return Some(format!("{}={}", dotted(other), hexadecimal(tag, value))),
    };
    Some(match text(tag, value) {
        Some(text) => format!("{kind}={}", escaped(&text)),
        None => format!("{kind}={}", hexadecimal(tag, value)),
    })
}

fn text(tag: u8, value: &[u8]) -> Option<String> {
    match tag {
        UTF8_STRING | PRINTABLE_STRING | IA5_STRING => String::from_utf8(value.to_vec()).ok(),
        TELETEX_STRING => Some(value.iter().copied().map(char::from).collect()),
        BMP_STRING => {
            let units = value.chunks_exact(2);
            let units: Vec<u16> = units
                .map(|unit| unit.iter().fold(0, |sum, &byte| sum << 8 | u16::from(byte)))
                .collect();
            String::from_utf16(&units).ok()
        }
        _ => None,
    }
}

/// RFC 2253, section 2.4. Bytes of characters beyond ASCII, and control characters, stand as two digits each, as OpenSSL and
/// MongoDB have it: the name under which a user was made there has to be the same here.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let last = text.chars().count().saturating_sub(1);
    for (at, character) in text.chars().enumerate() {
        let is_edge = (at == 0 && matches!(character, '#' | ' ')) || (at == last && character == ' ');
        if !character.is_ascii() || character.is_ascii_control() {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).bytes();
            out.extend(bytes.map(|byte| format!("\\{byte:02X}")));
            continue;
        }
        if is_edge || matches!(character, ',' | '+' | '"' | '\\' | '<' | '>' | ';') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// A value whose form is not known: its DER.
fn hexadecimal(tag: u8, value: &[u8]) -> String {
    let mut out = format!("#{tag:02x}");
    match value.len() {
        short @ 0..0x80 => out.push_str(&format!("{short:02x}")),
        long @ 0x80..0x100 => out.push_str(&format!("81{long:02x}")),
        long => out.push_str(&format!("82{long:04x}")),
    }
    value.iter().for_each(|byte| out.push_str(&format!("{byte:02x}")));
    out
}

fn dotted(kind: &[u8]) -> String {
    let mut numbers: Vec<u64> = Vec::new();
    let mut number = 0_u64;
    for &byte in kind {
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            if numbers.is_empty() {
                let first = (number / 40).min(2);
                numbers.push(first);
                number -= first * 40;
            }
            numbers.push(number);
            number = 0;
        }
    }
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(".")
}

/// `YYMMDDHHMMSSZ` until 2049, `YYYYMMDDHHMMSSZ` after it.
fn time(tag: u8, bytes: &[u8]) -> Option<SystemTime> {
    let digits = bytes.strip_suffix(b"Z")?;
    let (year, rest) = match tag {
        UTC_TIME => digits.split_at_checked(2)?,
        GENERALIZED_TIME => digits.split_at_checked(4)?,
        _ => return None,
    };
    let mut year = number(year)?;
    if tag == UTC_TIME {
        year += if year < 50 { 2000 } else { 1900 };
    }
    let mut pairs = rest.chunks(2).map(number);
    let mut next = || pairs.next().flatten();
    let (month, day) = (next()?, next()?);
    let (hour, minute, second) = (next()?, next()?, next()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    // Nobody's certificate ended before there were any.
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, digit| {
        digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0'))
    })
}

/// The days from 1970 to a day, in years that begin with March so that a leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let month = (month + 9) % 12;
    365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let bytes = parts.concat();
        let mut out = vec![tag, u8::try_from(bytes.len()).unwrap()];
        out.extend(bytes);
        out
    }

    fn attribute_of(kind: &[u8], tag: u8, text: &[u8]) -> Vec<u8> {
        let pair = value(
            SEQUENCE,
            &[&value(OBJECT_IDENTIFIER, &[kind]), &value(tag, &[text])],
        );
        value(SET, &[&pair])
    }

    #[test]
    fn a_name_is_written_from_its_end_with_what_would_be_mistaken_escaped() {
        let bytes = [
            attribute_of(&[0x55, 4, 6], PRINTABLE_STRING, b"DE"),
            attribute_of(&[0x55, 4, 10], UTF8_STRING, "Köln,\t\"Hafen\"".as_bytes()),
            attribute_of(&[0x2a, 3, 4], UTF8_STRING, b"x"),
            attribute_of(&[0x55, 4, 3], UTF8_STRING, b" a#b "),
        ]
        .concat();
        let written = name(&bytes).unwrap();
        assert_eq!(
            written,
            "CN=\\ a#b\\ ,1.2.3.4=#0c0178,O=K\\C3\\B6ln\\,\\09\\\"Hafen\\\",C=DE"
        );
    }

    #[test]
    fn times_are_of_two_forms() {
        let at = |tag, text: &str| {
            let time = time(tag, text.as_bytes())?;
            Some(time.duration_since(UNIX_EPOCH).unwrap().as_secs())
        };
        assert_eq!(at(UTC_TIME, "700101000000Z"), Some(0));
        assert_eq!(at(UTC_TIME, "240229123456Z"), Some(1_709_210_096));
        assert_eq!(at(GENERALIZED_TIME, "20991231235959Z"), Some(4_102_444_799));
        assert_eq!(at(UTC_TIME, "241301000000Z"), None);
        assert_eq!(at(UTC_TIME, "2402"), None);
    }

    #[test]
    fn truncated_certificates_are_refused() {
        let times = [
            value(UTC_TIME, &[b"240101000000Z"]),
            value(UTC_TIME, &[b"250101000000Z"]),
        ]
        .concat();
        let subject = attribute_of(&[0x55, 4, 3], UTF8_STRING, b"ann");
        let signed = value(
            SEQUENCE,
            &[
                &value(INTEGER, &[&[1]]),
                &value(SEQUENCE, &[]),
                &value(SEQUENCE, &[]),
                &value(SEQUENCE, &[&times]),
                &value(SEQUENCE, &[&subject]),
            ],
        );
        let whole = value(SEQUENCE, &[&signed]);
        assert_eq!(Peer::new(&whole).unwrap().subject, "CN=ann");
        assert!(Validity::of(&whole).is_ok());
        for length in 0..whole.len() {
            let cut = whole.get(..length).unwrap();
            assert!(Peer::new(cut).is_err() && Validity::of(cut).is_err(), "{length}");
        }
    }
}
