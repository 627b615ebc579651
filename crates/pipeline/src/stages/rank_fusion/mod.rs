//! `$rankFusion`: several ranked pipelines on one collection become one list, by what their ranks add up to.

mod parse;

use crate::kept::Kept;
use crate::row::{Marked, Row};
use crate::stage::{Origin, Position, Run, Stage, named};
use crate::step::{AwaitedStep, Flow, Work, give};
use crate::sub_pipeline::SubPipeline;
use crate::{QueryError, Result};
use futures::future::BoxFuture;
pub(crate) use parse::parse;
use query::execute::{Interruption, sort_key};
use query::plan::SortPattern;
use std::collections::BTreeMap;
use std::sync::Arc;
use value::{Document, DocumentBuf, Value, doc};

/// How little the first ranks count more than the next ones; MongoDB's.
const RANK_CONSTANT: f64 = 60.0;

const DESCRIPTION: &str = "value output by reciprocal rank fusion algorithm, computed as sum of (weight * (1 / (60 + rank))) \
                           across input pipelines from which this document is output, from:";

/// A parsed `$rankFusion`.
#[derive(Debug)]
struct RankFusion {
    operand: Document,
    inputs: Vec<InputPipeline>,
    /// Whether documents know how their scores came about.
    has_details: bool,
}

/// One of the pipelines whose ranks count.
#[derive(Debug)]
struct InputPipeline {
    name: String,
    sub: SubPipeline,
    weight: f64,
    /// The order that ranks follow: documents that are equal in it have the same rank. `None` if it is that of a stage, by
    /// which no two are equal.
    order: Option<SortPattern>,
}

impl Stage for Arc<RankFusion> {
    fn start(&self, run: &Run) -> Work {
        Work::awaited(Fusing {
            stage: Arc::clone(self),
            run: run.clone(),
            kept: run.kept("$rankFusion"),
            fused: None,
        })
    }

    fn to_document(&self) -> Document {
        named("$rankFusion", self.operand.clone())
    }

    fn position(&self) -> Position {
        Position::First(Origin::Collection)
    }

    fn metadata(&self) -> &'static [&'static str] {
        match self.has_details {
            true => &["score", "scoreDetails"],
            false => &["score"],
        }
    }
}

struct Fusing {
    stage: Arc<RankFusion>,
    run: Run,
    kept: Kept,
    /// What comes out, once all pipelines have run.
    fused: Option<std::vec::IntoIter<Row>>,
}

/// A document and its ranks, by pipeline.
struct Ranked {
    document: DocumentBuf,
    ranks: Vec<Option<i32>>,
}

impl Fusing {
    async fn fuse(&mut self, interruption: &Interruption) -> Result<Vec<Row>> {
        // By the key of `_id`, which decides between equal scores too.
        let mut found: BTreeMap<Vec<u8>, Ranked> = BTreeMap::new();
        let by_id = SortPattern::parse(&doc! {"_id": 1})?;
        let stage = Arc::clone(&self.stage);
        let mut bytes = 0;
        for (at, input) in stage.inputs.iter().enumerate() {
            let variables = Arc::clone(&self.run.variables);
            let mut stream = input.sub.open(None, &variables, &self.run, interruption).await?;
            let mut ranks = Ranks::default();
            loop {
                let page = stream.next_page(interruption).await?;
                if page.is_empty() {
                    break;
                }
                for document in page {
                    interruption.check()?;
                    let rank = ranks.next(&document, input.order.as_ref())?;
                    let mut id = Vec::new();
                    sort_key(document.as_ref(), &by_id, &mut id)?;
                    let ranked = found.entry(id).or_insert_with(|| {
                        bytes += document.bytes().len() + stage.inputs.len() * size_of::<Option<i32>>();
                        Ranked {
                            document,
                            ranks: vec![None; stage.inputs.len()],
                        }
                    });
                    ranked.ranks[at] = Some(rank);
                }
                self.kept.check(bytes)?;
            }
        }
        let mut scored: Vec<(f64, Ranked)> = found
            .into_values()
            .map(|ranked| (stage.score(&ranked.ranks), ranked))
            .collect();
        scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        let rows = scored.into_iter().map(|(score, ranked)| {
            let mut metadata = doc! {"score": score};
            if stage.has_details {
                metadata.push("scoreDetails", stage.details(score, &ranked.ranks));
            }
            Row::Marked(Box::new(Marked {
                document: ranked.document.to_document(),
                metadata,
            }))
        });
        Ok(rows.collect())
    }
}

impl RankFusion {
    fn score(&self, ranks: &[Option<i32>]) -> f64 {
        let weighed = self.inputs.iter().zip(ranks);
        weighed.fold(0.0, |score, (input, rank)| match rank {
            Some(rank) => score + input.weight * (1.0 / (RANK_CONSTANT + f64::from(*rank))),
            None => score,
        })
    }

    fn details(&self, score: f64, ranks: &[Option<i32>]) -> Document {
        let weighed = self.inputs.iter().zip(ranks);
        let details = weighed.map(|(input, rank)| {
            let detail = Document::new().with("inputPipelineName", input.name.as_str());
            Value::Document(match rank {
                Some(rank) => detail
                    .with("rank", *rank)
                    .with("weight", input.weight)
                    .with("details", Vec::<Value>::new()),
                None => detail.with("rank", "NA"),
            })
        });
        Document::new()
            .with("value", score)
            .with("description", DESCRIPTION)
            .with("details", details.collect::<Vec<_>>())
    }
}

/// Counts documents in their order.
#[derive(Default)]
struct Ranks {
    count: i32,
    rank: i32,
    key: Option<Vec<u8>>,
}

impl Ranks {
    /// The rank of the next document: that of the one before it where both are equal in the order.
    fn next(&mut self, document: &DocumentBuf, order: Option<&SortPattern>) -> Result<i32> {
        self.count = self.count.saturating_add(1);
        let key = order.map(|pattern| {
            let mut key = Vec::new();
            sort_key(document.as_ref(), pattern, &mut key).map(|()| key)
        });
        let key = key.transpose()?;
        if key.is_none() || key != self.key {
            self.rank = self.count;
            self.key = key;
        }
        Ok(self.rank)
    }
}

impl AwaitedStep for Fusing {
    fn push<'a>(
        &'a mut self,
        _rows: Vec<Row>,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        // It stands first and makes the documents: nothing comes in.
        Box::pin(async { Ok(Flow::Done) })
    }

    fn finish<'a>(
        &'a mut self,
        out: &'a mut Vec<Row>,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            if self.fused.is_none() {
                self.fused = Some(self.fuse(interruption).await?.into_iter());
            }
            match &mut self.fused {
                Some(rows) => Ok(give(rows, out)),
                None => Ok(Flow::Done),
            }
        })
    }
}

fn wrong(number: i32, message: impl Into<String>) -> QueryError {
    QueryError::new(crate::Code::location(number), message)
}
