/**
 * Finds every collision among boxes, capsules and spheres, exactly: the same pairs in every
 * browser, on every GPU, and in the native library.
 *
 * Lengths are in your unit, in one right-handed frame; quaternions are x, y, z, w. Pairs are arrays
 * `a0, b0, a1, b1, ...` of positions in the lists that you pass. Touching is colliding.
 */

/** Bodies, numbered in this order, and rules about the pairs that count. */
export interface Bodies {
    /** Ten numbers for each box: center, half extents, quaternion. */
    boxes?: Float32Array;
    /** Nine numbers for each capsule: center, half length, quaternion that turns z to its axis, radius. */
    capsules?: Float32Array;
    /** Four numbers for each sphere: center, radius. */
    spheres?: Float32Array;
    /** The owner of each body: bodies of one owner never make a pair; 0xffffffff is no owner. */
    owners?: Uint32Array;
    /** The world of each body: bodies of different worlds never make a pair. */
    worlds?: Uint32Array;
    /** 1 for static bodies, else 0: two static bodies never make a pair. */
    statics?: Uint8Array;
    /** 1 for active bodies, else 0: two inactive bodies never make a pair. */
    active?: Uint8Array;
    /** A margin for each body, which is added to that of the checker. */
    margins?: Float32Array;
    /** Two bit masks for each body: the groups that it is in, and those that it collides with. */
    groups?: Uint32Array;
    /** Pairs that are never reported. */
    excluded?: Uint32Array;
}

/** An array alone is one of boxes. */
export type BodiesOrBoxes = Bodies | Float32Array;

export interface Settings {
    /** "auto" (the default) is a GPU for large scenes, if there is one, else the CPU. */
    backend?: "auto" | "gpu" | "cpu";
    /** How candidate pairs are found; the answer is the same. */
    broadPhase?: "auto" | "grid" | "sweep" | "tree" | "octree" | "lbvh" | "all-pairs";
    /** The form of the answer: pairs (the default), the number of partners of each body, or totals. */
    output?: "pairs" | "degrees" | "count";
    /** "exact" (the default), or what `f32` alone finds. */
    precision?: "exact" | "fast" | "conservative";
    /** Report pairs no further apart than this distance. */
    margin?: number;
    /** Also list the pairs that touch without overlapping. */
    listTouching?: boolean;
    /** The largest number of pairs to return; `collidingPairs` counts all of them. */
    maxPairs?: number;
    /** The number of bodies from which "auto" uses a GPU. */
    leastBoxes?: number;
    /** Seconds to wait for a GPU. */
    timeout?: number;
    /**
     * The number of threads, from 1 to 64, with `backend: "cpu"`. Several need a package that was
     * built with them (`crates/web/build --threads`) and, in a browser, a page that is cross-origin
     * isolated: otherwise `UnavailableError` is thrown. By default one for each core with that backend
     * where there can be several, else 1.
     */
    threads?: number;
}

/** The name of a part of the work, and its time in milliseconds. */
export type Stage = [name: string, milliseconds: number];

export interface Report {
    bodies: number;
    candidatePairs: number;
    collidingPairs: number;
    /** Pairs that share boundary points only; with `precision: "exact"`. */
    touchingPairs?: number;
    /** Pairs that are only within the margin; with `precision: "exact"`. */
    nearPairs?: number;
    /** Pairs that `f32` could not decide. */
    undecidedPairs: number;
    /** False if there are more pairs than `maxPairs`. */
    complete: boolean;
    /** All colliding pairs, sorted; with `output: "pairs"`. */
    pairs?: Uint32Array;
    /** The pairs that touch without overlapping, sorted; with `listTouching`. */
    touching?: Uint32Array;
    /** The number of partners of each body; with `output: "degrees"`. */
    degrees?: Uint32Array;
    /** The checksum of the pairs, 16 hexadecimal digits: the same on every machine. */
    checksum?: string;
    backend: "cpu" | "gpu";
    adapter?: string;
    adapterKind?: string;
    broadPhase?: string;
    deviceBytes: number;
    milliseconds: number;
    stages: Stage[];
    gpuStages: Stage[];
}

