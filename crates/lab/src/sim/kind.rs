//! What the command line knows of the sim backend.

use super::model::Model;
use super::options::ModelOptions;
use crate::backend::{BackendKind, BackendOption, OptionValue};
use crate::forecast;
use pagetide_core::Origin;

/// The backend, as the command line knows it.
pub const KIND: BackendKind = BackendKind {
    name: Origin::Sim.name(),
    about: "a model of the kernel, in virtual time",
    options: &[BackendOption {
        name: "cpu",
        value: OptionValue::Choice(&[
            ("native", "A current x86 server"),
            ("emulated", "As slow as in a VM without KVM, with disks that are slower by the scenario's time_dilation"),
        ]),
        about: "the CPU of the model's machine",
    }],
    forecast: forecast::of_model,
    make: |place, given| {
        let emulated = given.last("cpu") == Some("emulated");
        let costs = if emulated { super::costs::emulated() } else { pagetide_sim::Costs::default() };
        Ok(Box::new(Model::new(ModelOptions {
            interval: Some(place.interval),
            costs,
            dilate: emulated,
            ..ModelOptions::default()
        })))
    },
};
