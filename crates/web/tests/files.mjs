// Files for the tests: for each name a good one, a broken one, and what is said of the broken one.

const CORNERS = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [4, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1]];
/** Two triangles with a common edge, and one that crosses the first. */
const FACES = [[0, 1, 2], [1, 3, 2], [4, 5, 6]];

const obj = (last) =>
    [...CORNERS.map((corner) => `v ${corner.join(" ")}`), "f 1 2 3", "f 2 4 3", `f 5 6 ${last}`, ""].join("\n");

const stl = (ends) => {
    const facet = (face) => {
        const vertices = face.map((k) => `vertex ${CORNERS[k].join(" ")}\n`);
        return `facet normal 0 0 0\nouter loop\n${vertices.join("")}endloop\nendfacet\n`;
    };
    return `solid a\n${FACES.map(facet).join("")}${ends}`;
};

const ply = (vertices) => {
    const header = `ply\nformat ascii 1.0\nelement vertex ${vertices}\nproperty float x\nproperty float y\nproperty float z\n`;
    const rows = [...CORNERS.map((corner) => corner.join(" ")), ...FACES.map((face) => `3 ${face.join(" ")}`), ""];
    return `${header}element face 3\nproperty list uchar int vertex_indices\nend_header\n${rows.join("\n")}`;
};

const gltf = (uri) => {
    const buffer = { byteLength: 108, ...(uri ? { uri } : {}) };
    return JSON.stringify({
        asset: { version: "2.0" },
        buffers: [buffer],
        bufferViews: [{ buffer: 0, byteLength: 108 }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 9, type: "VEC3", min: [0, 0, -1], max: [4, 4, 1] }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
        nodes: [{ mesh: 0 }],
    });
};
const binary = Buffer.from(new Float32Array(FACES.flat().flatMap((k) => CORNERS[k])).buffer);

const glb = () => {
    const json = Buffer.from(gltf().padEnd(Math.ceil(gltf().length / 4) * 4));
    const words = (...numbers) => Buffer.from(new Uint32Array(numbers).buffer);
    const length = 12 + 8 + json.length + 8 + binary.length;
    const header = [Buffer.from("glTF"), words(2, length), words(json.length, 0x4e4f534a)];
    return Buffer.concat([...header, json, words(binary.length, 0x004e4942), binary]);
};

/** An NPY file of boxes. */
export const npy = (boxes) => {
    const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${boxes.length / 10}, 10), }`;
    const header = `${text.padEnd(117)}\n`;
    return Buffer.concat([
        Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, header.length, 0]),
        Buffer.from(header),
        Buffer.from(boxes.buffer, boxes.byteOffset, boxes.byteLength),
    ]);
};

/** Two boxes that overlap, and one apart. */
const boxes = new Float32Array([0, 1.5, 9].flatMap((x) => [x, 0, 0, 1, 1, 1, 0, 0, 0, 1]));

/** In each good file, exactly one pair collides. */
export const SCENES = {
    "three.npy": [npy(boxes), npy(boxes).subarray(0, -1), /is truncated: its shape is \(3, 10\) but only 2 of 3 rows/],
};
/** Parquet files of crates/files: good ones, with three pairs each, and what is said of bad ones. */
export const PARQUET = {
    good: ["none", "snappy", "gzip", "zstd", "lz4", "pages2", "groups", "rules", "signed", "split", "whole"],
    bad: {
        gap: /row 1 has nothing in column cy instead of a number \(2 bad rows in all\)/,
        nested: /lacks columns \(cz\)/,
        words: /row 3 has "nine" in column cx instead of a number \(1 bad row in all\)/,
    },
};
export const MESHES = {
    "a.obj": [Buffer.from(obj(7)), Buffer.from(obj(8)), /line 10 .*8/],
    "a.stl": [Buffer.from(stl("endsolid a\n")), Buffer.from(stl("facet normal 0 0 0\n")), /cut short/],
    "a.ply": [Buffer.from(ply(7)), Buffer.from(ply(9)), /line/],
    "a.glb": [glb(), glb().subarray(0, -1), /announces \d+ bytes \(at byte 8\), but has \d+/],
    "a.gltf": [
        Buffer.from(gltf(`data:application/octet-stream;base64,${binary.toString("base64")}`)),
        Buffer.from(gltf("a.bin")),
        /buffer 0, from 0, is at a.bin, which is not in this file: export it as .glb/,
    ],
};
