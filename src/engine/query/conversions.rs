//! Conversions of lists and sets to queries for all their pairs.

use crate::engine::query::sets::{BodySet, BoxSet};
use crate::engine::query::{Asked, Query};
use crate::shapes::bodies::set::Bodies;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::upright::record::Upright;

/// Converts lists of one kind to sets and queries.
macro_rules! lists {
    ($($record:ty),+) => {$(
        impl<'a> From<BoxSet<'a, $record>> for BodySet<'a> {
            fn from(set: BoxSet<'a, $record>) -> Self {
                Bodies::from(set.boxes).with(set.rules)
            }
        }

        impl<'a> From<BoxSet<'a, $record>> for Query<'a> {
            fn from(set: BoxSet<'a, $record>) -> Self {
                BodySet::from(set).into()
            }
        }

        lists!(of $record, &'a [$record]);
        lists!(of $record, &'a Vec<$record>);
        lists!(of $record, &'a [$record; N], const N: usize);
    )+};
    (of $record:ty, $list:ty $(, const $n:ident: usize)?) => {
        impl<'a $(, const $n: usize)?> From<$list> for BodySet<'a> {
            fn from(records: $list) -> Self {
                BoxSet::<$record>::from(records).into()
            }
        }

        impl<'a $(, const $n: usize)?> From<$list> for Query<'a> {
            fn from(records: $list) -> Self {
                BoxSet::<$record>::from(records).into()
            }
        }
    };
}

lists!(Obb, Capsule, Sphere);

impl<'a> From<BodySet<'a>> for Query<'a> {
    fn from(set: BodySet<'a>) -> Self {
        Self::asking(Asked::Set(set.bodies.into(), set.rules))
    }
}

impl<'a> From<Bodies<'a>> for Query<'a> {
    fn from(bodies: Bodies<'a>) -> Self {
        BodySet::from(bodies).into()
    }
}

/// Converts lists to queries of their own kind.
macro_rules! queries {
    ($($record:ty => $asked:ident),+) => {$(
        impl<'a> From<BoxSet<'a, $record>> for Query<'a> {
            fn from(set: BoxSet<'a, $record>) -> Self {
                Self::asking(Asked::$asked(set))
            }
        }

        impl<'a> From<&'a [$record]> for Query<'a> {
            fn from(records: &'a [$record]) -> Self {
                BoxSet::new(records).into()
            }
        }

        impl<'a> From<&'a Vec<$record>> for Query<'a> {
            fn from(records: &'a Vec<$record>) -> Self {
                BoxSet::new(records).into()
            }
        }

        impl<'a, const N: usize> From<&'a [$record; N]> for Query<'a> {
            fn from(records: &'a [$record; N]) -> Self {
                BoxSet::new(records).into()
            }
        }
    )+};
}

queries!(Upright => Uprights, Obb64 => Boxes64);
