//! Construction of the columns of a mesh.
//!
//! A grid has about as many cells as triangles. It has fewer if large triangles, each over several
//! cells, would otherwise make more than [`GROWTH`] members per triangle. A run with more than
//! [`FEW`] triangles is divided in its turn if that is worth it. With n triangles, lists have at
//! most [`MOST`] n members, because a run that would exceed that is not divided: so the worst mesh
//! costs time, but never memory.

use std::collections::VecDeque;

use crate::base::error::Result;
use crate::base::memory;
use crate::geometry::aabb::Aabb;
use crate::regions::closed_mesh::columns::{Columns, DIVIDED, Grid, Run};
use crate::regions::closed_mesh::crossing::crossing;
use crate::shapes::triangle::record::Triangle;

const WHAT: &str = "the columns of a mesh";

/// The number of triangles up to which a run is not divided.
const FEW: usize = 16;
/// The maximum number of members of all runs of a grid, per triangle.
const GROWTH: u64 = 6;
/// The maximum number of members of all grids together, per triangle of the mesh.
const MOST: u64 = 24;
/// The maximum number of cells along each axis of a grid.
const WIDEST: u32 = 1 << 13;
/// The fraction of a sum of products that covers its rounding in `f64`, and that of its terms,
/// about 2^-48.
const ROUNDING: f64 = 1e-12;
/// A triangle counts as seen edge on if its area, the sum of two products, is less than this part
/// of their magnitudes: it may then be anywhere within its bounds.
const EDGE_ON: f64 = 1e-2;

/// The points of a cell in y and z, ends included.
#[derive(Clone, Copy, Debug)]
struct Rect {
    low: [f32; 2],
    high: [f32; 2],
}

/// A run that may be divided.
struct Task {
    /// The run; `None` for the whole mesh.
    run: Option<usize>,
    rect: Rect,
    members: Vec<u32>,
    /// The winding number of the mesh above the run.
    above: i32,
}

/// The part of a column that a triangle covers.
#[derive(Clone, Copy)]
struct Span {
    low: f32,
    high: f32,
    triangle: u32,
}

/// Builds the columns of triangles within these bounds. The mesh is closed, and so has fewer than
/// 2^32 / 3 triangles.
pub(super) fn columns_of(triangles: &[Triangle], bounds: &Aabb) -> Result<Columns> {
    if triangles.is_empty() {
        return Ok(Columns::default());
    }
    let [low, high] = [bounds.min, bounds.max].map(|corner| [corner.y, corner.z]);
    let mut building = Building {
        triangles,
        columns: Columns::default(),
        tasks: VecDeque::new(),
        left: (MOST * triangles.len() as u64).min(u64::from(u32::MAX)),
    };
    building.tasks.push_back(Task {
        run: None,
        rect: Rect { low, high },
        members: memory::collect(0..triangles.len() as u32, WHAT)?,
        above: 0,
    });
    // Breadth first: if members run out, everything is divided to about the same depth.
    while let Some(task) = building.tasks.pop_front() {
        building.divide(task)?;
    }
    Ok(building.columns)
}

struct Building<'a> {
    triangles: &'a [Triangle],
    columns: Columns,
    tasks: VecDeque<Task>,
    /// The number of members that may still be added.
    left: u64,
}

