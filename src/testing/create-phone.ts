import type { Dial, SimulatedAggregator, WireRequest } from '../aggregators/simulated-aggregator.ts';
import { apiErrors } from '../contract/service/api-errors.ts';
import { typedInput } from '../menu/text/named-input.ts';
import { isApiError } from '../service/http/response.ts';
import type { PromptEnd } from '../service/rail/prompt-store.ts';
import type { SimulatedPhone } from '../service/rail/simulated-phone.ts';
import { UserError } from '../shared/errors.ts';
import type { Ids } from '../shared/ids.ts';
import { type Msisdn, type Operator, parseMsisdn } from '../shared/msisdn.ts';
import { advanceUntilDone, type StillClock } from './clock.ts';
import { compareLines } from './compare.ts';
import { instantExpected, readInstant, type TillChannel } from './options.ts';
import type { Collected, TillPhone, TillScreen } from './phone.ts';

export type TillPhoneOptions = {
  clock: StillClock;
  ids: Ids;
  simulated: SimulatedAggregator;
  /** The gateway's callback URL of the channel, with its secret. */
  callback: string;
  request(url: string, init?: RequestInit): Promise<Response>;
  msisdn: Msisdn;
  operator: Operator;
  channel: TillChannel;
  simulatedPhone: SimulatedPhone;
  collected(msisdn: string): Promise<Collected[]>;
};

/** Time to read a screen. Longer than the window in which an equal input is treated as a repeat. */
const readingMs = 2_500;
/** Longer than any network keeps a session without an input. */
const sessionLifetimeMs = 180_000;
const defaultWaitMs = 30_000;
const stepMs = 250;
const maxWaitMs = 24 * 3_600_000;

type Session = { dial: Dial; typed: readonly string[] };
type Shown = { screen: TillScreen | undefined; open: Session | undefined };

