//! What a space says of itself: all that the decision table knows of its kind.

/// What algorithms may rely on, beside the answers of a [`Space`](crate::Space). The default is a
/// metric whose distances have to be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Abilities {
    /// Whether a question is answered by exploring outward from the source. Then the caps of *all*
    /// items must hold and be 1-Lipschitz, not only those of the items asked about; and hits come
    /// by increasing distance.
    pub explores: bool,
    /// Whether all distances are kept, so that each costs no more than reading a number.
    pub has_table: bool,
    /// Whether the triangle inequality is beyond doubt. Where it is not, no item is skipped because
    /// of it, and a local optimum is one for any dissimilarity.
    pub obeys_triangles: bool,
    /// Whether the distance from one item to another is the same as that back. Where it is not, an
    /// item is as far from a center as the way from the center to the item is long; no tree can be
    /// built; and an [`Asker`](crate::space::Asker) must answer
    /// [`ask_to`](crate::space::Asker::ask_to) and
    /// [`ask_around`](crate::space::Asker::ask_around) itself.
    pub symmetric: bool,
}

impl Default for Abilities {
    fn default() -> Self {
        Self { explores: false, has_table: false, obeys_triangles: true, symmetric: true }
    }
}
