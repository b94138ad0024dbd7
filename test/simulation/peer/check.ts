import { type Book, isFinal, type SessionFile } from './book.ts';
import { moneyFault, settledFault } from './check-money.ts';
import { deliveryFault, newsFault } from './check-news.ts';
import type { Claims } from './claims.ts';
import type { RailBook } from './rail.ts';
import type { Staff } from './staff.ts';

export type PeerCheckDeps = {
  now(): number;
  book: Book;
  rail: RailBook;
  claims: Claims;
  decisions: Staff['decisions'];
  acknowledged: ReadonlyMap<string, unknown>;
  /** Since when nothing keeps the service from its work. */
  wellSince(): number;
  violate(rule: string, what: string): void;
};

const minute = 60_000;

/** The longest that a session is open: half an hour until it is initiated, and then what a prompt takes. */
const maxOpenMs = 34 * minute;

/** How long what is due may take a service that is well: a loop that failed waits a minute, an endpoint that fails longer. */
const dueMs = 2 * minute;
const deliveryDueMs = 15 * minute;

/** What the service promises, asked of its file, of the rail, and of what it has said. */
export function openPeerChecks({ now, book, rail, claims, violate, ...deps }: PeerCheckDeps) {
  /** Amounts and owner of a session stay what they were. */
  const quoted = new Map<string, string>();
  /** Events that were seen: they stay, with these bytes. */
  const bodies = new Map<string, string>();

  function fixed({ session }: SessionFile): void {
    const { id, merchant_id, payer, reference, goods_minor, fee_minor, net_minor, amount_minor } = session;
    const is = [merchant_id, payer, reference, goods_minor, fee_minor, net_minor, amount_minor].join();
    const was = quoted.get(id) ?? is;
    if (was !== is) violate('service keeps', `${id} was made for ${was}, and is for ${is}`);
    quoted.set(id, was);
  }

  /** What holds after each commit: it is what a fall would leave. */
  function step(): void {
    for (const id of book.changed()) {
      const file = book.fileOf(id);
      if (!file) {
        violate('service keeps', `${id} is gone`);
        continue;
      }
      fixed(file);
      if (!book.isKept(id)) violate('service once', `${id} is made, and its answer is not kept`);
      const money = moneyFault(file, rail.of(id), now());
      if (money) violate('service money', money);
      const news = newsFault(file);
      if (news) violate('service tells', news);
      for (const event of file.events) {
        const fault = deliveryFault(event, deps.acknowledged.has(event.id));
        if (fault) violate('service tells', fault);
        const before = bodies.get(event.id) ?? event.body;
        if (before !== event.body)
          violate('service tells', `${event.id} was ${before}, and is ${event.body}`);
        bodies.set(event.id, before);
      }
    }
  }

  /** What was said to anybody is so. */
  function kept(): void {
    const sessions = book.sessions();
    for (const { id, amount_minor } of claims.quotes.values())
      if (sessions.get(id)?.amount_minor !== amount_minor)
        violate('service keeps', `${id} was told to be created, for ${amount_minor}`);
    for (const id of claims.initiated)
      if (sessions.get(id)?.status === 'created')
        violate('service keeps', `${id} was told to be initiated, and is created`);
    for (const [id, told] of claims.final) {
      const status = sessions.get(id)?.status;
      if (status !== told) violate('service keeps', `${id} was told to be ${told}, and is ${status}`);
    }
    for (const { id, status, charged_minor } of book.prompts()) {
      if (claims.approved.has(id) && status !== 'approved')
        violate('service keeps', `${id} was told to be approved, and is ${status}`);
      if (charged_minor > 0 && !claims.typed.has(id))
        violate('service money', `${id} took ${charged_minor} pesewas, and nobody typed a PIN`);
    }
    for (const review of book.reviews()) {
      const told = deps.decisions.get(`${review.session_id} ${review.paid_at} ${review.paid_minor}`);
      if (told !== undefined && told !== review.resolution)
        violate('service keeps', `${review.session_id} was told to be ${told}, and is ${review.resolution}`);
    }
    for (const id of bodies.keys()) if (!book.events().has(id)) violate('service tells', `${id} is gone`);
    for (const [key, ids] of book.keys())
      if (ids.size > 1) violate('service once', `the key ${key} made ${[...ids].join(' and ')}`);
  }

  /** Nothing is late, where the service had time. */
  function inTime(): void {
    const wellMs = now() - deps.wellSince();
    for (const session of book.sessions().values()) {
      const isLate = now() - session.created_at > maxOpenMs + dueMs && wellMs > dueMs;
      if (isLate && !isFinal(session) && session.held_at === null)
        violate('service ends', `${session.id} is ${session.status} still`);
    }
    for (const { id, next_at } of book.events().values())
      if (next_at !== null && now() - next_at > deliveryDueMs && wellMs > deliveryDueMs)
        violate('service tells', `${id} was due ${now() - next_at} ms ago`);
  }

  function look(): void {
    book.readAll();
    step();
    kept();
    inTime();
  }

  return {
    step,
    /** What must hold whenever the service is up. */
    look,
    /** Once everything is quiet, nothing is open and nothing is owed. */
    quiet(): void {
      look();
      for (const id of book.sessions().keys()) {
        const file = book.fileOf(id);
        const fault = file && settledFault(file, rail.of(id));
        if (fault) violate('service money', fault);
      }
      for (const { id, state } of book.events().values())
        if (state === 'waiting') violate('service tells', `${id} is ${state} still`);
    },
  };
}
