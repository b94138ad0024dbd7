import type { Call, Faults } from './till.ts';

/** Answers that prove nothing, and breaks of the wire, by the name a test gives them. */
export const inconclusiveAnswers: Readonly<Record<string, () => Response>> = {
  'a 500': () =>
    Response.json({ error: { code: 'internal_error', message: 'try again later' } }, { status: 500 }),
  'a 502 page': () => html(502),
  'a 503 page': () => html(503),
  'a 504 page': () => html(504),
  'a 404 page of a proxy': () => html(404),
  'a page with 200': () => html(200),
  'half a body': () => new Response(brokenOff('{"id":"pay_'), { status: 200 }),
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

/** A body whose connection breaks after its first bytes. */
function brokenOff(text: string): ReadableStream<Uint8Array> {
  let begun = false;
  return new ReadableStream({
    pull(controller) {
      if (begun) controller.error(new Error('terminated'));
      else controller.enqueue(new TextEncoder().encode(text));
      begun = true;
    },
  });
}

/** A call that is taken and never answered. */
export function noAnswer(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** What becomes of one call: `lost` before the service saw it, `answer lost` after, or passed. */
export type CallResult = 'lost' | 'answer lost' | 'passed';

/** Meets the calls of each name with the fates listed, in turn; those beyond the list pass. */
export function scriptCalls(
  plan: Partial<Record<Call['name'], readonly CallResult[]>>,
  fault: () => Response = () => html(503),
): NonNullable<Faults['call']> {
  const met = { create: 0, initiate: 0, status: 0 };
  return async ({ name }, pass) => {
    const fate = plan[name]?.[met[name]++] ?? 'passed';
    if (fate === 'passed') return pass();
    if (fate === 'answer lost') await pass();
    return fault();
  };
}
