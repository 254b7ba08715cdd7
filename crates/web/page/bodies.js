// The bodies of the page: boxes, capsules and spheres, numbered in this order.

const BOX = 10;
const CAPSULE = 9;
const SPHERE = 4;

/** A scene, its middle and its radius. */
export class Bodies {
    constructor({ boxes, capsules = new Float32Array(), spheres = new Float32Array() }) {
        this.lists = { boxes, capsules, spheres };
        this.boxes = boxes.length / BOX;
        this.capsules = capsules.length / CAPSULE;
        this.count = this.boxes + this.capsules + spheres.length / SPHERE;
        this.#measure();
    }

    /** The argument of a checker. */
    get given() {
        const { boxes, capsules, spheres } = this.lists;
        return capsules.length + spheres.length === 0 ? boxes : { boxes, capsules, spheres };
    }

    /** The arguments of a picture. */
    pictured(marks) {
        return [this.given, marks, {}];
    }

    // The list with a body, the place of its first number, and its kind.
    #place(body) {
        const { boxes, capsules, spheres } = this.lists;
        if (body < this.boxes) {
            return [boxes, BOX * body, 0];
        }
        body -= this.boxes;
        return body < this.capsules ? [capsules, CAPSULE * body, 2] : [spheres, SPHERE * (body - this.capsules), 1];
    }

    center(body) {
        const [list, first] = this.#place(body);
        return [list[first], list[first + 1], list[first + 2]];
    }

    setCenter(body, x, y, z) {
        const [list, first] = this.#place(body);
        list[first] = x;
        list[first + 1] = y;
        list[first + 2] = z;
    }

    #measure() {
        const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
        for (let body = 0; body < this.count; body++) {
            const [list, first] = this.#place(body);
            for (let axis = 0; axis < 3; axis++) {
                low[axis] = Math.min(low[axis], list[first + axis]);
                high[axis] = Math.max(high[axis], list[first + axis]);
            }
        }
        const any = this.count > 0;
        // An f32, as a shader subtracts it.
        this.middle = low.map((x, k) => (any ? Math.fround((x + high[k]) / 2) : 0));
        this.radius = any ? Math.max(1e-3, Math.hypot(...low.map((x, k) => (high[k] - x) / 2))) : 1;
        this.low = low;
        this.high = high;
        // Bodies reach beyond their centers.
        const sizes = Array.from({ length: Math.min(this.count, 1000) }, (_, k) => Math.hypot(...this.extents(k)));
        this.radius += Math.max(0, ...sizes);
    }

    /** The half extents of the box around a body along its own axes. */
    extents(body) {
        const [list, first, kind] = this.#place(body);
        if (kind === 0) {
            return [list[first + 3], list[first + 4], list[first + 5]];
        }
        const radius = list[first + (kind === 1 ? 3 : 8)];
        return [radius, radius, kind === 1 ? radius : radius + list[first + 3]];
    }

    rotation(body) {
        const [list, first, kind] = this.#place(body);
        const place = first + (kind === 0 ? 6 : 4);
        return kind === 1 ? [0, 0, 0, 1] : [list[place], list[place + 1], list[place + 2], list[place + 3]];
    }

    name(body) {
        return ["box", "sphere", "capsule"][this.#place(body)[2]];
    }

    /** The first body that a ray meets, -1 if there is none. `eye` is relative to the middle. */
    pick(eye, ray) {
        let [nearest, found] = [Infinity, -1];
        const squared = ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2;
        for (let body = 0; body < this.count; body++) {
            const from = this.center(body).map((x, axis) => eye[axis] - (x - this.middle[axis]));
            const half = this.extents(body);
            const reach = half[0] + half[1] + half[2];
            const along = -(from[0] * ray[0] + from[1] * ray[1] + from[2] * ray[2]);
            const apart = from[0] ** 2 + from[1] ** 2 + from[2] ** 2 - (along * Math.max(along, 0)) / squared;
            if (apart > reach * reach) {
                continue;
            }
            const q = this.rotation(body);
            const depth = boxDepth(turnedBack(q, from), turnedBack(q, ray), half);
            if (depth < nearest) {
                [nearest, found] = [depth, body];
            }
        }
        return found;
    }
}

// A vector in the frame of a quaternion.
const turnedBack = ([x, y, z, w], [a, b, c]) => {
    const [tx, ty, tz] = [2 * (c * y - b * z), 2 * (a * z - c * x), 2 * (b * x - a * y)];
    return [
        a + w * tx - (y * tz - z * ty),
        b + w * ty - (z * tx - x * tz),
        c + w * tz - (x * ty - y * tx),
    ];
};

// The depth at which a ray enters a box around the origin, Infinity if it does not.
const boxDepth = (from, ray, half) => {
    let [near, far] = [0, Infinity];
    for (let axis = 0; axis < 3; axis++) {
        const [a, b] = [(-half[axis] - from[axis]) / ray[axis], (half[axis] - from[axis]) / ray[axis]];
        near = Math.max(near, Math.min(a, b));
        far = Math.min(far, Math.max(a, b));
    }
    return near <= far ? near : Infinity;
};

/** The pairs of a report that overlap, and those that touch. Both of its lists are sorted. */
export const partsOf = ({ pairs, touching = new Uint32Array() }) => {
    const overlapping = new Uint32Array(pairs.length - touching.length);
    let next = 0;
    for (let k = 0; k < pairs.length; k += 2) {
        if (touching[next] === pairs[k] && touching[next + 1] === pairs[k + 1]) {
            next += 2;
        } else {
            overlapping[k - next] = pairs[k];
            overlapping[k - next + 1] = pairs[k + 1];
        }
    }
    return [overlapping, touching];
};

/** The mark of each of `count` bodies: 0 free, 1 touching, 2 overlapping. */
export const marksOf = (report, count) => {
    const [overlapping, touching] = partsOf(report);
    const marks = new Uint8Array(count);
    touching.forEach((body) => (marks[body] = 1));
    overlapping.forEach((body) => (marks[body] = 2));
    return marks;
};

/** Moves the bodies of a scene to and fro: each along a direction of its own, by its own size. */
export class Motion {
    constructor(bodies) {
        this.bodies = bodies;
        this.seconds = 0;
        this.start = new Float64Array(3 * bodies.count);
        this.ways = new Float64Array(3 * bodies.count);
        let state = 1;
        const random = () => {
            state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
            return state / 2 ** 31 - 1;
        };
        for (let body = 0; body < bodies.count; body++) {
            this.start.set(bodies.center(body), 3 * body);
            const size = 1.5 * Math.hypot(...bodies.extents(body));
            this.ways.set([random() * size, random() * size, random() * size], 3 * body);
        }
    }

    advance(seconds) {
        this.seconds += seconds;
        const { bodies, start, ways } = this;
        const swing = Math.sin(1.5 * this.seconds);
        for (let body = 0; body < bodies.count; body++) {
            const k = 3 * body;
            const at = (axis) => start[k + axis] + swing * ways[k + axis];
            bodies.setCenter(body, at(0), at(1), at(2));
        }
    }
}
