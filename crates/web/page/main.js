// The page: choices, checks and what is shown.

import { Bodies, Motion, marksOf } from "./bodies.js";
import { Camera } from "./camera.js";
import { Side } from "./checks.js";
import { CpuView } from "./cpu_view.js";
import { download, read } from "./files.js";
import { GpuView } from "./gpu_view.js";
import { meetingsOf, pairsWith, partnersIn, tell } from "./picked.js";
import { followPointers } from "./pointers.js";
import { scene, scenes } from "./obbligato/index.js";
import { showTable } from "./table.js";

const MOST_BODIES = 1_000_000;
/** The scene to begin with. */
const FIRST = { scene: "crowd", size: 20_000 };
const at = (id) => document.getElementById(id);
const count = new Intl.NumberFormat("en");

const gpu = new Side("gpu", { opened: (checker) => drawByGpu(checker), closed: (error) => leaveGpu(error) });
const sides = [new Side("cpu"), gpu];
const camera = new Camera();
let native = {};
/** The scene in view: bodies, how many are in each state, its name or file, the picked body; marks for the CPU. */
let shown;
let view;
/** The error that has ended the checks on the GPU, which is told. */
let ended;
let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
let playing = false;
let drawing = false;
/** The number of frames since a time, while playing. */
let counted;

const say = (text, isError = false) => {
    at("status").textContent = text;
    at("status").classList.toggle("error", isError);
};

const failed = (error) => {
    playing = false;
    at("play").setAttribute("aria-pressed", "false");
    const isOfGpu = error === ended || ["Closed", "DeviceLost"].includes(error.kind);
    const isTold = ended && isOfGpu && !at("on-gpu").checked;
    if (!isTold) {
        say(error.message, true);
    }
};

/** Runs `work`; what it throws is told. */
const told = (work) => async (event) => {
    try {
        await work(event);
    } catch (error) {
        failed(error);
    }
};

// Draws before the next frame is shown.
const draw = () => {
    if (drawing || !view || !shown?.isPlaced) {
        return;
    }
    drawing = true;
    requestAnimationFrame(() => {
        drawing = false;
        const { bodies, marks, isPlaced } = shown;
        if (!isPlaced) {
            return;
        }
        if (view instanceof GpuView) {
            view.draw(bodies, camera, theme);
        } else {
            view.draw(bodies, Uint8Array.from(marks), camera);
        }
        placeRing();
    });
};

const placeRing = () => {
    const { canvas } = view;
    const { bodies, picked } = shown;
    const relative = picked === undefined ? undefined : bodies.center(picked).map((x, k) => x - bodies.middle[k]);
    const pixel = relative && camera.pixel(relative, [canvas.clientWidth, canvas.clientHeight]);
    at("ring").hidden = !pixel;
    if (pixel) {
        at("ring").style.left = `${pixel[0]}px`;
        at("ring").style.top = `${pixel[1]}px`;
    }
};

const resize = () => {
    const { canvas } = view;
    const scale = view instanceof GpuView ? Math.min(2, devicePixelRatio) : 1;
    const pixels = (side) => Math.max(1, Math.round(side * scale));
    view.resize(pixels(canvas.clientWidth), pixels(canvas.clientHeight));
    draw();
};

/** The reports of both sides, those of the chosen ones. */
const reports = () => sides.map((side) => (isChosen(side) ? side.report : undefined));
const isChosen = (side) => at(`on-${side.backend}`).checked;

const showAnswers = () => {
    const { name, bodies } = shown;
    const known = shown.moved || !name ? undefined : native[name]?.[bodies.count];
    showTable(at("results").tBodies[0], reports(), known);
    ["free", "touching", "overlapping"].forEach((word, k) => {
        at(`count-${word}`).textContent = count.format(shown.counts[k]);
    });
    at("touching").hidden = Boolean(bodies.isMesh);
    at("overlapping").textContent = bodies.isMesh ? "intersecting" : "overlapping";
    at("download").disabled = !reports().some((report) => report);
};

/** Uploads the bodies to the GPU if it draws them. */
const place = async (scene) => {
    if (view instanceof GpuView) {
        await gpu.place(scene.bodies);
    }
    scene.isPlaced = true;
};

