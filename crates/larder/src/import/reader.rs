//! Reading all files into batches.

use super::batches::{Bad, Batch, Parsed};
use super::options::{Format, ImportOptions};
use super::{csv, input, json, lines};
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use std::path::Path;
use tokio::sync::mpsc::Sender;
use value::{Document, DocumentBuf, ObjectId, Value};

/// Where parsed documents go: full batches are sent, waiting where the target is slower.
pub struct Sink<'a> {
    sender: &'a Sender<Batch>,
    batch: Batch,
    /// A field that every document of the present file gets.
    extra: Option<(String, String)>,
}

impl Sink<'_> {
    /// Takes a document; one without `_id` gets one, so that a retry cannot insert it twice.
    pub fn document(&mut self, place: String, mut document: Document) -> Result<()> {
        if let Some((name, text)) = &self.extra {
            document.set(name.as_str(), Value::from(text.as_str()));
        }
        if !document.contains("_id") {
            document.insert_at(0, "_id", ObjectId::generate());
        }
        self.batch.push(Parsed {
            place,
            document: DocumentBuf::from(&document),
        });
        self.send_if(Batch::is_full)
    }

    /// Takes text that is not a document.
    pub fn bad(&mut self, place: String, reason: String, text: &[u8]) -> Result<()> {
        self.batch.push_bad(Bad {
            place,
            reason,
            text: text.to_vec(),
        });
        self.send_if(Batch::is_full)
    }

    fn send_if(&mut self, ready: impl Fn(&Batch) -> bool) -> Result<()> {
        if ready(&self.batch)
            && self
                .sender
                .blocking_send(std::mem::take(&mut self.batch))
                .is_err()
        {
            bail!("the import ended early");
        }
        Ok(())
    }
}

/// Reads the files one after the other.
pub fn read_all(options: &ImportOptions, progress: &ProgressBar, sender: &Sender<Batch>) -> Result<()> {
    let mut sink = Sink {
        sender,
        batch: Batch::default(),
        extra: None,
    };
    for file in &options.files {
        progress.set_message(file.display().to_string());
        sink.extra = options.file_field.clone().map(|name| (name, input::stem(file)));
        read_file(file, options, progress, &mut sink)?;
    }
    sink.send_if(|batch| !batch.is_empty())
}

fn read_file(
    file: &Path,
    options: &ImportOptions,
    progress: &ProgressBar,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let input = input::open(file, options, progress)?;
    match input.format {
        Format::Ndjson => json::read_lines(input, sink),
        Format::Json => json::read_array(input, sink),
        Format::Csv => csv::read(input, &options.types, sink),
        Format::Lines => lines::read(input, options, sink),
    }
}
