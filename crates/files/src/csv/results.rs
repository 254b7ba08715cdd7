//! Writes the rows of result tables.

use std::io::{self, Write};

use glam::DVec3;

use crate::clash::{Clash, MeshClash};
use crate::csv::fields::Fields;
use crate::frame_ids::FrameIds;
use crate::ids::{IdOrder, Ids, id_of};
use crate::result_table::Layout;
use crate::scene::Column;
use crate::tracked_contacts::TrackedContacts;
use obbligato::{
    Pair,
    contact::{ClosestPoints, Contacts, Overlap},
    motion::{Approaching, Impact},
    region::{Enclosure, PointState},
    report::Neighbours,
    shape::Image,
    tracking::{Event, NEW},
};

/// The ids of the boxes in a table: for pairs, those of `a` and those of `b`.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub frame: Option<i64>,
    pub ids: [Option<&'a Ids>; 2],
}

/// Writes the rows of a table.
struct TableRows<'a> {
    fields: Fields<'a>,
    names: Names<'a>,
}

impl<'a> TableRows<'a> {
    fn new(out: &'a mut dyn Write, names: Names<'a>) -> Self {
        Self {
            fields: Fields::new(out),
            names,
        }
    }

    /// Begins a row about a box.
    fn of_box(&mut self, position: u32) {
        if let Some(frame) = self.names.frame {
            self.fields.whole(frame);
        }
        self.fields.id(id_of(self.names.ids[0], position));
    }

    /// Begins a row about a pair.
    fn of_pair(&mut self, pair: Pair) {
        self.of_box(pair.a);
        self.fields.id(id_of(self.names.ids[1], pair.b));
    }
}

/// Writes `a,b`.
pub(crate) fn write_pairs(out: &mut dyn Write, names: Names, pairs: &[Pair]) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    pairs.iter().try_for_each(|&pair| {
        rows.of_pair(pair);
        rows.fields.end()
    })
}

/// Returns the values of bodies with their positions, in this order.
fn ordered<'a, T>(order: Option<&'a [u32]>, list: &'a [T]) -> impl Iterator<Item = (u32, &'a T)> {
    (0..list.len()).map(move |place| {
        let position = order.map_or(place as u32, |order| order[place]);
        (position, &list[position as usize])
    })
}

/// Writes `id,degree`.
pub(crate) fn write_degrees(
    out: &mut dyn Write,
    names: Names,
    order: Option<&[u32]>,
    degrees: &[u32],
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    ordered(order, degrees).try_for_each(|(position, &degree)| {
        rows.of_box(position);
        rows.fields.whole(degree);
        rows.fields.end()
    })
}

/// Writes the numbers of an image, if there is one.
fn write_image(fields: &mut Fields<'_>, image: Option<&Image>) {
    for &number in image.into_iter().flatten() {
        fields.whole(number);
    }
}

/// Writes `a,b,distance,pax,pay,paz,pbx,pby,pbz`, and `ia,ib,ic` if there are images.
pub(crate) fn write_distances(
    out: &mut dyn Write,
    names: Names,
    (pairs, images): (&[Pair], Option<&[Image]>),
    closest: &[ClosestPoints],
    origin: DVec3,
) -> io::Result<()> {
    // A sum with 0 would turn -0 into 0.
    let world = |point: DVec3| if origin == DVec3::ZERO { point } else { point + origin };
    let mut rows = TableRows::new(out, names);
    pairs
        .iter()
        .zip(closest)
        .enumerate()
        .try_for_each(|(k, (&pair, closest))| {
            rows.of_pair(pair);
            rows.fields.decimal(closest.distance);
            rows.fields.decimals(world(closest.on_a).to_array());
            rows.fields.decimals(world(closest.on_b).to_array());
            write_image(&mut rows.fields, images.and_then(|images| images.get(k)));
            rows.fields.end()
        })
}

/// Writes `a,b,volume,iou`, and `ia,ib,ic` if there are images.
pub(crate) fn write_volumes(
    out: &mut dyn Write,
    names: Names,
    (pairs, images): (&[Pair], Option<&[Image]>),
    overlaps: &[Overlap],
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    let mut all = pairs.iter().zip(overlaps).enumerate();
    all.try_for_each(|(k, (&pair, overlap))| {
        rows.of_pair(pair);
        rows.fields.decimals([overlap.volume, overlap.iou]);
        write_image(&mut rows.fields, images.and_then(|images| images.get(k)));
        rows.fields.end()
    })
}

