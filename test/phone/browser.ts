import { resolve } from 'node:path';
import { demoChannels } from '../../src/aggregators/registry.ts';
import { browserPhones } from '../../src/phone/create.ts';
import { gatewayUrl, serviceUrl } from '../../src/testing/programs.ts';
import { createTill, type Till } from '../kit/till.ts';

export const origin = 'http://127.0.0.1:8080';

/** Creates a till whose gateway has the browser phone. Both programs are reached without sockets. */
export async function createPhoneTill(consoleUrl?: string): Promise<Till> {
  let till: Till | undefined;
  const inProcess: typeof fetch = async (input, init) => {
    if (!till) throw new Error('the till is not running');
    const app = String(input).startsWith(serviceUrl) ? till.service.app : till.gateway().app;
    const { signal: _signal, ...rest } = init ?? {};
    return app.request(String(input), rest);
  };
  const transcriptHead = (channelId: string) => ({
    menu: resolve('fixtures/menus/shop.yaml'),
    merchant: 'Demo Shop',
    aggregator: channelId,
    serviceCode: demoChannels.find(({ id }) => id === channelId)?.serviceCode,
  });
  const pages = browserPhones({
    ...{ publicUrl: origin, serviceUrl, gatewayUrl: () => gatewayUrl, fetch: inProcess },
    ...{ transcriptHead, consoleUrl },
  });
  till = await createTill({ overrides: () => pages });
  return till;
}

type Fields = Readonly<Record<string, string>>;

/** A browser with cookies, without JavaScript. */
export function createBrowser(till: Till) {
  let cookie = '';
  /** Every address that the browser requested or was sent to. */
  const addresses: string[] = [];

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    addresses.push(path);
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...(cookie === '' ? {} : { cookie }),
    };
    const answer = await till.gateway().app.request(`${origin}${path}`, { ...init, headers });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) cookie = set.split(';')[0] ?? '';
    return answer;
  }

  async function get(path = '/phone'): Promise<string> {
    return (await request(path)).text();
  }

  async function post(path: string, fields: Fields, headers: Fields = { 'sec-fetch-site': 'same-origin' }) {
    const body = new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await request(path, { method: 'POST', headers: { ...type, ...headers }, body });
    addresses.push(answer.headers.get('location') ?? '');
    return { status: answer.status, page: await answer.text() };
  }

  const browser = {
    ...{ addresses, request, get, post },
    dial: (number = '0244123456', channel = 'africastalking', code = '') =>
      post('/phone', { number, channel, code, operator: '' }),
    /** Answers the screen of the only phone. */
    async answer(input: string, turn?: string) {
      const page = await get();
      return post(`/phone/${phoneIdOf(page)}/answer`, { input, turn: turn ?? turnOf(page) });
    },
    async decide(fields: Fields) {
      const page = await get();
      const [, id = ''] = /data-prompt="([^"]+)"/.exec(page) ?? [];
      return post(`/phone/${phoneIdOf(page)}/prompts/${id}`, fields);
    },
    screen: async () => screenOf(await get()),
  };
  return browser;
}

export type Browser = ReturnType<typeof createBrowser>;

export function phoneIdOf(page: string): string {
  return /id="phone-([\w-]+)"/.exec(page)?.[1] ?? '';
}

function turnOf(page: string): string {
  return /name="turn" value="(\d+)"/.exec(page)?.[1] ?? '';
}

export function screenOf(page: string): string {
  return unescaped(/<pre data-screen[^>]*>([^<]*)</.exec(page)?.[1] ?? '');
}

export function messageOf(page: string): string {
  const [, alert = ''] = /role="alert">(.*?)<\/(?:p|div)>/s.exec(page) ?? [];
  return unescaped(alert.replaceAll(/<[^>]*>/g, ''));
}

export function paymentOf(page: string): string | undefined {
  return /data-state="(\w+)"/.exec(page)?.[1];
}

function unescaped(text: string): string {
  return text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
