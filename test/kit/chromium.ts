import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  axeSource,
  type Browser,
  type BrowserContextOptions,
  launchChromium,
  type Page,
} from '../../tools/browser/index.ts';

/** A page of a real browser, with everything that it must not do. */
export type WatchedPage = {
  page: Page;
  /** Errors of scripts and violations of the content security policy, and requests to other origins. */
  faults: string[];
  /** The addresses of all requests. */
  addresses: string[];
};

let browser: Promise<Browser> | undefined;

/** Starts the browser once for a file of tests. */
function launch(): Promise<Browser> {
  browser ??= launchChromium();
  return browser;
}

/** Closes the browser. Call it after the tests of a file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** Opens a page in a context of its own, which is closed after the test. */
export async function openPage(origin: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await (await launch()).newContext(options);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await describePages(context.pages()));
    await context.close();
  });
  // The limit of the test ends a page that hangs. A shorter one of each step ends a slow machine.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const [faults, addresses]: [string[], string[]] = [[], []];
  page.on('pageerror', (fault) => faults.push(String(fault)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    addresses.push(request.url());
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) faults.push(`a request to ${url}`);
  });
  return { page, faults, addresses };
}

/** Returns what pages show, for the message of a test that failed. */
async function describePages(pages: readonly Page[]): Promise<string> {
  const texts = await Promise.all(
    pages.map((page) => page.innerText('body', { timeout: 5_000 }).catch((fault: unknown) => String(fault))),
  );
  return pages.map((page, at) => `${page.url()} shows:\n${texts[at]}\n`).join('\n');
}

const modes = ['light', 'dark'] as const;
const widths = [1366, 320];

/** Parts of the page that scroll sideways, with what does not fit. */
const sidewaysParts = `[...document.querySelectorAll('body *')]
  .filter((part) => part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX))
  .map((part) => part.outerHTML.slice(0, 100) + ' is ' + (part.scrollWidth - part.clientWidth) + ' px too wide')`;

/** The cells of tables that end outside of their card: the window hides this as long as they end inside of it. */
const cellsOutsideCards = `[...document.querySelectorAll('.card :is(th, td)')]
  .filter((cell) => getComputedStyle(cell.closest('thead') ?? cell).position !== 'absolute')
  .filter((cell) => cell.getBoundingClientRect().right > cell.closest('.card').getBoundingClientRect().right + 0.5)
  .map((cell) => cell.outerHTML.slice(0, 100) + ' ends outside of its card')`;

/**
 * Expects no finding of axe and no horizontal overflow, in both color schemes and at both widths; on the narrow one, no part of
 * the page scrolls sideways or leaves its card either. `name` is the page in the message.
 */
export async function expectAccessible(page: Page, name = ''): Promise<void> {
  const found: string[] = [];
  for (const colorScheme of modes) {
    for (const width of widths) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const where = `${colorScheme} ${width}`;
      const rules = colorScheme === 'light' ? undefined : colorRules;
      found.push(...(await axeFindings(page, rules)).map((finding) => `${where}: ${finding}`));
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      if (Number(overflow) > 0) found.push(`${where}: ${overflow} px wider than the window`);
      if (width !== Math.min(...widths)) continue;
      for (const parts of [sidewaysParts, cellsOutsideCards])
        found.push(...((await page.evaluate(parts)) as string[]));
    }
  }
  expect(found, name).toEqual([]);
}

/** Writes pictures of the page for a person, when the run asks for them. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (!folder) return;
  for (const colorScheme of modes) {
    for (const width of widths) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
}

type AxeResults = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };

/** The rules that depend on colors, the only difference between the two color schemes. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** The policy of the pages allows no script of a test, so that axe runs outside of it. */
async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  // Findings alone, without the details of every element that passed.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
