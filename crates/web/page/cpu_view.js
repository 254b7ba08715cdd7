// Draws bodies by the library's own renderer on the CPU, in a worker: for pages without WebGPU.

import { picture } from "./obbligato/index.js";

/** Draws in a canvas, one picture at a time; requests that are overtaken are left out. */
export class CpuView {
    #busy = false;
    #next;
    name = "the CPU";

    constructor(canvas, failed) {
        this.canvas = canvas;
        this.context = canvas.getContext("2d");
        this.failed = failed;
    }

    resize(width, height) {
        Object.assign(this.canvas, { width, height });
    }

    async draw(bodies, marks, camera) {
        if (this.#busy) {
            this.#next = [bodies, marks, camera];
            return;
        }
        this.#busy = true;
        const { width, height } = this.canvas;
        const at = (point) => Float64Array.from(point, (x, k) => x + bodies.middle[k]);
        try {
            const [shown, own, options] = bodies.pictured(marks);
            const eye = at(camera.eye());
            const drawn = await picture(shown, own, { width, height, eye, target: at(camera.target), ...options });
            if (drawn.width === this.canvas.width && drawn.height === this.canvas.height) {
                this.context.putImageData(new ImageData(drawn.pixels, drawn.width, drawn.height), 0, 0);
            }
        } catch (error) {
            this.failed(error);
        }
        this.#busy = false;
        const next = this.#next;
        this.#next = undefined;
        if (next) {
            this.draw(...next);
        }
    }
}