impl Building<'_> {
    /// Gives a run a grid, or stores its members if a grid is not worth it.
    fn divide(&mut self, task: Task) -> Result<()> {
        let grid = self.grid_for(&task);
        let cells = grid.counts[0] as usize * grid.counts[1] as usize;
        let lines = [lines(&grid, 0, &task.rect)?, lines(&grid, 1, &task.rect)?];
        let rect = |[y, z]: [u32; 2]| {
            let (y, z) = (y as usize, z as usize);
            Rect {
                low: [lines[0][y], lines[1][z]],
                high: [lines[0][y + 1].next_down(), lines[1][z + 1].next_down()],
            }
        };
        let mut over = Vec::new();
        if task.run.is_none() || cells > 1 {
            for &member in &task.members {
                let triangle = &self.triangles[member as usize];
                let [y, z] = places(&grid, &triangle.bounds());
                for place in (z[0]..=z[1]).flat_map(|z| (y[0]..=y[1]).map(move |y| [y, z])) {
                    if covers(triangle, &rect(place)) {
                        memory::push(&mut over, [grid.cell(place) as u32, member], WHAT)?;
                    }
                }
            }
        }
        if let Some(run) = task.run
            && !(pays(over.len(), cells, task.members.len()) && over.len() as u64 <= self.left)
        {
            return self.keep(run, &task.members);
        }
        self.left = self.left.saturating_sub(over.len() as u64);
        drop(task.members);

        let first = self.columns.cells.len();
        let grid_index = self.columns.grids.len() as u32;
        memory::push(
            &mut self.columns.grids,
            Grid {
                first: first as u32,
                ..grid
            },
            WHAT,
        )?;
        memory::resize(&mut self.columns.cells, first + cells, [0; 2], WHAT)?;
        if let Some(run) = task.run {
            let run = &mut self.columns.runs[run];
            (run.first, run.count) = (grid_index, DIVIDED);
        }
        let (starts, members) = by_cells(&over, cells)?;
        drop(over);
        let mut spans = Vec::new();
        for cell in (0..cells).filter(|&cell| starts[cell] < starts[cell + 1]) {
            let rect = rect([cell as u32 % grid.counts[0], cell as u32 / grid.counts[0]]);
            let members = &members[starts[cell] as usize..starts[cell + 1] as usize];
            spans.clear();
            memory::reserve(&mut spans, members.len(), WHAT)?;
            spans.extend(members.iter().filter_map(|&member| self.span(member, &rect)));
            self.columns.cells[first + cell] = self.runs_of(&mut spans, &rect, task.above)?;
        }
        Ok(())
    }

    /// Returns the grid for the triangles of a task, with its first cell at 0.
    fn grid_for(&self, task: &Task) -> Grid {
        let rect = &task.rect;
        let bounds = || {
            task.members
                .iter()
                .map(|&member| self.triangles[member as usize].bounds())
        };
        let (mut low, mut high) = (rect.high, rect.low);
        for bounds in bounds() {
            let [least, most] = [bounds.min, bounds.max].map(|corner| [corner.y, corner.z]);
            for axis in 0..2 {
                low[axis] = low[axis].min(least[axis].max(rect.low[axis]));
                high[axis] = high[axis].max(most[axis].min(rect.high[axis]));
            }
        }
        let sizes = [0, 1].map(|axis| f64::from(high[axis]) - f64::from(low[axis]));
        let mut grid = Grid {
            low,
            scale: [0.0; 2],
            counts: counts(sizes, task.members.len()),
            first: 0,
            above: task.above,
        };
        let most = (GROWTH * task.members.len() as u64).min(self.left);
        loop {
            grid.scale = [0, 1].map(|axis| match grid.counts[axis] {
                1 => 0.0,
                count => (f64::from(count) / sizes[axis]) as f32,
            });
            let covered = |bounds: Aabb| {
                let [y, z] = places(&grid, &bounds).map(|[first, last]| u64::from(last - first) + 1);
                y * z
            };
            if grid.counts == [1; 2] || bounds().map(covered).sum::<u64>() <= most {
                return grid;
            }
            grid.counts = grid.counts.map(|count| count.div_ceil(2));
        }
    }

    /// Adds the runs of a cell, given the spans that cover it and the winding number above it.
    /// Returns where the runs begin and end.
    fn runs_of(&mut self, spans: &mut [Span], rect: &Rect, mut turns: i32) -> Result<[u32; 2]> {
        spans.sort_unstable_by(|a, b| a.low.total_cmp(&b.low));
        let first = self.columns.runs.len();
        for (k, span) in (0..).zip(&*spans) {
            match self.columns.runs[first..].last_mut() {
                Some(run) if span.low <= run.high => {
                    run.high = run.high.max(span.high);
                    run.count += 1;
                }
                _ => {
                    let run = Run {
                        low: span.low,
                        high: span.high,
                        first: k,
                        count: 1,
                        below: 0,
                        above: 0,
                    };
                    memory::push(&mut self.columns.runs, run, WHAT)?;
                }
            }
        }
        for index in (first..self.columns.runs.len()).rev() {
            let run = &mut self.columns.runs[index];
            let spans = &spans[run.first as usize..][..run.count as usize];
            let crossings = spans
                .iter()
                .map(|span| crossing(&self.triangles[span.triangle as usize], rect.low));
            run.above = turns;
            turns += crossings.sum::<i32>();
            run.below = turns;
            let task = Task {
                run: Some(index),
                rect: *rect,
                above: run.above,
                members: memory::collect(spans.iter().map(|span| span.triangle), WHAT)?,
            };
            match spans.len() <= FEW {
                true => self.keep(index, &task.members)?,
                false => self.tasks.push_back(task),
            }
        }
        Ok([first as u32, self.columns.runs.len() as u32])
    }

    /// Stores a run without dividing it.
    fn keep(&mut self, run: usize, members: &[u32]) -> Result<()> {
        let run = &mut self.columns.runs[run];
        (run.first, run.count) = (self.columns.members.len() as u32, members.len() as u32);
        Ok(memory::extend(&mut self.columns.members, members, WHAT)?)
    }

    /// Returns a bound of the part of the column over `rect` that a triangle covers: the extent of
    /// its plane, within its bounds. `None` if it is outside the column.
    fn span(&self, triangle: u32, rect: &Rect) -> Option<Span> {
        let corners = self.triangles[triangle as usize].corners;
        let bounds = self.triangles[triangle as usize].bounds();
        let [a, b, c] = corners.map(|corner| corner.as_dvec3());
        let (u, v) = (b - a, c - a);
        let (area, sum) = (u.y * v.z - u.z * v.y, (u.y * v.z).abs() + (u.z * v.y).abs());
        let whole = Span {
            low: bounds.min.x,
            high: bounds.max.x,
            triangle,
        };
        if area.abs() <= EDGE_ON * sum || area == 0.0 {
            return Some(whole);
        }
        // The slopes of x along y and along z.
        let slopes = [(u.x * v.z - u.z * v.x) / area, (u.y * v.x - u.x * v.y) / area];
        let largest = [
            ((u.x * v.z).abs() + (u.z * v.x).abs()) / area.abs(),
            ((u.y * v.x).abs() + (u.x * v.y).abs()) / area.abs(),
        ];
        let (mut low, mut high, mut error) = (a.x, a.x, ROUNDING * a.x.abs());
        for (axis, from) in [a.y, a.z].into_iter().enumerate() {
            let ends = [rect.low[axis], rect.high[axis]].map(|end| f64::from(end) - from);
            let [first, last] = ends.map(|end| slopes[axis] * end);
            (low, high) = (low + first.min(last), high + first.max(last));
            error += ROUNDING / EDGE_ON * largest[axis] * ends[0].abs().max(ends[1].abs());
        }
        let low = ((low - error) as f32).next_down().max(whole.low);
        let high = ((high + error) as f32).next_up().min(whole.high);
        (low <= high).then_some(Span { low, high, triangle })
    }
}

