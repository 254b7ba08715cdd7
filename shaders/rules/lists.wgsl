// The rules in the form used on the device; the layout of a list: src/rules/list.rs.
// Uses: shared/images.wgsl.
// The including shader declares: params.

// The rules for the bodies that a pair's `b` refers to.
@group(0) @binding(21) var<storage, read> rules_b: array<u32>;

// `true` if there are rules. Without rules, no code is generated for them.
override ruled: bool = false;

const NO_OWNER: u32 = 0xffffffffu;

// The header of a list: the start of each rule's entries, or 0 if the rule is absent.
const OWNERS: u32 = 0u;
const WORLDS: u32 = 1u;
const STATICS: u32 = 2u;
const ACTIVE: u32 = 3u;
const EXCLUDED: u32 = 4u;
// The number of slots of the table of excluded pairs, less one.
const EXCLUDED_LAST: u32 = 5u;
// 1 if excluded pairs consist of two positions in one list, the larger of which may come first.
const EXCLUDED_TURNED: u32 = 6u;
// 1 if there are two sets, else 0.
const SECOND_SET: u32 = 7u;
const MARGINS: u32 = 8u;
// For each body, the groups it is in and those it can collide with.
const GROUPS: u32 = 9u;
// For each body its layer, in LAYER_BITS bits, the lowest first; the number of layers, or 0; and
// for each layer those that it meets, a bit each: src/rules/layers.rs.
const LAYERS: u32 = 10u;
const LAYER_COUNT: u32 = 11u;
const LAYERS_THAT_MEET: u32 = 12u;
// The records of images, whose first word is the position of their body.
const IMAGES: u32 = 13u;
const WORDS_OF_IMAGE: u32 = 4u;
// The ends of the runs of two sets: src/rules/filter.rs, Joint.
const RUN_ENDS: u32 = 14u;
const RUNS: u32 = 6u;
const LAYER_BITS: u32 = 2u;
const MAX_LAYERS: u32 = 4u;

// The body that a position refers to, which may be that of an image: rules are those of bodies.
fn body_of(id: u32) -> u32 {
    if !is_image(id) { return id; }
    return rules_b[rules_b[IMAGES] + WORDS_OF_IMAGE * (id - params.images_first)];
}

// The world of the body that a pair's `b` refers to.
fn world_of_b(id: u32) -> u32 {
    if !ruled { return 0u; }
    if rules_b[WORLDS] == 0u { return 0u; }
    return rules_b[rules_b[WORLDS] + body_of(id)];
}

// The layer of the body that a pair's `b` refers to.
fn layer_of_b(id: u32) -> u32 {
    if !ruled { return 0u; }
    if rules_b[LAYERS] == 0u { return 0u; }
    let body = body_of(id);
    let bit = body * LAYER_BITS;
    // With 2^30 bodies or more the product needs more than 32 bits.
    let word = body / (32u / LAYER_BITS);
    return (rules_b[rules_b[LAYERS] + word] >> (bit & 31u)) & (MAX_LAYERS - 1u);
}

// The layers that a layer meets, a bit each.
fn layers_met_by(layer: u32) -> u32 {
    if !ruled { return 1u; }
    if rules_b[LAYER_COUNT] == 0u { return 1u; }
    return (rules_b[LAYERS_THAT_MEET] >> (layer * MAX_LAYERS)) & ((1u << MAX_LAYERS) - 1u);
}

// The number of the compartment in which the broad phase keeps the bodies of a world and a layer.
fn compartment(world: u32, layer: u32) -> u32 {
    if !ruled { return 0u; }
    return world * max(rules_b[LAYER_COUNT], 1u) + layer;
}

fn compartment_of_b(id: u32) -> u32 {
    return compartment(world_of_b(id), layer_of_b(id));
}

// The own margin of the body that a pair's `b` refers to, by its bits.
fn margin_of_b(id: u32) -> u32 {
    if !ruled { return 0u; }
    if rules_b[MARGINS] == 0u { return 0u; }
    return rules_b[rules_b[MARGINS] + body_of(id)];
}