/** Sets the states of all bodies, of which the GPU needs nothing if it has made the last report. */
const setStates = async (scene, report) => {
    if (!(view instanceof GpuView)) {
        scene.marks = marksOf(report, scene.bodies.count);
        scene.counts = [0, 1, 2].map((own) => scene.marks.reduce((sum, mark) => sum + (mark === own), 0));
        return;
    }
    if (report.backend === "cpu") {
        await place(scene);
        view.mark(report);
    }
    scene.counts = await view.counts();
};

/** Checks what is shown on the chosen sides, one after the other. */
const check = async () => {
    const current = shown;
    const chosen = sides.filter(isChosen);
    if (chosen.length === 0) {
        throw new Error("nothing is chosen to check on: choose the CPU, the GPU or both");
    }
    for (const side of chosen) {
        if (!playing) {
            say(`Checking ${count.format(current.bodies.count)} bodies on the ${side.backend.toUpperCase()}.`);
        }
        await side.check(current.bodies);
        if (shown !== current) {
            return;
        }
    }
    for (const side of sides) {
        side.report = isChosen(side) ? side.report : undefined;
    }
    const sums = new Set(chosen.map((side) => side.report.checksum));
    if (sums.size > 1) {
        throw new Error("CPU and GPU disagree: please report this");
    }
    await setStates(current, chosen.at(-1).report);
    if (shown !== current) {
        return;
    }
    showAnswers();
    if (!playing) {
        say(verdict(chosen.map((side) => side.report)));
    }
    await pickBody(current.picked);
};

const pairsOf = (report) => `${count.format(report.collidingPairs)} ${report.collidingPairs === 1 ? "pair" : "pairs"}`;

const verdict = ([report, other]) => {
    const { name, bodies } = shown;
    const sum = native[name]?.[bodies.count];
    const where = other ? "CPU and GPU agree" : `Found on the ${report.backend.toUpperCase()}`;
    if (shown.moved) {
        return `${where}: ${pairsOf(report)}.`;
    }
    if (sum) {
        return report.checksum === sum
            ? `${where}: ${pairsOf(report)}, those of the native program.`
            : "These are not the pairs of the native program: please report this.";
    }
    const command = bodies.isMesh ? "mesh" : "check";
    const notes = (bodies.notes ?? []).map((note) => ` ${note}.`).join("");
    return `${where}: ${pairsOf(report)}.${notes} Compare the checksum with that of obbligato ${command} ${shown.file ?? ""}`;
};

/** Shows other bodies, and checks them. */
const show = async (bodies, about) => {
    const current = { bodies, marks: new Uint8Array(bodies.count), moved: false, ...about };
    shown = current;
    sides.forEach((side) => (side.report = undefined));
    at("picked").hidden = true;
    await place(current);
    if (shown === current) {
        draw();
        await check();
    }
};

const fit = () => {
    const { clientWidth, clientHeight } = view.canvas;
    camera.fit(shown.bodies.radius, clientWidth / clientHeight);
    draw();
};

/** Shows the number of bodies among the sizes, also if it is none of them. */
const showSize = (size) => {
    // A file has no name among the scenes, and its number is no choice.
    const value = at("scene").value ? String(size) : "";
    Object.assign(at("other-size"), { textContent: count.format(size), value });
    at("size").value = value;
};

/** Shows a named scene. */
const choose = async (name, size) => {
    stop();
    if (!(size >= 1 && size <= MOST_BODIES)) {
        throw new Error(
            `this page shows up to ${count.format(MOST_BODIES)} bodies, not ${count.format(size)}: choose fewer, or use the library`,
        );
    }
    say(`Making ${count.format(size)} bodies of the scene ${name}.`);
    const bodies = new Bodies({ boxes: await scene(name, size) });
    at("scene").value = name;
    showSize(size);
    const isOther = shown?.name !== name || shown?.bodies.count !== size;
    const showing = show(bodies, { name });
    if (isOther) {
        fit();
    }
    await showing;
};

const open = async (file) => {
    stop();
    say(`Reading ${file.name}.`);
    const bodies = await read(file);
    if (bodies.count > MOST_BODIES) {
        throw new Error(`${file.name} has ${count.format(bodies.count)} bodies; this page shows up to ${count.format(MOST_BODIES)}`);
    }
    at("scene").value = "";
    showSize(bodies.count);
    const showing = show(bodies, { file: file.name });
    fit();
    await showing;
};

