//! The options of `larder import`.

use crate::given::{find_given, flag, is_given};
use crate::target::{HolderOptions, parse_namespace};
use clap::{ArgMatches, Args, Command, ValueEnum};
use engine::Namespace;
use logline::Rule;
use regex::Regex;
use std::path::PathBuf;

/// Imports files into a collection, through a running server or straight into a data folder.
#[derive(Clone, Debug, Args)]
pub struct ImportOptions {
    /// Files to import, plain or compressed with gzip or zstd; `-` is standard input. With --from, the address of a server.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The collection's full name, `database.collection`.
    #[arg(
        long,
        value_name = "DB.NAME",
        value_parser = parse_namespace,
        required_unless_present = "from",
        conflicts_with = "from"
    )]
    pub collection: Option<Namespace>,
    /// Where to.
    #[command(flatten)]
    pub holder: HolderOptions,
    /// Copies what a running server of another kind has: `larder import --from riak http://HOST:8098`. It goes to a running
    /// Larder (--riak), with siblings, metadata, terms and data types.
    #[arg(long, value_name = "KIND", conflicts_with = "data")]
    pub from: Option<From>,
    /// With --from riak: the HTTP of Larder's that it goes to, with NAME:PASSWORD@ where it has users.
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://127.0.0.1:8098",
        env = "LARDER_RIAK",
        hide_env_values = true
    )]
    pub riak: String,
    /// With --from riak: the bucket types beside `default`, which Riak's HTTP does not list.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub bucket_types: Vec<String>,
    /// With --from riak: these buckets only.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub buckets: Vec<String>,
    /// With --from riak: the file that says which objects are done. It is removed when all are.
    #[arg(long, value_name = "FILE", default_value = "riak-import.state")]
    pub state: PathBuf,
    /// What the files hold; by default decided by each file's name, else by its first byte.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Takes lines of text apart: a regular expression whose named groups become fields. Lines that it does not match are rejected.
    #[arg(long, value_name = "REGEX")]
    pub pattern: Option<Regex>,
    /// Types of CSV columns and of groups of --pattern, in place of inference: `id=string,at=date,n=int`.
    #[arg(long, value_name = "NAME=TYPE", value_delimiter = ',')]
    pub types: Vec<ColumnType>,
    /// Names, and types where they are not to be inferred, of columns without a header: `start=date,end=date,car=string`.
    #[arg(long, value_name = "NAME[=TYPE]", value_delimiter = ',', value_parser = field)]
    pub fields: Vec<ColumnType>,
    /// Imports one document for each value of a column of --fields, with the `count` of its lines, instead of the lines.
    #[arg(long, value_name = "COLUMN")]
    pub group_by: Option<String>,
    /// A sum over the lines of each group, of a column or of a difference: `parked=end-start`; dates in milliseconds.
    #[arg(long, value_name = "NAME=COLUMN[-COLUMN]", value_delimiter = ',')]
    pub sum: Vec<Sum>,
    /// What separates CSV fields [default: a comma; a tab for .tsv] and columns [default: blanks].
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Joins lines of text and of logs that belong together: a line that matches begins a record, the others go on with it.
    #[arg(long, value_name = "REGEX", conflicts_with = "record_continues")]
    pub record_starts: Option<Regex>,
    /// Joins lines of text and of logs that belong together: a line that matches goes on with the record before it.
    #[arg(long, value_name = "REGEX")]
    pub record_continues: Option<Regex>,
    /// The field that becomes each document's `_id`; of several, `host,number`, a document that holds them does.
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "group_by")]
    pub id: Vec<String>,
    /// Leaves documents out whose `_id` the collection has already, and counts them in place of rejecting them: for files that
    /// overlap, and for messages that were sent twice.
    #[arg(long)]
    pub skip_existing: bool,
    /// Adds a field with the name of the file, without folder and extension, to every document.
    #[arg(long, value_name = "NAME")]
    pub file_field: Option<String>,
    /// Where lines go that cannot be imported.
    #[arg(long, value_name = "FILE", default_value = "rejected.ndjson")]
    pub reject: PathBuf,
    /// Shows no progress bar.
    #[arg(long)]
    pub quiet: bool,
}

impl ImportOptions {
    /// The type that was given to a column or group.
    pub fn kind_of(&self, name: &str) -> FieldType {
        let given = self.types.iter().find(|given| given.name == name);
        given.map_or(FieldType::Auto, |given| given.kind)
    }

