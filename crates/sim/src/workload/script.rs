//! Operations in a fixed order, such as those of a script that prepares a step.

use crate::{Done, Host, Op, Program, TaskId};
use pagetide_core::Nanos;
use std::collections::VecDeque;

/// The program.
#[derive(Debug)]
pub struct Script(VecDeque<Op>);

impl Script {
    /// A program that does these and ends.
    pub fn new(operations: impl IntoIterator<Item = Op>) -> Self {
        Self(operations.into_iter().collect())
    }
}

impl Program for Script {
    fn next(&mut self, _: &mut Host, _: TaskId, _: Nanos, _: Done) -> Op {
        self.0.pop_front().unwrap_or(Op::Exit)
    }
}
