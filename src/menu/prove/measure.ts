import { countSeptets } from '../../shared/screen-text.ts';
import { isMerchantScreen, type Menu, type Screen } from '../schema.ts';
import { isAnswer } from '../screens/show.ts';
import { pick, placeholdersIn } from '../text/render.ts';
import { amountDomain, type Domains, joinDomains, longestForm } from './domain.ts';
import type { Finding } from './finding.ts';
import type { Lengths, ShownText } from './lengths.ts';
import { renderMessages } from './render-messages.ts';
import { type Measuring, type Rendered, renderScreen, type ScreenValues } from './render-screen.ts';
import type { Search } from './search.ts';
import { amountBoundsIn, type State } from './values.ts';

/** Joins the states of each screen. */
export function joinStates(menu: Menu, { nodes, routes }: Search): Map<string, ScreenValues> {
  const joined = new Map<string, ScreenValues>();
  for (const node of nodes.values()) {
    const { screen: name, language, isOtherPayer } = node.state;
    const known = joined.get(name);
    const values = valuesIn(menu.screens[name], node.state);
    joined.set(name, {
      values: known ? joinDomains(known.values, values) : values,
      hasOtherPayer: isOtherPayer || known?.hasOtherPayer === true,
      hasBack: [...routes].some(([from, to]) => from in menu.screens && from !== name && to.has(name)),
      first: new Map([[language, node], ...(known?.first ?? [])]),
    });
  }
  return joined;
}

function valuesIn(screen: Screen | undefined, state: State): Domains {
  if (screen?.kind !== 'ask' || screen.answer !== 'amount') return state.values;
  const { highestMin, max } = amountBoundsIn(state, screen);
  return { ...state.values, min: amountDomain(0, highestMin), max: amountDomain(0, max) };
}

/**
 * Measures every screen and message with the longest values, in every language. A real screen has no more lines than these, none
 * of them longer, so that its pages fit wherever these fit.
 */
export function measure(measuring: Measuring): { lengths: Lengths; isPaged: boolean; findings: Finding[] } {
  const { menu, channel, screens } = measuring;
  const lengths: Lengths = new Map();
  const findings: Finding[] = [];
  let isPaged = false;
  const shown = [...screens.values()].flatMap(({ first }) => [...first.keys()]);
  for (const language of new Set([...menu.languages, ...shown])) {
    const all = [
      ...[...screens.keys()].flatMap((name) => renderScreen(measuring, name, language)),
      ...renderMessages(measuring, language),
    ];
    for (const rendered of all) {
      const { name, path, texts } = rendered;
      const septets = Math.max(
        ...texts.map((text) => countSeptets(text, channel.alphabet, channel.lineBreak)),
      );
      isPaged ||= rendered.isPaged;
      findings.push(...findUnread(menu, rendered));
      const key = `${name} ${language}`;
      if (septets <= (lengths.get(key)?.septets ?? -1)) continue;
      lengths.set(key, { screen: name, language, septets, path, ...getOrigin(measuring, rendered) });
    }
  }
  return { lengths, isPaged, findings };
}

/** The inputs and assumptions that lead to a screen, and examples of its longest values. */
function getOrigin(
  { menu, screens }: Measuring,
  { name, language }: Rendered,
): Pick<ShownText, 'inputs' | 'assumptions'> {
  const known = screens.get(name);
  const screen = menu.screens[name];
  const node = known?.first.get(language) ?? [...(known?.first.values() ?? [])][0];
  if (!known || !node || !screen || isMerchantScreen(screen)) return { inputs: [], assumptions: [] };
  const examples = placeholdersIn(pick(screen.text, language)).flatMap(({ name: value, format }) => {
    const domain = known.values[value];
    return domain && domain.kind !== 'list'
      ? [`{${value}} such as ${longestForm(domain, format).replaceAll('æ', '[')}`]
      : [];
  });
  return { inputs: node.inputs, assumptions: [...node.assumptions, ...new Set(examples)] };
}

/** Returns a finding for a page with a next page that no key shows, because the key is an answer on the screen. */
function findUnread(menu: Menu, { name, language, path, isPaged }: Rendered): Finding[] {
  const screen = menu.screens[name];
  const [moreKey = ''] = menu.keys.more;
  if (!isPaged || screen?.kind !== 'ask' || !isAnswer(screen, moreKey, {})) return [];
  const text = `expected a shorter text, or another key for more: ${moreKey} is an answer here`;
  return [{ kind: 'unread', screen: name, language, message: text, path }];
}
