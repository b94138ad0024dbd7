import type { Chance } from '../chance.ts';
import { openFaults } from '../faults.ts';
import type { Feature } from '../features.ts';
import type { World } from '../world.ts';
import { json, type OracleAnswer, refuse } from './answer.ts';
import { newsDesk, type Post } from './news.ts';
import { openRail } from './rail.ts';
import { factsOf, isFinal, type OracleSession, type OracleState, type Prompt, stateOf } from './session.ts';

/*
 * A collection service that was written for the simulation, from the interface alone: it shares no line with
 * `src/service` and none with the gateway. It keeps its own book of money, and is as difficult as the interface allows.
 */

export type OracleRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export type OracleDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  /** Merchants by their secret key. */
  merchants: ReadonlyMap<string, string>;
  tell(what: string): void;
  /** Something was otherwise than one would like. */
  count(fault: string): void;
  /** Something that must never happen. */
  violate(rule: string, what: string): void;
  /** A prompt lit up on a handset. */
  onPrompt(prompt: Prompt): void;
  post: Post;
};

const second = 1000;
const minute = 60 * second;

/** What a create was answered with, by its key. */
type Kept = { answer: OracleAnswer; at: number; replays: number };

/** A refusal in the service's own words, with the code that the gateway may keep of it. */
type Refusal = { status: number; code: string; kept: string };

const refusals: readonly [Refusal, ...Refusal[]] = [
  { status: 400, code: 'amount_too_small', kept: 'amount_too_small' },
  { status: 422, code: 'payer_blocked', kept: 'payer_blocked' },
  { status: 403, code: 'offline_mode_not_enabled', kept: 'offline_mode_not_enabled' },
  { status: 401, code: 'invalid_api_key', kept: 'invalid_api_key' },
  { status: 422, code: 'no wallet for 233244000101', kept: 'http_422' },
];

export type Oracle = ReturnType<typeof openOracle>;

