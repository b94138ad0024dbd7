import { sendAsset } from '../../shared/pages/assets.ts';
import { abuseRoutes } from './abuse.tsx';
import { alertsRoutes } from './alerts.tsx';
import { auditRoutes } from './audit.tsx';
import { bookingsRoutes } from './bookings.tsx';
import { callerRoutes } from './caller.tsx';
import { confirmRoutes } from './confirm.tsx';
import { daysRoutes } from './days.tsx';
import { decidersRoutes } from './deciders.tsx';
import { type ConsoleRoute, defineConsoleRoute } from './define-route.ts';
import { deliveriesRoutes } from './deliveries.tsx';
import { deskRoutes } from './desk.tsx';
import { dialoguesRoutes } from './dialogues.tsx';
import { endpointPageRoutes } from './endpoint.tsx';
import { endpointsRoutes } from './endpoints.tsx';
import { eventPageRoutes } from './event.tsx';
import { firstUseRoutes } from './first-use.tsx';
import { homeRoutes } from './home.tsx';
import { keysRoutes } from './keys.tsx';
import { meRoutes } from './me.tsx';
import { menuInsightsRoutes } from './menu-insights.tsx';
import { passkeysRoutes } from './passkeys.tsx';
import { paymentPageRoutes } from './payment.tsx';
import { paymentActionRoutes } from './payment-actions.tsx';
import { paymentLiveRoutes } from './payment-live.ts';
import { paymentsRoutes } from './payments.tsx';
import { proposalsRoutes } from './proposals.tsx';
import { replayRoutes } from './replay.tsx';
import { savedViewsRoutes } from './saved-views.tsx';
import { signInRoutes } from './sign-in.tsx';
import { staffRoutes } from './staff.tsx';
import { unplacedRoutes } from './unplaced.tsx';
import { unplacedCaseRoutes } from './unplaced-case.tsx';

/** Every route of the console. The menu has its pages in this order. */
export const consoleRoutes: readonly ConsoleRoute[] = [
  defineConsoleRoute('GET /assets/:name', 'everyone', ({ c }, { assets }) => sendAsset(c, assets)),
  ...homeRoutes,
  ...paymentsRoutes,
  ...savedViewsRoutes,
  ...dialoguesRoutes,
  ...callerRoutes,
  ...paymentPageRoutes,
  ...paymentActionRoutes,
  ...paymentLiveRoutes,
  ...deskRoutes,
  ...eventPageRoutes,
  ...proposalsRoutes,
  ...unplacedRoutes,
  ...unplacedCaseRoutes,
  ...abuseRoutes,
  ...daysRoutes,
  ...bookingsRoutes,
  ...menuInsightsRoutes,
  ...endpointsRoutes,
  ...endpointPageRoutes,
  ...replayRoutes,
  ...deliveriesRoutes,
  ...keysRoutes,
  ...auditRoutes,
  ...staffRoutes,
  ...decidersRoutes,
  ...signInRoutes,
  ...confirmRoutes,
  ...firstUseRoutes,
  ...meRoutes,
  ...alertsRoutes,
  ...passkeysRoutes,
];
