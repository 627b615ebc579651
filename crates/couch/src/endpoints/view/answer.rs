//! Writing the rows of a view (`src/couch_mrview/src/couch_mrview_http.erl`, `view_cb`).

use super::parameters::ViewParameters;
use crate::attachments::{self, Loaded, Wanted};
use crate::incoming::parse_revision;
use crate::outgoing::{self, Shown, ShownHistory};
use crate::stream::Output;
use access::database::Database;
use access::error::Result;
use access::ids;
use engine::{RevisionedSnapshot, Sequence};
use json::write_string;
use serde_json::Value as Json;
use std::fmt::Write as _;
use value::RawDocument;
use view::{Answer, AnswerRow};

/// What the value of a row begins with where a reduce function did not shrink what it was given.
const OVERFLOW: &[u8] = br#"{"reduce_overflow_error":"#;

/// A query with the rows that it found.
pub(super) struct Asked {
    pub(super) database: Database,
    pub(super) parameters: ViewParameters,
    pub(super) answer: Answer,
    /// What tells the rows of these functions from those of others.
    pub(super) signature: String,
    /// The position after the last change before the rows were looked for.
    pub(super) head: Sequence,
}

impl Asked {
    /// The entity tag of the answer, with its quotes. Another one where the rows may be others, or the documents that come with them.
    pub(super) fn entity_tag(&self) -> String {
        let documents = match self.parameters.query.include_docs {
            true => &self.head,
            false => &Sequence::START,
        };
        let sequence = self.database.sequences.text(&self.answer.sequence);
        format!("\"{sequence}-{}-{documents}\"", self.signature)
    }

    /// Appends the answer.
    pub(super) async fn write(mut self, output: &mut Output) -> Result<()> {
        if self.parameters.update_sequence {
            // The view may be ahead of what a crash leaves.
            let durable = self.database.durable_snapshot().await?.head();
            self.answer.sequence = self.answer.sequence.min(durable);
        }
        self.write_head(&mut output.text);
        let documents = match self.parameters.query.include_docs {
            true => Some(self.database.snapshot().await?),
            false => None,
        };
        let mut is_first = true;
        loop {
            output.begin_read(&self.database.collection).await?;
            let Some(rows) = self.answer.next().await? else {
                break;
            };
            for row in rows {
                output.begin_read(&self.database.collection).await?;
                output.text.push_str(if is_first { "" } else { ",\r\n" });
                is_first = false;
                engine::steps(1)?;
                self.write_row(&row, documents.as_ref(), &mut output.text).await?;
                if !output.end_row().await {
                    return Ok(());
                }
            }
        }
        output.text.push_str("\r\n]}");
        Ok(())
    }

    fn write_head(&self, out: &mut String) {
        out.push('{');
        // Writing to a String cannot fail.
        if let Some((total, offset)) = self.answer.totals {
            let _ = write!(out, r#""total_rows":{total},"offset":{offset},"#);
        }
        if self.parameters.update_sequence {
            let sequence = self.database.sequences.text(&self.answer.sequence);
            let _ = write!(out, r#""update_seq":"{sequence}","#);
        }
        out.push_str("\"rows\":[\r\n");
    }

    async fn write_row(
        &self,
        row: &AnswerRow,
        documents: Option<&RevisionedSnapshot>,
        out: &mut String,
    ) -> Result<()> {
        if row.id.is_none()
            && let Some(reason) = row.value.strip_prefix(OVERFLOW)
        {
            // Such a row has no key (`src/fabric/src/fabric_view_row.erl`, `transform`). The value's closing brace closes the row.
            let head = r#"{"key":null,"error":"reduce_overflow_error","reason":"#;
            out.push_str(head);
            out.push_str(text(reason));
            return Ok(());
        }
        out.push('{');
        if let Some(id) = &row.id {
            out.push_str(r#""id":"#);
            write_string(id, out);
            out.push(',');
        }
        out.push_str(r#""key":"#);
        out.push_str(row.key.as_deref().map_or("null", text));
        out.push_str(r#","value":"#);
        out.push_str(text(&row.value));
        if let Some(documents) = documents {
            out.push_str(r#","doc":"#);
            self.write_document(row, documents, out).await?;
        }
        out.push('}');
        Ok(())
    }

    /// Appends the document of a row, or the one that its value names (a linked document); an `_id` that is no text names none. A
    /// linked one is shown without its conflicts and attachments (`src/fabric/src/fabric_view.erl`, `possibly_embed_doc`).
    async fn write_document(
        &self,
        row: &AnswerRow,
        documents: &RevisionedSnapshot,
        out: &mut String,
    ) -> Result<()> {
        let value: Json = serde_json::from_slice(&row.value).unwrap_or_default();
        if value.get("_id").is_some_and(|id| !id.is_string()) {
            out.push_str("null");
            return Ok(());
        }
        let named = |name: &str| value.get(name).and_then(Json::as_str);
        let is_linked = named("_id").is_some();
        let id = named("_id").or(row.id.as_deref()).unwrap_or_default();
        let id = ids::resolve(documents, id).await?;
        let shown = Shown {
            conflicts: !is_linked && self.parameters.query.conflicts == Some(true),
            ..Shown::default()
        };
        if let Some(revision) = named("_rev").and_then(|text| parse_revision(text).ok()) {
            let history = documents.history(id.as_ref()).await?;
            let place = history.as_ref().and_then(|history| history.tree.find(&revision));
            if let (Some(history), Some(at)) = (&history, place)
                // Of the row's own document only what is not deleted (`src/couch_index/src/couch_index_util.erl`, `load_doc`).
                && (is_linked || !history.tree.nodes()[at].deleted)
                && let Some(body) = documents.body(history, at).await?
            {
                let deleted = history.tree.nodes()[at].deleted;
                let more = Some(ShownHistory { history, at, shown });
                let loaded = self.attachments(body.as_raw(), is_linked).await?;
                outgoing::write_loaded(body.as_raw(), &revision, deleted, more, &loaded, out);
                return Ok(());
            }
        } else if let Some(record) = documents.document(id.as_ref()).await? {
            let history = match shown.conflicts && record.has_tree() {
                true => Some(documents.history_of(&record).await?),
                false => None,
            };
            let more = history
                .as_ref()
                .map(|history| ShownHistory::of_winner(history, shown));
            let raw = record.document.as_raw();
            let loaded = self.attachments(raw, is_linked).await?;
            outgoing::write_loaded(raw, &record.revision(), false, more, &loaded, out);
            return Ok(());
        }
        out.push_str("null");
        Ok(())
    }

    /// The attachments of a document, where they are asked for in full.
    async fn attachments(&self, document: RawDocument<'_>, is_linked: bool) -> Result<Loaded> {
        if is_linked {
            return Ok(Loaded::default());
        }
        let wanted = Wanted {
            since: self.parameters.attachments.then_some(0),
            encoding: self.parameters.encoding,
        };
        attachments::load(&self.database.files(), document, wanted).await
    }
}

/// JSON text of a page, which was text when it was written there and has a checksum.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("null")
}
