//! Showing the documents of indices to a search.

use crate::error::Result;
use crate::index::Index;
use crate::nearest;
use engine::{DocumentPosition, Order, PageLimit, Record, RevisionedSnapshot};
use indexing::{Published, Shown, id_of, seen, steps_of};
use search::{Aggregations, Background, Held, Mapping, Outcome, Request, Run, ShowHit};
use serde_json::{Map, Value, json};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Instant;

/// An index as of one moment.
#[derive(Clone)]
pub struct IndexSnapshot {
    /// The index.
    pub index: Index,
    /// Its mapping.
    pub mapping: Arc<Mapping>,
    snapshot: Arc<RevisionedSnapshot>,
    /// The full-text index as it was before the snapshot.
    published: Option<Arc<Published>>,
    /// The factor of its scores.
    pub boost: f32,
}

/// What a scan gives.
pub struct Scanned {
    /// What was found.
    pub outcome: Outcome,
    /// Whether it ended before it had seen all.
    pub timed_out: bool,
}

/// These indices as they are now.
pub async fn places(indices: &[(Index, f32)]) -> Result<Vec<IndexSnapshot>> {
    let mut places = Vec::with_capacity(indices.len());
    for (index, boost) in indices {
        indexing::begin_opened(index).await;
        let mapping = index.mapping().await?;
        let published = index.published(&mapping);
        places.push(IndexSnapshot {
            index: index.clone(),
            mapping,
            snapshot: Arc::new(index.collection.snapshot().await?),
            published,
            boost: *boost,
        });
    }
    Ok(places)
}

/// Runs a search over these indices; after `deadline` with what was found until then. What it keeps is of the memory of `held`.
pub async fn run(
    request: &Request,
    typed_keys: bool,
    places: &[IndexSnapshot],
    deadline: Option<Instant>,
    held: &Held,
    show: &ShowHit<'_>,
) -> Result<Scanned> {
    let mut own = request.clone();
    let is_late = nearest::find(&mut own, places, deadline, held).await?;
    let global = own.aggregations.take_global();
    let mut found = scan(&own, typed_keys, places, deadline, held.another(), show).await?;
    found.timed_out |= is_late;
    for (name, meta, inner) in global {
        let answer = of_all(inner, typed_keys, places, deadline, held.another(), show).await?;
        let mut answer = Value::Object(answer);
        if let Some(meta) = meta {
            answer["meta"] = meta;
        }
        let name = if typed_keys {
            format!("global#{name}")
        } else {
            name
        };
        found
            .outcome
            .aggregations
            .get_or_insert_default()
            .insert(name, answer);
    }
    Ok(found)
}

/// Aggregations over all documents, whatever the query says.
async fn of_all(
    inner: Aggregations,
    typed_keys: bool,
    places: &[IndexSnapshot],
    deadline: Option<Instant>,
    held: Held,
    show: &ShowHit<'_>,
) -> Result<Map<String, Value>> {
    let request = Request {
        aggregations: inner,
        size: 0,
        track_total_hits: Some(u64::MAX),
        ..Request::default()
    };
    let found = scan(&request, typed_keys, places, deadline, held, show)
        .await?
        .outcome;
    let mut answer = Map::from_iter([("doc_count".to_owned(), json!(found.total))]);
    answer.extend(found.aggregations.unwrap_or_default());
    Ok(answer)
}

async fn scan(
    request: &Request,
    typed_keys: bool,
    places: &[IndexSnapshot],
    deadline: Option<Instant>,
    held: Held,
    show: &ShowHit<'_>,
) -> Result<Scanned> {
    let chosen;
    let request = match request.aggregations.spans() {
        None => request,
        Some(spans) => {
            chosen = chosen_by(request, spans, places, deadline, held.another(), show).await?;
            &chosen
        }
    };
    let mut background = Background::default();
    for counting in request.aggregations.backgrounds() {
        let mut run = begun(&counting.request, places, held.another())?;
        // Cut short, the counts are of what was seen until then.
        shown_all(&mut run, &counting.request, places, deadline).await?;
        let counts = run.counts();
        background.add(counting, counts);
    }
    let mut run = begun(request, places, held)?;
    run.set_background(background);
    let showing = shown_all(&mut run, request, places, deadline);
    let all = match deadline {
        Some(deadline) => engine::run_until(deadline, showing).await,
        None => showing.await,
    };
    let timed_out = match all {
        // What was found until then.
        Err(_) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => true,
        all => all? == Shown::Late,
    };
    Ok(Scanned {
        outcome: run.finish(typed_keys, show)?,
        timed_out,
    })
}

