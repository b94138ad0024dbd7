import type { WireExchange } from '../simulator/phone.ts';

/** One exchange with the gateway as the page shows it. It contains no secret of the channel. */
export type WireEntry = {
  number: number;
  /** The method and the path, such as `POST /ussd/nalo/…`. */
  request: string;
  requestType: string;
  requestBody: string;
  /** The status, or why there is no answer. */
  answer: string;
  answerType: string;
  answerBody: string;
};

export type WireLog = {
  add(
    exchange: WireExchange,
    channel: { id: string; secret: string; previousSecret?: string | undefined },
  ): void;
  /** Returns the latest exchanges, the newest first. */
  entries(): readonly WireEntry[];
};

/** The newest exchanges that a phone keeps: about two dialogues. */
const maxEntries = 24;
/** Longer bodies are cut. A screen has at most 182 characters. */
const maxBodyLength = 4_000;

/** Stands for a secret. */
const removed = '…';

/** Creates the wire log of one phone. */
export function createWireLog(): WireLog {
  let entries: readonly WireEntry[] = [];
  let count = 0;
  return {
    add({ request, answer }, { id, secret, previousSecret = secret }) {
      const clean = (text: string) =>
        cut(text.replaceAll(secret, removed).replaceAll(previousSecret, removed));
      count++;
      const entry: WireEntry = {
        number: count,
        request: clean(`${request.method} /ussd/${id}/${removed}${request.to}`),
        requestType: request.method === 'GET' ? '' : request.contentType,
        requestBody: request.method === 'GET' ? '' : clean(request.body),
        answer: answer.ok ? `HTTP ${answer.status}` : clean(`${answer.reason}: ${answer.detail}`),
        answerType: answer.ok ? clean(answer.contentType) : '',
        answerBody: answer.ok ? clean(answer.body) : '',
      };
      entries = [entry, ...entries].slice(0, maxEntries);
    },
    entries: () => entries,
  };
}

function cut(text: string): string {
  return text.length <= maxBodyLength ? text : `${text.slice(0, maxBodyLength)}${removed}`;
}
