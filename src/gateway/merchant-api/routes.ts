import type { MerchantRoute } from './define-route.ts';
import { blockRoutes } from './routes/blocks.ts';
import { dayRoutes } from './routes/days.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { eventRoutes } from './routes/events.ts';
import { paymentRoutes } from './routes/payments.ts';

/** Every route of merchants' own systems. */
export const merchantRoutes: readonly MerchantRoute[] = [
  ...paymentRoutes,
  ...eventRoutes,
  ...dayRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...blockRoutes,
];
