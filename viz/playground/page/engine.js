// Workers that hold the engine. A worker can't hear while it computes, so calling off ends it,
// and a spare one takes its place.

const pageText = id => document.getElementById(id).textContent;
const workerURL = URL.createObjectURL(new Blob([pageText("worker")], {type: "text/javascript"}));

class Engine {
  constructor(module) {
    this.worker = new Worker(workerURL);
    this.calls = new Map();
    this.count = 0;
    this.compiled = new Promise((resolve, reject) => {
      this.started = new Promise(started => {
        this.worker.onmessage = ({data}) => {
          if (data.module) resolve(data.module);
          else if (data.ready) started();
          else if (data.failed) reject(new Error(data.failed));
          else this.hear(data);
        };
        this.worker.onerror = e => reject(new Error(e.message));
      });
    });
    this.worker.postMessage(module ? {module} : {engine: pageText("engine")});
  }

  hear({id, progress, error, answer, arrays}) {
    const call = this.calls.get(id);
    if (progress) return call.report?.(...progress);
    this.calls.delete(id);
    if (error) call.reject(new Error(error));
    else call.resolve({answer, arrays});
  }

  // ask sends a request and returns its answer and arrays.
  async ask(request, arrays = [], report) {
    await this.started;
    const id = ++this.count;
    const answered = new Promise((resolve, reject) => this.calls.set(id, {resolve, reject, report}));
    this.worker.postMessage({id, request: JSON.stringify(request), arrays});
    return answered;
  }

  get busy() { return this.calls.size > 0; }

  // idle waits until all requests are answered.
  async idle() {
    while (this.busy) await Promise.allSettled([new Promise(done => {
      const call = [...this.calls.values()].at(-1), {resolve, reject} = call;
      call.resolve = v => { resolve(v); done(); };
      call.reject = e => { reject(e); done(); };
    })]);
  }

  // end ends the worker. Requests under way are never answered.
  end() {
    this.worker.terminate();
    this.calls.clear();
  }
}

const engines = {
  module: null,
  spare: null,

  // first starts the first engine, which compiles the module for all others.
  async first() {
    const engine = new Engine();
    this.module = await engine.compiled;
    return engine;
  },

  // take returns the spare engine, and starts another one when the first has had time to begin.
  take() {
    const engine = this.spare ?? new Engine(this.module);
    this.spare = null;
    setTimeout(() => this.spare ??= new Engine(this.module), 300);
    return engine;
  },
};
