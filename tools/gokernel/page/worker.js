// The worker that makes programs of cells. It splits, compiles and links; cell.js runs what comes of it.
"use strict";
importScripts("files.js", "wasm_exec.js");

let index; // what build has written
let tools; // modules by name
let cell; // the worker for cells, and those that wait for it to answer
let running; // the id of the cell that runs
let interrupted = false;
const files = new Map(); // what cells have written and the page has put, for another worker
const text = new TextEncoder();
let output = "";

fs.writeSync = (fd, bytes) => {
	output += new TextDecoder().decode(bytes);
	return bytes.length;
};

// Fetch a file that build has named by its hash, so what is kept is right for ever.
async function open(hash) {
	const kept = await globalThis.caches?.open("gokernel").catch(() => undefined);
	const name = `data/${hash}.bin`;
	let response = await kept?.match(name);
	if (!response) {
		response = await fetch(name);
		if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
		await kept?.put(name, response.clone());
	}
	return response.body.pipeThrough(new DecompressionStream("gzip"));
}

const status = text => postMessage({ type: "status", text });

async function start() {
	status("Loading Go's compiler");
	index = await (await fetch("index.json")).json();
	const names = Object.keys(index.tools);
	const modules = await Promise.all(names.map(async name => WebAssembly.compileStreaming(
		new Response(await open(index.tools[name]), { headers: { "Content-Type": "application/wasm" } }))));
	tools = Object.fromEntries(names.map((name, i) => [name, modules[i]]));
	const importable = index.packages.filter(p => p.name).map(p => ({ Path: p.path, Name: p.name }));
	fs.put("/session/packages.json", text.encode(JSON.stringify(importable)));
	index.byPath = new Map(index.packages.map(p => [p.path, p]));
	status("");
	postMessage({ type: "ready" });
	await build(0, index.warm ?? "");
}
const started = start();
started.catch(error => setTimeout(() => { throw error; })); // the page hears of it, and begins anew

// Load the export data or the objects of packages, and write the list that compiler and linker read.
async function load(kind, packages) {
	const wanted = packages.filter(p => !fs.get(`/${kind}/${p.path}.a`));
	if (wanted.length) status(`Loading ${wanted.length} packages`);
	await Promise.all(wanted.map(async p => {
		const data = await new Response(await open(p[kind])).arrayBuffer();
		fs.put(`/${kind}/${p.path}.a`, new Uint8Array(data));
	}));
	if (wanted.length) status("");
	const lines = packages.map(p => `packagefile ${p.path}=/${kind}/${p.path}.a\n`);
	fs.put(`/session/${kind}.cfg`, text.encode(lines.join("")));
}

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
	// The linker's memory is most of a tab's: with GOGC=off it would be 100 MiB more, and a little faster.
	return await runGo(tools[name], [name, ...args], { TMPDIR: "/tmp", GOGC: name === "link" ? "100" : "off", PWD: "/" });
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
	await load("exports", (imports ?? []).concat("runtime").map(path => index.byPath.get(path)));
	const compiled = await tool("compile", "-p=main", "-complete", "-pack", "-c=1", "-dwarf=false", "-trimpath=/=>",
		"-lang=" + index.lang, "-importcfg=/session/exports.cfg", "-o=/session/main.a", "/session/main.go");
	if (compiled !== 0) return split("explain", id, output);
	await load("objects", closure(["runtime", ...imports ?? []]));
	const linked = await tool("link", "-s", "-w", "-importcfg=/session/objects.cfg", "-o=/session/main.wasm",
		"/session/main.a");
	if (linked !== 0) throw new Error(output);
	answer.program = fs.get("/session/main.wasm").slice();
	fs.remove("/session/main.wasm");
	return answer;
}

function newCell() {
	cell = new Worker("cell.js");
	for (const [name, data] of files) cell.postMessage({ type: "file", name, data });
}

// Run a program in the other worker until it exits, fails or is interrupted.
function execute(id, { program, Env: env, Program: { Args: args } }) {
	if (!cell) newCell();
	return new Promise(resolve => {
		running = { end(why) { cell.terminate(); cell = undefined; resolve(why); } };
		cell.onerror = event => {
			event.preventDefault();
			running?.end(event.message.replace(/^Uncaught (\w*Error: )?/, ""));
		};
		cell.onmessage = ({ data: message }) => {
			if (message.type === "file") {
				message.data ? files.set(message.name, message.data) : files.delete(message.name);
			} else if (message.type === "exit") {
				resolve(message.code === 0 ? undefined : `exit status ${message.code}`);
			} else {
				postMessage({ ...message, id });
			}
		};
		cell.postMessage({ type: "run", program, args: args ?? [], env }, [program.buffer]);
	}).finally(() => { running = undefined; });
}

async function run(id, code) {
	await started;
	const answer = await build(id, code);
	for (const name of ["Stdout", "Stderr"]) {
		const text = answer.Program?.[name];
		if (text) postMessage({ type: "stream", id, name: name.toLowerCase(), text });
	}
	if (answer.Error) throw answer.Error;
	fs.put("/session/session.json", fs.get("/session/next.json").slice());
	await new Promise(resolve => setTimeout(resolve)); // an interrupt may have come
	const why = interrupted ? "signal: interrupt" : answer.program && await execute(id, answer);
	if (why) throw { name: "ERROR", value: why, traceback: [why] };
}

let last = started;
onmessage = ({ data: message }) => {
	const { type, id, name, data, code } = message;
	if (type === "run") {
		last = last.then(async () => {
			interrupted = false;
			const error = await run(id, code).then(() => undefined, error =>
				error.traceback ? error : { name: "ERROR", value: error.message, traceback: [String(error.stack ?? error)] });
			postMessage({ type: "done", id, ok: !error, error });
		});
	} else if (type === "interrupt") {
		interrupted = true;
		running?.end("signal: interrupt");
	} else if (type === "send") {
		cell?.postMessage(message);
	} else if (type === "file") {
		const path = name.startsWith("/") ? name : "/notebook/" + name;
		files.set(path, data);
		cell?.postMessage({ type: "file", name: path, data });
	}
};
