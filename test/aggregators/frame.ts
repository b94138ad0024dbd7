import { HonoRequest } from 'hono/request';
import { getPath } from 'hono/utils/url';
import type { Dialect, Reading, WireReply } from '../../src/aggregators/dialect.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';

/** What stands for the text, and for the time, while a frame is made: nothing in a request looks like it. */
const textMark = 'ThisStandsForTheText';
const timeMark = new Date(0).toISOString();

const time = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z';

/** What the gateway reads of a request to `/ussd/channel/secret`; a body beyond 64 KiB is not read. */
export async function readingOf(dialect: Dialect, request: Request): Promise<Reading> {
  const asked = new HonoRequest(request, getPath(request));
  const path = asked.path
    .split('/')
    .slice(4)
    .join('/')
    .replace(/^\/+|\/+$/g, '');
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > 64 * 1024) return dialect.decode({ body: '', query: {}, path });
  return dialect.decode({ body: new TextDecoder().decode(bytes), query: asked.query(), path });
}

/**
 * An answer as it was found. It can be of both kinds where the form is the same, and `text` is missing where the form
 * has none, as in the answer to a notice.
 */
export type Framed = { kinds: readonly UssdReply['kind'][]; text: string | undefined };

/**
 * The screen in an answer, which must be to the byte what the aggregator's form has around a text and a time;
 * `undefined` when it is anything else.
 */
export function framed(dialect: Dialect, reading: Reading, body: string): Framed | undefined {
  const kinds = (['continue', 'end'] as const).flatMap((kind) => {
    const texts = textsIn(dialect.encode({ kind, text: textMark }, reading, 0), body);
    return texts && new Set(texts).size <= 1 ? [{ kind, text: texts[0] }] : [];
  });
  const [first] = kinds;
  return first && { kinds: kinds.map(({ kind }) => kind), text: first.text };
}

function textsIn(form: WireReply, body: string): string[] | undefined {
  const json = form.contentType.startsWith('application/json');
  const pattern = literally(form.body)
    .replaceAll(literally(timeMark), time)
    .replaceAll(textMark, json ? '((?:[^"\\\\]|\\\\.)*)' : '([^]*)');
  const found = new RegExp(`^${pattern}$`).exec(body);
  return found?.slice(1).map((text) => (json ? (JSON.parse(`"${text}"`) as string) : text));
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
