// Decodes Parquet files in a worker of the page.

import { tableOf } from "./table.js";

self.onmessage = async ({ data: file }) => {
    try {
        self.postMessage({ table: await tableOf(await file.arrayBuffer()) });
    } catch (error) {
        self.postMessage({ error: error.message });
    }
};
