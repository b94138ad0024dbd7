import type Database from 'better-sqlite3';
import type { Feature } from '../features.ts';
import type { Book } from './book.ts';
import type { Claims } from './claims.ts';

export type PeerCheckDeps = {
  book: Book;
  claims: Claims;
  acknowledged: ReadonlyMap<string, unknown>;
  violate(rule: string, what: string): void;
  /** Attempts after which an event is given up. */
  mostAttempts: number;
  has(feature: Feature): boolean;
};

type EventRow = { id: string; session_id: string; type: string; state: string; attempts: number };

/** What the service promises, asked of its file and of what it has said. */
export function openPeerChecks({ book, claims, acknowledged, violate, mostAttempts, has }: PeerCheckDeps) {
  /** Nobody is asked or charged twice, and nobody is charged who was not asked and did not agree. */
  function once(): void {
    for (const [key, ids] of book.keys())
      if (ids.size > 1) violate('service once', `the key ${key} made ${[...ids].join(' and ')}`);
    for (const { id, states, prompts, charges, takenMinor, amountMinor } of book.sessions().values()) {
      const status = states.at(-1)?.state ?? 'created';
      if (prompts.length > 1) violate('service once', `${id} was pushed ${prompts.length} times`);
      if (charges > 1) violate('service once', `${id} was charged ${charges} times`);
      if (status === 'created' && prompts.length > 0)
        violate('service once', `${id} was pushed, and is ${status}`);
      if (status === 'paid' && takenMinor !== amountMinor)
        violate('service money', `${id} is paid, and ${takenMinor} of ${amountMinor} pesewas were taken`);
    }
    for (const { id, session_id, charged_minor } of book.prompts().values()) {
      if (!book.sessions().has(session_id)) violate('service money', `${id} is of no session`);
      if (charged_minor > 0 && !claims.typed.has(id))
        violate('service money', `${id} took ${charged_minor} pesewas, and nobody typed a PIN`);
    }
  }

  /** What was said to anybody is so. */
  function kept(): void {
    for (const id of claims.created)
      if (!book.sessions().has(id))
        violate('service keeps', `${id} was told to be created, and is not there`);
    for (const [id, told] of claims.final) {
      const status = book.sessions().get(id)?.states.at(-1)?.state;
      if (status !== told) violate('service keeps', `${id} was told to be ${told}, and is ${status}`);
    }
    for (const id of claims.approved) {
      const status = book.prompts().get(id)?.status;
      if (status !== 'approved') violate('service keeps', `${id} was told to be approved, and is ${status}`);
    }
  }

  /** Every end that a merchant must hear of has one event, which somebody took. */
  function news(file: Database.Database): void {
    const events = file.prepare('SELECT * FROM event ORDER BY rowid').all() as EventRow[];
    for (const { id, state, attempts } of events) {
      const isOver = state === 'given_up' && attempts >= mostAttempts;
      if (state !== 'delivered' && !isOver) violate('service delivers', `${id} is ${state}`);
      if (state === 'delivered' && !acknowledged.has(id))
        violate('service delivers', `${id} counts as delivered, and nobody took it`);
    }
    for (const { id, states, initiates } of book.sessions().values()) {
      const status = states.at(-1)?.state;
      const type = `payment.session.${status === 'paid' ? 'paid' : 'failed'}`;
      const own = events.filter(({ session_id }) => session_id === id);
      const fitting = own.filter((event) => event.type === type).length;
      if (fitting !== initiates || own.length !== initiates)
        violate('service delivers', `${id} is ${status}, with events: ${own.map((one) => one.type)}`);
    }
  }

  /** Both sides mean the same, so that nothing is left for a person; a clock that is wrong finds news stale. */
  function agree(gateway: Database.Database): void {
    if (has('clock_jumps') || has('clock_skew')) return;
    const rows = gateway
      .prepare("SELECT id, review FROM collection WHERE status = 'review' OR review IS NOT NULL")
      .all();
    for (const { id, review } of rows as { id: string; review: string | null }[])
      violate('I5', `a person must decide about ${id} (${review}), though nothing contradicts`);
  }

  return {
    /** What must hold after every step. */
    step: once,
    /** What must hold whenever the service is up. */
    look(): void {
      once();
      kept();
    },
    /** Once everything is quiet, nothing is open and nothing is owed. */
    quiet({ gateway, service }: { gateway: Database.Database; service: Database.Database }): void {
      agree(gateway);
      once();
      kept();
      for (const { id, states, takenMinor } of book.sessions().values()) {
        const status = states.at(-1)?.state ?? 'created';
        if (status === 'created' || status === 'initiated') violate('liveness', `${id} is ${status} still`);
        if (takenMinor > 0 && status !== 'paid')
          violate('service money', `${id} is ${status}, and ${takenMinor} pesewas were taken`);
      }
      news(service);
    },
  };
}
