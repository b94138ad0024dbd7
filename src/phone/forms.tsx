import type { Child } from 'hono/jsx';
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

/** The fault of a form, and where the page shows it. */
export type PhoneProblem = {
  message: string;
  /** The phone whose form it is; absent for a fault of the page. */
  phoneId?: string | undefined;
  /** True when the wallet has rejected the PIN. */
  isWrongPin?: boolean;
};

/** The fault of a form, above its field. `id` makes its id unique. */
export function ProblemText({ id, problem: { message } }: { id: string; problem: PhoneProblem }) {
  return (
    <p class="error" id={`error-${id}`} role="alert">
      {message}
    </p>
  );
}

/** A number without an outcome of its own: a person answers its prompts. */
const firstNumber = '0244123456';

type DialFieldsProps = {
  channels: readonly PhoneChannel[];
  /** Makes the ids unique on the page. */
  id: string;
  channelId: string | undefined;
  code?: string;
  /** True when the choice of the code is behind its summary. */
  isFolded?: boolean;
  /** Further fields below the code. */
  children?: Child;
};

/** The fields of a dial. The rare ones are folded. */
export function DialFields({ channels, id, channelId, code = '', isFolded, children }: DialFieldsProps) {
  const chosen = channels.find((one) => one.id === channelId) ?? channels[0];
  const choice = (
    <>
      <label for={`${id}-channel`}>Code to dial</label>
      <select id={`${id}-channel`} name="channel">
        {channels.map((channel) => (
          <option value={channel.id} selected={channel.id === channelId}>
            {nameChannel(channel)}
          </option>
        ))}
      </select>
    </>
  );
  return (
    <>
      {!isFolded && choice}
      <details class="fold small" open={code !== ''}>
        <summary>{isFolded ? `Dial ${chosen ? nameChannel(chosen) : 'a code'}` : 'More choices'}</summary>
        <div class="stack tight">
          {isFolded && choice}
          <label for={`${id}-code`}>Code with answers</label>
          <input
            id={`${id}-code`}
            name="code"
            value={code}
            maxlength={maxInputLength}
            autocomplete="off"
            spellcheck={false}
            placeholder={chosen?.serviceCode.replace(/#$/, '*1*20#')}
            data-entry
          />
          {children}
        </div>
      </details>
    </>
  );
}

function nameChannel({ id, serviceCode, aggregator }: PhoneChannel): string {
  return `${serviceCode} ${aggregator.title}${id === aggregator.name ? '' : ` (${id})`}`;
}

export function NewPhoneFields({
  channels,
  fields,
  isFirst,
  problem,
}: {
  channels: readonly PhoneChannel[];
  fields: FormFields;
  isFirst: boolean;
  problem: PhoneProblem | undefined;
}) {
  return (
    <>
      {problem && <ProblemText id="new" problem={problem} />}
      <label for="new-number">Number</label>
      <input
        id="new-number"
        name="number"
        type="tel"
        required
        maxlength={32}
        value={fields.number ?? (isFirst ? firstNumber : '')}
        autocomplete="off"
        placeholder="020 123 4567"
        aria-invalid={problem && 'true'}
        aria-describedby={problem && 'error-new'}
        data-entry
      />
      <DialFields channels={channels} id="new" channelId={fields.channel} code={fields.code ?? ''}>
        <label for="new-operator">Operator</label>
        <select id="new-operator" name="operator">
          <option value="">by the prefix of the number</option>
          {operators.map((name) => (
            <option value={name} selected={name === fields.operator}>
              {operatorTitles[name]}
            </option>
          ))}
        </select>
      </DialFields>
    </>
  );
}
