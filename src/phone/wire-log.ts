import type { ServiceExchange } from '../gateway/collection/calls/service-exchange.ts';
import type { EpochMs } from '../shared/clock.ts';
import type { WireExchange } from '../simulator/phone.ts';

/** One exchange of the gateway as the page shows it. It contains no secret. */
export type WireEntry = {
  /** Counts the exchanges of the process, in the order of their answers. */
  number: number;
  /** Seen from the gateway. */
  direction: 'sent' | 'received';
  at: EpochMs;
  ms: number;
  /** The method and the path, such as `POST /ussd/nalo/…`. */
  request: string;
  /** Headers and body, as far as they are shown. */
  sent: string;
  /** The status; `undefined` without an answer. */
  status: number | undefined;
  /** The body of the answer, or why there is none. */
  answer: string;
};

/** The payment whose calls and webhooks are listed. */
export type WiredPayment = { sessionId: string | null; createKey: string };

/** The secret of a channel, in its addresses. */
type WiredChannel = { id: string; secret: string; previousSecret?: string | undefined };

export type WireLog = {
  /** Adds an exchange of a phone with the gateway, and returns it. */
  add(exchange: WireExchange, channel: WiredChannel): WireEntry;
  addService(exchange: ServiceExchange): void;
  /** Returns the calls and webhooks of a payment, as far as they are kept. */
  entriesOf(payment: WiredPayment): readonly WireEntry[];
};

/** The newest exchanges with the service that all phones keep together. */
const maxServiceEntries = 256;
/** Longer bodies are cut. A screen has at most 182 characters. */
const maxBodyLength = 4_000;

/** Stands for a secret. */
const removed = '…';

/** Creates the wire log of all phones of a gateway. */
export function createWireLog(): WireLog {
  let service: readonly WireEntry[] = [];
  let count = 0;
  return {
    add({ at, ms, request, answer }, { id, secret, previousSecret = secret }) {
      const clean = (text: string) =>
        cut(text.replaceAll(secret, removed).replaceAll(previousSecret, removed));
      const isGet = request.method === 'GET';
      count++;
      return {
        ...{ number: count, direction: 'received', at, ms },
        request: clean(`${request.method} /ussd/${id}/${removed}${request.to}`),
        sent: isGet ? '' : clean(`content-type: ${request.contentType}\n${request.body}`),
        status: answer.ok ? answer.status : undefined,
        answer: clean(answer.ok ? answer.body : `${answer.reason}: ${answer.detail}`),
      };
    },
    addService({ direction, at, ms, method, path, headers, body, answer }) {
      count++;
      const entry: WireEntry = {
        ...{ number: count, direction, at, ms, request: `${method} ${path}` },
        sent: [...headers, ...(body === '' ? [] : [cut(body)])].join('\n'),
        status: 'status' in answer ? answer.status : undefined,
        answer: 'status' in answer ? cut(answer.body) : answer.fault,
      };
      service = [entry, ...service].slice(0, maxServiceEntries);
    },
    entriesOf: ({ sessionId, createKey }) =>
      service.filter(({ request, sent, answer }) =>
        [request, sent, answer].some(
          (text) => text.includes(createKey) || (sessionId !== null && text.includes(sessionId)),
        ),
      ),
  };
}

function cut(text: string): string {
  return text.length <= maxBodyLength
    ? text
    : `${text.slice(0, maxBodyLength)}${removed}\n(cut after ${maxBodyLength} of ${text.length} characters)`;
}
