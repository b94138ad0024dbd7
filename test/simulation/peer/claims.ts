import type { Rail } from '../../../src/service/rail/rail.ts';
import type { CallSeen } from '../network.ts';
import type { OracleAnswer } from '../oracle/answer.ts';
import type { Part } from '../scene.ts';

/** Checks push requests to the rail: one per session, and only after an initiate call. */
export function createPushChecks({ violate }: { violate(rule: string, what: string): void }) {
  const asked = new Set<string>();
  const pushed = new Map<string, number>();
  return {
    /** Called when a call leaves the gateway. */
    onCall({ kind, path }: Pick<CallSeen, 'kind' | 'path'>): void {
      const [, id] = /sessions\/([^/]+)\/initiate$/.exec(path) ?? [];
      if (kind === 'initiate' && id !== undefined) asked.add(id);
    },
    of: (sessionId: string) => pushed.get(sessionId) ?? 0,
    watch: (rail: Rail): Rail => ({
      ...rail,
      push(order, signal) {
        const { sessionId } = order;
        const times = (pushed.get(sessionId) ?? 0) + 1;
        pushed.set(sessionId, times);
        if (times > 1) violate('service idempotency', `${sessionId} is pushed ${times} times`);
        if (!asked.has(sessionId))
          violate('service idempotency', `${sessionId} is pushed without an initiate call`);
        return rail.push(order, signal);
      },
    }),
  };
}

type ClaimsDeps = Part & {
  /** Returns the number of push requests of a session. */
  pushes(sessionId: string): number;
};

export type Claims = ReturnType<typeof createClaims>;

/** The promised fields of a create response. */
type Quote = {
  id: string;
  network: string;
  goods_minor: number;
  amount_minor: number;
  expected_fee_minor: number;
  expected_net_minor: number;
  reference: string;
  payer_msisdn: string;
};

type Status = {
  id: string;
  status: string;
  terminal: boolean;
  paid_at?: string;
  retry_after_seconds: number | null;
};

/** The statuses that the service may return to a correct gateway. */
const statuses: Readonly<Record<CallSeen['kind'], readonly number[]>> = {
  create: [201, 409, 429, 503],
  initiate: [200, 409, 429, 502, 503, 504],
  status: [200, 429, 503],
};

const isEnd = (status: string) => status === 'paid' || status === 'failed' || status === 'expired';

/** The fee of docs/collection-service.md: 1 %, rounded half up, at least ten pesewas. */
const feeOf = (goodsMinor: number) => Math.max(10, Math.floor((goodsMinor + 50) / 100));

/** Records the responses of the service and checks that later ones agree, also after crashes. */
export function createClaims({ has, violate, pushes }: ClaimsDeps) {
  /** Create responses by session. */
  const quotes = new Map<string, Quote>();
  /** Responses by idempotency key. */
  const answers = new Map<string, string>();
  /** Sessions with a successful initiate response. */
  const initiated = new Set<string>();
  /** Final statuses that were returned. */
  const final = new Map<string, string>();
  /** Prompts whose correct PIN was typed, whatever the response. */
  const typed = new Set<string>();
  /** Prompts that were returned as approved. */
  const approved = new Set<string>();

  /** Records a returned status. A final status must not change. */
  function recordStatus(id: string, status: string): void {
    const before = final.get(id);
    if (before !== undefined && before !== status)
      violate('service durability', `${id} was ${before}, which is final, and is ${status}`);
    if (isEnd(status)) final.set(id, status);
  }

  /** Checks that a repeated call returns the same bytes, unless the first response asked for a retry. */
  function checkSameResponse({ kind, headers }: CallSeen, { status, body, ...answer }: OracleAnswer): void {
    const key = headers['idempotency-key'];
    if (kind === 'status' || key === undefined || answer.headers['retry-after'] !== undefined) return;
    // On a full disk the result of a push may not be stored; then it stays unknown until the next status call.
    if (status === 504 && has('disk_full')) return;
    const before = answers.get(key);
    if (before !== undefined && before !== body)
      violate('service idempotency', `the key ${key} was answered ${before}, and then ${body}`);
    answers.set(key, body);
  }

  function checkCreate(call: CallSeen, body: string): void {
    const asked = JSON.parse(call.body) as Record<string, unknown>;
    const quote = JSON.parse(body) as Quote;
    const goodsMinor = Number(asked.amount_minor);
    const feeMinor = feeOf(goodsMinor);
    const should = {
      network: asked.network,
      goods_minor: goodsMinor,
      amount_minor: goodsMinor + feeMinor,
      expected_fee_minor: feeMinor,
      expected_net_minor: goodsMinor,
      reference: asked.reference,
      payer_msisdn: `0${String(asked.msisdn).slice(3)}`,
    };
    for (const [field, value] of Object.entries(should)) {
      const reported = quote[field as keyof Quote];
      if (reported !== value) violate('service quotes', `${quote.id} has ${field} ${reported}, not ${value}`);
    }
    const other = quotes.get(quote.id);
    if (other && JSON.stringify(other) !== body)
      violate('service idempotency', `${quote.id} was made twice: ${JSON.stringify(other)}, and ${body}`);
    quotes.set(quote.id, quote);
  }

  /** Checks a status response: after `created` the gateway may prompt, after a final status it stops polling. */
  function checkStatus(reported: Status, pushed: number): void {
    const { id, status, terminal } = reported;
    if (terminal !== isEnd(status))
      violate('service responses', `${id} is ${status} but terminal is ${terminal}`);
    if (terminal !== (reported.retry_after_seconds === null))
      violate(
        'service responses',
        `${id} is ${status} with retry_after_seconds ${reported.retry_after_seconds}`,
      );
    if ((reported.paid_at !== undefined) !== (status === 'paid'))
      violate('service responses', `${id} is ${status} with paid_at ${reported.paid_at}`);
    recordStatus(id, status);
    if (status === 'created' && (pushed > 0 || initiated.has(id)))
      violate('service responses', `${id} is returned as created after a push`);
  }

  return {
    quotes: quotes as ReadonlyMap<string, Quote>,
    initiated: initiated as ReadonlySet<string>,
    final: final as ReadonlyMap<string, string>,
    typed,
    approved,
    recordStatus,
    /**
     * Called when a call reaches the service. Returns a function that records its response, whether or not it
     * arrives.
     */
    watch(call: CallSeen): (answer: OracleAnswer) => void {
      const [, id = ''] = /sessions\/([^/]+)\//.exec(call.path) ?? [];
      const pushed = pushes(id);
      return (answer) => {
        const { status, body } = answer;
        if (!statuses[call.kind].includes(status))
          violate('service responses', `${call.kind} ${id} is answered ${status}: ${body}`);
        checkSameResponse(call, answer);
        if (status !== 200 && status !== 201) return;
        if (call.kind === 'create') checkCreate(call, body);
        else if (call.kind === 'status') checkStatus(JSON.parse(body) as Status, pushed);
        else initiated.add(id);
      };
    },
  };
}
