// @ts-check
// The loop of the application: messages change the state, the state is drawn once a frame.

import { patchChildren } from "./dom.js";
import { carryOut } from "./effects.js";

/** Starts an application: `init(now)`, `update(state, message, now)`, `view(state)`, `subscriptions(state)`. */
export function start(app, root) {
  let [state, drawn, isPlanned, isWorking] = [null, [], false, false];
  const queue = [];
  const running = new Map();
  const send = (message) => {
    queue.push(message);
    if (!isWorking) work();
  };
  const work = () => {
    isWorking = true;
    try {
      while (queue.length > 0) take(app.update(state, queue.shift(), Date.now()));
    } finally {
      isWorking = false;
    }
  };
  const take = ([next, commands]) => {
    state = next;
    subscribe(app.subscriptions(state), running, send);
    for (const command of commands) carryOut(command, send);
    plan();
  };
  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    document.hidden ? setTimeout(draw) : requestAnimationFrame(draw);
  };
  const draw = () => {
    isPlanned = false;
    const fresh = app.view(state);
    patchChildren(root, drawn, fresh, send);
    drawn = fresh;
    document.title = app.title(state);
  };
  take(app.init(Date.now()));
}

// A subscription is `{ key, start(send) → stop }`; one with the same key goes on.
function subscribe(wanted, running, send) {
  const keys = new Set(wanted.map((each) => each.key));
  for (const [key, stop] of running) {
    if (keys.has(key)) continue;
    stop();
    running.delete(key);
  }
  for (const each of wanted) if (!running.has(each.key)) running.set(each.key, each.start(send));
}
