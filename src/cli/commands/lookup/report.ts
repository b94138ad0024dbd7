import { isList, type Value } from '../../../menu/state/value.ts';
import { showValue } from '../../../menu/text/format.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Paint } from '../../terminal/terminal.ts';
import type { Tried } from './try-lookup.ts';

/** More values of a list would hide the rest. */
const maxShownItems = 10;

/** Describes a tried lookup in the order in which it happened. */
export function reportTried(paint: Paint, tried: Tried): string {
  const { request, outcome, ms, answer, values, problem, next } = tried;
  const lines: string[] = [];
  if (request) {
    lines.push(paint('bold', 'Request'), `  POST ${printable(request.url)}`);
    for (const [name, value] of Object.entries(request.headers)) lines.push(`  ${name}: ${value}`);
    lines.push(`  ${printable(request.body)}`, '');
  }
  lines.push(paint('bold', 'Answer'), `  ${outcome} after ${ms} ms`);
  if (answer !== undefined) lines.push(`  ${printable(JSON.stringify(answer))}`);
  if (problem !== undefined) lines.push(`  ${paint('red', printable(problem))}`);
  if (values !== undefined) {
    lines.push('', paint('bold', 'Values'));
    const all = Object.entries(values);
    for (const [name, value] of all) lines.push(...describe(name, value));
    if (all.length === 0) lines.push('  none');
  }
  lines.push('', `${paint('bold', 'The payer sees')}  ${next.screen}`);
  for (const line of next.text.split('\n')) lines.push(`  | ${printable(line)}`);
  return `${lines.join('\n')}\n`;
}

function describe(name: string, value: Value): string[] {
  if (!isList(value)) return [`  {${name}}  ${printable(showValue(value))}`];
  const items = value.slice(0, maxShownItems).map((item) => {
    const fields = Object.entries(item).map(([field, one]) => `${field} ${showValue(one)}`);
    return `    ${printable(fields.join(', '))}`;
  });
  const more = value.length > maxShownItems ? [`    and ${value.length - maxShownItems} more`] : [];
  return [`  {${name}}  ${value.length} items`, ...items, ...more];
}
