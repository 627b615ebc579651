//! `$graphLookup`: documents of another collection that can be reached by following values from document to document.

use crate::fields::{self, checked_path};
use crate::join_key::{JoinKey, JoinValues, key_of};
use crate::join_step::{Join, JoinStep};
use crate::kept::Kept;
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::Work;
use crate::sub_pipeline::{SubPipeline, sibling};
use crate::waiting::Waiting;
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::expression::number::Number;
use language::expression::{Evaluated, Expression};
use query::execute::Interruption;
use std::collections::HashSet;
use std::sync::Arc;
use store::Namespace;
use value::collation::Collation;
use value::path::FieldPath;
use value::{Document, DocumentBuf, Value, ValueRef};

#[derive(Clone, Debug)]
struct GraphLookup {
    operand: Document,
    sub: SubPipeline,
    start: Expression,
    connect_from: FieldPath,
    connect_to: String,
    into: FieldPath,
    depth_max: Option<u64>,
    depth_field: Option<FieldPath>,
    restriction: Option<Document>,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "the $graphLookup stage specification must be an object, but found {}",
            operand.type_of().alias()
        )));
    };
    // MongoDB asks for the collection before it looks at anything else.
    let from = parse_from(options.get("from"), scope)?;
    let given = Given::read(options, scope)?;
    let (Some(start), Some(into), Some(connect_from), Some(connect_to)) =
        (given.start, given.into, given.connect_from, given.connect_to)
    else {
        return Err(QueryError::new(
            Code::location(40_105),
            "$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' to be specified.",
        ));
    };
    let (into, connect_from) = (checked_path(into)?, checked_path(connect_from)?);
    checked_path(connect_to)?;
    Ok(vec![Arc::new(GraphLookup {
        operand: options.clone(),
        sub: SubPipeline::on(from, scope),
        start,
        connect_from,
        connect_to: connect_to.to_owned(),
        into,
        depth_max: given.depth_max,
        depth_field: given.depth_field,
        restriction: given.restriction,
    })])
}

fn parse_from(from: Option<&Value>, scope: &StageScope<'_>) -> Result<Namespace> {
    match from {
        Some(Value::String(name)) => sibling(scope, name),
        Some(other) => Err(QueryError::failed_to_parse(format!(
            "$graphLookup 'from' field must be a string, but found {}",
            other.type_of().alias()
        ))),
        None => Err(QueryError::failed_to_parse(
            "missing 'from' option to $graphLookup stage specification",
        )),
    }
}

/// The options, each checked by itself. A name that is empty is as good as none.
#[derive(Default)]
struct Given<'o> {
    start: Option<Expression>,
    into: Option<&'o str>,
    connect_from: Option<&'o str>,
    connect_to: Option<&'o str>,
    depth_max: Option<u64>,
    depth_field: Option<FieldPath>,
    restriction: Option<Document>,
}

impl<'o> Given<'o> {
    fn read(options: &'o Document, scope: &StageScope<'_>) -> Result<Given<'o>> {
        let mut given = Given::default();
        for (name, value) in options.iter() {
            let named = || Ok::<_, QueryError>(Some(text(name, value)?).filter(|text| !text.is_empty()));
            match name {
                "startWith" => given.start = Some(Expression::parse(value, &scope.parse_scope())?),
                "maxDepth" => given.depth_max = Some(parse_depth(value)?),
                "restrictSearchWithMatch" => given.restriction = Some(parse_restriction(value, scope)?),
                // It was read before; whoever gives it twice must give names.
                "from" => parse_from(Some(value), scope).map(|_| ())?,
                "as" => given.into = named()?,
                "connectFromField" => given.connect_from = named()?,
                "connectToField" => given.connect_to = named()?,
                "depthField" => given.depth_field = Some(checked_path(text(name, value)?)?),
                unknown => {
                    return Err(QueryError::new(
                        Code::location(40_104),
                        format!("Unknown argument to $graphLookup: {unknown}"),
                    ));
                }
            }
        }
        Ok(given)
    }
}

fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(QueryError::new(
            Code::location(40_103),
            format!(
                "expected string as argument for {name}, found: {}",
                other.type_of().alias()
            ),
        )),
    }
}

fn parse_depth(value: &Value) -> Result<u64> {
    let number = Number::of(value.as_ref()).ok_or_else(|| {
        QueryError::new(
            Code::location(40_100),
            format!(
                "maxDepth requires numeric argument, found type: {}",
                value.type_of().alias()
            ),
        )
    })?;
    // A fraction is no reason to call it negative: MongoDB looks at the long that the number becomes.
    if number.to_i64_saturating() < 0 {
        return Err(QueryError::new(
            Code::location(40_101),
            "maxDepth requires a nonnegative argument",
        ));
    }
    number
        .to_i64()
        .and_then(|depth| u64::try_from(depth).ok())
        .ok_or_else(|| {
            QueryError::new(
                Code::location(40_102),
                "maxDepth could not be represented as a long long",
            )
        })
}

fn parse_restriction(value: &Value, scope: &StageScope<'_>) -> Result<Document> {
    let Value::Document(filter) = value else {
        return Err(QueryError::new(
            Code::location(40_185),
            format!(
                "restrictSearchWithMatch must be an object, found {}",
                value.type_of().alias()
            ),
        ));
    };
    let filters = language::filter::FilterScope {
        place: language::filter::FilterPlace::Stage,
        variables: Some(scope.variables),
    };
    language::filter::Filter::parse(filter, &filters)?;
    Ok(filter.clone())
}

