import type { Store } from '../../sqlite/store.ts';
import { notificationEndpointStore } from '../notify/endpoint-store.ts';
import { notificationStore } from '../notify/notification-store.ts';
import type { MerchantAnswer, MerchantApiCall, MerchantApiRoute, ReadContext } from './define-route.ts';
import { blockRoutes } from './routes/blocks.ts';
import { dayRoutes, insightRoutes } from './routes/days.ts';
import { deliveryRoutes, endpointRoutes } from './routes/endpoints.ts';
import { paymentEventRoutes, paymentRoutes } from './routes/payments.ts';

export const merchantApiRoutes: readonly MerchantApiRoute[] = [
  ...paymentRoutes,
  ...paymentEventRoutes,
  ...dayRoutes,
  ...insightRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...blockRoutes,
];

/** Answers one GET of a merchant's system. @throws Error for an operation that does not exist, or that changes something. */
export async function readMerchantRoute(
  store: Store,
  operationId: string,
  call: MerchantApiCall<unknown, unknown>,
  { now, hasNotifications, ...context }: ReadContext,
): Promise<MerchantAnswer> {
  const route = merchantApiRoutes.find((one) => one.operationId === operationId);
  if (!route || !('read' in route)) throw new Error(`no read ${operationId}`);
  const notifications = hasNotifications
    ? { endpoints: notificationEndpointStore(store), notifications: notificationStore(store) }
    : undefined;
  return route.read({ ...context, store, notifications, clock: { now: () => now } }, call);
}
