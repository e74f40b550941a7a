use std::num::NonZeroU32;

/// Who is protected: between which two tables of records nobody can tell the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Protection {
    /// How neighboring tables differ.
    pub neighbours: Neighbours,
    /// What neighboring tables differ in: a record, or all records of an owner.
    pub unit: Unit,
}

/// How two neighboring tables differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Neighbours {
    /// One table has a unit that the other does not have. The number of records is protected too.
    #[default]
    AddRemove,
    /// One table has a unit in place of one of the other's.
    ReplaceOne,
}

/// What belongs together and is protected as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unit {
    /// A single record.
    #[default]
    Record,
    /// All records of an owner, who has at most `at_most`. Whoever counts must have kept to that.
    Owner {
        /// The most records of one owner.
        at_most: NonZeroU32,
    },
}

impl Protection {
    /// How many records neighboring tables may differ in: all sensitivities are multiples of this.
    ///
    /// Replacing a unit is removing one and adding another, hence twice as much.
    pub fn records(self) -> u64 {
        let unit = match self.unit {
            Unit::Record => 1,
            Unit::Owner { at_most } => u64::from(at_most.get()),
        };
        match self.neighbours {
            Neighbours::AddRemove => unit,
            Neighbours::ReplaceOne => 2 * unit,
        }
    }
}
