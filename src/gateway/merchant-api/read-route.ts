import type { Store } from '../../sqlite/store.ts';
import { endpointStore } from '../notify/endpoint-store.ts';
import { notificationStore } from '../notify/notification-store.ts';
import type { MerchantAnswer, MerchantCall, ReadContext } from './define-route.ts';
import { merchantRoutes } from './routes.ts';

/**
 * Answers one GET of a merchant's system.
 *
 * @throws Error for an operation that does not exist, or that changes something.
 */
export async function readMerchantRoute(
  store: Store,
  operationId: string,
  call: MerchantCall<unknown, unknown>,
  { now, hasNotifications, ...context }: ReadContext,
): Promise<MerchantAnswer> {
  const route = merchantRoutes.find((one) => one.operationId === operationId);
  if (!route || !('read' in route)) throw new Error(`no read ${operationId}`);
  const notifications = hasNotifications
    ? { endpoints: endpointStore(store), notifications: notificationStore(store) }
    : undefined;
  return route.read({ ...context, store, notifications, clock: { now: () => now } }, call);
}
