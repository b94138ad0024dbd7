import { afterAll, expect, test } from 'vitest';
import type { RouteName } from '../../../src/kit/define-route.ts';
import type { Page as ChromiumPage } from '../../../tools/browser/index.ts';
import { closeBrowser, expectAccessible, openPage, takePicture } from '../../kit/chromium.ts';
import type { Browser } from '../../kit/console.ts';
import { crawl, getRoutes, plainPaths, type Visit } from './crawl.ts';
import { createScene, type Scene } from './scene.ts';

afterAll(closeBrowser);

type Page = { who: string; browser: Browser; path: string };

/** Returns one page of each route of the table, with a person who sees it. */
async function pagesOf(scene: Scene): Promise<{ pages: Map<RouteName, Page>; visited: Set<RouteName> }> {
  const pages = new Map<RouteName, Page>();
  const visited = new Set<RouteName>();
  const browsers = { stranger: scene.stranger, newcomer: scene.newcomer, ...scene.people };
  for (const [who, browser] of Object.entries(browsers)) {
    for (const visit of await crawl((path) => scene.ask(browser, path), plainPaths)) {
      if (visit.route === undefined || visit.status >= 400) continue;
      visited.add(visit.route);
      if (isPage(visit) && !pages.has(visit.route))
        pages.set(visit.route, { who, browser, path: visit.path });
    }
  }
  return { pages, visited };
}

const isPage = ({ status, type }: Visit) => status === 200 && type.startsWith('text/html');

/** Opens a page with the session of a browser. */
async function openAs({ url }: Scene, browser: Browser): Promise<ChromiumPage> {
  const { page } = await openPage(url);
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  return page;
}

/** Returns the number of lines that the parts of the head have. */
async function headLines(page: ChromiumPage): Promise<number> {
  const centers = (await page.evaluate(`[...document.querySelectorAll('.bar > *')]
    .map((part) => part.getBoundingClientRect())
    .filter(({ height }) => height > 0)
    .map(({ top, bottom }) => Math.round((top + bottom) / 8))`)) as number[];
  return new Set(centers).size;
}

test('the head of a page has one line on a wide screen, whatever the role', async () => {
  const scene = await createScene();
  for (const [role, browser] of Object.entries(scene.people)) {
    const page = await openAs(scene, browser);
    await page.setViewportSize({ width: 1366, height: 900 });
    await page.goto(`${scene.url}/console/me`);
    expect(await headLines(page), role).toBe(1);
  }
});

// Some thirty pages, each in two modes and two widths: on a busy machine that takes minutes.
test('every page is found by its links, has no finding of axe and no overflow, and obeys its policy', {
  timeout: 600_000,
}, async () => {
  const scene = await createScene();
  const { pages, visited } = await pagesOf(scene);
  // A route that is missing here needs a link on a page, and a state of the scene in which that page shows it.
  expect(getRoutes.filter((name) => !visited.has(name))).toEqual([]);
  for (const [name, { who, browser, path }] of pages) {
    const { page, faults } = await openPage(scene.url);
    const [cookie = '', value = ''] = browser.cookie()?.split('=') ?? [];
    if (value) await page.context().addCookies([{ name: cookie, value, url: scene.url }]);
    await scene.pause();
    await page.goto(`${scene.url}/console${path === '/' ? '' : path}`);
    await expectAccessible(page, `${name} as ${who}`);
    await takePicture(page, name.replaceAll(/\W+/g, '-'));
    expect(faults, name).toEqual([]);
    await page.context().close();
  }
});
