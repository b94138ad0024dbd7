import type { SecretCipher } from '../../kit/secret-cipher.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Write } from '../../sqlite/store.ts';
import {
  endpointWrites,
  type NotificationEndpoint,
  type NotificationEndpointStore,
} from './endpoint-store.ts';
import {
  type Notification,
  type NotificationOutcome,
  type NotificationStore,
  notificationWrites,
} from './notification-store.ts';
import { maskNotificationBody } from './payment-events.ts';
import { giveUpAfterMs, maxGapMs, retryAt } from './retry-plan.ts';
import type { SendNotification, SendResult } from './send.ts';

/** One attempt to send a notification. */
export type NotificationDelivery = {
  endpoint: Pick<NotificationEndpoint, 'id' | 'merchantId' | 'url'>;
  notification: Pick<Notification, 'type' | 'body'>;
  isDelivered: boolean;
} & Pick<SendResult, 'status' | 'error'>;

export type DeliverDeps = {
  notifications: NotificationStore;
  endpoints: NotificationEndpointStore;
  cipher: SecretCipher;
  send: SendNotification;
  clock: Clock;
  ids: Pick<Ids, 'random'>;
  log: Log;
  /** Receives each attempt after it was recorded. */
  onAttempt?(delivery: NotificationDelivery): void;
};

/** Sends a claimed notification once, and records it. The lease outlasts the request: after a crash, it is sent with the same id. */
export function createDeliver(deps: DeliverDeps): (claimed: Notification) => Promise<void> {
  const { notifications, endpoints, clock, ids, log } = deps;

  async function record(
    endpoint: NotificationEndpoint,
    claimed: Notification,
    result: SendResult,
  ): Promise<void> {
    const { endpointId, eventId, fence } = claimed;
    const now = clock.now();
    const isDelivered = isAccepted(result);
    const outcome = getOutcome(claimed, result, { now, random: ids.random() });
    const { status, error, durationMs } = result;
    const answer = result.status === null ? null : result.answer;
    const attempt = {
      ...{ endpointId, eventId, number: fence, startedAt: now - durationMs, durationMs, status, error },
      answer: typeof answer === 'string' ? answer || null : null,
    };
    const records: Write[] = [
      notificationWrites.insertAttempt(attempt),
      isDelivered
        ? endpointWrites.recordSuccess({ id: endpointId })
        : endpointWrites.recordFailure({ id: endpointId, now, lastFailureAfter: now - maxGapMs }),
    ];
    const disabling = isDelivered ? undefined : findDisabling(endpoint, result, now);
    const disable = disabling && endpointWrites.disableFailing({ id: endpointId, now, ...disabling });
    const finish = notificationWrites.finish({ endpointId, eventId, fence, ...outcome });
    // In one batch with the attempt: a crash after it must not leave an endpoint that has answered 410 active. The first guard loses
    // when another attempt has disabled the endpoint or has succeeded, the other one to a resend during the attempt: the notification
    // stays due, and the attempt is still recorded.
    const hasDisabled =
      disable &&
      ((await notifications.apply([finish, ...records, disable])) ||
        (await notifications.apply([...records, disable])));
    if (!hasDisabled && !(await notifications.apply([finish, ...records])))
      await notifications.apply(records);
    deps.onAttempt?.({ endpoint, notification: claimed, isDelivered, status, error });
    const line = { endpoint: endpointId, event: eventId, attempt: fence, status, error };
    log.info({ ...line, state: outcome.state }, 'notification sent');
    if (hasDisabled) {
      const { merchantId: merchant } = endpoint;
      const alarm = { endpoint: endpointId, merchant, reason: disabling?.reason, alarm: 'endpoint_disabled' };
      log.error(alarm, 'a notification endpoint was disabled');
    }
    if (answer instanceof Promise) await recordAnswer(claimed, await answer);
  }

  /** Adds the beginning of an answer that arrived after its status. */
  async function recordAnswer({ endpointId, eventId, fence }: Notification, answer: string | null) {
    if (answer)
      await notifications.apply([
        notificationWrites.setAnswer({ endpointId, eventId, number: fence, answer }),
      ]);
  }

  return async (claimed) => {
    const endpoint = await endpoints.find(claimed.endpointId);
    if (!endpoint || endpoint.disabledAt !== null) {
      await notifications.apply([notificationWrites.cancel(claimed)]);
      return;
    }
    const secrets = listSecrets(deps, endpoint);
    // The body can be from a time when the endpoint, perhaps at another address, got whole numbers.
    const body = endpoint.wholePayer === 1 ? claimed.body : maskNotificationBody(claimed.body);
    const result =
      secrets.length === 0
        ? unreadableSecret
        : await deps.send({ ...claimed, body }, { url: endpoint.url, secrets });
    await record(endpoint, claimed, result).catch((fault) => {
      log.error({ event: claimed.eventId, fault: errorMessage(fault) }, 'a delivery was not recorded');
    });
  };
}

/** The endpoint's secret was encrypted under another key than the one of the configuration. */
const unreadableSecret: SendResult = { durationMs: 0, status: null, error: 'secret_unreadable' };

/** Returns the secrets that sign now, the current one first. */
function listSecrets({ cipher, clock }: DeliverDeps, endpoint: NotificationEndpoint): string[] {
  const { id, secret, previousSecret, previousUntil } = endpoint;
  const isOverlap = previousSecret !== null && previousUntil !== null && clock.now() < previousUntil;
  return [secret, ...(isOverlap ? [previousSecret] : [])].flatMap((one) => cipher.decrypt(one, id) ?? []);
}

/** An endpoint that answers 410 is gone at once. Any other is disabled after days without a success. */
function findDisabling({ failingSince }: NotificationEndpoint, { status }: SendResult, now: EpochMs) {
  if (status === 410) return { reason: 'gone', failingBefore: Number.MAX_SAFE_INTEGER } as const;
  const failingBefore = now - giveUpAfterMs;
  const hasFailed = failingSince !== null && failingSince <= failingBefore;
  return hasFailed ? ({ reason: 'failing', failingBefore } as const) : undefined;
}

function isAccepted({ status }: SendResult): boolean {
  return status !== null && status >= 200 && status < 300;
}

function getOutcome(
  { plannedAt, tries: before }: Notification,
  result: SendResult,
  { now, random }: { now: number; random: number },
): NotificationOutcome {
  if (isAccepted(result)) return { state: 'delivered', nextAt: null, tries: before };
  const tries = before + 1;
  const nextAt = retryAt({ plannedAt, tries }, now, random);
  return { state: nextAt === null ? 'failed' : 'waiting', nextAt, tries };
}
