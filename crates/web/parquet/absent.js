// Stands for the reader of Parquet where the page was built without it.

const ERROR = "this page was built where npm could not install the reader of Parquet: build it again where npm can";
self.onmessage = () => self.postMessage({ error: ERROR });
