import type { Clock, EpochMs } from './clock.ts';
import { LinkedList, ListNode } from './linked-list.ts';

/** The time limit of one piece of work. */
export type Deadline = {
  /** True after the time limit. */
  readonly aborted: boolean;
  /** Aborts at the time limit. Created when it is first read, because most work needs none. */
  readonly signal: AbortSignal;
};

class Running extends ListNode implements Deadline {
  aborted = false;
  readonly at: EpochMs;
  private readonly onExpiry: (fault: Error) => void;
  private controller: AbortController | undefined;

  constructor(at: EpochMs, onExpiry: (fault: Error) => void) {
    super();
    this.at = at;
    this.onExpiry = onExpiry;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    return this.controller.signal;
  }

  expire(fault: Error): void {
    this.aborted = true;
    this.controller?.abort(fault);
    this.onExpiry(fault);
  }
}

/** Creates a function that bounds the time of work. Equal limits share one timer: one for each would cost more than short work. */
export function createDeadlines(clock: Clock) {
  const groups = new Map<number, ReturnType<typeof createGroup>>();
  /** @returns the result of `work`. @throws the error of `work`, or an Error at the time limit, even when `work` ignores it. */
  return <T>(ms: number, work: (deadline: Deadline) => Promise<T>): Promise<T> => {
    const group = groups.get(ms) ?? createGroup(clock, ms);
    groups.set(ms, group);
    return group(work);
  };
}

function createGroup(clock: Clock, ms: number) {
  /** In the order of the deadlines, because all have the same time limit. */
  const all = new LinkedList<Running>();
  let watch: AbortController | undefined;
  let isPausing = false;

  async function expireOnTime(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { first } = all;
      if (signal.aborted) return;
      if (first === undefined) {
        watch = undefined;
        return;
      }
      await clock.sleep(Math.max(0, first.at - clock.now()), signal);
      if (signal.aborted) return;
      for (const one of all) {
        if (one.at > clock.now()) break;
        one.expire(new Error(`no answer within ${ms} ms`));
      }
    }
  }

  function start(one: Running): void {
    all.add(one);
    if (watch) return;
    watch = new AbortController();
    void expireOnTime(watch.signal);
  }

  function finish(one: Running): void {
    all.remove(one);
    if (all.size > 0 || isPausing) return;
    // Work often ends together, at a commit, and the next work begins before this runs.
    isPausing = true;
    setImmediate(stopIfIdle);
  }

  function stopIfIdle(): void {
    isPausing = false;
    if (all.size > 0) return;
    // An explicit reason: the default one costs more than the rest of this function.
    watch?.abort('finished');
    watch = undefined;
  }

  return <T>(work: (deadline: Deadline) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const one = new Running(clock.now() + ms, (fault) => {
        finish(one);
        reject(fault);
      });
      start(one);
      work(one).then(
        (result) => {
          finish(one);
          resolve(result);
        },
        (fault) => {
          finish(one);
          reject(fault);
        },
      );
    });
}
