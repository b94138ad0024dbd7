import { unreachable } from '../../shared/errors.ts';
import { type AmountMinor, amountMinor, maxAmountMinor, parseTypedCedis } from '../../shared/money.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import {
  type AmountBound,
  type AmountScreen,
  type AskScreen,
  getMinCount,
  type MessageName,
} from '../schema.ts';
import type { Value } from '../text/format.ts';
import { answerPattern, hasReferenceCharacters, maxReferenceLength } from './pattern.ts';
import type { Answers } from './state.ts';

type Reading = { ok: true; answers: Answers } | { ok: false; reason: MessageName };

/** True for characters that every handset and aggregator supports: printable ASCII without the backtick. */
export function isPlain(text: string): boolean {
  return /^[\n\x20-\x5f\x61-\x7e]*$/.test(text);
}

/** Reads a trimmed input as the answer to a question. Returns all answers, or the reason why the input is invalid. */
export function readAnswer(screen: AskScreen, input: string, answers: Answers): Reading {
  switch (screen.answer) {
    case 'amount': {
      const amountMinor = parseTypedCedis(input);
      if (amountMinor === undefined) return { ok: false, reason: 'invalidAmount' };
      const { min, max } = resolveBounds(screen, answers);
      if (amountMinor < min) return { ok: false, reason: 'amountTooSmall' };
      if (amountMinor > max) return { ok: false, reason: 'amountTooLarge' };
      return { ok: true, answers: { ...answers, amountMinor } };
    }
    case 'msisdn': {
      const payer = parseMsisdn(input);
      return payer ? { ok: true, answers: { ...answers, payer } } : { ok: false, reason: 'invalidMsisdn' };
    }
    case 'reference': {
      const reference = matching(screen.pattern, input, maxReferenceLength);
      if (reference === undefined) return { ok: false, reason: 'invalidReference' };
      // Converted, two different inputs such as A_1 and A#1 would become one reference.
      return hasReferenceCharacters(reference)
        ? { ok: true, answers: { ...answers, reference } }
        : { ok: false, reason: 'invalidReferenceCharacters' };
    }
    case 'text': {
      const isLine = !input.includes('\n');
      const text = isLine ? matching(screen.pattern, input, screen.maxLength) : undefined;
      return text === undefined
        ? { ok: false, reason: 'invalidText' }
        : withValue(answers, screen.name, text);
    }
    case 'number': {
      if (!/^\d{1,10}$/.test(input)) return { ok: false, reason: 'invalidNumber' };
      const number = Number(input);
      if (number < getMinCount(screen)) return { ok: false, reason: 'numberTooSmall' };
      if (number > screen.max) return { ok: false, reason: 'numberTooLarge' };
      return withValue(answers, screen.name, { number });
    }
    default:
      return unreachable(screen);
  }
}

function withValue(answers: Answers, name: string, value: Value): Reading {
  return { ok: true, answers: { ...answers, values: { ...answers.values, [name]: value } } };
}

/** The input in the spelling that the pattern accepts. Capitals are slow to type, so lower case is accepted for them. */
function matching(pattern: string | undefined, input: string, maxLength: number): string | undefined {
  if (input.length === 0 || input.length > maxLength || !isPlain(input)) return undefined;
  if (pattern === undefined) return input;
  const matcher = answerPattern(pattern);
  return [input, input.toUpperCase()].find((spelling) => matcher.accepts(spelling));
}

/** The smallest and the largest valid amount; `max` is below `min` when no amount is valid. */
type AmountBounds = { readonly min: AmountMinor; readonly max: AmountMinor };

/** Returns the bounds of a question. A part of a value is rounded within the bound; a bound without a value is that of collections. */
export function resolveBounds({ min, max }: AmountScreen, answers: Answers): AmountBounds {
  const lowest = resolveBound(min, answers, Math.ceil) ?? 1;
  const highest = resolveBound(max, answers, Math.floor) ?? maxAmountMinor;
  return { min: amountMinor(Math.max(1, lowest)), max: amountMinor(Math.min(maxAmountMinor, highest)) };
}

function resolveBound(
  bound: AmountBound,
  answers: Answers,
  round: (amount: number) => number,
): number | undefined {
  if (typeof bound === 'number') return bound;
  const value = boundingAmount(bound.from, answers);
  return value === undefined ? undefined : round(value / bound.divisor);
}

function boundingAmount(name: string, { amountMinor: amount, values }: Answers): number | undefined {
  if (name === 'amount') return amount;
  const value = values?.[name];
  return typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : undefined;
}

/** Returns the names in the bounds of a question. */
export function boundNames({ min, max }: AmountScreen): string[] {
  return [min, max].flatMap((bound) => (typeof bound === 'number' ? [] : bound.from));
}
