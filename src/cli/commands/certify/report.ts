import {
  type Answered,
  type Certified,
  type Exchanged,
  isCertified,
  type Wrong,
} from '../../../aggregators/certify/certified.ts';
import { type Paint, printable } from '../../terminal/terminal.ts';

/** Returns the result as one JSON object. */
export function summaryOf(certified: readonly Certified[]) {
  return {
    ok: certified.every(isCertified),
    certified: certified.map((one) => ({ ok: isCertified(one), ...one })),
  };
}

/**
 * Formats the result: one line for each aggregator or channel, after its deviations.
 *
 * @param isVerbose prints every fixture and exchange, not only those with deviations.
 */
export function reportCertified(paint: Paint, certified: readonly Certified[], isVerbose: boolean): string {
  const width = (text: (one: Certified) => string) => Math.max(...certified.map((one) => text(one).length));
  const widths = { name: width(({ name }) => name), title: width(({ title }) => title) };
  return certified
    .flatMap((one) => [...detailsOf(paint, one, isVerbose), lineOf(paint, one, widths)])
    .map((line) => `${line}\n`)
    .join('');
}

function lineOf(paint: Paint, one: Certified, widths: { name: number; title: number }): string {
  const { name, title, fixtures, exchanges } = one;
  const verdict = isCertified(one) ? paint('green', 'ok   ') : paint('red', 'wrong');
  const counts = `${counted(fixtures.length, 'fixture')}, ${counted(exchanges.length, 'exchange')}`;
  return `${verdict}  ${name.padEnd(widths.name)}  ${title.padEnd(widths.title)}  ${counts}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function detailsOf(paint: Paint, { fixtures, exchanges, wrong }: Certified, isVerbose: boolean): string[] {
  const printed = <T extends { wrong: readonly Wrong[] }>(all: readonly T[]) =>
    all.filter((one) => isVerbose || one.wrong.length > 0);
  return [
    ...printed(fixtures).flatMap(({ file, about, wrong }) => [
      `${mark(paint, wrong)} ${paint('bold', file)}  ${printable(about)}`,
      ...faults(paint, wrong),
    ]),
    ...printed(exchanges).flatMap((one) => exchangeOf(paint, one)),
    ...faults(paint, wrong),
  ];
}

function exchangeOf(paint: Paint, { name, sent, answered, wrong }: Exchanged): string[] {
  return [
    `${mark(paint, wrong)} ${paint('bold', name)}`,
    `  > ${[sent.method, sent.path, sent.contentType].filter(Boolean).map(printable).join(' ')}`,
    ...bodyOf(paint, sent.body),
    ...(answered ? answerOf(paint, answered) : ['  < no answer']),
    ...faults(paint, wrong),
  ];
}

function answerOf(paint: Paint, { status, contentType, body, ms }: Answered): string[] {
  const head = [String(status), printable(contentType), `(${ms} ms)`].filter(Boolean).join(' ');
  return [`  < ${head}`, ...bodyOf(paint, body)];
}

function bodyOf(paint: Paint, body: string): string[] {
  if (body === '') return [];
  return printable(body)
    .split('\n')
    .map((line) => `    ${paint('dim', line)}`);
}

function mark(paint: Paint, wrong: readonly Wrong[]): string {
  return wrong.length === 0 ? paint('green', '+') : paint('red', '-');
}

function faults(paint: Paint, wrong: readonly Wrong[]): string[] {
  return wrong.map(({ field, message }) => `  ${paint('red', `${field}: ${printable(message)}`)}`);
}
