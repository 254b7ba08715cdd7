// Draws bodies by WebGPU with the shaders of pictures, in the worker of a checker: from the bodies
// and the pairs that its last check has left on the GPU. Only the camera comes from the page, and
// only numbers go there.

// The corners of the triangles of a box: of the three faces towards the eye, then of all six
// (crates/render/src/gpu/pipelines.rs).
const INDICES = new Uint16Array([
    1, 3, 7, 1, 7, 5, 2, 6, 7, 2, 7, 3, 4, 5, 7, 4, 7, 6,
    1, 3, 7, 1, 7, 5, 2, 6, 7, 2, 7, 3, 4, 5, 7, 4, 7, 6,
    0, 4, 6, 0, 6, 2, 0, 1, 5, 0, 5, 4, 0, 2, 3, 0, 3, 1,
]);
const FRONT = 18;
const SAMPLES = 4;
const DEPTH = "depth32float";
const NOBODY = 0xffffffff;

const loaded = async (name) => (await fetch(new URL(name, import.meta.url))).text();

const bufferOf = (device, contents, usage) => {
    const size = Math.max(16, Math.ceil(contents.byteLength / 4) * 4);
    const buffer = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, contents);
    return buffer;
};

/** The state of each body, written on the GPU from pairs, and how many bodies are in each. */
class States {
    /** The number of bodies. */
    count = 0;

    constructor(device, code) {
        this.device = device;
        const module = device.createShaderModule({ code });
        const visibility = GPUShaderStage.COMPUTE;
        this.layout = device.createBindGroupLayout({
            label: "states",
            entries: ["read-only-storage", "storage", "storage"].map((type, binding) => ({
                binding,
                visibility,
                buffer: { type },
            })),
        });
        const layout = device.createPipelineLayout({ bindGroupLayouts: [this.layout] });
        const kernel = (entryPoint, constants) =>
            device.createComputePipeline({ layout, compute: { module, entryPoint, constants } });
        const [touching, overlapping, partners] = [1, 2, 4].map((state) => kernel("mark_pairs", { state }));
        this.kernels = { touching, overlapping, partners, forget: kernel("forget_partners"), count: kernel("count_states") };
        this.buffer = bufferOf(device, new Uint32Array(1), GPUBufferUsage.STORAGE);
        // Bound where a kernel reads no pairs.
        this.none = bufferOf(device, new Uint32Array(2), GPUBufferUsage.STORAGE);
        this.counts = bufferOf(device, new Uint32Array(3), GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
    }

    /** Makes room for the states of this many bodies. Returns true if that took another buffer. */
    reserve(count) {
        this.count = count;
        const size = 4 * count;
        if (this.buffer.size >= size && this.buffer.size <= Math.max(4096, 4 * size)) {
            return false;
        }
        this.buffer.destroy();
        const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
        this.buffer = this.device.createBuffer({ size: Math.max(16, size), usage, label: "states" });
        return true;
    }

    // Runs a kernel over this many pairs or bodies.
    #run(encoder, kernel, pairs, count) {
        if (count === 0 || this.count === 0) {
            return;
        }
        const resources = [pairs, { buffer: this.buffer, size: 4 * this.count }, { buffer: this.counts }];
        const pass = encoder.beginComputePass();
        pass.setPipeline(kernel);
        pass.setBindGroup(
            0,
            this.device.createBindGroup({
                layout: this.layout,
                entries: resources.map((resource, binding) => ({ binding, resource })),
            }),
        );
        pass.dispatchWorkgroups(Math.min(65535, Math.ceil(count / 256)));
        pass.end();
    }