export function openOracle(deps: OracleDeps) {
  const { world, has, tell } = deps;
  const chance = deps.chance.fork('oracle');
  const faults = openFaults({ chance, has, count: deps.count });
  const { may, of, isOn, note } = faults;
  const sessions = new Map<string, OracleSession>();
  const byKey = new Map<string, Kept>();
  const bodies = new Map<string, string>();
  /** Sessions by the key of the call that made them: more than one where keys are forgotten. */
  const made = new Map<string, readonly OracleSession[]>();
  const sessionsOf = (key: string) => made.get(key) ?? [];
  /** Sessions whose quote was wrong: to push one of them would be the gateway's fault. */
  const wrongQuotes = new Set<string>();
  /** Codes that a session or a key was refused with. */
  const said = new Set<string>();
  const news = newsDesk({ ...deps, merchants: [...deps.merchants.values()], chance: chance.fork('news') });
  const rail = openRail({ ...deps, chance: chance.fork('rail'), faults, news, sessions, sessionsOf, move });
  const now = () => world.now();

  function move(session: OracleSession, state: OracleState): void {
    session.states.push({ at: now(), state });
    tell(`${session.id} is ${state}`);
  }

  /** The answer that is kept for a key; nothing where it is new, or the service has forgotten it. */
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
    return refuse(409, 'request_in_progress', { 'retry-after': '1' });
  }

  /** A 4xx in the service's own words: nothing was made, and another try may do better. */
  function refusedCreate(key: string): OracleAnswer | undefined {
    if (may('payers_limited', 0.15)) {
      const wait = String(of('payers_limited').int(1, 90));
      return refuse(429, 'too_many_prompts', { 'retry-after': wait });
    }
    if (!may('creates_refused', 0.15)) return undefined;
    const { status, code, kept } = of('creates_refused').pick(refusals);
    said.add(`${key} ${kept}`);
    return refuse(status, code);
  }

  function create(merchant: string, request: OracleRequest): OracleAnswer {
    const key = request.headers['idempotency-key'];
    if (!key) return refuse(400, 'idempotency_key_required');
    const before = bodies.get(key);
    if (before !== undefined && before !== request.body)
      deps.violate('I8', `another body for the key ${key}`);
    bodies.set(key, request.body);
    const kept = replay(key) ?? refusedCreate(key);
    if (kept) return kept;
    const asked = JSON.parse(request.body) as Record<string, unknown>;
    const msisdn = String(asked.msisdn);
    const goodsMinor = Number(asked.amount_minor);
    if (!/^233\d{9}$/.test(msisdn)) return refuse(400, 'invalid_msisdn');
    if (!Number.isSafeInteger(goodsMinor) || goodsMinor <= 0) return refuse(400, 'invalid_amount');
    const feeMinor = Math.round(goodsMinor / (may('fees_change', 0.3) ? 50 : 100));
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
      paidAt: null,
      isMismatch: false,
      takesLate: has('late_money') && of('late_money').happens(0.5),
    };
    sessions.set(session.id, session);
    made.set(key, [...sessionsOf(key), session]);
    tell(`${session.id} is created for ${session.reference}`);
    world.after(30 * minute, () => leave(session));
    const answer = may('replayed_500', 0.1) ? refuse(500, 'internal_error') : json(201, quoteOf(session));
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
    // Refused for what it is no longer, or, now and then, for no good reason: then nothing was pushed.
    if (may('initiates_refused', state === 'created' ? 0.35 : 1)) {
      const code = state === 'created' ? 'rail_unavailable' : 'invalid_state';
      said.add(`${session.id} ${code}`);
      return refuse(of('initiates_refused').pick([400, 409, 422]), code);
    }
    const isAgain = state === 'initiated' && has('pushes_again');
    if (isAgain) note('pushes_again');
    if (state === 'created' || isAgain) rail.push(session);
    if (state === 'created') move(session, 'initiated');
    return json(200, { id: session.id, status: stateOf(session), mode: 'offline', channel: 'ussd' });
  }

  /** Nobody initiated it: it ends by itself, and news go out of that. */
  function leave(session: OracleSession): void {
    if (stateOf(session) !== 'created') return;
    move(session, 'expired');
    news.tell(session, 'failed', { ...factsOf(session), status: 'expired', reason: 'session_expired' });
  }

  function status(session: OracleSession): OracleAnswer {
    const lag = may('lagging_status', 0.6) ? of('lagging_status').int(1, 14) * second : 0;
    const state = stateOf(session, now() - lag);
    const final = isFinal(state);
    const patience = may('asks_for_patience', 0.5)
      ? of('asks_for_patience').pick([0, 1, 5, 30, 120] as const)
      : null;
    const told =
      state === 'initiated' && may('odd_statuses', 0.3)
        ? of('odd_statuses').pick(['processing', 'pending_approval', 'failed', 'paid'] as const)
        : state;
    return json(200, {
      id: session.id,
      status: told,
      terminal: final,
      ...(state === 'paid' && session.paidAt !== null ? { paid_at: session.paidAt } : {}),
      retry_after_seconds: final ? null : patience,
    });
  }

  return {
    sessions,
    sessionsOf,
    /** Whether the service has given this reason to give up a session, or the key of a create. */
    hasSaid(idOrKey: string, reason: string): boolean {
      if (reason === 'quote_shown_total') return has('fees_change');
      return reason.startsWith('quote_') ? wrongQuotes.has(idOrKey) : said.has(`${idOrKey} ${reason}`);
    },
    /** Whether any news said that a session failed, true or not. */
    hasToldFailed: news.hasToldFailed,
    approve: rail.approve,
    decline: rail.decline,
    /** News that the gateway has acknowledged, and what of it. */
    acknowledged: news.acknowledged,
    /** News that wait to be acknowledged. */
    owes: news.owes,
    answer(request: OracleRequest): OracleAnswer {
      const merchant = deps.merchants.get(
        /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '',
      );
      if (merchant === undefined) return refuse(401, 'invalid_key');
      if (request.method === 'POST' && request.path === '/v1/payments/sessions')
        return create(merchant, request);
      const [, id = '', verb] =
        /^\/v1\/payments\/sessions\/([^/]+)\/(initiate|status)$/.exec(request.path) ?? [];
      const session = sessions.get(id);
      if (!session || session.merchant !== merchant) return refuse(404, 'session_not_found');
      if (request.method === 'POST' && verb === 'initiate') return initiate(session);
      if (request.method === 'GET' && verb === 'status') return status(session);
      return refuse(404, 'not_found');
    },
    /** From now on the service and its rail behave, and whatever is undecided is decided soon. */
    heal(): void {
      faults.heal();
      rail.heal();
      news.heal();
    },
  };
}
