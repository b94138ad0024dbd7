import type { Command } from 'commander';
import { registerActions } from './actions.ts';
import { createCommandKit } from './command-kit.ts';
import { registerDeliveries } from './deliveries.ts';
import { registerServiceListen } from './developer/listen.ts';
import { registerServiceTrigger } from './developer/trigger.ts';
import { registerFees } from './fees.ts';
import { registerServiceKeys } from './keys.ts';
import { registerMerchants, registerPlatforms, registerSenders } from './merchants.ts';
import { registerReviews } from './reviews.ts';
import { registerServiceSessions } from './sessions.ts';
import { registerServiceStart, type StartServiceDeps } from './start.ts';
import { registerClock, registerMagicNumbers, registerMessages } from './test-mode.ts';
import { registerWebhook } from './webhook.ts';

const help = `
The commands use the service at --url or DIALTILL_SERVICE_URL, with the token in DIALTILL_ADMIN_TOKEN (or
DIALTILL_ADMIN_TOKEN_FILE). By default they use the service that "dialtill start" or "dialtill service start" started
last in the data folder (--data, DIALTILL_DATA, ./data).

Exit codes:
  0  success
  1  the service rejected the request, or it could not be reached
  2  wrong usage`;

/** `dialtill service …`: runs the collection service, and administers it over HTTP. */
export function registerService(program: Command, deps: StartServiceDeps): void {
  const kit = createCommandKit(deps);
  const service = program.command('service').addHelpText('after', help);
  registerServiceStart(service, { ...deps, paint: kit.paint });
  registerMagicNumbers(service, { ...deps, paint: kit.paint });
  registerMerchants(service, kit);
  registerPlatforms(service, kit);
  registerServiceKeys(service, kit);
  registerFees(service, kit);
  registerSenders(service, kit);
  registerWebhook(service, kit);
  registerServiceSessions(service, kit, deps);
  registerServiceTrigger(service, kit, deps);
  registerServiceListen(service, kit, deps);
  registerReviews(service, kit);
  registerDeliveries(service, kit, deps);
  registerMessages(service, kit);
  registerClock(service, kit);
  registerActions(service, kit);
}
