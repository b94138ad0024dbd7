import type { z } from 'zod';
import {
  addEndpointInput,
  changeEndpointInput,
  type EndpointList,
  type EndpointView,
  type endpointSecret,
  type testAnswer,
} from '../../../contract/staff/merchant-system.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { type StaffAction, staffActionWrite } from '../../access/action-store.ts';
import { type Actor, can, isWithin } from '../../access/permissions.ts';
import { endpointWrites, type NotificationEndpoint } from '../../notify/endpoint-store.ts';
import { type Notification, notificationWrites } from '../../notify/notification-store.ts';
import { writeBody } from '../../notify/payment-events.ts';
import {
  defineOperation,
  type EndpointReadDeps,
  refuse,
  type StaffAnswer,
  type StaffDeps,
} from '../operation.ts';
import { endpointSubject, merchantSubject, notificationsOff } from '../subjects.ts';

/** Endpoints of one merchant. */
const maxEndpoints = 10;

/** How long the secret before a rotation signs too. */
const overlapMs = 24 * 3_600_000;

type Secret = z.infer<typeof endpointSecret>;

/** Returns what the operations on endpoints use. Their subject was found, so that it is there. */
export function getNotify<Notify>({ notifications }: { notifications: Notify | undefined }): Notify {
  if (!notifications) throw new Error('an endpoint was found without notifications');
  return notifications;
}

export const endpointDisabled = refuse(
  'conflict',
  'the endpoint is disabled: enable it with "dialtill merchant endpoints enable"',
);

const mayNotGive = refuse('forbidden', 'whole_payer: you may not let a system get whole phone numbers');

export const listEndpoints = defineOperation({
  route: 'GET /endpoints',
  permission: 'endpoints.read',
  subject: 'all',
  async run(
    { notifications, livemode, clock }: EndpointReadDeps,
    { actor },
  ): Promise<StaffAnswer<EndpointList>> {
    if (!notifications) return notificationsOff;
    const endpoints = (await notifications.endpoints.list(livemode)).filter((one) => isWithin(actor, one));
    const data = endpoints.map((one) => viewEndpoint(shownTo(actor, one), clock.now()));
    return { ok: true, value: { data, total: data.length, next: null } };
  },
});

export const showEndpoint = defineOperation({
  route: 'GET /endpoints/:id',
  permission: 'endpoints.read',
  subject: endpointSubject,
  run: async (
    { clock }: EndpointReadDeps,
    { actor, subject: endpoint },
  ): Promise<StaffAnswer<EndpointView>> => ({
    ok: true,
    value: viewEndpoint(shownTo(actor, endpoint), clock.now()),
  }),
});

export const addEndpoint = defineOperation({
  route: 'POST /endpoints',
  permission: 'endpoints.write',
  confirm: true,
  input: addEndpointInput,
  subject: merchantSubject,
  async run(deps: StaffDeps, { actor, input }): Promise<StaffAnswer<Secret>> {
    const { notifications: notify } = deps;
    if (!notify) return notificationsOff;
    const { merchantId, url, wholePayer } = input;
    if (wholePayer && !can(actor, 'numbers.give')) return mayNotGive;
    if (!notify.isUrlAllowed(new URL(url), merchantId)) return urlRefused;
    const id = deps.ids.next('ep');
    const secret = createSecret(deps);
    const now = deps.clock.now();
    const row: NotificationEndpoint = {
      ...{ id, merchantId, livemode: deps.livemode, url, wholePayer: wholePayer ? 1 : 0 },
      secret: notify.cipher.encrypt(secret, id),
      ...{ previousSecret: null, previousUntil: null, createdAt: now, failingSince: null },
      ...{ lastFailedAt: null, disabledAt: null, disabledReason: null },
    };
    const action = actionWrite(deps, { actor, action: 'add_endpoint', endpoint: row });
    if (!(await notify.endpoints.apply([endpointWrites.insert(row, maxEndpoints), action])))
      return refuse('conflict', explainConflict(await notify.endpoints.list(deps.livemode), row));
    return { ok: true, value: { endpoint: viewEndpoint(row, now), secret } };
  },
});

function explainConflict(all: readonly NotificationEndpoint[], { merchantId, url }: NotificationEndpoint) {
  const same = all.find((one) => one.merchantId === merchantId && one.url === url);
  return same
    ? `url: the endpoint ${same.id} has this address already. For a new secret, use "rotate"`
    : `the merchant has ${maxEndpoints} endpoints: remove one first`;
}

const urlRefused = refuse(
  'invalid_request',
  'url: expected https and a public host; notify.allowPrivate of the merchant names other networks',
);

/** Changes the address of an endpoint or what it gets, or enables it again. What is not given stays. */
export const changeEndpoint = defineOperation({
  route: 'POST /endpoints/:id/change',
  permission: 'endpoints.write',
  confirm: true,
  input: changeEndpointInput,
  subject: endpointSubject,
  async run(deps: StaffDeps, { actor, id, input, subject: endpoint }): Promise<StaffAnswer<EndpointView>> {
    const notify = getNotify(deps);
    const { url = endpoint.url, enabled = false } = input;
    const givesNumbers = input.wholePayer === true || (endpoint.wholePayer === 1 && url !== endpoint.url);
    if (givesNumbers && !can(actor, 'numbers.give')) return mayNotGive;
    const wholePayer = input.wholePayer === undefined ? endpoint.wholePayer : input.wholePayer ? 1 : 0;
    if (!notify.isUrlAllowed(new URL(url), endpoint.merchantId)) return urlRefused;
    const detail = { before: endpoint.url, wholePayer: wholePayer === 1, enabled };
    const changed = await notify.endpoints.apply([
      endpointWrites.change({ id, url, wholePayer, urlRead: endpoint.url }),
      ...(enabled ? [endpointWrites.enable({ id })] : []),
      actionWrite(deps, { actor, action: 'change_endpoint', endpoint: { ...endpoint, url }, detail }),
    ]);
    if (!changed) return refuse('conflict', 'another person has just changed the endpoint: read it again');
    const active = enabled ? { disabledAt: null, disabledReason: null, failingSince: null } : {};
    return { ok: true, value: viewEndpoint({ ...endpoint, url, wholePayer, ...active }, deps.clock.now()) };
  },
});

