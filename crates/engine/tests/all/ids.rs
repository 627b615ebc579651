//! A document has exactly one `_id`, whichever way it is written.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::{Context, Engine, FindAndModifyRequest, UpdateStatement, WriteFailure, WriteOptions};
use value::{Document, DocumentBuf, Value, array};

const BAD_VALUE: i32 = 2;

fn with_two_ids() -> Document {
    Document::new().with("_id", 1).with("a", 1).with("_id", 2)
}

fn codes(failures: &[WriteFailure]) -> Vec<i32> {
    failures
        .iter()
        .map(|failure| failure.error.code.number())
        .collect()
}

async fn replaced(engine: &Engine, filter: Document, upsert: bool) -> Vec<i32> {
    let statement = UpdateStatement {
        filter,
        update: Some(Value::Document(with_two_ids())),
        upsert,
        ..UpdateStatement::default()
    };
    let (context, options) = (Context::default(), WriteOptions::default());
    let reply = engine
        .update(&context, &namespace("things"), vec![statement], &options)
        .await
        .unwrap();
    codes(&reply.failures)
}

#[tokio::test]
async fn two_ids_are_refused() {
    let engine = new_engine().await;
    let (context, options) = (Context::default(), WriteOptions::default());
    insert(&engine, "things", &[Document::new().with("_id", 1)]).await;
    let documents = vec![DocumentBuf::from(&with_two_ids())];
    let reply = engine
        .insert(&context, &namespace("things"), documents, &options)
        .await
        .unwrap();
    assert_eq!(codes(&reply.failures), [BAD_VALUE]);
    let one = || Document::new().with("_id", 1);
    assert_eq!(replaced(&engine, one(), false).await, [BAD_VALUE]);
    assert_eq!(replaced(&engine, one().with("b", 1), true).await, [BAD_VALUE]);
    let modify = FindAndModifyRequest {
        update: Some(Value::Document(with_two_ids())),
        upsert: true,
        ..FindAndModifyRequest::default()
    };
    let refused = engine
        .find_and_modify(&context, &namespace("things"), modify, &options)
        .await;
    assert_eq!(refused.unwrap_err().code.number(), BAD_VALUE);
    let found = aggregate(&engine, "things", array![{"$match": {}}])
        .await
        .unwrap();
    assert_eq!(found, [one()]);
}
