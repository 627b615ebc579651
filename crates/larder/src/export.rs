//! `larder export`: a collection as NDJSON, a JSON array or CSV, which `larder import` reads back.

use crate::target::{PlaceOptions, Target};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use rustix::fs::Mode as FileMode;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use value::json::Mode;
use value::path::FieldPath;
use value::{Document, DocumentBuf, Value, ValueRef};

/// Exports a collection, through a running server or straight out of a data folder.
#[derive(Clone, Debug, Args)]
pub struct ExportOptions {
    /// Where from.
    #[command(flatten)]
    pub place: PlaceOptions,
    /// Where to; `-` is standard output. A name that ends in .gz or .zst is compressed.
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// What is written.
    #[arg(long, value_name = "FORMAT", default_value = "ndjson")]
    pub format: ExportFormat,
    /// Which documents, as a filter in Extended JSON.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub filter: String,
    /// The columns of CSV, as dotted paths.
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub fields: Vec<String>,
    /// Shows no progress.
    #[arg(long)]
    pub quiet: bool,
}

/// What an export writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One document a line, every type kept (canonical Extended JSON).
    Ndjson,
    /// One document a line, as plain as JSON allows (relaxed Extended JSON).
    Relaxed,
    /// One array of documents, every type kept.
    Json,
    /// The columns of --fields with a header.
    Csv,
}

/// Exports all documents that match, into a file that others may read as far as `mask` lets them.
pub async fn run(options: &ExportOptions, mask: FileMode) -> Result<()> {
    let filter = value::json::parse_document(&options.filter).context("--filter is not a document")?;
    if options.format == ExportFormat::Csv && options.fields.is_empty() {
        bail!("CSV needs its columns: say --fields name,address.city,…");
    }
    if options.format != ExportFormat::Csv && !options.fields.is_empty() {
        bail!("--fields names the columns of --format csv; other formats have all fields");
    }
    let target = Target::open_existing(&options.place.holder).await?;
    let progress = if options.quiet {
        ProgressBar::hidden()
    } else {
        ProgressBar::new_spinner()
    };
    let from = &options.place.collection;
    let (mut batch, mut cursor) = target.find(from, &filter).await?;
    // An existing export stays as it is if this one cannot begin.
    let mut writer = Writer::open(options, mask)?;
    loop {
        for document in &batch {
            writer.document(document)?;
        }
        progress.inc(batch.len() as u64);
        progress.set_message(format!("{} documents", progress.position()));
        if cursor == 0 {
            break;
        }
        (batch, cursor) = target.get_more(from, cursor).await?;
    }
    writer.finish()?;
    progress.finish_and_clear();
    target.close().await?;
    eprintln!("exported {} documents of {from}", progress.position());
    Ok(())
}

/// Makes a file, or empties the existing one, whose mode stays.
fn create(path: &Path, mask: FileMode) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => File::create(path),
        made => {
            let made = made?;
            let mode = Permissions::from_mode(0o666 & !mask.bits());
            // Not every file system has modes.
            let _ = made.set_permissions(mode);
            Ok(made)
        }
    }
}

struct Writer {
    out: Output,
    format: ExportFormat,
    columns: Vec<FieldPath>,
    line: String,
    first: bool,
    // Dropped last: until then compressors write their end.
    unfinished: Unfinished,
}

/// A new file of an export, removed if the export fails: a part would be taken for the whole.
struct Unfinished(Option<PathBuf>);

impl Unfinished {
    /// An existing file is not removed.
    fn new(path: &Path) -> Unfinished {
        let is_new = path != Path::new("-") && path.symlink_metadata().is_err();
        Unfinished(is_new.then(|| path.to_owned()))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // The error of the export is the one to show.
            let _ = std::fs::remove_file(path);
        }
    }
}

