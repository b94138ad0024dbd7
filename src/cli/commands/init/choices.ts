import { fileURLToPath } from 'node:url';
import { aggregatorNames } from '../../../aggregators/registry.ts';
import { UsageError } from '../../../shared/errors.ts';
import type { Output, Paint } from '../../terminal/output.ts';
import { createLineReader, type Input, type LineReader } from '../../terminal/terminal.ts';

/** A menu that a new project can begin with. */
type Template = { name: string; description: string; file: string };

const menu = (name: string) =>
  fileURLToPath(new URL(`../../../../fixtures/menus/${name}.yaml`, import.meta.url));

/** The templates of `dialtill init`. None of them needs a system of the merchant. The first one is the default. */
export const templates: readonly Template[] = [
  {
    name: 'shop',
    description: 'pay any amount, for oneself or another number, or a bill',
    file: menu('shop'),
  },
  { name: 'school', description: 'fees by the number of the student', file: menu('school-simple') },
  {
    name: 'church',
    description: 'tithe, offering and funds, in three languages',
    file: menu('church-giving'),
  },
  { name: 'meter', description: 'top up a prepaid meter by its number', file: menu('meter-simple') },
  { name: 'tickets', description: 'tickets at fixed prices, for a named visitor', file: menu('tickets') },
];

export type Choices = {
  /** The merchant's name, as payers see it. */
  name: string;
  template: string;
  aggregator: string;
  serviceCode: string;
  /** `yes` when the merchant has a system of its own, which is notified of payments. */
  system: string;
};

type Question = {
  option: string;
  text: string;
  fallback: string;
  /** Names of the possible answers, if there are few. */
  of?: readonly string[];
  pattern: RegExp;
  expected: string;
};

const templateNames = templates.map(({ name }) => name);
const oneOf = (names: readonly string[]) => ({
  of: names,
  pattern: new RegExp(`^(?:${names.join('|')})$`),
  expected: `expected one of ${names.join(', ')}`,
});

const questions: Readonly<Record<keyof Choices, Question>> = {
  name: {
    option: '--name',
    text: 'Name of the merchant, as payers see it',
    fallback: 'My Shop',
    // A name is part of every screen, and an identifier is derived from it.
    pattern: /^[A-Za-z][A-Za-z0-9 .,()&'-]{0,19}$/,
    expected: 'expected a letter, and at most 20 plain letters, digits and spaces in all',
  },
  template: {
    option: '--template',
    text: 'Menu to begin with',
    fallback: templateNames[0] ?? '',
    ...oneOf(templateNames),
  },
  aggregator: {
    option: '--aggregator',
    text: 'USSD aggregator',
    fallback: aggregatorNames[0] ?? '',
    ...oneOf(aggregatorNames),
  },
  serviceCode: {
    option: '--code',
    text: 'Service code that payers dial',
    fallback: '*713*5#',
    pattern: /^\*\d{2,6}(\*\d{1,6}){0,4}#$/,
    expected: 'expected a service code such as *713*5#',
  },
  system: {
    option: '--system',
    text: 'Does the merchant have a system of its own, to notify of payments',
    fallback: 'no',
    ...oneOf(['yes', 'no']),
  },
};
const order = ['name', 'template', 'aggregator', 'serviceCode', 'system'] as const;

/**
 * Completes the choices that options have made: by questions, or with the defaults.
 *
 * @param io the terminal; `undefined` asks nothing.
 * @returns `undefined` when the person left with ctrl-c or ctrl-d.
 * @throws UsageError for an invalid option.
 */
export async function completeChoices(
  given: Partial<Choices>,
  io: { stdin: Input; stdout: Output; paint: Paint } | undefined,
): Promise<Choices | undefined> {
  const chosen = Object.fromEntries(
    order.map((key) => [key, given[key] ?? questions[key].fallback]),
  ) as Choices;
  for (const key of order) {
    const { option, pattern, expected } = questions[key];
    if (!pattern.test(chosen[key])) throw new UsageError(`${option}: ${expected}, found ${chosen[key]}`);
  }
  if (!io) return chosen;
  const reader = createLineReader(io.stdin, io.stdout);
  try {
    for (const key of order) {
      if (given[key] !== undefined) continue;
      const answer = await ask(reader, questions[key], io);
      if (answer === undefined) return undefined;
      chosen[key] = answer;
    }
    return chosen;
  } finally {
    reader.close();
  }
}

/** Asks until the answer is valid. An empty answer is the default. */
async function ask(
  reader: LineReader,
  { text, of, fallback, pattern, expected }: Question,
  { stdout, paint }: { stdout: Output; paint: Paint },
): Promise<string | undefined> {
  if (of) stdout.write(`${paint('dim', of.join(', '))}\n`);
  for (;;) {
    const typed = await reader.ask(`${text} [${fallback}]: `);
    if (typed === undefined) return undefined;
    const answer = typed.trim() || fallback;
    if (pattern.test(answer)) return answer;
    stdout.write(`${paint('red', expected)}\n`);
  }
}
