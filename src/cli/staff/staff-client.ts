import type { z } from 'zod';
import { errorBody } from '../../contract/error.ts';
import { type ConfirmInput, doneAnswer } from '../../contract/staff/account.ts';
import { staffPath, supportAnswer } from '../../contract/staff/staff.ts';
import { type Tolerant, tolerant } from '../../contract/tolerant.ts';
import { createConfigurationProof } from '../../gateway/staff/caller.ts';
import type { SupportInput, SupportReadName, SupportResult } from '../../gateway/support/reads.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { type Exchange, exchange } from '../../shared/http/exchange.ts';
import { tryParseJson } from '../../shared/json.ts';
import { version } from '../../shared/version.ts';
import { checkTransport, NoGatewayError } from '../gateway-url.ts';
import { printable } from '../terminal/output.ts';
import type { ForgetEnded, GatewayAddress, StaffAccess } from './find-gateway.ts';

/** A page of 1,000 rows is smaller. */
const maxAnswerBytes = 16 * 1024 * 1024;

export type StaffClientDeps = {
  fetch: typeof fetch;
  clock: Clock;
  /** Asks for the password and a code at the terminal. `undefined` without a terminal, or when the person leaves. */
  askAgain?: (name: string) => Promise<ConfirmInput | undefined>;
  forget?: ForgetEnded;
};

/** The client of the gateway's staff API. A failed call throws a `UserError` whose message states what to do. */
export type StaffClient = ReturnType<typeof createStaffClient>;

export type StaffFlags = { json?: boolean; url?: string; config?: string };

/** Returns the client of the gateway's staff API for the person of the environment. @throws UserError without one. */
export type ConnectStaff = (options: StaffFlags) => Promise<StaffClient>;

type StaffRequest = { method: 'GET' | 'POST'; path: string; body: string };

/** Creates a client for one person at one gateway, or for the key of its configuration. Answers are read tolerantly. */
export function createStaffClient(deps: StaffClientDeps, given: StaffAccess) {
  let access = given;
  const send = (request: StaffRequest) => sendTo(deps, access, request);

  async function call<Value>(request: StaffRequest, schema: z.ZodType<Value>) {
    const first = await send(request);
    const answer = findCode(first) === 'wrong_secret' ? ((await sendWithKey(request)) ?? first) : first;
    if (findCode(answer) === 'confirmation_required' && (await confirm()))
      return read(await send(request), schema);
    return read(answer, schema);
  }

  /** Sends a request with the key of the configuration in the place of a sign-in that has ended. `undefined` when it is rejected too. */
  async function sendWithKey(request: StaffRequest): Promise<Exchange | undefined> {
    if (!('name' in access) || access.otherwise === undefined) return undefined;
    const ended = access;
    const { url, urlFrom } = ended;
    const replacement = { url, urlFrom, ...access.otherwise };
    const answer = await sendTo(deps, replacement, request);
    if (!answer.ok || findCode(answer) === 'wrong_secret') return undefined;
    access = replacement;
    deps.forget?.(ended);
    return answer;
  }

  /** Enters the password and a code for what needs them. Returns false without a terminal. */
  async function confirm(): Promise<boolean> {
    const input = 'name' in access ? await deps.askAgain?.(access.name) : undefined;
    if (!input) return false;
    read(await send({ method: 'POST', path: '/confirm', body: JSON.stringify(input) }), doneAnswer);
    return true;
  }

  function read<Value>(answer: Exchange, schema: z.ZodType<Value>): Tolerant<Value> {
    return readStaffAnswer(access, answer, schema);
  }

  const post = <Value>(path: string, schema: z.ZodType<Value>, body: unknown = {}) =>
    call({ method: 'POST', path, body: JSON.stringify(body) }, schema);

  return {
    /** The person who acts; undefined for the key of the configuration. */
    name: 'name' in given ? given.name : undefined,
    /** Changes something. `path` is relative to `/staff/v1`. */
    post,
    get: <Value>(path: string, schema: z.ZodType<Value>) => call({ method: 'GET', path, body: '' }, schema),
    /** Reads by name. Only a gateway of the same version has results of the same shape. */
    async read<Name extends SupportReadName>(
      name: Name,
      input: SupportInput<Name>,
    ): Promise<SupportResult<Name>> {
      const answer = await post(`/reads/${name}`, supportAnswer, input);
      if (answer.version === version) return answer.value as SupportResult<Name>;
      throw new UserError(
        `the gateway at ${access.url} is dialtill ${answer.version}, and this is ${version}: use the version of the gateway, or name the database with --db.`,
      );
    },
  };
}

