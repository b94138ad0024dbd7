import { unreachable } from '../shared/errors.ts';
import { parseCedis } from '../shared/money.ts';
import { parseMsisdn } from '../shared/msisdn.ts';
import type { AskScreen, MessageName } from './schema.ts';
import type { Answers } from './state.ts';

type Reading = { ok: true; answers: Answers } | { ok: false; reason: MessageName };

/**
 * What every handset shows and every aggregator carries in the 7-bit alphabet: printable ASCII without the
 * backtick, which that alphabet lacks.
 */
export function isPlain(text: string): boolean {
  return /^[\n\x20-\x5f\x61-\x7e]*$/.test(text);
}

/** The whole reference must match. Throws SyntaxError on a bad pattern: the loader refuses such menus. */
export function referencePattern(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** Reads a trimmed input as the answer to a question, added to the answers so far. */
export function readAnswer(screen: AskScreen, input: string, answers: Answers): Reading {
  switch (screen.answer) {
    case 'amount': {
      const amountMinor = parseCedis(input);
      if (amountMinor === undefined) return { ok: false, reason: 'badAmount' };
      if (amountMinor < screen.min) return { ok: false, reason: 'amountTooSmall' };
      if (amountMinor > screen.max) return { ok: false, reason: 'amountTooLarge' };
      return { ok: true, answers: { ...answers, amountMinor } };
    }
    case 'msisdn': {
      const payer = parseMsisdn(input);
      return payer ? { ok: true, answers: { ...answers, payer } } : { ok: false, reason: 'badNumber' };
    }
    case 'reference': {
      const reference = readReference(screen.pattern, input);
      return reference === undefined
        ? { ok: false, reason: 'badReference' }
        : { ok: true, answers: { ...answers, reference } };
    }
    case 'text':
      return input.length > 0 && input.length <= screen.maxLength && isPlain(input)
        ? { ok: true, answers: { ...answers, texts: { ...answers.texts, [screen.name]: input } } }
        : { ok: false, reason: 'badText' };
    default:
      return unreachable(screen);
  }
}

/** The interface takes references of up to 64 characters. Capitals are slow to type, so small letters do too. */
function readReference(pattern: string, input: string): string | undefined {
  if (input.length === 0 || input.length > 64 || !isPlain(input)) return undefined;
  const matcher = referencePattern(pattern);
  return [input, input.toUpperCase()].find((spelling) => matcher.test(spelling));
}
