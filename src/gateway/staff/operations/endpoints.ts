import type { z } from 'zod';
import type {
  addEndpointInput,
  changeEndpointInput,
  EndpointList,
  EndpointView,
  endpointSecret,
  testAnswer,
} from '../../../contract/endpoint.ts';
import type { Clock } from '../../../shared/clock.ts';
import { type Endpoint, endpointWrites } from '../../notify/endpoint-store.ts';
import { type Notification, notificationWrites } from '../../notify/notification-store.ts';
import { writeBody } from '../../notify/payment-events.ts';
import { staffActionWrite } from '../action-store.ts';
import { type NotifyDeps, refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';

/** Endpoints of one merchant. */
const maxEndpoints = 10;

/** How long the secret before a rotation signs too. */
const overlapMs = 24 * 3_600_000;

type Secret = z.infer<typeof endpointSecret>;

/** The dependencies of reads of endpoints. */
export type EndpointReadDeps<Notify = Pick<NotifyDeps, 'endpoints' | 'notifications'>> = {
  notifications: Notify | undefined;
  livemode: StaffDeps['livemode'];
  clock: Pick<Clock, 'now'>;
};

/** Returns the deps with notifications, or the refusal when the configuration has none. */
function requireNotify<Notify>({ notifications }: EndpointReadDeps<Notify>): StaffAnswer<Notify> {
  return notifications
    ? { ok: true, value: notifications }
    : refuse('conflict', 'notifications are off: set notify.secretsKey in the configuration, and restart');
}

/** Finds an endpoint that is not removed, or returns the refusal. */
export async function findEndpoint<Notify extends Pick<NotifyDeps, 'endpoints'>>(
  deps: EndpointReadDeps<Notify>,
  id: string,
): Promise<StaffAnswer<{ notify: Notify; endpoint: Endpoint }>> {
  const found = requireNotify(deps);
  if (!found.ok) return found;
  const endpoint = await found.value.endpoints.find(id);
  const isKnown = endpoint?.livemode === deps.livemode && endpoint.disabledReason !== 'removed';
  return endpoint && isKnown
    ? { ok: true, value: { notify: found.value, endpoint } }
    : refuse('not_found', `no endpoint ${id}: list them with "dialtill merchant endpoints list"`);
}

/** Lists the endpoints of all merchants. */
export async function listEndpoints(deps: EndpointReadDeps): Promise<StaffAnswer<EndpointList>> {
  const found = requireNotify(deps);
  if (!found.ok) return found;
  const endpoints = await found.value.endpoints.list(deps.livemode);
  const data = endpoints.map((one) => viewEndpoint(one, deps.clock.now()));
  return { ok: true, value: { data, total: data.length, next: null } };
}

/** Adds an endpoint with a new secret. */
export async function addEndpoint(
  deps: StaffDeps,
  { actor, input }: StaffCall<z.infer<typeof addEndpointInput>>,
): Promise<StaffAnswer<Secret>> {
  const found = requireNotify(deps);
  if (!found.ok) return found;
  const notify = found.value;
  const { merchantId, url, wholePayer } = input;
  if (!deps.hasMerchant(merchantId))
    return refuse('not_found', `no merchant ${merchantId} in the configuration`);
  if (!notify.isUrlAllowed(new URL(url))) return urlRefused;
  const id = deps.ids.next('ep');
  const secret = createSecret(deps);
  const now = deps.clock.now();
  const row: Endpoint = {
    ...{ id, merchantId, livemode: deps.livemode, url, wholePayer: wholePayer ? 1 : 0 },
    secret: notify.cipher.encrypt(secret, id),
    ...{ previousSecret: null, previousUntil: null, createdAt: now, failingSince: null },
    ...{ lastFailedAt: null, disabledAt: null, disabledReason: null },
  };
  const action = actionWrite(deps, { actor, action: 'add_endpoint', endpoint: row });
  if (!(await notify.endpoints.apply([endpointWrites.insert(row, maxEndpoints), action])))
    return refuse('conflict', `the merchant has ${maxEndpoints} endpoints: remove one first`);
  return { ok: true, value: { endpoint: viewEndpoint(row, now), secret } };
}

const urlRefused = refuse(
  'invalid_request',
  'url: expected https and a public host; notify.allowPrivate names other networks',
);

/** Changes the address of an endpoint or what it gets, or enables it again. What is not given stays. */
export async function changeEndpoint(
  deps: StaffDeps,
  { actor, id, input }: StaffCall<z.infer<typeof changeEndpointInput>>,
): Promise<StaffAnswer<EndpointView>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  const { url = endpoint.url, enabled = false } = input;
  const wholePayer = input.wholePayer === undefined ? endpoint.wholePayer : input.wholePayer ? 1 : 0;
  if (!notify.isUrlAllowed(new URL(url))) return urlRefused;
  const detail = { before: endpoint.url, wholePayer: wholePayer === 1, enabled };
  const changed = await notify.endpoints.apply([
    endpointWrites.change({ id, url, wholePayer, urlRead: endpoint.url }),
    ...(enabled ? [endpointWrites.enable({ id })] : []),
    actionWrite(deps, { actor, action: 'change_endpoint', endpoint: { ...endpoint, url }, detail }),
  ]);
  if (!changed) return refuse('conflict', 'another person has just changed the endpoint: read it again');
  const active = enabled ? { disabledAt: null, disabledReason: null, failingSince: null } : {};
  return { ok: true, value: viewEndpoint({ ...endpoint, url, wholePayer, ...active }, deps.clock.now()) };
}

