import type { PaymentSummary } from '../../menu/state/state.ts';
import { operators } from '../../shared/msisdn.ts';
import type { UssdRequest } from '../../shared/ussd.ts';
import { summarizePayment } from '../collection/payment-summary.ts';
import type { Channel, DiallerContext, DialogueDeps, DialogueSettings } from './types.ts';

/** Reads what one turn needs about its dialler. All queries are sent at once. */
export async function loadDiallerContext(
  { collections, diallers, turns, clock, settings }: DialogueDeps,
  { id: channel, merchant }: Channel,
  { session, dialler, entry }: UssdRequest,
): Promise<DiallerContext> {
  const { id: merchantId, livemode } = merchant;
  const since = clock.now() - Math.max(settings.recentPaymentMs, settings.duplicateWindowMs);
  const [rows, setting, lastTurn] = await Promise.all([
    collections.recent({ merchantId, livemode, dialler, channel, session, since }),
    diallers.settingOf({ merchantId, livemode, msisdn: dialler }),
    // A typed input never starts a dialogue, and only a start needs the turn before it.
    entry.kind === 'typed' ? undefined : turns.lastOf({ merchantId, dialler }),
  ]);
  const recent = rows.map((row) => withOperator(summarizePayment(row), settings.networks));
  return { recent, setting, lastTurn };
}

/** The summary as menus read it, with the operator in place of the service's network code. */
function withOperator(
  { network, ...summary }: ReturnType<typeof summarizePayment>,
  networks: DialogueSettings['networks'],
): PaymentSummary {
  const operator = operators.find((one) => one !== 'unknown' && networks[one] === network);
  return { ...summary, ...(operator && { operator }) };
}
