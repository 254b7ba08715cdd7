// The package and the page in WebKit, by the CPU: GTK's MiniBrowser, which its WebDriver drives.
// Arguments: the folder of the site, and one for screenshots.

import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { json } from "node:stream/consumers";

import { testByCpu } from "./by_cpu.mjs";
import { LIMIT, until } from "./limit.mjs";

const freePort = () =>
    new Promise((resolve) => {
        const server = createServer().listen(0, "127.0.0.1", () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });

const port = await freePort();
const driver = spawn(process.env.WEBKIT_DRIVER, [`--port=${port}`], { stdio: "inherit" });

/** A command of the WebDriver protocol of the W3C. It waits as long as it takes, which `fetch` does not. */
const command = async (method, path, body = {}) => {
    const response = await new Promise((resolve, reject) => {
        const message = request({ host: "127.0.0.1", port, method, path }, resolve).on("error", reject);
        message.end(method === "POST" ? JSON.stringify(body) : undefined);
    });
    const { value } = await json(response);
    if (response.statusCode !== 200) {
        throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    }
    return value;
};

let session;
try {
    await until("the driver", () => command("GET", "/status").then(() => true, () => false));
    const { sessionId } = await command("POST", "/session", { capabilities: {} });
    session = `/session/${sessionId}`;
    await command("POST", `${session}/timeouts`, { script: LIMIT, pageLoad: LIMIT });
    const evaluate = async (work, ...args) => {
        const script = `const [done, ...given] = [arguments[arguments.length - 1], ...arguments].slice(0, -1);
            Promise.resolve((${work})(...given)).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
        const { value, error } = await command("POST", `${session}/execute/async`, { script, args });
        if (error) {
            throw new Error(error);
        }
        return value;
    };
    const shoot = async (path) => writeFile(path, await command("GET", `${session}/screenshot`), "base64");
    const open = (url) => command("POST", `${session}/url`, { url });
    await testByCpu("WebKit", { open, shoot, evaluate }, process.argv.slice(2));
} finally {
    if (session) {
        await command("DELETE", session);
    }
    driver.kill();
}
