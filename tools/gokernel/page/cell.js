// The worker in which cells run. It is ended when a cell is interrupted or fails.
"use strict";
importScripts("files.js", "wasm_exec.js");

const MEMORY = 1.5 * 2 ** 30; // bytes
const OUTPUT = 2 ** 20; // characters of text that a cell may print

let left; // of OUTPUT
let decoders;

function print(name, text) {
	if (left <= 0 || !text) return;
	postMessage({ type: "stream", name, text: text.slice(0, left) });
	left -= text.length;
	if (left > 0) return;
	const note = "\nThe rest of the output is left out: it is too long for a page.\n";
	postMessage({ type: "stream", name: "stderr", text: note });
}

fs.writeSync = (fd, bytes) => {
	print(fd === 1 ? "stdout" : "stderr", decoders[fd].decode(bytes, { stream: true }));
	return bytes.length;
};
fs.changed = path => {
	if (!path.startsWith("/tmp/")) postMessage({ type: "file", name: path, data: fs.get(path)?.slice() });
};
globalThis.gonbDisplay = json => postMessage({ type: "display", ...JSON.parse(json) });

const folder = "/notebook";
fs.put(folder + "/.kernel", new Uint8Array(0));
process.chdir(folder);

onunhandledrejection = event => { throw event.reason; }; // so that the other worker hears of it
onmessage = async ({ data: message }) => {
	if (message.type === "file") return fs.put(message.name, message.data);
	if (message.type === "send") return globalThis.gonbHear?.(message.address, message.message);
	left = OUTPUT;
	decoders = [null, new TextDecoder(), new TextDecoder()];
	const env = { HOME: "/", PWD: folder, TMPDIR: "/tmp", GOMEMLIMIT: `${MEMORY * 0.8 >> 20}MiB`, ...message.env };
	const module = await WebAssembly.compile(message.program);
	const code = await runGo(module, ["cell", ...message.args], env, MEMORY);
	delete globalThis.gonbHear; // the program hears nothing any more
	postMessage({ type: "exit", code });
};
