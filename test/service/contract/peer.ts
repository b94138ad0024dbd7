import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, type TestContext } from 'vitest';
import { z } from 'zod';
import { scopes as allScopes } from '../../../src/contract/service/admin.ts';
import { createService } from '../../../src/service/create.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { listen } from '../../../src/shared/http/server.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { createSilentLog } from '../../kit/log.ts';
import { checkResponse, type Document } from '../../kit/openapi.ts';

/*
 * The service that the contract tests use, over HTTP only. The environment configures it. Without CONTRACT_URL, the
 * tests start this project's own service on a free port with an empty database.
 *
 * | variable                    | what it is                                                                  |
 * |-----------------------------|-----------------------------------------------------------------------------|
 * | CONTRACT_URL                | base address, without /v1                                                   |
 * | CONTRACT_KEY                | a test key with every scope, of a merchant approved for offline collections |
 * | CONTRACT_LIVE_KEY           | a live key; it is used only for calls that are rejected                     |
 * | CONTRACT_KEY_WITHOUT_SCOPE  | a key without the scope collections:offline                                 |
 * | CONTRACT_KEY_UNAPPROVED     | a key with that scope, of a merchant that is not approved                   |
 * | CONTRACT_MSISDN             | a number that may receive prompts and SMS, and never answers                |
 * | CONTRACT_MSISDN_PAID        | a number whose prompts are approved automatically                           |
 * | CONTRACT_MSISDN_DECLINED    | a number whose prompts are declined automatically                           |
 * | CONTRACT_MSISDN_SHORT       | a number that pays another amount than the prompt                           |
 * | CONTRACT_WEBHOOK_LISTEN     | host:port to listen on: the platform's webhook URL must lead there          |
 * | CONTRACT_SIGNING_SECRET     | the platform's signing secret                                               |
 * | CONTRACT_SIGNATURE_HEADER   | the header's real name; service-signature where it is not set               |
 */
export type Parameters = {
  url: string;
  key: string;
  liveKey?: string | undefined;
  keyWithoutScope?: string | undefined;
  unapprovedKey?: string | undefined;
  /** Returns a number for a test; a new one each time if there are several. */
  number(): string;
  paying?: string | undefined;
  declining?: string | undefined;
  payingShort?: string | undefined;
  /** Where webhooks arrive; `setUrl` sends them to a free port. */
  webhooks?: { host: string; port: number; secret: string; setUrl?(url: string): Promise<void> } | undefined;
  signatureHeader: string;
  /** Reads the code in the newest SMS to a number, if the phone is accessible. */
  codeSentTo?(msisdn: string): Promise<string>;
  close(): Promise<void>;
};

type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

