//! Opening files: standard input, gzip, zstd, and the progress bar over the bytes read.

use super::options::{Format, ImportOptions};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

const BUFFER_BYTES: usize = 1 << 20;
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// The byte order mark that some programs begin UTF-8 with.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
/// The marks of UTF-16, little- and big-endian.
const UTF16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
/// How files begin that are compressed in forms that are not read here, and what decompresses them.
const PACKED: [(&[u8], &str); 4] = [
    (b"\xfd7zXZ\0", "xz -dc"),
    (b"BZh91AY&SY", "bzip2 -dc"),
    (b"\x04\x22\x4d\x18", "lz4 -dc"),
    (b"PK\x03\x04", "unzip -p"),
];
/// The longest of these.
const PACKED_BYTES_MAX: usize = 10;
/// Why bytes are no text, and what to do about it.
pub const NOT_UTF8: &str = "not UTF-8: convert the file, as by iconv -f LATIN1 -t UTF-8";
/// How much white space is skipped in search of the first byte of the content.
const SPACE_BYTES_MAX: usize = 64 << 10;

/// An opened file.
pub struct Input {
    /// Its name, as errors say it.
    pub name: String,
    /// The decompressed text.
    pub text: Box<dyn BufRead>,
    /// What it holds.
    pub format: Format,
    /// What separates CSV fields.
    pub delimiter: u8,
}

/// A bar over the bytes of all files; it only counts if standard input is among them.
pub fn progress(options: &ImportOptions) -> Result<ProgressBar> {
    if options.quiet {
        return Ok(ProgressBar::hidden());
    }
    let mut total = Some(0);
    for file in &options.files {
        let size = if is_standard_input(file) {
            None
        } else {
            Some(size_of(file)?)
        };
        total = total.zip(size).map(|(total, size)| total + size);
    }
    let template = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}";
    Ok(match total {
        Some(total) => ProgressBar::new(total).with_style(ProgressStyle::with_template(template)?),
        None => ProgressBar::new_spinner(),
    })
}

fn size_of(file: &Path) -> Result<u64> {
    let metadata = file
        .metadata()
        .with_context(|| format!("cannot read {}", file.display()))?;
    Ok(metadata.len())
}

fn is_standard_input(file: &Path) -> bool {
    file == Path::new("-")
}

/// Opens one file and decides what it holds.
pub fn open(file: &Path, options: &ImportOptions, progress: &ProgressBar) -> Result<Input> {
    let name = if is_standard_input(file) {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    };
    let raw: Box<dyn Read> = if is_standard_input(file) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot open {name}"))?)
    };
    let reading = || format!("cannot read {name}");
    let packed = BufReader::with_capacity(BUFFER_BYTES, progress.wrap_read(raw));
    let (start, packed) = peek(packed, |start| start.len() >= PACKED_BYTES_MAX).with_context(reading)?;
    refuse_packed(&start, &name)?;
    let text = unpacked(packed).with_context(reading)?;
    let text = without_mark(text, &name)?;
    let is_content = |start: &[u8]| start.last().is_some_and(|last| !last.is_ascii_whitespace());
    let are_enough = |start: &[u8]| start.len() >= SPACE_BYTES_MAX || is_content(start);
    let (start, text) = peek(text, are_enough).with_context(reading)?;
    let plain = plain_name(file);
    Ok(Input {
        format: format_of(&plain, content(&start), options, &name)?,
        name,
        text: Box::new(text),
        delimiter: options
            .delimiter
            .unwrap_or(if plain.ends_with(".tsv") { b'\t' } else { b',' }),
    })
}

/// A text whose first bytes were read already.
type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

/// Reads the first bytes until there are enough. Returns them, and the whole input with them.
fn peek<R: BufRead>(mut rest: R, are_enough: impl Fn(&[u8]) -> bool) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut start = Vec::new();
    while !are_enough(&start) {
        let Some(&byte) = rest.fill_buf()?.first() else {
            break;
        };
        rest.consume(1);
        start.push(byte);
    }
    Ok((start.clone(), Cursor::new(start).chain(rest)))
}

/// Decompresses what is compressed.
fn unpacked(packed: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
    let (start, packed) = peek(packed, |start| start.len() >= ZSTD_MAGIC.len())?;
    Ok(match start.as_slice() {
        start if start.starts_with(GZIP_MAGIC) => {
            let decoder = flate2::bufread::MultiGzDecoder::new(packed);
            Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
        }
        ZSTD_MAGIC => {
            let decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
            Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
        }
        _ => Box::new(packed),
    })
}

/// Refuses what would be taken for a text of wrong bytes.
fn refuse_packed(start: &[u8], name: &str) -> Result<()> {
    let known = PACKED.iter().find(|(mark, _)| start.starts_with(mark));
    match known {
        Some((_, program)) => bail!(
            "{name} is packed in a form that is not read here: unpack it on the way, {program} FILE | larder import - …"
        ),
        None => Ok(()),
    }
}

/// Removes the mark of UTF-8, which would be a part of the first line; refuses UTF-16, which looks like no format.
fn without_mark(text: Box<dyn BufRead>, name: &str) -> Result<Box<dyn BufRead>> {
    let peeked = peek(text, |start| start.len() >= UTF8_MARK.len());
    let (start, mut text) = peeked.with_context(|| format!("cannot read {name}"))?;
    if UTF16_MARKS.iter().any(|mark| start.starts_with(mark)) {
        bail!("{name} is UTF-16: convert it to UTF-8, as by iconv -f UTF-16 -t UTF-8");
    }
    if start == UTF8_MARK {
        text.consume(UTF8_MARK.len());
    }
    Ok(Box::new(text))
}

