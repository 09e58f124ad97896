// A Go kernel that runs in the page. README.md describes it.
export class GoKernel {
	#worker;
	#waiting = new Map(); // by id, what run has been given and how it returns
	#count = 0;
	#texts = []; // of streams, which the page gets many at a time
	onstatus = () => {};

	constructor() { this.#start(); }

	#start() {
		this.#worker = new Worker(new URL("worker.js", import.meta.url));
		this.ready = new Promise((resolve, reject) => {
			this.#worker.onmessage = ({ data: message }) => {
				if (message.type === "ready") resolve();
				else if (message.type === "status") this.onstatus(message.text);
				else this.#pass(message);
			};
			this.#worker.onerror = ({ message: value }) => {
				this.end();
				reject(new Error(value));
				for (const id of this.#waiting.keys()) {
					this.#pass({ type: "done", id, ok: false, error: { name: "ERROR", value, traceback: [value] } });
				}
			};
		});
		this.ready.catch(() => {});
	}

	run(code, onMessage) {
		if (!this.#worker) this.#start(); // it has failed
		const id = ++this.#count;
		return new Promise(resolve => {
			this.#waiting.set(id, { onMessage, resolve });
			this.#worker.postMessage({ type: "run", id, code });
		});
	}

	interrupt() { this.#worker?.postMessage({ type: "interrupt" }); }

	send(address, message) { this.#worker?.postMessage({ type: "send", address, message }); }

	put(name, data) { this.#worker?.postMessage({ type: "file", name, data }); }

	end() {
		this.#worker?.terminate();
		this.#worker = undefined;
	}

	#pass(message) {
		const last = this.#texts.at(-1);
		if (message.type === "stream") {
			if (last && last.name === message.name && last.id === message.id) last.text += message.text;
			else this.#texts.push(message);
			if (!last) setTimeout(() => this.#flush(), 20);
			return;
		}
		this.#flush();
		const { onMessage, resolve } = this.#waiting.get(message.id);
		onMessage(message);
		if (message.type === "done") {
			this.#waiting.delete(message.id);
			resolve(message);
		}
	}

	#flush() {
		for (const message of this.#texts.splice(0)) this.#waiting.get(message.id)?.onMessage(message);
	}
}
