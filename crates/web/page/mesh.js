// A mesh on the page: triangles, numbered in the order of their file.

const TRIANGLE = 9;

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Triangles, their middle and their radius; used like `Bodies`. */
export class Mesh {
    isMesh = true;
    boxes = 0;
    #rest;

    constructor({ triangles, notes }) {
        this.triangles = triangles;
        this.notes = notes;
        this.count = triangles.length / TRIANGLE;
        this.#measure();
    }

    /** The argument of a checker. */
    get given() {
        return this.triangles;
    }

    /** The arguments of a picture. */
    pictured(marks) {
        return [{}, new Uint8Array(), { triangles: this.triangles, triangleMarks: marks }];
    }

    #measure() {
        const { triangles } = this;
        const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
        for (let k = 0; k < triangles.length; k++) {
            low[k % 3] = Math.min(low[k % 3], triangles[k]);
            high[k % 3] = Math.max(high[k % 3], triangles[k]);
        }
        const any = this.count > 0;
        // An f32, as a shader subtracts it.
        this.middle = low.map((x, k) => (any ? Math.fround((x + high[k]) / 2) : 0));
        this.radius = any ? Math.max(1e-3, Math.hypot(...low.map((x, k) => (high[k] - x) / 2))) : 1;
    }

    #corners(list, body) {
        return [0, 3, 6].map((k) => list.subarray(TRIANGLE * body + k, TRIANGLE * body + k + 3));
    }

    #center(list, body) {
        const [a, b, c] = this.#corners(list, body);
        return [0, 1, 2].map((axis) => (a[axis] + b[axis] + c[axis]) / 3);
    }

    center(body) {
        return this.#center(this.triangles, body);
    }

    setCenter(body, ...center) {
        // From the triangle in the file: nothing is rounded twice.
        this.#rest ??= this.triangles.slice();
        const move = minus(center, this.#center(this.#rest, body));
        for (let k = 0; k < TRIANGLE; k++) {
            this.triangles[TRIANGLE * body + k] = this.#rest[TRIANGLE * body + k] + move[k % 3];
        }
    }

    /** Half the extents of the bounds of a triangle. */
    extents(body) {
        const corners = this.#corners(this.triangles, body);
        return [0, 1, 2].map((axis) => {
            const along = corners.map((corner) => corner[axis]);
            return (Math.max(...along) - Math.min(...along)) / 2;
        });
    }

    name() {
        return "triangle";
    }

    /** The first triangle that a ray meets, -1 if there is none. `eye` is relative to the middle. */
    pick(eye, ray) {
        const at = eye.map((x, axis) => x + this.middle[axis]);
        let [nearest, found] = [Infinity, -1];
        for (let body = 0; body < this.count; body++) {
            const [a, b, c] = this.#corners(this.triangles, body);
            const [u, v, from] = [minus(b, a), minus(c, a), minus(at, a)];
            const [p, q] = [cross(ray, v), cross(from, u)];
            const volume = dot(u, p);
            const [s, t, depth] = [dot(from, p) / volume, dot(ray, q) / volume, dot(v, q) / volume];
            if (s >= 0 && t >= 0 && s + t <= 1 && depth > 0 && depth < nearest) {
                [nearest, found] = [depth, body];
            }
        }
        return found;
    }
}
