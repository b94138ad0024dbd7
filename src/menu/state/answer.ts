import { unreachable } from '../../shared/errors.ts';
import { parseTypedCedis } from '../../shared/money.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { type AskScreen, getMinCount, type MessageName } from '../schema.ts';
import { resolveBounds } from './amount-bounds.ts';
import { answerPattern } from './pattern.ts';
import { hasReferenceCharacters, maxReferenceLength } from './reference.ts';
import type { Answers } from './state.ts';
import type { Value } from './value.ts';

type Reading = { ok: true; answers: Answers } | { ok: false; reason: MessageName };

/**
 * True for characters that every handset and every aggregator supports: printable ASCII without the backtick, which the
 * 7-bit alphabet lacks.
 */
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
