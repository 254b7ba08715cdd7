// Mouse, pen and fingers on the canvas.

/**
 * Calls `turn`, `move` and `zoom` with fractions of the canvas' height as pointers move, `changed`
 * after each of them, and `click` with the pixel of a press that did not move.
 */
export const followPointers = (canvas, { turn, move, zoom, changed, click }) => {
    const pointers = new Map();
    let travelled = 0;

    const middleOf = (points) => {
        const sum = points.reduce(([x, y], point) => [x + point.x, y + point.y], [0, 0]);
        return sum.map((coordinate) => coordinate / points.length);
    };
    const spreadOf = ([a, b]) => (b ? Math.hypot(a.x - b.x, a.y - b.y) : 0);

    canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        travelled = pointers.size === 0 ? 0 : Infinity;
        pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    });
    canvas.addEventListener("pointermove", (event) => {
        if (!pointers.has(event.pointerId)) {
            return;
        }
        const before = [...pointers.values()].map((point) => ({ ...point }));
        pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
        const after = [...pointers.values()];
        const [from, to] = [middleOf(before), middleOf(after)];
        const [x, y] = [(to[0] - from[0]) / canvas.clientHeight, (to[1] - from[1]) / canvas.clientHeight];
        travelled += Math.hypot(to[0] - from[0], to[1] - from[1]);
        if (after.length > 1) {
            zoom(spreadOf(before) / Math.max(1, spreadOf(after)));
            move(x, y);
        } else if (event.shiftKey || event.buttons !== 1) {
            move(x, y);
        } else {
            turn(x, y);
        }
        changed();
    });
    const release = (event) => pointers.delete(event.pointerId);
    canvas.addEventListener("pointerup", (event) => {
        if (release(event) && travelled < 4) {
            click(event.offsetX, event.offsetY);
        }
    });
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
        "wheel",
        (event) => {
            event.preventDefault();
            zoom(Math.exp(0.0015 * event.deltaY));
            changed();
        },
        { passive: false },
    );
};
