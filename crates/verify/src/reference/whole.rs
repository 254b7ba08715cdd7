//! Integers of three widths for the [oracle](super::oracle): narrower ones are faster.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// The integer operations that the oracle needs.
pub(super) trait Whole: Clone {
    /// Returns `odd * 2^doublings`.
    fn new(odd: i64, doublings: u32) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn negated(&self) -> Self;
    fn size(self) -> Self;
    /// Compares the number with 0.
    fn sign(&self) -> Ordering;
}

impl Whole for i128 {
    fn new(odd: i64, doublings: u32) -> Self {
        Self::from(odd) << doublings
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn negated(&self) -> Self {
        -self
    }

    fn size(self) -> Self {
        self.abs()
    }

    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }
}

/// A number of six 64-bit limbs, lowest first, in two's complement. Overflowing bits are dropped.
#[derive(Clone)]
pub(super) struct Fixed([u64; Self::LIMBS]);

impl Fixed {
    const LIMBS: usize = 6;

    /// Numbers below 2^BITS in magnitude fit.
    pub const BITS: u32 = 64 * Self::LIMBS as u32 - 1;

    /// Combines two numbers limb by limb, lowest first, with a carry from one to the next.
    fn zip(&self, other: &Self, mut carry: bool, add: impl Fn(u64, u64, bool) -> (u64, bool)) -> Self {
        Self(std::array::from_fn(|k| {
            let limb;
            (limb, carry) = add(self.0[k], other.0[k], carry);
            limb
        }))
    }
}

impl Whole for Fixed {
    fn new(odd: i64, doublings: u32) -> Self {
        let (limb, shift) = ((doublings / 64) as usize, doublings % 64);
        let size = u128::from(odd.unsigned_abs()) << shift;
        let mut limbs = [0; Self::LIMBS];
        let parts = [size as u64, (size >> 64) as u64];
        for (place, part) in limbs.iter_mut().skip(limb).zip(parts) {
            *place = part;
        }
        if odd < 0 { Self(limbs).negated() } else { Self(limbs) }
    }

    fn plus(&self, other: &Self) -> Self {
        self.zip(other, false, |a, b, carry| {
            let sum = u128::from(a) + u128::from(b) + u128::from(carry);
            (sum as u64, sum >> 64 != 0)
        })
    }

    fn minus(&self, other: &Self) -> Self {
        self.zip(other, false, |a, b, borrow| {
            let (difference, first) = a.overflowing_sub(b);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (difference, first || second)
        })
    }

    fn times(&self, other: &Self) -> Self {
        let mut limbs = [0; Self::LIMBS];
        for i in 0..Self::LIMBS {
            let mut carry = 0;
            for j in 0..Self::LIMBS - i {
                let sum = u128::from(self.0[i]) * u128::from(other.0[j]) + u128::from(limbs[i + j]) + u128::from(carry);
                limbs[i + j] = sum as u64;
                carry = (sum >> 64) as u64;
            }
        }
        Self(limbs)
    }

    fn negated(&self) -> Self {
        Self([0; Self::LIMBS]).minus(self)
    }

    fn size(self) -> Self {
        if self.sign() == Ordering::Less {
            self.negated()
        } else {
            self
        }
    }

    fn sign(&self) -> Ordering {
        let highest = self.0[Self::LIMBS - 1] as i64;
        match highest.cmp(&0) {
            Ordering::Equal if self.0.iter().any(|&limb| limb != 0) => Ordering::Greater,
            order => order,
        }
    }
}

impl Whole for BigInt {
    fn new(odd: i64, doublings: u32) -> Self {
        Self::from(odd) << doublings
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn negated(&self) -> Self {
        -self
    }

    fn size(self) -> Self {
        let (_, magnitude) = self.into_parts();
        magnitude.into()
    }

    fn sign(&self) -> Ordering {
        match Self::sign(self) {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }
}
