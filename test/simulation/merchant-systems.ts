import { Webhook } from 'standardwebhooks';
import type { WebhookFetch } from '../../src/shared/http/webhook-fetch.ts';
import type { Database } from '../../src/sqlite/driver.ts';
import { basic, staffTokens } from '../kit/staff.ts';
import { hour, minute, type Scene, second } from './scene.ts';

export type MerchantSystemsDeps = {
  scene: Scene;
  merchants: readonly string[];
  /** Sends a request to the gateway; `undefined` when it is down. */
  request(url: string, init: RequestInit): Promise<Response | undefined>;
  connection(): Database | undefined;
};

type Payment = {
  id: string;
  sequence: number;
  status: string;
  confirmed: boolean;
  review: string | null;
  reason: string | null;
  amount_minor: number | null;
  net_minor: number | null;
};

type System = {
  merchant: string;
  endpoint: string;
  secret: string;
  /** The facts that were recorded when the endpoint existed: later payments are notified. */
  factsBefore: number;
  /** What the system knows of each payment. */
  payments: Map<string, Payment>;
  /** The bytes of each notification. */
  bodies: Map<string, string>;
};

/**
 * Simulates the merchants' own systems, which get notifications: they are slow, down, lose their answers, report a failure after they
 * have stored a notification, receive it twice and late, and say that they are gone. They never report a success that they
 * have not stored.
 */
export function createMerchantSystems({ scene, merchants, request, connection }: MerchantSystemsDeps) {
  const { scheduler, plan, has, count, history, violate } = scene;
  const random = scene.random.fork('merchant_systems');
  const systems = new Map<string, System>();
  let isHealed = false;
  let downUntil = 0;
  let registrations = 0;

  async function call(path: string, body?: object): Promise<unknown> {
    const headers = { authorization: basic('adwoa', staffTokens.adwoa), 'content-type': 'application/json' };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    // A request to a process that is killed meanwhile has no answer.
    const answered = request(`http://gateway.test/staff/v1${path}`, init);
    const answer = await Promise.race([answered, scheduler.sleep(minute)]);
    return answer?.status === 200 ? answer.json() : undefined;
  }

  /** Repeats a call until the gateway has done it. */
  async function insist(path: string, body: object): Promise<void> {
    while (!(await call(path, body))) await scheduler.sleep(minute);
  }

  async function register(merchant: string): Promise<void> {
    for (;;) {
      const url = `https://${merchant}.test/hooks/${registrations++}`;
      const added = (await call('/endpoints', { merchantId: merchant, url })) as
        | { secret: string; endpoint: { id: string } }
        | undefined;
      const file = connection();
      if (added && file) {
        const factsBefore = file.prepare('SELECT coalesce(max(seq), 0) FROM fact').pluck().get() as number;
        const { secret, endpoint } = added;
        const maps = { payments: new Map(), bodies: new Map() };
        systems.set(url, { merchant, secret, endpoint: endpoint.id, factsBefore, ...maps });
        history.record('merchant', `${merchant} has the endpoint ${endpoint.id}`);
        return;
      }
      await scheduler.sleep(random.int(1, 10) * minute);
    }
  }

  function store(system: System, { headers, body }: Parameters<WebhookFetch>[1]): void {
    const id = headers['webhook-id'] ?? '';
    const at = Number(headers['webhook-timestamp']);
    const signed = new Webhook(system.secret).sign(id, new Date(1000 * at), body);
    if (headers['webhook-signature'] !== signed) violate('notify', `${id} has another signature`);
    const known = system.bodies.get(id);
    if (known !== undefined && known !== body) violate('notify', `${id} has two bodies`);
    if (known !== undefined) count('notification repeated');
    system.bodies.set(id, body);
    const { data } = JSON.parse(body) as { data: Payment };
    const before = system.payments.get(data.id);
    if (!before || before.sequence <= data.sequence) system.payments.set(data.id, data);
    else count('notification out of order');
  }

  const fetch: WebhookFetch = async (url, sent) => {
    await scheduler.sleep(random.int(5, 300));
    const system = systems.get(url);
    const fault = isHealed ? 'none' : random.pick(outcomes);
    // The answer to the registration was lost, so that no person has the secret.
    if (!system) return respond(410);
    if (!isHealed && scheduler.now() < downUntil) throw new Error('connection refused');
    if (fault === 'lost') throw new Error('connection reset');
    if (fault === 'slow') await scheduler.sleep(random.int(1, 40) * second);
    if (fault === 'error') return respond(500);
    if (fault === 'gone' && random.happens(0.2)) {
      count('fault endpoint gone');
      void enableAgain(system);
      return respond(410);
    }
    store(system, sent);
    count('notification stored');
    if (fault === 'twice') scheduler.after(random.int(1, 30) * minute, () => store(system, sent));
    if (fault === 'lies') return respond(503);
    if (fault === 'answer lost') throw new Error('connection reset');
    return respond(200);
  };

  /** Support staff enable the endpoint after a while, and replay what it missed. */
  async function enableAgain({ endpoint }: System): Promise<void> {
    await scheduler.sleep(random.int(1, 90) * minute);
    await insist(`/endpoints/${endpoint}/enable`, {});
    const day = 24 * hour;
    const range = { from: isoOf(scheduler.now() - 40 * day), to: isoOf(scheduler.now() + 40 * day) };
    let after: object = {};
    for (;;) {
      const page = (await call(`/endpoints/${endpoint}/replay`, { ...range, undelivered: true, ...after })) as
        | { next: string | null }
        | undefined;
      if (page?.next === null) break;
      if (page) after = { after: page.next };
      else await scheduler.sleep(minute);
    }
    count('endpoint enabled');
  }

  function planOutage(): void {
    scheduler.after(random.int(20, 300) * minute, () => {
      if (isHealed) return;
      downUntil = scheduler.now() + random.pick([minute, 30 * minute, 4 * hour]);
      count('fault merchant down');
      planOutage();
    });
  }

  return {
    fetch,
    begin(): void {
      if (!has('merchants_notified')) return;
      for (const merchant of merchants)
        scheduler.after(random.int(0, (plan.hours * hour) / 2), () => void register(merchant));
      planOutage();
    },
    heal(): void {
      isHealed = true;
    },
    /**
     * Checks that each system knows the present state of each payment, or that its endpoint is listed as failing, and that nothing waits
     * for a disabled endpoint.
     */
    check(file: Database): void {
      const waiting = file.prepare(waitingForDisabled).pluck().get() as number;
      if (waiting > 0) violate('notify', `${waiting} notifications wait for a disabled endpoint`);
      for (const { endpoint, merchant, factsBefore, payments } of systems.values()) {
        const row = file
          .prepare('SELECT disabled_at, failing_since FROM notification_endpoint WHERE id = ?')
          .get(endpoint) as { disabled_at: number | null; failing_since: number | null } | undefined;
        if (!row) violate('notify', `the endpoint ${endpoint} is lost`);
        if (!row || row.disabled_at !== null || row.failing_since !== null) continue;
        const rows = file.prepare(paymentsSince).all(merchant, factsBefore) as Recorded[];
        for (const one of rows) {
          const expected = summaryOf(one);
          const known = payments.get(one.id);
          const found = known && textOf(known);
          if (found !== expected)
            violate('notify', `${endpoint} knows ${one.id} as ${found}, and it is ${expected}`);
        }
        count('payments notified', rows.length);
      }
    },
  };
}

