// The body that is picked, and its partners.

const MOST_LINES = 20;

/** The pairs that have a body. */
export const pairsWith = (pairs, body) => {
    const own = [];
    for (let k = 0; k < pairs.length; k += 2) {
        if (pairs[k] === body || pairs[k + 1] === body) {
            own.push(pairs[k], pairs[k + 1]);
        }
    }
    return new Uint32Array(own);
};

/** The other bodies in the pairs of a body. */
export const partnersIn = (own, body) =>
    Array.from({ length: own.length / 2 }, (_, k) => (own[2 * k] === body ? own[2 * k + 1] : own[2 * k]));

/** Resolves to words about each of these pairs; triangles have no contacts. */
export const meetingsOf = async (side, bodies, pairs) => {
    if (bodies.isMesh) {
        return () => "";
    }
    const { depths, offsets } = await side.with((checker) => checker.contacts(bodies.given, pairs));
    return (k) => {
        const touches = depths[k] === 0 ? "touches" : `depth ${depths[k].toPrecision(3)}`;
        return `: ${touches}, ${offsets[k + 1] - offsets[k]} contact points`;
    };
};

/** Tells in an element which bodies a body collides with; `meetings` are words about each. */
export const tell = (element, bodies, { picked, partners }, meetings) => {
    const lines = partners.slice(0, MOST_LINES).map((partner, k) => {
        const item = document.createElement("li");
        item.textContent = `${bodies.name(partner)} ${partner}${meetings(k)}`;
        return item;
    });
    const heading = document.createElement("h2");
    const place = bodies.center(picked).map((x) => Number(x.toPrecision(6)));
    heading.textContent = `${bodies.name(picked)} ${picked} at ${place.join(", ")}`;
    const summary = document.createElement("p");
    const word = partners.length === 1 ? "partner" : "partners";
    const more = partners.length > MOST_LINES ? `, of which the first ${MOST_LINES} are` : "";
    summary.textContent = partners.length === 0 ? "It collides with nothing." : `${partners.length} ${word}${more}:`;
    const list = document.createElement("ul");
    list.append(...lines);
    element.replaceChildren(heading, summary, list);
};
