// The images of bodies in space that repeats, which follow the bodies: those of boxes, of capsules
// and of spheres.
// The including shader declares: params.

// `true` if there are images. Without them, no code is generated for them.
override imaged: bool = false;

fn is_image(id: u32) -> bool {
    if !imaged { return false; }
    return id >= params.images_first;
}

// Bodies that follow each other: the position of the first, and the ends of the boxes and of the
// capsules among them; spheres follow.
struct Kinds {
    first: u32,
    box_end: u32,
    capsule_end: u32,
}

// The bodies, or the images, among which is the one that a pair's `b` refers to.
fn kinds_of_b(id: u32) -> Kinds {
    if is_image(id) { return Kinds(params.images_first, params.image_box_end, params.image_capsule_end); }
    return Kinds(0u, params.box_end, params.capsule_end);
}
