//! The hierarchical grid in a plane: two levels, and the cells that a box visits.

use obbligato::glam::DVec2;
use obbligato_render::Mark;

use super::expect_figure;
use super::svg::{CAPTION, LABEL, LINE, Svg, TINT, Words, area, colour};

/// The side of the world in units of its cells, and of its picture in pixels.
const WORLD: i32 = 12;
const PIXELS: f64 = 300.0;

/// Bounds: the low corner and the extent.
type Bounds = (DVec2, DVec2);

/// Bounds of the fine level, whose cells have side 1, and of the coarse one, whose cells have side
/// 4.
const SMALL: [Bounds; 9] = [
    (DVec2::new(5.3, 5.4), DVec2::new(0.8, 0.7)),
    (DVec2::new(5.8, 5.9), DVec2::new(0.9, 0.6)),
    (DVec2::new(4.5, 6.2), DVec2::new(0.7, 0.9)),
    (DVec2::new(4.3, 4.9), DVec2::new(0.9, 0.6)),
    (DVec2::new(1.2, 9.4), DVec2::new(0.8, 0.8)),
    (DVec2::new(9.6, 2.3), DVec2::new(0.6, 0.9)),
    (DVec2::new(10.2, 8.7), DVec2::new(0.9, 0.5)),
    (DVec2::new(1.7, 2.6), DVec2::new(0.7, 0.7)),
    (DVec2::new(7.4, 10.2), DVec2::new(0.8, 0.6)),
];
const LARGE: [Bounds; 3] = [
    (DVec2::new(2.6, 2.4), DVec2::new(3.2, 3.4)),
    (DVec2::new(6.9, 6.2), DVec2::new(3.6, 2.6)),
    (DVec2::new(8.6, 0.7), DVec2::new(2.6, 3.8)),
];

/// The box that searches.
const WALKER: Bounds = SMALL[0];

/// The cells of a level in which a box searches for partners, as in one slice of the walk in
/// `src/broad_phase/grid/grid_pairs_cpu.rs`.
fn looked_at((low, extent): Bounds, cell: f64, own: bool) -> Vec<[i32; 2]> {
    let index = |place: DVec2| (place / cell).floor().as_ivec2().to_array();
    let first = index(low - cell).map(|k| k.max(0));
    let last = index(low + extent);
    let home = index(low);
    let mut cells = Vec::new();
    for y in if own { home[1] } else { first[1] }..=last[1] {
        for x in if own && y == home[1] { home[0] } else { first[0] }..=last[0] {
            cells.push([x, y]);
        }
    }
    cells
}

