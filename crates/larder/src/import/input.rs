//! Opening files: standard input, gzip, zstd, and the progress bar over the bytes read.

use super::options::{Format, ImportOptions};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

const BUFFER_BYTES: usize = 1 << 20;
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

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

/// A bar over the bytes of all files; one that only counts where standard input is among them.
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
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot open {name}"))?)
    };
    let mut packed = BufReader::with_capacity(BUFFER_BYTES, progress.wrap_read(raw));
    let start = packed.fill_buf().with_context(|| format!("cannot read {name}"))?;
    let mut text: Box<dyn BufRead> = if start.starts_with(GZIP_MAGIC) {
        Box::new(BufReader::with_capacity(
            BUFFER_BYTES,
            flate2::bufread::MultiGzDecoder::new(packed),
        ))
    } else if start.starts_with(ZSTD_MAGIC) {
        let decoder = zstd::stream::read::Decoder::with_buffer(packed).context("cannot start zstd")?;
        Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
    } else {
        Box::new(packed)
    };
    let plain = plain_name(file);
    let columns = (!options.fields.is_empty()).then_some(Format::Columns);
    let format = match options.format.or(columns).or_else(|| by_name(&plain)) {
        Some(format) => format,
        None => by_content(text.fill_buf().with_context(|| format!("cannot read {name}"))?),
    };
    let delimiter = options
        .delimiter
        .unwrap_or(if plain.ends_with(".tsv") { '\t' } else { ',' });
    let delimiter = u8::try_from(delimiter).context("the delimiter must be one byte")?;
    Ok(Input {
        name,
        text,
        format,
        delimiter,
    })
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

fn by_name(name: &str) -> Option<Format> {
    let (_, extension) = name.rsplit_once('.')?;
    match extension {
        "csv" | "tsv" => Some(Format::Csv),
        "ndjson" | "jsonl" => Some(Format::Ndjson),
        "log" | "txt" => Some(Format::Lines),
        _ => None,
    }
}

/// An array begins with a bracket, NDJSON with a brace; anything else is taken for CSV.
fn by_content(start: &[u8]) -> Format {
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'[') => Format::Json,
        Some(b'{') | None => Format::Ndjson,
        Some(_) => Format::Csv,
    }
}
