//! Construction of a BSP tree: divides one part of space after the other, breadth first.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::atomic::AtomicU8;

use glam::Vec3;

use crate::base::error::Result;
use crate::base::memory;
use crate::geometry::aabb::Aabb;
use crate::geometry::orientation::are_collinear;
use crate::regions::bsp::boxes::BoxFrame;
use crate::regions::bsp::tree::{Child, DEEPEST, Leaf, Node, Split, Tree, UNKNOWN};
use crate::shapes::triangle::record::Triangle;

const WHAT: &str = "a BSP tree";

/// The number of triangles whose planes are candidates.
const CANDIDATES: usize = 5;
/// The number of triangles by which candidates are weighed.
const SAMPLES: usize = 256;
/// The number of additional copies of triangles that may be stored, per triangle.
const COPIES: u64 = 8;

/// A part of space to be divided.
struct Task {
    /// The triangles that may be in it.
    members: Vec<u32>,
    /// Bounds that contain the part.
    bounds: Aabb,
    depth: usize,
    /// The node above it, and `true` if the part is in front of that node's plane.
    above: Option<(u32, bool)>,
}

/// The triangles of a part in front of a plane, behind it, and in it.
#[derive(Default)]
struct Divided {
    front: Vec<u32>,
    behind: Vec<u32>,
    on: Vec<u32>,
}

pub(super) struct Building<'a> {
    tree: &'a mut Tree,
    tasks: VecDeque<Task>,
    /// The number of additional copies of triangles that may still be stored.
    copies: u64,
}

impl<'a> Building<'a> {
    /// Begins a tree that has only its triangles.
    pub fn new(tree: &'a mut Tree) -> Result<Self> {
        let all = Task {
            members: memory::collect(0..tree.triangles.len() as u32, WHAT)?,
            bounds: tree.bounds,
            depth: 0,
            above: None,
        };
        Ok(Self {
            copies: COPIES * tree.triangles.len() as u64,
            tasks: VecDeque::from([all]),
            tree,
        })
    }

    pub fn finish(mut self) -> Result<()> {
        while let Some(task) = self.tasks.pop_front() {
            let made = self.divide(&task)?;
            match task.above {
                None => self.tree.root = made,
                Some((node, true)) => self.tree.nodes[node as usize].front = made,
                Some((node, false)) => self.tree.nodes[node as usize].behind = made,
            }
        }
        Ok(())
    }

    fn divide(&mut self, task: &Task) -> Result<Child> {
        if task.members.is_empty() || task.depth == DEEPEST {
            return self.leaf(&task.members);
        }
        let split = self.best_split(&task.members);
        let bounds = parts(&task.bounds, &split);
        let Divided { front, behind, on } = self.divided(&task.members, &split, &bounds)?;
        let fuller = front.len().max(behind.len());
        let copies = (front.len() + behind.len() + on.len()).saturating_sub(task.members.len()) as u64;
        if fuller >= task.members.len() || copies > self.copies {
            return self.leaf(&task.members);
        }
        self.copies -= copies;
        let node = self.tree.nodes.len() as u32;
        let made = Node {
            split,
            front: Child::Leaf(0),
            behind: Child::Leaf(0),
            members: self.keep(&on)?,
        };
        memory::push(&mut self.tree.nodes, made, WHAT)?;
        for (members, bounds, is_front) in [(front, bounds[0], true), (behind, bounds[1], false)] {
            self.tasks.push_back(Task {
                members,
                bounds,
                depth: task.depth + 1,
                above: Some((node, is_front)),
            });
        }
        Ok(Child::Node(node))
    }

    fn leaf(&mut self, members: &[u32]) -> Result<Child> {
        let leaf = Leaf {
            members: self.keep(members)?,
            state: AtomicU8::new(UNKNOWN),
        };
        memory::push(&mut self.tree.leaves, leaf, WHAT)?;
        Ok(Child::Leaf(self.tree.leaves.len() as u32 - 1))
    }

    fn keep(&mut self, members: &[u32]) -> Result<[u32; 2]> {
        let first = self.tree.members.len() as u32;
        memory::extend(&mut self.tree.members, members, WHAT)?;
        Ok([first, members.len() as u32])
    }

