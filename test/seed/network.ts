import type { CallName } from '../../src/gateway/collection/fact.ts';
import type { ProgramNetwork } from '../../src/testing/programs.ts';
import { callName } from '../kit/network-faults.ts';

type Pass = () => Promise<Response>;

/** What happens to the messages about one payer. Without an entry, a message passes. */
export type Faults = Partial<Record<CallName | 'webhook', (pass: Pass) => Promise<Response>>>;

export type SeedNetwork = ProgramNetwork & {
  /** Replaces the faults of a payer, `233244123456`. */
  setFaults(payer: string, faults: Faults): void;
  /** Returns the payment session that was created first. */
  firstSession(): string | undefined;
};

/** Creates the network between the gateway and the service, with faults by payer. */
export function seedNetwork(): SeedNetwork {
  const faults = new Map<string, Faults>();
  const payers = new Map<string, string>();

  async function passCreate(body: string, pass: Pass): Promise<Response> {
    const { msisdn } = JSON.parse(body) as { msisdn: string };
    const recorded = async () => {
      const answer = await pass();
      const { id } = (await answer.clone().json()) as { id?: string };
      if (id !== undefined) payers.set(id, msisdn);
      return answer;
    };
    const fault = faults.get(msisdn)?.create;
    return fault ? fault(recorded) : recorded();
  }

  function passFor(session: string | undefined, name: CallName | 'webhook', pass: Pass): Promise<Response> {
    const fault = faults.get(payers.get(session ?? '') ?? '')?.[name];
    return fault ? fault(pass) : pass();
  }

  return {
    setFaults: (payer, next) => void faults.set(payer, next),
    firstSession: () => payers.keys().next().value,
    call(url, init, pass) {
      const name = callName(url);
      if (name === 'create') return passCreate(String(init.body), pass);
      return passFor(/pay_[A-Za-z0-9_-]+/.exec(url)?.[0], name, pass);
    },
    webhook(init, pass) {
      const { data } = JSON.parse(String(init?.body)) as { data: { id?: string } };
      return passFor(data.id, 'webhook', pass);
    },
  };
}

/** Loses the message before it arrives. */
export const lose = async (): Promise<Response> => {
  throw new Error('the message was lost');
};

/** Delivers the message and loses its answer. */
export const loseAnswer = async (pass: Pass): Promise<Response> => {
  await pass();
  throw new Error('the answer was lost');
};

/** Answers instead of the service, in the format of its errors. */
export const reject = (status: number, code: string) => async (): Promise<Response> =>
  Response.json({ error: { code, message: code } }, { status });

/** Changes the body of the answer. */
export const change = (fields: (body: Record<string, unknown>) => object) => async (pass: Pass) => {
  const answer = await pass();
  const body = (await answer.json()) as Record<string, unknown>;
  return Response.json({ ...body, ...fields(body) }, { status: answer.status });
};

/** Answers each poll with this status. */
export const poll = (status: string, more: { terminal: boolean; reason?: string }) =>
  change(() => ({ status, reason: undefined, review: undefined, paid_minor: undefined, ...more }));
