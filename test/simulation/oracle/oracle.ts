import type { Chance } from '../chance.ts';
import type { Feature } from '../features.ts';
import type { World } from '../world.ts';
import { newsDesk, type Post } from './news.ts';
import { isFinal, type OracleSession, type OracleState, type Prompt, stateOf } from './session.ts';

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

export type OracleAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string };

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

export type Oracle = ReturnType<typeof openOracle>;

export function openOracle(deps: OracleDeps) {
  const { world, has, tell } = deps;
  const chance = deps.chance.fork('oracle');
  const sessions = new Map<string, OracleSession>();
  const byKey = new Map<
    string,
    { session: OracleSession; answer: OracleAnswer; at: number; replays: number }
  >();
  const bodies = new Map<string, string>();
  /** Sessions by the key of the call that made them: more than one where keys are forgotten. */
  const made = new Map<string, readonly OracleSession[]>();
  const sessionsOf = (key: string) => made.get(key) ?? [];
  /** Sessions whose quote was wrong: to push one of them would be the gateway's fault. */
  const wrongQuotes = new Set<string>();
  /** Sessions whose initiate was refused, at least once. */
  const refused = new Set<string>();
  const news = newsDesk({ ...deps, merchants: [...deps.merchants.values()], chance: chance.fork('news') });
  let healed = false;
  let count = 0;
  const now = () => world.now();
  function chanceOf(feature: Feature, probability: number): boolean {
    const does = !healed && has(feature) && chance.happens(probability);
    if (does) deps.count(`fault ${feature}`);
    return does;
  }

  function move(session: OracleSession, state: OracleState): void {
    session.states.push({ at: now(), state });
    tell(`${session.id} is ${state}`);
  }

  function create(merchant: string, request: OracleRequest): OracleAnswer {
    const key = request.headers['idempotency-key'];
    if (!key) return refuse(400, 'idempotency_key_required');
    const known = byKey.get(key);
    const before = bodies.get(key);
    if (before !== undefined && before !== request.body)
      deps.violate('I8', `another body for the key ${key}`);
    bodies.set(key, request.body);
    const forgotten = has('keys_ignored') || (has('keys_forgotten') && now() - (known?.at ?? 0) > minute);
    if (known && !forgotten) {
      known.replays += 1;
      if (!healed && has('conflicts') && known.replays === 1)
        return refuse(409, 'request_in_progress', { 'retry-after': '1' });
      return known.answer;
    }
    const asked = JSON.parse(request.body) as Record<string, unknown>;
    const msisdn = String(asked.msisdn);
    const goodsMinor = Number(asked.amount_minor);
    if (!/^233\d{9}$/.test(msisdn)) return refuse(400, 'invalid_msisdn');
    if (!Number.isSafeInteger(goodsMinor) || goodsMinor <= 0) return refuse(400, 'invalid_amount');
    const feeMinor = Math.round(goodsMinor / (chanceOf('fees_change', 0.3) ? 50 : 100));
    count += 1;
    const session: OracleSession = {
      id: `pay_${String(count).padStart(4, '0')}`,
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
      takesLate: has('late_money') && chance.happens(0.5),
    };
    sessions.set(session.id, session);
    made.set(key, [...sessionsOf(key), session]);
    tell(`${session.id} is created for ${session.reference}`);
    world.after(30 * minute, () => leave(session));
    const answer = chanceOf('replayed_500', 0.1)
      ? refuse(500, 'internal_error')
      : json(201, quoteOf(session));
    byKey.set(key, { session, answer, at: now(), replays: 0 });
    return answer;
  }

  function quoteOf(session: OracleSession): object {
    const quote = {
      id: session.id,
      mode: 'offline',
      channel: 'ussd',
      network: session.network,
      goods_minor: session.goodsMinor,
      amount_minor: session.amountMinor,
      expected_fee_minor: session.feeMinor,
      expected_net_minor: session.goodsMinor,
      status: 'created',
      reference: session.reference,
      payer_msisdn: `0${session.msisdn.slice(3)}`,
    };
    if (!chanceOf('wrong_quotes', 0.15)) return quote;
    wrongQuotes.add(session.id);
    return {
      ...quote,
      ...chance.pick<object>([
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
    if (state === 'created' || (state === 'initiated' && has('pushes_again'))) {
      push(session);
      if (state === 'created') move(session, 'initiated');
      return json(200, { id: session.id, status: 'initiated', mode: 'offline', channel: 'ussd' });
    }
    if (!healed && has('initiates_refused')) {
      refused.add(session.id);
      deps.count('fault initiates_refused');
      return refuse(chance.pick([400, 409, 422]), 'invalid_state');
    }
    return json(200, { id: session.id, status: state, mode: 'offline', channel: 'ussd' });
  }

  function push(session: OracleSession): void {
    if (sessionsOf(session.idempotencyKey).some((one) => one.prompts.length > 0))
      deps.violate('I1', `a second prompt for ${session.reference}, by ${session.id}`);
    const prompt: Prompt = {
      id: `${session.id}/${session.prompts.length + 1}`,
      sessionId: session.id,
      msisdn: session.msisdn,
      at: now(),
      answered: false,
    };
    session.prompts.push(prompt);
    tell(`${session.id} pushes a prompt`);
    news.gossip(session);
    world.after(chance.int(1, 5) * second, () => deps.onPrompt(prompt));
    world.after(5 * minute, () => expire(session));
  }

  /** Nobody initiated it: it ends by itself, and news go out of that. */
  function leave(session: OracleSession): void {
    if (stateOf(session) !== 'created') return;
    move(session, 'expired');
    news.tell(session, 'failed', { ...factsOf(session), status: 'expired', reason: 'session_expired' });
  }

  function expire(session: OracleSession): void {
    if (stateOf(session) !== 'initiated') return;
    const outcome = chance.pick(['expired', 'failed'] as const);
    move(session, outcome);
    news.tell(session, 'failed', { ...factsOf(session), status: outcome, reason: 'prompt_expired' });
  }

  function decline(prompt: Prompt): void {
    const session = open(prompt);
    if (!session || stateOf(session) !== 'initiated') return;
    move(session, 'failed');
    news.tell(session, 'failed', { ...factsOf(session), status: 'failed', reason: 'declined' });
  }

  function approve(prompt: Prompt): void {
    const session = open(prompt);
    if (!session) return;
    const state = stateOf(session);
    if (state !== 'initiated' && !(state === 'expired' && session.takesLate)) return;
    if (state === 'initiated' && chance.happens(0.08)) {
      move(session, 'failed');
      news.tell(session, 'failed', { ...factsOf(session), status: 'failed', reason: 'insufficient_funds' });
      return;
    }
    take(session);
  }

  function take(session: OracleSession): void {
    const other = chanceOf('wrong_amounts', 0.2);
    const takenMinor = other ? session.amountMinor - chance.int(1, 50) : session.amountMinor;
    session.takenMinor += takenMinor;
    session.charges += 1;
    session.paidAt = new Date(now()).toISOString();
    tell(`${session.id} takes ${takenMinor} pesewas`);
    const paid = { ...factsOf(session), status: 'paid', paid_at: session.paidAt };
    if (!other) {
      move(session, 'paid');
      news.tell(session, 'paid', paid);
    } else if (chance.happens(0.5)) {
      move(session, 'paid');
      news.tell(session, 'paid', {
        ...paid,
        amount_minor: takenMinor,
        expected_net_minor: takenMinor - session.feeMinor,
      });
    } else {
      move(session, 'review');
      news.tell(session, 'review_amount_mismatch', {
        ...paid,
        status: 'review',
        paid_minor: takenMinor,
        reason: 'paid_short',
      });
    }
  }

  function open(prompt: Prompt): OracleSession | undefined {
    if (prompt.answered) return undefined;
    prompt.answered = true;
    return sessions.get(prompt.sessionId);
  }

  function status(session: OracleSession): OracleAnswer {
    const lag = chanceOf('lagging_status', 0.6) ? chance.int(1, 14) * second : 0;
    const state = stateOf(session, now() - lag);
    const final = isFinal(state);
    const patience = chanceOf('asks_for_patience', 0.5) ? chance.pick([0, 1, 5, 30, 120]) : null;
    const told =
      state === 'initiated' && chanceOf('odd_statuses', 0.3)
        ? chance.pick(['processing', 'pending_approval', 'failed', 'paid'])
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
    /** Whether the service has given this reason to give a session up. */
    hasSaid(id: string, reason: string): boolean {
      if (reason === 'quote_agreed') return has('fees_change');
      return reason.startsWith('quote_')
        ? wrongQuotes.has(id)
        : refused.has(id) && reason === 'invalid_state';
    },
    approve,
    decline,
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
      healed = true;
      for (const session of sessions.values()) {
        for (const prompt of session.prompts) prompt.answered = true;
        if (stateOf(session) === 'initiated') world.after(chance.int(1, 10) * minute, () => expire(session));
      }
      news.heal();
    },
  };
}

function factsOf(session: OracleSession): Record<string, unknown> {
  return {
    id: session.id,
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.goodsMinor,
  };
}

function json(status: number, body: object, headers: Record<string, string> = {}): OracleAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function refuse(status: number, code: string, headers: Record<string, string> = {}): OracleAnswer {
  return json(status, { error: { code, message: code } }, headers);
}
