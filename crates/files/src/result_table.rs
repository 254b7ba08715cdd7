//! The content and the layout of a table of results.

use crate::format::Format;

/// The content of a table of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Pairs.
    Pairs,
    /// The number of pairs of each box.
    Degrees,
    /// The contact points of pairs.
    Contacts,
    /// The distances of pairs.
    Distances,
    /// The volumes that colliding boxes share.
    Volumes,
    /// One row for each colliding pair.
    Clashes,
    /// One row for each pair of meshes that share a point or are too near.
    MeshClashes,
    /// The containment of boxes in a room.
    Enclosures,
    /// The first contacts of moving boxes.
    Impacts,
    /// The closest approaches of moving boxes.
    Approaches,
    /// The changes of pairs from frame to frame.
    Events,
    /// The contact points of each frame, with their ages.
    TrackedContacts,
    /// The location of points.
    PointStates,
    /// The neighbours of each body.
    Neighbours,
}

impl Table {
    /// Returns the columns, except `frame` and those of the scene.
    pub(crate) fn columns(self) -> &'static str {
        match self {
            Self::Pairs => "a,b",
            Self::Degrees => "id,degree",
            Self::Contacts => "a,b,point,nx,ny,nz,depth,pax,pay,paz,pbx,pby,pbz,feature_a,feature_b",
            Self::Distances => "a,b,distance,pax,pay,paz,pbx,pby,pbz",
            Self::Volumes => "a,b,volume,iou",
            Self::Clashes => "a,b,depth,touching,nx,ny,nz,x,y,z",
            Self::MeshClashes => "a,b,kind,inner,distance,triangle_a,triangle_b",
            Self::Enclosures => "id,state,walls",
            Self::Impacts => "a,b,time,state,nx,ny,nz,px,py,pz",
            Self::Approaches => "a,b,time,distance",
            Self::Events => "frame,event,a,b",
            Self::TrackedContacts => "frame,a,b,feature_a,feature_b,age,previous",
            Self::PointStates => "point,state",
            Self::Neighbours => "id,rank,neighbour,distance",
        }
    }

    /// Returns `true` if its rows are about an image of `b`.
    pub(crate) fn is_about_images(self) -> bool {
        matches!(
            self,
            Self::Contacts | Self::Distances | Self::Volumes | Self::Clashes | Self::Impacts | Self::Approaches
        )
    }

    /// Returns a name for the content if files of plain numbers, NPY and Parquet, cannot hold it.
    pub(crate) fn beyond_numbers(self) -> Option<&'static str> {
        match self {
            Self::Pairs | Self::Degrees => None,
            Self::Contacts | Self::TrackedContacts => Some("contacts"),
            Self::Distances => Some("distances"),
            Self::Volumes => Some("volumes"),
            Self::Clashes | Self::MeshClashes => Some("clashes"),
            Self::Enclosures | Self::PointStates => Some("states"),
            Self::Impacts => Some("impacts"),
            Self::Approaches => Some("approaches"),
            Self::Events => Some("events"),
            Self::Neighbours => Some("neighbours"),
        }
    }
}

/// The layout of a table of results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The format of outputs without an extension: stdout (`-`), pipes and devices.
    pub unnamed: Format,
    /// `true` if the table has the results of several frames, and therefore a first column `frame`.
    pub frames: bool,
    /// The columns of the scene that are copied to clashes: `type` for both boxes of a pair, as
    /// `a_type` and `b_type`.
    pub kept: Vec<String>,
    /// `true` if contacts, distances, volumes, clashes, impacts and approaches have the columns
    /// `ia,ib,ic`: the whole numbers of periods by which `b` is moved.
    pub images: bool,
    /// `true` if clashes have a column `status`.
    pub status: bool,
    /// `true` if clashes have a column `group`.
    pub groups: bool,
    /// The names of the rules that decide about clashes, by their numbers. With them, clashes have
    /// the columns `distance` and `rule`.
    pub rules: Option<Vec<String>>,
}

/// The layout without further columns, with this format of outputs without an extension.
impl From<Format> for Layout {
    fn from(unnamed: Format) -> Self {
        Self {
            unnamed,
            ..Self::default()
        }
    }
}