/// The file's name without the ending of its compression.
fn plain_name(file: &Path) -> String {
    let name = file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let plain = [".gz", ".gzip", ".zst", ".zstd"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending));
    plain.unwrap_or(&name).to_owned()
}

/// The file's name without folder and extensions, for `--file-field`.
pub fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// The first byte that is not white space.
fn content(start: &[u8]) -> Option<u8> {
    start.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

/// What a file holds: as the options say, or its name, or its first byte.
fn format_of(plain: &str, first: Option<u8>, options: &ImportOptions, name: &str) -> Result<Format> {
    let columns = (!options.fields.is_empty()).then_some(Format::Columns);
    let lines = options.pattern.is_some().then_some(Format::Lines);
    if let Some(format) = options.format.or(columns).or(lines) {
        return Ok(format);
    }
    let extension = plain.rsplit_once('.').map_or("", |(_, extension)| extension);
    Ok(match (extension, first) {
        // The first line would be taken for the header, and lost.
        ("csv" | "tsv", Some(byte @ (b'{' | b'['))) => {
            let byte = char::from(byte);
            bail!(
                "{name} begins with '{byte}', as JSON does: say --format ndjson or json, or csv if it is that"
            )
        }
        ("csv" | "tsv", _) => Format::Csv,
        ("ndjson" | "jsonl", _) => Format::Ndjson,
        ("log" | "txt", _) => Format::Lines,
        (_, Some(b'[')) => Format::Json,
        ("json", _) | (_, Some(b'{') | None) => Format::Ndjson,
        _ => Format::Csv,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn options(words: &[&str]) -> ImportOptions {
        let command = ImportOptions::augment_args(Command::new("import"));
        let words = ["import", "file", "--collection", "a.b"].iter().chain(words);
        ImportOptions::from_arg_matches(&command.get_matches_from(words)).unwrap()
    }

    fn decided(name: &str, text: &[u8], words: &[&str]) -> Result<Format> {
        format_of(name, content(text), &options(words), name)
    }

    #[test]
    fn a_file_holds_what_is_said_or_what_its_name_or_first_byte_says() {
        let cases: [(&str, &[u8], &[&str], Format); 14] = [
            ("a.json", b" [1", &[], Format::Json),
            ("a.json", b"\n{", &[], Format::Ndjson),
            ("a.json", b"x", &[], Format::Ndjson),
            ("a.ndjson", b"[", &[], Format::Ndjson),
            ("a.csv", b"a,b", &[], Format::Csv),
            ("a.tsv", b"", &[], Format::Csv),
            ("a.csv", b"{", &["--format", "csv"], Format::Csv),
            ("a.csv", b"{", &["--format", "ndjson"], Format::Ndjson),
            ("a.log", b"{", &[], Format::Lines),
            ("a", b"[", &[], Format::Json),
            ("a", b"{", &[], Format::Ndjson),
            ("a", b"a,b", &[], Format::Csv),
            ("a", b"a b", &["--pattern", "x"], Format::Lines),
            ("a.csv", b"a b", &["--fields", "x,y"], Format::Columns),
        ];
        for (name, text, words, format) in cases {
            assert_eq!(decided(name, text, words).unwrap(), format, "{name} {words:?}");
        }
        let error = decided("a.csv", b"{\"a\": 1}", &[]).unwrap_err();
        assert!(error.to_string().contains("as JSON does"), "{error}");
    }

    #[test]
    fn archives_in_other_forms_are_refused_with_the_program_that_unpacks_them() {
        for (start, program) in [
            (&b"\xfd7zXZ\0\0\x04"[..], "xz -dc FILE"),
            (b"BZh91AY&SY\0", "bzip2 -dc FILE"),
            (b"PK\x03\x04\n", "unzip -p FILE"),
        ] {
            let error = refuse_packed(start, "a").unwrap_err();
            assert!(error.to_string().contains(program), "{error}");
        }
        for start in [&b"BZh,PK\n1,2"[..], b"", b"\x1f\x8b"] {
            refuse_packed(start, "a").unwrap();
        }
    }

    fn read(text: &[u8]) -> Result<Vec<u8>> {
        let mut read = Vec::new();
        let text = unpacked(Cursor::new(text.to_vec()))?;
        without_mark(text, "a.json")?.read_to_end(&mut read)?;
        Ok(read)
    }

    #[test]
    fn a_mark_of_utf_8_is_no_part_of_the_text_and_utf_16_is_refused() {
        for text in [b"{}".as_slice(), b"", b"\xef\xbb", b"a"] {
            assert_eq!(read(text).unwrap(), text);
            let marked = [UTF8_MARK, text].concat();
            assert_eq!(read(&marked).unwrap(), text);
            let packed = zstd::encode_all(marked.as_slice(), 0).unwrap();
            assert_eq!(read(&packed).unwrap(), text);
        }
        for text in [b"\xff\xfe{\0".as_slice(), b"\xfe\xff\0{"] {
            assert!(read(text).unwrap_err().to_string().contains("UTF-16"));
        }
    }
}
