import { formatCedis } from '../../shared/money.ts';
import { message } from '../messages.ts';
import type { Menu } from '../schema.ts';
import { closings, type MenuContext } from '../state.ts';
import { step } from '../step.ts';
import type { Finding } from './finding.ts';
import { inputsAlong, type Turn } from './walk.ts';

/** What is wrong with one turn, on a channel whose screens have room for everything. */
export function findInTurn(menu: Menu, { shown, way, from }: Turn): Finding[] {
  const { state, reply } = shown;
  const inputs = inputsAlong(way);
  if (state.screen === closings.lost && from) {
    const text = 'expected an amount to be known here: the dialogue ends instead';
    return [{ kind: 'lost', screen: from.screen, message: text, inputs, path: ['screens', from.screen] }];
  }
  const screen = menu.screens[state.screen];
  // With a reason on top the screen is what it was without.
  if (screen === undefined || state.notice !== undefined) return [];
  const { language, answers } = state;
  const at = { screen: state.screen, language, inputs };
  const path = ['screens', state.screen, 'text', language];
  const words = withoutBack(menu, language, reply.text);
  const options = screen.kind === 'choose' ? screen.options.length : 0;
  const empty = words.split('\n').flatMap((line) => /^([1-9])\. *$/.exec(line)?.[1] ?? []);
  const findings: Finding[] = empty
    .filter((digit) => Number(digit) <= options)
    .map((digit) => ({
      ...at,
      kind: 'blank',
      message: `expected words for option ${digit}: its placeholders have no value here`,
      path: ['screens', state.screen, 'options', Number(digit) - 1, 'label', language],
    }));
  if (words.trim() === '') {
    const text = 'expected words: every line has a placeholder without a value here';
    findings.push({ ...at, kind: 'blank', message: text, path });
  }
  const { amountMinor } = answers;
  const hidden = screen.kind === 'confirm' && amountMinor !== undefined;
  if (hidden && !words.includes(formatCedis(amountMinor))) {
    const text = 'expected the amount: its line has another placeholder, without a value here';
    findings.push({ ...at, kind: 'hidden_amount', message: text, path });
  }
  return findings;
}

function withoutBack(menu: Menu, language: string, text: string): string {
  const { back } = menu.keys;
  const line = `${back}. ${message(menu, language, 'back')}`;
  return back !== false && text.endsWith(line) ? text.slice(0, -line.length).trimEnd() : text;
}

/** A page that offers another one which no key turns to: what the payer types is an answer here. */
export function findUnread(menu: Menu, context: MenuContext, { shown, way }: Turn): Finding[] {
  const { state, reply } = shown;
  const { language, page = 0 } = state;
  const { more } = menu.keys;
  const offer = `\n${more[0]}. ${message(menu, language, 'more')}`;
  if (menu.screens[state.screen]?.kind !== 'ask' || !reply.text.endsWith(offer)) return [];
  const turns = (key: string) => step(menu, state, key, context).state.page === page + 1;
  if (turns(more[0] ?? '')) return [];
  const text = `expected room for all of it, or another key for more: ${more[0]} is an answer here`;
  const path = ['screens', state.screen, 'text', language];
  return [{ kind: 'unread', screen: state.screen, language, message: text, inputs: inputsAlong(way), path }];
}
