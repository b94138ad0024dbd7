import type { Aggregator } from '../aggregators/aggregator.ts';
import { dialledSuffix, isDialString } from '../aggregators/dial-string.ts';
import type { SimulatedAggregator } from '../aggregators/simulated-aggregator.ts';
import type { Clock } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { UssdReply } from '../shared/ussd.ts';
import { createPhone, type Phone, type PhoneFailure, type PhoneResult } from '../simulator/phone.ts';
import type { PendingPrompt, PromptAnswerFailure, Prompts } from '../simulator/prompts.ts';
import type { LedgerEntry, PhoneRecords } from './ledger-entry.ts';
import { getScreenRoom, type ScreenRoom, type ScreenSettings } from './screen-room.ts';
import type { WireEntry, WireLog } from './wire-log.ts';

/** A channel of the gateway with both sides of its aggregator. */
export type PhoneChannel = ScreenSettings & {
  id: string;
  serviceCode: string;
  secret: string;
  previousSecret?: string | undefined;
  settings?: Readonly<Record<string, unknown>> | undefined;
  aggregator: Aggregator;
  simulated: SimulatedAggregator;
};

export type BrowserPhoneDeps = {
  fetch: typeof fetch;
  clock: Clock;
  ids: Ids;
  prompts: Prompts;
  records: PhoneRecords;
  wireLog: WireLog;
  /** Returns the address at which this process reaches the gateway. */
  gatewayUrl(): string;
};

/** Why a phone did nothing. `message` is for the person at the browser. */
export type PhoneRefusal = {
  ok: false;
  reason: 'invalid' | 'busy' | 'stale' | 'unavailable';
  message: string;
  /** True when the wallet has rejected the PIN. */
  isWrongPin?: boolean;
};
export type PhoneAction = { ok: true } | PhoneRefusal;

export type BrowserDecision = { kind: 'approve'; pin: string } | { kind: 'decline' } | { kind: 'ignore' };

/** The content of a phone. It contains no secret. */
export type PhoneView = {
  /** Changes with each change of the rest. */
  version: number;
  channelId: string;
  code: string;
  screen: UssdReply | undefined;
  room: ScreenRoom | undefined;
  /** Why there is no screen. */
  fault: string | undefined;
  isOpen: boolean;
  /** The payer has hung up, and the aggregator sends no end notice: the gateway does not know. */
  isUnreported: boolean;
  /** Counts the screens. An answer names the screen that it is for. */
  turn: number;
  prompts: readonly PendingPrompt[];
  promptFault: string | undefined;
  payment: LedgerEntry | undefined;
  /** The name of the merchant in the prompt that was shown last. */
  merchantName: string | undefined;
  /** The newest exchanges of this phone and of its payment, newest first. */
  wire: readonly WireEntry[];
};

/** One simulated phone that a browser shows. */
export type BrowserPhone = {
  readonly id: string;
  readonly msisdn: Msisdn;
  readonly operator: Operator;
  view(): PhoneView;
  /** Opens a new session with a dialled code of a channel. An open session is abandoned, as on a real phone. */
  dial(channel: PhoneChannel, code: string): Promise<PhoneAction>;
  /** Answers the screen with the number `turn`. */
  answer(input: string, turn: number): Promise<PhoneAction>;
  /** Ends the open session, as the aggregator reports it. */
  hangUp(): Promise<PhoneAction>;
  decide(promptId: string, decision: BrowserDecision): Promise<PhoneAction>;
  /** Reads the prompts and the payment again. Never rejects because of the service. */
  refresh(): Promise<void>;
  /** Returns the newest dialogue as a transcript; `undefined` before the first one. */
  transcript(): Promise<string | undefined>;
};

/** The prompts that a phone knows at once. It shows the newest one. */
const maxPrompts = 3;
/** The exchanges that a phone keeps and shows: about a dialogue and its payment. */
const maxWireEntries = 24;

const refuse = (reason: PhoneRefusal['reason'], message: string): PhoneRefusal => ({
  ok: false,
  reason,
  message,
});

const done: PhoneAction = { ok: true };