    // Sets a state for the bodies of these pairs of the host.
    #mark(encoder, kernel, pairs) {
        if (pairs?.length) {
            const buffer = bufferOf(this.device, pairs, GPUBufferUsage.STORAGE);
            this.#run(encoder, kernel, { buffer, size: pairs.byteLength }, pairs.length / 2);
            return [buffer];
        }
        return [];
    }

    #submit(record) {
        const encoder = this.device.createCommandEncoder();
        const uploads = record(encoder);
        this.device.queue.submit([encoder.finish()]);
        uploads.forEach((buffer) => buffer.destroy());
    }

    /** Sets the states: from the first `listed` pairs of a buffer, and from pairs of the host. */
    set({ pairs, listed = 0, overlapping, touching }) {
        const { kernels } = this;
        this.#submit((encoder) => {
            encoder.clearBuffer(this.buffer);
            this.#run(encoder, kernels.overlapping, { buffer: pairs, size: 8 * listed }, listed);
            return [
                ...this.#mark(encoder, kernels.overlapping, overlapping),
                ...this.#mark(encoder, kernels.touching, touching),
            ];
        });
    }

    /** Sets the partners of the picked body, given the pairs that it is in. */
    setPartners(pairs) {
        this.#submit((encoder) => {
            this.#run(encoder, this.kernels.forget, { buffer: this.none }, this.count);
            return this.#mark(encoder, this.kernels.partners, pairs);
        });
    }

    /** Resolves to the numbers of free, touching and overlapping bodies. */
    async counted() {
        const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
        const read = this.device.createBuffer({ size: this.counts.size, usage });
        this.#submit((encoder) => {
            encoder.clearBuffer(this.counts);
            this.#run(encoder, this.kernels.count, { buffer: this.none }, this.count);
            encoder.copyBufferToBuffer(this.counts, 0, read, 0, read.size);
            return [];
        });
        await read.mapAsync(GPUMapMode.READ);
        const counts = [...new Uint32Array(read.getMappedRange(0, 12))];
        read.destroy();
        return counts;
    }
}

/** Draws in a canvas of the page. */
class Drawing {
    #left;
    #picked = NOBODY;
    #targets = [];
    #next;

    constructor(device, canvas, [boxes, states]) {
        this.device = device;
        this.canvas = canvas;
        this.states = new States(device, states);
        this.context = canvas.getContext("webgpu");
        const format = navigator.gpu.getPreferredCanvasFormat();
        // Blended and averaged as linear light. A canvas cannot have this format, so the picture is
        // copied to it.
        this.format = `${format}-srgb`;
        const usage = GPUTextureUsage.COPY_DST;
        this.context.configure({ device, format, usage, alphaMode: "opaque" });
        const module = device.createShaderModule({ code: boxes });
        const visibility = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
        this.layout = device.createBindGroupLayout({
            label: "picture",
            entries: ["uniform", "uniform", "read-only-storage", "read-only-storage"].map((type, binding) => ({
                binding,
                visibility,
                buffer: { type },
            })),
        });
        const layout = device.createPipelineLayout({ bindGroupLayouts: [this.layout] });
        const pipeline = (vertex, fragment, cullMode) =>
            device.createRenderPipeline({
                layout,
                vertex: { module, entryPoint: vertex },
                primitive: { cullMode },
                depthStencil: { format: DEPTH, depthWriteEnabled: true, depthCompare: "greater" },
                multisample: { count: SAMPLES },
                fragment: { module, entryPoint: fragment, targets: [{ format: this.format }] },
            });
        this.boxes = pipeline("page_box", "draw_box", "back");
        this.round = pipeline("page_solid", "draw_solid", "front");
        this.facets = pipeline("page_facet", "draw_facet", "none");
        this.indices = bufferOf(device, INDICES, GPUBufferUsage.INDEX);
        this.lens = bufferOf(device, new Float32Array(68), GPUBufferUsage.UNIFORM);
        this.eye = bufferOf(device, new Float32Array(12), GPUBufferUsage.UNIFORM);
    }

    /** Takes what a check has left, with its report; there is none if bodies are only placed. */
    checked(left, report) {
        const isOther = this.states.reserve(left ? left.triangles + left.bodies.reduce((sum, count) => sum + count) : 0);
        if (isOther || left?.records !== this.#left?.records) {
            this.group = undefined;
        }
        this.#left = left;
        if (!report) {
            this.#picked = NOBODY;
        }
        if (left) {
            this.states.set({ ...left, overlapping: left.others, touching: report?.touching });
        }
    }

    pick(picked, pairs) {
        this.#picked = picked ?? NOBODY;
        this.states.setPartners(pairs);
    }

