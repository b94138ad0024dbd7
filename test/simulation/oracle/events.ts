import { createHmac } from 'node:crypto';
import { hour, minute, second } from '../../kit/clock.ts';
import { createFaults } from '../faults.ts';
import type { Part } from '../scene.ts';
import { factsOf, type OracleSession } from './session.ts';

export type WebhookEvent = { id: string; type: string; merchant: string; body: string; sessionId: string };

/** Posts a delivery to a merchant's webhook. Resolves with the HTTP status, or `undefined` without a response. */
export type Post = (
  merchant: string,
  headers: Record<string, string>,
  body: string,
) => Promise<number | undefined>;

type EventSenderDeps = Part & {
  merchants: readonly string[];
  record(what: string): void;
  post: Post;
};

/** The waits between attempts of a delivery. */
const retries = [5 * second, minute, 10 * minute, hour, 6 * hour] as const;

export const webhookSecretOf = (merchant: string) => `whsec_simulated_${merchant}_0123456789`;

export type EventSender = ReturnType<typeof createEventSender>;

/** Returns the headers of a delivery, signed at `at`. */
function signed({ merchant, body, id }: WebhookEvent, at: number): Record<string, string> {
  const t = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', webhookSecretOf(merchant)).update(`${t}.${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'service-signature': `t=${t},v1=${signature}`,
    'service-event-id': id,
  };
}

