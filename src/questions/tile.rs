//! Checks of one tile of a scene.

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::engine::query::Query;
use crate::engine::query::sets::Set;
use crate::geometry::pair::Pair;
use crate::outputs::report::Report;
use crate::questions::question::Question;
use crate::tiles::tile::{Tile, widened};

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs of other tiles";

/// The pairs that a [`Tile`] owns. `boxes` must hold all boxes of the scene that meet the
/// tile, and may hold others.
///
/// Over tiles that cover space, these are the pairs of the scene, each once. Use this if a
/// check of the whole scene does not fit one machine, or is to be divided among many. With a
/// [margin](crate::Config::margin), the tile needs the boxes whose bounds meet it when widened
/// by half the margin; [`Tiling::assign`](crate::tiles::Tiling::assign) provides them.
///
/// The report is that of [`Checker::check`](crate::Checker::check) without the pairs of other
/// tiles, which are in none of its lists and in neither
/// [`colliding_pairs`](Report::colliding_pairs), [`touching_pairs`](Report::touching_pairs) nor
/// [`near_pairs`](Report::near_pairs). Its other numbers describe the work: a pair on the border
/// counts in each of its tiles.
///
/// ```
/// use obbligato::query::TileQuery;
/// use obbligato_verify::scenes::Scene;
/// use obbligato::tiles::Tiling;
/// use obbligato::{Backend, Checker, Config, Obb};
/// # fn main() -> obbligato::Result<()> {
/// let scene = Scene::Dense.generate(1000, 1);
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let tiling = Tiling::of_sample(&scene, 4)?;
/// let mut pairs = 0;
/// for tile in tiling.tiles() {
///     let boxes: Vec<Obb> = scene.iter().copied().filter(|obb| tile.meets(&obb.bounds())).collect();
///     pairs += checker.check(TileQuery::new(&tile, &boxes))?.colliding_pairs;
/// }
/// assert_eq!(pairs, checker.check(&scene)?.colliding_pairs);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Checker::check`](crate::Checker::check); also [`Error::Unavailable`] unless
/// [`Config::output`](crate::Config::output) is [`Output::Pairs`](crate::Output::Pairs),
/// without [`Config::max_pairs`](crate::Config::max_pairs), and for other shapes than boxes.
#[derive(Clone, Copy, Debug)]
pub struct TileQuery<'a> {
    tile: &'a Tile,
    set: Set<'a>,
}

impl<'a> TileQuery<'a> {
    /// The pairs among these boxes that a tile owns.
    pub fn new(tile: &'a Tile, boxes: impl Into<Set<'a>>) -> Self {
        Self {
            tile,
            set: boxes.into(),
        }
    }
}

impl<'a> Question<'a> for TileQuery<'a> {
    type Answer = Report;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Report> {
        let Self { tile, set } = self;
        backends.expect_all_pairs(["the pairs of a tile without pairs", "a fixed number of a tile's pairs"])?;
        let boxes = set.shapes.bodies().and_then(|bodies| bodies.only_boxes());
        let boxes = boxes.ok_or(Error::Unavailable {
            what: "the pairs of a tile of shapes other than boxes",
            hint: "pass a list of `Obb`",
        })?;
        let margin = backends.config.margin;
        let mut report = backends.answer(&set.into(), Report::default(), waiting).await?;
        let bounds = |position: u32| widened(boxes[position as usize].bounds(), margin);
        let is_inside = |position: u32| tile.certainly_has_low_corner(&boxes[position as usize], margin);
        let owned = |pair: &Pair| is_inside(pair.a) && is_inside(pair.b) || tile.owns(&bounds(pair.a), &bounds(pair.b));
        let mut foreign = Vec::new();
        for pair in report.pairs.iter().filter(|pair| !owned(pair)) {
            memory::push(&mut foreign, *pair, WHAT)?;
        }
        if foreign.is_empty() {
            return Ok(report);
        }
        // The lists do not contain the class of the foreign pairs, so the narrow phase tests them
        // again.
        let others = backends
            .answer(&Query::pairs(boxes, &foreign), Report::default(), waiting)
            .await?;
        report.colliding_pairs -= foreign.len() as u64;
        let without = |all: Option<u64>, others: Option<u64>| Some(all? - others?);
        report.touching_pairs = without(report.touching_pairs, others.touching_pairs);
        report.near_pairs = without(report.near_pairs, others.near_pairs);
        let mut next = foreign.iter().peekable();
        report.pairs.retain(|pair| next.next_if_eq(&pair).is_none());
        report.touching.retain(owned);
        Ok(report)
    }
}