const outcomes = [
  ...(['none', 'none', 'none', 'none'] as const),
  ...(['lost', 'slow', 'error', 'lies', 'twice', 'answer lost', 'gone'] as const),
] as const;

/** Returns what a merchant may rely on. The amounts of an open payment are not reported. */
function textOf(one: Omit<Payment, 'id' | 'sequence'>): string {
  const { status, confirmed, review, reason, amount_minor: amount, net_minor: net } = one;
  return JSON.stringify([status, confirmed, review, ...(status === 'open' ? [] : [reason, amount, net])]);
}

type Recorded = Omit<Payment, 'sequence' | 'confirmed'> & { confirmed_at: number | null };

const paymentsSince = `SELECT id, status, confirmed_at, review, reason, amount_minor, net_minor FROM collection WHERE merchant_id = ?
  AND id IN (SELECT subject_id FROM fact WHERE kind = 'accepted' AND seq > ?)`;

const waitingForDisabled = `SELECT count(*) FROM notification JOIN notification_endpoint AS endpoint ON endpoint.id = endpoint_id
  WHERE next_at IS NOT NULL AND disabled_at IS NOT NULL`;

/** Returns what a merchant must know. */
function summaryOf({ confirmed_at: confirmedAt, status, ...row }: Recorded): string {
  const isEnded = status === 'paid' || status === 'review';
  const isOpen = ['accepted', 'created', 'initiating', 'initiated'].includes(status);
  const shown = isEnded ? status : isOpen ? 'open' : 'not_paid';
  return textOf({ ...row, status: shown, confirmed: confirmedAt !== null });
}

const isoOf = (at: number) => new Date(at).toISOString();

function respond(status: number): Awaited<ReturnType<WebhookFetch>> {
  return { status, body: null };
}
