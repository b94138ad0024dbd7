/** Virtual time and the work that waits for it. The real time of the machine is not used. */
export type Scheduler = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `work` after `ms`. */
  after(ms: number, work: () => void): void;
  /** Runs `work` when no other work is ready at this moment. */
  defer(work: () => void): void;
  /** Advances the time to `end` and runs everything that falls due, in order. Calls `step` after each timer. */
  run(end: number, step: () => void): Promise<void>;
};

type Timer = { at: number; order: number; work: (() => void) | undefined };

const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A binary heap of timers, ordered by time and then by creation. */
function timerHeap() {
  const heap: Timer[] = [];
  const at = (index: number) => heap[index] as Timer;
  const swap = (a: number, b: number) => {
    const moved = at(a);
    heap[a] = at(b);
    heap[b] = moved;
  };
  return {
    first: (): Timer | undefined => heap[0],
    push(timer: Timer): void {
      heap.push(timer);
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (!isBefore(at(index), at(parent))) return;
        swap(index, parent);
        index = parent;
      }
    },
    pop(): void {
      const last = heap.pop();
      if (!last || heap.length === 0) return;
      heap[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        const right = left + 1;
        let least = index;
        if (left < heap.length && isBefore(at(left), at(least))) least = left;
        if (right < heap.length && isBefore(at(right), at(least))) least = right;
        if (least === index) return;
        swap(index, least);
        index = least;
      }
    },
  };
}

export function createScheduler(start: number): Scheduler {
  const timers = timerHeap();
  let now = start;
  let order = 0;
  let deferred: (() => void)[] = [];

  function set(ms: number, work: () => void): Timer {
    const timer: Timer = { at: now + Math.max(0, Math.ceil(ms)), order: order++, work };
    timers.push(timer);
    return timer;
  }

  /** Runs all work that needs no time: promises settle within one turn of the event loop, then deferred work runs. */
  async function drain(): Promise<void> {
    do {
      const works = deferred;
      deferred = [];
      for (const work of works) work();
      await new Promise((resolve) => setImmediate(resolve));
    } while (deferred.length > 0);
  }

  return {
    now: () => now,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          timer.work = undefined;
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = set(ms, wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    after: (ms, work) => void set(ms, work),
    defer: (work) => void deferred.push(work),
    async run(end, step) {
      await drain();
      for (let timer = timers.first(); timer && timer.at <= end; timer = timers.first()) {
        timers.pop();
        if (!timer.work) continue;
        now = timer.at;
        timer.work();
        await drain();
        step();
      }
      now = Math.max(now, end);
    },
  };
}
