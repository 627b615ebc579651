//! Idle cursors: what they keep is counted.

use crate::support::{insert, namespace};
use code::Code;
use engine::{Context, Engine, FindRequest};
use kv::{Kv, Simulation};
use memory::Budget;
use value::doc;

#[tokio::test]
async fn few_cursors_of_long_commands_are_idle_at_a_time() {
    let budget = Budget::new(16 << 20);
    let kv = Kv::simulated(&Simulation::new(1));
    let engine = Engine::on_within(kv, budget.clone()).await.unwrap();
    let documents: Vec<_> = (0..10).map(|id| doc! {"_id": id}).collect();
    insert(&engine, "coll", &documents).await;
    let request = FindRequest {
        batch_size: Some(1),
        ..FindRequest::default()
    };
    let open = async |command_bytes: usize| {
        let mut context = Context::default();
        context.memory = budget.clone();
        context.command_bytes = command_bytes;
        engine.find(&context, &namespace("coll"), &request).await
    };
    // Cursors have two sixteenths of the memory.
    let mut opened = Vec::new();
    let refused = loop {
        match open(8 << 20).await {
            Ok(reply) => opened.push(reply.id),
            Err(error) => break error,
        }
        assert!(opened.len() <= 4, "{}", opened.len());
    };
    assert_eq!(refused.code, Code::EXCEEDED_MEMORY_LIMIT);
    assert!(
        opened.len() >= 2 && opened.iter().all(|id| *id != 0),
        "{opened:?}"
    );
}
