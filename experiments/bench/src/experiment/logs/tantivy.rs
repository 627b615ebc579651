//! The lines in tantivy by itself, as the limit of what an index alone can do: no documents are kept, a commit comes when there are
//! many lines, and nothing is sent anywhere.

use super::lines::{COMMON, Lines, PHRASE, RARE, device};
use super::{Client, Found, NEWEST, Place, Question, WORDED, measure};
use crate::Settings;
use crate::server::{folder_bytes, resident_bytes};
use anyhow::{Result, anyhow};
use std::collections::HashMap;
use std::ops::{Bound, Range};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, PhraseQuery, Query, RangeQuery, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TEXT};
use tantivy::{Index, IndexReader, IndexWriter, Order, ReloadPolicy, TantivyDocument, Term};

const MEMORY_BYTES: usize = 60_000_000;
const COMMIT_LINES: u64 = 100_000;
const HOUR_MS: i64 = 3_600_000;

struct Fields {
    time: Field,
    device: Field,
    level: Field,
    program: Field,
    message: Field,
}

struct Engine {
    fields: Fields,
    index: Index,
    reader: IndexReader,
    writing: Mutex<Writing>,
}

#[derive(Default)]
struct Writing {
    writer: Option<IndexWriter>,
    /// The lines since the last commit.
    pending: u64,
}

pub fn tantivy(settings: &Settings, lines: &Lines) -> Result<Found> {
    let folder = settings.folder("logs-tantivy")?;
    let mut schema = Schema::builder();
    let fields = Fields {
        time: schema.add_i64_field("time", INDEXED | FAST),
        device: schema.add_text_field("device", STRING | FAST),
        level: schema.add_text_field("level", STRING | FAST),
        program: schema.add_text_field("program", STRING | FAST),
        message: schema.add_text_field("message", TEXT),
    };
    let index = Index::create_in_dir(folder.path(), schema.build())?;
    let reader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .try_into()?;
    let engine = Engine {
        fields,
        reader,
        writing: Mutex::default(),
        index,
    };
    let mut found = measure(&&engine, lines)?;
    drop(engine);
    found.bytes = folder_bytes(folder.path(), &|_| true)?;
    Ok(found)
}

fn lock(writing: &Mutex<Writing>) -> Result<MutexGuard<'_, Writing>> {
    writing.lock().map_err(|_| anyhow!("a writer panicked"))
}

impl<'e> Place for &'e Engine {
    type Client = &'e Engine;

    fn connect(&self) -> Result<&'e Engine> {
        Ok(self)
    }

    fn settle(&self) -> Result<Duration> {
        let mut writing = lock(&self.writing)?;
        if let Some(mut writer) = writing.writer.take() {
            writer.commit()?;
            writer.wait_merging_threads()?;
        }
        self.reader.reload()?;
        Ok(Duration::ZERO)
    }

    /// Of the whole process: it is a library.
    fn resident_bytes(&self) -> Result<u64> {
        resident_bytes(std::process::id())
    }
}

impl Client for &Engine {
    fn insert(&mut self, lines: &Lines, numbers: Range<u64>) -> Result<()> {
        let Fields {
            time,
            device,
            level,
            program,
            message,
        } = self.fields;
        let mut made = Vec::new();
        for number in numbers {
            let line = lines.line(number);
            let mut document = TantivyDocument::default();
            document.add_i64(time, line.at_ms as i64);
            document.add_text(device, &line.device);
            document.add_text(level, line.level);
            document.add_text(program, line.program);
            document.add_text(message, &line.message);
            made.push(document);
        }
        let mut writing = lock(&self.writing)?;
        let Writing { writer, pending } = &mut *writing;
        let writer = match writer {
            Some(writer) => writer,
            none => none.insert(self.index.writer_with_num_threads(1, MEMORY_BYTES)?),
        };
        *pending += made.len() as u64;
        for document in made {
            writer.add_document(document)?;
        }
        if *pending >= COMMIT_LINES {
            writer.commit()?;
            *pending = 0;
        }
        Ok(())
    }

    fn ask(&mut self, lines: &Lines, question: Question) -> Result<u64> {
        let fields = &self.fields;
        let word = |word: &str| -> Box<dyn Query> {
            let term = Term::from_field_text(fields.message, word);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
        };
        match question {
            Question::Newest(number) => {
                let term = Term::from_field_text(fields.device, &device(number));
                self.newest(&TermQuery::new(term, IndexRecordOption::Basic), NEWEST)
            }
            Question::Rare => self.newest(&*word(RARE), WORDED),
            Question::Common => self.newest(&*word(COMMON), WORDED),
            Question::Best => {
                let best = TopDocs::with_limit(10).order_by_score();
                Ok(self.reader.searcher().search(&*word(COMMON), &best)?.len() as u64)
            }
            Question::Phrase => {
                let terms = PHRASE
                    .split(' ')
                    .map(|word| Term::from_field_text(fields.message, word));
                self.newest(&PhraseQuery::new(terms.collect()), WORDED)
            }
            Question::Hour => {
                let (from, to) = lines.hour();
                let end = |at: u64| Term::from_field_i64(fields.time, at as i64);
                let within = RangeQuery::new(Bound::Included(end(from)), Bound::Excluded(end(to)));
                let both: Vec<Box<dyn Query>> = vec![word(COMMON), Box::new(within)];
                self.newest(&BooleanQuery::intersection(both), WORDED)
            }
            Question::Histogram => self.histogram(),
        }
    }
}

impl Engine {
    fn newest(&self, query: &dyn Query, count: u64) -> Result<u64> {
        let newest = TopDocs::with_limit(count as usize).order_by_fast_field::<i64>("time", Order::Desc);
        Ok(self.reader.searcher().search(query, &newest)?.len() as u64)
    }

    /// By the columns, one entry after another.
    fn histogram(&self) -> Result<u64> {
        let mut sum = 0;
        for segment in self.reader.searcher().segment_readers() {
            let times = segment.fast_fields().i64("time")?;
            let Some(levels) = segment.fast_fields().str("level")? else {
                continue;
            };
            let mut counts: HashMap<(i64, u64), u64> = HashMap::new();
            for entry in 0..segment.max_doc() {
                let level = levels.term_ords(entry).next().unwrap_or(u64::MAX);
                *counts
                    .entry((times.values.get_val(entry) / HOUR_MS, level))
                    .or_default() += 1;
            }
            sum += counts.values().sum::<u64>();
        }
        Ok(sum)
    }
}
