import { type Document, isNode, isScalar, visit } from 'yaml';
import type { MenuState } from '../../../menu/state/state.ts';
import { isList, type Scalar as MenuValue } from '../../../menu/text/format.ts';
import { parseTypedCedis } from '../../../shared/money.ts';
import { type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { readShortReference, showShortReference } from '../../../shared/short-reference.ts';
import type { TurnRow } from '../../dialogue/turn-store.ts';
import { type DialogueHistory, paymentsShownIn, readMenuState } from './history-query.ts';
import { proxiedScreens } from './lookups.ts';
import { createPseudonyms, type Pseudonyms } from './pseudonyms.ts';
import { asDisplayed } from './steps.ts';

/** The keys of a transcript whose values can contain personal data. */
const maskedKeys = ['msisdn', 'attendants', 'lookups', 'steps'];
/** Steps without personal data. A pseudonym for an input such as 1234 must not change the PIN of the simulated phone. */
const impersonalSteps = ['approve', 'fail', 'charge', 'expect', 'until', 'operator'];

/**
 * Replaces personal data in a transcript with pseudonyms: the phone numbers of payers, every input that is not a menu
 * choice or an amount, and the texts and long numbers of lookup answers, and the screens of the merchant's system. Amounts, short numbers and times stay.
 *
 * Equal values have equal pseudonyms, of the same length and form, in all inputs, screens and lookups. So the masked
 * transcript can be rehearsed, unless a menu accepts only inputs of which its screens show no example.
 */
export function maskTranscript(document: Document, history: DialogueHistory): void {
  const { replace } = getPseudonyms(history);
  for (const key of maskedKeys) {
    const node = document.get(key, true);
    if (!isNode(node)) continue;
    visit(node, {
      Pair(_, pair) {
        const isSkipped =
          key === 'steps' && isScalar(pair.key) && impersonalSteps.includes(String(pair.key.value));
        return isSkipped ? visit.SKIP : undefined;
      },
      Scalar(position, scalar) {
        if (position === 'key') return;
        if (typeof scalar.value === 'string') scalar.value = replace(scalar.value);
        if (typeof scalar.value === 'number') scalar.value = Number(replace(String(scalar.value)));
      },
    });
  }
}

/** Collects the personal data of the dialogues. */
function getPseudonyms(history: DialogueHistory): Pseudonyms {
  const pseudonyms = createPseudonyms();
  const states = history.turns.map(readMenuState);
  const payments = states.flatMap(paymentsShownIn);
  const opened = history.collection ? [history.collection] : [];
  const phones = [...history.turns, ...states.map(({ answers }) => answers), ...payments, ...opened];
  for (const phone of phones) {
    for (const msisdn of ['dialler' in phone ? phone.dialler : undefined, phone.payer])
      if (msisdn) pseudonyms.addNumber(msisdn as Msisdn);
  }
  // The short references of these collections are those of a rehearsal.
  const rehearsed = new Set(history.opened.map(({ row }) => row.shortReference));
  for (const { shortReference } of payments) {
    if (rehearsed.has(shortReference)) continue;
    for (const text of [shortReference, showShortReference(shortReference)]) pseudonyms.addText(text);
  }
  // Screens can repeat inputs of dialogues that are not part of the transcript.
  if (history.missing.size > 0) for (const text of states.flatMap(inheritedTexts)) pseudonyms.addText(text);
  const accepted = acceptedAmounts(history);
  const inputs = listInputs(history.turns).filter(
    ({ text }) => !isMenuInput(text, accepted) && !rehearsed.has(readShortReference(text) ?? ''),
  );
  const isPrivate = (word: string) => inputs.some(({ text }) => text.toLowerCase() === word.toLowerCase());
  for (const { text, screen } of inputs) {
    pseudonyms.addText(
      text,
      examplesLike(text, screen).find((word) => !isPrivate(word)),
    );
  }
  for (const value of lookedUpValues(history)) {
    if (typeof value === 'string') {
      if (value.length >= minTextLength) pseudonyms.addText(value);
    } else if ('number' in value && String(value.number).length >= minIdentifierDigits)
      pseudonyms.addNumeral(value.number);
  }
  for (const text of proxiedTexts(history)) pseudonyms.addText(text);
  return pseudonyms;
}

/** Shorter texts of lookup answers do not identify a person, and are part of too many words. */
const minTextLength = 3;
/** Shorter numbers are choices, years and counts. */
const minIdentifierDigits = 5;

/** Returns what the menu accepted as an amount, in pesewas, or as a short number, in hundredths. */
function acceptedAmounts({ turns, opened }: DialogueHistory): ReadonlySet<number> {
  const answers = turns.map((turn) => readMenuState(turn).answers);
  const values = answers.flatMap((one) => Object.values(one.values ?? {}));
  return new Set([
    ...opened.map(({ row }) => row.goodsMinor),
    ...answers.flatMap(({ amountMinor }) => amountMinor ?? []),
    ...values.flatMap((value) =>
      typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : [],
    ),
    ...values
      .flatMap((value) => (typeof value === 'object' && 'number' in value ? value.number : []))
      .filter((number) => String(number).length < minIdentifierDigits)
      .map((number) => number * 100),
  ]);
}

type TypedInput = { text: string; screen: string };

/** Returns each input with the screen that it answers. The inputs of a direct-dial string answer no screen. */
function listInputs(turns: readonly TurnRow[]): TypedInput[] {
  const screens = new Map<string, string>();
  return turns.flatMap(({ dialogueId, input, screen }) => {
    const answered = screens.get(dialogueId);
    screens.set(dialogueId, asDisplayed(screen));
    const texts = answered === undefined ? (input ?? '').split('*') : [input ?? ''];
    return texts.map((text) => ({ text: text.trim(), screen: answered ?? '' }));
  });
}

/** True when an input is a key of a menu, or an amount or a short number that the menu accepted. */
function isMenuInput(text: string, accepted: ReadonlySet<number>): boolean {
  const amount = parseTypedCedis(text);
  return /^[\d#*]{0,2}$/.test(text) || (amount !== undefined && accepted.has(amount));
}

function lookedUpValues({ turns }: DialogueHistory): MenuValue[] {
  return turns
    .flatMap((turn) => readMenuState(turn).lookedUp ?? [])
    .flatMap(({ answer }) => (answer === 'not_found' ? [] : Object.values(answer)))
    .flatMap((value) => (isList(value) ? value.flatMap((item) => Object.values(item)) : [value]));
}

/**
 * Returns the lines and states of the merchant's system: what in them is personal is not known. A line that screens divide is
 * returned in the parts that they show.
 */
function proxiedTexts(history: DialogueHistory): string[] {
  const all = proxiedScreens(history).map(({ proxied }) => proxied);
  const displayed = history.turns.flatMap((turn) =>
    readMenuState(turn).proxied === undefined ? [] : asDisplayed(turn.screen).split('\n'),
  );
  const lines = all.flatMap(({ text }) => text.split('\n'));
  const parts = lines.flatMap((line) => {
    const shown = displayed.filter(
      (part) => part.length >= minTextLength && asDisplayed(line).includes(part),
    );
    return shown.length > 0 ? shown : [line];
  });
  return [...parts, ...all.flatMap(({ state = '' }) => state)].filter((text) => text.length >= minTextLength);
}

/** Texts that a dialogue takes over from earlier dialogues. */
function inheritedTexts(state: MenuState): string[] {
  const { reference, values = {} } = state.callerHistory?.interrupted?.answers ?? {};
  const references = paymentsShownIn(state).map((payment) => payment.reference);
  return [reference, ...references, ...Object.values(values)].filter((text) => typeof text === 'string');
}

/** Returns the examples on a screen that have the form of the text, such as `INV-1234` for `inv-2047`. */
function examplesLike(text: string, screen: string): string[] {
  const form = getForm(text);
  const words = screen.match(/[A-Za-z0-9][A-Za-z0-9./-]*[A-Za-z0-9]/g) ?? [];
  return words.filter((word) => /\d/.test(word) && getForm(word) === form && !parseMsisdn(word));
}

function getForm(text: string): string {
  return text.replace(/[A-Za-z]/g, 'a').replace(/\d/g, '0');
}
