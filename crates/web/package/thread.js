// A thread of Node.

import { parentPort } from "node:worker_threads";

import { answerBy } from "./answer.js";

const { receive, fail } = answerBy((message, transfer) => parentPort.postMessage(message, transfer));
parentPort.on("message", receive);
process.on("uncaughtException", fail);
