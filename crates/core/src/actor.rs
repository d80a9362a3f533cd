//! Who caused something or lost time by it: a process, a thread of the kernel, a control group, a disk, or the host as a whole.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// A culprit or a victim. In JSON it is an object with its `kind`; [`fmt::Display`] writes the older form `disk:NAME`.
///
/// ```
/// use pagetide_core::Actor;
///
/// assert_eq!(Actor::disk("vda").to_string(), "disk:vda");
/// assert_eq!("process:tar".parse(), Ok(Actor::command("tar")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Actor {
    /// A process, or all processes of a command.
    Process {
        /// What it is called (`/proc/PID/comm`).
        command: String,
        /// The one of them that did most, where it was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pid: Option<u32>,
    },
    /// A thread of the kernel: it works for others, and no user started it.
    KernelThread {
        /// What it is called: `kswapd0`, `jbd2/vda1-8`, `md0_resync`.
        command: String,
        /// Its id, where it was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pid: Option<u32>,
    },
    /// A control group.
    Group {
        /// Its directory below the root of the hierarchy, as the recording names it.
        path: String,
    },
    /// A block device.
    Disk {
        /// Its name (`/sys/block/NAME`).
        name: String,
    },
    /// The host as a whole.
    Host,
}

impl Actor {
    /// All processes of a command; which of them is not known.
    pub fn command(command: impl Into<String>) -> Self {
        Self::Process { command: command.into(), pid: None }
    }

    /// A control group.
    pub fn group(path: impl Into<String>) -> Self {
        Self::Group { path: path.into() }
    }

    /// A disk.
    pub fn disk(name: impl Into<String>) -> Self {
        Self::Disk { name: name.into() }
    }

    /// Its name; absent of the host.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Process { command, .. } | Self::KernelThread { command, .. } => Some(command),
            Self::Group { path } => Some(path),
            Self::Disk { name } => Some(name),
            Self::Host => None,
        }
    }

    /// The command of a process or a thread of the kernel.
    pub fn as_command(&self) -> Option<&str> {
        self.name().filter(|_| matches!(self, Self::Process { .. } | Self::KernelThread { .. }))
    }

    /// The path of a control group.
    pub fn as_group(&self) -> Option<&str> {
        self.name().filter(|_| matches!(self, Self::Group { .. }))
    }

    /// The name of a disk.
    pub fn as_disk(&self) -> Option<&str> {
        self.name().filter(|_| matches!(self, Self::Disk { .. }))
    }

    /// Whether both are one actor to a reader: the processes of one command are.
    pub fn is_same(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.name() == other.name()
    }

    /// What stands before the colon of the older form, which knew no threads of the kernel.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Process { .. } | Self::KernelThread { .. } => "process",
            Self::Group { .. } => "cgroup",
            Self::Disk { .. } => "disk",
            Self::Host => "host",
        }
    }
}

/// `process:COMMAND`, `cgroup:PATH`, `disk:NAME` or `host`.
impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{}:{name}", self.kind()),
            None => f.write_str(self.kind()),
        }
    }
}

/// Reads what [`fmt::Display`] writes.
impl FromStr for Actor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("process", command)) => Ok(Self::command(command)),
            Some(("cgroup", path)) => Ok(Self::group(path)),
            Some(("disk", name)) => Ok(Self::disk(name)),
            None if text == "host" => Ok(Self::Host),
            _ => Err(format!("{text:?} is none of process:COMMAND, cgroup:PATH, disk:NAME, host")),
        }
    }
}

/// The actors that a finding comes from, the nearest first. Empty when that is not known.
///
/// In JSON they are two keys of the object that has them: `origins` with the older form for people and scripts, and `actors` with the typed
/// one, which is read where it is present. Fields of this type are flattened.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Actors(Vec<Actor>);

impl Actors {
    /// Adds an actor, unless it is there already.
    pub fn add(&mut self, actor: Actor) {
        if !self.has(&actor) {
            self.0.push(actor);
        }
    }

    /// Whether an actor is among them.
    pub fn has(&self, actor: &Actor) -> bool {
        self.0.iter().any(|known| known.is_same(actor))
    }

    /// Each in the older form.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(Actor::to_string).collect()
    }

    /// The command of the first process among them.
    pub fn first_command(&self) -> Option<&str> {
        self.0.iter().find_map(Actor::as_command)
    }

    /// None of them.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Deref for Actors {
    type Target = [Actor];

    fn deref(&self) -> &[Actor] {
        &self.0
    }
}

impl<I: IntoIterator<Item = Actor>> From<I> for Actors {
    fn from(actors: I) -> Self {
        Self(actors.into_iter().collect())
    }
}

impl Serialize for Actors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Actors", 2)?;
        object.serialize_field("origins", &self.names())?;
        object.serialize_field("actors", &self.0)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for Actors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Older versions wrote the first alone.
        #[derive(Deserialize)]
        struct Both {
            #[serde(default)]
            origins: Vec<String>,
            actors: Option<Vec<Actor>>,
        }
        let Both { origins, actors } = Both::deserialize(deserializer)?;
        let parsed = || origins.iter().map(|origin| origin.parse().map_err(serde::de::Error::custom)).collect();
        actors.map_or_else(parsed, Ok).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Actor; 5] {
        [
            Actor::Process { command: "tar: x".to_owned(), pid: Some(7) },
            Actor::KernelThread { command: "md0_resync".to_owned(), pid: None },
            Actor::group("/system.slice/a:b.service"),
            Actor::disk("vda"),
            Actor::Host,
        ]
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for actor in all() {
            assert!(actor.to_string().parse::<Actor>().unwrap().is_same(&actor), "{actor}");
        }
        for wrong in ["", "host:", "tar", "Disk:vda", "container:x"] {
            assert!(wrong.parse::<Actor>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn json_has_both_forms_and_the_typed_one_is_read() {
        let actors = Actors::from(all());
        let json = serde_json::to_value(&actors).unwrap();
        assert_eq!(
            json["origins"],
            serde_json::json!([
                "process:tar: x",
                "process:md0_resync",
                "cgroup:/system.slice/a:b.service",
                "disk:vda",
                "host"
            ])
        );
        assert_eq!(json["actors"][0], serde_json::json!({ "kind": "process", "command": "tar: x", "pid": 7 }));
        assert_eq!(json["actors"][1], serde_json::json!({ "kind": "kernel_thread", "command": "md0_resync" }));
        assert_eq!(serde_json::from_value::<Actors>(json).unwrap(), actors);
        let older: Actors = serde_json::from_str(r#"{"origins":["disk:vda","process:tar"]}"#).unwrap();
        assert_eq!(older, Actors::from([Actor::disk("vda"), Actor::command("tar")]));
        assert!(serde_json::from_str::<Actors>(r#"{"origins":["vda"]}"#).is_err());
    }

    #[test]
    fn processes_of_one_command_are_one_actor() {
        let mut actors = Actors::default();
        for pid in [Some(1), Some(2), None] {
            actors.add(Actor::Process { command: "cc1".to_owned(), pid });
        }
        assert_eq!(actors.len(), 1);
        assert!(!actors.has(&Actor::disk("cc1")));
    }
}
