//! The versions of the format.

/// A version of the BIM Collaboration Format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BcfVersion {
    /// Version 2.1.
    #[default]
    V2_1,
    /// Version 3.0.
    V3_0,
}

impl BcfVersion {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::V2_1 => "2.1",
            Self::V3_0 => "3.0",
        }
    }

    /// Returns the version that a version file states, or `None` if it is unknown. Archives of
    /// version 2.0 are updated as those of 2.1.
    pub(super) fn of(text: &str) -> Option<Self> {
        let versions = [("2.0", Self::V2_1), ("2.1", Self::V2_1), ("3.0", Self::V3_0)];
        let stated = versions
            .into_iter()
            .find(|(name, _)| text.contains(&format!("VersionId=\"{name}\"")));
        stated.map(|(_, version)| version)
    }

    /// Returns the version file, `version.xsd`.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::V2_1 => {
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Version VersionId=\"2.1\">\n  \
                 <DetailedVersion>2.1</DetailedVersion>\n</Version>\n"
            }
            Self::V3_0 => "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Version VersionId=\"3.0\"/>\n",
        }
    }
}