/** Returns why a code cannot be dialled on a channel; `undefined` for a valid code. */
export function codeFault(
  code: string,
  { serviceCode }: Pick<PhoneChannel, 'serviceCode'>,
): string | undefined {
  if (isDialString(code) && dialledSuffix(code, serviceCode) !== undefined) return undefined;
  const withInput = serviceCode.replace(/#$/, '*1#');
  return `Dial ${serviceCode}, or the same code with answers, such as ${withInput}.`;
}

/** Creates a phone. It drives a simulated phone, so that no secret of a channel leaves the process. */
export function createBrowserPhone(
  deps: BrowserPhoneDeps,
  {
    id,
    msisdn,
    operator,
    channel: first,
  }: Pick<BrowserPhone, 'id' | 'msisdn' | 'operator'> & { channel: PhoneChannel },
): BrowserPhone {
  const { prompts, records, wireLog } = deps;
  let dialogue: readonly WireEntry[] = [];
  const ignored = new Set<string>();
  let channel = first;
  let phone: Phone = connect(first);
  let isBusy = false;
  let shown: PhoneView = {
    ...{ version: 1, channelId: first.id, code: first.serviceCode, screen: undefined, room: undefined },
    ...{
      fault: undefined,
      isOpen: false,
      isUnreported: false,
      turn: 0,
      prompts: [],
      promptFault: undefined,
      payment: undefined,
      merchantName: undefined,
    },
    wire: [],
  };
  /** The payment session of the prompt that was answered last. */
  let answeredSession: string | undefined;
  /** The newest payment before the last dial, null for none. Absent before the first dial. */
  let earlierPayment: string | null | undefined;

  function connect(to: PhoneChannel): Phone {
    const { fetch, clock, ids, gatewayUrl } = deps;
    const { id, secret, serviceCode, settings, simulated } = to;
    const url = `${gatewayUrl()}/ussd/${encodeURIComponent(id)}/${encodeURIComponent(secret)}`;
    return createPhone({
      ...{ fetch, clock, ids, aggregator: simulated, url, msisdn, operator, serviceCode, settings },
      onExchange(exchange) {
        dialogue = [wireLog.add(exchange, to), ...dialogue].slice(0, maxWireEntries);
      },
    });
  }

  function show(change: Partial<PhoneView>): void {
    const { version, ...before } = shown;
    const next = { ...before, ...change };
    if (JSON.stringify(next) !== JSON.stringify({ ...before })) shown = { ...next, version: version + 1 };
  }

  /** Runs one request at a time: a second one would belong to the same screen. */
  async function alone(work: () => Promise<PhoneAction>): Promise<PhoneAction> {
    if (isBusy) return refuse('busy', 'The phone still waits for the last answer. Try again.');
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  }

  function showResult(result: PhoneResult): void {
    const screen = result.ok ? result.screen : undefined;
    show({
      screen,
      room: screen && getScreenRoom(screen.text, channel.aggregator, channel),
      fault: result.ok ? undefined : describeFailure(result, channel),
      isOpen: !phone.ended(),
      isUnreported: false,
      turn: shown.turn + 1,
      wire: listWire(shown.payment),
    });
  }

  async function readPayment(): Promise<LedgerEntry | undefined> {
    const { payment: known } = shown;
    if (answeredSession !== undefined) return records.payment({ sessionId: answeredSession }, known);
    if (earlierPayment === undefined) return undefined;
    const last = await records.lastPaymentId(msisdn);
    return last === undefined || last === earlierPayment ? undefined : records.payment({ id: last }, known);
  }

  function listWire(payment: LedgerEntry | undefined): readonly WireEntry[] {
    return [...dialogue, ...(payment ? wireLog.entriesOf(payment) : [])]
      .toSorted((a, b) => b.at - a.at || b.number - a.number)
      .slice(0, maxWireEntries);
  }

  async function refresh(): Promise<void> {
    const pending = await prompts.pending(msisdn);
    const payment = await readPayment();
    const wire = listWire(payment);
    if (!pending.ok) return show({ payment, wire, promptFault: describePromptFailure(pending) });
    const open = pending.prompts.filter((one) => !ignored.has(one.id)).slice(0, maxPrompts);
    const { merchant_name: merchantName = shown.merchantName } = open[0] ?? {};
    show({ payment, wire, merchantName, prompts: open, promptFault: undefined });
  }

  return {
    ...{ id, msisdn, operator, refresh },
    view: () => shown,
    dial: (next, code) =>
      alone(async () => {
        const fault = codeFault(code, next);
        if (fault !== undefined) return refuse('invalid', fault);
        earlierPayment = (await records.lastPaymentId(msisdn)) ?? null;
        answeredSession = undefined;
        channel = next;
        phone = connect(next);
        show({ channelId: next.id, code });
        showResult(await phone.dial(code));
        await refresh();
        return done;
      }),
    answer: (input, turn) =>
      alone(async () => {
        if (phone.ended()) return refuse('stale', 'The session has ended. Dial again.');
        if (turn !== shown.turn)
          return refuse('stale', 'The screen has changed. Answer the screen that is shown now.');
        showResult(await phone.send(input));
        await refresh();
        return done;
      }),
    hangUp: () =>
      alone(async () => {
        const wasOpen = !phone.ended();
        const isReported = await phone.hangUp();
        show({ isOpen: false, isUnreported: wasOpen && !isReported, wire: listWire(shown.payment) });
        return done;
      }),
    async decide(promptId, decision) {
      const prompt = shown.prompts.find((one) => one.id === promptId);
      if (!prompt) return refuse('stale', 'The prompt is no longer open.');
      if (decision.kind === 'ignore') ignored.add(promptId);
      else {
        const decided =
          decision.kind === 'approve'
            ? await prompts.approve(promptId, decision.pin)
            : await prompts.decline(promptId);
        if (!decided.ok) {
          await refresh();
          const isWrongPin = decided.reason === 'rejected' && decided.code === 'wrong_pin';
          const reason = decided.reason === 'rejected' ? 'invalid' : 'unavailable';
          return { ...refuse(reason, describePromptFailure(decided)), isWrongPin };
        }
        answeredSession = prompt.session_id;
      }
      await refresh();
      return done;
    },
    transcript: () => records.transcript(msisdn),
  };
}

function describeFailure({ reason, detail }: PhoneFailure, { aggregator }: PhoneChannel): string {
  if (reason === 'timeout') return 'The gateway did not answer in time.';
  if (reason === 'unreachable') return `The gateway is not reachable: ${detail}`;
  return `${aggregator.title} would show an error instead of this answer (${detail}).`;
}

function describePromptFailure(failure: PromptAnswerFailure): string {
  if (failure.reason === 'rejected') return failure.message;
  return `The simulated phones of the service are not reachable: ${failure.detail}`;
}
