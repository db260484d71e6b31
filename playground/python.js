// The worker as seen from the page: calls that return promises, and a new worker where one broke or takes too long.

export const PATIENCE = 30_000; // milliseconds that one call may take

export class Python {
  // `onState` is called with {stage}, {ready, numpy, version} or {broken}.
  constructor(onState) {
    this.onState = onState;
    this.last = 0;
    this.restarts = 0;
    this.start();
  }

  start() {
    this.open = new Map();
    this.ready = false;
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.receive({ broken: event.message ?? "the worker did not start" });
  }

  receive(data) {
    if (data.id === undefined) {
      this.ready ||= Boolean(data.ready);
      this.onState(data);
      if (data.broken) this.fail(data.broken);
      return;
    }
    const waiting = this.open.get(data.id);
    if (!waiting) return;
    this.open.delete(data.id);
    clearTimeout(waiting.timer);
    if (data.error === undefined) waiting.resolve(data.result);
    else waiting.reject(new Error(data.error));
  }

  // Give up this worker: what waits for it fails. A worker that never got ready is not tried a third time.
  fail(why) {
    this.worker.terminate();
    for (const waiting of this.open.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(new Error(why));
    }
    this.open.clear();
    this.restarts = this.ready ? 0 : this.restarts + 1;
    if (this.restarts < 2) this.start();
  }

  call(call, ...args) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      const late = () => this.receive({ broken: `no answer within ${PATIENCE / 1000} seconds` });
      const waiting = { resolve, reject, timer: this.ready ? setTimeout(late, PATIENCE) : undefined };
      this.open.set(id, waiting);
      this.worker.postMessage({ id, call, args });
    });
  }
}
