import { amountMinor } from '../../shared/money.ts';
import type { ChooseScreen, Menu } from '../schema.ts';
import { allOptionsOf, maxOfferedOptions, optionsOf } from '../screens/options.ts';
import { offersOf } from '../screens/payment-offers.ts';
import { screenOf } from '../screens/screen.ts';
import { endStates, type PaymentSummary } from '../state/state.ts';
import { step } from '../state/step.ts';
import { showValue } from '../text/format.ts';
import { message } from '../text/messages.ts';
import { fill, pick, templateValuesOf } from '../text/render.ts';
import type { Finding } from './finding.ts';
import { lookupLoop } from './lookup-loops.ts';
import { answersAlong, inputsAlong, messageOf, type Turn } from './turn.ts';

/** What is wrong with one turn, on a channel whose screens have room for everything. */
export function findInTurn(menu: Menu, turn: Turn): Finding[] {
  const { shown, from } = turn;
  const { state } = shown;
  const way = wayOf(turn);
  if (state.screen === endStates.lost) return findLost(menu, turn).map((one) => ({ ...one, ...way }));
  // With a reason on top the screen is what it was without.
  if (from !== undefined && state.notice !== undefined) return [];
  const screen = screenOf(menu, state.screen);
  const findings = screen?.kind === 'choose' ? findInOptions(screen, turn) : [];
  return [...findings, ...findInText(menu, turn)].map((one) => ({ ...one, ...way }));
}

function wayOf({ way }: Turn): Pick<Finding, 'inputs' | 'answered'> {
  return { inputs: inputsAlong(way), answered: answersAlong(way) };
}

/** Nothing leads here but an amount that is not known, and look-ups that go round. */
function findLost(menu: Menu, { shown, from, came }: Turn): Finding[] {
  const screen = from && screenOf(menu, from.screen);
  if (from && screen?.kind === 'confirm') {
    const text = 'expected an amount to be known here: the dialogue ends instead';
    return [{ kind: 'lost', screen: from.screen, message: text, path: ['screens', from.screen] }];
  }
  const wanted = came?.want.kind === 'lookup' ? came.want.at.screen : undefined;
  const loop = lookupLoop(menu, wanted === undefined ? Object.keys(menu.screens) : [wanted]);
  if (loop) return [loop];
  const name = from?.screen ?? shown.state.screen;
  const text = 'expected an answer to this input: the dialogue ends instead';
  return [{ kind: 'lost', screen: name, message: text, path: ['screens', name] }];
}

function findInOptions(screen: ChooseScreen, { shown, context }: Turn): Finding[] {
  const { state } = shown;
  const { language, answers } = state;
  const path = ['screens', state.screen];
  const wanted = allOptionsOf(screen, state, context);
  const findings: Finding[] = [];
  if (wanted.length === 0) {
    const text = 'expected an option that is always there: here none is left';
    findings.push({ kind: 'dead_end', screen: state.screen, message: text, path });
  }
  if (wanted.length > maxOfferedOptions) {
    const text = `expected at most ${maxOfferedOptions} options: here there are ${wanted.length}, and no number chooses the last`;
    findings.push({
      kind: 'too_many_options',
      screen: state.screen,
      message: text,
      path: [...path, 'options'],
    });
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

function findInText(menu: Menu, turn: Turn): Finding[] {
  const { state, reply } = turn.shown;
  const { language } = state;
  const name = messageOf(menu, turn);
  const screen =
    name !== undefined && !Object.hasOwn(menu.screens, state.screen) ? `(${name})` : state.screen;
  const path =
    name === undefined ? ['screens', state.screen, 'text', language] : ['messages', name, language];
  const words = withoutBack(menu, language, reply.text);
  const findings: Finding[] = [];
  if (words.trim() === '') {
    const text = 'expected words: every line has a placeholder without a value here';
    findings.push({ kind: 'blank', screen, language, message: text, path });
  }
  const amounts = amountsAskedFor(menu, turn);
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

/** The amount that a yes on this screen would ask for; with the fee, where it was agreed to before. */
function amountsAskedFor(menu: Menu, { shown, context }: Turn): number[] {
  const { answers, callerHistory: arrival, screen, duplicate: twin } = shown.state;
  const both = ({ amountMinor: goods, shownTotalMinor = goods }: PaymentSummary) => [goods, shownTotalMinor];
  switch (screenOf(menu, screen)?.kind) {
    case 'confirm':
      return answers.amountMinor === undefined ? [] : [answers.amountMinor];
    case 'duplicate':
      return twin ? both(twin) : [];
    case 'payment': {
      const standing = arrival?.payment;
      return standing && offersOf(standing, context).includes('sendPromptAgain') ? both(standing) : [];
    }
    default:
      return [];
  }
}

function withoutBack(menu: Menu, language: string, text: string): string {
  const { back } = menu.keys;
  const line = `${back}. ${message(menu, language, 'back')}`;
  return back !== false && text.endsWith(line) ? text.slice(0, -line.length).trimEnd() : text;
}

/** A page that offers another one which no key turns to: what the payer types is an answer here. */
export function findUnread(menu: Menu, turn: Turn): Finding[] {
  const { shown, context } = turn;
  const { state, reply } = shown;
  const { language, page = 0 } = state;
  const { more } = menu.keys;
  const offer = `\n${more[0]}. ${message(menu, language, 'more')}`;
  if (menu.screens[state.screen]?.kind !== 'ask' || !reply.text.endsWith(offer)) return [];
  const turns = (key: string) => step(menu, state, key, context).state.page === page + 1;
  if (turns(more[0] ?? '')) return [];
  const text = `expected room for all of it, or another key for more: ${more[0]} is an answer here`;
  const path = ['screens', state.screen, 'text', language];
  return [{ kind: 'unread', screen: state.screen, language, message: text, ...wayOf(turn), path }];
}
