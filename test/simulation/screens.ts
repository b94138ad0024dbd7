import type { Scheduler } from './scheduler.ts';

/** The part of an outgoing response that the gateway uses: whether it was sent, and an event when it is. */
export type Outgoing = { closed: boolean; once(event: string, listener: () => void): void };

/** The screens of one session. */
export type Screen = {
  /** The times of requests whose screens were not sent yet. */
  waiting: readonly number[];
  /** When the first end screen was sent, if one was. */
  endedAt?: number;
};

/** Tracks when the end screen of each session was sent; no prompt may leave before it. */
export function createScreens(scheduler: Scheduler) {
  const sessions = new Map<string, Screen>();
  return {
    /** Records a request. Call `close` when its response was sent or its connection closed. */
    onRequest(session: string): Outgoing & { isEnd: boolean; close(): void } {
      const since = scheduler.now();
      const listeners: (() => void)[] = [];
      const put = (change: (screen: Screen) => Screen) =>
        sessions.set(session, change(sessions.get(session) ?? { waiting: [] }));
      put(({ waiting, ...rest }) => ({ ...rest, waiting: [...waiting, since] }));
      const outgoing = {
        closed: false,
        isEnd: false,
        once: (_event: string, listener: () => void) => void listeners.push(listener),
        close() {
          if (outgoing.closed) return;
          outgoing.closed = true;
          put(({ waiting, ...rest }) => ({
            ...(outgoing.isEnd ? { endedAt: scheduler.now() } : {}),
            ...rest,
            waiting: waiting.toSpliced(waiting.indexOf(since), 1),
          }));
          for (const listener of listeners) listener();
        },
      };
      return outgoing;
    },
    of: (session: string): Screen | undefined => sessions.get(session),
  };
}

export type Screens = ReturnType<typeof createScreens>;