/// Draws a level from its left border on: its cells, its boxes, and the cells that the walker
/// visits.
fn level(svg: &mut Svg, left: f64, cell: i32, boxes: &[Bounds], own: bool) {
    let at = |point: DVec2| DVec2::new(left, 352.0) + PIXELS / f64::from(WORLD) * DVec2::new(point.x, -point.y);
    let outline = |low: DVec2, extent: DVec2| {
        let sides = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        sides.map(|side| at(low + side * extent))
    };
    let side = f64::from(cell);
    let cells = looked_at(WALKER, side, own);
    svg.path(
        &outline(DVec2::ZERO, DVec2::splat(f64::from(WORLD))),
        true,
        &area("#ffffff", LINE),
    );
    for &[x, y] in &cells {
        let low = side * DVec2::new(x.into(), y.into());
        svg.path(&outline(low, DVec2::splat(side)), true, &area("#fdf0d5", "#d9c08a"));
    }
    for k in (cell..WORLD).step_by(cell as usize) {
        let [k, end] = [k, WORLD].map(f64::from);
        for [from, to] in [
            [DVec2::new(k, 0.0), DVec2::new(k, end)],
            [DVec2::new(0.0, k), DVec2::new(end, k)],
        ] {
            svg.line(at(from), at(to), r##"stroke="#d3dbe3""##);
        }
    }
    let mut partners = 0;
    for &(low, extent) in boxes.iter().filter(|&&bounds| bounds != WALKER) {
        let home = [low.x, low.y].map(|place| (place / side).floor() as i32);
        let meets = low.cmple(WALKER.0 + WALKER.1).all() && WALKER.0.cmple(low + extent).all();
        let is_sought = cells.contains(&home);
        // In its own level a pair is found by the earlier box; in a coarser one the small box finds
        // all.
        partners += usize::from(meets && is_sought);
        assert!(own || !meets || is_sought, "a partner is missed");
        let line = if meets && is_sought {
            colour(Mark::Overlapping)
        } else {
            LINE.to_owned()
        };
        svg.path(
            &outline(low, extent),
            true,
            &format!(r#"{} fill-opacity="0.7""#, area(TINT, &line)),
        );
        svg.dot(at(low), 3.0, &line);
    }
    assert!(partners > 0);
    let (low, extent) = WALKER;
    let orange = colour(Mark::Overlapping);
    svg.path(&outline(low, extent), true, &area("#f6c9a5", &orange));
    if own {
        svg.dot(at(low), 3.0, &orange);
    }
    svg.text(at(low + 0.5 * extent), "A", LABEL);
}

#[test]
fn figure_of_the_grid() {
    let mut svg = Svg::new(
        [720, 440],
        "Two levels of the grid, and the cells in which a box seeks its partners",
    );
    let head = |svg: &mut Svg, left: f64, title: &str| {
        svg.text(
            DVec2::new(left + 0.5 * PIXELS, 24.0),
            title,
            Words { size: 15, ..LABEL },
        );
    };
    let foot = |svg: &mut Svg, left: f64, lines: [&str; 3]| {
        for (k, line) in lines.into_iter().enumerate() {
            svg.text(DVec2::new(left + 0.5 * PIXELS, 374.0 + 17.0 * k as f64), line, CAPTION);
        }
    };
    let [fine, coarse] = [36.0, 384.0];
    head(&mut svg, fine, "The level of small boxes");
    level(&mut svg, fine, 1, &SMALL, true);
    foot(
        &mut svg,
        fine,
        [
            "A looks at its own cell and those after it: of two boxes",
            "of one level, the earlier finds the pair. Each box is stored",
            "once, in the cell of its low corner (the dot).",
        ],
    );
    head(&mut svg, coarse, "The level of large boxes");
    level(&mut svg, coarse, 4, &LARGE, false);
    foot(
        &mut svg,
        coarse,
        [
            "Here A looks at all cells that may hold a partner: from one",
            "cell below its low corner to its high corner. Large boxes",
            "never look at finer levels, so a pair is found once.",
        ],
    );
    expect_figure("grid.svg", &svg.finish());
}

/// Every pair of boxes that meet is found once, by either of the two.
#[test]
fn the_figures_walk_finds_each_pair_once() {
    let all = SMALL
        .iter()
        .map(|bounds| (*bounds, 1.0))
        .chain(LARGE.iter().map(|bounds| (*bounds, 4.0)));
    let all: Vec<(Bounds, f64)> = all.collect();
    let home = |(low, _): Bounds, cell: f64| [low.x, low.y].map(|place| (place / cell).floor() as i32);
    let meets = |a: Bounds, b: Bounds| a.0.cmple(b.0 + b.1).all() && b.0.cmple(a.0 + a.1).all();
    let mut found = Vec::new();
    for (i, &(a, own_cell)) in all.iter().enumerate() {
        for (j, &(b, cell)) in all.iter().enumerate().filter(|&(j, _)| j != i) {
            let own = cell == own_cell;
            if cell < own_cell || !looked_at(a, cell, own).contains(&home(b, cell)) || !meets(a, b) {
                continue;
            }
            // In its own cell a box meets those after it.
            if !own || home(a, cell) != home(b, cell) || i < j {
                found.push((i.min(j), i.max(j)));
            }
        }
    }
    found.sort_unstable();
    let pairs = (0..all.len()).flat_map(|i| (i + 1..all.len()).map(move |j| (i, j)));
    let expected: Vec<(usize, usize)> = pairs.filter(|&(i, j)| meets(all[i].0, all[j].0)).collect();
    assert_eq!(found, expected);
}
