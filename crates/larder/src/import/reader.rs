//! Reading all files into batches.

use super::batches::Batch;
use super::group::{GROUP_FIELDS, Groups, SUMS_MAX};
use super::input::Input;
use super::options::{ColumnType, Format, ImportOptions};
use super::sink::Sink;
use super::{columns, csv, input, json, lines};
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use std::collections::HashSet;
use tokio::sync::mpsc::Sender;

/// Reads the files one after the other.
pub fn read_all(options: &ImportOptions, progress: &ProgressBar, sender: &Sender<Batch>) -> Result<()> {
    let mut sink = Sink::new(sender, &options.id);
    check(options)?;
    let mut groups = Groups::of(options)?;
    for file in &options.files {
        progress.set_message(file.display().to_string());
        sink.add_to_documents(options.file_field.clone().map(|name| (name, input::stem(file))));
        let input = input::open(file, options, progress)?;
        match &mut groups {
            Some(groups) => groups.read(input, &mut sink)?,
            None => read_file(input, options, &mut sink)?,
        }
    }
    if let Some(groups) = groups {
        groups.finish(&mut sink)?;
    }
    sink.finish()
}

/// Refuses options that would be of no effect.
fn check(options: &ImportOptions) -> Result<()> {
    let has_columns = !options.fields.is_empty();
    if has_columns && options.format.is_some_and(|format| format != Format::Columns) {
        bail!("--fields names the columns of --format columns, not of another one");
    }
    if options.pattern.is_some() && options.format.is_some_and(|format| format != Format::Lines) {
        bail!("--pattern takes plain lines apart (--format lines), not those of another format");
    }
    if options.pattern.is_some() && has_columns {
        bail!("--pattern takes lines of text apart, --fields names columns: leave one of them out");
    }
    if let Some(pattern) = &options.pattern {
        let groups: Vec<_> = pattern.capture_names().flatten().collect();
        if let Some(unknown) = options
            .types
            .iter()
            .find(|given| !groups.contains(&given.name.as_str()))
        {
            bail!(
                "--types names '{}', but the groups of --pattern are {}",
                unknown.name,
                groups.join(", ")
            );
        }
    }
    if has_columns && !options.types.is_empty() {
        bail!("--fields gives the types itself: NAME=TYPE; leave --types out");
    }
    check_names(options)?;
    if options.group_by.is_some() && options.file_field.is_some() {
        bail!("--file-field has no place in the documents of --group-by");
    }
    if options.group_by.is_some() && options.rule().is_some() {
        bail!("--group-by adds up lines, not records of several lines");
    }
    if options.sum.len() > SUMS_MAX {
        bail!("there are {} of --sum; {SUMS_MAX} may be", options.sum.len());
    }
    Ok(())
}

/// Refuses names that are given twice: the fields of one would be lost.
fn check_names(options: &ImportOptions) -> Result<()> {
    let columns = |of: &'_ [ColumnType]| of.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let sums = options.sum.iter().map(|sum| sum.name.clone());
    for (option, names) in [
        ("--fields", columns(&options.fields)),
        ("--types", columns(&options.types)),
        ("--id", options.id.clone()),
        // Groups have these fields besides.
        (
            "--sum",
            GROUP_FIELDS.map(str::to_owned).into_iter().chain(sums).collect(),
        ),
    ] {
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
            bail!("{option} names '{twice}' twice, or what has that name already");
        }
    }
    Ok(())
}

fn read_file(input: Input, options: &ImportOptions, sink: &mut Sink<'_>) -> Result<()> {
    let has_lines = matches!(
        input.format,
        Format::Lines | Format::Syslog | Format::Combined | Format::Logfmt
    );
    if !has_lines && options.rule().is_some() {
        bail!(
            "--record-starts and --record-continues join lines of text and of logs; {} holds none",
            input.name
        );
    }
    let has_types = input.format == Format::Csv || options.pattern.is_some();
    if !has_types && !options.types.is_empty() {
        bail!(
            "--types gives types to columns of CSV and groups of --pattern; {} holds none",
            input.name
        );
    }
    if options.delimiter.is_some() && !matches!(input.format, Format::Csv | Format::Columns) {
        bail!(
            "--delimiter separates fields of CSV and columns; {} holds none",
            input.name
        );
    }
    if input.format == Format::Csv && input.delimiter == b'"' {
        bail!("fields of CSV are quoted by '\"': --delimiter names another character");
    }
    match input.format {
        Format::Ndjson => json::read_lines(input, sink),
        Format::Json => json::read_array(input, sink),
        Format::Csv => csv::read(input, &options.types, sink),
        Format::Lines => lines::read(input, options, sink),
        Format::Syslog => lines::read_log(input, logline::Format::Syslog, options, sink),
        Format::Combined => lines::read_log(input, logline::Format::Combined, options, sink),
        Format::Logfmt => lines::read_log(input, logline::Format::Logfmt, options, sink),
        Format::Columns => columns::read(input, options, sink),
    }
}
