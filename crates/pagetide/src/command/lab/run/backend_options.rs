//! The options of the backends, from the table that each backend has of its own.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use pagetide_lab::backend::{BackendOption, GivenOptions, OptionValue};
use pagetide_lab::backends::BACKENDS;

/// What was given of the options of all backends.
#[derive(Debug, Clone, Default)]
pub(super) struct BackendArguments {
    pub(super) given: GivenOptions,
    /// Those that the user typed, each with its backend.
    typed: Vec<(&'static str, &'static str)>,
}

impl BackendArguments {
    /// Checks that each option belongs to one of these backends.
    ///
    /// # Errors
    /// One has no effect.
    pub(super) fn check(&self, on: &[String]) -> Result<(), pagetide_core::Error> {
        let lost = self.typed.iter().find(|(_, backend)| !on.iter().any(|on| on == backend));
        lost.map_or(Ok(()), |(option, backend)| {
            let what = format!("--{option} has no effect on {}", on.join(" and "));
            Err(pagetide_core::Error::input(what, format!("leave it out, or run on {backend}: --on {backend}")))
        })
    }
}

/// A parser of a few names, each with its help.
pub(super) fn choice(names: impl IntoIterator<Item = (&'static str, &'static str)>) -> PossibleValuesParser {
    PossibleValuesParser::new(names.into_iter().map(|(name, about)| PossibleValue::new(name).help(about)))
}

fn argument(backend: &str, option: &BackendOption) -> Arg {
    let argument = Arg::new(option.name).long(option.name).help(format!("With --on {backend}: {}", option.about));
    match option.value {
        OptionValue::Flag => argument.action(ArgAction::SetTrue),
        OptionValue::Choice(names) => argument
            .value_name("HOW")
            .value_parser(choice(names.iter().copied()))
            .default_value(names.first().map_or("", |(name, _)| name)),
        OptionValue::Text(word) => argument.value_name(word).action(ArgAction::Append),
    }
}

impl Args for BackendArguments {
    fn augment_args(command: Command) -> Command {
        let options = BACKENDS.iter().flat_map(|kind| kind.options.iter().map(|option| argument(kind.name, option)));
        command.args(options)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for BackendArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (mut given, mut typed) = (GivenOptions::default(), Vec::new());
        for (kind, option) in BACKENDS.iter().flat_map(|kind| kind.options.iter().map(move |option| (kind, option))) {
            if matches.value_source(option.name) == Some(ValueSource::CommandLine) {
                typed.push((option.name, kind.name));
            }
            let values = match option.value {
                OptionValue::Flag => Vec::from_iter(matches.get_flag(option.name).then(|| "true".to_owned())),
                _ => matches.get_many(option.name).into_iter().flatten().cloned().collect(),
            };
            given.0.insert(option.name, values);
        }
        Ok(Self { given, typed })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
