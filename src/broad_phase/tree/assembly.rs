//! Top-down construction of a tree. A [`Divide`] implementation divides records into parts, which
//! become nodes here.

use crate::base::error::Result;
use crate::base::parallel::GRAIN;
use crate::base::{memory, parallel};
use crate::broad_phase::tree::node::{DEEPEST, Eight, Extent, LEAF, Node, Nodes, WHAT, WIDTH};
use crate::geometry::bounds::Bounds;

/// Depth from which on records are divided evenly, so that no tree is deeper than [`DEEPEST`]: 8^12
/// records are more than there can be.
pub(crate) const EVEN: usize = DEEPEST - 12;

/// Divides records among the children of a node.
pub(crate) trait Divide: Sync {
    /// Sorts and divides more records than fit a leaf. `first` is the position of the first of
    /// them, and `depth` the depth of the node. From the depth [`EVEN`] on, the parts must be those
    /// of [`Parts::even`].
    fn divide(&self, records: &mut [Bounds], first: usize, depth: usize) -> Parts;
}

/// The parts of consecutive records: the end of each, none of them empty.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parts {
    ends: [usize; WIDTH],
    count: usize,
}

impl Parts {
    /// Creates parts with these ends, the last of which must include all records.
    pub fn new(ends: impl Iterator<Item = usize>) -> Self {
        let mut parts = Self::default();
        for end in ends.take(WIDTH) {
            parts.ends[parts.count] = end;
            parts.count += 1;
        }
        parts
    }

    /// Creates eight parts of equal size, except for one, or fewer if there are fewer leaves.
    pub fn even(records: usize) -> Self {
        let leaves = records.div_ceil(WIDTH);
        let parts = leaves.min(WIDTH);
        Self::new((1..=parts).map(|part| (part * leaves / parts * WIDTH).min(records)))
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.ends.into_iter().take(self.count)
    }
}

/// A child of a node: its number, or [`LEAF`], and its bounds.
type Child = (u32, Extent);

/// Builds the tree of records, and sorts the records into the tree's order.
pub(crate) fn assemble(nodes: &mut Nodes, divider: &impl Divide, records: &mut [Bounds]) -> Result<()> {
    const TASKS_OF_THREAD: usize = 8;
    nodes.clear();
    if records.is_empty() {
        return Ok(());
    }
    let count = records.len();
    nodes.reserve(count / 32 + 1, count / 6 + 1)?;
    let threads = parallel::threads();
    let grain = (count / (TASKS_OF_THREAD * threads)).max(GRAIN);
    if threads == 1 || count <= grain {
        grow(nodes, divider, records, 0, 0)?;
    } else {
        let mut top = Top {
            inner: Vec::new(),
            tasks: Vec::new(),
            grain,
        };
        top.divide(divider, records, 0, 0)?;
        let Top { inner, tasks, .. } = top;
        let pieces = parallel::map(tasks, |task| {
            let mut nodes = Nodes::default();
            let child = match task.records.len() {
                ..=WIDTH => leaf(&mut nodes, task.records, task.first),
                _ => grow(&mut nodes, divider, task.records, task.first, task.depth),
            };
            child.map(|child| Piece { nodes, child })
        });
        let pieces = pieces.into_iter().collect::<Result<Vec<_>>>()?;
        join(nodes, inner, &pieces)?;
    }
    Ok(memory::push(&mut nodes.starts, count as u32, WHAT)?)
}

/// Adds a leaf.
fn leaf(nodes: &mut Nodes, records: &[Bounds], first: usize) -> Result<Child> {
    memory::push(&mut nodes.leaves, Eight::new(records), WHAT)?;
    memory::push(&mut nodes.starts, first as u32, WHAT)?;
    Ok((LEAF, Extent::of(records)))
}

/// Returns the parts of a node.
fn parts_of(divider: &impl Divide, records: &mut [Bounds], first: usize, depth: usize) -> Parts {
    match records.len() {
        ..=WIDTH => Parts::new(std::iter::once(records.len())),
        _ => divider.divide(records, first, depth),
    }
}