const stop = () => {
    playing = false;
    at("play").setAttribute("aria-pressed", "false");
};

const restartCount = () => (counted = { frames: 0, since: performance.now() });

// A browser shows no frames of a tab in the background, so none is checked there.
const turnTab = () => {
    if (playing && document.hidden) {
        say("Paused while this tab is in the background.");
    }
    restartCount();
};

/** Moves the scene and checks it, frame by frame, until it is told to stop. */
const play = async () => {
    if (playing) {
        stop();
        return;
    }
    playing = true;
    at("play").setAttribute("aria-pressed", "true");
    const current = shown;
    current.motion ??= new Motion(current.bodies);
    current.moved = true;
    restartCount();
    while (playing && shown === current) {
        current.motion.advance(1 / 60);
        await check();
        await new Promise(requestAnimationFrame);
        counted.frames += 1;
        const elapsed = performance.now() - counted.since;
        if (elapsed > 500 && playing) {
            say(`Playing: ${((1000 * counted.frames) / elapsed).toFixed(1)} frames a second, each of them checked.`);
            restartCount();
        }
    }
    if (shown === current && !at("status").classList.contains("error")) {
        say(verdict(reports().filter((report) => report)));
        await pickBody(current.picked);
    }
};

/** Picks the body under a pixel of the canvas, and tells its partners and how deep they are in it. */
const pick = async (x, y) => {
    const { bodies } = shown;
    const { clientWidth, clientHeight } = view.canvas;
    const found = bodies.pick(camera.eye(), camera.ray(x, y, [clientWidth, clientHeight]));
    await pickBody(found === -1 ? undefined : found);
};

/** Picks a body, or none: shows its partners, and how deep they are in it unless all moves. */
const pickBody = async (picked) => {
    const current = shown;
    const side = sides.find((side) => isChosen(side) && side.report);
    const own = side && picked !== undefined ? pairsWith(side.report.pairs, picked) : new Uint32Array();
    Object.assign(current, { picked, partners: partnersIn(own, picked) });
    if (view instanceof GpuView) {
        view.pick(picked, own);
    }
    draw();
    at("picked").hidden = picked === undefined;
    if (picked === undefined || !side) {
        return;
    }
    const meetings = playing ? () => "" : await meetingsOf(side, current.bodies, own);
    if (shown === current && current.picked === picked) {
        tell(at("picked"), current.bodies, current, meetings);
    }
};

/** The part of the address that restores scene and view. */
const address = () => {
    const numbers = [...camera.target, camera.distance, camera.yaw, camera.pitch].map((x) => Number(x.toPrecision(6)));
    const parts = { scene: shown.name ?? "", n: shown.bodies.count, view: numbers.join(",") };
    if (shown.picked !== undefined) {
        parts.pick = shown.picked;
    }
    return `#${new URLSearchParams(parts)}`;
};

const copyLink = async () => {
    if (!shown.name) {
        throw new Error("a link cannot have a file that never leaves this tab: choose a named scene");
    }
    history.replaceState(null, "", address());
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    say("The address of this page now has scene and view, and is copied.");
};

/** Restores scene and view from the address. */
const restore = async () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    const showing = choose(parts.get("scene") || FIRST.scene, Number(parts.get("n") ?? FIRST.size));
    const numbers = (parts.get("view") ?? "").split(",").map(Number);
    await showing;
    if (numbers.length === 6 && numbers.every(Number.isFinite)) {
        camera.target = numbers.slice(0, 3);
        [camera.distance, camera.yaw, camera.pitch] = numbers.slice(3);
        draw();
    }
    const picked = parts.get("pick");
    if (picked !== null && Number(picked) < shown.bodies.count) {
        await pickBody(Number(picked));
    }
};

const setTheme = (other) => {
    theme = other;
    document.documentElement.dataset.theme = theme;
    at("theme").textContent = theme === "dark" ? "Light" : "Dark";
    draw();
};

const keys = {
    ArrowLeft: () => camera.turn(-0.08, 0),
    ArrowRight: () => camera.turn(0.08, 0),
    ArrowUp: () => camera.turn(0, 0.08),
    ArrowDown: () => camera.turn(0, -0.08),
    "+": () => camera.zoom(0.85),
    "=": () => camera.zoom(0.85),
    "-": () => camera.zoom(1 / 0.85),
    " ": () => at("play").click(),
    c: () => at("check").click(),
};

