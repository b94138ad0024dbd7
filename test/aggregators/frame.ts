import { HonoRequest } from 'hono/request';
import { getPath } from 'hono/utils/url';
import type { Dialect, RequestReading, WireReply } from '../../src/aggregators/aggregator.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';

/** Markers of the text and of the time in an encoded reply. No request contains them. */
const textMark = 'ThisStandsForTheText';
const timeMark = new Date(0).toISOString();

const time = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z';

/** Returns the gateway's reading of a request to `/ussd/channel/secret`. A body above 64 KiB is not read. */
export async function readingOf(dialect: Dialect, request: Request): Promise<RequestReading> {
  const parsed = new HonoRequest(request, getPath(request));
  const path = parsed.path
    .split('/')
    .slice(4)
    .join('/')
    .replace(/^\/+|\/+$/g, '');
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > 64 * 1024) return dialect.decode({ body: '', query: {}, path });
  return dialect.decode({ body: new TextDecoder().decode(bytes), query: parsed.query(), path });
}

/**
 * A parsed answer. It has both kinds if their formats are equal. `text` is missing if the format has none, for example in the
 * answer to an end notice.
 */
export type ParsedAnswer = { kinds: readonly UssdReply['kind'][]; text: string | undefined };

/**
 * Parses an answer, which must be equal to the dialect's own encoding byte for byte, except for the text and the time.
 *
 * @returns `undefined` for any other answer.
 */
export function parseAnswer(
  dialect: Dialect,
  reading: RequestReading,
  body: string,
): ParsedAnswer | undefined {
  const kinds = (['continue', 'end'] as const).flatMap((kind) => {
    const texts = textsIn(dialect.encode({ kind, text: textMark }, reading, 0), body);
    return texts && new Set(texts).size <= 1 ? [{ kind, text: texts[0] }] : [];
  });
  const [first] = kinds;
  return first && { kinds: kinds.map(({ kind }) => kind), text: first.text };
}

function textsIn(encoded: WireReply, body: string): string[] | undefined {
  const json = encoded.contentType.startsWith('application/json');
  const pattern = escapeRegExp(encoded.body)
    .replaceAll(escapeRegExp(timeMark), time)
    .replaceAll(textMark, json ? '((?:[^"\\\\]|\\\\.)*)' : '([^]*)');
  const found = new RegExp(`^${pattern}$`).exec(body);
  return found?.slice(1).map((text) => (json ? (JSON.parse(`"${text}"`) as string) : text));
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
