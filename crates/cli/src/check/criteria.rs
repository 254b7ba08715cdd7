//! The files that decide which pairs are clashes, and which are new.

use super::{baseline::Baseline, clash_rules::ClashRules, ignored::Ignored};
use crate::{args::check::CheckArguments, failure::Failure};

/// The files that are given.
pub struct Criteria<'a> {
    pub rules: Option<&'a ClashRules>,
    pub ignored: Option<Ignored>,
    pub baseline: Option<Baseline>,
}

impl<'a> Criteria<'a> {
    /// Reads all but the rules, which scenes are read by.
    pub fn read(arguments: &CheckArguments, rules: Option<&'a ClashRules>) -> Result<Self, Failure> {
        let baseline = arguments.baseline.as_deref();
        let baseline = baseline.map(|path| Baseline::read(path, arguments.frame));
        Ok(Self {
            rules,
            ignored: arguments.ignore.as_deref().map(Ignored::read).transpose()?,
            baseline: baseline.transpose()?,
        })
    }
}