const connect = (canvas) => {
    followPointers(canvas, {
        turn: (x, y) => camera.turn(-x * 5, y * 5),
        move: (x, y) => camera.move(-x, y),
        zoom: (factor) => camera.zoom(factor),
        changed: draw,
        click: (x, y) => told(() => pick(x, y))(),
    });
    canvas.addEventListener("keydown", (event) => {
        const act = keys[event.key];
        if (act && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            act();
            draw();
        }
    });
    new ResizeObserver(resize).observe(canvas);
};

const connectControls = () => {
    at("controls").addEventListener("submit", (event) => event.preventDefault());
    at("controls").addEventListener("submit", told(check));
    // Nothing is chosen while a file is shown.
    const chosen = told(() => choose(at("scene").value || FIRST.scene, Number(at("size").value || FIRST.size)));
    at("scene").addEventListener("change", chosen);
    at("size").addEventListener("change", chosen);
    sides.forEach((side) => at(`on-${side.backend}`).addEventListener("change", told(check)));
    at("play").addEventListener("click", told(play));
    at("fit").addEventListener("click", fit);
    at("download").addEventListener("click", () => download(reports().find((report) => report).pairs));
    at("link").addEventListener("click", told(copyLink));
    at("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
    at("file").addEventListener("change", told(async ({ target }) => target.files[0] && open(target.files[0])));
    document.addEventListener("dragover", (event) => {
        event.preventDefault();
        document.body.classList.add("over");
    });
    document.addEventListener("dragleave", () => document.body.classList.remove("over"));
    document.addEventListener("drop", (event) => {
        event.preventDefault();
        document.body.classList.remove("over");
        const [file] = event.dataTransfer.files;
        told(async () => file && open(file))();
    });
    window.addEventListener("hashchange", told(restore));
    document.addEventListener("visibilitychange", turnTab);
};

/** A canvas for another view: it keeps the kind of its first context. */
const freshCanvas = () => at("canvas").cloneNode();

const useView = (next, text) => {
    at("canvas").replaceWith(next.canvas);
    view = next;
    at("drawn").textContent = text;
    connect(next.canvas);
    resize();
};

const drawByGpu = async (checker) => {
    const next = await GpuView.open(checker, freshCanvas(), (why) => gpu.close(new Error(why || "no reason given")));
    ended = undefined;
    useView(next, `drawn by ${next.name}`);
};

/** Draws and checks on the CPU after the checker on the GPU has ended. */
const leaveGpu = (error) => {
    if (!(view instanceof GpuView)) {
        return;
    }
    view.end();
    useView(new CpuView(freshCanvas(), failed), "drawn by the CPU");
    at("on-gpu").checked = false;
    at("on-cpu").checked = true;
    const { report } = sides[0];
    if (shown) {
        shown.isPlaced = true;
        shown.marks = report ? marksOf(report, shown.bodies.count) : shown.marks;
    }
    const what = !error.kind || error.kind === "DeviceLost" ? "was lost" : "cannot go on";
    failed(new Error(`The GPU ${what} (${error.message}): the CPU draws and checks from here on.`));
    ended = error;
    draw();
};

/** Opens the view: WebGPU if there is one, else pictures by the CPU. */
const openView = async () => {
    try {
        if (navigator.gpu) {
            await gpu.with(() => {});
        }
    } catch (error) {
        if (error.kind !== "NoAdapter") {
            say(`WebGPU cannot be used: ${error.message}`, true);
        }
    }
    const hasGpu = view instanceof GpuView;
    if (!hasGpu) {
        useView(new CpuView(freshCanvas(), failed), "drawn by the CPU: no WebGPU here");
    }
    Object.assign(at("on-gpu"), { checked: hasGpu, disabled: !hasGpu });
    at("gpu-name").textContent = hasGpu ? "GPU (WebGPU)" : "GPU: no WebGPU in this browser";
};

const begin = async () => {
    setTheme(theme);
    connectControls();
    const [table, names] = await Promise.all([
        fetch("native.json").then((answer) => answer.json()),
        scenes(),
        openView(),
    ]);
    native = table;
    for (const [name, description] of names) {
        const option = new Option(name, name);
        option.title = description;
        at("scene").add(option);
    }
    await restore();
};

told(begin)();