/// Writes `a,b,point,nx,ny,nz,depth,pax,pay,paz,pbx,pby,pbz,feature_a,feature_b`, and `ia,ib,ic` if
/// there are images, one row for each point.
pub(crate) fn write_contacts(
    out: &mut dyn Write,
    names: Names,
    pairs: &[Pair],
    contacts: &Contacts,
    images: Option<&[Image]>,
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    for (k, (&pair, penetration)) in pairs.iter().zip(contacts.penetrations()).enumerate() {
        let Some(penetration) = penetration else { continue };
        for (number, point) in contacts.points_of(k).iter().enumerate() {
            rows.of_pair(pair);
            let fields = &mut rows.fields;
            fields.whole(number);
            fields.decimals(penetration.normal.to_array());
            fields.decimal(point.depth);
            fields.decimals(point.on_a.to_array());
            fields.decimals(point.on_b.to_array());
            fields.text(&point.feature_a.to_string());
            fields.text(&point.feature_b.to_string());
            write_image(fields, images.and_then(|images| images.get(k)));
            fields.end()?;
        }
    }
    Ok(())
}

/// Writes `a,b,depth,touching,nx,ny,nz,x,y,z`, `ia,ib,ic` if requested, the columns of both boxes
/// in turn, `status` if requested, `kind`, `group` if requested, and `distance,rule` if there are
/// rules.
pub(crate) fn write_clashes(
    out: &mut dyn Write,
    names: Names,
    columns: &[[&Column; 2]],
    layout: &Layout,
    clashes: &[Clash],
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    clashes.iter().try_for_each(|clash| {
        rows.of_pair(clash.pair);
        let fields = &mut rows.fields;
        fields.decimal(clash.depth);
        match clash.touching {
            Some(touching) => fields.whole(u8::from(touching)),
            None => fields.nothing(),
        }
        fields.decimals(clash.normal.to_array());
        fields.decimals(clash.point.to_array());
        write_image(fields, layout.images.then_some(&clash.image));
        for [a, b] in columns {
            fields.text(a.values.get(clash.pair.a as usize));
            fields.text(b.values.get(clash.pair.b as usize));
        }
        match clash.is_new {
            _ if !layout.status => {}
            Some(true) => fields.text("new"),
            Some(false) => fields.text("kept"),
            None => fields.nothing(),
        }
        fields.text(clash.kind.name());
        match clash.group {
            _ if !layout.groups => {}
            Some(group) => fields.whole(group),
            None => fields.nothing(),
        }
        if let Some(rules) = &layout.rules {
            fields.decimal(clash.distance);
            match clash.rule.and_then(|rule| rules.get(rule as usize)) {
                Some(name) => fields.text(name),
                None => fields.nothing(),
            }
        }
        fields.end()
    })
}

