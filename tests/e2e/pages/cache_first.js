// A service worker as many apps have one: what it has in its cache, it never asks for again.
addEventListener("install", () => self.skipWaiting());
addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(
    (async () => {
      const cache = await caches.open("all");
      const known = await cache.match(event.request);
      if (known) return known;
      const answer = await fetch(event.request);
      if (answer.ok && answer.headers.get("cache-control") !== "no-store, private") {
        await cache.put(event.request, answer.clone()).catch(() => {});
      }
      return answer;
    })(),
  );
});
