//! The sim backend: runs a scenario on a model of the kernel, in virtual time.
//!
//! It makes the scenario's machine of [`pagetide_sim`], runs each step's loads as programs of the model, and gives the same samples,
//! marks and figures as the executor does on a real kernel. It reads no clock but to say when the run began, and changes nothing.

mod costs;
mod files;
mod kind;
mod machine;
mod missing;
mod model;
mod options;
mod programs;
mod recorder;
mod step;

pub use costs::{EMULATED, calibrate};
pub use kind::KIND;
pub use machine::device_names;
pub use missing::runnable;
pub use model::Model;
pub use options::{MeasuredMemory, ModelOptions};
pub use pagetide_sim::Costs;
pub use programs::depends_on_seed;
