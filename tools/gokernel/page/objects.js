// Loads and unpacks objects for worker.js, which compiles meanwhile.
"use strict";
importScripts("load.js");

onmessage = async ({ data: { hashes, loaded } }) => {
	try {
		const objects = await Promise.all(hashes.map(hash => open(hash, loaded)));
		postMessage({ objects, loaded }, objects.map(data => data.buffer));
	} catch (error) {
		postMessage({ why: error.message });
	}
};
