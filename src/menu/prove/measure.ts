import { countSeptets } from '../../shared/screen-text.ts';
import type { Menu } from '../schema.ts';
import { isAnswer } from '../screens/show.ts';
import { message } from '../text/messages.ts';
import { pick, placeholdersIn } from '../text/render.ts';
import type { ProvenChannel } from './channel.ts';
import { maxForm } from './domain.ts';
import { drawMessages } from './draw-messages.ts';
import { drawScreen, type Measuring, type ScreenValues } from './draw-screen.ts';
import type { Finding } from './finding.ts';

/** The maximum length of a screen or message, with the inputs and assumptions that lead to it. */
export type MaxText = {
  readonly screen: string;
  readonly language: string;
  /** The limit of the channels. */
  readonly limit: number;
  /** At least those of each real text. A screen that can need pages, or lack its key for going back, has at least the limit. */
  readonly septets: number;
  /** The text in the menu file. */
  readonly path: readonly (string | number)[];
  readonly inputs: readonly string[];
  readonly assumptions: readonly string[];
};

type MeasuredText = Omit<MaxText, 'limit' | 'inputs' | 'assumptions'>;

/** Measures a menu on all channels. A screen that exceeds several limits has one finding in each language. */
export function measureChannels(
  measuring: Omit<Measuring, 'channel'>,
  channels: readonly ProvenChannel[],
): { texts: MaxText[]; findings: Finding[] } {
  const { menu, screens } = measuring;
  const groups = groupChannels(channels).map(([channel, names]) => {
    return { names, limit: channel.limit, ...measure({ ...measuring, channel }) };
  });
  const all = groups.flatMap(({ texts, limit, names }) => texts.map((one) => ({ ...one, limit, names })));
  const findMax = <T extends MeasuredText>(some: readonly T[]) =>
    some.reduce((max, one) => (one.septets > max.septets ? one : max));
  const byPlace = Map.groupBy(all, ({ screen, language }) => `${screen} ${language}`);
  const findings = groups.flatMap((one) => one.findings);
  const texts: MaxText[] = [];
  for (const place of byPlace.values()) {
    const limits = [...Map.groupBy(place, ({ limit }) => limit)].sort(([a], [b]) => a - b);
    const excesses: string[] = [];
    for (const [limit, measured] of limits) {
      const { names: _, ...max } = findMax(measured);
      texts.push({ ...max, ...getOrigin(menu, screens.get(max.screen), max) });
      const names = measured.flatMap((one) => (one.septets > limit ? one.names : []));
      if (names.length > 0) excesses.push(`${max.septets - limit} over ${limit} (${formatNames(names)})`);
    }
    if (excesses.length === 0) continue;
    const { screen, language, path, septets } = findMax(place.filter((one) => one.septets > one.limit));
    const origin = getOrigin(menu, screens.get(screen), { screen, language, path, septets });
    const message = `${septets} septets, ${excesses.join(', ')}`;
    findings.push({ kind: 'too_long', screen, language, path, message, ...origin });
  }
  return { texts, findings };
}

const maxNames = 3;

function formatNames(all: readonly string[]): string {
  const names = [...new Set(all)];
  const shown = names.slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}

/** Returns one of the channels that have the same screens, with the names of all. */
function groupChannels(channels: readonly ProvenChannel[]): (readonly [ProvenChannel, string[]])[] {
  const groups = Map.groupBy(channels, ({ name: _, ...style }) =>
    JSON.stringify(Object.entries(style).sort()),
  );
  return [...groups.values()].flatMap((all) =>
    all.slice(0, 1).map((one) => [one, all.map(({ name }) => name)] as const),
  );
}

/** Measures every screen and message with its largest values, in every language. */
function measure(measuring: Measuring): { texts: MeasuredText[]; findings: Finding[] } {
  const { menu, channel, screens } = measuring;
  const { limit, alphabet, lineBreak } = channel;
  const count = (text: string) => countSeptets(text, alphabet, lineBreak);
  const texts: MeasuredText[] = [];
  const findings: Finding[] = [];
  const shown = [...screens.values()].flatMap(({ first }) => [...first.keys()]);
  for (const language of new Set([...menu.languages, ...shown])) {
    const more = `\n${menu.keys.more[0]}. ${message(menu, language, 'more')}`;
    const back = menu.keys.back === false ? '' : `\n${menu.keys.back}. ${message(menu, language, 'back')}`;
    // Pages are split between units. So pages with smaller values fit when each unit fits on a page, or all on one.
    const getSeptets = (units: readonly string[], notice: string) => {
      const above = notice === '' ? '' : `${notice}\n`;
      const whole = above + units.join('\n');
      const full = count(whole + back);
      if (full <= limit || count(whole) <= limit) return Math.min(full, limit);
      return Math.max(limit, ...units.map((unit, i) => count(above + unit + (units[i + 1] ? more : ''))));
    };
    const drawn = [
      ...[...screens.keys()].flatMap((name) => drawScreen(measuring, name, language)),
      ...drawMessages(measuring, language),
    ];
    for (const { name, path, units: all, notices } of drawn) {
      const units = all.filter((unit) => unit !== '');
      const own = count(units.join('\n'));
      const septets = notices
        ? Math.max(...['', ...notices].map((notice) => getSeptets(units, notice)))
        : own;
      texts.push({ screen: name, path, language, septets });
      const screen = menu.screens[name];
      const [moreKey = ''] = menu.keys.more;
      if (screen?.kind !== 'ask' || own <= limit || !isAnswer(screen, moreKey, {})) continue;
      const unread = `expected a shorter text, or another key for more: ${moreKey} is an answer here`;
      findings.push({ kind: 'unread', screen: name, language, message: unread, path });
    }
  }
  return { texts, findings };
}

/** The inputs and assumptions that lead to a screen, and examples of its largest values. */
function getOrigin(
  menu: Menu,
  known: ScreenValues | undefined,
  { screen: name, language }: MeasuredText,
): { inputs: readonly string[]; assumptions: readonly string[] } {
  const node = known?.first.get(language) ?? known?.first.values().next().value;
  const screen = menu.screens[name];
  if (!known || !node || !screen || !('text' in screen)) return { inputs: [], assumptions: [] };
  const examples = placeholdersIn(pick(screen.text, language)).flatMap(({ name: value, format }) => {
    const domain = known.values[value];
    return domain && domain.kind !== 'list'
      ? [`{${value}} such as ${maxForm(domain, format).replaceAll('æ', '[')}`]
      : [];
  });
  return { inputs: node.inputs, assumptions: [...node.assumptions, ...new Set(examples)] };
}
