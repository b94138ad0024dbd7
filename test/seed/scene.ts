import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { CollectionWithJob } from '../../src/gateway/collection/collection.ts';
import { findCollections } from '../../src/gateway/support/find-query.ts';
import { signPayload } from '../../src/service/webhook/attempt.ts';
import type { Ids } from '../../src/shared/ids.ts';
import { type Msisdn, operatorByPrefix } from '../../src/shared/msisdn.ts';
import { Database } from '../../src/sqlite/driver.ts';
import type { StillClock } from '../../src/testing/clock.ts';
import { createTillPhone } from '../../src/testing/create-phone.ts';
import { tillChannelSchema } from '../../src/testing/options.ts';
import { type TillPhone, type TillPrompt, toCollected } from '../../src/testing/phone.ts';
import { gatewayUrl, type Programs } from '../../src/testing/programs.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { basic } from '../kit/staff.ts';
import { tokenOf } from './accounts.ts';
import type { SeedFiles } from './files.ts';
import type { Faults, SeedNetwork } from './network.ts';
import { channelOf, type Shop, type StaffName } from './shops.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The week, and some hours more: a prompt without a result is watched for seven days. */
export const weekMs = 7 * dayMs + 12 * hourMs;

/** What somebody does at a time after the start of the week. */
export type Act = { atMs: number; run(scene: Scene): Promise<void> };

/** The columns of a collection that decide what happens to it next. */
export type SeededRow = Pick<
  CollectionWithJob,
  | 'id'
  | 'status'
  | 'version'
  | 'shortReference'
  | 'sessionId'
  | 'goodsMinor'
  | 'amountMinor'
  | 'feeMinor'
  | 'netMinor'
  | 'review'
  | 'nextAt'
  | 'confirmedAt'
  | 'lapsedAt'
>;

/** Reads the newest collection of a payer. One connection for all reads: a payment is read many times. */
type ReadNewest = ((payer: Msisdn) => SeededRow | undefined) & { close(): void };

export function createReadNewest(file: string): ReadNewest {
  const database = new Database(file, { readonly: true });
  const newest = database.prepare<[string], SeededRow>(
    `SELECT id, status, version, short_reference AS shortReference, session_id AS sessionId, goods_minor AS goodsMinor,
       amount_minor AS amountMinor, fee_minor AS feeMinor, net_minor AS netMinor, review, next_at AS nextAt,
       confirmed_at AS confirmedAt, lapsed_at AS lapsedAt
     FROM collection LEFT JOIN job ON collection_id = id WHERE payer = ? ORDER BY collection.rowid DESC LIMIT 1`,
  );
  return Object.assign((payer: Msisdn) => newest.get(payer), { close: () => void database.close() });
}

/** What a payer buys, and whose phone requests it. */
export type Order = {
  shop: Shop;
  channel: string;
  /** The number that pays. */
  payer: string;
  /** The phone that dials: the payer's own, or another one. */
  dialler: string;
  /** The price, as it is typed. */
  amount: string;
  /** The bill that is paid, such as `INV-2041`; only on the own phone. */
  bill?: string;
};

/** The messages about the payer that are lost or changed: before the confirmation, and from it on. */
type OrderFaults = { before?: Faults; after?: Faults };

