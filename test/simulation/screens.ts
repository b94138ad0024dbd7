import type { Scheduler } from './scheduler.ts';

/** The part of an outgoing response that the gateway uses: whether it was sent, and an event when it is. */
export type Outgoing = {
  closed: boolean;
  writableFinished: boolean;
  once(event: string, listener: () => void): void;
};

/** A request whose screen was not sent yet, and when the gateway answered it with an end screen. */
type Waiting = { since: number; endsAt?: number };

/** An end screen: when it was requested, when the gateway answered with it, and when it arrived or its connection broke. */
type EndScreen = { since: number; endsAt: number; at: number };

/** The screens of one session. */
export type Screen = {
  /** The requests whose screens were not sent yet. */
  waiting: readonly Waiting[];
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
    /**
     * Records a request. Call `answer` with the gateway's answer, `close` when its response was sent, and `break` when its connection
     * closed before.
     */
    onRequest(session: string) {
      const since = scheduler.now();
      const listeners: (() => void)[] = [];
      const put = (change: (screen: Screen) => Screen) =>
        sessions.set(session, change(sessions.get(session) ?? { waiting: [], ends: [], broken: [] }));
      let mine: Waiting = { since };
      put(({ waiting, ...rest }) => ({ ...rest, waiting: [...waiting, mine] }));
      const outgoing = {
        closed: false,
        writableFinished: false,
        isEnd: false,
        answer(isEnd: boolean) {
          outgoing.isEnd = isEnd;
          if (!isEnd || outgoing.closed) return;
          const before = mine;
          mine = { since, endsAt: scheduler.now() };
          put(({ waiting, ...rest }) => ({
            ...rest,
            waiting: waiting.map((one) => (one === before ? mine : one)),
          }));
        },
        once: (_event: string, listener: () => void) => void listeners.push(listener),
        break() {
          const at = scheduler.now();
          const end = { since, endsAt: mine.endsAt ?? at, at };
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
          ends: outgoing.isEnd ? [...ends, { since, endsAt: mine.endsAt ?? at, at }] : ends,
          waiting: waiting.filter((one) => one !== mine),
        }));
        for (const listener of listeners) listener();
      }
      return outgoing;
    },
    of: (session: string): Screen | undefined => sessions.get(session),
  };
}

export type Screens = ReturnType<typeof createScreens>;