enum Output {
    Plain(Box<dyn Write>),
    Gzip(flate2::write::GzEncoder<File>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Writer {
    fn open(options: &ExportOptions, mask: FileMode) -> Result<Writer> {
        let name = options.output.to_string_lossy();
        let unfinished = Unfinished::new(&options.output);
        let create = || create(&options.output, mask).with_context(|| format!("cannot create {name}"));
        let out = match () {
            () if name == "-" => Output::Plain(Box::new(BufWriter::new(io::stdout()))),
            () if name.ends_with(".gz") => Output::Gzip(flate2::write::GzEncoder::new(
                create()?,
                flate2::Compression::default(),
            )),
            () if name.ends_with(".zst") => {
                Output::Zstd(zstd::stream::write::Encoder::new(BufWriter::new(create()?), 0)?)
            }
            () => Output::Plain(Box::new(BufWriter::with_capacity(1 << 20, create()?))),
        };
        let columns = options
            .fields
            .iter()
            .map(|field| FieldPath::parse(field))
            .collect();
        let mut writer = Writer {
            out,
            format: options.format,
            columns,
            line: String::new(),
            first: true,
            unfinished,
        };
        match options.format {
            ExportFormat::Json => writer.line.push('['),
            ExportFormat::Csv => writer.csv_line(&options.fields)?,
            ExportFormat::Ndjson | ExportFormat::Relaxed => {}
        }
        Ok(writer)
    }

    fn document(&mut self, document: &DocumentBuf) -> Result<()> {
        let value = ValueRef::Document(document.as_ref());
        match self.format {
            ExportFormat::Ndjson => value::json::write(value, Mode::Canonical, &mut self.line),
            ExportFormat::Relaxed => value::json::write(value, Mode::Relaxed, &mut self.line),
            ExportFormat::Json => {
                self.line.push_str(if self.first { "\n" } else { ",\n" });
                value::json::write(value, Mode::Canonical, &mut self.line);
            }
            ExportFormat::Csv => {
                let tree = document.to_document();
                let fields: Vec<_> = self
                    .columns
                    .iter()
                    .map(|path| field_text(&tree, path.parts()))
                    .collect();
                self.csv_line(&fields)?;
            }
        }
        self.first = false;
        if matches!(self.format, ExportFormat::Ndjson | ExportFormat::Relaxed) {
            self.line.push('\n');
        }
        self.write_line()
    }

    fn csv_line(&mut self, fields: &[String]) -> Result<()> {
        let mut record = csv::WriterBuilder::new().from_writer(Vec::new());
        record.write_record(fields)?;
        let bytes = record.into_inner().context("cannot build a CSV record")?;
        self.line.push_str(&String::from_utf8_lossy(&bytes));
        Ok(())
    }

    fn write_line(&mut self) -> Result<()> {
        let bytes = self.line.as_bytes();
        match &mut self.out {
            Output::Plain(out) => out.write_all(bytes),
            Output::Gzip(out) => out.write_all(bytes),
            Output::Zstd(out) => out.write_all(bytes),
        }
        .context("cannot write the export")?;
        self.line.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if self.format == ExportFormat::Json {
            self.line.push_str("\n]\n");
        }
        self.write_line()?;
        match self.out {
            Output::Plain(mut out) => out.flush(),
            Output::Gzip(out) => out.finish().map(drop),
            Output::Zstd(out) => out.finish().and_then(|mut out| out.flush()),
        }
        .context("cannot write the export")?;
        self.unfinished.0 = None;
        Ok(())
    }
}

/// The text of one CSV field: plain for scalars, Extended JSON for what CSV lacks, empty if the path leads nowhere.
fn field_text(document: &Document, path: &[Box<str>]) -> String {
    let Some((name, rest)) = path.split_first() else {
        return String::new();
    };
    match (document.get(name), rest.is_empty()) {
        (None | Some(Value::Null), _) => String::new(),
        (Some(Value::Document(inner)), false) => field_text(inner, rest),
        (Some(_), false) => String::new(),
        (Some(value), true) => scalar_text(value),
    }
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::ObjectId(id) => id.to_string(),
        Value::Decimal128(decimal) => decimal.to_string(),
        Value::DateTime(ms) => {
            jiff::Timestamp::from_millisecond(*ms).map_or_else(|_| ms.to_string(), |at| at.to_string())
        }
        other => {
            let mut text = String::new();
            value::json::write(other.as_ref(), Mode::Relaxed, &mut text);
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;

    #[test]
    fn others_may_read_a_new_file_as_far_as_the_mask_lets_them() {
        let path = std::env::temp_dir().join(format!("larder-export-{}", std::process::id()));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        create(&path, FileMode::from_bits_truncate(0o027)).unwrap();
        assert_eq!(mode(&path), 0o640);
        create(&path, FileMode::empty()).unwrap();
        assert_eq!(mode(&path), 0o640);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_new_file_stays_where_the_export_comes_to_its_end() {
        let folder = std::env::temp_dir().join(format!("larder-export-end-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        for name in ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst"] {
            let path = folder.join(name);
            let words = [
                "export",
                "--collection",
                "a.b",
                "--output",
                path.to_str().unwrap(),
            ];
            let command = ExportOptions::augment_args(clap::Command::new("export"));
            let options = ExportOptions::from_arg_matches(&command.get_matches_from(words)).unwrap();
            let begun = || {
                let mut writer = Writer::open(&options, FileMode::empty()).unwrap();
                writer
                    .document(&DocumentBuf::from(&Document::new().with("a", 1)))
                    .unwrap();
                writer
            };
            drop(begun());
            assert!(!path.exists(), "{name}");
            begun().finish().unwrap();
            assert!(path.exists(), "{name}");
            drop(begun());
            assert!(path.exists(), "{name}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
