//! A question about each of several items.

use std::hint::black_box;

/// Asks about each item, and keeps the compiler from omitting the answers.
pub fn each<T, A>(items: impl IntoIterator<Item = T>, mut ask: impl FnMut(T) -> A) {
    for item in items {
        black_box(ask(item));
    }
}
