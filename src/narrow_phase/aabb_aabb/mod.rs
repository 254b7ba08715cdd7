//! Two sets of bounds of which no more is known: the broad phase has the answer.

pub(crate) mod accept_all;