    /// Returns the best candidate for some triangles, of which there must be at least one.
    fn best_split(&self, members: &[u32]) -> Split {
        let triangle = |&member: &u32| &self.tree.triangles[member as usize];
        let spread = |count: usize| members.iter().step_by(members.len().div_ceil(count)).map(triangle);
        let across = (0..3).map(|axis| {
            let mut lows = [0.0; SAMPLES];
            let lows = &mut lows[..spread(SAMPLES).count()];
            lows.iter_mut()
                .zip(spread(SAMPLES))
                .for_each(|(low, triangle)| *low = triangle.bounds().min[axis]);
            let middle = lows.len() / 2;
            Split::Axis(axis, *lows.select_nth_unstable_by(middle, f32::total_cmp).1)
        });
        let weighed = |split: &Split| {
            let [mut front, mut behind, mut both] = [0; 3];
            for triangle in spread(SAMPLES) {
                let [is_front, is_behind] = sides(split, triangle);
                front += u32::from(is_front);
                behind += u32::from(is_behind);
                both += u32::from(is_front && is_behind);
            }
            Reverse((front.max(behind), both))
        };
        let planes = spread(CANDIDATES).map(|triangle| Split::Plane(plane_of(triangle)));
        let candidates = planes.chain(across).map(|split| (weighed(&split), split));
        // Among equals the last wins: the plane perpendicular to an axis, which is cheaper to test.
        let best = candidates.max_by_key(|&(weight, _)| weight);
        best.map_or(Split::Axis(0, 0.0), |(_, split)| split)
    }

    /// Divides triangles by a plane, and keeps those that may be in the parts with these bounds.
    fn divided(&self, members: &[u32], split: &Split, bounds: &[Aabb; 2]) -> Result<Divided> {
        let frames = [0, 1].map(|k| BoxFrame::of_bounds(&bounds[k]));
        // Planes of triangles do not change the bounds.
        let is_clipped = matches!(split, Split::Axis(..));
        let mut divided = Divided::default();
        for &member in members {
            let triangle = &self.tree.triangles[member as usize];
            let [is_front, is_behind] = sides(split, triangle);
            if !is_front && !is_behind {
                memory::push(&mut divided.on, member, WHAT)?;
            }
            if is_front && (!is_clipped || frames[0].may_meet(triangle)) {
                memory::push(&mut divided.front, member, WHAT)?;
            }
            if is_behind && (!is_clipped || frames[1].may_meet(triangle)) {
                memory::push(&mut divided.behind, member, WHAT)?;
            }
        }
        Ok(divided)
    }
}

/// Returns two flags: whether a triangle has points in front of a plane, and behind it.
fn sides(split: &Split, triangle: &Triangle) -> [bool; 2] {
    let heights = triangle.corners.map(|corner| split.height(corner));
    [
        heights.iter().any(|&height| height > 0.0),
        heights.iter().any(|&height| height < 0.0),
    ]
}

/// Returns the bounds of the parts in front of a plane, and behind it.
fn parts(bounds: &Aabb, split: &Split) -> [Aabb; 2] {
    let mut parts = [*bounds; 2];
    if let Split::Axis(axis, at) = *split {
        parts[0].min[axis] = at.clamp(bounds.min[axis], bounds.max[axis]);
        parts[1].max[axis] = parts[0].min[axis];
    }
    parts
}

/// Returns three points of the plane of a triangle; for a segment or a point, of some plane through
/// it.
fn plane_of(triangle: &Triangle) -> [Vec3; 3] {
    let [a, b, c] = triangle.corners;
    if !are_collinear(a, b, c) {
        return triangle.corners;
    }
    let other = if a == b { c } else { b };
    let way = (other.as_dvec3() - a.as_dvec3()).abs();
    let axis = (0..3).min_by(|&u, &v| way[u].total_cmp(&way[v])).unwrap_or(0);
    let beside = |axis: usize| {
        let mut beside = a;
        beside[axis] = if a[axis] == 0.0 { 1.0 } else { -a[axis] };
        beside
    };
    match a == other {
        true => [a, beside(0), beside(1)],
        false => [a, other, beside(axis)],
    }
}
