import type { World } from './world.ts';

/** The part of an outgoing answer that the gateway listens to: whether it has left, and the moment when it does. */
export type Outgoing = { closed: boolean; once(event: string, listener: () => void): void };

/** What is known of the screens of one session between a phone and a menu. */
export type Screen = {
  /** When the gateway was asked for those that have not left it. */
  waiting: readonly number[];
  /** When the first last screen left the gateway, once one has. */
  endedAt?: number;
};

/** Knows of every session whether its last screen has left the gateway: until then no prompt may reach the handset. */
export function openScreens(world: World) {
  const sessions = new Map<string, Screen>();
  return {
    /** A request reaches the gateway; call `close` when its answer has left, or its line was closed. */
    asked(session: string): Outgoing & { isEnd: boolean; close(): void } {
      const since = world.now();
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
            ...(outgoing.isEnd ? { endedAt: world.now() } : {}),
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

export type Screens = ReturnType<typeof openScreens>;
