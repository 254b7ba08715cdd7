// The game of examples/lockstep.rs: integers, and floats that are rounded after each operation.

/** The native world after 300 ticks of 1,000 tanks: `cargo run --release --example lockstep`. */
export const NATIVE = { tanks: 1000, ticks: 300, collisions: 68639, checksum: "e209572b6d5ebe67" };

const METRE = 1 << 10;
const TANK = [1.5, 0.75, 0.5];
const HALF = Math.fround(Math.SQRT1_2);
const round = Math.fround;

const start = (tanks) =>
    Array.from({ length: tanks }, (_, k) => {
        const [side, file, row] = [(k % 2) * 2 - 1, Math.floor(k / 2) % 40, Math.floor(k / 80)];
        const place = [side * (20 + 4 * row) * METRE, (file - 20) * 3 * METRE + row * 517];
        return { place, aim: [-place[0], place[1]], heading: side < 0 ? 0 : 32 };
    });

const solid = ({ place, heading }) => {
    const quarters = Math.floor((heading + 8) / 16);
    const t = round((heading - 16 * quarters) / 40);
    const square = round(t * t);
    const [z, w] = [round(round(2 * t) / round(1 + square)), round(round(1 - square) / round(1 + square))];
    const [inZ, inW] = [[0, 1], [HALF, HALF], [1, 0], [HALF, -HALF]][((quarters % 4) + 4) % 4];
    const turn = [round(round(inZ * w) + round(inW * z)), round(round(inW * w) - round(inZ * z))];
    return [place[0] / METRE, place[1] / METRE, TANK[2], ...TANK, 0, 0, ...turn];
};

const drive = ({ place, aim }) => {
    for (const axis of [0, 1]) {
        place[axis] += Math.max(-METRE / 8, Math.min(METRE / 8, aim[axis] - place[axis]));
    }
};

const avoid = (tank, other, right) => {
    const away = (axis) => Math.trunc((Math.sign(tank.place[axis] - other[axis]) * METRE) / 5);
    tank.place = [tank.place[0] + away(0), tank.place[1] + away(1) + (right * METRE) / 16];
    tank.heading += right;
};

const checksum = (tanks) => {
    let sum = 0xcbf29ce484222325n;
    for (const number of tanks.flatMap(({ place, heading }) => [...place, heading])) {
        sum = BigInt.asUintN(64, (sum ^ BigInt(number >>> 0)) * 0x100000001b3n);
    }
    return sum.toString(16).padStart(16, "0");
};

/** Plays with the pairs that `check` resolves to: the collisions, and the checksum after each tick. */
export const play = async (check, count = NATIVE.tanks, ticks = NATIVE.ticks) => {
    const tanks = start(count);
    const sums = [];
    let collisions = 0;
    for (let tick = 0; tick < ticks; tick++) {
        tanks.forEach(drive);
        const pairs = await check(new Float32Array(tanks.flatMap(solid)));
        for (let k = 0; k < pairs.length; k += 2) {
            const [a, b] = [tanks[pairs[k]], tanks[pairs[k + 1]]];
            const [one, other] = [a.place, b.place];
            avoid(a, other, 1);
            avoid(b, one, -1);
        }
        collisions += pairs.length / 2;
        sums.push(checksum(tanks));
    }
    return { collisions, sums };
};
