//! Options that mean nothing without another one.
//!
//! clap's own `requires` is waived if the other option conflicts with a third one that was given, so
//! that `--metric haversine --directed` would be taken without a word. What is listed here is checked
//! whatever else was given.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, Error};

/// An option that needs another one, in the command of this name or, without one, in every command
/// that has both. Options are called as the fields that hold them.
struct Need {
    command: Option<&'static str>,
    option: &'static str,
    needed: &'static str,
}

const fn everywhere(option: &'static str, needed: &'static str) -> Need {
    Need { command: None, option, needed }
}

const fn of(command: &'static str, option: &'static str, needed: &'static str) -> Need {
    Need { command: Some(command), option, needed }
}

const NEEDS: [Need; 21] = [
    everywhere("directed", "graph"),
    everywhere("towards", "directed"),
    everywhere("largest_component", "graph"),
    everywhere("nodes_from", "graph"),
    everywhere("positions_metric", "positions"),
    everywhere("positions_id", "positions"),
    everywhere("image_shape", "report"),
    everywhere("snap_within", "snap"),
    everywhere("clients", "snap"),
    everywhere("site_id", "sites"),
    everywhere("site_id", "id"),
    everywhere("rows", "graph"),
    everywhere("sign", "release"),
    of("private", "ledger", "dataset"),
    of("private", "dataset", "ledger"),
    of("private", "unit", "max_per_unit"),
    of("private", "max_per_unit", "unit"),
    of("fit", "key", "demand"),
    of("assign", "key", "rows"),
    of("create", "max_per_unit", "protects"),
    of("create", "neighbours", "protects"),
];

impl Need {
    /// Whether this is about a command, which has both options then.
    fn is_of(&self, command: &Command) -> bool {
        let has = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
        self.command.is_none_or(|name| name == command.get_name())
            && has(self.option)
            && has(self.needed)
    }
}

/// Refuses an option that was given without the one that it needs.
pub(super) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Error> {
    let Some((name, given)) = matches.subcommand() else { return Ok(()) };
    let Some(command) = command.find_subcommand(name) else { return Ok(()) };
    let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
    for need in NEEDS.iter().filter(|need| need.is_of(command)) {
        if is_given(need.option) && !is_given(need.needed) {
            let [option, needed] = [need.option, need.needed].map(typed);
            let message = format!("{option} needs {needed}: add that, or leave {option} out");
            return Err(Error::raw(ErrorKind::MissingRequiredArgument, message));
        }
    }
    check(command, given)
}

/// An option as it is typed.
fn typed(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use clap::{Arg, CommandFactory};

    use super::super::{Args, parse};
    use super::*;

    /// A value that an option or a file can have.
    fn value(argument: &Arg) -> Vec<String> {
        let id = argument.get_id().as_str();
        let named = match id {
            "metric" | "positions_metric" => "l2",
            "snap" | "columns" => "a,b",
            "image_shape" => "2x2",
            "neighbours" => "add-remove",
            "protects" => "owner",
            "k"
            | "epsilon"
            | "budget"
            | "demand_size"
            | "max_per_unit"
            | "snap_within"
            | "nodes_from"
            | "seeded_noise_not_private" => "1",
            _ => "name",
        };
        let option = argument.get_long().map(|long| format!("--{long}"));
        let takes_value = argument.get_action().takes_values();
        option.into_iter().chain(takes_value.then(|| named.to_owned())).collect()
    }

    fn find<'a>(command: &'a Command, id: &str) -> &'a Arg {
        let found = command.get_arguments().find(|argument| argument.get_id() == id);
        found.unwrap_or_else(|| panic!("{} has no {id}", command.get_name()))
    }

    /// Options that conflict with a given one, whichever of the two says so.
    fn rivals<'a>(command: &'a Command, argument: &'a Arg) -> Vec<&'a Arg> {
        let against = |one: &Arg, other: &Arg| {
            command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
        };
        let all = command.get_arguments();
        all.filter(|other| against(argument, other) || against(other, argument)).collect()
    }

    fn check_all(path: &[&str], command: &Command, seen: &mut [usize]) {
        for (need, seen) in NEEDS.iter().zip(seen.iter_mut()) {
            if !need.is_of(command) {
                continue;
            }
            *seen += 1;
            let (option, needed) = (find(command, need.option), find(command, need.needed));
            let given: Vec<&Arg> = command
                .get_arguments()
                .filter(|argument| {
                    argument.is_required_set() || argument.get_id() == option.get_id()
                })
                .collect();
            let others = rivals(command, needed).into_iter().map(Some).chain([None]);
            for rival in others.filter(|rival| rival.is_none_or(|one| !given.contains(&one))) {
                let mut words: Vec<String> = path.iter().map(ToString::to_string).collect();
                words.extend(given.iter().copied().chain(rival).flat_map(value));
                let line = words.join(" ");
                let Err(error) = parse(words) else { panic!("{line}: was taken") };
                let error = error.to_string();
                let because = [" needs --", "cannot be used with"];
                assert!(because.iter().any(|part| error.contains(part)), "{line}: {error}");
            }
        }
        for inner in command.get_subcommands() {
            check_all(&[path, &[inner.get_name()]].concat(), inner, seen);
        }
    }

    /// No option is taken without the one that it needs, whatever other option conflicts with that.
    #[test]
    fn no_conflict_waives_a_need() {
        let mut command = Args::command();
        command.build();
        let mut seen = [0; NEEDS.len()];
        check_all(&["kmedian"], &command, &mut seen);
        for (need, seen) in NEEDS.iter().zip(seen) {
            assert!(seen > 0, "no command has {} and {}", need.option, need.needed);
        }
    }

    /// clap's own `requires` would be waived.
    #[test]
    fn needs_are_declared_here_alone() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/args");
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files: Vec<PathBuf> = files.filter(|file| !file.ends_with("needs.rs")).collect();
        assert!(files.len() > 9, "{files:?}");
        for file in files {
            let source = fs::read_to_string(&file).unwrap_or_default();
            assert!(!source.is_empty(), "{} cannot be read", file.display());
            assert!(!source.contains("requires"), "{}", file.display());
        }
    }
}
