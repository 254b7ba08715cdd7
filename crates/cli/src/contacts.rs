//! Contacts of the bodies of files, in space or in the plane.

use obbligato::query::{ContactQuery, InImages};
use obbligato::{Backend, Checker, Config, Pair, Period, contact::Contacts, shape::Shapes};

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

/// Returns the contacts in space that repeats, in its plane if `in_plane` is set.
pub fn of_images(
    checker: &mut Checker,
    in_plane: bool,
    query: ContactQuery<'_>,
    period: Period,
) -> obbligato::Result<InImages<Contacts>> {
    let query = query.periodic(period);
    match in_plane {
        true => checker.check(query.in_plane()),
        false => checker.check(query),
    }
}
