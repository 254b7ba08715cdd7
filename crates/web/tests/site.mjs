// Serves a folder, and beside it the tests, to browsers.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".wgsl": "text/plain",
};

/** Resolves to the address of the folder, and the function that ends serving it. */
export const serve = async (folder) => {
    const server = createServer(async (request, response) => {
        const path = normalize(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html");
        try {
            const isTest = path.startsWith("/tests/");
            const contents = await readFile(isTest ? join(import.meta.dirname, "..", path) : join(folder, path));
            response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
            response.end(contents);
        } catch {
            // Browsers ask for an icon of everything.
            response.writeHead(path === "/favicon.ico" ? 204 : 404);
            response.end();
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return [`http://127.0.0.1:${server.address().port}/`, () => server.close()];
};
