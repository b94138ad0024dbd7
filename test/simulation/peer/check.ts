import { minute } from '../../kit/clock.ts';
import { deliveryFault, eventFault } from './check-events.ts';
import { moneyFault, settledFault } from './check-money.ts';
import type { Claims } from './claims.ts';
import { longStopMs, type RailRecords } from './rail.ts';
import { isFinal, type ServiceRecords, type SessionRecord } from './service-records.ts';
import type { Staff } from './staff.ts';

export type PeerCheckDeps = {
  now(): number;
  records: ServiceRecords;
  rail: RailRecords;
  claims: Claims;
  decisions: Staff['decisions'];
  acknowledged: ReadonlyMap<string, unknown>;
  /** The time since which the service can work without faults. */
  wellSince(): number;
  violate(rule: string, what: string): void;
};

/** The longest open time of a session: half an hour until it is initiated, then the long stop. */
const maxOpenMs = 34 * minute + longStopMs;

/** The longest delay of due work in a healthy service: a failed loop waits a minute, a failing endpoint longer. */
const dueMs = 2 * minute;
const deliveryDueMs = 15 * minute;

/** Checks the guarantees of the service against its file, the rail's records and its earlier responses. */
export function createPeerChecks({ now, records, rail, claims, violate, ...deps }: PeerCheckDeps) {
  /** Amounts and owner of each session, which must not change. */
  const quoted = new Map<string, string>();
  /** Events that were read, with their bodies, which must not change. */
  const bodies = new Map<string, string>();

  function fixed({ session }: SessionRecord): void {
    const { id, merchant_id, payer, reference, goods_minor, fee_minor, net_minor, amount_minor } = session;
    const is = [merchant_id, payer, reference, goods_minor, fee_minor, net_minor, amount_minor].join();
    const was = quoted.get(id) ?? is;
    if (was !== is) violate('service durability', `${id} was created with ${was} but has ${is}`);
    quoted.set(id, was);
  }

  /** Checks what must hold after each commit, because a crash would leave this state. */
  function step(): void {
    for (const id of records.changed()) {
      const file = records.recordOf(id);
      if (!file) {
        violate('service durability', `${id} is missing`);
        continue;
      }
      fixed(file);
      if (!records.hasStoredResponse(id))
        violate('service idempotency', `${id} was created without a stored response`);
      const wrongMoney = moneyFault(file, rail.of(id), now());
      if (wrongMoney) violate('service money', wrongMoney);
      const wrongEvent = eventFault(file);
      if (wrongEvent) violate('service events', wrongEvent);
      for (const event of file.events) {
        const fault = deliveryFault(event, deps.acknowledged.has(event.id));
        if (fault) violate('service events', fault);
        const before = bodies.get(event.id) ?? event.body;
        if (before !== event.body)
          violate('service events', `${event.id} was ${before}, and is ${event.body}`);
        bodies.set(event.id, before);
      }
    }
  }

  /** Checks that the records match earlier responses. */
  function checkClaims(): void {
    const sessions = records.sessions();
    for (const { id, amount_minor } of claims.quotes.values())
      if (sessions.get(id)?.amount_minor !== amount_minor)
        violate('service durability', `${id} was returned as created, with ${amount_minor}`);
    for (const id of claims.initiated)
      if (sessions.get(id)?.status === 'created')
        violate('service durability', `${id} was returned as initiated but is created`);
    for (const [id, reported] of claims.final) {
      const status = sessions.get(id)?.status;
      if (status !== reported)
        violate('service durability', `${id} was returned as ${reported} but is ${status}`);
    }
    for (const { id, status, charged_minor } of records.prompts()) {
      if (claims.approved.has(id) && status !== 'approved')
        violate('service durability', `${id} was returned as approved but is ${status}`);
      if (charged_minor > 0 && !claims.typed.has(id))
        violate('service money', `${id} took ${charged_minor} pesewas without a PIN`);
    }
    for (const review of records.reviews()) {
      const reported = deps.decisions.get(`${review.session_id} ${review.paid_at} ${review.paid_minor}`);
      if (reported !== undefined && reported !== review.resolution)
        violate(
          'service durability',
          `${review.session_id} was returned as ${reported} but is ${review.resolution}`,
        );
    }
    for (const id of bodies.keys())
      if (!records.events().has(id)) violate('service events', `${id} is missing`);
    for (const [key, ids] of records.keys())
      if (ids.size > 1) violate('service idempotency', `the key ${key} made ${[...ids].join(' and ')}`);
  }

  /** Checks that nothing is overdue, if the service had time to work. */
  function checkDeadlines(): void {
    const wellMs = now() - deps.wellSince();
    for (const session of records.sessions().values()) {
      const isLate = now() - session.created_at > maxOpenMs + dueMs && wellMs > dueMs;
      if (isLate && !isFinal(session) && session.held_at === null)
        violate('service deadlines', `${session.id} is still ${session.status}`);
    }
    for (const { id, next_at } of records.events().values())
      if (next_at !== null && now() - next_at > deliveryDueMs && wellMs > deliveryDueMs)
        violate('service events', `${id} was due ${now() - next_at} ms ago`);
  }

  function look(): void {
    records.readAll();
    step();
    checkClaims();
    checkDeadlines();
  }

  return {
    step,
    /** Checks what must hold whenever the service runs. */
    look,
    /** Checks the final state: no session is open and no event waits. */
    quiet(): void {
      look();
      for (const id of records.sessions().keys()) {
        const file = records.recordOf(id);
        const fault = file && settledFault(file, rail.of(id));
        if (fault) violate('service money', fault);
      }
      for (const { id, state } of records.events().values())
        if (state === 'waiting') violate('service events', `${id} is still ${state}`);
    },
  };
}
