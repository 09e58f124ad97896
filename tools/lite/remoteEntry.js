// JupyterLite's Go kernel. This is a container of module federation as a bundler makes them: JupyterLite calls init
// with the modules that it shares, and get for our plugin.
(() => {
  const address = new URL("../../../go/kernel.js", document.currentScript.src);
  let shared;
  const load = async (name) => (await Object.values(shared[name])[0].get())();

  // Says what the kernel does, until it says something else.
  const line = document.body.appendChild(document.createElement("div"));
  line.setAttribute("role", "status");
  line.style.cssText = "position:fixed;right:0;bottom:0;z-index:9999;padding:.3em .8em;font:13px sans-serif;" +
    "background:#fff8c5;color:#222";
  let loading = "", running = 0;
  const say = () => { line.textContent = loading || (running ? "A cell runs" : ""); line.hidden = !line.textContent; };
  say();

  // JupyterLab would break printed lines within words. It would also shrink a picture of several panels to a
  // telephone's width, where nobody can read them: one of 700 pixels or more stays as wide, up to 720, and scrolls
  // sideways.
  document.head.appendChild(document.createElement("style")).textContent =
    ".jp-OutputArea .jp-RenderedText.jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere }" +
    `.jp-RenderedImage img:is([width^="7"], [width^="8"], [width^="9"], [width^="1"]) { max-width: max(100%, 720px) }`;

  // The reader's files, which cells read by their names. The page lists them, and those that cells have written.
  const own = new Map(); // bytes by name
  const tray = document.body.appendChild(document.createElement("details"));
  tray.style.cssText = "position:fixed;left:0;bottom:0;z-index:9998;max-width:20em;padding:.3em .8em;" +
    "font:13px sans-serif;background:var(--jp-layout-color1);color:var(--jp-ui-font-color1);" +
    "border:1px solid var(--jp-border-color1)";
  tray.innerHTML = `<summary>Your files</summary>
    <p><button>Your CSV file…</button><input type="file" aria-label="Your CSV file" multiple hidden>
    or drop it on the page. It never leaves the browser, and is gone when the page is closed.</p>
    <ul aria-label="Files" style="padding-left:1.5em"></ul>`;
  const [choose, list] = [tray.querySelector("input"), tray.querySelector("ul")];
  const item = (name, data) => {
    const link = document.createElement("a");
    Object.assign(link, { textContent: name, href: "#", download: name });
    link.style.cssText = "color:inherit;text-decoration:underline";
    link.onclick = () => { link.href = URL.createObjectURL(new Blob([data])); };
    const entry = document.createElement("li");
    entry.append(link);
    return entry;
  };
  const show = (written = new Map()) =>
    list.replaceChildren(...[...new Map([...own, ...written])].map(([name, data]) => item(name, data)));
  // In a notebook that begins with the path of its file, the name takes its place.
  const take = async (files, cells = []) => {
    for (const file of files) {
      own.set(file.name, new Uint8Array(await file.arrayBuffer()));
      for (const { model: { sharedModel: cell } } of cells) {
        cell.setSource(cell.getSource().replace(/^(const path, target = )"[^"]*"/m,
          (_, before) => before + JSON.stringify(file.name)));
      }
    }
    show();
    tray.open = true;
  };

  const begin = () => import(address).then(({ GoKernel }) => {
    const go = new GoKernel();
    go.onstatus = (text) => { loading = text; say(); };
    return go;
  });
  // Where the service worker has all files, the first kernel begins while JupyterLite loads. On a first visit the two
  // would share the network.
  let first = navigator.serviceWorker?.controller ? begin() : undefined;
  first?.catch(() => {}); // the kernel's start catches it, too

  const plugin = async () => {
    const { BaseKernel, IKernelClient, IKernelSpecs } = await load("@jupyterlite/services");

    class Kernel extends BaseKernel {
      constructor(options, shell) {
        super(options);
        this.shell = shell;
        this.given = new Map(); // the reader's files that the kernel has
        this.go = first;
        first = undefined;
        this.start().catch(() => {}); // the first cell tries again, and says what is wrong
        this.disposed.connect(() => this.go?.then((go) => go.end(), () => {}));
      }

      // The kernel compiles something as soon as it is there, while the reader reads.
      start() {
        return (this.go ??= begin()).catch((error) => {
          this.go = undefined;
          throw error;
        });
      }

      async interrupt() { (await this.go)?.interrupt(); }

      // Gives the kernel the reader's files that it doesn't have.
      giveFiles(go) {
        for (const [name, data] of own) {
          if (this.given.get(name) != data) go.put(name, data);
          this.given.set(name, data);
        }
      }

      // The sources of the notebook's cells.
      sources() {
        const cells = [...this.shell.currentWidget?.content?.model?.cells ?? []];
        return cells.filter(({ type }) => type == "code").map(({ sharedModel }) => sharedModel.getSource());
      }

      receive({ type, name, text, data, metadata, displayId, update }) {
        if (type == "stream") return this.stream({ name, text });
        if (type != "display") return;
        const output = { data, metadata: metadata ?? {}, transient: displayId ? { display_id: displayId } : {} };
        if (update) this.updateDisplayData(output);
        else this.displayData(output);
      }

      async executeRequest({ code }) {
        let error;
        running++;
        say();
        try {
          const go = await this.start();
          // What moves sliders looks for this; see viz.Explore.
          window.gonb_comm = { _is_connected: Promise.resolve(), send: (...message) => go.send(...message) };
          this.giveFiles(go);
          error = (await go.run(code, (message) => this.receive(message), this.sources())).error;
          show(go.files());
        } catch (failure) {
          error = { name: "kernel", value: String(failure), traceback: [String(failure)] };
        }
        running--;
        say();
        const execution_count = this.executionCount;
        if (!error) return { status: "ok", execution_count, user_expressions: {} };
        const content = { ename: error.name, evalue: error.value, traceback: error.traceback };
        this.publishExecuteError(content);
        return { status: "error", execution_count, ...content };
      }

      async kernelInfoRequest() {
        return {
          status: "ok", protocol_version: "5.3", implementation: "go", implementation_version: "1",
          banner: "Go, compiled in this page", help_links: [],
          language_info: { name: "go", mimetype: "text/x-go", file_extension: ".go", codemirror_mode: "go" },
        };
      }

      // A cursor is counted in characters, and a kernel's in UTF-16.
      async completeRequest({ code, cursor_pos }) {
        const cursor = [...code].slice(0, cursor_pos).join("").length;
        const { start, matches } = await this.start().then((go) => go.complete(code, cursor))
          .catch(() => ({ start: cursor, matches: [] }));
        const range = { start: cursor_pos - (cursor - start), end: cursor_pos };
        const types = matches.map(({ text, kind, signature }) => ({ ...range, text, type: kind, signature }));
        return {
          status: "ok", matches: matches.map(({ text }) => text), cursor_start: range.start, cursor_end: range.end,
          metadata: { _jupyter_types_experimental: types },
        };
      }

      async inspectRequest({ code, cursor_pos }) {
        const cursor = [...code].slice(0, cursor_pos).join("").length;
        const text = await this.start().then((go) => go.inspect(code, cursor)).catch(() => undefined);
        return { status: "ok", found: !!text, data: text ? { "text/markdown": text } : {}, metadata: {} };
      }

      async isCompleteRequest() { return { status: "unknown" }; }
      async commInfoRequest() { return { status: "ok", comms: {} }; }
      inputReply() {}
      async commOpen() {}
      async commMsg() {}
      async commClose() {}
    }

    // What was loaded before the service worker was there is kept, too, so the next visit needs no network.
    const keep = async () => {
      if (!navigator.serviceWorker || !(await navigator.serviceWorker.ready).active) return;
      const workers = ["worker.js", "objects.js", "cell.js", "files.js", "load.js", "wasm_exec.js", "index.json"]
        .map((name) => new URL(name, address));
      const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
      const kept = await caches.open("lite");
      const names = [location.href, ...workers, ...loaded].map((name) => `${name}`.replace(/[?#].*/, ""));
      const ours = new Set(names.filter((name) => name.startsWith(location.origin) && !name.includes("/go/data/")));
      for (const name of ours) if (!await kept.match(name)) await kept.add(name).catch(() => {});
    };

    const activate = (app, specs, client) => {
      keep();
      const takeHere = (files) => take([...files], app.shell.currentWidget?.content.widgets);
      tray.querySelector("button").onclick = () => {
        choose.value = ""; // so that the same file may be chosen again
        choose.click();
      };
      choose.onchange = () => takeHere(choose.files);
      for (const type of ["dragover", "drop"]) {
        document.addEventListener(type, (event) => {
          if (!event.dataTransfer.types.includes("Files")) return;
          event.preventDefault();
          event.stopPropagation();
          if (type == "drop") takeHere(event.dataTransfer.files);
        }, true);
      }
      // JupyterLite would open links between notebooks in an app that isn't here.
      document.addEventListener("click", (event) => {
        const link = event.target.closest("a"), path = link?.pathname?.match(/\/files\/(.*\.ipynb)$/)?.[1];
        if (!path) return;
        event.preventDefault();
        event.stopPropagation();
        window.open(`?path=${path}${link.hash}`);
      }, true);
      const kernels = new Map();
      const create = async (options) => {
        kernels.set(options.id, new Kernel(options, app.shell));
        return kernels.get(options.id);
      };
      // The name is the one in the notebooks.
      specs.register({ spec: { name: "gonb", display_name: "Go", language: "go", argv: [], resources: {} }, create });
      // JupyterLite's own only drops the cells that wait.
      const drop = client.interrupt.bind(client);
      client.interrupt = async (id) => {
        await drop(id);
        await kernels.get(id)?.interrupt();
      };
    };
    const requires = [IKernelSpecs, IKernelClient];
    return { __esModule: true, default: { id: "obliqua-go:kernel", autoStart: true, requires, activate } };
  };

  (globalThis._JUPYTERLAB ??= {})["obliqua-go"] = {
    init(scope) { shared = scope; },
    async get() { const module = await plugin(); return () => module; },
  };
})();
