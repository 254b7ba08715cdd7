// Files that are opened or dropped.

import { Bodies } from "./bodies.js";
import { Mesh } from "./mesh.js";
import { readMesh, readScene } from "./obbligato/index.js";

const SCENES = [".csv", ".csv.gz", ".npy"];
const MESHES = [".obj", ".stl", ".ply", ".glb", ".gltf"];

/** Resolves to the bodies in a file, or to its mesh. */
export const read = async (file) => {
    const name = file.name.toLowerCase();
    const [isScene, isMesh] = [SCENES, MESHES].map((endings) => endings.some((ending) => name.endsWith(ending)));
    if (name.endsWith(".parquet")) {
        const save = "in Python pandas.read_parquet(name).to_csv(other, index=False)";
        throw new Error(`${file.name}: this page does not read Parquet: save the table as CSV, ${save}`);
    }
    if (!isScene && !isMesh) {
        throw new Error(`${file.name}: this page reads ${[...SCENES, ...MESHES].join(", ")}: save it as one of these`);
    }
    const contents = new Uint8Array(await file.arrayBuffer());
    return isMesh ? new Mesh(await readMesh(file.name, contents)) : new Bodies(await readScene(file.name, contents));
};