export type Scene = {
  clock: StillClock;
  programs: Programs;
  network: SeedNetwork;
  phone(number: string, channel: string): TillPhone;
  /** Dials and confirms an order. */
  confirm(order: Order, faults?: OrderFaults): Promise<void>;
  /** Returns the prompt of the order, when it is on the handset. */
  prompt(order: Order): Promise<TillPrompt>;
  /** Returns the newest collection of a payer. @throws Error without one. */
  newest(number: string): SeededRow;
  /** Waits for a condition on the newest collection of a payer. @throws Error when it does not hold in time. */
  until(number: string, holds: (row: SeededRow) => boolean, ms: number): Promise<SeededRow>;
  /** Posts an event to the gateway that is signed as the service would sign it. */
  deliver(shop: Shop, event: object, ageMs?: number): Promise<void>;
  /** Acts as a person of support staff. @throws Error when the gateway refuses. */
  staff(name: StaffName, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Resolves a review at the service. */
  resolveAtService(order: Order, resolution: 'accepted' | 'rejected'): Promise<void>;
};

type SceneDeps = {
  programs: Programs;
  network: SeedNetwork;
  clock: StillClock;
  ids: Ids;
  files: SeedFiles;
  readNewest: ReadNewest;
};

export function createScene(deps: SceneDeps): Scene {
  const { programs, network, clock, files } = deps;

  const scene: Scene = {
    ...{ clock, programs, network },
    phone: (number, channel) => createSeedPhone(deps, number, channel),
    async confirm(order, { before = {}, after = {} } = {}) {
      const payer = msisdnOf(order.payer);
      network.setFaults(payer, before);
      const phone = scene.phone(order.dialler, order.channel);
      await phone.dial();
      for (const input of inputsOf(order)) await phone.send(input);
      network.setFaults(payer, after);
      await press(phone, 'Yes');
      if (phone.shown()?.kind !== 'end') throw new Error(`not confirmed: ${phone.screen()}`);
    },
    prompt: (order) => scene.phone(order.payer, order.channel).prompt(),
    newest(number) {
      const row = deps.readNewest(msisdnOf(number));
      if (!row) throw new Error(`no collection of ${number}`);
      return row;
    },
    async until(number, holds, ms) {
      const end = clock.now() + ms;
      for (;;) {
        const row = scene.newest(number);
        if (holds(row)) return row;
        if (clock.now() >= end) throw new Error(`${row.id} of ${number} is ${row.status} after ${ms} ms`);
        await clock.advance(1_000);
      }
    },
    async deliver(shop, event, ageMs = 0) {
      const body = JSON.stringify(event);
      const secrets = [files.secrets.webhooks[shop.id] ?? ''];
      const headers = {
        'content-type': 'application/json',
        'service-signature': signPayload(secrets, clock.now() - ageMs, body),
      };
      const url = `${gatewayUrl}/webhooks/${shop.id}`;
      const { status } = await programs.request(url, { method: 'POST', headers, body });
      if (status !== 200) throw new Error(`the event was answered with ${status}`);
      await clock.advance(1_000);
    },
    async staff(name, path, body) {
      const answer = await programs.request(`${gatewayUrl}/staff/v1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: basic(name, tokenOf(name)), 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const read = (await answer.json()) as Record<string, unknown>;
      if (answer.status !== 200) throw new Error(`${name} ${path}: ${JSON.stringify(read)}`);
      return read;
    },
    async resolveAtService({ payer }, resolution) {
      const { sessionId } = scene.newest(payer);
      const path = `/backoffice/sessions/${sessionId}/review`;
      const answer = await programs.service.app.request(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${files.secrets.admin}`, 'content-type': 'application/json' },
        body: JSON.stringify({ resolution }),
      });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    },
  };
  return scene;
}

function createSeedPhone(
  { programs, clock, ids, files }: SceneDeps,
  number: string,
  channel: string,
): TillPhone {
  const simulated = simulatedAggregators[channel];
  if (!simulated) throw new Error(`no simulated aggregator ${channel}`);
  const { aggregator, serviceCode, settings } = channelOf(channel);
  const msisdn = msisdnOf(number);
  return createTillPhone({
    ...{ clock, ids, simulated, msisdn },
    callback: `${gatewayUrl}/ussd/${channel}/${files.secrets.channels[channel]}`,
    request: programs.request,
    operator: operatorByPrefix(msisdn),
    channel: tillChannelSchema.parse({ aggregator, serviceCode, ...(settings && { settings }) }),
    simulatedPhone: programs.service.phone,
    collected: (one) => programs.read(async (store) => (await findCollections(store, one)).map(toCollected)),
  });
}

/** The keys of the shop's menu, up to its confirm screen. */
function inputsOf({ payer, dialler, amount, bill }: Order): string[] {
  if (payer !== dialler) return ['2', payer, '1', amount];
  return bill === undefined ? ['1', amount] : ['3', bill, amount];
}

/** Types the key of an option, again when the gateway could not tell it from a repeat. */
export async function press(phone: TillPhone, label: string): Promise<void> {
  const keyOf = (one: string) => new RegExp(`^([\\d#]+)\\. ${one}$`, 'm').exec(phone.screen())?.[1];
  const more = keyOf('More');
  if (keyOf(label) === undefined && more !== undefined) await phone.send(more);
  const key = keyOf(label);
  if (key === undefined) throw new Error(`no option ${label} on the screen: ${phone.screen()}`);
  const { text } = await phone.send(key);
  if (text.startsWith('Please type it again.')) await phone.send(key);
}
