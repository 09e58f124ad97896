// The Web Worker of a panel. It comes after wasm_exec.js of Go's installation.
let asked;

self.progress = (done, total) => postMessage({id: asked, progress: [done, total]});
self.ready = () => postMessage({ready: true});

// bytes decodes base64.
function bytes(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

function compile(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, {headers: {"Content-Type": "application/wasm"}}));
}

self.onmessage = async ({data}) => {
  if (data.request) {
    asked = data.id;
    const got = obliqua(data.request, data.arrays);
    if (typeof got === "string") postMessage({id: asked, error: got});
    else postMessage({id: asked, answer: JSON.parse(got[0]), arrays: got[1]}, got[1].map(a => a.buffer));
    return;
  }
  try {
    const module = data.module ?? await compile(data.engine);
    if (!data.module) postMessage({module});
    const go = new Go();
    go.run(await WebAssembly.instantiate(module, go.importObject));
  } catch (e) {
    postMessage({failed: String(e)});
  }
};
