import { z } from 'zod';
import {
  type Msisdn,
  type Operator,
  operatorByPrefix,
  operators,
  operatorTitles,
  parseMsisdn,
} from '../shared/msisdn.ts';
import { type BrowserDecision, codeFault, type PhoneChannel } from './browser-phone.ts';

/** The fields of a form; the last value of a field that occurs several times. */
export type FormFields = Readonly<Record<string, string>>;

type Read<T> = { ok: true; value: T } | { ok: false; message: string };

const invalid = (message: string) => ({ ok: false, message }) as const;

/** Parses the body of a form. */
export function readFormFields(body: string): FormFields {
  return Object.fromEntries(new URLSearchParams(body));
}

type DialForm = { channel: PhoneChannel; code: string };

/** Reads the channel and the code; without a code, the service code of the channel. */
export function readDial(fields: FormFields, channels: ReadonlyMap<string, PhoneChannel>): Read<DialForm> {
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

/** Reads the form of a new phone. */
export function readNewPhone(
  fields: FormFields,
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

/** Reads the answer to a screen, with the number of the screen. */
export function readPhoneInput({ input = '', turn = '' }: FormFields): Read<{ input: string; turn: number }> {
  if (input === '') return invalid('Type an answer.');
  if (input.length > maxInputLength) return invalid(`An answer has at most ${maxInputLength} characters.`);
  return { ok: true, value: { input, turn: Number(turn) } };
}

/** Reads the decision about a prompt. */
export function readPromptDecision({ decision, pin = '' }: FormFields): Read<BrowserDecision> {
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

/** A number without an outcome of its own: a person answers its prompts. */
const firstNumber = '0244123456';

/** The fields of a dial. `prefix` makes their ids unique on the page. */
export function DialFields({
  channels,
  prefix,
  channelId,
  code,
}: {
  channels: readonly PhoneChannel[];
  prefix: string;
  channelId: string | undefined;
  code: string;
}) {
  return (
    <>
      <p>
        <label for={`${prefix}-channel`}>Aggregator</label>
        <select id={`${prefix}-channel`} name="channel">
          {channels.map(({ id, serviceCode, aggregator }) => (
            <option value={id} selected={id === channelId}>
              {serviceCode} {aggregator.title}
              {id === aggregator.name ? '' : ` (${id})`}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label for={`${prefix}-code`}>Code (empty: the code of the aggregator)</label>
        <input
          id={`${prefix}-code`}
          name="code"
          value={code}
          maxlength={182}
          autocomplete="off"
          spellcheck={false}
          placeholder="*713*5*1*20#"
        />
      </p>
    </>
  );
}

/** The form that adds a phone and dials with it. */
export function NewPhoneForm({
  channels,
  fields,
  isFirst,
}: {
  channels: readonly PhoneChannel[];
  fields: FormFields;
  isFirst: boolean;
}) {
  return (
    <form class="new" method="post" action="/phone" aria-labelledby="new-title">
      <h2 id="new-title">{isFirst ? 'Dial' : 'Another phone'}</h2>
      <p>
        <label for="new-number">Number of the phone</label>
        <input
          id="new-number"
          name="number"
          type="tel"
          required
          maxlength={32}
          value={fields.number ?? (isFirst ? firstNumber : '')}
          autocomplete="off"
          placeholder="0201234567"
        />
      </p>
      <p>
        <label for="new-operator">Operator</label>
        <select id="new-operator" name="operator">
          <option value="">by the prefix of the number</option>
          {operators.map((name) => (
            <option value={name} selected={name === fields.operator}>
              {operatorTitles[name]}
            </option>
          ))}
        </select>
      </p>
      <DialFields channels={channels} prefix="new" channelId={fields.channel} code={fields.code ?? ''} />
      <p>
        <button type="submit" class="primary">
          Dial
        </button>{' '}
        <button type="submit" name="start" value="later">
          Only add the phone
        </button>
      </p>
    </form>
  );
}
