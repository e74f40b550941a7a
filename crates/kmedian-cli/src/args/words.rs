//! Options whose values are words. The words, their help and their errors come from the table
//! [`kmedian::choice`].

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use kmedian::choice::Choice;

/// A parser of the words of a choice, which also lists them in the help.
pub(super) fn words<T>(choice: &'static Choice<T>) -> Words<T> {
    Words(choice)
}

/// The help of an option that may be left out: it names the default, the first word.
pub(super) fn by_default<T>(choice: &Choice<T>) -> String {
    format!("{} [default: {}]", choice.help, choice.words[0].word)
}

/// A parser of the words of a choice.
pub(super) struct Words<T: 'static>(&'static Choice<T>);

impl<T> Clone for Words<T> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Words<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let choice = self.0;
        let parser = StringValueParser::new().try_map(move |word| choice.find(&word));
        parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let shown = self.0.words.iter().map(|word| PossibleValue::new(word.word).help(word.help));
        Some(Box::new(shown))
    }
}
