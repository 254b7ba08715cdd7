// The columns of a Parquet file, as `readTable` takes them.

import { parquetMetadata, parquetRead, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";

const WHOLE = ["INT32", "INT64"];
const PLAIN = ["BOOLEAN", ...WHOLE, "FLOAT", "DOUBLE", "BYTE_ARRAY"];

/** Describes a column that is no field of a table; undefined if it has flags, numbers or texts. */
const notPlain = ({ children, element, path }) => {
    if (children.length > 0 || path.length > 1 || element.repetition_type === "REPEATED") {
        return "a list or a structure";
    }
    if (element.converted_type === "DECIMAL") {
        return "a decimal";
    }
    return PLAIN.includes(element.type) ? undefined : `a value of the type ${element.type}`;
};

const leavesOf = (node) => (node.children.length > 0 ? node.children.flatMap(leavesOf) : [node]);

/** Leaves numbers as they are stored: only texts and signs are read out of a column's meaning. */
const forgetMeaning = (element) => {
    const unsigned = element.converted_type?.startsWith("UINT_");
    element.logical_type = undefined;
    element.converted_type = unsigned ? element.converted_type : undefined;
};

/** A list for the values of a column, and the function that makes one of a value decoded. */
const listFor = ({ type }, chunks, rows) => {
    const hasGaps = chunks.some(([, values]) => Array.isArray(values) && values.some((value) => value == null));
    if (!hasGaps && type === "FLOAT") {
        return [new Float32Array(rows), (value) => value];
    }
    if (!hasGaps && type === "DOUBLE") {
        return [new Float64Array(rows), (value) => value];
    }
    const whole = (value) => (value == null ? null : BigInt(value));
    return [new Array(rows), WHOLE.includes(type) ? whole : (value) => value ?? null];
};

/** The name and the values of each column. Those that are no field of a table are told in words. */
export const tableOf = async (buffer) => {
    const metadata = parquetMetadata(buffer, { geoparquet: false });
    const leaves = leavesOf(parquetSchema(metadata));
    const rows = Number(metadata.num_rows);
    const names = leaves.map(({ path }) => path.join("."));
    // Columns of one name are an error, if they are read, so it makes no difference what they hold.
    const isDecoded = (leaf) => !notPlain(leaf) && names.filter((name) => name === leaf.path.join(".")).length === 1;
    const decoded = new Map(leaves.filter(isDecoded).map(({ path }) => [path[0], []]));
    metadata.schema.forEach(forgetMeaning);
    const onChunk = ({ columnName, columnData, rowStart }) => decoded.get(columnName).push([rowStart, columnData]);
    await parquetRead({ file: buffer, metadata, columns: [...decoded.keys()], compressors, geoparquet: false, onChunk });
    for (const [name, chunks] of decoded) {
        const found = chunks.reduce((sum, [, values]) => sum + values.length, 0);
        if (found !== rows) {
            throw new Error(`column ${name} has ${found} rows where ${rows} should be`);
        }
    }
    return leaves.map((leaf, k) => {
        const chunks = decoded.get(names[k]);
        if (!chunks) {
            return [names[k], new Array(decoded.size > 0 ? rows : 0).fill(notPlain(leaf) ?? null)];
        }
        const [list, made] = listFor(leaf.element, chunks, rows);
        for (const [start, values] of chunks) {
            values.forEach((value, k) => (list[start + k] = made(value)));
        }
        return [names[k], list];
    });
};
