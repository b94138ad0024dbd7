import { parseCedis } from '../shared/money.ts';
import { localForm, type Msisdn, parseMsisdn } from '../shared/msisdn.ts';

/** Puts stand-ins in the place of what belongs to payers, the same one for the same each time. */
export type Mask = {
  number(msisdn: Msisdn): string;
  /**
   * What was typed: keys and amounts that were taken stay, numbers become others, other digits zeros, and anything
   * else `MASKED`.
   */
  input(typed: string): string;
  /** A text that may repeat numbers and what was typed. */
  text(said: string): string;
};

export const noMask: Mask = { number: localForm, input: (typed) => typed, text: (said) => said };

const anyNumber = /(?<!\d)(?:(?:\+|00)?233|0)[25]\d{8}(?!\d)/g;
const word = 'MASKED';

/** What is known of a dialogue, so that the menu's own words can be told from the payers'. */
export type Private = {
  /** The numbers of payers. Others, such as an example on a screen, are the menu's. */
  numbers: ReadonlySet<string>;
  /** What the menu took for references, names and other texts. */
  texts: ReadonlySet<string>;
  /** What it took for amounts, in pesewas: digits that are none of them may be anything, also a PIN. */
  amounts: ReadonlySet<number>;
};

/** A mask for one transcript. Inputs must be masked before the texts that repeat them. */
export function openMask(known: Private): Mask {
  const numbers = new Map<Msisdn, string>();
  const words = new Set<string>();
  const ownTexts = new Set([...known.texts].map((one) => one.toLowerCase()));

  function mayStay(text: string): boolean {
    if (ownTexts.has(text.toLowerCase())) return false;
    const amount = parseCedis(text);
    return text === '' || /^[\d#*]{1,2}$/.test(text) || (amount !== undefined && known.amounts.has(amount));
  }

  /** A number of the same network's block, so that the screens that name the network stay. */
  function number(msisdn: Msisdn): string {
    const before = numbers.get(msisdn);
    if (before !== undefined) return before;
    const stand = `${localForm(msisdn).slice(0, 3)}${4_000_000 + numbers.size}`;
    numbers.set(msisdn, stand);
    return stand;
  }

  function numbersOf(text: string): string {
    return text.replace(anyNumber, (found) => {
      const msisdn = parseMsisdn(found);
      return msisdn && known.numbers.has(msisdn) ? number(msisdn) : found;
    });
  }

  return {
    number,
    input(typed) {
      const text = typed.trim();
      const msisdn = parseMsisdn(text);
      if (msisdn) return number(msisdn);
      if (mayStay(text)) return typed;
      words.add(text);
      return standIn(text);
    },
    text(said) {
      const longestFirst = [...words].sort((a, b) => b.length - a.length);
      const hidden = longestFirst.reduce((text, one) => text.replace(wholeWord(one), standIn(one)), said);
      return numbersOf(hidden);
    },
  };
}

/** Digits stay digits, as many as they were: what was a mistake stays one, and a code can still be dialled. */
function standIn(text: string): string {
  return /^[\d.,]+$/.test(text) ? text.replace(/\d/g, '0') : word;
}

function wholeWord(text: string): RegExp {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, 'gi');
}
