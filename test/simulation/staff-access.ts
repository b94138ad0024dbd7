import { oneTimePassword, stepAt } from '../../src/gateway/accounts/code.ts';
import type { Passwords } from '../../src/gateway/accounts/password.ts';
import { seedOf } from '../kit/authenticator.ts';
import { basic, staffTokens } from '../kit/staff.ts';
import { minute, type Scene, second } from './scene.ts';

export type StaffAccessDeps = {
  scene: Scene;
  /** Sends a request to the gateway; `undefined` when it is down. */
  request(url: string, init: RequestInit): Promise<Response | undefined>;
};

/** The credentials of a person. `confirmedAt` is when the password and a code were entered last for the token. */
type Credentials = { token: string; seed?: Buffer; confirmedAt: number };

/** Hashes no password: a thread would answer at a time that the simulation does not control. */
export const plainPasswords: Passwords = {
  hash: async (password) => `plain ${password}`,
  verify: async (password, stored) => stored === `plain ${password}`,
};

const password = 'correct horse battery';

/** A token counts as confirmed for five minutes. People confirm it again before they end. */
const confirmedMs = 4 * minute;

/** The tokens that the database has from its beginning count as confirmed for the whole history. */
const firstCredentials = Object.entries(staffTokens).map(([name, token]): [string, Credentials] => [
  name,
  { token, confirmedAt: Number.POSITIVE_INFINITY },
]);

/** Simulates how people of support staff get access: by the code of the first use, a password, one-time passwords and a token. */
export function createStaffAccess({ scene: { scheduler, count, history }, request }: StaffAccessDeps) {
  const { now, sleep } = scheduler;
  const credentials = new Map(firstCredentials);

  /** A request to a process that is killed meanwhile has no answer. */
  async function within(answered: Promise<Response | undefined>): Promise<Response | undefined> {
    const over = new AbortController();
    const answer = await Promise.race([answered, sleep(minute, over.signal)]);
    over.abort();
    return answer ?? undefined;
  }

  const send = (path: string, init: RequestInit) => within(request(`http://gateway.test${path}`, init));

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(`/staff/v1${path}`, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { ...headers, 'content-type': 'application/json' },
    });

  const authorized = (name: string) => ({ authorization: basic(name, credentials.get(name)?.token ?? '') });

  /** Submits a form of the console. */
  const submit = (path: string, fields: Record<string, string>, cookie = '') =>
    send(`/console${path}`, {
      ...{ method: 'POST', body: new URLSearchParams(fields).toString() },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        cookie,
      },
    });

  async function signIn(name: string, seed: Buffer): Promise<boolean> {
    const code = oneTimePassword(seed, stepAt(now()));
    const answer = await post('/sign-in', { name, password, code });
    if (answer?.status !== 200) return false;
    const { token } = (await answer.json()) as { token: string };
    credentials.set(name, { token, seed, confirmedAt: now() });
    history.record('staff', `${name} signs in`);
    return true;
  }

  return {
    /** Calls the staff API as a person. A body makes the call a POST. There may be no answer. */
    call(name: string, path: string, body?: object): Promise<Response | undefined> {
      const headers = { ...authorized(name), 'content-type': 'application/json' };
      const init = body
        ? { method: 'POST', headers, body: JSON.stringify(body) }
        : { method: 'GET', headers };
      return request(`http://gateway.test/staff/v1${path}`, init);
    },
    /** As `call`, by a person who waits for an answer for a minute. */
    ask: (name: string, path: string, body: object) => post(path, body, authorized(name)),
    /** Uses the code of the first use, and signs in. @returns whether the person has a token. */
    async useFirstCode(name: string, code: string): Promise<boolean> {
      const begun = await submit('/first-use', { name, code });
      const [cookie = ''] = begun?.headers.getSetCookie()[0]?.split(';') ?? [];
      if (begun?.status !== 303) return false;
      const page = await send('/console/set-up', { method: 'GET', headers: { cookie } });
      const seed = seedOf((await page?.text()) ?? '');
      const own = { password, code: oneTimePassword(seed, stepAt(now())) };
      if ((await submit('/set-up', own, cookie))?.status !== 200) return false;
      count('staff first codes');
      // Each one-time password is accepted once.
      await sleep(minute);
      return signIn(name, seed);
    },
    /** Enters the password and a code again, when they no longer count for the token. */
    async confirm(name: string): Promise<void> {
      const { seed, confirmedAt = now() } = credentials.get(name) ?? {};
      if (!seed || now() - confirmedAt < confirmedMs) return;
      await sleep(30 * second);
      const code = oneTimePassword(seed, stepAt(now()));
      const answer = await post('/confirm', { password, code }, authorized(name));
      const known = credentials.get(name);
      if (answer?.status === 200 && known) known.confirmedAt = now();
    },
  };
}

export type StaffAccess = ReturnType<typeof createStaffAccess>;
