//! Those that began an incident: as the scenario has them, and as people know them.

use pagetide_core::{Action, Load, Parallel, Part, Place, Scenario};

/// A load of the incident that began it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Culprit {
    /// What its process is called in the scenario.
    pub process: String,
    /// The command in the recording, as text. It is no command line: another user may have chosen its words.
    pub command: String,
}

impl Culprit {
    /// A process of the scenario, and the command that it is in the recording: without what a terminal or a shell would make something
    /// else of.
    pub(crate) fn new(process: &str, command: &str) -> Self {
        let is_kept = |c: char| c.is_ascii_alphanumeric() || " .-/:+@%,".contains(c);
        let keep = |c: char| if is_kept(c) { c } else { '_' };
        Self { process: process.to_owned(), command: command.chars().map(keep).collect() }
    }
}

/// The programs of a scenario.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Programs<'a> {
    /// What the processes of all are called.
    pub(crate) all: &'a [String],
    /// Those that began it.
    pub(crate) culprits: &'a [Culprit],
}

impl Programs<'_> {
    pub(crate) fn is_culprit(&self, name: &str) -> bool {
        self.culprits.iter().any(|culprit| culprit.process == name)
    }

    /// Whether none but those that began it ran: then they are the victims as well. What holds memory only is no program.
    pub(crate) fn are_alone(&self) -> bool {
        self.all.iter().all(|name| self.is_culprit(name))
    }

    pub(crate) fn is_victim(&self, name: &str) -> bool {
        self.all.iter().any(|program| program == name) && (self.are_alone() || !self.is_culprit(name))
    }
}

/// The commands, each once.
pub fn commands(culprits: &[Culprit]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for culprit in culprits {
        if !commands.contains(&culprit.command) {
            commands.push(culprit.command.clone());
        }
    }
    commands
}

/// What each is called in advice: its command, and what it does where another has the same command.
pub(crate) fn titles(scenario: &Scenario, culprits: &[Culprit]) -> Vec<String> {
    let parts = scenario.steps.iter().filter_map(|step| match &step.action {
        Action::Parallel(Parallel(parts)) => Some(parts),
        _ => None,
    });
    let parts: Vec<&Part> = parts.flatten().collect();
    let work =
        |culprit: &Culprit| parts.iter().find(|part| part.process() == culprit.process).map(|part| work(&part.load));
    let shares = |culprit: &Culprit| culprits.iter().filter(|other| other.command == culprit.command).count() > 1;
    let title = |culprit: &Culprit| match work(culprit) {
        Some(work) if shares(culprit) => format!("{} ({work})", culprit.command),
        _ => culprit.command.clone(),
    };
    let titles: Vec<String> = culprits.iter().map(title).collect();
    let nth = |at: usize| titles[..at].iter().filter(|title| **title == titles[at]).count() + 1;
    let numbered = |at: usize| match nth(at) {
        1 => titles[at].clone(),
        nth => format!("{}, {nth}", titles[at]),
    };
    (0..titles.len()).map(numbered).collect()
}

/// What a load does, in a few words.
fn work(load: &Load) -> String {
    let on = |place: &Place| place.disk().map_or_else(String::new, |disk| format!(" {disk}"));
    match load {
        Load::Stream(spec) => format!("reads{}", on(&spec.from)),
        Load::Dd(spec) => format!("writes{}", on(&spec.to)),
        Load::MapAndWalk(_) => "touches memory".to_owned(),
        Load::Grow(_) => "grows".to_owned(),
        Load::Spin(_) => "uses CPU".to_owned(),
        Load::Copy(_) | Load::StatMissing(_) => load.kind().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_called_as_in_the_recording_but_for_what_a_terminal_obeys() {
        assert_eq!(Culprit::new("p", "python3 m_panorama.py").command, "python3 m_panorama.py");
        assert_eq!(Culprit::new("p", "sh /opt/guest.sh").command, "sh /opt/guest.sh");
        assert_eq!(Culprit::new("p", "a\u{1b}[2J;b").command, "a__2J_b");
    }

    #[test]
    fn a_command_is_said_once_and_two_loads_of_it_by_what_they_do() {
        let part = |name: &str, load: &str| format!("{{ name = \"{name}\", {load} }}");
        let (reads, writes) = (
            "stream = { from = \"file:f@d\", size = \"1MiB\" }",
            "dd = { from = \"zero\", to = \"file:g@d\", size = \"1MiB\" }",
        );
        let parts =
            [part("split", reads), part("split_2", writes), part("split_3", writes), part("tar", reads)].join(", ");
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"d\"\n\
             size = \"8GiB\"\nlatency = \"1ms\"\n[[step]]\nid = \"incident\"\nparallel = [{parts}]\n"
        );
        let scenario = Scenario::parse(&text, "t.toml").unwrap();
        let culprit =
            |process: &str, command: &str| Culprit { process: process.to_owned(), command: command.to_owned() };
        let all = [
            culprit("split", "split"),
            culprit("split_2", "split"),
            culprit("split_3", "split"),
            culprit("tar", "tar"),
        ];
        assert_eq!(titles(&scenario, &all), ["split (reads d)", "split (writes d)", "split (writes d), 2", "tar"]);
        assert_eq!(commands(&all), ["split", "tar"]);
    }
}