/** Creates, signs and delivers events, with the faults of the seed. After `heal` every pending event is delivered. */
export function createEventSender(deps: EventSenderDeps) {
  const { merchants, scheduler, random, has, record, post } = deps;
  const faults = createFaults(deps);
  const { may, of } = faults;
  const pending = new Map<string, WebhookEvent>();
  const acknowledged = new Map<string, WebhookEvent>();
  /** Sessions that an event with a valid signature reported as paid, in another party's name. */
  const forged = new Set<string>();
  let count = 0;

  function write(merchant: string, sessionId: string, type: string, data: object): WebhookEvent {
    count += 1;
    const id = `evt_${String(count).padStart(4, '0')}`;
    return { id, type, merchant, body: bodyOf(id, type, data), sessionId };
  }

  const bodyOf = (id: string, type: string, data: object) =>
    JSON.stringify({
      id,
      type: `payment.session.${type}`,
      created_at: new Date(scheduler.now()).toISOString(),
      data,
    });

  async function deliver(event: WebhookEvent): Promise<boolean> {
    const headers = signed(event, scheduler.now());
    const status = await post(event.merchant, headers, event.body);
    if (status === undefined || status < 200 || status > 299) return false;
    pending.delete(event.id);
    if (!acknowledged.has(event.id)) repeatAcknowledged(event, headers);
    acknowledged.set(event.id, event);
    return true;
  }

  /** Sends acknowledged events again: the same bytes, or other content under the same id. */
  function repeatAcknowledged(event: WebhookEvent, headers: Record<string, string>): void {
    if (may('events_replayed', 0.3)) {
      const later = of('events_replayed').int(1, 300) * minute;
      scheduler.after(later, () => void post(event.merchant, headers, event.body));
    }
    if (may('ids_reused', 0.3)) {
      const data = { ...(JSON.parse(event.body) as { data: object }).data };
      const type = event.type === 'failed' ? 'paid' : 'failed';
      const paid = { status: 'paid', paid_at: new Date(scheduler.now()).toISOString() };
      const body = bodyOf(event.id, type, { ...data, ...(type === 'paid' ? paid : { status: 'failed' }) });
      const other = { ...event, type, body };
      scheduler.after(of('ids_reused').int(1, 3600) * second, () => {
        void post(event.merchant, signed(other, scheduler.now()), body);
      });
    }
  }

  async function deliverWithRetries(event: WebhookEvent): Promise<void> {
    for (const wait of retries) {
      if (!pending.has(event.id) || (await deliver(event)) || has('events_once')) return;
      await scheduler.sleep(wait);
    }
  }

  function send(event: WebhookEvent): void {
    pending.set(event.id, event);
    if (may('events_lost', 0.5)) {
      record(`${event.id} (${event.type} of ${event.sessionId}) is lost`);
      return;
    }
    const late = may('events_late', 0.4) ? of('events_late').int(1, 240) * minute : 0;
    const copies = may('events_duplicated', 0.5) ? of('events_duplicated').int(2, 4) : 1;
    for (let copy = 0; copy < copies; copy++) {
      scheduler.after(late + random.int(0, 3 * second), () => void deliverWithRetries(event));
    }
  }

  const paidOf = (session: OracleSession) => ({
    ...factsOf(session),
    status: 'paid',
    paid_at: new Date(scheduler.now()).toISOString(),
  });

  /**
   * Sends events that do not belong to this merchant: another merchant's, another channel's, and one of an unknown
   * type.
   */
  function foreign(session: OracleSession): void {
    for (const other of merchants) {
      if (other !== session.merchant) send(write(other, session.id, 'paid', paidOf(session)));
    }
    send(write(session.merchant, 'pay_web_1', 'paid', { ...paidOf(session), id: 'pay_web_1' }));
    send(
      write(session.merchant, session.id, 'refund_requested', {
        id: session.id,
        anything: [1, { deep: true }],
      }),
    );
  }

  /** Sends a `paid` event with a forged signature. */
  function forge(session: OracleSession): void {
    const id = `evt_forged_${session.id}`;
    const created_at = new Date(scheduler.now()).toISOString();
    const t = String(Math.floor(scheduler.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'service-signature': `t=${t},v1=${'0'.repeat(64)}`,
      'service-event-id': id,
    };
    const body = { id, type: 'payment.session.paid', created_at, data: paidOf(session) };
    void post(session.merchant, headers, JSON.stringify(body));
  }

  /** Sends an event that is signed with the leaked secret, after a while. */
  function forgeSigned(session: OracleSession, type: 'paid' | 'failed', afterMs: number): void {
    if (type === 'paid') forged.add(session.id);
    scheduler.after(afterMs, () => {
      const declined = { ...factsOf(session), status: 'failed', reason: 'declined' };
      const data = type === 'paid' ? paidOf(session) : declined;
      const event = write(session.merchant, session.id, type, data);
      record(`${event.id} reports ${session.id} as ${type} with the leaked secret`);
      void post(event.merchant, signed(event, scheduler.now()), event.body);
    });
  }

  return {
    acknowledged,
    pendingCount: () => pending.size,
    hasForgedPaid: (sessionId: string) => forged.has(sessionId),
    report(session: OracleSession, type: string, data: object): void {
      if (has('events_never')) return;
      const contradicts = type === 'paid' && may('events_contradict', 0.4);
      const denial = () => write(session.merchant, session.id, 'failed', { ...data, status: 'failed' });
      const before = contradicts && of('events_contradict').happens(0.5);
      if (before) send(denial());
      send(write(session.merchant, session.id, type, data));
      if (contradicts && !before)
        scheduler.after(of('events_contradict').int(1, 60) * minute, () => send(denial()));
      // The same event again under a new id.
      if (may('events_duplicated', 0.3)) send(write(session.merchant, session.id, type, data));
      if (may('foreign_events', 0.3)) foreign(session);
    },
    /** Sends forged events while the response to create is on its way: they are handled before, while and after a gateway learns the session. */
    sendEarlyEvents(session: OracleSession): void {
      if (has('events_never') || !may('early_events', 0.7)) return;
      const own = of('early_events');
      for (const type of ['failed', 'paid', 'failed'] as const)
        if (own.happens(0.7)) forgeSigned(session, type, own.int(0, 500));
    },
    /** Sends foreign and forged events while the prompt waits. */
    sendForeignEvents(session: OracleSession): void {
      if (has('events_never')) return;
      if (may('foreign_events', 0.5)) foreign(session);
      if (may('foreign_events', 0.5)) forge(session);
      for (const type of ['paid', 'failed'] as const)
        if (may('forged_payments', 0.5))
          forgeSigned(session, type, of('forged_payments').int(0, 90) * second);
    },
    heal(): void {
      faults.heal();
      const settle = async (event: WebhookEvent) => {
        while (pending.has(event.id) && !(await deliver(event))) await scheduler.sleep(minute);
      };
      for (const event of pending.values())
        scheduler.after(random.int(0, 10) * minute, () => void settle(event));
    },
  };
}
