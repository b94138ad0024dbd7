import type { Scheduler } from './scheduler.ts';

/** The part of an outgoing response that the gateway uses: whether it was sent, and an event when it is. */
export type Outgoing = {
  closed: boolean;
  writableFinished: boolean;
  once(event: string, listener: () => void): void;
};

/** An end screen: when it was requested, and when it arrived or its connection broke. */
type EndScreen = { since: number; at: number };

/** The screens of one session. */
export type Screen = {
  /** The times of requests whose screens were not sent yet. */
  waiting: readonly number[];
  /** When the first end screen was sent, if one was. */
  endedAt?: number;
  /** Every end screen that was sent. */
  ends: readonly EndScreen[];
  /** Every end screen whose connection broke. */
  broken: readonly EndScreen[];
};

/** Tracks when the end screen of each session was sent; no prompt may leave before it. */
export function createScreens(scheduler: Scheduler) {
  const sessions = new Map<string, Screen>();
  return {
    /** Records a request. Call `close` when its response was sent, and `break` when its connection closed before. */
    onRequest(session: string): Outgoing & { isEnd: boolean; close(): void; break(): void } {
      const since = scheduler.now();
      const listeners: (() => void)[] = [];
      const put = (change: (screen: Screen) => Screen) =>
        sessions.set(session, change(sessions.get(session) ?? { waiting: [], ends: [], broken: [] }));
      put(({ waiting, ...rest }) => ({ ...rest, waiting: [...waiting, since] }));
      const outgoing = {
        closed: false,
        writableFinished: false,
        isEnd: false,
        once: (_event: string, listener: () => void) => void listeners.push(listener),
        break() {
          const end = { since, at: scheduler.now() };
          if (outgoing.isEnd) put(({ broken, ...rest }) => ({ ...rest, broken: [...broken, end] }));
          outgoing.isEnd = false;
          finish();
        },
        close() {
          outgoing.writableFinished = true;
          finish();
        },
      };
      function finish() {
        if (outgoing.closed) return;
        outgoing.closed = true;
        const at = scheduler.now();
        put(({ waiting, ends, ...rest }) => ({
          ...(outgoing.isEnd ? { endedAt: at } : {}),
          ...rest,
          ends: outgoing.isEnd ? [...ends, { since, at }] : ends,
          waiting: waiting.toSpliced(waiting.indexOf(since), 1),
        }));
        for (const listener of listeners) listener();
      }
      return outgoing;
    },
    of: (session: string): Screen | undefined => sessions.get(session),
  };
}

export type Screens = ReturnType<typeof createScreens>;