    // The colours and depths of all samples, and the picture.
    #samples({ width, height }) {
        const [colours] = this.#targets;
        if (colours?.width === width && colours?.height === height) {
            return this.#targets;
        }
        this.#targets.forEach((texture) => texture.destroy());
        const texture = (format, sampleCount, usage) =>
            this.device.createTexture({
                size: [width, height],
                sampleCount,
                format,
                usage: usage | GPUTextureUsage.RENDER_ATTACHMENT,
            });
        return (this.#targets = [
            texture(this.format, SAMPLES, 0),
            texture(DEPTH, SAMPLES, 0),
            texture(this.format, 1, GPUTextureUsage.COPY_SRC),
        ]);
    }

    /** Draws before the next frame is shown. Requests that are overtaken are left out. */
    draw(request) {
        if (!this.#next) {
            requestAnimationFrame(() => {
                const next = this.#next;
                this.#next = undefined;
                this.#draw(next);
            });
        }
        this.#next = request;
    }

    // Writes what the shaders know of the camera, all the page gives them.
    #look({ record, eye, middle, unit }) {
        const { bodies, scale } = this.#left ?? { bodies: [0, 0, 0], scale: 1 };
        const words = new Float32Array(12);
        words.set(eye.map((x) => scale * x));
        words[3] = scale * unit;
        words.set(middle.map((x) => scale * x), 4);
        new Uint32Array(words.buffer).set([this.#picked, bodies[0], bodies[1]], 7);
        this.device.queue.writeBuffer(this.lens, 0, record);
        this.device.queue.writeBuffer(this.eye, 0, words);
    }

    #drawBodies(pass) {
        const { bodies, triangles, records } = this.#left;
        const resources = [this.lens, this.eye, records, this.states.buffer];
        this.group ??= this.device.createBindGroup({
            layout: this.layout,
            entries: resources.map((buffer, binding) => ({ binding, resource: { buffer } })),
        });
        const [boxes, capsules, spheres] = bodies;
        pass.setBindGroup(0, this.group);
        pass.setIndexBuffer(this.indices, "uint16");
        if (triangles > 0) {
            pass.setPipeline(this.facets);
            pass.draw(3, triangles);
        }
        if (boxes > 0) {
            pass.setPipeline(this.boxes);
            pass.drawIndexed(FRONT, boxes);
        }
        if (capsules + spheres > 0) {
            pass.setPipeline(this.round);
            pass.drawIndexed(INDICES.length - FRONT, capsules + spheres, FRONT, 0, boxes);
        }
    }

    #draw(request) {
        const { canvas, device } = this;
        const [width, height] = request.size;
        if (canvas.width !== width || canvas.height !== height) {
            Object.assign(canvas, { width, height });
        }
        this.#look(request);
        const [colours, depths, picture] = this.#samples(canvas);
        const [r, g, b] = request.background;
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
            colorAttachments: [
                {
                    view: colours.createView(),
                    resolveTarget: picture.createView(),
                    clearValue: { r, g, b, a: 1 },
                    loadOp: "clear",
                    storeOp: "discard",
                },
            ],
            depthStencilAttachment: {
                view: depths.createView(),
                depthClearValue: 0,
                depthLoadOp: "clear",
                depthStoreOp: "discard",
            },
        });
        if (this.#left) {
            this.#drawBodies(pass);
        }
        pass.end();
        const texture = this.context.getCurrentTexture();
        encoder.copyTextureToTexture({ texture: picture }, { texture }, [width, height]);
        device.queue.submit([encoder.finish()]);
    }
}

/** The guest of a checker: draws in `canvas` as it is told through `port`. */
export const attach = async (device, canvas, port) => {
    const drawing = new Drawing(device, canvas, await Promise.all(["./boxes.wgsl", "./states.wgsl"].map(loaded)));
    const answers = {
        draw: (request) => drawing.draw(request),
        pick: ({ picked, pairs }) => drawing.pick(picked, pairs),
        mark: (pairs) => drawing.states.set(pairs),
        count: () =>
            drawing.states.counted().then(
                (counts) => port.postMessage({ counts }),
                // Only a lost device cannot count, which is told below.
                () => {},
            ),
    };
    port.onmessage = ({ data: [name, given] }) => answers[name](given);
    device.lost.then(({ reason, message }) => reason === "destroyed" || port.postMessage({ lost: message }));
    const { description, vendor, architecture } = device.adapterInfo ?? {};
    port.postMessage({ name: description || [vendor, architecture].join(" ").trim() });
    return drawing;
};
