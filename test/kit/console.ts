import type { AccountRole } from '../../src/contract/staff/account.ts';
import { oneTimePassword, stepAt } from '../../src/gateway/accounts/code.ts';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { seedOf } from './authenticator.ts';
import { serve } from './local-server.ts';
import { callWithConfiguration, withStaff } from './staff.ts';
import { createTill, paidEvent, type Till, type TillOptions } from './till.ts';

const consoleUrl = 'https://pay.example';

/** Adds the console at an address with a name, where browsers create passkeys. */
function withConsole(config: Config): void {
  withStaff(config);
  if (config.console) config.console.publicUrl = consoleUrl;
}

/** A till with the console. */
export const createConsoleTill = (
  options: Pick<TillOptions, 'configure' | 'overrides' | 'wrapStore'> = {},
): Promise<Till> =>
  createTill({
    ...options,
    configure(config) {
      withConsole(config);
      options.configure?.(config);
    },
  });

/** A till with the console that listens on a free port. Its address has a name, so that browsers create passkeys. */
export async function serveConsoleTill(
  options: Parameters<typeof createConsoleTill>[0] = {},
): Promise<{ till: Till; url: string }> {
  const served: { till?: Till } = {};
  const fetch = (request: Request) => {
    if (!served.till) throw new Error('the gateway has not started');
    return served.till.gateway().app.fetch(request);
  };
  const server = await serve({ fetch });
  const url = server.url.replace('127.0.0.1', 'localhost');
  const till = await createConsoleTill({
    ...options,
    configure(config) {
      if (config.console) config.console.publicUrl = url;
      options.configure?.(config);
    },
  });
  served.till = till;
  return { till, url };
}

export type ConsolePage = { status: number; text: string; location: string | null; headers: Headers };

/** A browser at the console: it keeps the cookies and sends forms as browsers do. */
export type Browser = {
  /** `path` is relative to `/console`. */
  get(path: string): Promise<ConsolePage>;
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<ConsolePage>;
  cookie(): string | undefined;
};

/** Amounts and numbers of pages have spaces without a break. */
function plainSpaces(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

export function createBrowser(till: Till, initial?: string): Browser {
  let cookie = initial;
  let done: string | undefined;
  async function send(
    path: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ) {
    const cookies = [cookie, done].filter((one) => one !== undefined).join('; ');
    const headers = { ...init.headers, ...(cookies === '' ? {} : { cookie: cookies }) };
    const url = `/console${path === '/' ? '' : path}`;
    const response = await till.gateway().app.request(url, { ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const kept = pair.endsWith('=') ? undefined : pair;
      if (pair.includes('_done=')) done = kept;
      else cookie = kept;
    }
    const { status, headers: answered } = response;
    return {
      status,
      text: plainSpaces(await response.text()),
      location: answered.get('location'),
      headers: answered,
    };
  }
  return {
    get: (path) => send(path, { method: 'GET', headers: {} }),
    post: (path, fields = {}, headers = { 'sec-fetch-site': 'same-origin' }) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
    cookie: () => cookie,
  };
}

export const password = 'correct horse battery';

/** A person with an account that is set up. */
export type AccountHolder = {
  name: string;
  recoveryCodes: string[];
  /** Returns a one-time password that was not used, and advances the clock to its time. */
  code(): Promise<string>;
  /** Signs in with a new browser. */
  signIn(): Promise<Browser>;
};

const stepMs = 30_000;

/** Adds an account with the key of the configuration and completes its first use in a browser. */
export async function createAccount(
  till: Till,
  name: string,
  role: AccountRole,
  merchantId: string | null = null,
): Promise<AccountHolder> {
  const added = await callWithConfiguration(till, '/accounts', { name, role, merchantId });
  return setUp(till, name, String(added.body.code));
}

/** Completes the first use of an account with its code. */
export async function setUp(till: Till, name: string, firstCode: string): Promise<AccountHolder> {
  const browser = createBrowser(till);
  await browser.post('/first-use', { name, code: firstCode });
  const seed = seedOf((await browser.get('/set-up')).text);
  const code = async () => {
    await till.clock.advance(stepMs);
    return oneTimePassword(seed, stepAt(till.clock.now()));
  };
  const done = await browser.post('/set-up', { password, code: await code() });
  const recoveryCodes = [...done.text.matchAll(/<code>([A-Z2-7-]{19})<\/code>/g)].map(([, one = '']) => one);
  return {
    ...{ name, recoveryCodes, code },
    async signIn() {
      const own = createBrowser(till);
      await own.post('/sign-in', { name, password, code: await code() });
      return own;
    },
  };
}

/** Half of the amount of this payer arrives. */
export const short = '0244123806';

/** Pays by the phone `short`. Returns the collection when people here, and not the service, must decide. */
export async function payShort(till: Till): Promise<CollectionRow> {
  await reportShort(till, await till.prompted(short));
  return till.untilStatus(short, 'review');
}

/** Half of the amount of a payment arrives. */
export async function reportShort(till: Till, row: CollectionRow): Promise<void> {
  const stated = { amount_minor: 1_010, expected_fee_minor: 20, expected_net_minor: 990 };
  await till.deliverHandled(paidEvent(row, 'evt_short', stated));
}

/** A magic number: half of the amount arrives, and a person at the service decides first. */
export const heldByService = '0244123906';

/** Pays by the phone `heldByService`. Returns the collection when the service must decide. */
export async function payHeld(till: Till): Promise<CollectionRow> {
  await till.pay(heldByService);
  return till.untilStatus(heldByService, 'review', 120_000);
}

/** Returns the texts of the cells of the tables on a page, row by row; of the `td` alone with `cell` as `td`. */
export function rowsOf(page: string, cell: 't[dh]' | 'td' = 't[dh]'): string[][] {
  const cells = new RegExp(`<${cell}[^>]*>(.*?)</${cell}>`, 'gs');
  return [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(cells)].map(([, html = '']) => plainText(html)),
  );
}

/** Returns the text of a part of a page, with single spaces. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
