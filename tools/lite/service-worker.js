// In the place of JupyterLite's own, which our kernel doesn't need: what has been loaded once is there without a
// network, too. With a network, all comes from it, so nothing is out of date. The kernel keeps its data by itself.
"use strict";
const kept = caches.open("lite");

const answer = async ({ request }) => {
  try {
    const response = await fetch(request);
    if (response.status === 200) await (await kept).put(bare(request.url), response.clone()).catch(() => {});
    return response;
  } catch (error) {
    return await (await kept).match(bare(request.url)) ?? Promise.reject(error);
  }
};
const bare = (url) => url.replace(/[?#].*/, "");

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (url.endsWith("/api/service-worker-heartbeat")) event.respondWith(new Response("ok"));
  else if (method === "GET" && url.startsWith(registration.scope) && !url.includes("/go/data/")) {
    event.respondWith(answer(event));
  }
});
