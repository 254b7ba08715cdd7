//! The viewpoint of a topic: components and camera, `visinfo.xsd`.

use glam::DVec3;
use uuid::Uuid;

use crate::bcf::{BcfTopic, BcfVersion};

/// The names of the files of a new topic.
pub const FILE: &str = "viewpoint.bcfv";
pub const SNAPSHOT: &str = "snapshot.png";

/// Returns the viewpoint as XML. All components are visible, and those of the topic are selected
/// and have its colour.
pub fn text(guid: Uuid, topic: &BcfTopic<'_>, version: BcfVersion) -> String {
    let components = |indent: &str| -> String {
        let component = |guid: &&str| format!("{indent}<Component IfcGuid=\"{guid}\"/>\n");
        topic.components.iter().map(component).collect()
    };
    let [red, green, blue] = topic.colour;
    let camera = &topic.camera;
    let (coloured, aspect) = match version {
        BcfVersion::V2_1 => (components("        "), String::new()),
        BcfVersion::V3_0 => (
            format!(
                "        <Components>\n{}        </Components>\n",
                components("          ")
            ),
            format!("    <AspectRatio>{}</AspectRatio>\n", camera.aspect_ratio),
        ),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<VisualizationInfo Guid=\"{guid}\">\n  <Components>\n    \
         <Selection>\n{selected}    </Selection>\n    <Visibility DefaultVisibility=\"true\"/>\n    <Coloring>\n      \
         <Color Color=\"FF{red:02X}{green:02X}{blue:02X}\">\n{coloured}      </Color>\n    </Coloring>\n  \
         </Components>\n  <PerspectiveCamera>\n{position}{direction}{up}    \
         <FieldOfView>{angle}</FieldOfView>\n{aspect}  </PerspectiveCamera>\n</VisualizationInfo>\n",
        selected = components("      "),
        position = vector("CameraViewPoint", camera.position),
        direction = vector("CameraDirection", camera.direction),
        up = vector("CameraUpVector", camera.up),
        angle = camera.field_of_view,
    )
}

fn vector(name: &str, DVec3 { x, y, z }: DVec3) -> String {
    format!("    <{name}>\n      <X>{x}</X>\n      <Y>{y}</Y>\n      <Z>{z}</Z>\n    </{name}>\n")
}