/** Replaces the secret of an endpoint. The one before signs too, for 24 hours. */
export const rotateEndpoint = defineOperation({
  route: 'POST /endpoints/:id/rotate',
  permission: 'endpoints.write',
  confirm: true,
  subject: endpointSubject,
  async run(deps: StaffDeps, { actor, id, subject: endpoint }): Promise<StaffAnswer<Secret>> {
    const notify = getNotify(deps);
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
  },
});

/** Removes an endpoint. Its notifications that wait are cancelled. */
export const removeEndpoint = defineOperation({
  route: 'POST /endpoints/:id/remove',
  permission: 'endpoints.write',
  subject: endpointSubject,
  async run(deps: StaffDeps, { actor, id, subject: endpoint }): Promise<StaffAnswer<EndpointView>> {
    const notify = getNotify(deps);
    const now = deps.clock.now();
    const removed = await notify.endpoints.apply([
      endpointWrites.remove({ id, now }),
      actionWrite(deps, { actor, action: 'remove_endpoint', endpoint }),
    ]);
    if (!removed) return refuse('conflict', 'another person has just removed the endpoint');
    notify.queue.expect();
    const row: NotificationEndpoint = {
      ...endpoint,
      disabledAt: endpoint.disabledAt ?? now,
      disabledReason: 'removed',
    };
    return { ok: true, value: viewEndpoint(row, now) };
  },
});

/** Enables an endpoint again. What happened meanwhile is sent by a replay. */
export const enableEndpoint = defineOperation({
  route: 'POST /endpoints/:id/enable',
  permission: 'endpoints.write',
  subject: endpointSubject,
  async run(deps: StaffDeps, { actor, id, subject: endpoint }): Promise<StaffAnswer<EndpointView>> {
    const notify = getNotify(deps);
    const enabled = await notify.endpoints.apply([
      endpointWrites.enable({ id }),
      actionWrite(deps, { actor, action: 'enable_endpoint', endpoint }),
    ]);
    if (!enabled) return refuse('conflict', 'another person has just removed the endpoint');
    const row: NotificationEndpoint = {
      ...endpoint,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    };
    return { ok: true, value: viewEndpoint(row, deps.clock.now()) };
  },
});

/** Disables an endpoint until a person enables it again. Its notifications that wait are cancelled; a replay sends them. */
export const disableEndpoint = defineOperation({
  route: 'POST /endpoints/:id/disable',
  permission: 'endpoints.write',
  subject: endpointSubject,
  async run(deps: StaffDeps, { actor, id, subject: endpoint }): Promise<StaffAnswer<EndpointView>> {
    const notify = getNotify(deps);
    const now = deps.clock.now();
    const reason = 'person';
    const disabled = await notify.endpoints.apply([
      endpointWrites.disable({ id, now, reason }),
      actionWrite(deps, { actor, action: 'disable_endpoint', endpoint }),
    ]);
    if (!disabled) return refuse('conflict', 'the endpoint is disabled already');
    notify.queue.expect();
    return { ok: true, value: viewEndpoint({ ...endpoint, disabledAt: now, disabledReason: reason }, now) };
  },
});

/** Sends a notification of the type `endpoint.test`. */
export const testEndpoint = defineOperation({
  route: 'POST /endpoints/:id/test',
  permission: 'endpoints.write',
  subject: endpointSubject,
  async run(
    deps: StaffDeps,
    { actor, id, subject: endpoint },
  ): Promise<StaffAnswer<z.infer<typeof testAnswer>>> {
    const notify = getNotify(deps);
    if (endpoint.disabledAt !== null) return endpointDisabled;
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
  },
});

/** Returns a secret in the format of Standard Webhooks. */
function createSecret({ ids }: StaffDeps): string {
  return `whsec_${Buffer.from(ids.secret(), 'base64url').toString('base64')}`;
}

type EndpointAction = {
  actor: Actor;
  action: string;
  endpoint: Pick<NotificationEndpoint, 'id' | 'merchantId' | 'livemode' | 'url'>;
  detail?: Readonly<Record<string, unknown>>;
};

/** Returns what an actor did with an endpoint, as it is recorded. */
export function endpointAction({ actor, action, endpoint, detail }: EndpointAction): StaffAction {
  const { id, merchantId, livemode, url } = endpoint;
  const subject = { kind: 'endpoint', id, merchantId, livemode } as const;
  return { actor, action, subject, detail: { url, ...detail } };
}

export function actionWrite({ clock }: StaffDeps, action: EndpointAction) {
  return staffActionWrite(endpointAction(action), clock.now());
}

/** Who changes no endpoint does not need the numbers that an address can have. */
function shownTo(actor: Actor, endpoint: NotificationEndpoint): NotificationEndpoint {
  return can(actor, 'endpoints.write') ? endpoint : { ...endpoint, url: maskNumbers(endpoint.url) };
}

/** Returns an endpoint as it is at `now`, without its secrets. */
function viewEndpoint(row: NotificationEndpoint, now: number): EndpointView {
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
