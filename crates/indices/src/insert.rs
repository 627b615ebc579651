//! Inserting documents whose ids were just made: nothing is looked for before, and the store tells the number of each insertion.

use crate::error::{ElasticError, Result};
use crate::index::Index;
use crate::write::{Written, in_document, whole};
use engine::Sequence;
use indexing::change_number;
use value::{DocumentBuf, ValueRef};

/// Inserts documents under new ids; one result each, in their order.
pub(crate) async fn insert_all(
    index: &Index,
    documents: &[(&str, &DocumentBuf)],
) -> Result<Vec<Result<Written>>> {
    let whole = documents
        .iter()
        .map(|(id, document)| whole(ValueRef::String(id), None, document));
    let whole: Vec<DocumentBuf> = whole.collect();
    let learnt = index.learn(&whole).await?;
    let fits = learnt.iter().zip(&whole).filter(|(learnt, _)| learnt.is_ok());
    let fitting: Vec<DocumentBuf> = fits.map(|(_, document)| document.clone()).collect();
    let inserted = match fitting.is_empty() {
        true => Vec::new(),
        false => index.collection.insert(fitting).await?,
    };
    index.learnt(&inserted);
    let mut inserted = inserted.into_iter();
    let mut next = || {
        inserted.next().map_or_else(
            || Err(ElasticError::failed("nothing was written")),
            |one| Ok(one?),
        )
    };
    let results = learnt.into_iter().zip(documents).zip(whole);
    Ok(results
        .map(|((learnt, (id, _)), document)| {
            learnt.map_err(|error| in_document(error, id))?;
            Ok(written(id, &next()?, document))
        })
        .collect())
}

fn written(id: &str, sequence: &Sequence, document: DocumentBuf) -> Written {
    Written {
        id: id.to_owned(),
        version: 1,
        sequence: change_number(sequence),
        result: "created",
        document: Some(document),
    }
}
