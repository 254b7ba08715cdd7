//! Walks of one tree against another, or against itself: depth first to the end, or breadth first
//! within a budget.

use std::ops::ControlFlow;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::volumes::tree::{Node, PlacedTree, VolumeTree, children};
use crate::broad_phase::volumes::volume::{Between, Volume};
use crate::geometry::pair::Pair;
use crate::geometry::pose::Pose;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs of parts";
/// Number of breadth-first tests after which there are enough pairs of nodes for all threads.
const SHARED: u64 = 2048;
/// Capacity that exceeds the number of pairs that a walk down two trees of the maximum depth, 32
/// each, ever leaves for later: each step leaves at most two, and descends into one of them.
const DEPTH: usize = 256;

/// The findings of a walk, when it ended or when its budget was exhausted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MayMeet {
    /// The pairs of parts whose volumes may meet: `a` of the first tree, `b` of the second, sorted.
    pub pairs: Vec<Pair>,
    /// The pairs of nodes for which the budget did not suffice. Each part in one must be assumed to
    /// meet each in the other, until proved otherwise. Empty if the answer is complete.
    pub assumed: Vec<Assumed>,
    /// The number of pairs of volumes that have been tested: at most the budget.
    pub tests: u64,
}

impl MayMeet {
    /// Returns `true` if nothing is assumed.
    pub fn is_complete(&self) -> bool {
        self.assumed.is_empty()
    }
}

/// A pair of nodes that is assumed to meet: all parts of one may meet all parts of the other. In a
/// walk of one tree against itself, if both are the same node, any two of its parts may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assumed {
    /// The node of the first tree.
    pub a: u32,
    /// The node of the second tree.
    pub b: u32,
}

impl<V: Volume> PlacedTree<'_, V> {
    /// Finds the pairs of parts that may meet: `a` of this tree, `b` of the other, sorted. Runs on
    /// all threads.
    ///
    /// A pose that is not finite separates nothing, so the result is all pairs.
    ///
    /// # Errors
    ///
    /// If memory runs out.
    pub fn pairs(&self, other: &Self) -> Result<Vec<Pair>> {
        Walk::new(self, other).all()
    }

    /// Performs [`pairs`](Self::pairs) with at most `budget` tests of two volumes, breadth first,
    /// because volumes that are separated early save the most tests. Pairs for which the budget
    /// does not suffice are returned in [`MayMeet::assumed`], so no pair is ever missing. Runs on
    /// one thread.
    ///
    /// # Errors
    ///
    /// If memory runs out.
    pub fn pairs_within(&self, other: &Self, budget: u64) -> Result<MayMeet> {
        Walk::new(self, other).within(budget)
    }

    /// Calls `visit` with pairs of parts that may meet, `a` of this tree and `b` of the other,
    /// until it breaks. Runs on one thread.
    pub(crate) fn visit(&self, other: &Self, visit: impl FnMut(Pair) -> ControlFlow<()>) -> ControlFlow<()> {
        let walk = Walk::new(self, other);
        match walk.roots() {
            Some(roots) => walk.depth_first(roots, visit),
            None => ControlFlow::Continue(()),
        }
    }

    /// Returns all pairs of an answer of these two trees, including each assumed pair of parts,
    /// sorted.
    ///
    /// # Errors
    ///
    /// If memory runs out: there may be very many.
    pub fn expanded(&self, other: &Self, answer: &MayMeet) -> Result<Vec<Pair>> {
        Walk::new(self, other).expanded(answer)
    }
}

impl<V: Volume> VolumeTree<V> {
    /// Finds the pairs of this tree's own parts that may meet, sorted, each with `a < b`. Runs on
    /// all threads.
    ///
    /// # Errors
    ///
    /// If memory runs out.
    pub fn self_pairs(&self) -> Result<Vec<Pair>> {
        Walk::of_one(self).all()
    }

    /// Performs [`self_pairs`](Self::self_pairs) within a budget. See [`PlacedTree::pairs_within`].
    ///
    /// # Errors
    ///
    /// If memory runs out.
    pub fn self_pairs_within(&self, budget: u64) -> Result<MayMeet> {
        Walk::of_one(self).within(budget)
    }

    /// Returns all pairs of an answer of this tree against itself, including each assumed pair of
    /// parts, sorted.
    ///
    /// # Errors
    ///
    /// If memory runs out: there may be very many.
    pub fn self_expanded(&self, answer: &MayMeet) -> Result<Vec<Pair>> {
        Walk::of_one(self).expanded(answer)
    }
}

/// Two trees, or one tree and itself.
struct Walk<'a, V> {
    trees: [&'a VolumeTree<V>; 2],
    between: Between,
    is_one: bool,
}

/// The next step after a pair of nodes.
enum Next {
    Apart,
    /// A pair of parts that may meet.
    Leaves,
    /// This many pairs of their children.
    Children([Assumed; 3], usize),
}

impl<'a, V: Volume> Walk<'a, V> {
    fn new(a: &PlacedTree<'a, V>, b: &PlacedTree<'a, V>) -> Self {
        Self {
            trees: [a.tree, b.tree],
            between: Between::new([&a.pose, &b.pose]),
            is_one: false,
        }
    }

    fn of_one(tree: &'a VolumeTree<V>) -> Self {
        Self {
            trees: [tree, tree],
            between: Between::new([&Pose::IDENTITY; 2]),
            is_one: true,
        }
    }

    /// Returns the pair of roots, if both trees have nodes.
    fn roots(&self) -> Option<Assumed> {
        let is_empty = self.trees.iter().any(|tree| tree.nodes.is_empty());
        (!is_empty).then_some(Assumed { a: 0, b: 0 })
    }