impl Stage for GraphLookup {
    fn start(&self, run: &Run) -> Work {
        let searching = Searching {
            stage: self.clone(),
            run: run.clone(),
        };
        JoinStep::work(searching, run)
    }

    fn to_document(&self) -> Document {
        named("$graphLookup", self.operand.clone())
    }

    fn reads(&self) -> Vec<&Namespace> {
        self.sub.reads()
    }
}

struct Searching {
    stage: GraphLookup,
    run: Run,
}

/// One search, breadth first.
struct Search {
    memory: Kept,
    /// The values to be looked for next.
    frontier: Vec<Value>,
    /// All values that were looked for.
    asked: HashSet<JoinKey>,
    /// The `_id`s of what was found.
    visited: HashSet<JoinKey>,
    found: Vec<Value>,
    bytes: usize,
}

impl Searching {
    async fn search(&self, row: &Row, interruption: &Interruption) -> Result<Vec<Value>> {
        let collation = self.run.variables.collation();
        let mut search = Search::new(self.run.kept("$graphLookup"));
        let mut variables = Arc::clone(&self.run.variables);
        row.show_metadata(&mut variables);
        let start: Evaluated<'_> = self.stage.start.find(row.as_ref(), &variables)?;
        match start.get() {
            None => {}
            Some(ValueRef::Array(array)) => {
                array
                    .iter()
                    .for_each(|value| search.ask(value.to_value(), collation));
            }
            Some(value) => search.ask(value.to_value(), collation),
        }
        let mut depth = 0;
        while !search.frontier.is_empty() {
            self.search_depth(&mut search, depth, interruption).await?;
            if self.stage.depth_max.is_some_and(|max| depth >= max) {
                break;
            }
            depth += 1;
        }
        Ok(search.found)
    }

    /// Looks for the frontier's values; what the results lead to is the next frontier.
    async fn search_depth(&self, search: &mut Search, depth: u64, interruption: &Interruption) -> Result<()> {
        let frontier = std::mem::take(&mut search.frontier);
        let has_null = frontier.iter().any(|value| matches!(value, Value::Null));
        // As in MongoDB, and unlike in `$lookup`, the values are said in an `$in`: there a regular expression is a pattern.
        let wanted = named(&self.stage.connect_to, named("$in", frontier));
        let mut conditions = vec![Value::Document(wanted)];
        conditions.extend(self.stage.restriction.clone().map(Value::Document));
        // Unlike a query's, a null here means no field that is missing.
        if has_null {
            let there = named(&self.stage.connect_to, named("$exists", true));
            conditions.push(Value::Document(there));
        }
        let filter = named("$and", conditions);
        let variables = &self.run.variables;
        let mut stream = self
            .stage
            .sub
            .open(Some(filter), variables, &self.run, interruption)
            .await?;
        loop {
            interruption.check()?;
            let page = stream.next_page(interruption).await?;
            if page.is_empty() {
                return Ok(());
            }
            for document in page {
                self.visit(search, &document, depth)?;
            }
            search.memory.check(search.bytes).map_err(|error| {
                QueryError::new(
                    Code::location(40_099),
                    format!(
                        "$graphLookup reached maximum memory consumption: {}",
                        error.message()
                    ),
                )
            })?;
        }
    }

    fn visit(&self, search: &mut Search, document: &DocumentBuf, depth: u64) -> Result<()> {
        // A view may leave it out.
        let id = document.as_raw().get("_id").ok_or_else(|| {
            QueryError::new(
                Code::location(40_271),
                "$graphLookup goes by _id, which a document that it has found lacks",
            )
        })?;
        // An `_id` is identified by its bytes, whatever the collation.
        if !search.visited.insert(key_of(id, None)) {
            return Ok(());
        }
        let collation = self.run.variables.collation();
        let next = JoinValues::at(document.as_ref(), &self.stage.connect_from, collation);
        next.into_values()
            .into_iter()
            .for_each(|value| search.ask(value, collation));
        let mut found = document.to_document();
        search.bytes += language::expression::document_bytes((&found).into());
        if let Some(field) = &self.stage.depth_field {
            fields::set(&mut found, field.parts(), Value::Int64(depth as i64));
        }
        search.found.push(Value::Document(found));
        Ok(())
    }
}

impl Search {
    fn new(memory: Kept) -> Search {
        Search {
            memory,
            frontier: Vec::new(),
            asked: HashSet::new(),
            visited: HashSet::new(),
            found: Vec::new(),
            bytes: 0,
        }
    }

    fn ask(&mut self, value: Value, collation: Option<&Collation>) {
        let key = key_of(value.as_ref(), collation);
        self.bytes += key.len();
        if self.asked.insert(key) {
            self.frontier.push(value);
        }
    }
}

impl Join for Searching {
    fn join<'a>(
        &'a mut self,
        waiting: &'a mut Waiting,
        out: &'a mut Vec<Row>,
        _room: usize,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<usize>> {
        Box::pin(async move {
            let Some(row) = waiting.pop()? else {
                return Ok(0);
            };
            let found = self.search(&row, interruption).await?;
            let (mut document, metadata) = row.into_parts();
            fields::set(&mut document, self.stage.into.parts(), Value::Array(found));
            let row = Row::of_parts(document, metadata);
            let bytes = row.size_bytes();
            out.push(row);
            Ok(bytes)
        })
    }
}