/// Returns `true` if a grid with this many cells, and `over` members in all cells, is better than a
/// list of all triangles.
fn pays(over: usize, cells: usize, triangles: usize) -> bool {
    cells > 1 && over as u64 * 2 <= cells as u64 * triangles as u64
}

/// Returns the number of cells along both axes of a grid over an area of these sizes, for this many
/// triangles.
fn counts(sizes: [f64; 2], triangles: usize) -> [u32; 2] {
    let wanted = (triangles as f64).max(1.0);
    let limited = |count: f64| (count.ceil() as u32).clamp(1, WIDEST);
    match sizes.map(|size| size > 0.0) {
        [true, true] => {
            let first = limited((wanted * sizes[0] / sizes[1]).sqrt().min(wanted));
            [first, limited(wanted / f64::from(first))]
        }
        [has_y, has_z] => [has_y, has_z].map(|has| if has { limited(wanted) } else { 1 }),
    }
}

/// Returns the first and the last place of anything within bounds, along both axes.
fn places(grid: &Grid, bounds: &Aabb) -> [[u32; 2]; 2] {
    [
        [bounds.min.y, bounds.max.y].map(|y| grid.place(0, y)),
        [bounds.min.z, bounds.max.z].map(|z| grid.place(1, z)),
    ]
}

