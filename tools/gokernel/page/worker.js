// The worker that makes programs of cells. It splits, compiles and links; cell.js runs what comes of it. What earlier
// cells have declared comes with each cell, so kernel.js can end this worker at any time. It does so after each cell,
// which frees the memory of compiler and linker, and hands what was loaded to the next. What was loaded stays packed:
// unpacked, the objects of a chart are 94 MB.
"use strict";
importScripts("files.js", "load.js", "wasm_exec.js");

let index; // what build has written
let tools; // modules by name
let loaded = new Map(); // packed archives by hash
let asked = false; // whether a cell waits; the warm one then only loads
const text = new TextEncoder();
let output = "";

fs.writeSync = (fd, bytes) => {
	output += new TextDecoder().decode(bytes);
	return bytes.length;
};

const status = text => postMessage({ type: "status", text });

// Load what the work needs, unless a worker before this one has.
async function start(kept) {
	if (kept) {
		({ index, tools, loaded } = kept);
	} else {
		status("Loading Go's compiler");
		index = await fetch("index.json", { cache: "no-cache" }).then(response => response.json()).catch(() => {
			throw new Error("index.json can't be loaded. Check the connection, and run the cell again.");
		});
		index.byPath = new Map(index.packages.map(p => [p.path, p]));
		const names = Object.keys(index.tools);
		const modules = await Promise.all(names.map(async name => WebAssembly.compile(await open(index.tools[name]))));
		tools = Object.fromEntries(names.map((name, i) => [name, modules[i]]));
	}
	const importable = index.packages.filter(p => p.name).map(p => ({ Path: p.path, Name: p.name }));
	fs.put("/session/packages.json", text.encode(JSON.stringify(importable)));
	fs.put("/session/notebook.json", text.encode("[]"));
	fs.put("/session/hints.txt", text.encode(index.hints));
	status("");
	postMessage({ type: "ready", kept: { index, tools, loaded } });
	if (kept) return;
	const built = await build(0, index.warm ?? "").catch(() => {}); // a cell will say what is wrong
	if (built?.program) postMessage({ type: "warm", done: true, loaded });
}

// Load the export data or the objects of packages, as get does for hashes, and write the list that compiler and linker
// read.
async function load(kind, packages, get) {
	const wanted = packages.filter(p => !fs.get(`/${kind}/${p.path}.a`)), hashes = wanted.map(p => p[kind]);
	const absent = hashes.filter(hash => !loaded.has(hash)).length;
	if (absent) status(`Loading ${absent} packages`);
	const archives = await get(hashes).finally(() => status(""));
	wanted.forEach((p, i) => fs.put(`/${kind}/${p.path}.a`, archives[i]));
	const lines = packages.map(p => `packagefile ${p.path}=/${kind}/${p.path}.a\n`);
	fs.put(`/session/${kind}.cfg`, text.encode(lines.join("")));
}

const exported = hashes => Promise.all(hashes.map(hash => open(hash, loaded)));

// Another worker unpacks objects while this one compiles.
const objects = hashes => new Promise((resolve, reject) => {
	const worker = new Worker("objects.js");
	worker.onerror = ({ message }) => reject(new Error(message));
	worker.onmessage = ({ data: message }) => {
		message.loaded?.forEach((data, hash) => loaded.set(hash, data));
		message.why ? reject(new Error(message.why)) : resolve(message.objects);
		worker.terminate();
	};
	worker.postMessage({ hashes, loaded });
});

// The linker has copied objects when it closes them. Their memory is freed at once, and not when the browser looks for
// what is unused.
fs.closed = path => {
	if (!path.startsWith("/objects/")) return;
	fs.get(path)?.buffer.transfer?.(0);
	fs.remove(path);
};

// Return packages and all that they import.
function closure(paths) {
	const found = new Set();
	const add = p => {
		if (found.has(p)) return;
		found.add(p);
		p.imports.forEach(i => add(index.packages[i]));
	};
	paths.forEach(path => add(index.byPath.get(path)));
	return [...found];
}

async function tool(name, ...args) {
	output = "";
	// The linker's memory is most of a tab's.
	return await runGo(tools[name], [name, ...args], { TMPDIR: "/tmp", GOGC: name === "link" ? "25" : "off", PWD: "/" });
}

// Return the compiler's exit code, or nothing where it doesn't end as a program should.
async function compile(...flags) {
	const code = await tool("compile", "-p=main", "-complete", "-pack", "-c=1", "-dwarf=false", "-trimpath=/=>",
		"-lang=" + index.lang, "-importcfg=/session/exports.cfg", "-o=/session/main.a", ...flags, "/session/main.go")
		.catch(() => undefined);
	return /internal compiler error|^panic:|^fatal error:/m.test(output) ? undefined : code;
}

async function split(action, id, input) {
	fs.input = text.encode(input);
	if (await tool("split", action, String(id)) !== 0) throw new Error(output);
	return JSON.parse(output);
}

// Return what split answers, with the program if it compiles.
async function build(id, code) {
	const answer = await split("program", id, code);
	if (answer.Error || !fs.get("/session/main.go").length) return answer;
	const { Imports: imports } = answer.Program;
	await load("exports", (imports ?? []).concat("runtime").map(path => index.byPath.get(path)), exported);
	if (id === 0 && asked) return answer;
	const ready = load("objects", closure(["runtime", ...imports ?? []]), objects);
	ready.catch(() => {}); // where the cell doesn't compile
	// As WebAssembly, Go's compiler ends by a trap where a function is long, but seldom with -N.
	const compiled = await compile() ?? await compile("-N");
	if (compiled === undefined) {
		throw new Error("the cell is too long for the compiler in a page; divide it into functions");
	}
	if (compiled !== 0) return split("explain", id, output);
	await ready;
	if (id === 0) {
		await new Promise(resolve => setTimeout(resolve)); // so that asked is right
		if (asked) return answer;
		postMessage({ type: "warm", loaded });
	}
	const linked = await tool("link", "-s", "-w", "-importcfg=/session/objects.cfg", "-o=/session/main.wasm",
		"/session/main.a");
	if (linked !== 0) throw new Error(output);
	answer.program = fs.get("/session/main.wasm");
	fs.remove("/session/main.wasm");
	return answer;
}

let started;
onmessage = async ({ data: { type, kept, id, code, session, notebook } }) => {
	if (type === "start") {
		started = start(kept);
		started.catch(error => setTimeout(() => { throw error; })); // the page hears of it, and begins anew
		return;
	}
	asked ||= type === "build";
	await started;
	if (type === "trace") {
		const answer = await split("trace", id, code).catch(() => undefined);
		return postMessage({ type: "trace", text: answer?.Trace || code });
	}
	if (type === "docs") {
		const docs = await open(index.docs).then(data => JSON.parse(new TextDecoder().decode(data)), () => undefined);
		return postMessage({ type: "docs", docs });
	}
	fs.put("/session/notebook.json", text.encode(JSON.stringify(notebook)));
	session ? fs.put("/session/session.json", session) : fs.remove("/session/session.json");
	const built = await build(id, code).catch(error => ({ why: error.message }));
	if (!built.why && !built.Error) built.session = fs.get("/session/next.json").slice();
	postMessage({ type: "built", ...built, loaded }, built.program ? [built.program.buffer] : []);
};