type Call = {
  /** Default: the key of the parameters. `null` sends no key. */
  key?: string | null;
  idempotencyKey?: string;
  /** A string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
};

const record = z.record(z.string(), z.unknown());

/** Creates the peer for one test file, and closes it after the last test. */
export async function openPeer() {
  const parameters = process.env.CONTRACT_URL === undefined ? await ownService() : given(process.env);
  afterAll(() => parameters.close());
  const document = await documentOf(parameters.url);

  async function call(method: 'GET' | 'POST', path: string, asked: Call = {}): Promise<Answer> {
    const { key = parameters.key, idempotencyKey, body, headers } = asked;
    const response = await fetch(parameters.url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    if (document) await checkResponse(document, { method, url: path }, response);
    return { status: response.status, headers: response.headers, body: record.parse(await response.json()) };
  }

  const peer = {
    ...parameters,
    call,
    /** Returns a text that no earlier run has used. */
    unique: (what: string) => `${what}-${randomUUID().slice(0, 13)}`,
    order: (change: object = {}) => ({
      msisdn: peer.number(),
      amount_minor: 2_000,
      network: 'mtn',
      ...change,
    }),
    /** Creates a web session. */
    createWeb: (change: object = {}, call: Call = {}) =>
      peer.call('POST', '/v1/payments/sessions', {
        idempotencyKey: peer.unique('web'),
        ...call,
        body: peer.order(change),
      }),
    /** Creates an offline session. */
    createOffline: (change: object = {}, call: Call = {}) =>
      peer.call('POST', '/v1/payments/sessions', {
        idempotencyKey: peer.unique('offline'),
        ...call,
        body: peer.order({ mode: 'offline', reference: peer.unique('INV'), ...change }),
      }),
    initiate: (id: unknown, call: Call = {}) =>
      peer.call('POST', `/v1/payments/sessions/${id}/initiate`, { ...call, body: {} }),
    poll: (id: unknown, call: Call = {}) => peer.call('GET', `/v1/payments/sessions/${id}/status`, call),
    /** Polls until the status is final, for at most 60 s. */
    async pollUntilFinal(id: unknown): Promise<Answer> {
      for (let tries = 0; tries < 300; tries++) {
        const answer = await peer.poll(id);
        if (answer.body.terminal !== false) return answer;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      throw new Error(`session ${id} did not reach a final status`);
    },
  };
  return peer;
}

/** Returns the parameter; skips the test if it is not configured. */
export function needed<T>({ skip }: TestContext, value: T | undefined, name: string): T {
  return value ?? skip(`needs ${name}`);
}

function given(env: NodeJS.ProcessEnv): Parameters {
  const { CONTRACT_URL = '', CONTRACT_KEY, CONTRACT_MSISDN } = env;
  const { CONTRACT_WEBHOOK_LISTEN, CONTRACT_SIGNING_SECRET } = env;
  if (!CONTRACT_KEY || !CONTRACT_MSISDN) {
    throw new Error('CONTRACT_URL needs CONTRACT_KEY and CONTRACT_MSISDN beside it');
  }
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(CONTRACT_WEBHOOK_LISTEN ?? '') ?? [];
  return {
    url: CONTRACT_URL.replace(/\/$/, ''),
    key: CONTRACT_KEY,
    liveKey: env.CONTRACT_LIVE_KEY,
    keyWithoutScope: env.CONTRACT_KEY_WITHOUT_SCOPE,
    unapprovedKey: env.CONTRACT_KEY_UNAPPROVED,
    number: () => CONTRACT_MSISDN,
    paying: env.CONTRACT_MSISDN_PAID,
    declining: env.CONTRACT_MSISDN_DECLINED,
    payingShort: env.CONTRACT_MSISDN_SHORT,
    webhooks:
      host && CONTRACT_SIGNING_SECRET
        ? { host, port: Number(port), secret: CONTRACT_SIGNING_SECRET }
        : undefined,
    signatureHeader: env.CONTRACT_SIGNATURE_HEADER ?? 'service-signature',
    close: async () => {},
  };
}

const unlimited = { burst: 1_000_000, perMinute: 1_000_000 };

/** Starts this project's own service; its magic payers answer after 20 ms. */
async function ownService(): Promise<Parameters> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-'));
  const clock = systemClock();
  const service = createService(
    {
      databaseFile: join(folder, 'service.db'),
      adminToken: 'admin-token-of-the-contract',
      limits: { calls: unlimited, prompts: unlimited },
      rail: { magicDelayMs: 20 },
      webhook: { retryDelaysMs: [100, 100] },
    },
    { clock, ids: systemIds(clock), log: createSilentLog() },
  );
  const { id: merchantId } = await service.createMerchant({ name: 'Abena Stores' });
  await service.approveOffline(merchantId);
  const { key } = await service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const { key: liveKey } = await service.createKey({ merchantId, livemode: true, scopes: allScopes });
  const { key: keyWithoutScope } = await service.createKey({
    merchantId,
    livemode: false,
    scopes: ['collections:web'],
  });
  const stranger = await service.createMerchant({ name: 'Not Approved' });
  const { key: unapprovedKey } = await service.createKey({
    merchantId: stranger.id,
    livemode: false,
    scopes: allScopes,
  });
  service.start();
  const listening = await listen(service.served, { host: '127.0.0.1', port: 0 }, 'the port of this test');
  const secret = 'secret-of-the-contract';
  return {
    url: listening.url,
    key,
    liveKey,
    keyWithoutScope,
    unapprovedKey,
    number: () => `23320${String(randomInt(10_000)).padStart(4, '0')}100`,
    paying: '233240000901',
    declining: '233240000902',
    payingShort: '233240000906',
    webhooks: {
      host: '127.0.0.1',
      port: 0,
      secret,
      async setUrl(url) {
        await service.setWebhook({ merchantId, livemode: false, url, secret });
      },
    },
    signatureHeader: 'service-signature',
    async codeSentTo(msisdn) {
      const messages = service.carrier.messages(msisdn);
      const code = /\b\d{4,8}\b/.exec(messages[0]?.text ?? '')?.[0];
      if (code === undefined) throw new Error('no code in the SMS');
      return code;
    },
    async close() {
      await listening.close(0);
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Reads the service's OpenAPI document, if it has one. */
async function documentOf(url: string): Promise<Document | undefined> {
  const answer = await fetch(`${url}/openapi.json`);
  return answer.ok ? ((await answer.json()) as Document) : undefined;
}
