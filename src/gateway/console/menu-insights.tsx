import type { Child } from 'hono/jsx';
import type { Insights, ScreenFigures } from '../../contract/merchant/insights.ts';
import { commonTitle, nameScreen } from '../../menu/text/screen-title.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { plural } from '../../shared/plural.ts';
import { dayMs } from '../ledger/day.ts';
import { defineConsoleRoute, type PageContent } from './define-route.ts';
import { Summary } from './menu-summary.tsx';
import { Card, Chip, Empty, Flash } from './parts/card.tsx';
import { Bar, showCount } from './parts/charts.tsx';
import { describeOutcome, nameZone, showLongDay, toQuery } from './parts/format.ts';
import { MerchantChoice } from './parts/list.tsx';
import { TableHead } from './parts/table.tsx';
import { getScope } from './scope.ts';

/** Days that the page can show. */
const spans = [1, 7, 28] as const;

export const menuInsightsRoutes = [
  defineConsoleRoute(
    'GET /menu',
    { needs: 'payments.read', menu: { group: 'Insight', link: 'Menu', icon: 'funnel' } },
    async ({ person, query, reads, show }, { operations, clock }) => {
      const own = getScope(person).merchantId;
      const ids = operations.merchantIds();
      const chosen = ids.find((id) => id === query.merchant);
      const days = spans.find((one) => String(one) === query.days) ?? 7;
      const now = clock.now();
      const to = (Math.floor(now / dayMs) + 1) * dayMs;
      const merchantId = own ?? chosen ?? null;
      const menus = operations.menus(merchantId);
      const typed = query.language?.trim().toLowerCase() ?? '';
      const languages = menus.flatMap(({ menu }) => menu.languages);
      const language = languages.find((one) => one.toLowerCase() === typed);
      const unknown = typed === '' || language !== undefined ? undefined : typed;
      const figures = await reads.insights({
        ...{ from: to - days * dayMs, to, now, merchantId, livemode: operations.livemode, language },
      });
      const filter = (
        <>
          <nav class="choices" aria-label="Time">
            {spans.map((one) => (
              <a
                href={`/console/menu${toQuery({ days: String(one), merchant: chosen, language })}`}
                aria-current={one === days ? 'true' : undefined}
              >
                {one === 1 ? 'Today' : `${one} days`}
              </a>
            ))}
          </nav>
          <input type="hidden" name="days" value={days} />
          <label class="unseen" for="language">
            Language
          </label>
          <input
            id="language"
            name="language"
            value={language ?? ''}
            maxlength={8}
            size={12}
            placeholder="All languages"
            autocomplete="off"
          />
        </>
      );
      const titleOf = (screen: string) => commonTitle(menus, screen, language);
      return show(
        menuPage(
          { figures, merchantId, titleOf, language, unknown, languages: [...new Set(languages)] },
          <MerchantChoice path="/console/menu" ids={own === null ? ids : []} chosen={chosen}>
            {filter}
          </MerchantChoice>,
        ),
      );
    },
  ),
];

type MenuPageProps = {
  figures: Insights;
  merchantId: string | null;
  /** Returns the title of a screen in the menu file. */
  titleOf: (screen: string) => string | undefined;
  /** The language of the dialogues; all without one. Payments are of no language. */
  language: string | undefined;
  /** A language that no menu has, and that was left out. */
  unknown: string | undefined;
  /** The languages of the menus. */
  languages: readonly string[];
};

function menuPage({ figures, merchantId, titleOf, ...chosen }: MenuPageProps, filter: Child): PageContent {
  const { language, unknown, languages } = chosen;
  const { from, to } = figures;
  const screens = figures.screens.map((one) => ({ ...one, title: titleOf(one.screen) }));
  const show = (date: string) => showLongDay(Date.parse(date), Date.parse(to));
  const days = from === to ? show(to) : `${show(from)} to ${show(to)}`;
  const body = (
    <>
      <div>
        <h1>Menu</h1>
        <p class="muted">
          Where payers give up, screen by screen. {days}, {nameZone()}, {merchantId ?? 'all merchants'}, all
          channels.
        </p>
      </div>
      {filter}
      {unknown !== undefined && (
        <Flash tone="bad">
          No menu has the language “{maskNumbers(unknown)}”. Write one of {languages.join(', ')}. All
          languages are shown.
        </Flash>
      )}
      <Summary figures={figures} hasPayments={language === undefined} />
      {screens.length === 0 ? (
        <Empty
          icon="funnel"
          title={
            language === undefined
              ? 'No one has dialled in these days.'
              : `No dialogue in the language “${language}” in these days.`
          }
        />
      ) : (
        <>
          <Finding screens={screens} />
          <Screens screens={screens} />
          <div class="stack halves">
            {screens
              .filter((one) => countRefused(one) > 0)
              .toSorted((one, other) => countRefused(other) - countRefused(one))
              .slice(0, maxRefusing)
              .map((screen) => (
                <Refused screen={screen} />
              ))}
            {language === undefined && <Outcomes figures={figures} />}
          </div>
        </>
      )}
    </>
  );
  return { title: 'Menu', hasOwnHeading: true, body };
}

/** Screens whose refused inputs are shown. */
const maxRefusing = 3;

const countRefused = ({ refused }: ScreenFigures) =>
  Object.values(refused).reduce((sum, count) => sum + count, 0);

const refusedId = (screen: string) => `refused-${screen.replace(/\W/g, '-')}`;

