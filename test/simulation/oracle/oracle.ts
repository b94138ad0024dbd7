import { minute, second } from '../../kit/clock.ts';
import { createFaults } from '../faults.ts';
import type { Part } from '../scene.ts';
import { json, type OracleAnswer, reject } from './answer.ts';
import { createEventSender, type Post } from './events.ts';
import { createRail } from './rail.ts';
import { factsOf, isFinal, type OracleSession, type OracleState, type Prompt, stateOf } from './session.ts';

/*
 * A collection service that was written for the simulation, from the interface alone. It shares no code with
 * `src/service` or the gateway, keeps its own record of money, and is as difficult as the interface allows.
 */

export type OracleRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export type OracleDeps = Part & {
  /** Merchant ids by secret key. */
  merchants: ReadonlyMap<string, string>;
  record(what: string): void;
  /** Called when a prompt appears on a phone. */
  onPrompt(prompt: Prompt): void;
  post: Post;
};

/** The response to a create call, stored by its key. */
type StoredResponse = { answer: OracleAnswer; at: number; replays: number };

/** An error response, with the reason that the gateway may record for it. */
type Rejection = { status: number; code: string; reason: string };

const rejections: readonly [Rejection, ...Rejection[]] = [
  { status: 400, code: 'amount_too_small', reason: 'amount_too_small' },
  { status: 422, code: 'payer_blocked', reason: 'payer_blocked' },
  { status: 403, code: 'offline_mode_not_enabled', reason: 'offline_mode_not_enabled' },
  { status: 401, code: 'invalid_api_key', reason: 'invalid_api_key' },
  { status: 422, code: 'no wallet for 233244000101', reason: 'http_422' },
];

/** Whether a fee is above the default limit for a fee that no screen showed. */
export function hasHighFee({
  goodsMinor,
  feeMinor,
}: Pick<OracleSession, 'goodsMinor' | 'feeMinor'>): boolean {
  return feeMinor > Math.max(50, Math.min(Math.round(goodsMinor / 50), 1_000));
}

export type Oracle = ReturnType<typeof createOracle>;