/// Adds a node and all nodes below it.
fn grow(nodes: &mut Nodes, divider: &impl Divide, records: &mut [Bounds], first: usize, depth: usize) -> Result<Child> {
    let own = nodes.inner.len();
    memory::push(&mut nodes.inner, Node::EMPTY, WHAT)?;
    let mut node = Node::EMPTY;
    let mut whole = Extent::EMPTY;
    let mut start = 0;
    for (lane, end) in parts_of(divider, records, first, depth).iter().enumerate() {
        let records = &mut records[start..end];
        let (child, extent) = match records.len() {
            ..=WIDTH => leaf(nodes, records, first + start)?,
            _ => grow(nodes, divider, records, first + start, depth + 1)?,
        };
        node.child[lane] = child;
        node.bounds.set(lane, extent);
        node.end[lane..].fill(nodes.leaves.len() as u32);
        whole = whole.union(extent);
        start = end;
    }
    nodes.inner[own] = node;
    Ok((own as u32, whole))
}

/// A part of the records that is a separate task.
struct Task<'a> {
    records: &'a mut [Bounds],
    first: usize,
    depth: usize,
}

/// The nodes above the tasks.
struct Top<'a> {
    /// The nodes. Each child is one of these nodes, or a task, whose numbers count down from
    /// [`LEAF`].
    inner: Vec<Node>,
    tasks: Vec<Task<'a>>,
    /// The maximum number of records of a task.
    grain: usize,
}

impl<'a> Top<'a> {
    fn divide(
        &mut self,
        divider: &impl Divide,
        mut records: &'a mut [Bounds],
        first: usize,
        depth: usize,
    ) -> Result<u32> {
        let own = self.inner.len();
        memory::push(&mut self.inner, Node::EMPTY, WHAT)?;
        let mut start = 0;
        for (lane, end) in parts_of(divider, records, first, depth).iter().enumerate() {
            let part;
            (part, records) = records.split_at_mut(end - start);
            let first = first + start;
            self.inner[own].child[lane] = if part.len() > self.grain {
                self.divide(divider, part, first, depth + 1)?
            } else {
                memory::push(
                    &mut self.tasks,
                    Task {
                        records: part,
                        first,
                        depth: depth + 1,
                    },
                    WHAT,
                )?;
                LEAF - self.tasks.len() as u32
            };
            start = end;
        }
        Ok(own as u32)
    }
}

/// The result of a task.
struct Piece {
    nodes: Nodes,
    child: Child,
}

/// Joins the nodes above the pieces, and the pieces.
fn join(nodes: &mut Nodes, mut top: Vec<Node>, pieces: &[Piece]) -> Result<()> {
    let mut below = top.len() as u32;
    let mut leaves = 0;
    let mut children = Vec::new();
    for Piece { nodes: piece, child } in pieces {
        let number = if child.0 == LEAF { LEAF } else { below };
        memory::push(
            &mut children,
            (number, child.1, leaves + piece.leaves.len() as u32),
            WHAT,
        )?;
        below += piece.inner.len() as u32;
        leaves += piece.leaves.len() as u32;
    }
    for own in (0..top.len()).rev() {
        for lane in 0..WIDTH {
            let child = top[own].child[lane];
            let (number, extent, end) = if child == LEAF {
                break;
            } else if let Some(node) = top.get(child as usize) {
                (child, node.bounds.extent(), node.end[WIDTH - 1])
            } else {
                children[(LEAF - 1 - child) as usize]
            };
            let node = &mut top[own];
            node.child[lane] = number;
            node.bounds.set(lane, extent);
            node.end[lane..].fill(end);
        }
    }
    nodes.reserve(below as usize, leaves as usize)?;
    nodes.inner.append(&mut top);
    for piece in pieces {
        let (inner, leaves) = (nodes.inner.len() as u32, nodes.leaves.len() as u32);
        nodes
            .inner
            .extend(piece.nodes.inner.iter().map(|node| node.moved(inner, leaves)));
        nodes.leaves.extend_from_slice(&piece.nodes.leaves);
        nodes.starts.extend_from_slice(&piece.nodes.starts);
    }
    Ok(())
}

impl Node {
    /// Returns the node with its numbers increased by these numbers of inner nodes and leaves.
    fn moved(&self, inner: u32, leaves: u32) -> Self {
        Self {
            bounds: self.bounds,
            child: self.child.map(|child| if child == LEAF { LEAF } else { child + inner }),
            end: self.end.map(|end| end + leaves),
        }
    }
}
