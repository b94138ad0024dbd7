import { answerTimeoutMs, type Exchange } from '../shared/http/exchange.ts';
import { countSeptets, fitScreen, type TextStyle } from '../shared/screen-text.ts';
import type { UssdReply } from '../shared/ussd.ts';

/** A deviation in one field. The message has the form `expected …, got …`. */
export type Problem = { readonly field: string; readonly message: string };

/** A wire fixture and the fields in which the dialect deviates from it. */
export type ReplayedFixture = {
  readonly file: string;
  readonly about: string;
  readonly problems: readonly Problem[];
};

/** A request as it was sent. `***` replaces the channel's secret, and a large body is shortened. */
type ReportedRequest = {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
};

/** The answer to a request, shortened and without the secret like the request. */
export type ReportedAnswer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly ms: number;
};

/** One exchange with a gateway. `answer` is missing when no answer arrived. */
export type CertifiedExchange = {
  readonly name: string;
  readonly request: ReportedRequest;
  readonly answer?: ReportedAnswer;
  readonly problems: readonly Problem[];
};

/** The result for one aggregator, or for one channel. */
export type Certification = {
  /** The id of the channel. With `--all`, the name of the aggregator. */
  readonly name: string;
  readonly aggregator: string;
  readonly title: string;
  readonly fixtures: readonly ReplayedFixture[];
  readonly exchanges: readonly CertifiedExchange[];
  /** Problems of neither a fixture nor an exchange, such as a missing fixture. */
  readonly problems: readonly Problem[];
};

export function isCertified({ fixtures, exchanges, problems }: Certification): boolean {
  return [...fixtures, ...exchanges].every((one) => one.problems.length === 0) && problems.length === 0;
}

/**
 * The expected answer to a request.
 *
 * - `not_found`: 404, because the secret is wrong.
 * - `acknowledged`: 200 and a body in the right format. The aggregator does not show it.
 * - `valid`: as `acknowledged`; if the body contains a screen, the aggregator can show it.
 * - `screen`: a screen that the aggregator can show.
 * - `continue`, `end`: a screen that waits for an input, or that ends the session.
 */
export type ExpectedAnswer = 'not_found' | 'acknowledged' | 'valid' | 'screen' | 'continue' | 'end';

/** The format that a channel's answers must have. */
export type AnswerFormat = {
  readonly title: string;
  readonly contentType: string;
  readonly style: TextStyle;
  readonly replyWithinMs: number;
  /** Returns the screen that the aggregator reads in a body of this content type. */
  read(body: string): UssdReply | undefined;
};

const problem = (field: string, expected: string, got: string): Problem => ({
  field,
  message: `expected ${expected}, got ${got}`,
});

/** Returns every problem of an answer, and of the time that it took. */
export function checkAnswer(
  expected: ExpectedAnswer,
  format: AnswerFormat,
  answer: Exchange,
  ms: number,
): Problem[] {
  if (!answer.ok) {
    return [
      answer.reason === 'timeout'
        ? problem('answer', `an answer within ${answerTimeoutMs / 1000} s`, 'none')
        : problem('answer', 'an answer', `none (${answer.detail})`),
    ];
  }
  return [...checkContent(expected, format, answer), ...checkTime(format, ms)];
}

function checkContent(
  expected: ExpectedAnswer,
  format: AnswerFormat,
  { status, contentType, body }: Extract<Exchange, { ok: true }>,
): Problem[] {
  const expectedStatus = expected === 'not_found' ? 404 : 200;
  if (status !== expectedStatus) return [problem('status', String(expectedStatus), String(status))];
  if (expected === 'not_found') return [];
  const isSameType = normalizedType(contentType) === normalizedType(format.contentType);
  return [
    ...(isSameType ? [] : [problem('content-type', format.contentType, contentType || 'none')]),
    ...(expected === 'acknowledged' ? checkBody(format, body) : checkScreen(expected, format, body)),
  ];
}

/** Removes the differences that no aggregator minds: case, blanks, quotes, and an explicit UTF-8 charset. */
function normalizedType(contentType: string): string {
  return contentType
    .toLowerCase()
    .replace(/[\s"]/g, '')
    .replace(/;charset=utf-8$/, '');
}

function checkBody({ contentType }: AnswerFormat, body: string): Problem[] {
  if (!normalizedType(contentType).endsWith('json')) {
    return body === '' ? [problem('body', 'a text', 'an empty body')] : [];
  }
  try {
    JSON.parse(body);
    return [];
  } catch {
    return [problem('body', 'JSON', JSON.stringify(body.slice(0, 60)))];
  }
}

function checkScreen(
  expected: Exclude<ExpectedAnswer, 'not_found' | 'acknowledged'>,
  format: AnswerFormat,
  body: string,
): Problem[] {
  const screen = format.read(body);
  if (!screen) {
    // A request without ids gets none back, so the aggregator cannot match the screen. Only the format is checked.
    if (expected === 'valid') return checkBody(format, body);
    return [problem('screen', `a screen that ${format.title} can show`, 'none')];
  }
  const problems = checkText(format.style, screen.text);
  const start = JSON.stringify(screen.text.slice(0, 60));
  if (expected === 'continue' && screen.kind === 'end')
    problems.push(problem('screen', 'a screen that continues', `an end screen: ${start}`));
  if (expected === 'end' && screen.kind === 'continue')
    problems.push(problem('screen', 'an end screen', `a screen that continues: ${start}`));
  return problems;
}

function checkText({ alphabet, limit, lineBreak, forbidden }: TextStyle, shown: string): Problem[] {
  const text = shown.replaceAll(lineBreak, '\n');
  if (text.trim() === '') return [problem('text', 'a text', 'an empty one')];
  const problems: Problem[] = [];
  const length = countSeptets(text, alphabet, lineBreak);
  if (length > limit) problems.push(problem('text', `at most ${limit} septets`, String(length)));
  const unlimited = { alphabet, limit: Number.POSITIVE_INFINITY, lineBreak: '\n', forbidden };
  const invalid = [...new Set(text)].filter((character) => fitScreen(character, unlimited) !== character);
  if (invalid.length > 0) {
    const list = invalid.map((character) => JSON.stringify(character)).join(' ');
    problems.push(problem('text', "only characters of this channel's screens", `also ${list}`));
  }
  return problems;
}

function checkTime({ replyWithinMs }: AnswerFormat, ms: number): Problem[] {
  return ms > replyWithinMs ? [problem('time', `at most ${replyWithinMs} ms`, `${ms} ms`)] : [];
}