/// Returns the smallest number of each cell of a grid along one axis, within `rect`, and the number
/// that follows the last cell.
fn lines(grid: &Grid, axis: usize, rect: &Rect) -> Result<Vec<f32>> {
    let end = rect.high[axis].next_up();
    let least = |place: u32| match place {
        0 => rect.low[axis],
        _ if place == grid.counts[axis] => end,
        // By bisection over the numbers in between.
        _ => {
            let [mut below, mut above] = [rect.low[axis], end].map(rank);
            while below < above {
                let middle = below + (above - below) / 2;
                match grid.place(axis, number(middle)) < place {
                    true => below = middle + 1,
                    false => above = middle,
                }
            }
            number(below)
        }
    };
    Ok(memory::collect(
        (0..grid.counts[axis] as usize + 1).map(|place| least(place as u32)),
        WHAT,
    )?)
}

/// Returns the rank of a number among all numbers.
fn rank(number: f32) -> i64 {
    let bits = i64::from(number.to_bits() & !(1 << 31));
    if number.is_sign_negative() { -bits } else { bits }
}

/// Returns the number of a rank.
fn number(rank: i64) -> f32 {
    let size = f32::from_bits(rank.unsigned_abs() as u32);
    if rank < 0 { -size } else { size }
}

/// Returns `true` if a triangle may share a point with a cell, as seen along x; also if rounding
/// leaves it undecided.
fn covers(triangle: &Triangle, rect: &Rect) -> bool {
    let bounds = triangle.bounds();
    let [low, high] = [bounds.min, bounds.max].map(|corner| [corner.y, corner.z]);
    let is_beside =
        |axis: usize| high[axis] < rect.low[axis] || rect.high[axis] < low[axis] || rect.high[axis] < rect.low[axis];
    if is_beside(0) || is_beside(1) {
        return false;
    }
    let [lowest, highest] = [rect.low, rect.high].map(|end| end.map(f64::from));
    let [a, b, c] = triangle.corners.map(|corner| [corner.y, corner.z].map(f64::from));
    // The cell is beyond an edge if its nearest corner is on the side of the edge opposite to the
    // third corner of the triangle.
    ![[a, b, c], [b, c, a], [c, a, b]].into_iter().any(|[from, to, third]| {
        let along = [to[0] - from[0], to[1] - from[1]];
        let turn = |point: [f64; 2]| along[0] * (point[1] - from[1]) - along[1] * (point[0] - from[0]);
        let reach =
            |point: [f64; 2]| along[0].abs() * (point[1] - from[1]).abs() + along[1].abs() * (point[0] - from[0]).abs();
        let side = turn(third);
        if side.abs() <= ROUNDING * reach(third) {
            return false;
        }
        let nearest = [
            if (along[1] < 0.0) == (side > 0.0) {
                highest[0]
            } else {
                lowest[0]
            },
            if (along[0] > 0.0) == (side > 0.0) {
                highest[1]
            } else {
                lowest[1]
            },
        ];
        turn(nearest) * side.signum() < -ROUNDING * reach(nearest)
    })
}

/// Sorts members by cell. Returns where those of each cell begin, and all of them.
fn by_cells(over: &[[u32; 2]], cells: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut starts = memory::filled(cells + 2, 0u32, WHAT)?;
    for &[cell, _] in over {
        starts[cell as usize + 2] += 1;
    }
    for cell in 2..starts.len() {
        starts[cell] += starts[cell - 1];
    }
    let mut members = memory::filled(over.len(), 0, WHAT)?;
    for &[cell, member] in over {
        let place = &mut starts[cell as usize + 1];
        members[*place as usize] = member;
        *place += 1;
    }
    Ok((starts, members))
}
