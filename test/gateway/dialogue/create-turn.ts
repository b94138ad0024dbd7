import type { Channel, Turn } from '../../../src/gateway/dialogue/types.ts';
import { perOperator } from '../../../src/shared/msisdn.ts';
import type { UssdRequest } from '../../../src/shared/ussd.ts';
import { shopMenu } from '../../kit/shop-menu.ts';
import { context } from '../../menu/support.ts';

export const menu = shopMenu();

const merchant: Channel['merchant'] = {
  id: 'demo-shop',
  name: 'Demo Shop',
  livemode: 0,
  menu,
  attendants: new Set(),
  timeZone: 'Africa/Accra',
};

const request: UssdRequest = {
  session: 'session-1',
  dialler: context.dialler,
  operator: 'mtn',
  entry: { kind: 'dialled', suffix: [] },
};

/** Returns the dial of a payer's own phone, with what differs. */
export function createTurn(changed: Partial<Turn> & { merchant?: Partial<Channel['merchant']> } = {}): Turn {
  const { merchant: ofMerchant, ...ofTurn } = changed;
  return {
    channel: {
      id: 'africastalking',
      sequenced: true,
      style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
      replyWithinMs: 5_000,
      promptDelayMs: perOperator(() => 0),
      merchant: { ...merchant, ...ofMerchant },
    },
    request,
    dialogueId: 'dia_1',
    requestKind: { kind: 'start', suffix: [] },
    history: { last: undefined, earlier: undefined },
    diallerContext: {
      recent: async () => [],
      setting: { language: null, blocksRequests: false },
      start: { recent: [], lastTurn: undefined },
    },
    now: context.now,
    deadline: context.now + 5_000,
    previousAttempt: { takenReferences: 0 },
    mayBeStale: false,
    ...ofTurn,
  };
}
