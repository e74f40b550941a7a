//! What to do about an error of the data or the ledger, in the words of the command line.

use kmedian_data::{Advice, Part};

/// Advice about a file, in terms of the options that it is read with.
pub(crate) fn about_data(advice: &Advice) -> String {
    match advice {
        Advice::Columns => "choose with --columns".into(),
        Advice::OtherColumns => "choose other columns with --columns".into(),
        Advice::ColumnsOrIds => {
            "choose the numeric columns with --columns, or name rows by this one with --id".into()
        }
        Advice::IdsOrPoints => "name a column of ids with --id, or read it as points".into(),
        Advice::Format(format) => format!("try --format {format}"),
        Advice::RenameOrFormat(format) => format!("rename it, or choose --format {format}"),
        Advice::OtherColumn(Part::Id) => "choose another column with --id".into(),
        Advice::OtherColumn(Part::Key) => "choose another column with --key".into(),
        Advice::OtherColumn(Part::Unit) => "choose another column with --unit".into(),
        Advice::NameKey => "name it with --key".into(),
        Advice::DemandFormat(names) => format!("give --demand-format, one of {names}"),
        Advice::PositionOrHeader => "choose by position from 0, or give --demand-header yes".into(),
        Advice::KeyPositionOrHeader => {
            "give its position, --key 0 for the first, or --demand-header yes".into()
        }
        Advice::NoHeader => {
            "if the file has no header, give --demand-header no and positions".into()
        }
        Advice::TextWithHeader => {
            "it is there with --demand-format text --demand-header yes".into()
        }
        Advice::Separator { name, as_csv } => {
            let csv = if *as_csv { "--demand-format csv " } else { "" };
            format!("it is there with {csv}--demand-separator {name}")
        }
        Advice::SeparatorOrKey { separator, key } => format!(
            "give --demand-separator {separator} if that separates columns, or --key {key} if it does not"
        ),
        Advice::NoSeparator => "leave --demand-separator out".into(),
        Advice::NoParquet => "take CSV or another format, or the command that has it, \
                              `cargo install kmedian-cli`"
            .into(),
        Advice::LeaveHeaderOut => "leave --demand-header out".into(),
        // Advice that the command does not know yet, which names no option.
        other => other.to_string(),
    }
}

/// Advice about a ledger, in terms of the commands that keep it.
pub(crate) fn about_ledger(advice: kmedian_ledger::Advice) -> String {
    match advice {
        kmedian_ledger::Advice::CreateLedger => "make one with `kmedian ledger create`".into(),
        kmedian_ledger::Advice::FindDataset => {
            "`kmedian ledger list` shows those there are, `kmedian ledger create` adds one".into()
        }
        // Advice that the command does not know yet, which names no command.
        other => other.to_string(),
    }
}