/** Replaces the secret of an endpoint. The one before signs too, for 24 hours. */
export async function rotateEndpoint(
  deps: StaffDeps,
  { actor, id }: StaffCall<unknown>,
): Promise<StaffAnswer<Secret>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  const secret = createSecret(deps);
  const now = deps.clock.now();
  const previousUntil = now + overlapMs;
  const rotated = {
    id,
    secret: notify.cipher.encrypt(secret, id),
    secretRead: endpoint.secret,
    previousUntil,
  };
  const action = actionWrite(deps, { actor, action: 'rotate_endpoint', endpoint });
  if (!(await notify.endpoints.apply([endpointWrites.rotate(rotated), action])))
    return refuse('conflict', 'another person has just rotated the secret: try again if you still need to');
  return { ok: true, value: { endpoint: viewEndpoint({ ...endpoint, previousUntil }, now), secret } };
}

/** Removes an endpoint. Its notifications that wait are cancelled. */
export async function removeEndpoint(
  deps: StaffDeps,
  { actor, id }: StaffCall<unknown>,
): Promise<StaffAnswer<EndpointView>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  const now = deps.clock.now();
  const removed = await notify.endpoints.apply([
    endpointWrites.remove({ id, now }),
    actionWrite(deps, { actor, action: 'remove_endpoint', endpoint }),
  ]);
  if (!removed) return refuse('conflict', 'another person has just removed the endpoint');
  notify.queue.expect();
  const row: Endpoint = { ...endpoint, disabledAt: endpoint.disabledAt ?? now, disabledReason: 'removed' };
  return { ok: true, value: viewEndpoint(row, now) };
}

/** Enables an endpoint again. What happened meanwhile is sent by a replay. */
export async function enableEndpoint(
  deps: StaffDeps,
  { actor, id }: StaffCall<unknown>,
): Promise<StaffAnswer<EndpointView>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  const enabled = await notify.endpoints.apply([
    endpointWrites.enable({ id }),
    actionWrite(deps, { actor, action: 'enable_endpoint', endpoint }),
  ]);
  if (!enabled) return refuse('conflict', 'another person has just removed the endpoint');
  const row: Endpoint = { ...endpoint, disabledAt: null, disabledReason: null, failingSince: null };
  return { ok: true, value: viewEndpoint(row, deps.clock.now()) };
}

/** Sends a notification of the type `endpoint.test`. */
export async function testEndpoint(
  deps: StaffDeps,
  { actor, id }: StaffCall<unknown>,
): Promise<StaffAnswer<z.infer<typeof testAnswer>>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  if (endpoint.disabledAt !== null)
    return refuse(
      'conflict',
      'the endpoint is disabled: enable it with "dialtill merchant endpoints enable"',
    );
  const now = deps.clock.now();
  const eventId = deps.ids.next('evt');
  const { merchantId, livemode } = endpoint;
  const row: Notification = {
    ...{ endpointId: id, eventId, merchantId, livemode, type: 'endpoint.test', collectionId: null },
    body: writeBody('endpoint.test', now, { endpoint: id }),
    ...{ at: now, nextAt: now, fence: 0, plannedAt: now, tries: 0 },
    state: 'waiting',
  };
  const action = actionWrite(deps, { actor, action: 'test_endpoint', endpoint });
  await notify.endpoints.apply([notificationWrites.insert(row), action]);
  notify.queue.expect();
  deps.onDue();
  return { ok: true, value: { endpointId: id, eventId } };
}

/** Returns a secret in the format of Standard Webhooks. */
function createSecret({ ids }: StaffDeps): string {
  return `whsec_${Buffer.from(ids.secret(), 'base64url').toString('base64')}`;
}

type EndpointAction = {
  actor: string;
  action: string;
  endpoint: Pick<Endpoint, 'id' | 'merchantId' | 'livemode' | 'url'>;
  detail?: Readonly<Record<string, unknown>>;
};

/** Returns the write that records what a person did with an endpoint. */
export function actionWrite({ clock }: StaffDeps, { actor, action, endpoint, detail }: EndpointAction) {
  const { id, merchantId, livemode, url } = endpoint;
  const subject = { kind: 'endpoint', id, merchantId, livemode } as const;
  return staffActionWrite({ actor, action, subject, detail: { url, ...detail } }, clock.now());
}

/** Returns an endpoint as it is at `now`, without its secrets. */
export function viewEndpoint(row: Endpoint, now: number): EndpointView {
  const { id, merchantId, url, disabledAt, disabledReason, failingSince, previousUntil } = row;
  const show = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const isOverlap = previousUntil !== null && previousUntil > now;
  return {
    ...{ id, merchantId, url, wholePayer: row.wholePayer === 1, disabledReason },
    createdAt: new Date(row.createdAt).toISOString(),
    state: disabledAt !== null ? 'disabled' : failingSince !== null ? 'failing' : 'active',
    failingSince: show(failingSince),
    disabledAt: show(disabledAt),
    previousSecretUntil: isOverlap ? show(previousUntil) : null,
  };
}