/// Writes `a,b,kind,inner,distance,triangle_a,triangle_b`.
pub(crate) fn write_mesh_clashes(out: &mut dyn Write, clashes: &[MeshClash<'_>]) -> io::Result<()> {
    let mut fields = Fields::new(out);
    clashes.iter().try_for_each(|clash| {
        clash.names.iter().for_each(|name| fields.text(name));
        fields.text(clash.kind.name());
        fields.text(clash.inner);
        match clash.distance {
            Some(distance) => fields.decimal(distance),
            None => fields.nothing(),
        }
        match clash.triangles {
            Some(triangles) => triangles.into_iter().for_each(|triangle| fields.whole(triangle)),
            None => [(), ()].into_iter().for_each(|()| fields.nothing()),
        }
        fields.end()
    })
}

/// Writes `id,state,walls`.
pub(crate) fn write_enclosures(
    out: &mut dyn Write,
    names: Names,
    order: Option<&[u32]>,
    found: &[Enclosure],
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    ordered(order, found).try_for_each(|(position, found)| {
        rows.of_box(position);
        rows.fields.text(found.state.name());
        rows.fields.whole(found.walls);
        rows.fields.end()
    })
}

/// Writes `a,b,time,state,nx,ny,nz,px,py,pz`, and `ia,ib,ic` if there are images.
pub(crate) fn write_impacts(
    out: &mut dyn Write,
    names: Names,
    impacts: &[Impact],
    images: Option<&[Image]>,
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    impacts.iter().enumerate().try_for_each(|(k, Impact { pair, first })| {
        rows.of_pair(*pair);
        rows.fields.decimal(first.time);
        rows.fields.text(first.state.name());
        rows.fields.decimals(first.normal.to_array());
        rows.fields.decimals(first.point.to_array());
        write_image(&mut rows.fields, images.and_then(|images| images.get(k)));
        rows.fields.end()
    })
}

/// Writes `a,b,time,distance`, and `ia,ib,ic` if there are images.
pub(crate) fn write_approaches(
    out: &mut dyn Write,
    names: Names,
    approaches: &[Approaching],
    images: Option<&[Image]>,
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    let mut each = approaches.iter().enumerate();
    each.try_for_each(|(k, Approaching { pair, nearest })| {
        rows.of_pair(*pair);
        rows.fields.decimal(nearest.time);
        rows.fields.decimal(nearest.distance);
        write_image(&mut rows.fields, images.and_then(|images| images.get(k)));
        rows.fields.end()
    })
}

/// Writes `frame,event,a,b`.
pub(crate) fn write_events(out: &mut dyn Write, frame: i64, ids: &FrameIds, events: &[Event]) -> io::Result<()> {
    let mut fields = Fields::new(out);
    events.iter().try_for_each(|Event { pair, kind }| {
        fields.whole(frame);
        fields.text(kind.name());
        fields.id(ids.id(pair.a));
        fields.id(ids.id(pair.b));
        fields.end()
    })
}

/// Writes `frame,a,b,feature_a,feature_b,age,previous`, one row for each point.
pub(crate) fn write_tracked_contacts(
    out: &mut dyn Write,
    frame: i64,
    ids: &FrameIds,
    found: &TrackedContacts<'_>,
) -> io::Result<()> {
    let mut fields = Fields::new(out);
    for (k, pair) in found.pairs.iter().enumerate() {
        let first = found.contacts.offsets()[k];
        for (row, point) in (first..).zip(found.contacts.points_of(k)) {
            fields.whole(frame);
            fields.id(ids.id(pair.a));
            fields.id(ids.id(pair.b));
            fields.text(&point.feature_a.to_string());
            fields.text(&point.feature_b.to_string());
            fields.whole(found.ages[row]);
            match found.previous[row] {
                NEW => fields.nothing(),
                previous => fields.whole(previous),
            }
            fields.end()?;
        }
    }
    Ok(())
}

/// Writes `point,state`.
pub(crate) fn write_point_states(out: &mut dyn Write, states: &[PointState]) -> io::Result<()> {
    let mut fields = Fields::new(out);
    states.iter().enumerate().try_for_each(|(point, state)| {
        fields.whole(point);
        fields.text(match state {
            PointState::Inside => "inside",
            PointState::Outside => "outside",
            PointState::Surface => "surface",
        });
        fields.end()
    })
}

/// Writes `id,rank,neighbour,distance`, in the order of the ids.
pub(crate) fn write_neighbours(
    out: &mut dyn Write,
    names: Names,
    order: &IdOrder<'_>,
    found: &Neighbours,
) -> io::Result<()> {
    let mut rows = TableRows::new(out, names);
    (0..found.len() as u32).try_for_each(|rank| {
        let position = order.position(rank);
        let near = found.row(position as usize).iter();
        let near = near.zip(found.distances_of(position as usize)).enumerate();
        near.into_iter().try_for_each(|(rank, (&neighbour, &distance))| {
            rows.of_box(position);
            rows.fields.whole(rank);
            rows.fields.id(id_of(rows.names.ids[1], neighbour));
            rows.fields.decimal(distance);
            rows.fields.end()
        })
    })
}

/// Writes a header row.
pub(crate) fn write_header<'n>(out: &mut dyn Write, names: impl IntoIterator<Item = &'n str>) -> io::Result<()> {
    let mut fields = Fields::new(out);
    names.into_iter().for_each(|name| fields.text(name));
    fields.end()
}