export function createOracle(deps: OracleDeps) {
  const { scheduler, has, record } = deps;
  const random = deps.random.fork('oracle');
  const faults = createFaults({ random, has, count: deps.count });
  const { may, of, isOn, note } = faults;
  const sessions = new Map<string, OracleSession>();
  const byKey = new Map<string, StoredResponse>();
  const bodies = new Map<string, string>();
  /** Sessions by the key of the create call: more than one where keys are forgotten. */
  const made = new Map<string, readonly OracleSession[]>();
  const sessionsOf = (key: string) => made.get(key) ?? [];
  /** Sessions with a wrong quote. The gateway must not initiate them. */
  const wrongQuotes = new Set<string>();
  /** Error codes, with the session or key that they were returned for. */
  const returnedErrors = new Set<string>();
  /** Final statuses that polls were answered with, each with its session. */
  const polledEnds = new Set<string>();
  const events = createEventSender({
    ...deps,
    merchants: [...deps.merchants.values()],
    random: random.fork('webhooks'),
  });
  const rail = createRail({
    ...deps,
    random: random.fork('rail'),
    faults,
    events,
    sessions,
    sessionsOf,
    move,
  });
  const now = () => scheduler.now();

  function move(session: OracleSession, state: OracleState): void {
    session.states.push({ at: now(), state });
    record(`${session.id} is ${state}`);
  }

  /** Returns the stored response of a key, or `undefined` for a new or forgotten key. */
  function replay(key: string): OracleAnswer | undefined {
    const known = byKey.get(key);
    if (!known) return undefined;
    const forgotten = has('keys_forgotten') && now() - known.at > minute;
    if (has('keys_ignored') || forgotten) {
      note(forgotten ? 'keys_forgotten' : 'keys_ignored');
      return undefined;
    }
    known.replays += 1;
    if (!isOn('conflicts') || known.replays > 1) return known.answer;
    note('conflicts');
    return reject(409, 'request_in_progress', { 'retry-after': '1' });
  }

  /** Returns a definite 4xx response, or `undefined`. No session was created, and a retry may succeed. */
  function rejectCreate(key: string): OracleAnswer | undefined {
    if (may('payers_limited', 0.15)) {
      const wait = String(of('payers_limited').int(1, 90));
      return reject(429, 'too_many_prompts', { 'retry-after': wait });
    }
    if (!may('creates_rejected', 0.15)) return undefined;
    const { status, code, reason } = of('creates_rejected').pick(rejections);
    returnedErrors.add(`${key} ${reason}`);
    return reject(status, code);
  }

  function create(merchant: string, request: OracleRequest): OracleAnswer {
    const key = request.headers['idempotency-key'];
    if (!key) return reject(400, 'idempotency_key_required');
    const before = bodies.get(key);
    if (before !== undefined && before !== request.body)
      deps.violate('I8', `another body for the key ${key}`);
    bodies.set(key, request.body);
    const early = replay(key) ?? rejectCreate(key);
    if (early) return early;
    const asked = JSON.parse(request.body) as Record<string, unknown>;
    const msisdn = String(asked.msisdn);
    const goodsMinor = Number(asked.amount_minor);
    if (!/^233\d{9}$/.test(msisdn)) return reject(400, 'invalid_msisdn');
    if (!Number.isSafeInteger(goodsMinor) || goodsMinor <= 0) return reject(400, 'invalid_amount');
    // 1 %, 2 % or 20 %: the last is above the limit for a fee that no screen showed.
    const share = may('fees_change', 0.3) ? of('fees_change').pick([50, 50, 5]) : 100;
    const feeMinor = Math.round(goodsMinor / share);
    const session: OracleSession = {
      id: `pay_${String(sessions.size + 1).padStart(4, '0')}`,
      merchant,
      idempotencyKey: key,
      body: request.body,
      msisdn,
      reference: String(asked.reference),
      network: String(asked.network),
      goodsMinor,
      feeMinor,
      amountMinor: goodsMinor + feeMinor,
      createdAt: now(),
      states: [{ at: now(), state: 'created' }],
      initiates: 0,
      prompts: [],
      takenMinor: 0,
      charges: 0,
      refundedMinor: 0,
      paidAt: null,
      isMismatch: false,
      isOtherCurrency: false,
      acceptsLateApproval: has('late_money') && of('late_money').happens(0.5),
    };
    sessions.set(session.id, session);
    made.set(key, [...sessionsOf(key), session]);
    record(`${session.id} is created for ${session.reference}`);
    events.sendEarlyEvents(session);
    scheduler.after(30 * minute, () => leave(session));
    const answer = may('replayed_500', 0.1) ? reject(500, 'internal_error') : json(201, quoteOf(session));
    byKey.set(key, { answer, at: now(), replays: 0 });
    return answer;
  }

  function quoteOf(session: OracleSession): object {
    const quote = {
      ...factsOf(session),
      mode: 'offline',
      channel: 'ussd',
      network: session.network,
      status: 'created',
      reference: session.reference,
      payer_msisdn: `0${session.msisdn.slice(3)}`,
    };
    if (!may('wrong_quotes', 0.15)) return quote;
    wrongQuotes.add(session.id);
    return {
      ...quote,
      ...of('wrong_quotes').pick<object>([
        { amount_minor: session.amountMinor + 1 },
        { expected_net_minor: session.goodsMinor - 1 },
        { payer_msisdn: '0209999999' },
        { goods_minor: session.goodsMinor + 100, expected_net_minor: session.goodsMinor + 100 },
      ]),
    };
  }

  function initiate(session: OracleSession): OracleAnswer {
    session.initiates += 1;
    if (wrongQuotes.has(session.id))
      deps.violate('I1', `${session.id} was initiated although its quote was wrong`);
    const state = stateOf(session);
    // Rejected because of its state, or at random; then no prompt was sent.
    if (may('initiates_rejected', state === 'created' ? 0.35 : 1)) {
      const code = state === 'created' ? 'rail_unavailable' : 'invalid_state';
      returnedErrors.add(`${session.id} ${code}`);
      return reject(of('initiates_rejected').pick([400, 409, 422]), code);
    }
    const isAgain = state === 'initiated' && has('repeated_pushes');
    if (isAgain) note('repeated_pushes');
    if (state === 'created' || isAgain) rail.push(session);
    if (state === 'created') move(session, 'initiated');
    return json(200, { id: session.id, status: stateOf(session), mode: 'offline', channel: 'ussd' });
  }

  /** Expires a session that was not initiated, and sends an event. */
  function leave(session: OracleSession): void {
    if (stateOf(session) !== 'created') return;
    move(session, 'expired');
    events.report(session, 'failed', { ...factsOf(session), status: 'expired', reason: 'session_expired' });
  }

  function status(session: OracleSession): OracleAnswer {
    const lag = may('lagging_status', 0.6) ? of('lagging_status').int(1, 14) * second : 0;
    const state = stateOf(session, now() - lag);
    const final = isFinal(state);
    const patience = may('retry_hints', 0.5) ? of('retry_hints').pick([0, 1, 5, 30, 120] as const) : null;
    const shownStatus =
      state === 'initiated' && may('unknown_statuses', 0.3)
        ? of('unknown_statuses').pick(['processing', 'pending_approval', 'failed', 'paid'] as const)
        : state;
    if (final) polledEnds.add(`${session.id} ${shownStatus}`);
    return json(200, {
      id: session.id,
      status: shownStatus,
      terminal: final,
      ...(state === 'paid' && session.paidAt !== null ? { paid_at: session.paidAt } : {}),
      retry_after_seconds: final ? null : patience,
    });
  }

  return {
    sessions,
    sessionsOf,
    /** Whether the service returned this error for a session or for the key of a create call. */
    hasGivenReason(idOrKey: string, reason: string): boolean {
      if (reason === 'quote_shown_total') return has('fees_change');
      if (reason === 'quote_fee_too_high') return sessionsOf(idOrKey).some(hasHighFee);
      return reason.startsWith('quote_')
        ? wrongQuotes.has(idOrKey)
        : returnedErrors.has(`${idOrKey} ${reason}`);
    },
    /** Whether a poll was answered with this final status. */
    hasPolledEnd: (sessionId: string, status: string): boolean => polledEnds.has(`${sessionId} ${status}`),
    /** Whether another party reported a session as paid with the leaked secret. */
    hasForgedPaid: events.hasForgedPaid,
    approve: rail.approve,
    decline: rail.decline,
    /** Events that the gateway acknowledged. */
    acknowledged: events.acknowledged,
    /** The number of events that are not acknowledged. */
    pendingCount: events.pendingCount,
    answer(request: OracleRequest): OracleAnswer {
      const merchant = deps.merchants.get(
        /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '',
      );
      if (merchant === undefined) return reject(401, 'invalid_key');
      if (request.method === 'POST' && request.path === '/v1/payments/sessions')
        return create(merchant, request);
      const [, id = '', verb] =
        /^\/v1\/payments\/sessions\/([^/]+)\/(initiate|status)$/.exec(request.path) ?? [];
      const session = sessions.get(id);
      if (!session || session.merchant !== merchant) return reject(404, 'session_not_found');
      if (request.method === 'POST' && verb === 'initiate') return initiate(session);
      if (request.method === 'GET' && verb === 'status') return status(session);
      return reject(404, 'not_found');
    },
    /** Ends all faults and decides every open session soon. */
    heal(): void {
      faults.heal();
      rail.heal();
      events.heal();
    },
  };
}
