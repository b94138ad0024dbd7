import type { Feature } from '../features.ts';
import type { CallSeen } from '../network.ts';
import type { OracleAnswer } from '../oracle/answer.ts';

export type ClaimsDeps = {
  /** Prompts that the rail was ordered to push for a session. */
  pushes(sessionId: string): number;
  has(feature: Feature): boolean;
  violate(rule: string, what: string): void;
};

export type Claims = ReturnType<typeof openClaims>;

/** The body of a create's answer, as far as it is promised. */
export type Quote = {
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

/** What an honest service may answer a gateway that calls as it should. */
const statuses: Readonly<Record<CallSeen['kind'], readonly number[]>> = {
  create: [201, 409, 429, 503],
  initiate: [200, 409, 429, 502, 503, 504],
  status: [200, 429, 503],
};

const isEnd = (status: string) => status === 'paid' || status === 'failed' || status === 'expired';

/** 1 %, rounded half up, ten pesewas at least: the fee of docs/collection-service.md. */
const feeOf = (goodsMinor: number) => Math.max(10, Math.floor((goodsMinor + 50) / 100));

/** What the service has said to anybody: from then on it must be so, whatever falls. */
export function openClaims({ has, violate, pushes }: ClaimsDeps) {
  /** What creates were answered with, by session. */
  const quotes = new Map<string, Quote>();
  /** Answers that are kept, by the key of their call. */
  const answers = new Map<string, string>();
  /** Sessions that initiate was answered well for. */
  const initiated = new Set<string>();
  /** Statuses that were told as final. */
  const final = new Map<string, string>();
  /** Prompts whose right PIN was typed, whatever came of it. */
  const typed = new Set<string>();
  /** Prompts that were told to be approved. */
  const approved = new Set<string>();

  /** Takes down how a session is said to stand. */
  function say(id: string, status: string): void {
    const before = final.get(id);
    if (before !== undefined && before !== status)
      violate('service keeps', `${id} was ${before}, which is final, and is ${status}`);
    if (isEnd(status)) final.set(id, status);
  }

  /** The same call again has the same answer, byte for byte, unless the first one asks to come again. */
  function sameAgain({ kind, headers }: CallSeen, { status, body, ...answer }: OracleAnswer): void {
    const key = headers['idempotency-key'];
    if (kind === 'status' || key === undefined || answer.headers['retry-after'] !== undefined) return;
    // What a push came to may not fit on a full disk: nobody knows, until somebody asks how the session stands.
    if (status === 504 && has('disk_full')) return;
    const before = answers.get(key);
    if (before !== undefined && before !== body)
      violate('service once', `the key ${key} was answered ${before}, and then ${body}`);
    answers.set(key, body);
  }

  function hearCreate(call: CallSeen, body: string): void {
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
      const told = quote[field as keyof Quote];
      if (told !== value) violate('service quotes', `${quote.id} has ${field} ${told}, not ${value}`);
    }
    const other = quotes.get(quote.id);
    if (other && JSON.stringify(other) !== body)
      violate('service once', `${quote.id} was made twice: ${JSON.stringify(other)}, and ${body}`);
    quotes.set(quote.id, quote);
  }

  /** A gateway that hears `created` may prompt; one that hears an end stops to ask. */
  function hearStatus(told: Status, pushed: number): void {
    const { id, status, terminal } = told;
    if (terminal !== isEnd(status))
      violate('service says', `${id} is ${status}, and terminal is ${terminal}`);
    if (terminal !== (told.retry_after_seconds === null))
      violate('service says', `${id} is ${status}, to be asked again in ${told.retry_after_seconds} s`);
    if ((told.paid_at !== undefined) !== (status === 'paid'))
      violate('service says', `${id} is ${status}, paid at ${told.paid_at}`);
    say(id, status);
    if (status === 'created' && (pushed > 0 || initiated.has(id)))
      violate('service says', `${id} is created, and was pushed`);
  }

  return {
    quotes: quotes as ReadonlyMap<string, Quote>,
    initiated: initiated as ReadonlySet<string>,
    final: final as ReadonlyMap<string, string>,
    typed,
    approved,
    say,
    /** A call reaches the service. Returns what takes down its answer, whether or not that arrives. */
    listen(call: CallSeen): (answer: OracleAnswer) => void {
      const [, id = ''] = /sessions\/([^/]+)\//.exec(call.path) ?? [];
      const pushed = pushes(id);
      return (answer) => {
        const { status, body } = answer;
        if (!statuses[call.kind].includes(status))
          violate('service says', `${call.kind} ${id} is answered ${status}: ${body}`);
        sameAgain(call, answer);
        if (status !== 200 && status !== 201) return;
        if (call.kind === 'create') hearCreate(call, body);
        else if (call.kind === 'status') hearStatus(JSON.parse(body) as Status, pushed);
        else initiated.add(id);
      };
    },
  };
}
