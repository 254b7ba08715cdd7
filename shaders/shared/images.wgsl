// The images of bodies in space that repeats, which follow the bodies.
// The including shader declares: params.

// `true` if there are images. Without them, no code is generated for them.
override imaged: bool = false;

fn is_image(id: u32) -> bool {
    if !imaged { return false; }
    return id >= params.images_first;
}
