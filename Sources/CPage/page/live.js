// @ts-check
// Subscriptions: the one stream of live events, the keys, the address, the visibility, the clock.

import { row } from "./json.js";
import { query } from "./address.js";

/** Events of the log from a position on. It is opened anew each second after an error status. */
export const events = (serial, from, log) => ({
  key: `live ${serial}`,
  start(send) {
    let [source, timer, next] = [/** @type {EventSource|null} */ (null), 0, from];
    const open = () => {
      const stream = new EventSource("/live/events" + query({ from: next, log }));
      source = stream;
      stream.onmessage = ({ data }) => {
        const event = row(data);
        if (event.position < next) return;
        next = event.position + 1;
        send({ is: "event", event });
      };
      stream.addEventListener("caughtUp", ({ data }) => {
        next = Math.max(next, JSON.parse(data).caughtUp + 1);
        send({ is: "caughtUp", position: next - 1 });
      });
      for (const name of ["lost", "end"]) stream.addEventListener(name, () => send({ is: "lost" }));
      stream.onerror = () => {
        send({ is: "lost" });
        if (stream.readyState !== EventSource.CLOSED) return;
        send({ is: "refused" });
        timer = setTimeout(open, 1000);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source?.close();
    };
  },
});

/** A message each so many milliseconds. */
export const every = (key, milliseconds, message) => ({
  key,
  start(send) {
    const timer = setInterval(() => send(message), milliseconds);
    return () => clearInterval(timer);
  },
});

/** An event of the window or the document, as the message that `to(event)` makes of it; null is none. */
export const heard = (key, target, name, to) => ({
  key,
  start(send) {
    const listener = (event) => {
      const message = to(event);
      if (message) send(message);
    };
    target.addEventListener(name, listener);
    return () => target.removeEventListener(name, listener);
  },
});