export function createTillPhone(options: TillPhoneOptions): TillPhone {
  const { clock, ids, simulated, msisdn, operator, channel, simulatedPhone } = options;
  const { serviceCode, settings } = channel;
  let shown: Shown = { screen: undefined, open: undefined };
  let last: { session: Session; request: WireRequest; before: Shown } | undefined;
  let dialledAt = 0;
  /** `until` has set the time of the next dial or input. */
  let isTimed = false;

  /** The time of the next dial or input. */
  function nextAt(): number {
    return clock.now() + (isTimed ? 0 : readingMs);
  }

  async function post({ method, to, contentType, body }: WireRequest): Promise<Response> {
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
    // A turn can wait for a lookup.
    return advanceUntilDone(clock, options.request(`${options.callback}${to}`, init));
  }

  async function ask(session: Session, request: WireRequest): Promise<TillScreen> {
    const answer = await post(request);
    const contentType = answer.headers.get('content-type') ?? '';
    const text = await answer.text();
    const read = answer.status === 200 ? simulated.read(contentType, text, session.dial) : undefined;
    if (!read) {
      throw new UserError(`no screen: the aggregator would not show this reply (${answer.status})`);
    }
    shown = { screen: read, open: read.kind === 'continue' ? session : undefined };
    return read;
  }

  async function next(session: Session): Promise<TillScreen> {
    const waitMs = nextAt() - clock.now();
    isTimed = false;
    await clock.advance(waitMs);
    const request = simulated.request(session.dial, session.typed);
    last = { session, request, before: shown };
    return ask(session, request);
  }

  function lastSent() {
    if (!last) throw new UserError('no code was dialled yet');
    return last;
  }

  async function notify(): Promise<void> {
    const { dial, typed } = lastSent().session;
    const notice = simulated.endNotice?.(dial, typed);
    if (notice) await post(notice);
    shown = { ...shown, open: undefined };
  }

  async function waitFor<T>(look: () => Promise<T | undefined>, withinMs: number): Promise<T | undefined> {
    const end = clock.now() + withinMs;
    for (;;) {
      const found = await look();
      if (found !== undefined || clock.now() >= end) return found;
      await clock.advance(Math.min(stepMs, end - clock.now()));
    }
  }

  async function decide(
    decided: ReturnType<SimulatedPhone['approve'] | SimulatedPhone['decline'] | SimulatedPhone['end']>,
  ): Promise<void> {
    const result = await decided;
    if (isApiError(result)) throw new UserError(apiErrors[result.code].message);
    await clock.advance(0);
  }

  const phone: TillPhone = {
    dial(code = serviceCode) {
      const session = ids.next('ussd');
      dialledAt = nextAt();
      const dial = { session, msisdn, operator, serviceCode, dialled: code, settings };
      return next({ dial, typed: [] });
    },
    async send(input) {
      if (!shown.open) throw new UserError('the session has ended: dial again');
      const typed = typedInput(phone.screen(), input);
      return next({ ...shown.open, typed: [...shown.open.typed, typed] });
    },
    screen: () => shown.screen?.text ?? '',
    shown: () => shown.screen,
    ended: () => shown.open === undefined,
    expectScreen: (text) => expectShown(shown.screen, { kind: 'continue', text }),
    expectEnd: (text) => expectShown(shown.screen, { kind: 'end', text: text ?? phone.screen() }),
    drop() {
      const { session, before } = lastSent();
      shown = { screen: before.screen, open: session };
    },
    async repeat() {
      const { session, request } = lastSent();
      return ask(session, request);
    },
    async leave() {
      await notify();
    },
    async timeout() {
      lastSent();
      await clock.advance(sessionLifetimeMs);
      await notify();
    },
    advance: (ms) => clock.advance(ms),
    async until(time) {
      const at = readInstant(time);
      if (at === undefined) throw new UserError(instantExpected);
      const waitMs = at - clock.now();
      if (waitMs > maxWaitMs) throw new UserError(`${time} is more than 24 hours away`);
      if (waitMs > 0) await clock.advance(waitMs);
      isTimed = true;
    },
    async prompt(asked = {}) {
      const number = asked.msisdn === undefined ? msisdn : parseMsisdn(asked.msisdn);
      if (!number) throw new UserError('expected a mobile number such as 0244123456');
      const found = await waitFor(async () => (await simulatedPhone.pending(number)).at(0), defaultWaitMs);
      if (!found) throw new UserError('no prompt arrived within 30 s');
      const { id, amountMinor } = found;
      const end = (status: PromptEnd['status'], failure: PromptEnd['failure'], chargedMinor = 0) =>
        decide(simulatedPhone.end(id, { status, failure, chargedMinor }));
      return {
        amountMinor,
        approve: (pin = '1234') => decide(simulatedPhone.approve(id, pin)),
        decline: () => decide(simulatedPhone.decline(id)),
        fail: (failure) => end('failed', failure),
        charge: (chargedMinor) => end('approved', null, chargedMinor),
      };
    },
    async collection() {
      const local = await options.collected(msisdn);
      return local.find(({ dialler }) => parseMsisdn(dialler) === msisdn);
    },
    async untilStatus(status, withinMs = defaultWaitMs) {
      const reached = await waitFor(async () => {
        const found = await phone.collection();
        return found?.status === status ? found : undefined;
      }, withinMs);
      if (reached) return reached;
      const found = await phone.collection();
      throw new UserError(`expected ${status}, found ${found?.status ?? 'no collection'}`);
    },
    dialledAt: () => dialledAt,
  };
  return phone;
}

const signs = { both: ' ', expected: '-', actual: '+' } as const;

function expectShown(shown: TillScreen | undefined, expected: TillScreen): void {
  const kinds = { continue: 'a screen that waits for an input', end: 'the end of the session' } as const;
  if (!shown) throw new Error('expected a screen, but no code was dialled yet');
  if (shown.kind !== expected.kind) {
    throw new Error(`expected ${kinds[expected.kind]}, found ${kinds[shown.kind]}:\n${shown.text}`);
  }
  if (shown.text === expected.text) return;
  const lines = compareLines(expected.text, shown.text).map((line) => `${signs[line.in]} ${line.text}`);
  throw new Error(`the screen differs (- expected, + actual):\n${lines.join('\n')}`);
}
