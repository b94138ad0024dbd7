import {
  type Certification,
  type CertifiedExchange,
  isCertified,
  type Problem,
  type ReportedAnswer,
} from '../../../certify/certification.ts';
import { plural } from '../../../shared/plural.ts';
import { type Paint, printable } from '../../terminal/output.ts';

export function toSummary(certified: readonly Certification[]) {
  return {
    ok: certified.every(isCertified),
    certified: certified.map((one) => ({ ok: isCertified(one), ...one })),
  };
}

/**
 * Formats the result: one line for each aggregator or channel, after its problems.
 *
 * @param isVerbose prints every fixture and exchange, not only those with problems.
 */
export function reportCertified(
  paint: Paint,
  certified: readonly Certification[],
  isVerbose: boolean,
): string {
  const width = (text: (one: Certification) => string) =>
    Math.max(...certified.map((one) => text(one).length));
  const widths = { name: width(({ name }) => name), title: width(({ title }) => title) };
  return certified
    .flatMap((one) => [...toDetails(paint, one, isVerbose), toLine(paint, one, widths)])
    .map((line) => `${line}\n`)
    .join('');
}

function toLine(paint: Paint, one: Certification, widths: { name: number; title: number }): string {
  const { name, title, fixtures, exchanges } = one;
  const verdict = isCertified(one) ? paint('green', 'ok    ') : paint('red', 'failed');
  const counts = `${plural(fixtures.length, 'fixture')}, ${plural(exchanges.length, 'exchange')}`;
  return `${verdict}  ${name.padEnd(widths.name)}  ${title.padEnd(widths.title)}  ${counts}`;
}

function toDetails(
  paint: Paint,
  { fixtures, exchanges, problems }: Certification,
  isVerbose: boolean,
): string[] {
  const printed = <T extends { problems: readonly Problem[] }>(all: readonly T[]) =>
    all.filter((one) => isVerbose || one.problems.length > 0);
  return [
    ...printed(fixtures).flatMap(({ file, about, problems }) => [
      `${mark(paint, problems)} ${paint('bold', file)}  ${printable(about)}`,
      ...problemLines(paint, problems),
    ]),
    ...printed(exchanges).flatMap((one) => getExchange(paint, one)),
    ...problemLines(paint, problems),
  ];
}

function getExchange(paint: Paint, { name, request, answer, problems }: CertifiedExchange): string[] {
  return [
    `${mark(paint, problems)} ${paint('bold', name)}`,
    `  > ${[request.method, request.path, request.contentType].filter(Boolean).map(printable).join(' ')}`,
    ...toBody(paint, request.body),
    ...(answer ? toAnswer(paint, answer) : ['  < no answer']),
    ...problemLines(paint, problems),
  ];
}

function toAnswer(paint: Paint, { status, contentType, body, ms }: ReportedAnswer): string[] {
  const head = [String(status), printable(contentType), `(${ms} ms)`].filter(Boolean).join(' ');
  return [`  < ${head}`, ...toBody(paint, body)];
}

function toBody(paint: Paint, body: string): string[] {
  if (body === '') return [];
  return printable(body)
    .split('\n')
    .map((line) => `    ${paint('dim', line)}`);
}

function mark(paint: Paint, problems: readonly Problem[]): string {
  return problems.length === 0 ? paint('green', '+') : paint('red', '-');
}

function problemLines(paint: Paint, problems: readonly Problem[]): string[] {
  return problems.map(({ field, message }) => `  ${paint('red', `${field}: ${printable(message)}`)}`);
}

/** Returns what to do when a gateway is recovering after a restore: every dial then gets the same last screen. */
export function recoveryAt(url: string, body: string): string | undefined {
  if (!/"recovering":\s*true/.test(body)) return undefined;
  return (
    `the gateway at ${url} is recovering after a restore, and starts no dialogues until then\n` +
    `certify the channel again when it has ended: npx dialtill health --url ${url}`
  );
}

export function noGateway(url: string, detail: string, channel: string, file: string | undefined): string {
  const config = file === undefined ? '' : ` --config ${file}`;
  return (
    `no gateway at ${url} (${detail})\n` +
    `start one with: npx dialtill start${config}\n` +
    `or certify its configuration: npx dialtill certify ${channel}${config} --offline`
  );
}
