// The worker in which one cell runs. Then it is ended, which frees the memory of the cell's program.
"use strict";
importScripts("files.js", "load.js", "wasm_exec.js");

const MEMORY = 1.5 * 2 ** 30; // bytes
const OUTPUT = 2 ** 20; // characters of text that a cell may print
const DISPLAYS = 1000; // that a cell may have; one that takes the place of another doesn't count
const DISPLAYED = 2 ** 26; // characters of JSON that all of them may have

const post = postMessage.bind(globalThis);
let key; // kernel.js listens to messages with it
let left; // of OUTPUT
let decoders;
let shown; // the sizes of displays
let full; // whether displays are left out
const changed = new Set(); // files that kernel.js doesn't have yet
let sent; // how many it has got

function print(name, text) {
	if (left <= 0 || !text) return;
	post({ key, type: "stream", name, text: text.slice(0, left) });
	left -= text.length;
	if (left <= 0) note("The rest of the output is left out: it is too long for a page.");
}

function note(text) { post({ key, type: "stream", name: "stderr", text: `\n${text}\n` }); }

fs.writeSync = (fd, bytes) => {
	print(fd === 1 ? "stdout" : "stderr", decoders[fd].decode(bytes, { stream: true }));
	return bytes.length;
};

globalThis.gonbDisplay = json => {
	const display = JSON.parse(json), place = display.displayId ?? shown.size;
	const size = json.length - (shown.get(place) ?? 0);
	if (shown.total + size <= DISPLAYED && (shown.has(place) || shown.size < DISPLAYS)) {
		shown.set(place, json.length);
		shown.total += size;
		post({ ...display, key, type: "display" });
	} else if (!full) {
		full = true;
		note("Displays are left out: they are too many or too large for a page.");
	}
};

// Hand over files that have changed. The first hundred go one by one, because a cell that is interrupted can't do it
// any more; then at most one in a hundred waits.
fs.changed = path => {
	if (path.startsWith("/tmp/")) return;
	changed.add(path);
	if (changed.size * 100 > sent) flush();
};
function flush() {
	if (!changed.size) return;
	const files = new Map([...changed].map(path => [path, fs.get(path)?.slice()]));
	const buffers = [...files.values()].filter(data => data).map(data => data.buffer);
	post({ key, type: "files", files }, buffers);
	sent += files.size;
	changed.clear();
}

let lent = {}; // files of build that haven't been loaded: hashes by path
fs.absent = path => {
	return lent[path] && open(lent[path]).then(data => {
		fs.put(path, data);
		delete lent[path]; // a cell may remove it
	});
};

const folder = "/notebook";
fs.put(folder + "/.kernel", new Uint8Array(0));
process.chdir(folder);

onerror = flush;
onunhandledrejection = event => { throw event.reason; }; // so that kernel.js hears of it
onmessage = async ({ data: message }) => {
	if (message.type === "lent") return lent = message.files;
	if (message.type === "files") return message.files.forEach((data, name) => fs.put(name, data));
	if (message.type === "send") return globalThis.gonbHear?.(message.address, message.message);
	key = message.key;
	left = OUTPUT;
	decoders = [null, new TextDecoder(), new TextDecoder()];
	shown = Object.assign(new Map(), { total: 0 });
	full = false;
	sent = 0;
	const env = { HOME: "/", PWD: folder, TMPDIR: "/tmp", GOMEMLIMIT: `${MEMORY * 0.8 >> 20}MiB`, ...message.env };
	const module = await WebAssembly.compile(message.program);
	const code = await runGo(module, ["cell", ...message.args], env, MEMORY);
	delete globalThis.gonbHear; // the program hears nothing any more
	flush();
	post({ key, type: "exit", code });
};
