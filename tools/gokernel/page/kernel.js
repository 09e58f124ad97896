// A Go kernel that runs in the page. README.md describes it.
import * as completion from "./complete.js";

export class GoKernel {
	#compiler; // the worker that makes programs of cells
	#kept; // what another one gets: the index, the modules and packed archives
	#warms; // whether it only links the cell that warms it, for which nobody should wait
	#session; // what cells have declared
	#cell; // the worker in which programs run
	#files = new Map(); // what cells have written and the page has put, for another such worker
	#running; // how what runs now is interrupted, answered and ended
	#docs; // a promise of the packages' symbols, once asked
	#gotDocs;
	#last = Promise.resolve(); // the run before
	#count = 0;
	onstatus = () => {};

	constructor() { this.#start(); }

	#start() {
		this.#warms = false;
		const worker = this.#compiler = new Worker(new URL("worker.js", import.meta.url));
		this.ready = new Promise((resolve, reject) => {
			worker.onmessage = ({ data: message }) => {
				if (message.type === "status") return this.onstatus(message.text);
				if (message.type === "docs") return this.#gotDocs(message.docs);
				if (message.type === "warm" && this.#running) return; // the cell was sent before, and comes next
				if (message.loaded) this.#kept.loaded = message.loaded;
				if (message.type === "built" || message.done) this.#renew();
				if (message.type === "warm") return this.#warms = !message.done;
				if (message.type !== "ready") return this.#running.answer(message);
				this.#kept ??= message.kept;
				resolve();
			};
			worker.onerror = ({ message }) => {
				const why = plain(message);
				this.#endCompiler();
				reject(new Error(why));
				if (this.#running?.answer) this.#running.end(why);
			};
		});
		this.ready.catch(() => {});
		worker.postMessage({ type: "start", kept: this.#kept });
	}

	// Put another worker in the place of the compiler's, which frees the memory of compiler and linker.
	#renew() {
		this.#compiler.terminate();
		this.#gotDocs?.(); // they don't come any more
		this.#start();
	}

	#endCompiler() {
		this.#compiler?.terminate();
		this.#compiler = undefined;
		this.#gotDocs?.();
		this.onstatus("");
	}

	run(code, onMessage, notebook = []) {
		const id = ++this.#count;
		const done = this.#last.then(() => this.#run(id, code, onMessage, notebook));
		this.#last = done.catch(() => {});
		return done;
	}

	interrupt() { this.#running?.interrupt(); }

	send(address, message) { this.#cell?.postMessage({ type: "send", address, message }); }

	put(name, data) {
		const files = new Map([[name.startsWith("/") ? name : "/notebook/" + name, data.slice()]]);
		this.#keep(files);
		this.#cell?.postMessage({ type: "files", files });
	}

	files() {
		const beside = [...this.#files].filter(([name]) => name.startsWith("/notebook/"));
		return new Map(beside.map(([name, data]) => [name.slice("/notebook/".length), data]));
	}

	async complete(code, cursor) { return completion.complete(code, cursor, ...await this.#known()); }

	async inspect(code, cursor) { return completion.inspect(code, cursor, ...await this.#known()); }

	// Return the packages' symbols, their paths by name, and the text of what cells have declared.
	async #known() {
		await this.ready;
		const docs = await (this.#docs ??= new Promise(resolve => {
			this.#gotDocs = resolve;
			this.#compiler.postMessage({ type: "docs" });
		}));
		if (!docs) this.#docs = undefined; // the next time may be luckier
		const { Imports, Declarations } = JSON.parse(new TextDecoder().decode(this.#session ?? NOTHING));
		const named = this.#kept.index.packages.filter(p => p.name).map(p => [p.name, p.path]).reverse();
		const imported = (Imports ?? []).map(i => [i.Name, i.Path]);
		const text = ({ Names, Parts }) => Parts.map((part, i) => part + (Names?.[i]?.replace(/.*~/, "") ?? "")).join("");
		return [docs ?? {}, Object.fromEntries([...named, ...imported]), (Declarations ?? []).map(text).join("\n")];
	}

	end() {
		this.#endCompiler();
		this.#cell?.terminate();
		this.#cell = undefined;
		this.#running?.end("the kernel has ended");
	}

	#keep(files) {
		for (const [name, data] of files) {
			if (data) {
				this.#files.set(name, data);
			} else {
				this.#files.delete(name);
				delete this.#kept.index.files[name]; // a cell has removed it for good
			}
		}
	}

	async #run(id, code, onMessage, notebook) {
		const texts = []; // of streams, which the page gets many at a time
		const flush = () => texts.splice(0).forEach(text => onMessage(text));
		const send = message => {
			const last = texts.at(-1);
			if (message.type !== "stream") {
				flush();
				onMessage({ ...message, id });
				return;
			}
			if (last?.name === message.name) last.text += message.text;
			else texts.push({ ...message, id });
			if (!last) setTimeout(flush, 20);
		};
		const built = await this.#build(id, code, notebook);
		for (const name of ["Stdout", "Stderr"]) {
			const text = built.Program?.[name];
			if (text) send({ type: "stream", name: name.toLowerCase(), text });
		}
		if (built.session) this.#session = built.session;
		const ready = built.program && !built.Error && !built.why;
		const { why = built.why, trace } = ready ? await this.#execute(id, built, send) : {};
		if (trace) send({ type: "stream", name: "stderr", text: why ? await this.#shortened(id, trace) : trace });
		const told = why && (trace ? why : await this.#shortened(id, why)).trimEnd();
		const error = why ? { name: "ERROR", value: why, traceback: [told] } : built.Error ?? undefined;
		const done = { type: "done", id, ok: !error, error };
		send(done);
		return done;
	}

	// Return what the compiler's worker makes of a cell, or with why there is nothing.
	#build(id, code, notebook) {
		if (!this.#compiler) this.#start(); // it has failed
		else if (this.#warms) this.#renew();
		return new Promise(resolve => {
			let sent = false, stopped = "";
			const finish = built => {
				this.#running = undefined;
				resolve(built);
			};
			const running = this.#running = {
				answer: built => finish({ ...built, why: built.why || stopped }),
				end: why => finish({ why }),
				interrupt: () => {
					stopped = INTERRUPTED;
					if (!sent) return finish({ why: stopped });
					setTimeout(() => {
						if (this.#running !== running) return;
						this.#endCompiler(); // it hears nothing while it compiles
						this.#start();
						finish({ why: stopped });
					}, PATIENCE);
				},
			};
			this.ready.then(() => {
				if (this.#running !== running) return;
				sent = true;
				this.#compiler.postMessage({ type: "build", id, code, notebook, session: this.#session });
			}, () => {});
		});
	}

	// Return what the compiler's worker makes of the words of a failure.
	#shortened(id, text) {
		if (!this.#compiler) return text;
		return new Promise(resolve => {
			const finish = text => {
				this.#running = undefined;
				resolve(text);
			};
			this.#running = { answer: ({ text }) => finish(text), end: () => finish(text), interrupt: () => {} };
			this.#compiler.postMessage({ type: "trace", id, code: text });
		});
	}

	// Run a program in the other worker until it exits, fails or is interrupted. Return why, if it went wrong, and the
	// trace that it has written at its end.
	#execute(id, { program, Env: env, Program: { Args: args } }, send) {
		const cell = this.#cell = new Worker(new URL("cell.js", import.meta.url));
		cell.postMessage({ type: "lent", files: this.#kept.index.files });
		cell.postMessage({ type: "files", files: this.#files });
		const key = Math.random(); // a program doesn't have it, so it can't say that it has exited and go on
		return new Promise(resolve => {
			let trace = "";
			const end = why => {
				cell.terminate(); // which frees its memory
				this.#cell = this.#running = undefined;
				resolve({ why, trace });
			};
			const running = this.#running = { end, interrupt: () => end(INTERRUPTED) };
			cell.onerror = event => {
				event.preventDefault();
				if (this.#running === running) end(plain(event.message));
			};
			cell.onmessage = ({ data: { key: its, ...message } }) => {
				if (its !== key) return;
				if (message.type === "files") return this.#keep(message.files);
				if (message.type === "exit") return end(message.code ? explained(message.code, id, trace) : undefined);
				if (message.name === "stderr") {
					const at = trace ? 0 : message.text.search(FAILURE);
					if (at >= 0) {
						trace += message.text.slice(at);
						message.text = message.text.slice(0, at);
					}
				}
				if (message.text !== "") send(message);
			};
			cell.postMessage({ type: "run", key, program, args: args ?? [], env }, [program.buffer]);
		});
	}
}

const NOTHING = new TextEncoder().encode("{}");
const INTERRUPTED = "signal: interrupt";
const FAILURE = /^(panic: |fatal error: |runtime: )/m; // how the trace of a failing program begins
const PATIENCE = 1000; // milliseconds that the compiler has to end by itself

// The words of an error that a worker hasn't caught.
const plain = message => message.replace(/^Uncaught (\w*Error: )?/, "");

// Say more than the exit code where what earlier cells have declared fails before the cell begins.
function explained(code, id, trace) {
	const earlier = trace.match(/^main\.init(?:\.\d+)?\(.*\n\tCell\[(\d+)\]/m)?.[1];
	if (!earlier || +earlier === id) return `exit status ${code}`;
	return `exit status ${code}: what Cell[${earlier}] declares fails before this cell begins, and so before every ` +
		"cell. Declare it anew, or forget it with %rm or %reset.";
}
