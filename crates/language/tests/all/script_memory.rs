//! The memory of JavaScript functions is counted, and grows in steps.
use language::interruption::within;
use language::script::Program;
use language::{Code, Interruption};
use memory::{Budget, Holder};
use value::{Document, Value};

/// Holds so many megabytes while it runs.
fn holding(megabytes: usize) -> Program {
    let source = format!(
        "function() {{ return 'x'.repeat({megabytes} << 20).length + 'y'.repeat({megabytes} << 20).length; }}"
    );
    Program::new(vec![source], Document::new())
}

#[test]
fn a_function_that_needs_more_is_started_anew_with_more() {
    let interruption = Interruption {
        memory: Budget::new(1 << 30),
        ..Interruption::default()
    };
    let held = || interruption.memory.usage()[Holder::Scripts as usize].held_bytes;
    within(&interruption, || {
        let small = Program::new(vec!["function() { return 1; }".to_owned()], Document::new());
        assert_eq!(small.call(0, None, &[]).unwrap(), Value::Double(1.0));
        assert_eq!(held(), 1 << 20);
        drop(small);
        let large = holding(9);
        assert_eq!(
            large.call(0, None, &[]).unwrap(),
            Value::Double((18 << 20) as f64)
        );
        assert_eq!(held(), 16 << 20);
        drop(large);
        assert_eq!(held(), 0);
        let error = holding(70).call(0, None, &[]).unwrap_err();
        assert_eq!(error.code, Code::EXCEEDED_MEMORY_LIMIT, "{error}");
    });
}

#[test]
fn functions_that_find_no_memory_say_which_option_gives_more() {
    let interruption = Interruption {
        memory: Budget::new(16 << 20),
        ..Interruption::default()
    };
    within(&interruption, || {
        let error = holding(9).call(0, None, &[]).unwrap_err();
        assert_eq!(error.code, Code::EXCEEDED_MEMORY_LIMIT);
        assert!(error.message.contains("--memory"), "{error}");
        let few: Vec<Program> = (0..5).map(|_| holding(0)).collect();
        let refused = few.iter().filter(|program| program.call(0, None, &[]).is_err());
        assert_eq!(refused.count(), 1, "four have one megabyte each");
    });
}
