// Loads what build has written, for both workers.
"use strict";

// Whether build has named data by this hash, the first 20 digits of SHA-256. Browsers have crypto.subtle, as they have
// caches, on https and on localhost. Elsewhere nothing is kept, and gzip's checksum has to do.
async function named(hash, data) {
	if (!globalThis.crypto?.subtle) return true;
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
	return [...digest].map(byte => byte.toString(16).padStart(2, "0")).join("").startsWith(hash);
}

// Return the bytes that gzip has packed.
async function unpack(packed) {
	const bytes = await packed.arrayBuffer();
	const gzip = new DecompressionStream("gzip"), to = gzip.writable.getWriter(), from = gzip.readable.getReader();
	to.write(bytes).then(() => to.close()).catch(() => {}); // reading fails, too
	const parts = [];
	for (let part; !(part = await from.read()).done;) parts.push(part.value);
	const data = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
	let at = 0;
	for (const part of parts) {
		data.set(part, at);
		at += part.length;
	}
	return data;
}

// Load and unpack a file that build has named by its hash, so what is kept is right for ever. What the browser has kept
// and what the server answers may be something else, such as the page of a network that wants a password. What loaded
// has, packed and by hash, isn't loaded anew; the file is put there.
async function open(hash, loaded = new Map()) {
	if (loaded.has(hash)) return unpack(loaded.get(hash));
	const name = `data/${hash}.bin`;
	const kept = await globalThis.caches?.open("gokernel").catch(() => undefined);
	let why;
	for (const cache of [undefined, "default", "reload"]) {
		try {
			const response = cache ? await fetch(name, { cache }) : await kept?.match(name);
			if (!response) continue;
			if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
			const packed = await response.blob();
			const data = await unpack(packed);
			if (!await named(hash, data)) throw new Error("its contents are others than its name says");
			if (cache) await kept?.put(name, new Response(packed)).catch(() => {}); // there may be no room
			loaded.set(hash, packed);
			return data;
		} catch (error) {
			why = error.message;
			await kept?.delete(name).catch(() => {});
		}
	}
	throw new Error(`${name} can't be loaded: ${why}. Check the connection (a network may want you to log in), and ` +
		"run the cell again; if that doesn't help, reload the page.");
}
