import type { CallName } from '../../src/gateway/collection/fact.ts';
import type { Call, Faults } from './till.ts';

/** Returns the name of the service call that a URL addresses. */
export function callName(url: string): CallName {
  const { pathname } = new URL(url);
  if (pathname.endsWith('/initiate')) return 'initiate';
  return pathname.endsWith('/status') ? 'status' : 'create';
}

/** Answers and connection failures that do not prove a result, by their name in a test title. */
export const inconclusiveAnswers: Readonly<Record<string, () => Response>> = {
  'a 500': () =>
    Response.json({ error: { code: 'internal_error', message: 'try again later' } }, { status: 500 }),
  'a 502 page': () => html(502),
  'a 503 page': () => html(503),
  'a 504 page': () => html(504),
  'a 404 page of a proxy': () => html(404),
  'a page with 200': () => html(200),
  'half a body': () => new Response(truncatedBody('{"id":"pay_'), { status: 200 }),
  'cut JSON': () => new Response('{"id":"pay_', { status: 200 }),
  'an empty 200': () => new Response('', { status: 200 }),
  'a 204': () => new Response(null, { status: 204 }),
  'another object': () => Response.json({ hello: 'world' }),
  'a body without end': () => new Response('x'.repeat(100_000), { status: 200 }),
  'a reset': () => {
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
    });
  },
};

function html(status: number): Response {
  const body = '<html><body>sorry</body></html>';
  return new Response(body, { status, headers: { 'content-type': 'text/html' } });
}

/** Returns a body whose connection breaks after the first bytes. */
function truncatedBody(text: string): ReadableStream<Uint8Array> {
  let hasStarted = false;
  return new ReadableStream({
    pull(controller) {
      if (hasStarted) controller.error(new Error('terminated'));
      else controller.enqueue(new TextEncoder().encode(text));
      hasStarted = true;
    },
  });
}

/** Simulates a service that accepts a call and never answers it. */
export function noAnswer(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The result of one call: `lost` before the service received it, `answer lost` after that, or `passed`. */
type CallResult = 'lost' | 'answer lost' | 'passed';

/**
 * Returns a network on which the calls of each name have the listed results, in order. Later calls pass. `fault` is what
 * the gateway receives for a lost call or a lost answer.
 */
export function scriptCalls(
  plan: Partial<Record<Call['name'], readonly CallResult[]>>,
  fault: () => Response = () => html(503),
): NonNullable<Faults['call']> {
  const counts = { create: 0, initiate: 0, status: 0 };
  return async ({ name }, pass) => {
    const result = plan[name]?.[counts[name]++] ?? 'passed';
    if (result === 'passed') return pass();
    if (result === 'answer lost') await pass();
    return fault();
  };
}
