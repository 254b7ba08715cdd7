// Files that are opened or dropped, and the file of pairs.

import { Bodies } from "./bodies.js";
import { Mesh } from "./mesh.js";
import { readMesh, readScene, readTable } from "./obbligato/index.js";

const SCENES = [".csv", ".csv.gz", ".npy", ".parquet"];
const MESHES = [".obj", ".stl", ".ply", ".glb", ".gltf"];

/** Resolves to the columns of a Parquet file, which a library decodes that nothing else loads. */
const decoded = async (file) => {
    const worker = new Worker(new URL("./parquet.js", import.meta.url), { type: "module" });
    const { table, error } = await new Promise((resolve) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => {
            event.preventDefault();
            resolve({ error: event.message ?? "parquet.js cannot be loaded" });
        };
        worker.postMessage(file);
    });
    worker.terminate();
    if (error) {
        throw new Error(`${file.name}: cannot be read as Parquet (${error}): write it again, or save the table as CSV`);
    }
    return table;
};

/** Resolves to the bodies in a file, or to its mesh. */
export const read = async (file) => {
    const name = file.name.toLowerCase();
    const [isScene, isMesh] = [SCENES, MESHES].map((endings) => endings.some((ending) => name.endsWith(ending)));
    if (!isScene && !isMesh) {
        throw new Error(`${file.name}: this page reads ${[...SCENES, ...MESHES].join(", ")}: save it as one of these`);
    }
    if (name.endsWith(".parquet")) {
        return new Bodies(await readTable(file.name, await decoded(file)));
    }
    const contents = new Uint8Array(await file.arrayBuffer());
    return isMesh ? new Mesh(await readMesh(file.name, contents)) : new Bodies(await readScene(file.name, contents));
};

/** Saves pairs as a CSV file. */
export const download = (pairs) => {
    const lines = ["a,b\n"];
    for (let k = 0; k < pairs.length; k += 2) {
        lines.push(`${pairs[k]},${pairs[k + 1]}\n`);
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "text/csv" }));
    link.download = "pairs.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