    /// Which lines belong together; `None` if each is a record.
    pub fn rule(&self) -> Option<Rule> {
        let starts = self.record_starts.clone().map(Rule::Starts);
        starts.or_else(|| self.record_continues.clone().map(Rule::Continues))
    }
}

/// Options that only an import from Riak has.
const OF_RIAK: [&str; 4] = ["riak", "bucket_types", "buckets", "state"];
/// Options of every import.
const OF_ALL: [&str; 4] = ["files", "from", "reject", "quiet"];

/// Why an option would be of no effect, if one would be: for files, or for what is copied from a server.
pub fn misplaced(command: &Command, given: &ArgMatches) -> Option<String> {
    let is_from = is_given(given, "from");
    let has_effect = |option: &str| OF_ALL.contains(&option) || OF_RIAK.contains(&option) == is_from;
    let option = find_given(command, given, |option| !has_effect(option))?;
    let (with, why) = match is_from {
        true => ("with", "objects are copied as they are, to the server of --riak"),
        false => ("without", "files have no such thing"),
    };
    Some(format!("{} says nothing {with} --from: {why}", flag(option)))
}

/// One byte, as text in UTF-8 has it.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r') => Ok(*byte),
        _ => Err("it must be one character of ASCII, and no end of a line".to_owned()),
    }
}

/// A name with or without a type.
fn field(text: &str) -> Result<ColumnType, String> {
    match text.contains('=') {
        true => text.parse(),
        false => Ok(ColumnType {
            name: text.to_owned(),
            kind: FieldType::Auto,
        }),
    }
}

/// What kind of server an import is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum From {
    /// Riak, by its HTTP.
    Riak,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON document a line.
    Ndjson,
    /// One JSON array of documents.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// Lines of text: each becomes `{line: "…"}`, or the fields of --pattern.
    Lines,
    /// Lines of columns without a header, named by --fields.
    Columns,
    /// Lines of syslog: RFC 5424, RFC 3164, and as files have them. A time without a zone is the machine's, one without a year
    /// the last that was.
    Syslog,
    /// Access logs of Apache and nginx, "common" or "combined".
    Combined,
    /// Lines of `name=value name="value with blanks"`.
    Logfmt,
}

/// The type of a CSV column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnType {
    /// The column's name.
    pub name: String,
    /// Its type.
    pub kind: FieldType,
}

/// A type that CSV fields can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FieldType {
    /// Whatever the field looks like.
    Auto,
    /// Text as it stands.
    String,
    /// A 32- or 64-bit integer.
    Int,
    /// A floating point number.
    Double,
    /// A decimal number, kept exactly.
    Decimal,
    /// true or false.
    Bool,
    /// A date and time, UTC where no zone is given.
    Date,
    /// 24 hexadecimal digits.
    Objectid,
}

impl std::str::FromStr for ColumnType {
    type Err = String;

    fn from_str(text: &str) -> Result<ColumnType, String> {
        let (name, kind) = text
            .split_once('=')
            .ok_or_else(|| format!("'{text}' is not of the form NAME=TYPE"))?;
        let kind = FieldType::from_str(kind, true).map_err(|_| {
            let known: Vec<_> = FieldType::value_variants()
                .iter()
                .filter_map(FieldType::to_possible_value)
                .collect();
            let names: Vec<_> = known.iter().map(clap::builder::PossibleValue::get_name).collect();
            format!("'{kind}' is not a type; known are {}", names.join(", "))
        })?;
        Ok(ColumnType {
            name: name.to_owned(),
            kind,
        })
    }
}

/// A sum over the lines of a group: `NAME=COLUMN` or `NAME=COLUMN-COLUMN`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The field that holds it.
    pub name: String,
    /// The column that is added.
    pub plus: String,
    /// The column that is taken away.
    pub minus: Option<String>,
}

impl std::str::FromStr for Sum {
    type Err = String;

    fn from_str(text: &str) -> Result<Sum, String> {
        let parts = text
            .split_once('=')
            .filter(|(name, of)| !name.is_empty() && !of.is_empty());
        let (name, of) =
            parts.ok_or_else(|| format!("'{text}' is neither NAME=COLUMN nor NAME=COLUMN-COLUMN"))?;
        let (plus, minus) = match of.split_once('-') {
            Some((plus, minus)) => (plus, Some(minus.to_owned())),
            None => (of, None),
        };
        Ok(Sum {
            name: name.to_owned(),
            plus: plus.to_owned(),
            minus,
        })
    }
}
