use std::num::NonZeroU32;

/// Who is protected: which two tables of records nobody can tell apart, up to the factor e^ε in the
/// probability of any result. By default, tables that differ by one record more or less.
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
    /// One table has one unit more than the other. The number of records is protected too.
    #[default]
    AddRemove,
    /// One table has a unit in place of another one. The number of units is taken to be public. It
    /// needs twice the noise of [`AddRemove`](Neighbours::AddRemove).
    ReplaceOne,
}

/// The records that are protected together, as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unit {
    /// A single record.
    #[default]
    Record,
    /// All records of an owner. Whoever counts the records must count at most `at_most` of each
    /// owner: this is not checked.
    Owner {
        /// The most records of one owner that are counted.
        at_most: NonZeroU32,
    },
}

impl Protection {
    /// The number of records that neighboring tables may differ in. All sensitivities are multiples
    /// of it.
    ///
    /// To replace a unit is to remove one and to add another, so the number doubles.
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
