import type { Operator } from '../../shared/msisdn.ts';
import { dialledSuffix } from '../../ussd/aggregators/dialled.ts';
import type { Wire } from '../wire.ts';

const networkCodes: Readonly<Record<Operator, string>> = {
  mtn: '62001',
  telecel: '62002',
  at: '62006',
  glo: '62007',
  unknown: '99999',
};

/** A form with everything typed so far; plain text with `CON ` or `END ` comes back. */
export const africastalking: Wire = {
  request(dial, typed) {
    const suffix = dialledSuffix(dial.dialled, dial.serviceCode) ?? [];
    const form = new URLSearchParams({
      sessionId: dial.session,
      phoneNumber: `+${dial.msisdn}`,
      networkCode: networkCodes[dial.operator],
      serviceCode: dial.serviceCode,
      text: [...suffix, ...typed].join('*'),
    });
    return { contentType: 'application/x-www-form-urlencoded', body: form.toString() };
  },

  read(contentType, body) {
    const match = /^(CON|END) (.*)$/s.exec(body);
    if (!match || !contentType.startsWith('text/plain')) return undefined;
    return { kind: match[1] === 'CON' ? 'continue' : 'end', text: match[2] ?? '' };
  },
};
