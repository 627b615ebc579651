//! Changing one document and returning it.

use super::change::{Change, ChangeKind};
use super::lookup::Lookup;
use super::single::{Done, Single};
use super::update::id_of;
use super::{WriteError, WriteOptions};
use language::expression::Variables;
use language::filter::TEXT_SCORE;
use language::projection::Projection;
use std::borrow::Cow;
use std::sync::Arc;
use store::{Collection, Image, ReplayedKind};
use update::Update;
use value::{DocumentBuf, Value, doc};

/// A findAndModify.
#[derive(Clone, Debug)]
pub struct FindAndModify {
    /// Which document.
    pub lookup: Lookup,
    /// How it is changed; `None` removes it.
    pub update: Option<Arc<Update>>,
    /// Whether the document is returned as it is after the change.
    pub return_new: bool,
    /// Whether a document is inserted if none matches.
    pub upsert: bool,
    /// The part of the document that is returned.
    pub projection: Option<Arc<Projection>>,
    /// The variables that update and projection see.
    pub variables: Arc<Variables>,
}

/// What findAndModify did.
#[derive(Clone, Debug, Default)]
pub struct FoundAndModified {
    /// The document before or after the change; `None` if there was none.
    pub document: Option<DocumentBuf>,
    /// Whether an existing document was changed or removed.
    pub existed: bool,
    /// The `_id` of the document that was made.
    pub upserted: Option<Value>,
}

/// Changes or removes the first document that matches. Uses the first of the options' statement ids.
pub async fn find_and_modify(
    collection: &Arc<Collection>,
    request: &FindAndModify,
    options: &WriteOptions,
) -> Result<FoundAndModified, WriteError> {
    let done = request.single(options).execute(collection, options).await?;
    request.answer(done)
}

impl FindAndModify {
    fn single(&self, options: &WriteOptions) -> Single {
        let kind = self.update.clone().map_or(ChangeKind::Delete, ChangeKind::Update);
        Single {
            change: Arc::new(Change {
                filter: self.lookup.filter.clone(),
                kind,
                variables: self.variables.clone(),
                validator: options.validator.clone(),
                interruption: options.interruption.clone(),
            }),
            lookup: self.lookup.clone(),
            upsert: self.upsert,
            statement: options.statement(0),
            image: if self.return_new {
                Image::After
            } else {
                Image::Before
            },
        }
    }

    fn answer(&self, done: Done) -> Result<FoundAndModified, WriteError> {
        let mut answer = FoundAndModified::default();
        let shown = match done {
            Done::NothingMatched => None,
            Done::Changed { before, after } => {
                answer.existed = true;
                Some(if self.return_new {
                    (after, before)
                } else {
                    (before.clone(), before)
                })
            }
            Done::Unchanged(document) | Done::Deleted(document) => {
                answer.existed = true;
                Some((document.clone(), document))
            }
            Done::Upserted(document) => {
                answer.upserted = id_of(&document);
                self.return_new.then(|| (document.clone(), document))
            }
            Done::Replayed(replayed) => {
                answer.existed = replayed.kind != ReplayedKind::Inserted;
                answer.upserted = replayed.upserted;
                replayed.image.map(|image| (image.clone(), image))
            }
        };
        if let Some((document, matched)) = shown {
            answer.document = Some(self.projected(document, &matched)?);
        }
        Ok(answer)
    }

    /// The projected document. The position for `$` is that at which `matched` matched the filter.
    fn projected(&self, document: DocumentBuf, matched: &DocumentBuf) -> Result<DocumentBuf, WriteError> {
        let Some(projection) = &self.projection else {
            return Ok(document);
        };
        let mut position = None;
        if projection.needs_position() {
            let filter = &self.lookup.filter;
            filter.matches_positioned(matched.as_ref(), &mut position)?;
        }
        let mut out = Vec::with_capacity(document.bytes().len());
        let mut variables = Cow::Borrowed(&*self.variables);
        if let Some(score) = self.lookup.filter.text_score(matched.as_ref())? {
            variables.to_mut().set_metadata(doc! {TEXT_SCORE: score});
        }
        projection.apply(document.as_ref(), position, &variables, &mut out)?;
        Ok(DocumentBuf::from_validated(out.into()))
    }
}
