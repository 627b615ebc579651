//! The bytes of a page.
//!
//! A byte that says how, the size of what follows uncompressed (varint), then zstd. Within it: the level (0 is a leaf),
//! the number of entries, and the entries column by column, each against the one before it: what rows share is all but
//! gone before zstd sees it. `docs/format.md`, "Views".

use super::columns::Columns;
use super::row::{Child, Position, Row, Summary};
use super::rows::{Cells, LeafRows};
use crate::codec::Reader;
use crate::limits::PAGE_WORKERS_MAX;
use bytes::{Buf, Bytes};
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use value::varint;
use zstd::bulk::Compressor;

/// The one way of compression so far.
const ZSTD: u8 = 1;
/// Fast to write; higher levels gain little on columns.
const ZSTD_LEVEL: i32 = 3;
/// Fewer leaves than these are compressed sooner than a thread is started for them.
const LEAVES_A_WORKER_MIN: usize = 2;
/// No page comes near; a larger size is damage.
const PAGE_BYTES_MAX: u64 = 1 << 30;

/// A page, decoded; a clone of it copies nothing.
#[derive(Clone, Debug)]
pub enum Page {
    /// Rows in order.
    Leaf(Arc<LeafRows>),
    /// Pages of one level below, in order.
    Inner {
        /// 1 where the pages below are leaves.
        level: u8,
        /// The pages.
        children: Arc<[Child]>,
    },
}

impl Page {
    /// About how many bytes it takes in memory.
    pub fn size_bytes(&self) -> usize {
        match self {
            Page::Leaf(rows) => rows.size_bytes(),
            Page::Inner { children, .. } => children
                .iter()
                .map(|child| size_of::<Child>() + child.size_bytes())
                .sum(),
        }
    }
}

fn encode_leaf(rows: &[Row], compressor: &mut Compressor<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(rows.iter().map(Row::size_bytes).sum());
    out.push(0);
    varint::put(rows.len() as u64, &mut out);
    put_column(rows.iter().map(|row| &row.position.sort_key), &mut out);
    put_column(rows.iter().map(|row| &row.position.id), &mut out);
    rows.iter()
        .for_each(|row| varint::put(u64::from(row.position.emission), &mut out));
    put_column(rows.iter().map(|row| &row.key), &mut out);
    put_column(rows.iter().map(|row| &row.value), &mut out);
    compress(&out, compressor)
}