/// The same search, its intervals chosen by what it finds. Cut short, that is what was seen until then.
async fn chosen_by(
    request: &Request,
    spans: Aggregations,
    places: &[IndexSnapshot],
    deadline: Option<Instant>,
    held: Held,
    show: &ShowHit<'_>,
) -> Result<Request> {
    let asked = Request {
        aggregations: spans,
        size: 0,
        from: 0,
        ..request.clone()
    };
    let mut run = begun(&asked, places, held)?;
    shown_all(&mut run, &asked, places, deadline).await?;
    let found = run.finish(false, show)?.aggregations.unwrap_or_default();
    let mut chosen = request.clone();
    chosen.aggregations.choose(&found);
    Ok(chosen)
}

/// A search of these indices that has seen nothing yet.
fn begun<'r>(request: &'r Request, places: &[IndexSnapshot], held: Held) -> Result<Run<'r>> {
    let indices = places.iter().map(|place| search::Index {
        name: place.index.name.clone(),
        mapping: place.mapping.clone(),
        boost: place.boost,
    });
    Ok(Run::new(request, indices.collect(), value::date::now_ms(), held)?)
}

/// Shows a search all documents of these indices, or those that it may want.
async fn shown_all(
    run: &mut Run<'_>,
    request: &Request,
    places: &[IndexSnapshot],
    deadline: Option<Instant>,
) -> Result<Shown> {
    for (at, place) in places.iter().enumerate() {
        let counts_first = run.begin(at)?;
        let published = place.published.as_deref().filter(|_| request.is_any_order());
        if indexing::show(run, &place.snapshot, published, counts_first, deadline).await? == Shown::Late {
            return Ok(Shown::Late);
        }
    }
    Ok(Shown::All)
}

/// Shows every document of these indices to what suggests.
pub async fn suggest(suggest: &mut suggest::Suggest, places: &[IndexSnapshot], held: &Held) -> Result<()> {
    for (at, place) in places.iter().enumerate() {
        suggest.begin(&place.mapping)?;
        place.index.counters().suggestions.add(1);
        each(&place.snapshot, |record| {
            let id = id_of(record);
            Ok(suggest.see(&place.mapping, at, &seen(&id, record), held)?)
        })
        .await?;
    }
    Ok(())
}

/// The bytes of what can be completed, by field.
pub async fn completion_bytes(index: &Index, mapping: &Mapping, fields: &[String]) -> Result<Vec<u64>> {
    let snapshot = index.collection.snapshot().await?;
    let mut sums = vec![0; fields.len()];
    each(&snapshot, |record| {
        let bytes = mapping.completion_bytes(record.document.as_ref(), fields);
        sums.iter_mut().zip(bytes).for_each(|(sum, bytes)| *sum += bytes);
        Ok(())
    })
    .await?;
    Ok(sums)
}

/// All documents as of a moment, one after another.
pub async fn each(snapshot: &RevisionedSnapshot, mut see: impl FnMut(&Record) -> Result<()>) -> Result<()> {
    let mut after: Option<DocumentPosition> = None;
    loop {
        let everything = (Bound::Unbounded, Bound::Unbounded);
        let page = snapshot.documents(everything, after.as_ref(), Order::Forward, PageLimit::default());
        let (records, next) = page.await?;
        for record in &records {
            engine::steps(steps_of(&record.document))?;
            see(record)?;
        }
        match next {
            Some(next) => after = Some(next),
            None => return Ok(()),
        }
    }
}
