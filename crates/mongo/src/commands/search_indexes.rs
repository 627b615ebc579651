//! `createSearchIndexes`, `listSearchIndexes`, `updateSearchIndex`, `dropSearchIndex`.

use super::cursor;
use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::WhichSearchIndex;
use value::{Document, DocumentBuf, Value, doc};

pub(super) async fn create(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let asked = arguments
        .documents("indexes")?
        .ok_or_else(|| arguments.missing("indexes"))?;
    arguments.finish()?;
    let asked = asked.iter().map(DocumentBuf::to_document).collect();
    let engine = &call.server.engine;
    let made = engine.search_indexes()?.create(engine, &namespace, asked).await?;
    let shown = |(id, name): (String, String)| Value::Document(doc! {"id": id, "name": name});
    let made: Vec<Value> = made.into_iter().map(shown).collect();
    Ok(doc! {"indexesCreated": made}.into())
}

pub(super) async fn list(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let which = which(&arguments)?;
    let batch_size = cursor::batch_size(&arguments)?;
    arguments.finish()?;
    let engine = &call.server.engine;
    let listed = engine.search_indexes()?.list(engine, &namespace, &which)?;
    let listed = listed.iter().map(DocumentBuf::from).collect();
    let reply = engine.open_listing(&call.context, namespace, listed, batch_size)?;
    Ok(cursor::first_batch(reply))
}

pub(super) async fn update(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let which = only(&arguments)?;
    let definition: Document = arguments
        .strict_document("definition")?
        .ok_or_else(|| arguments.missing("definition"))?
        .to_document();
    arguments.finish()?;
    let engine = &call.server.engine;
    let indexes = engine.search_indexes()?;
    indexes.update(engine, &namespace, &which, definition).await?;
    Ok(Document::new().into())
}

pub(super) async fn remove(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let which = only(&arguments)?;
    arguments.finish()?;
    let engine = &call.server.engine;
    engine
        .search_indexes()?
        .remove(engine, &namespace, &which)
        .await?;
    Ok(Document::new().into())
}

fn which(arguments: &Arguments<'_>) -> Result<WhichSearchIndex> {
    let text = |name| Ok::<_, CommandError>(arguments.string(name)?.map(str::to_owned));
    let which = WhichSearchIndex {
        id: text("id")?,
        name: text("name")?,
    };
    match which.id.is_some() && which.name.is_some() {
        true => Err(CommandError::invalid_options(
            "Cannot specify both 'name' and 'id'",
        )),
        false => Ok(which),
    }
}

/// The one index that is named.
fn only(arguments: &Arguments<'_>) -> Result<WhichSearchIndex> {
    let which = which(arguments)?;
    match which.id.is_none() && which.name.is_none() {
        true => Err(CommandError::invalid_options(
            "Must specify either 'name' or 'id'",
        )),
        false => Ok(which),
    }
}
