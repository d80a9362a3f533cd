//! Changes that could help, and what each does.

mod changes;
mod effect;
mod trials;

pub use effect::Effect;
pub use trials::{Tried, try_advice, try_on};
