// Draws bodies by WebGPU, with the shaders of pictures.

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

/** Draws in a canvas. `lost` is called if the device is. */
export class GpuView {
    #counts = { boxes: 0, all: 0, isMesh: false };
    #buffers = {};
    #targets = [];

    /** Resolves to undefined if there is no WebGPU. */
    static async create(canvas, lost) {
        const adapter = await navigator.gpu?.requestAdapter();
        if (!adapter) {
            return undefined;
        }
        const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
        const device = await adapter.requestDevice({
            requiredLimits: { maxStorageBufferBindingSize, maxBufferSize },
        });
        const source = await (await fetch(new URL("./boxes.wgsl", import.meta.url))).text();
        return new GpuView(canvas, device, source, adapter, lost);
    }

    constructor(canvas, device, source, adapter, lost) {
        this.canvas = canvas;
        this.device = device;
        this.name = adapter.info?.description || [adapter.info?.vendor, adapter.info?.architecture].join(" ").trim();
        device.lost.then(({ reason, message }) => reason === "destroyed" || lost(message));
        this.context = canvas.getContext("webgpu");
        const format = navigator.gpu.getPreferredCanvasFormat();
        // Blended and averaged as linear light. A canvas cannot have this format, so the picture is
        // copied to it.
        this.format = `${format}-srgb`;
        const usage = GPUTextureUsage.COPY_DST;
        this.context.configure({ device, format, usage, alphaMode: "opaque" });
        const module = device.createShaderModule({ code: source });
        const visibility = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
        const layout = device.createBindGroupLayout({
            entries: ["uniform", "uniform", "read-only-storage", "read-only-storage"].map((type, binding) => ({
                binding,
                visibility,
                buffer: { type },
            })),
        });
        this.layout = layout;
        const pipeline = (vertex, fragment, cullMode) =>
            device.createRenderPipeline({
                layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
                vertex: { module, entryPoint: vertex },
                primitive: { cullMode },
                depthStencil: { format: DEPTH, depthWriteEnabled: true, depthCompare: "greater" },
                multisample: { count: SAMPLES },
                fragment: { module, entryPoint: fragment, targets: [{ format: this.format }] },
            });
        this.boxes = pipeline("page_box", "draw_box", "back");
        this.round = pipeline("page_solid", "draw_solid", "front");
        this.facets = pipeline("page_facet", "draw_facet", "none");
        this.indices = this.#buffer(INDICES, GPUBufferUsage.INDEX);
        this.lens = device.createBuffer({ size: 272, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
        this.eye = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    }

    #buffer(contents, usage) {
        const size = Math.max(64, Math.ceil(contents.byteLength / 4) * 4);
        const buffer = this.device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST });
        this.device.queue.writeBuffer(buffer, 0, contents);
        return buffer;
    }

    // Writes a list into its buffer, or into a new one if it does not have the same size.
    #update(name, contents) {
        const old = this.#buffers[name];
        if (old && old.size >= contents.byteLength && old.size <= 2 * Math.max(64, contents.byteLength)) {
            this.device.queue.writeBuffer(old, 0, contents);
            return;
        }
        old?.destroy();
        this.#buffers[name] = this.#buffer(contents, GPUBufferUsage.STORAGE);
        this.group = undefined;
    }

    /** Sets the records of all bodies, of which the first are boxes, or of the triangles of a mesh. */
    setBodies({ records, boxes, count, isMesh }) {
        this.#update("bodies", records);
        this.#counts = { boxes, all: count, isMesh };
    }

    setTints(tints) {
        this.#update("tints", tints);
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

    draw(camera, radius, theme) {
        const { canvas, device } = this;
        if (!this.#buffers.bodies || !this.#buffers.tints) {
            return;
        }
        const { record, eye, unit, background } = camera.lens([canvas.width, canvas.height], radius, theme);
        device.queue.writeBuffer(this.lens, 0, record);
        device.queue.writeBuffer(this.eye, 0, new Float32Array([...eye, unit]));
        const resources = [this.lens, this.eye, this.#buffers.bodies, this.#buffers.tints];
        this.group ??= device.createBindGroup({
            layout: this.layout,
            entries: resources.map((buffer, binding) => ({ binding, resource: { buffer } })),
        });
        const [colours, depths, picture] = this.#samples(canvas);
        const [r, g, b] = background;
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
        const { boxes, all, isMesh } = this.#counts;
        pass.setBindGroup(0, this.group);
        pass.setIndexBuffer(this.indices, "uint16");
        if (isMesh) {
            pass.setPipeline(this.facets);
            pass.draw(3, all);
        } else {
            pass.setPipeline(this.boxes);
            pass.drawIndexed(FRONT, boxes);
        }
        if (all > boxes && !isMesh) {
            pass.setPipeline(this.round);
            pass.drawIndexed(INDICES.length - FRONT, all - boxes, FRONT, 0, boxes);
        }
        pass.end();
        const texture = this.context.getCurrentTexture();
        encoder.copyTextureToTexture({ texture: picture }, { texture }, [canvas.width, canvas.height]);
        device.queue.submit([encoder.finish()]);
    }

    end() {
        this.device.destroy();
    }
}