    #[inline(always)]
    fn nodes(&self, Assumed { a, b }: Assumed) -> [&'a Node<V>; 2] {
        [&self.trees[0].nodes[a as usize], &self.trees[1].nodes[b as usize]]
    }

    /// Returns `true` if a pair consists of a node and itself, which needs no test.
    #[inline(always)]
    fn is_same(&self, pair: Assumed) -> bool {
        self.is_one && pair.a == pair.b
    }

    /// Tests a pair of nodes.
    #[inline(always)]
    fn next(&self, pair: Assumed) -> Next {
        let Assumed { a, b } = pair;
        let [node_a, node_b] = self.nodes(pair);
        if self.is_same(pair) {
            return match node_a.is_leaf() {
                true => Next::Apart,
                false => {
                    let [left, right] = children(a, node_a.count);
                    let pairs = [(left, left), (right, right), (left, right)];
                    Next::Children(pairs.map(|(a, b)| Assumed { a, b }), 3)
                }
            };
        }
        if node_a.volume.is_apart(&node_b.volume, &self.between) {
            return Next::Apart;
        }
        let into_a = match (node_a.is_leaf(), node_b.is_leaf()) {
            (true, true) => return Next::Leaves,
            (false, false) => node_a.volume.size() >= node_b.volume.size(),
            (is_leaf, _) => !is_leaf,
        };
        let pairs = match into_a {
            true => children(a, node_a.count).map(|a| Assumed { a, b }),
            false => children(b, node_b.count).map(|b| Assumed { a, b }),
        };
        Next::Children([pairs[0], pairs[1], pairs[1]], 2)
    }

    /// Returns the parts of a pair of leaves.
    fn parts(&self, pair: Assumed) -> Pair {
        let [a, b] = self.nodes(pair).map(|node| node.first as usize);
        self.named(self.trees[0].parts[a], self.trees[1].parts[b])
    }

    fn named(&self, a: u32, b: u32) -> Pair {
        match self.is_one {
            true => Pair::new(a, b),
            false => Pair { a, b },
        }
    }

    /// Finds all pairs of parts that may meet.
    fn all(&self) -> Result<Vec<Pair>> {
        let MayMeet { mut pairs, assumed, .. } = self.within(SHARED)?;
        for found in parallel::map(assumed, |pair| self.pairs_below(pair)) {
            memory::extend(&mut pairs, &found?, WHAT)?;
        }
        sort(&mut pairs)?;
        Ok(pairs)
    }

    fn pairs_below(&self, from: Assumed) -> Result<Vec<Pair>> {
        let (mut pairs, mut pushed) = (Vec::new(), Ok(()));
        let _ = self.depth_first(from, |pair| {
            pushed = memory::push(&mut pairs, pair, WHAT);
            match pushed {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        pushed?;
        Ok(pairs)
    }

    /// Calls `visit` with pairs of parts that may meet until it breaks.
    fn depth_first(&self, from: Assumed, mut visit: impl FnMut(Pair) -> ControlFlow<()>) -> ControlFlow<()> {
        let (mut later, mut count) = ([from; DEPTH], 1);
        while count > 0 {
            count -= 1;
            match self.next(later[count]) {
                Next::Apart => {}
                Next::Leaves => visit(self.parts(later[count]))?,
                Next::Children(children, more) => {
                    later[count..][..more].copy_from_slice(&children[..more]);
                    count += more;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Walks breadth first, with at most `budget` tests.
    fn within(&self, budget: u64) -> Result<MayMeet> {
        let mut found = MayMeet::default();
        let (mut level, mut deeper) = (Vec::new(), Vec::new());
        level.extend(self.roots());
        while !level.is_empty() {
            for &pair in &level {
                let is_test = !self.is_same(pair);
                if is_test && found.tests == budget || budget == 0 {
                    memory::push(&mut found.assumed, pair, WHAT)?;
                    continue;
                }
                found.tests += u64::from(is_test);
                match self.next(pair) {
                    Next::Apart => {}
                    Next::Leaves => memory::push(&mut found.pairs, self.parts(pair), WHAT)?,
                    Next::Children(children, more) => memory::extend(&mut deeper, &children[..more], WHAT)?,
                }
            }
            level.clear();
            std::mem::swap(&mut level, &mut deeper);
            if found.tests == budget {
                memory::extend(&mut found.assumed, &level, WHAT)?;
                break;
            }
        }
        // A part does not meet itself.
        found
            .assumed
            .retain(|&pair| !(self.is_same(pair) && self.nodes(pair)[0].is_leaf()));
        sort(&mut found.pairs)?;
        Ok(found)
    }

    fn expanded(&self, answer: &MayMeet) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        memory::extend(&mut pairs, &answer.pairs, WHAT)?;
        for &assumed in &answer.assumed {
            let nodes = self.nodes(assumed);
            let [of_a, of_b] = [0, 1].map(|side| self.trees[side].parts_of(nodes[side]));
            for (k, &a) in of_a.iter().enumerate() {
                let others = if self.is_same(assumed) { &of_b[k + 1..] } else { of_b };
                memory::reserve(&mut pairs, others.len(), WHAT)?;
                pairs.extend(others.iter().map(|&b| self.named(a, b)));
            }
        }
        sort(&mut pairs)?;
        Ok(pairs)
    }
}

fn sort(pairs: &mut [Pair]) -> Result<()> {
    let mut keys = parallel::collect(pairs.len(), WHAT, |k| pairs[k].key())?;
    parallel::sort(&mut keys);
    parallel::fill(pairs, |k| Pair {
        a: (keys[k] >> 32) as u32,
        b: keys[k] as u32,
    });
    Ok(())
}
