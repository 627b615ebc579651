//! `$project`, `$addFields` and its other name `$set`, `$unset`.

use crate::Result;
use crate::paged::{RowMaker, paged};
use crate::row::Row;
use crate::stage::{QueryPart, Run, Stage, StageScope, named};
use crate::step::Work;
use language::expression::Variables;
use language::projection::{self, Projection};
use std::sync::Arc;
use value::{Document, DocumentBuf, Value};

#[derive(Debug)]
struct Project {
    name: String,
    operand: Value,
    projection: Arc<Projection>,
}

pub(crate) fn parse(name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let stage = match name {
        "$project" => projection::Stage::Project,
        "$unset" => projection::Stage::Unset,
        _ => projection::Stage::AddFields,
    };
    let projection = Projection::parse_stage(stage, name, operand, &scope.parse_scope())?;
    Ok(vec![Arc::new(Project {
        name: name.to_owned(),
        operand: operand.clone(),
        projection: Arc::new(projection),
    })])
}

impl Stage for Project {
    fn start(&self, run: &Run) -> Work {
        let projecting = Projecting {
            projection: Arc::clone(&self.projection),
            variables: Arc::clone(&run.variables),
        };
        paged(projecting, run)
    }

    fn to_document(&self) -> Document {
        named(&self.name, self.operand.clone())
    }

    fn part(&self) -> QueryPart<'_> {
        QueryPart::Projection(&self.projection)
    }
}

struct Projecting {
    projection: Arc<Projection>,
    variables: Arc<Variables>,
}

impl RowMaker for Projecting {
    fn make(&mut self, row: Row) -> Result<Row> {
        row.show_metadata(&mut self.variables);
        Ok(match row {
            Row::Marked(mut marked) => {
                marked.document = self.projection.apply_tree(&marked.document, &self.variables)?;
                Row::Marked(marked)
            }
            Row::Tree(document) => Row::Tree(self.projection.apply_tree(&document, &self.variables)?),
            Row::Raw(bytes) => {
                let mut projected = Vec::with_capacity(bytes.bytes().len());
                self.projection
                    .apply(bytes.as_ref(), None, &self.variables, &mut projected)?;
                Row::Raw(DocumentBuf::from_validated(projected.into()))
            }
        })
    }
}