/** The figures of a screen, with its title in the menu file. */
type TitledScreen = ScreenFigures & { title: string | undefined };

const ways: Readonly<Record<string, string>> = {
  hung_up: 'hung up',
  timed_out: 'the session timed out',
  unanswered: 'no answer in time',
  chose_no: 'chose No',
  refused_inputs: 'refused inputs',
  limited: 'saw a limit',
  already_waiting: 'an open payment',
  message: 'ended with a message',
  ended: 'reached an end of the menu',
};

const kinds: Readonly<Record<string, string>> = {
  comma: 'A comma, such as “20,50”',
  letters: 'With letters',
  below: 'Below the minimum',
  above: 'Above the maximum',
  not_found: 'Not found',
  option: 'No option of the screen',
  other: 'Other',
};

const listWays = (how: ScreenFigures['how']) =>
  Object.entries(how)
    .map(([way, count]) => `${showCount(count)} ${ways[way] ?? way}`)
    .join(', ');

/** The screen on which most payers give up. */
function Finding({ screens }: { screens: readonly TitledScreen[] }) {
  const worst = screens.toSorted((one, other) => other.gave_up - one.gave_up)[0];
  if (!worst || worst.gave_up === 0) return null;
  const refused = countRefused(worst);
  return (
    <Flash tone="open" icon="funnel">
      <b>Most payers are lost on “{nameScreen(worst)}”.</b> {showCount(worst.gave_up)} of{' '}
      {showCount(worst.dialogues)}: {listWays(worst.how)}.{' '}
      {refused > 0 && <a href={`#${refusedId(worst.screen)}`}>Show the {plural(refused, 'refused input')}</a>}
    </Flash>
  );
}

function Screens({ screens }: { screens: readonly TitledScreen[] }) {
  const most = Math.max(...screens.map(({ dialogues }) => dialogues), 1);
  return (
    <section class="card wide" aria-labelledby="screens">
      <div class="card-head">
        <h2 id="screens">Screens</h2>
        <p class="muted small">The green part continued, the grey part gave up there.</p>
      </div>
      <table class="list">
        <TableHead
          columns={[
            'Screen',
            ['Dialogues', 'n'],
            ['Gave up', 'n'],
            ['Share', 'unseen'],
            'How',
            ['Median time', 'n'],
          ]}
        />
        <tbody>
          {screens.map(({ title, screen, dialogues, gave_up, how, median_seconds }) => (
            <tr>
              <th scope="row">
                {nameScreen({ title, screen })} {title !== undefined && <small>{screen}</small>}
              </th>
              <td class="n rest" data-label="dialogues">
                {showCount(dialogues)}
              </td>
              <td class="n sum">
                {showCount(gave_up)}{' '}
                {dialogues > 0 && <small>{Math.round((gave_up / dialogues) * 100)}&nbsp;%</small>}
              </td>
              <td class="full w">
                <Bar shares={[Math.max(0, dialogues - gave_up) / most, gave_up / most]} />
              </td>
              <td class="rest full">{listWays(how)}</td>
              <td class="n rest" data-label="median">
                {median_seconds === null ? '–' : `${median_seconds} s`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type BarsProps = {
  id: string;
  name: string;
  unit: string;
  rows: readonly (readonly [words: Child, count: number])[];
  /** The count of a whole bar; without it, the largest one. */
  most?: number;
};

/** A ranking: the table is the chart. */
function Bars({ id, name, unit, rows, most = Math.max(...rows.map(([, count]) => count), 1) }: BarsProps) {
  return (
    <table class="list" aria-labelledby={id}>
      <TableHead columns={[name, ['Share', 'unseen'], [unit, 'n']]} />
      <tbody>
        {rows.map(([words, count]) => (
          <tr>
            <th scope="row">{words}</th>
            <td class="full">
              <Bar shares={[count / most]} />
            </td>
            <td class="n sum">{showCount(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The kinds of the inputs that a screen refused. The inputs themselves are personal data, and are not kept here. */
function Refused({ screen }: { screen: TitledScreen }) {
  const id = refusedId(screen.screen);
  return (
    <Card id={id} title={`${nameScreen(screen)}: refused inputs`}>
      <Bars
        id={id}
        name="Kind of input"
        unit="Times"
        rows={Object.entries(screen.refused).map(([kind, count]) => [kinds[kind] ?? kind, count])}
      />
    </Card>
  );
}

/** Results that are always shown. */
const maxOutcomes = 8;

function Outcomes({ figures: { outcomes, payments } }: { figures: Insights }) {
  const rows = outcomes.map(({ outcome, payments: count }) => {
    const { words, tone } = describeOutcome(outcome);
    return [<Chip tone={tone}>{words}</Chip>, count] as const;
  });
  const columns = { id: 'outcomes', name: 'Result', unit: 'Payments', most: outcomes[0]?.payments ?? 1 };
  return (
    <Card id="outcomes" title="After the confirmation">
      <p class="muted small">{plural(payments.opened, 'payment')} of these days.</p>
      {rows.length > 0 && <Bars {...columns} rows={rows.slice(0, maxOutcomes)} />}
      {rows.length > maxOutcomes && (
        <details class="fold">
          <summary>Show {plural(rows.length - maxOutcomes, 'rarer result')}</summary>
          <Bars {...columns} rows={rows.slice(maxOutcomes)} />
        </details>
      )}
    </Card>
  );
}
