//! `$project`, `$addFields` and its other name `$set`, `$unset`.

use crate::paged::{RowMaker, paged};
use crate::row::Row;
use crate::stage::{QueryPart, Run, Stage, StageScope, named};
use crate::step::Work;
use crate::{Code, QueryError, Result};
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
    let projection = Projection::parse_stage(stage, name, operand, &scope.parse_scope())
        .map_err(|error| coded(stage, error))?;
    Ok(vec![Arc::new(Project {
        name: name.to_owned(),
        operand: operand.clone(),
        projection: Arc::new(projection),
    })])
}

/// The codes in which MongoDB's stages differ from its projections.
fn coded(stage: projection::Stage, error: language::Error) -> QueryError {
    use projection::Stage::{AddFields, Unset};
    let code = match (stage, error.code) {
        (AddFields, Code::PATH_BELOW_ANOTHER | Code::PATH_ABOVE_ANOTHER) => Code::location(40_176),
        (AddFields, Code::POSITIONAL_IN_STAGE) => Code::FIELD_NAME_WITH_DOLLAR,
        (AddFields, Code::OPERATOR_WITH_OTHERS) => Code::location(40_181),
        (Unset, Code::FIELD_NAME_WITH_NUL) => Code::location(9_527_900),
        _ => return error.into(),
    };
    QueryError::new(code, error.message)
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
