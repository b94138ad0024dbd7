import type { Aggregator } from '../aggregators/aggregator.ts';
import { type Alphabet, countSeptets } from '../shared/screen-text.ts';

/** The room that a screen leaves, in characters of each alphabet. A negative number counts characters that do not fit. */
export type ScreenRoom = {
  /** The alphabet in which the screen is sent. */
  sentIn: Alphabet;
  gsm: { limit: number; left: number };
  ucs2: { limit: number; left: number };
};

/** The settings of a channel that change its screens. */
export type ScreenSettings = {
  alphabet?: Alphabet | undefined;
  textLimit?: number | undefined;
  lineBreak?: string | undefined;
};

/** Returns the number of UCS-2 characters in the octets of `septets`: 70 of 160, 80 of 182 (3GPP TS 23.038). */
function getUcs2Limit(septets: number): number {
  return Math.ceil((7 * (septets + 1)) / 16) - 1;
}

/** Returns the room that a text leaves on a screen of a channel. */
export function getScreenRoom(
  text: string,
  { style }: Pick<Aggregator, 'style'>,
  settings: ScreenSettings,
): ScreenRoom {
  const { alphabet = style.alphabet, textLimit: limit = style.limit, lineBreak = style.lineBreak } = settings;
  const septets = countSeptets(text, 'gsm', lineBreak);
  const ucs2Limit = getUcs2Limit(limit);
  return {
    sentIn: alphabet === 'unicode' && countSeptets(text, 'unicode', lineBreak) > septets ? 'unicode' : 'gsm',
    gsm: { limit, left: limit - septets },
    ucs2: { limit: ucs2Limit, left: ucs2Limit - text.replaceAll('\n', lineBreak).length },
  };
}
