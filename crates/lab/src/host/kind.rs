//! What the command line knows of the host backend.

use super::{Host, HostOptions, Shrink};
use crate::backend::{BackendKind, BackendOption, OptionValue};
use crate::forecast;
use pagetide_core::Origin;

/// The backend, as the command line knows it.
pub const KIND: BackendKind = BackendKind {
    name: Origin::Host.name(),
    about: "this host, as root",
    options: &[
        BackendOption {
            name: "shrink",
            value: OptionValue::Choice(&[
                ("cgroup", "The work runs in a memory control group with the machine's memory as its limit"),
                ("hold", "A process holds the host's other memory; at least 1 GiB stays available"),
                ("none", "The host keeps all of its memory"),
            ]),
            about: "how to limit memory to that of the scenario's machine",
        },
        BackendOption {
            name: "limit-device",
            value: OptionValue::Flag,
            about: "limit the disk under the files to the scenario's IOPS and bandwidth during the run. This slows every user of \
                    that disk",
        },
        BackendOption { name: "keep-data", value: OptionValue::Flag, about: "keep the data files" },
    ],
    forecast: forecast::forecast,
    make: |place, given| {
        let shrink = match given.last("shrink") {
            Some("hold") => Shrink::Hold,
            Some("none") => Shrink::None,
            _ => Shrink::Cgroup,
        };
        Ok(Box::new(Host::new(HostOptions {
            shrink,
            limit_device: given.last("limit-device").is_some(),
            keep_data: given.last("keep-data").is_some(),
            interval: place.interval,
            ..HostOptions::new(&place.work_dir, &place.results)
        })))
    },
};
