//! Pairs that are counted, and what a peer is.

use std::time::Instant;

use crate::Problem;

/// The number of pairs, and a sum over them that does not depend on their order.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    pub count: u64,
    sum: u64,
}

impl Sum {
    pub fn new(count: u64, sum: u64) -> Self {
        Self { count, sum }
    }

    pub fn add(&mut self, a: u32, b: u32) {
        let [low, high] = [a.min(b), a.max(b)].map(u64::from);
        let bits = (low << 32 | high).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ bits >> 32).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        self.count += 1;
        self.sum = self.sum.wrapping_add(bits ^ bits >> 29);
    }
}

/// Milliseconds of the two steps of a peer.
#[derive(Clone, Copy, Default)]
pub struct Times {
    pub build: f64,
    pub pairs: f64,
}

impl Times {
    pub fn total(self) -> f64 {
        self.build + self.pairs
    }
}

/// Something that finds pairs.
pub trait Peer {
    fn name(&self) -> &'static str;

    /// Finds the pairs once. Returns their sum if asked for, and else only their number; and `None`
    /// if they are not comparable.
    fn run(&mut self, sums: bool) -> Result<(Option<Sum>, Times), Problem>;
}

/// A peer of two steps: `build` makes a tree, `pairs` passes each pair of the tree to a visitor.
pub struct InSteps<Build, Pairs> {
    pub name: &'static str,
    pub build: Build,
    pub pairs: Pairs,
}

impl<Tree, Build: FnMut() -> Tree, Pairs: FnMut(&Tree, &mut Tally)> Peer for InSteps<Build, Pairs> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, sums: bool) -> Result<(Option<Sum>, Times), Problem> {
        let mut tally = Tally {
            sums,
            sum: Sum::default(),
        };
        let start = Instant::now();
        let tree = (self.build)();
        let built = Instant::now();
        (self.pairs)(&tree, &mut tally);
        let end = Instant::now();
        let times = Times {
            build: (built - start).as_secs_f64() * 1e3,
            pairs: (end - built).as_secs_f64() * 1e3,
        };
        Ok((Some(std::hint::black_box(tally.sum)), times))
    }
}

/// The pairs that a visitor has seen.
pub struct Tally {
    sums: bool,
    sum: Sum,
}

impl Tally {
    #[inline(always)]
    pub fn add(&mut self, a: u32, b: u32) {
        match self.sums {
            true => self.sum.add(a, b),
            false => self.sum.count += 1,
        }
    }

    /// Adds pairs that are not named.
    pub fn add_many(&mut self, count: usize) {
        self.sum.count += count as u64;
    }

    /// Returns `true` if pairs must be named.
    pub fn sums(&self) -> bool {
        self.sums
    }
}

/// A peer of one step, which returns the sum of its pairs if asked for, and else only their number.
pub struct Whole<Run> {
    pub name: &'static str,
    /// Set if its pairs are comparable with those of the peers.
    pub comparable: bool,
    pub run: Run,
}

impl<Run: FnMut(bool) -> Result<Sum, Problem>> Peer for Whole<Run> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, sums: bool) -> Result<(Option<Sum>, Times), Problem> {
        let start = Instant::now();
        let sum = (self.run)(sums)?;
        let times = Times {
            build: 0.0,
            pairs: start.elapsed().as_secs_f64() * 1e3,
        };
        Ok((self.comparable.then_some(sum), times))
    }
}
