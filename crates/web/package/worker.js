// A worker of a browser.

import { answerBy } from "./answer.js";

const { receive, fail } = answerBy((message, transfer) => self.postMessage(message, transfer));
self.onmessage = (event) => receive(event.data);
self.addEventListener("error", (event) => {
    event.preventDefault();
    fail(event.error ?? new Error(event.message));
});
self.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    fail(event.reason);
});