async function sendTo({ fetch, clock }: StaffClientDeps, access: StaffAccess, request: StaffRequest) {
  checkTransport(access, 'what proves who you are');
  const { method, body } = request;
  const path = `${staffPath}${request.path}`;
  const authorization =
    'name' in access
      ? `Basic ${Buffer.from(`${access.name}:${access.secret}`).toString('base64')}`
      : createConfigurationProof(access.configurationKey, { method, path, body }, clock.now());
  return exchange({ fetch, clock, maxAnswerBytes }, `${access.url}${path}`, {
    method,
    headers: { authorization, ...(body === '' ? {} : { 'content-type': 'application/json' }) },
    ...(body === '' ? {} : { body }),
  });
}

/** Returns the error code of an answer; `undefined` when it has none. */
function findCode(answer: Exchange): string | undefined {
  return answer.ok ? errorBody.safeParse(tryParseJson(answer.body)).data?.error.code : undefined;
}

/** Reads an answer of the staff API. @throws UserError that states what to do, when the call failed. */
export function readStaffAnswer<Value>(
  access: GatewayAddress | StaffAccess,
  answer: Exchange,
  schema: z.ZodType<Value>,
): Tolerant<Value> {
  const { url, urlFrom } = access;
  if (!answer.ok) {
    throw new NoGatewayError(
      `no gateway at ${url} (from ${urlFrom}): ${answer.detail.replace(/\.$/, '')}. Start it with "dialtill start", or name another with --url.`,
    );
  }
  const json = tryParseJson(answer.body);
  if (answer.status >= 200 && answer.status < 300) {
    const parsed = tolerant(schema).safeParse(json);
    if (parsed.success) return parsed.data;
    throw new UserError(`the answer of ${url} is not readable. Use the dialtill version of the gateway.`);
  }
  const parsed = errorBody.safeParse(json);
  if (!parsed.success)
    throw new NoGatewayError(`${url} is not a gateway: it returned HTTP ${answer.status}. Check --url.`);
  const { code, message } = parsed.data.error;
  if (code === 'wrong_secret') throw new UserError(printable(rejected(access)));
  // Known ids have a code of their own. Without the console, the gateway has no such path.
  if (answer.status === 404 && message === 'nothing here')
    throw new NoGatewayError(
      `the gateway at ${url} has no accounts: add the console to its configuration, and restart it.`,
    );
  throw new UserError(printable(`refused: ${message} (${code})`));
}

function rejected(access: GatewayAddress | StaffAccess): string {
  const { url } = access;
  if ('configurationKey' in access)
    return `the gateway at ${url} (from ${access.urlFrom}) uses another console.secretsKey than this configuration, or the clocks of both differ by more than five minutes. Run the command with the configuration of the gateway, or sign in with "dialtill staff sign-in".`;
  if (!('name' in access)) return `the gateway at ${url} rejects the request.`;
  if (access.from !== undefined)
    return `the sign-in of ${access.name} at ${url} has ended, or is one of another gateway. Sign in again with "dialtill staff sign-in", or remove it with "dialtill staff sign-out".`;
  return `the gateway at ${url} rejects the name "${access.name}" with the token of DIALTILL_STAFF. Create a token on My account in the console, or sign in with "dialtill staff sign-in".`;
}
