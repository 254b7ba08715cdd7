//! Contacts of the bodies of files, in space or in the plane.

use obbligato::{Backend, Checker, Config, Pair, contact::Contacts, query::ContactQuery, shape::Shapes};

use crate::failure::Failure;

/// Returns a checker for questions that are answered on the host.
pub fn on_host() -> obbligato::Result<Checker> {
    Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })
}

/// Replaces `contacts` with those of pairs, in the plane if `in_plane` is set.
pub fn update(contacts: &mut Contacts, in_plane: bool, sets: [Shapes<'_>; 2], pairs: &[Pair]) -> Result<(), Failure> {
    match in_plane {
        true => *contacts = on_host()?.check(ContactQuery::new(sets, pairs).in_plane())?,
        false => contacts.update(sets, pairs)?,
    }
    Ok(())
}
