import type { Locator, Page } from '../../../tools/browser/index.ts';
import { openPage } from '../../kit/chromium.ts';
import type { SeededPrograms } from '../../seed/seeded-programs.ts';

/** The work of people in a job, and how long the pages and the gateway took for it. */
export type Effort = { clicks: number; keystrokes: number; pages: number; ms: number };

const none: Effort = { clicks: 0, keystrokes: 0, pages: 0, ms: 0 };

/** A person of support staff at a browser. Each action counts into the effort of the job. */
export type Worker = Awaited<ReturnType<typeof seatWorker>>;

/** A job of support staff in a browser. `maxClicks`: of all of its people. */
export type Job = {
  name: string;
  maxClicks: number;
  run(people: { ama: Worker; kofi: Worker; esi: Worker }, programs: SeededPrograms): Promise<void>;
};

/** Counts what people do. `take` returns the effort since the last call. */
export function createEffortMeter() {
  let effort = { ...none };
  return {
    count(part: Partial<Effort>) {
      for (const [name, value] of Object.entries(part)) effort[name as keyof Effort] += value;
    },
    take(): Effort {
      const taken = effort;
      effort = { ...none };
      return taken;
    },
  };
}

type Meter = ReturnType<typeof createEffortMeter>;

/** Opens a browser, and signs a person in who needs no password. The sign-in does not count. */
export async function seatWorker(url: string, name: string, meter: Meter) {
  const { page, faults } = await openPage(url);
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: `Sign in as ${name}` }).click();
  await page.getByRole('button', { name: 'Search' }).waitFor();
  page.on('framenavigated', (frame) => frame === page.mainFrame() && meter.count({ pages: 1 }));
  const timed = async <T>(act: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const value = await act();
    meter.count({ ms: performance.now() - before });
    return value;
  };
  const click = (what: Locator) => {
    meter.count({ clicks: 1 });
    return timed(() => what.click());
  };
  /** A field is chosen with a click, and its text is typed. */
  const type = (field: Locator, text: string) => {
    meter.count({ clicks: 1, keystrokes: text.length });
    return timed(() => field.fill(text));
  };
  return {
    ...{ page, faults, click, type },
    button: (label: string | RegExp, within: Page | Locator = page) =>
      click(within.getByRole('button', { name: label, exact: true })),
    link: (label: string | RegExp, within: Page | Locator = page) =>
      click(within.getByRole('link', { name: label, exact: true }).first()),
    label: (label: string | RegExp, text: string, within: Page | Locator = page) =>
      type(within.getByLabel(label), text),
    /** A choice is opened, and one is clicked. */
    choose(label: string, value: string) {
      meter.count({ clicks: 2 });
      return timed(() => page.getByLabel(label, { exact: true }).selectOption(value));
    },
    /** A file is chosen in the window of the system. */
    upload(label: string, file: { name: string; mimeType: string; buffer: Buffer }) {
      meter.count({ clicks: 2 });
      return timed(() => page.getByLabel(label).setInputFiles(file));
    },
    /** Types a text into the search box, and sends it with Enter. */
    search(text: string) {
      meter.count({ clicks: 1, keystrokes: text.length + 1 });
      return timed(async () => {
        await page.getByLabel('Search payments').fill(text);
        await page.getByLabel('Search payments').press('Enter');
      });
    },
    /** Clicks on a link to a file, and returns the name of the file. */
    async save(label: string): Promise<string> {
      const download = page.waitForEvent('download');
      await click(page.getByRole('link', { name: label }));
      return (await timed(() => download)).suggestedFilename();
    },
    sees: (text: string | RegExp) =>
      timed(() => page.getByText(text).filter({ visible: true }).first().waitFor()),
    seesRow: (...texts: string[]) =>
      timed(() =>
        rowWith(page, ...texts)
          .first()
          .waitFor(),
      ),
    row: (...texts: string[]) => rowWith(page, ...texts),
  };
}

const rowWith = (page: Page, ...texts: string[]) =>
  texts.reduce((rows, text) => rows.filter({ hasText: text }), page.locator('tbody tr'));

/** Returns the jobs by their numbers with their efforts, as a table of Markdown. */
export function showEfforts(efforts: readonly (readonly [name: string, effort: Effort])[]): string {
  const inOrder = efforts.toSorted(([one], [other]) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  const lines = inOrder.map(
    ([name, { clicks, keystrokes, pages, ms }]) =>
      `| ${name} | ${clicks} | ${keystrokes} | ${pages} | ${(ms / 1_000).toFixed(1)} s |`,
  );
  return ['| job | clicks | keystrokes | pages | waiting |', '|---|---|---|---|---|', ...lines].join('\n');
}
