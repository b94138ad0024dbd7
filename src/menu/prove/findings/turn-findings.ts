import { amountMinor } from '../../../shared/money.ts';
import type { ChooseScreen, Menu } from '../../schema.ts';
import { allOptionsOf, maxOfferedOptions, optionsOf } from '../../screens/options.ts';
import { offersOf } from '../../screens/payment-offers.ts';
import { screenOf } from '../../screens/screen.ts';
import { isAnswer } from '../../screens/show.ts';
import { unboundNames } from '../../state/amount-bounds.ts';
import { endStates, type PaymentSummary } from '../../state/state.ts';
import { showValue } from '../../text/format.ts';
import { message } from '../../text/messages.ts';
import { fill, pick, templateValuesOf } from '../../text/render.ts';
import { assumptionsOf, inputsOf, messageOf, type Turn } from '../walk/turn.ts';
import type { Finding } from './finding.ts';
import { findLookupLoop } from './structure.ts';

/** Returns the findings of one turn on a channel without a limit. */
export function findInTurn(menu: Menu, turn: Turn): Finding[] {
  const { state } = turn.step;
  const origin = originOf(turn);
  if (state.screen === endStates.lost) return findLost(menu, turn).map((one) => ({ ...one, ...origin }));
  // The same screen was checked without a notice above it.
  if (turn.from !== undefined && state.notice !== undefined) return [];
  const screen = screenOf(menu, state.screen);
  const inOptions = screen?.kind === 'choose' ? findInOptions(screen, turn) : [];
  return [...inOptions, ...findInText(menu, turn)].map((one) => ({ ...one, ...origin }));
}

function originOf({ path }: Turn): Pick<Finding, 'inputs' | 'assumptions'> {
  return { inputs: inputsOf(path), assumptions: assumptionsOf(path) };
}

/** A dialogue is lost only through a confirm screen without an amount or a loop of lookups. */
function findLost(menu: Menu, { step: { state }, from, effect }: Turn): Finding[] {
  const screen = from && screenOf(menu, from.screen);
  if (from && screen?.kind === 'confirm') {
    const text = 'expected an amount on every route to this screen: without one, the dialogue ends';
    return [{ kind: 'lost', screen: from.screen, message: text, path: ['screens', from.screen] }];
  }
  const kind = effect?.effect.kind;
  const requested = kind === 'lookup' || kind === 'proxy' ? effect?.effect.state.screen : undefined;
  const loop = findLookupLoop(menu, requested === undefined ? Object.keys(menu.screens) : [requested]);
  if (loop) return [loop];
  const name = from?.screen ?? state.screen;
  const text = 'expected a screen for this input: without one, the dialogue ends';
  return [{ kind: 'lost', screen: name, message: text, path: ['screens', name] }];
}

function findInOptions(screen: ChooseScreen, { step: { state }, context }: Turn): Finding[] {
  const { language, answers } = state;
  const path = ['screens', state.screen];
  const offered = allOptionsOf(screen, state, context);
  const findings: Finding[] = [];
  if (offered.length === 0) {
    const text = 'expected an option without a condition: no option is left here';
    findings.push({ kind: 'dead_end', screen: state.screen, message: text, path });
  }
  if (offered.length > maxOfferedOptions) {
    const text = `expected at most ${maxOfferedOptions} options, found ${offered.length}: no payer turns so many pages`;
    const at = [...path, 'options'];
    findings.push({ kind: 'too_many_options', screen: state.screen, message: text, path: at });
  }
  for (const [i, { option, at, item }] of optionsOf(screen, state, context).entries()) {
    const label = fill(pick(option.label, language), { ...templateValuesOf(answers, context), ...item });
    if (label.trim() !== '') continue;
    findings.push({
      kind: 'blank',
      screen: state.screen,
      language,
      message: `expected words for option ${i + 1}: its placeholders have no value here`,
      path: [...path, 'options', at, 'label', language],
    });
  }
  return findings;
}

/** Returns a finding for a bound without a value, which does not bound. No text has to show it. */
export function findUnbounded(menu: Menu, turn: Turn): Finding[] {
  const { screen: name, answers } = turn.step.state;
  const screen = menu.screens[name];
  if (screen?.kind !== 'ask' || screen.answer !== 'amount') return [];
  return unboundNames(screen, answers).map((bound) => ({
    kind: 'unbounded',
    screen: name,
    message: `expected a value of {${bound}} on every route to this question: without one, any amount is valid`,
    ...originOf(turn),
    path: ['screens', name],
  }));
}

function findInText(menu: Menu, turn: Turn): Finding[] {
  const { state, reply } = turn.step;
  const { language } = state;
  const name = messageOf(menu, turn);
  const isMessage = name !== undefined && !Object.hasOwn(menu.screens, state.screen);
  const screen = isMessage ? `(${name})` : state.screen;
  const path =
    name === undefined ? ['screens', state.screen, 'text', language] : ['messages', name, language];
  const words = withoutBackOption(menu, language, reply.text);
  const findings: Finding[] = [];
  if (words.trim() === '') {
    const text = 'expected words: every line has a placeholder without a value here';
    findings.push({ kind: 'blank', screen, language, message: text, path });
  }
  const amounts = confirmableAmounts(menu, turn);
  const isShown = (amount: number) =>
    ['plain', 'words'].some((format) =>
      words.includes(showValue({ amountMinor: amountMinor(amount) }, format)),
    );
  if (amounts.length > 0 && !amounts.some(isShown)) {
    const text = 'expected the amount: its line has another placeholder, without a value here';
    findings.push({ kind: 'hidden_amount', screen, language, message: text, path });
  }
  return findings;
}

/** Returns the amounts that a confirmation on this screen can stand for: the price, and an earlier total with the fee. */
function confirmableAmounts(menu: Menu, { step: { state }, context }: Turn): number[] {
  const { answers, callerHistory, screen, duplicate } = state;
  const priceAndTotal = ({ amountMinor: price, shownTotalMinor = price }: PaymentSummary) => [
    price,
    shownTotalMinor,
  ];
  switch (screenOf(menu, screen)?.kind) {
    case 'confirm':
      return answers.amountMinor === undefined ? [] : [answers.amountMinor];
    case 'duplicate':
      return duplicate ? priceAndTotal(duplicate) : [];
    case 'payment': {
      const payment = callerHistory?.payment;
      const canRetry = payment && offersOf(payment, context).includes('sendPromptAgain');
      return canRetry ? priceAndTotal(payment) : [];
    }
    default:
      return [];
  }
}

function withoutBackOption(menu: Menu, language: string, text: string): string {
  const { back } = menu.keys;
  const line = `${back}. ${message(menu, language, 'back')}`;
  return back !== false && text.endsWith(line) ? text.slice(0, -line.length).trimEnd() : text;
}

/** Returns a finding for a page with a next page that no key shows, because the key is an answer on the screen. */
export function findUnread(menu: Menu, turn: Turn): Finding[] {
  const { state, reply } = turn.step;
  const { language } = state;
  const [moreKey = ''] = menu.keys.more;
  const offer = `\n${moreKey}. ${message(menu, language, 'more')}`;
  const screen = screenOf(menu, state.screen);
  if (screen?.kind !== 'ask' || !reply.text.endsWith(offer)) return [];
  // Without the notice above it, the rest can fit on one page.
  if (!isAnswer(screen, moreKey, state.answers)) return [];
  const text = `expected a shorter text, or another key for more: ${moreKey} is an answer here`;
  const path = ['screens', state.screen, 'text', language];
  return [{ kind: 'unread', screen: state.screen, language, message: text, ...originOf(turn), path }];
}
