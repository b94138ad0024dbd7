import type { Member, MemberOptions } from '../../../src/postgres/member.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Client } from './server.ts';

/** A connection that a gateway keeps, with its locks. */
type Session = { client: Client; locks: Set<string>; isOpen: boolean; onPause(payload: string): void };

const retryMs = 500;
const checkMs = 2_000;
const startLock = 'start';

/** Simulates the connections by which the gateways of a database know of each other, as `joinGateways` makes them. */
export function createMembers({ scheduler, isUp }: { scheduler: Scheduler; isUp(): boolean }) {
  /** The sessions that the server has: also those of a machine that is gone, for a while. */
  const sessions = new Set<Session>();

  const isLocked = (name: string) => [...sessions].some(({ locks }) => locks.has(name));

  function tryLock(session: Session, name: string): boolean {
    if (!session.isOpen || isLocked(name)) return false;
    session.locks.add(name);
    return true;
  }

  function close(session: Session, afterMs: number): void {
    session.isOpen = false;
    if (afterMs > 0) scheduler.after(afterMs, () => void sessions.delete(session));
    else sessions.delete(session);
  }

  return {
    async join(client: Client, options: MemberOptions): Promise<Member> {
      const leaving = new AbortController();
      const hop = () => client.whileAlive(scheduler.sleep(1));
      const sleep = (ms: number) => options.sleep(ms, leaving.signal);
      let count = 1;
      let session = open();

      function open(): Session {
        const opened = { client, locks: new Set<string>(), isOpen: true, onPause: options.onPause };
        sessions.add(opened);
        return opened;
      }

      async function check(): Promise<void> {
        const sentMs = options.monotonic();
        await hop();
        if (!session.isOpen) return;
        const at = scheduler.now();
        await hop();
        options.follow({ at, sentMs, receivedMs: options.monotonic() });
        count = sessions.size;
      }

      async function checkAlways(): Promise<void> {
        while (!leaving.signal.aborted) {
          await sleep(session.isOpen ? checkMs : retryMs);
          if (!session.isOpen && isUp() && !leaving.signal.aborted) session = open();
          if (session.isOpen) await check();
        }
      }

      await check();
      const checking = checkAlways();
      return {
        cluster: 'simulated',
        count: () => count,
        async startAlone(work) {
          const own = session;
          while (!tryLock(own, startLock)) {
            if (!own.isOpen) throw new Error('the connection to the database was lost');
            await sleep(retryMs);
          }
          try {
            await hop();
            count = sessions.size;
            await work(count === 1);
          } finally {
            own.locks.delete(startLock);
          }
        },
        async runAlone(name, work) {
          const own = session;
          await hop();
          if (!tryLock(own, name)) return undefined;
          try {
            return await work();
          } finally {
            own.locks.delete(name);
          }
        },
        announcePause(payload) {
          if (!session.isOpen) return;
          scheduler.after(3, () => {
            for (const one of sessions) if (one.isOpen) one.onPause(payload);
          });
        },
        async leave() {
          leaving.abort();
          await checking;
          close(session, 0);
        },
      };
    },
    /** Ends the sessions of a client. The server notices it after `afterMs`. */
    drop(client: Client, afterMs: number): void {
      for (const one of [...sessions]) if (one.client === client && one.isOpen) close(one, afterMs);
    },
    dropAll(): void {
      for (const one of [...sessions]) close(one, 0);
    },
  };
}
