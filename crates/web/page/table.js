// The table of answers.

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const milliseconds = (time) => (time === undefined ? "" : `${time.toFixed(time < 10 ? 2 : 1)} ms`);

// The rows: a name, the text of a report, and the class of its cell.
const rowsOf = (reports, native) => {
    const stages = new Set(reports.flatMap((report) => (report ? report.stages.map(([name]) => name) : [])));
    const onGpu = new Set(reports.flatMap((report) => (report ? report.gpuStages.map(([name]) => name) : [])));
    const time = (list, name) => list.find(([other]) => other === name)?.[1];
    const tick = (report) => (native ? (report.checksum === native ? "good" : "bad") : "");
    const areSeveral = reports.some((report) => report?.threads > 1);
    const isMesh = reports.some((report) => report && report.touchingPairs === undefined);
    return [
        ["colliding", (report) => number.format(report.collidingPairs)],
        ...(isMesh ? [] : [["touching", (report) => number.format(report.touchingPairs)]]),
        ["candidates", (report) => number.format(report.candidatePairs)],
        ["checksum", (report) => report.checksum, (report) => `sum ${tick(report)}`, native ?? "none"],
        ...(areSeveral ? [["threads", (report) => (report.backend === "cpu" ? number.format(report.threads) : "")]] : []),
        ["time", (report) => milliseconds(report.milliseconds)],
        ...[...stages].map((name) => [name, (report) => milliseconds(time(report.stages, name)), , , "part"]),
        ...[...onGpu].map((name) => [
            `${name}, GPU clock`,
            (report) => milliseconds(time(report.gpuStages, name)),
            ,
            ,
            "part",
        ]),
    ];
};

const fill = (cell, text, style) => {
    cell.className = style;
    if (style.startsWith("sum")) {
        // A line ends after 8 of the 16 digits of a checksum, and nowhere else.
        cell.append(text.slice(0, 8), document.createElement("wbr"), text.slice(8));
    } else {
        cell.textContent = text;
    }
    return cell;
};

/** Shows the reports of the CPU and the GPU beside the native checksum, if there is one. */
export const showTable = (body, reports, native) => {
    const rows = rowsOf(reports, native).map(([name, text, style = () => "", last = "", part = ""]) => {
        const row = document.createElement("tr");
        row.className = part;
        const head = document.createElement("th");
        head.scope = "row";
        head.textContent = name;
        const cells = reports.map((report) =>
            fill(document.createElement("td"), report ? text(report) : "", report ? style(report) : ""),
        );
        const known = fill(document.createElement("td"), last, last ? "sum" : "");
        row.append(head, ...cells, known);
        return row;
    });
    body.replaceChildren(...rows);
};
