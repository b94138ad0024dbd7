import { z } from 'zod';
import { type Msisdn, type Operator, operatorByPrefix, operators, parseMsisdn } from '../shared/msisdn.ts';
import { codeFault, type PhoneChannel, type PromptDecision } from './browser-phone.ts';

/** The fields of a form; the last value of a field that occurs several times. */
export type Fields = Readonly<Record<string, string>>;

export type Read<T> = { ok: true; value: T } | { ok: false; message: string };

const invalid = (message: string) => ({ ok: false, message }) as const;

/** Parses the body of a form. */
export function readFormFields(body: string): Fields {
  return Object.fromEntries(new URLSearchParams(body));
}

export type DialForm = { channel: PhoneChannel; code: string };

/** Reads the channel and the code; without a code, the service code of the channel. */
export function readDial(fields: Fields, channels: ReadonlyMap<string, PhoneChannel>): Read<DialForm> {
  const channel = channels.get(fields.channel ?? '');
  if (!channel) return invalid('Choose an aggregator of the list.');
  const code = fields.code?.trim() || channel.serviceCode;
  const fault = codeFault(code, channel);
  return fault === undefined ? { ok: true, value: { channel, code } } : invalid(fault);
}

export type NewPhoneForm = DialForm & {
  msisdn: Msisdn;
  operator: Operator;
  /** True when the phone dials at once. Otherwise it waits, for example for a prompt of another phone's payment. */
  dials: boolean;
};

const operatorName = z.enum(operators);

export function readNewPhone(
  fields: Fields,
  channels: ReadonlyMap<string, PhoneChannel>,
): Read<NewPhoneForm> {
  const msisdn = parseMsisdn(fields.number ?? '');
  if (!msisdn) return invalid('Enter a Ghanaian mobile number, such as 0244123456.');
  const chosen = operatorName.safeParse(fields.operator);
  if (fields.operator && !chosen.success) return invalid('Choose an operator of the list.');
  const dial = readDial(fields, channels);
  if (!dial.ok) return dial;
  const operator = chosen.data ?? operatorByPrefix(msisdn);
  return { ok: true, value: { ...dial.value, msisdn, operator, dials: fields.start !== 'later' } };
}

/** The length of one USSD string. */
export const maxInputLength = 182;

export function readAnswer({ input = '', turn = '' }: Fields): Read<{ input: string; turn: number }> {
  if (input === '') return invalid('Type an answer.');
  if (input.length > maxInputLength) return invalid(`An answer has at most ${maxInputLength} characters.`);
  return { ok: true, value: { input, turn: Number(turn) } };
}

export function readPromptDecision({ decision, pin = '' }: Fields): Read<PromptDecision> {
  switch (decision) {
    case 'approve':
      return /^\d{4}$/.test(pin)
        ? { ok: true, value: { kind: 'approve', pin } }
        : invalid('Enter a PIN of four digits, such as 1234.');
    case 'decline':
    case 'ignore':
      return { ok: true, value: { kind: decision } };
    default:
      return invalid('Approve, decline or ignore the prompt.');
  }
}
