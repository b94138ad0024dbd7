import { fitScreen, septetsOf, type TextStyle } from '../../shared/screen-text.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import { type Exchange, hopTimeoutMs } from '../../simulator/exchange.ts';
import type { Wrong } from './certified.ts';

/**
 * What the answer to a request must be.
 *
 * - `refused`: 404, as for anybody who does not know the secret.
 * - `noted`: 200 in the right shape; nobody reads it.
 * - `valid`: the same, and where the aggregator can read a screen in it, one that it can show.
 * - `screen`: one that the aggregator can show; `open` waits for an input, `over` ends the session.
 */
export type Expected = 'refused' | 'noted' | 'valid' | 'screen' | 'open' | 'over';

/** How a channel's answers must look. */
export type Shape = {
  /** The aggregator, as people call it. */
  readonly title: string;
  readonly contentType: string;
  readonly style: TextStyle;
  readonly replyWithinMs: number;
  /** The screen that the aggregator reads in a body of the right content type. */
  read(body: string): UssdReply | undefined;
};

const expectedResult = (field: string, expected: string, got: string): Wrong => ({
  field,
  message: `expected ${expected}, got ${got}`,
});

/** Everything that is wrong with an answer, and with how long it took. */
export function judge(expected: Expected, shape: Shape, answer: Exchange, ms: number): Wrong[] {
  if (!answer.ok) {
    const within = answer.reason === 'timeout' ? ` within ${hopTimeoutMs / 1000} s` : '';
    const why = answer.reason === 'timeout' ? 'none' : `none (${answer.detail})`;
    return [expectedResult('answer', `one${within}`, why)];
  }
  return [...judgeAnswer(expected, shape, answer), ...judgeTime(shape, ms)];
}

function judgeAnswer(
  expected: Expected,
  shape: Shape,
  { status, contentType, body }: Extract<Exchange, { ok: true }>,
): Wrong[] {
  const right = expected === 'refused' ? 404 : 200;
  if (status !== right) return [expectedResult('status', String(right), String(status))];
  if (expected === 'refused') return [];
  const type = plainType(contentType) === plainType(shape.contentType);
  return [
    ...(type ? [] : [expectedResult('content-type', shape.contentType, contentType || 'none')]),
    ...(expected === 'noted' ? judgeBody(shape, body) : judgeScreen(expected, shape, body)),
  ];
}

/** A content type without what every aggregator takes for granted. */
function plainType(contentType: string): string {
  return contentType
    .toLowerCase()
    .replace(/[\s"]/g, '')
    .replace(/;charset=utf-8$/, '');
}

function judgeBody({ contentType }: Shape, body: string): Wrong[] {
  if (!plainType(contentType).endsWith('json')) {
    return body === '' ? [expectedResult('body', 'an answer', 'nothing')] : [];
  }
  try {
    JSON.parse(body);
    return [];
  } catch {
    return [expectedResult('body', 'JSON', JSON.stringify(body.slice(0, 60)))];
  }
}

function judgeScreen(expected: Exclude<Expected, 'refused' | 'noted'>, shape: Shape, body: string): Wrong[] {
  const screen = shape.read(body);
  if (!screen) {
    // Who sent no ids of its own cannot tell whose screen it is, so that only the shape can be judged.
    if (expected === 'valid') return judgeBody(shape, body);
    return [expectedResult('screen', `one that ${shape.title} shows`, 'none that it can read')];
  }
  const wrong = judgeText(shape.style, screen.text);
  const begins = JSON.stringify(screen.text.slice(0, 60));
  if (expected === 'open' && screen.kind === 'end')
    wrong.push(expectedResult('screen', 'one that goes on', `the end: ${begins}`));
  if (expected === 'over' && screen.kind === 'continue')
    wrong.push(expectedResult('screen', 'the end', `one that goes on: ${begins}`));
  return wrong;
}

function judgeText({ alphabet, limit, lineBreak, forbidden }: TextStyle, shown: string): Wrong[] {
  const text = shown.replaceAll(lineBreak, '\n');
  if (text.trim() === '') return [expectedResult('text', 'something to read', 'nothing')];
  const wrong: Wrong[] = [];
  const length = septetsOf(text, alphabet);
  if (length > limit) wrong.push(expectedResult('text', `at most ${limit} septets`, String(length)));
  const free = { alphabet, limit: Number.POSITIVE_INFINITY, lineBreak: '\n', forbidden };
  const foreign = [...new Set(text)].filter((character) => fitScreen(character, free) !== character);
  if (foreign.length > 0) {
    const list = foreign.map((character) => JSON.stringify(character)).join(' ');
    wrong.push(expectedResult('text', "only characters of this channel's screens", `also ${list}`));
  }
  return wrong;
}

function judgeTime({ replyWithinMs }: Shape, ms: number): Wrong[] {
  return ms > replyWithinMs ? [expectedResult('time', `at most ${replyWithinMs} ms`, `${ms} ms`)] : [];
}
