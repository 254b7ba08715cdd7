// A camera that orbits a point, and the lens record of the pictures' shaders
// (crates/render/src/lens.rs).

const FIELD_OF_VIEW = Math.PI / 6;
const MOST_PITCH = Math.PI / 2 - 0.001;
const MOST_HAZE = 0.3;
const NEAR = 1e-5;
const LENS_FLOATS = 68;

const add = (a, b, scale = 1) => a.map((x, k) => x + scale * b[k]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a, by) => a.map((x) => x * by);
const normalized = (a) => scaled(a, 1 / Math.hypot(...a));

const linear = (channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};

// Free, touching, overlapping (crates/render/src/colours.rs), then the picked body and its partners.
const PALETTE = [
    [184, 188, 194],
    [0, 114, 178],
    [213, 94, 0],
    [240, 228, 66],
    [0, 158, 115],
    [0, 0, 0],
    [0, 0, 0],
];
const BACKGROUNDS = { light: [247, 248, 250], dark: [24, 27, 32] };

/** A camera around `target`, with z up. Positions are relative to the middle of the scene. */
export class Camera {
    target = [0, 0, 0];
    distance = 10;
    yaw = -2.07;
    pitch = 0.56;

    /** Looks at a whole scene of this radius in a picture of this aspect. */
    fit(radius, aspect) {
        this.target = [0, 0, 0];
        const half = Math.tan(FIELD_OF_VIEW / 2) * Math.min(1, aspect);
        this.distance = (radius || 1) / Math.sin(Math.atan(half));
    }

    turn(yaw, pitch) {
        this.yaw += yaw;
        this.pitch = Math.max(-MOST_PITCH, Math.min(MOST_PITCH, this.pitch + pitch));
    }

    zoom(factor) {
        this.distance = Math.max(1e-6, this.distance * factor);
    }

    /** Moves the target in the plane of the picture, by fractions of its height. */
    move(right, up) {
        const axes = this.axes();
        const size = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
        this.target = add(add(this.target, axes.right, right * size), axes.up, up * size);
    }

    axes() {
        const { yaw, pitch } = this;
        const back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
        const right = normalized(cross(scaled(back, -1), [0, 0, 1]));
        return { forward: scaled(back, -1), right, up: cross(back, right) };
    }

    eye() {
        return add(this.target, this.axes().forward, -this.distance);
    }

    /** The ray through a pixel: from the eye, with a depth of 1 along the camera's axis. */
    ray(x, y, [width, height]) {
        const { forward, right, up } = this.axes();
        const pixel = (2 * Math.tan(FIELD_OF_VIEW / 2)) / height;
        return add(add(forward, right, (x - width / 2) * pixel), up, (height / 2 - y) * pixel);
    }

    /** The pixel of a point; undefined behind the eye. */
    pixel(point, [width, height]) {
        const { forward, right, up } = this.axes();
        const from = add(point, this.eye(), -1);
        const depth = dot(from, forward);
        if (depth <= 0) {
            return undefined;
        }
        const pixel = (2 * Math.tan(FIELD_OF_VIEW / 2)) / height;
        return [width / 2 + dot(from, right) / depth / pixel, height / 2 - dot(from, up) / depth / pixel];
    }

    /** The lens record for a scene of this radius, the eye in units of the record, and the unit. */
    lens([width, height], radius, theme) {
        const { forward, right, up } = this.axes();
        const unit = 2 ** Math.floor(Math.log2(this.distance));
        const pixel = (2 * Math.tan(FIELD_OF_VIEW / 2)) / height;
        const eye = this.eye();
        const middle = -dot(eye, forward);
        const near = Math.max(0, (middle - radius) / unit);
        const span = (middle + radius) / unit - near;
        const haze = span > 0 ? (MOST_HAZE * span) / (span + near) : 0;
        const corner = add(add(forward, up, (pixel * height) / 2), right, (-pixel * width) / 2);
        const lamp = normalized(add(add(scaled(up, 0.62), right, -0.42), forward, -0.66));
        const record = new Float32Array(LENS_FLOATS);
        const rows = [
            [...corner, near],
            [...scaled(right, pixel), span > 0 ? 1 / span : 0],
            [...scaled(up, -pixel), haze],
            [...forward, NEAR],
            [...lamp, 0.62],
            [0, 0, 1, 0.5],
            [...BACKGROUNDS[theme].map(linear), 0],
            [0, 0, 2 / (width * pixel), 2 / (height * pixel)],
            [...right, 0.72],
            [...up, 0],
            ...PALETTE.map((colour) => [...colour.map(linear), 1]),
        ];
        rows.forEach((row, k) => record.set(row, 4 * k));
        return { record, eye, unit, background: BACKGROUNDS[theme].map(linear) };
    }
}
