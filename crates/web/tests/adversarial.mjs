// Pairs of boxes that are hard to decide, which the native program writes.

import { readFile } from "node:fs/promises";

/** The file of boxes, of which 2k and 2k + 1 are a pair. */
export const FILE = "adversarial.f32";

/** The number of pairs that collide by the reference, and their checksum. */
export const expected = async () => {
    const [colliding, checksum] = (await readFile("adversarial.txt", "utf8")).trim().split(" ");
    return { colliding: Number(colliding), checksum };
};
