//! The fields of the index itself. They are the same for every collection: the fields of a collection are keys within them.

use crate::entry::Key;
use crate::tokens::TOKENIZER;
use std::borrow::Cow;
use std::sync::LazyLock;
use tantivy::schema::{
    BytesOptions, FAST, Field, INDEXED, IndexRecordOption, JsonObjectOptions, STRING, Schema, SchemaBuilder,
    TextFieldIndexing,
};

/// The name of the column that segments are sorted by.
pub(crate) const TIME: &str = "time";
/// The names of others.
pub(crate) const NUMBER: &str = "number";
pub(crate) const SEQUENCE: &str = "sequence";
const COLUMNS: &str = "columns";

/// The fields of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// The key of the document, by which it is replaced.
    pub(crate) id: Field,
    /// The number of its record.
    pub(crate) number: Field,
    /// The number of its last change.
    pub(crate) sequence: Field,
    /// The value of the collection's field of time, or the least number.
    pub(crate) time: Field,
    /// Terms of texts, with their places.
    pub(crate) text: Field,
    /// Terms without places.
    pub(crate) word: Field,
    /// The keys that the document has.
    pub(crate) present: Field,
    /// Values by document.
    pub(crate) columns: Field,
}

pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = SchemaBuilder::new();
    let terms = |record| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_fieldnorms(false)
            .set_index_option(record);
        JsonObjectOptions::default().set_indexing_options(indexing)
    };
    let fields = Fields {
        id: builder.add_bytes_field("id", BytesOptions::from(INDEXED)),
        number: builder.add_u64_field(NUMBER, FAST),
        sequence: builder.add_u64_field(SEQUENCE, FAST),
        time: builder.add_i64_field(TIME, FAST),
        text: builder.add_json_field("text", terms(IndexRecordOption::WithFreqsAndPositions)),
        word: builder.add_json_field("word", terms(IndexRecordOption::Basic)),
        present: builder.add_text_field("present", STRING),
        columns: builder.add_json_field(COLUMNS, JsonObjectOptions::default().set_fast("raw")),
    };
    (builder.build(), fields)
}

/// The name of a key within a field.
pub(crate) type Name = Cow<'static, str>;

/// The keys whose names are made once: each entry has some of them.
const KEYS_NAMED: Key = 256;
static NAMES: LazyLock<Vec<[String; 2]>> = LazyLock::new(|| {
    (0..KEYS_NAMED)
        .map(|key| [format!("k{key}"), format!("n{key}")])
        .collect()
});

/// The name of a key within the fields that have keys.
pub(crate) fn path(key: Key) -> Name {
    match NAMES.get(key as usize) {
        Some([path, _]) => Cow::Borrowed(path),
        None => Cow::Owned(format!("k{key}")),
    }
}

/// The name of the column with the number of terms of a key.
pub(crate) fn length_path(key: Key) -> Name {
    match NAMES.get(key as usize) {
        Some([_, length]) => Cow::Borrowed(length),
        None => Cow::Owned(format!("n{key}")),
    }
}

/// The column of a key's values.
pub(crate) fn column(key: Key) -> String {
    format!("{COLUMNS}.k{key}")
}

pub(crate) fn length_column(key: Key) -> String {
    format!("{COLUMNS}.n{key}")
}