/** Contact manifolds, one for each pair, in the order of the pairs. */
export interface Contacts {
    /** The points of pair k are `offsets[k]` to `offsets[k + 1]`. */
    offsets: Uint32Array;
    /** A unit vector from a to b for each pair; NaN if they do not collide. */
    normals: Float64Array;
    /** How far to move b along the normal to separate them; NaN if they do not collide. */
    depths: Float64Array;
    /** The body whose face has the normal: 0 for a, 1 for b, -1 for neither. */
    references: Int8Array;
    /** Two features for each pair: 0x0n is corner n, 0x1n edge n, 0x2n face n, 0x3n a round part. */
    features: Uint8Array;
    /** Three numbers for each point, on a. */
    onA: Float64Array;
    /** Three numbers for each point, on b. */
    onB: Float64Array;
    pointDepths: Float64Array;
    pointFeatures: Uint8Array;
}

/** Distances and closest points, one for each pair. */
export interface Distances {
    /** 0 if they collide. */
    distances: Float64Array;
    onA: Float64Array;
    onB: Float64Array;
}

/** The pairs that meet during a step, sorted by time. */
export interface Impacts {
    bodies: number;
    candidatePairs: number;
    pairs: Uint32Array;
    checksum: string;
    /** Seconds from the start of the step, never later than the true times. */
    times: Float64Array;
    normals: Float64Array;
    points: Float64Array;
    /** 1 if they share a point at the start. */
    starting: Uint8Array;
    /** 0 if the search ended before it could decide whether they meet. */
    resolved: Uint8Array;
    backend: "cpu" | "gpu";
    milliseconds: number;
    stages: Stage[];
}

/** The neighbours of body k are `neighbours[offsets[k]]` to `neighbours[offsets[k + 1] - 1]`. */
export interface Neighbours {
    offsets: Uint32Array;
    neighbours: Uint32Array;
    distances: Float64Array;
    /** 1 where the radius holds more than `nearest` neighbours. */
    cut: Uint8Array;
}

export interface SweepOptions {
    /** How near the time of contact is to the true one, as a distance. */
    tolerance?: number;
    /** A second set: only pairs of a body of each are looked for. */
    against?: BodiesOrBoxes;
    againstMotions?: Float32Array;
}

export interface NeighbourOptions {
    /** Search from these points, three numbers each, instead of from the bodies. */
    around?: Float32Array | Float64Array;
    /** How many neighbours; 1 if `within` is absent, too. */
    nearest?: number;
    /** The largest distance. */
    within?: number;
    /** Distances of surfaces instead of centers. */
    bySurface?: boolean;
}

/**
 * What a check has left on the GPU, for code that draws it. The next check overwrites the buffers,
 * which are `GPUBuffer`s.
 */
export interface Left {
    /**
     * The bodies that were checked, in `f32`: for each box quaternion x y z w, center, half extents,
     * and two `u32`; for each capsule quaternion, center, half length, radius, and three `u32`; for
     * each sphere center and radius. For a mesh the nine numbers of each triangle.
     */
    records: object;
    /** How many there are of each kind. */
    bodies: [boxes: number, capsules: number, spheres: number];
    triangles: number;
    /** The factor by which lengths are larger than those given: 1 unless these are tiny. */
    scale: number;
    /** Pairs that overlap, two `u32` each, in any order. */
    pairs: object;
    /** The number of those pairs. */
    listed: number;
    /** The pairs that overlap and are not among those, because they were decided on the CPU. */
    others: Uint32Array;
}

/** What the function `attach` of a module returns. */
export interface Guest {
    /**
     * Called after each check of one set, before it is answered; without a report if bodies were
     * only placed, and without `left` if that is not all on the GPU.
     */
    checked(left: Left | undefined, report: Report | undefined): void | Promise<void>;
}

