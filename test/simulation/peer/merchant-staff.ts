import { minute } from '../../kit/clock.ts';
import type { WebhookEvent } from '../oracle/events.ts';
import type { Part } from '../scene.ts';
import type { Claims } from './claims.ts';
import type { Host } from './host.ts';
import type { ServiceRecords } from './service-records.ts';

export type MerchantStaffDeps = Part & {
  host: Pick<Host, 'use'>;
  records: Pick<ServiceRecords, 'sessions'>;
  claims: Pick<Claims, 'recordStatus'>;
  /** The merchants' secret keys. */
  keys: ReadonlyMap<string, string>;
  ownerOf(sessionId: string): string | undefined;
  acknowledged: ReadonlyMap<string, WebhookEvent>;
  record(what: string): void;
};

type ApiResponse = { status: number; body: string };

/** Responses of a service that is busy. */
const isBusy = ({ status }: ApiResponse) => status === 429 || status === 503;

/**
 * Simulates merchant staff with secret keys: they look up payments and events, repeat initiate calls, and try to
 * read other merchants' sessions.
 */
export function createMerchantStaff({
  scheduler,
  host,
  records,
  claims,
  keys,
  violate,
  record,
  ...deps
}: MerchantStaffDeps) {
  const random = deps.random.fork('merchant_staff');
  let healed = false;

  /** Resolves with `undefined` when the service is down or busy. */
  async function ask(
    merchant: string,
    method: 'GET' | 'POST',
    path: string,
  ): Promise<ApiResponse | undefined> {
    const headers = { authorization: `Bearer ${keys.get(merchant)}` };
    const response = await host.use(async ({ app }) => {
      const answer = await app.request(`http://service.test/v1${path}`, { method, headers });
      return { status: answer.status, body: await answer.text() };
    });
    return response && !isBusy(response) ? response : undefined;
  }

  async function lookup(merchant: string, id: string): Promise<void> {
    const response = await ask(merchant, 'GET', `/payments/sessions/${id}`);
    if (!response) return;
    const { status } = JSON.parse(response.body) as { status?: string };
    if (response.status !== 200 || status === undefined)
      return violate('service responses', `${id} is looked up: ${response.status} ${response.body}`);
    claims.recordStatus(id, status);
  }

  /** Checks that delivered events are listed unchanged. */
  async function readEvents(merchant: string, id: string): Promise<void> {
    const delivered = [...deps.acknowledged.values()].filter(({ sessionId }) => sessionId === id);
    const response = await ask(merchant, 'GET', `/events?session_id=${id}`);
    if (!response) return;
    const { data = [] } = JSON.parse(response.body) as { data?: { id: string }[] };
    const listed = new Map(data.map((event) => [event.id, JSON.stringify(event)]));
    for (const event of delivered)
      if (listed.get(event.id) !== event.body)
        violate(
          'service responses',
          `${event.id} was ${event.body} but is listed as ${listed.get(event.id)}`,
        );
  }

  async function initiateAgain(merchant: string, id: string): Promise<void> {
    const response = await ask(merchant, 'POST', `/payments/sessions/${id}/initiate`);
    if (response && response.status !== 409)
      violate('service idempotency', `${id} is initiated again: ${response.status} ${response.body}`);
  }

  async function trespass(other: string, id: string): Promise<void> {
    for (const [method, end] of [
      ['GET', ''],
      ['GET', '/status'],
      ['POST', '/initiate'],
    ] as const) {
      const response = await ask(other, method, `/payments/sessions/${id}${end}`);
      if (response && response.status !== 404)
        violate('service responses', `${other} requested ${id}${end}: ${response.status}`);
    }
  }

  async function work(): Promise<void> {
    const [newest, ...rest] = [...records.sessions().values()]
      .filter(({ status }) => status !== 'created')
      .reverse();
    if (!newest) return;
    const { id } = random.happens(0.5) ? newest : random.pick([newest, ...rest]);
    const owner = deps.ownerOf(id) ?? '';
    record(`staff of ${owner} check ${id}`);
    await lookup(owner, id);
    await initiateAgain(owner, id);
    await readEvents(owner, id);
    for (const other of keys.keys()) if (other !== owner) await trespass(other, id);
  }

  function plan(): void {
    scheduler.after(random.int(5, 60) * minute, () => {
      if (healed) return;
      void work();
      plan();
    });
  }
  plan();

  return {
    heal(): void {
      healed = true;
    },
  };
}