/// The bytes of several leaves; compressing is shared among threads where it is worth one.
pub fn encode_leaves(leaves: &[&[Row]]) -> Vec<Vec<u8>> {
    let encode = |leaves: &[&[Row]]| -> Vec<Vec<u8>> {
        let mut compressor = compressor();
        let leaves = leaves.iter();
        leaves.map(|rows| encode_leaf(rows, &mut compressor)).collect()
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = processors
        .min(PAGE_WORKERS_MAX)
        .min(leaves.len() / LEAVES_A_WORKER_MIN);
    if workers < 2 {
        return encode(leaves);
    }
    thread::scope(|scope| {
        let shares = leaves.chunks(leaves.len().div_ceil(workers));
        let spawned: Vec<_> = shares.map(|share| scope.spawn(move || encode(share))).collect();
        let joined = spawned.into_iter().map(|share| match share.join() {
            Ok(pages) => pages,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    })
}

/// The bytes of an inner page.
pub fn encode_inner(level: u8, children: &[Child]) -> Vec<u8> {
    let mut out = Vec::with_capacity(children.iter().map(Child::size_bytes).sum());
    out.push(level);
    varint::put(children.len() as u64, &mut out);
    put_column(children.iter().map(|child| &child.first.sort_key), &mut out);
    put_column(children.iter().map(|child| &child.first.id), &mut out);
    for child in children {
        varint::put(u64::from(child.first.emission), &mut out);
        varint::put(child.page, &mut out);
    }
    children
        .iter()
        .for_each(|child| put_summary(&child.summary, &mut out));
    compress(&out, &mut compressor())
}

/// Appends what a subtree amounts to.
pub fn put_summary(summary: &Summary, out: &mut Vec<u8>) {
    varint::put(summary.rows, out);
    varint::put(summary.bytes, out);
    varint::put(summary.reductions.len() as u64, out);
    put_column(summary.reductions.iter(), out);
}

/// Takes such a summary off the front.
pub fn take_summary(reader: &mut Reader) -> Option<Summary> {
    let (rows, bytes) = (reader.varint()?, reader.varint()?);
    let count = reader.count()?;
    Some(Summary {
        rows,
        bytes,
        reductions: take_column(reader, count)?,
    })
}

/// Reads a page; `None` if the bytes do not have the form of one.
pub fn decode(bytes: &Bytes) -> Option<Page> {
    decode_content(decompress(bytes)?)
}

/// A page as a reduction reads it.
#[derive(Clone, Debug)]
pub enum Content {
    /// The bytes of a leaf.
    Leaf(Bytes),
    /// Any other.
    Page(Page),
}

/// Reads a page unless it is a leaf; `None` if the bytes do not have the form of one.
pub fn decode_inner(bytes: &Bytes) -> Option<Content> {
    let content = decompress(bytes)?;
    match *content.first()? {
        0 => Some(Content::Leaf(bytes.clone())),
        _ => decode_content(content).map(Content::Page),
    }
}

/// Reads the columns of a leaf; `None` if the bytes do not have the form of one.
pub fn decode_columns(bytes: &Bytes) -> Option<Columns> {
    let mut content = decompress(bytes)?;
    if *content.first()? != 0 {
        return None;
    }
    content.advance(1);
    Columns::read(content)
}

fn decode_content(content: Bytes) -> Option<Page> {
    let mut reader = Reader::new(content);
    let level = reader.byte()?;
    let count = reader.count()?;
    let page = match level {
        0 => Page::Leaf(Arc::new(reader.take(|rest| LeafRows::take(rest, count))?)),
        level => Page::Inner {
            level,
            children: take_children(&mut reader, count)?.into(),
        },
    };
    reader.is_at_end().then_some(page)
}

fn take_children(reader: &mut Reader, count: usize) -> Option<Vec<Child>> {
    let sort_keys = take_column(reader, count)?;
    let ids = take_column(reader, count)?;
    let numbers = (0..count).map(|_| Some((reader.number()?, reader.varint()?)));
    let numbers: Vec<(u32, u64)> = numbers.collect::<Option<_>>()?;
    let summaries = (0..count).map(|_| take_summary(reader));
    let summaries: Vec<Summary> = summaries.collect::<Option<_>>()?;
    let children = sort_keys.into_iter().zip(ids).zip(numbers).zip(summaries);
    let child = |(((sort_key, id), (emission, page)), summary)| Child {
        first: Position {
            sort_key,
            id,
            emission,
        },
        page,
        summary,
    };
    Some(children.map(child).collect())
}

/// For each entry how many bytes it begins with of the one before it; then the sizes of the rests; then the rests.
fn put_column<'a>(column: impl Iterator<Item = &'a Bytes> + Clone, out: &mut Vec<u8>) {
    let mut before: &[u8] = &[];
    let mut shared = Vec::with_capacity(column.size_hint().0);
    for bytes in column.clone() {
        let count = before.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        shared.push(count);
        varint::put(count as u64, out);
        before = bytes;
    }
    let rests = column.zip(shared).map(|(bytes, shared)| &bytes[shared..]);
    rests.clone().for_each(|rest| varint::put(rest.len() as u64, out));
    rests.for_each(|rest| out.extend_from_slice(rest));
}

fn take_column(reader: &mut Reader, count: usize) -> Option<Vec<Bytes>> {
    let column = reader.take(|rest| Cells::take(rest, count))?;
    Some(column.all().collect())
}

/// Making one costs as much as compressing a small page, so that several pages share it.
fn compressor() -> Compressor<'static> {
    Compressor::new(ZSTD_LEVEL).expect("zstd knows the level")
}

fn compress(content: &[u8], compressor: &mut Compressor<'_>) -> Vec<u8> {
    let mut out = vec![ZSTD];
    varint::put(content.len() as u64, &mut out);
    let compressed = compressor.compress(content).expect("zstd compresses into memory");
    out.extend_from_slice(&compressed);
    out
}

fn decompress(bytes: &Bytes) -> Option<Bytes> {
    let mut reader = Reader::new(bytes.clone());
    if reader.byte()? != ZSTD {
        return None;
    }
    let size = reader.varint().filter(|&size| size <= PAGE_BYTES_MAX)? as usize;
    let content = zstd::bulk::decompress(reader.rest(), size).ok()?;
    (content.len() == size).then(|| content.into())
}
