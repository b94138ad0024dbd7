import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { errorBody } from '../../src/contract/error.ts';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import { tolerantOfflineSession } from '../../src/contract/service/reading.ts';
import { createService, type Service, type ServiceConfig } from '../../src/service/create.ts';
import type { SmsSender } from '../../src/service/otp/sms.ts';
import type { Rail, ReportRailResult } from '../../src/service/rail/rail.ts';
import { advanceableClock, type Clock } from '../../src/shared/clock.ts';
import type { WebhookFetch } from '../../src/shared/http/webhook-fetch.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { type TestClock, testClock } from '../kit/clock.ts';
import { createStoreWithTriggers } from '../kit/failing-statements.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createKeptLog } from '../kit/log.ts';
import { placeMigrated } from '../kit/migrated.ts';
import { watchResponses } from '../kit/openapi.ts';

export const adminToken = 'Xk3vQ9pLm2TzR7wB4nYcD8fJ';
export const payer = '233244123456';

/** A clock that stands still fills no bucket: only the tests of the limits have limits. */
export const unlimited = {
  calls: { burst: 1_000_000, perMinute: 1_000_000 },
  prompts: { burst: 1_000_000, perMinute: 1_000_000 },
};

/** One webhook as its receiver got it. */
export type Received = { url: string; headers: Headers; body: string; redirect: string | undefined };

export type Bench = {
  service: Service;
  clock: TestClock;
  file: string;
  /** Webhooks in the order of their arrival. */
  received: Received[];
  /** What the receiver answers from now on. */
  answers: { webhook(request: Received, signal: AbortSignal): Promise<Response> };
  logged: string[];
  /** Stops the service and opens it again on the same file. */
  restart(): Promise<void>;
};

export type BenchOptions = {
  /** An existing database; an empty one by default. */
  file?: string;
  config?: Partial<ServiceConfig>;
  wrapRail?(rail: Rail, clock: Clock): Rail;
  liveRail?(report: ReportRailResult): Rail;
  fetch?: typeof fetch;
  /** Sends live webhooks; without it they reach the receiver too, unguarded. */
  fetchPublic?: WebhookFetch;
  /** Carries live SMS. */
  sms?: SmsSender;
  /** Called when the database has failed permanently. */
  onBroken?(): void;
  /** The service runs on a test clock. */
  sandbox?: true;
  /** Which receivers check signatures by that test clock. */
  isOnTestClock?(url: string): boolean;
};

function newFile(): string {
  const file = join(temporaryFolder(), 'service.db');
  placeMigrated(file, 'service');
  return file;
}

/** A running service on an empty database, a clock that stands still, and a receiver of webhooks. */
export function openBench(options: BenchOptions = {}): Bench {
  const clock = testClock();
  const file = options.file ?? newFile();
  const received: Received[] = [];
  const { log, lines: logged } = createKeptLog('trace');
  const answers: Bench['answers'] = { webhook: async () => Response.json({ received: true }) };
  const receive: typeof fetch = async (input, init) => {
    const request: Received = {
      url: String(input),
      headers: new Headers(init?.headers),
      body: String(init?.body),
      redirect: init?.redirect,
    };
    received.push(request);
    return answers.webhook(request, init?.signal ?? new AbortController().signal);
  };
  const { wrapRail, liveRail, onBroken, isOnTestClock } = options;
  const open = () => {
    const service = createService(
      { databaseFile: file, adminToken, limits: unlimited, ...options.config },
      {
        clock,
        ids: systemIds(clock),
        fetch: options.fetch ?? receive,
        fetchPublic: options.fetchPublic ?? options.fetch ?? receive,
        log,
        createStore: createStoreWithTriggers,
        ...(options.sms ? { sms: options.sms } : {}),
        ...(options.sandbox ? { testClock: advanceableClock(clock) } : {}),
        ...(isOnTestClock ? { isOnTestClock } : {}),
        ...(liveRail ? { liveRail } : {}),
        ...(onBroken ? { onBroken } : {}),
        ...(wrapRail ? { wrapRail: (rail: Rail) => wrapRail(rail, clock) } : {}),
      },
    );
    watchResponses(service.app);
    service.start();
    return service;
  };
  const bench: Bench = {
    service: open(),
    clock,
    file,
    received,
    answers,
    logged,
    async restart() {
      await bench.service.stop();
      bench.service = open();
    },
  };
  onTestFinished(() => bench.service.stop());
  return bench;
}

export type Merchant = { merchantId: string; key: string };

/** An approved merchant with a key for each mode. */
export async function newMerchant(bench: Bench, name = 'Abena Stores'): Promise<Merchant> {
  const { id: merchantId } = await bench.service.createMerchant({ name });
  await bench.service.approveOffline(merchantId);
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  return { merchantId, key };
}

/** Creates a merchant with a test key and a live key. The simulated phone has no routes from then on. */
export async function newLiveMerchant(bench: Bench, name?: string): Promise<Merchant & { liveKey: string }> {
  const merchant = await newMerchant(bench, name);
  const { key: liveKey } = await bench.service.createKey({
    merchantId: merchant.merchantId,
    livemode: true,
    scopes: allScopes,
  });
  return { ...merchant, liveKey };
}

/** A running service with an approved merchant. */
export async function openMerchant(options?: BenchOptions): Promise<Merchant & { bench: Bench }> {
  const bench = openBench(options);
  return { bench, ...(await newMerchant(bench)) };
}

/** A running service with a merchant that has a live key, too. */
export async function openLiveMerchant(options?: BenchOptions) {
  const bench = openBench(options);
  return { bench, ...(await newLiveMerchant(bench)) };
}

export const goods = {
  msisdn: payer,
  amount_minor: 2_000,
  network: 'mtn',
  mode: 'offline',
  reference: 'INV-7',
};

export type Call = {
  key?: string;
  idempotencyKey?: string;
  body?: unknown;
  headers?: Record<string, string>;
};

/** POSTs JSON; a string body goes out as it is. */
export function post(bench: Bench, path: string, { key, idempotencyKey, body, headers }: Call) {
  return bench.service.app.request(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
  });
}

let keys = 0;

/** Creates a session and answers its id. */
export async function create(bench: Bench, key: string, change: Record<string, unknown> = {}) {
  const answer = await post(bench, '/v1/payments/sessions', {
    key,
    idempotencyKey: `create-${++keys}`,
    body: { ...goods, ...change },
  });
  expect(answer.status).toBe(201);
  return tolerantOfflineSession.parse(await answer.json()).id;
}

export function initiate(bench: Bench, key: string, id: string, idempotencyKey?: string) {
  return post(bench, `/v1/payments/sessions/${id}/initiate`, {
    key,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
}

export async function poll(bench: Bench, key: string, id: string) {
  const answer = await bench.service.app.request(`/v1/payments/sessions/${id}/status`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { status: answer.status, body: await json(answer) };
}

/** Creates and initiates a session; answers its id and the id of its prompt. */
export async function pushed(bench: Bench, key: string): Promise<{ id: string; promptId: string }> {
  const id = await create(bench, key);
  expect((await initiate(bench, key, id)).status).toBe(200);
  const prompts = await bench.service.phone.pending(payer);
  const prompt = prompts.find((one) => one.sessionId === id);
  return { id, promptId: prompt?.id ?? '' };
}

/** The fields of an answer's JSON object. */
export async function json(answer: Response): Promise<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(await answer.json());
}

/** The refusal of an answer: its status, code and param. */
export async function refusal(answer: Response) {
  const { error } = errorBody.parse(await answer.json());
  return { status: answer.status, code: error.code, param: error.param };
}
