import { Checker } from "obbligato";

// Ten numbers for each box: center, half extents, quaternion.
const boxAt = (x) => [x, 0, 0, 1, 1, 1, 0, 0, 0, 1];
const boxes = new Float32Array([0, 1.5, 9].flatMap(boxAt));
const checker = await Checker.create({ backend: "cpu" });
const report = await checker.check(boxes);
for (let k = 0; k < report.pairs.length; k += 2) {
    console.log(`${report.pairs[k]} and ${report.pairs[k + 1]} collide`);
}
