// The page's side of what is drawn by WebGPU, in the worker of the checker on the GPU: drawing.js.

import { partsOf } from "./bodies.js";

/** Draws in a canvas from what the last check has left on the GPU. */
export class GpuView {
    #port;
    #counts = [];
    #size = [1, 1];
    name = "the GPU";

    /** Resolves to the view in a canvas that no other view has. `lost` is called if the device is. */
    static async open(checker, canvas, lost) {
        const { port1, port2 } = new MessageChannel();
        const view = new GpuView(canvas, port1);
        const named = new Promise((resolve) => {
            port1.onmessage = ({ data: { name, counts, lost: message } }) => {
                if (name !== undefined) {
                    view.name = name || view.name;
                    resolve();
                } else if (counts) {
                    view.#counts.shift().resolve(counts);
                } else {
                    view.end();
                    lost(message);
                }
            };
        });
        const given = [canvas.transferControlToOffscreen(), port2];
        await checker.attach(new URL("./drawing.js", import.meta.url), given, given);
        await named;
        return view;
    }

    constructor(canvas, port) {
        this.canvas = canvas;
        this.#port = port;
    }

    /** Sets the states of all bodies from a report of the CPU, in place of those of the last check. */
    mark(report) {
        const [overlapping, touching] = partsOf(report);
        this.#port.postMessage(["mark", { overlapping, touching }]);
    }

    /** Resolves to the numbers of free, touching and overlapping bodies, counted on the GPU. */
    counts() {
        return new Promise((resolve, reject) => {
            this.#counts.push({ resolve, reject });
            this.#port.postMessage(["count"]);
        });
    }

    /** Gives up what waits for the GPU. */
    end() {
        const error = Object.assign(new Error("the GPU was lost"), { kind: "DeviceLost" });
        this.#counts.splice(0).forEach(({ reject }) => reject(error));
    }

    /** Colours a body, and the others in these pairs. */
    pick(picked, pairs) {
        this.#port.postMessage(["pick", { picked, pairs }]);
    }

    resize(width, height) {
        this.#size = [width, height];
    }

    draw({ middle, radius }, camera, theme) {
        this.#port.postMessage(["draw", { ...camera.lens(this.#size, radius, theme), middle, size: this.#size }]);
    }
}