/** Finds collisions. Each checker has a worker, and memory that it keeps from call to call. */
export class Checker {
    private constructor();
    /** Starts a checker. Throws `DeviceError` if `backend: "gpu"` finds no GPU. */
    static create(settings?: Settings): Promise<Checker>;
    /** Failures that do not affect answers. */
    readonly warnings: string[];
    /** The number of threads on which it checks on the CPU. */
    readonly threads: number;
    /** The colliding pairs within `bodies`, or between `bodies` and `against`. */
    check(bodies: BodiesOrBoxes, against?: BodiesOrBoxes): Promise<Report>;
    /** The colliding pairs among `pairs`: for a broad phase of your own. */
    checkPairs(bodies: BodiesOrBoxes, pairs: Uint32Array): Promise<Report>;
    /**
     * The self-intersections of a mesh, nine numbers for each triangle: the pairs of triangles that
     * share a point other than their common corner or edge.
     */
    checkMesh(triangles: Float32Array): Promise<Report>;
    /** The contacts of pairs, of which the second number is a position in `against` if given. */
    contacts(bodies: BodiesOrBoxes, pairs: Uint32Array, against?: BodiesOrBoxes): Promise<Contacts>;
    /** The distances and closest points of pairs. */
    distances(bodies: BodiesOrBoxes, pairs: Uint32Array, against?: BodiesOrBoxes): Promise<Distances>;
    /**
     * The pairs that share a point at any time during a step of `dt` seconds. `motions` has 3, 6, 9
     * or 10 numbers for each body: velocity, angular velocity, acceleration, uncertainty.
     */
    sweep(bodies: BodiesOrBoxes, motions: Float32Array, dt: number, options?: SweepOptions): Promise<Impacts>;
    /** The nearest neighbours of each body, or of each point of `around`. */
    neighbours(bodies: BodiesOrBoxes, options?: NeighbourOptions): Promise<Neighbours>;
    /**
     * Loads a module in the worker of a checker with `backend: "gpu"`, the only thread that can use
     * its `GPUDevice`, and calls its function `attach` with that and the arguments given: for example
     * an `OffscreenCanvas`, to draw what checks leave on the GPU. It returns a `Guest`, or a promise.
     */
    attach(module: string | URL, given?: unknown[], transfer?: Transferable[]): Promise<void>;
    /** Uploads bodies without checking them, for the module that is attached. */
    place(bodies: BodiesOrBoxes): Promise<void>;
    /** Uploads triangles without checking them. */
    placeMesh(triangles: Float32Array): Promise<void>;
    /** Ends the worker and frees its memory. */
    close(): void;
}

/** The boxes of a named scene: the same on every machine. */
export function scene(name: string, count: number, seed?: number): Promise<Float32Array>;
/** The names of all scenes, each with a description. */
export function scenes(): Promise<[name: string, description: string][]>;
/** The checksum of pairs, 16 hexadecimal digits, which does not depend on their order. */
export function checksum(pairs: Uint32Array): Promise<string>;
/** The number of pairs of each of `count` bodies. */
export function degrees(pairs: Uint32Array, count: number): Promise<Uint32Array>;
/** The bodies in a CSV file, compressed if its name ends in `.gz`, or the boxes in an NPY file. */
export function readScene(
    name: string,
    contents: Uint8Array,
): Promise<{ boxes: Float32Array; capsules: Float32Array; spheres: Float32Array; inPlane: boolean }>;
/**
 * The bodies in a table that another library has decoded, such as one in Parquet: the columns of a
 * CSV file, each with its name and its values. Numbers in a list are `bigint` where the column has
 * integers; `null` is an empty field. Errors call the table by its name.
 */
export function readTable(
    name: string,
    columns: [name: string, values: Float32Array | Float64Array | (number | bigint | boolean | string | null)[]][],
): Promise<{ boxes: Float32Array; capsules: Float32Array; spheres: Float32Array; inPlane: boolean }>;
/**
 * The triangles in an OBJ, STL, PLY, GLB or glTF file, nine numbers each. `origin` has been
 * subtracted from their corners: 0 unless they are far from 0. `notes` tell what has been left out.
 */
export function readMesh(
    name: string,
    contents: Uint8Array,
): Promise<{ triangles: Float32Array; origin: Float64Array; notes: string[] }>;
/** A picture drawn on the CPU. `marks` has 0 for free, 1 for touching, 2 for overlapping bodies. */
export function picture(
    bodies: BodiesOrBoxes,
    marks: Uint8Array,
    options?: {
        width?: number;
        height?: number;
        eye?: Float64Array;
        target?: Float64Array;
        triangles?: Float32Array;
        triangleMarks?: Uint8Array;
    },
): Promise<{ width: number; height: number; pixels: Uint8ClampedArray }>;

/** Any error of the package. `kind` names it, as in Rust. */
export class ObbligatoError extends Error {
    readonly kind: string;
}
/** Bodies, pairs, motions or options that are invalid. */
export class InvalidInputError extends ObbligatoError {
    /** The position of the first invalid entry. */
    readonly index?: number;
    /** The number of invalid entries. */
    readonly count?: number;
}
/** Memory that the browser or the GPU refuses. */
export class OutOfMemoryError extends ObbligatoError {
    /** Bytes. */
    readonly needed?: number;
}
/** Work beyond a limit. */
export class LimitExceededError extends ObbligatoError {
    readonly needed: number;
    readonly available: number;
}
/** There is no GPU, or it failed. */
export class DeviceError extends ObbligatoError {}
/** A form of answer that the settings do not allow. */
export class UnavailableError extends ObbligatoError {}
