import type { Menu } from '../../menu/schema.ts';
import type { PaymentSummary } from '../../menu/state/state.ts';
import { operators } from '../../shared/msisdn.ts';
import type { UssdRequest } from '../../shared/ussd.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { summarizePayment } from '../collection/payment-summary.ts';
import type { RequestKind } from './classify-request.ts';
import type { DiallerSetting } from './dialler-store.ts';
import { getStoredState } from './stored-state.ts';
import type { SessionHistory } from './turn-store.ts';
import type { Channel, DiallerContext, DialogueDeps, DialogueSettings } from './types.ts';

/** A request that was compared with the turns of its session. */
type ClassifiedRequest = { requestKind: Exclude<RequestKind, { kind: 'lost' }>; history: SessionHistory };

const defaultSetting: DiallerSetting = { language: null, blocksRequests: false };

/**
 * Reads what one turn needs about its dialler. The start of a dialogue needs everything, and its queries are sent at once.
 * An input within a dialogue needs the dialler's preferences on few screens, and the recent collections when it confirms.
 */
export async function loadDiallerContext(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  { requestKind, history: { last } }: ClassifiedRequest,
): Promise<DiallerContext> {
  const { diallers, turns, clock, settings } = deps;
  const { id: merchantId, livemode, menu } = channel.merchant;
  const { dialler } = request;
  const readSetting = () => diallers.settingOf({ merchantId, livemode, msisdn: dialler });
  const readRecent = () => loadRecent(deps, channel, request, last?.payer ?? null);
  if (requestKind.kind === 'advance' && last) {
    const setting = showsSetting(menu, last) ? await readSetting() : defaultSetting;
    let read: ReturnType<typeof loadRecent> | undefined;
    const recent = () => {
      read ??= readRecent();
      return read;
    };
    return { recent, setting, start: undefined };
  }
  const [payments, setting, lastTurn] = await Promise.all([
    readRecent(),
    readSetting(),
    turns.lastOf({ merchantId, dialler, since: clock.now() - settings.resumeWindowMs }),
  ]);
  const recent = async () => payments;
  return { recent, setting, start: { recent: payments, lastTurn } };
}

/** Menus by whether one of their screens shows the dialler's block of requests. */
const menusWithRequests = new WeakMap<Menu, boolean>();

/** Returns whether a screen that can follow this turn depends on the dialler's block of requests. */
function showsSetting(menu: Menu, last: { state: string }): boolean {
  let hasRequests = menusWithRequests.get(menu);
  if (hasRequests === undefined) {
    hasRequests = Object.values(menu.screens).some(({ kind }) => kind === 'requests');
    menusWithRequests.set(menu, hasRequests);
  }
  // The common state, without the cost of parsing it.
  if (!hasRequests && !last.state.includes('"callerHistory"')) return false;
  return hasRequests || getStoredState(last).callerHistory?.payment !== undefined;
}

async function loadRecent(
  { collections, clock, settings }: DialogueDeps,
  { merchant: { id: merchantId, livemode } }: Channel,
  { dialler }: UssdRequest,
  payer: string | null,
): Promise<readonly PaymentSummary[]> {
  const since = clock.now() - Math.max(settings.recentPaymentMs, settings.duplicateWindowMs);
  const rows = await collections.recent({ merchantId, livemode, dialler, payer, since });
  return rows.map((row) => summarizeForMenu(row, settings));
}

/** The summary of a collection as menus read it, with the operator in place of the service's network code. */
export function summarizeForMenu(
  row: CollectionRow,
  { networks }: Pick<DialogueSettings, 'networks'>,
): PaymentSummary {
  const { network, ...summary } = summarizePayment(row);
  const operator = operators.find((one) => one !== 'unknown' && networks[one] === network);
  return { ...summary, ...(operator && { operator }) };
}
