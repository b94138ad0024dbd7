import type { Command } from 'commander';
import { registerActions } from './actions.ts';
import { registerClock } from './clock.ts';
import { createCommandKit } from './command-kit.ts';
import { registerDeliveries } from './deliveries.ts';
import { registerFees } from './fees.ts';
import { registerKeys } from './keys.ts';
import { registerMerchants } from './merchants.ts';
import { registerMessages } from './messages.ts';
import { registerNumbers } from './numbers.ts';
import { registerPlatforms } from './platforms.ts';
import { registerReviews } from './reviews.ts';
import { registerSenders } from './senders.ts';
import { registerSessions } from './sessions.ts';
import { registerServiceStart, type StartServiceDeps } from './start.ts';
import { registerWebhook } from './webhook.ts';

const help = `
Which service: --url or DIALTILL_SERVICE_URL with DIALTILL_ADMIN_TOKEN (or DIALTILL_ADMIN_TOKEN_FILE), else the one
that "dialtill start" or "dialtill service start" started last in the data folder (--data, DIALTILL_DATA, ./data).

Exit codes:
  0  done
  1  refused, or the service could not be reached
  2  wrong usage`;

/** `dialtill service …`: run the collection service alone, and its back office over HTTP. */
export function registerService(program: Command, deps: StartServiceDeps): void {
  const desk = createCommandKit(deps);
  const service = program
    .command('service')
    .description('the payment collection service: run it alone, and its back office')
    .addHelpText('after', help);
  registerServiceStart(service, { ...deps, paint: desk.paint });
  registerNumbers(service, { ...deps, paint: desk.paint });
  registerMerchants(service, desk);
  registerPlatforms(service, desk);
  registerKeys(service, desk);
  registerFees(service, desk);
  registerSenders(service, desk);
  registerWebhook(service, desk);
  registerSessions(service, desk);
  registerReviews(service, desk);
  registerDeliveries(service, desk);
  registerMessages(service, desk);
  registerClock(service, desk);
  registerActions(service, desk);
}
