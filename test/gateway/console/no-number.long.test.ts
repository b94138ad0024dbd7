import { expect, test } from 'vitest';
import { accountRoles } from '../../../src/contract/staff/account.ts';
import type { Browser } from '../../kit/console.ts';
import { crawl, decodeEntities, plainPaths, routeOf, type Visit } from './crawl.ts';
import { formsIn } from './forms.ts';
import { createScene, numbers, type Scene } from './scene.ts';

/** The digits of a number that every spelling has, with what people write between them, or a page around them. */
const spellings = Object.values(numbers).map((number) => {
  const between = '(?:[\\s.()/-]|%20|%2B|<[^>]*>)*';
  return new RegExp([...number.slice(1)].join(between));
});

const hasNumber = (text: string) => spellings.some((one) => one.test(text));

/** Forms that show whole numbers because a person asked for them, and those that end the session. */
const leftOut: readonly string[] = [
  'POST /payments/:id/reveal',
  'POST /sign-out',
  'POST /sign-in',
  'POST /me/sessions/:id/end',
];

/** Returns whether a form ends the account of a person of the scene, or shows numbers that the person asked for. */
const isLeftOut = (action: string) =>
  action.startsWith('/staff/the-') || leftOut.includes(routeOf('POST', action) ?? '');

/** Files with whole numbers, for the roles that may export them. */
const isWholeExport = (role: string, path: string) =>
  ['lead', 'finance'].includes(role) && /^\/(export|days\/[\d-]+\/export)(\?.*)? -> $/.test(path);

const texts: Record<string, string> = {
  // A person who types a number where a page shows the text again.
  text: `the caller of ${numbers.paid} asks again`,
  evidence: 'the SMS of +233 24 412 3456, read out',
  reason: 'asked for by 024-412-3456',
  reference: '',
  msisdn: numbers.paid,
  number: numbers.paid,
};

/** Sends each form of the pages once, and visits what the answers lead to. */
async function sendForms(scene: Scene, browser: Browser, visits: readonly Visit[]): Promise<Visit[]> {
  const sent = new Set<string>();
  const results: Visit[] = [];
  for (const { text: page } of visits) {
    for (const { action, fields } of formsIn(page, (name) => texts[name] ?? '1')) {
      const route = routeOf('POST', action);
      if (isLeftOut(action) || sent.has(action)) continue;
      sent.add(action);
      await scene.pause();
      const answer = await browser.post(action, fields);
      const path = `${action} -> ${answer.location ?? ''}`;
      results.push({ path, route, status: answer.status, type: '', text: answer.text });
    }
  }
  return results;
}

/** Types every number into the search box, in three spellings. */
async function search(scene: Scene, browser: Browser): Promise<Visit[]> {
  const results: Visit[] = [];
  for (const number of Object.values(numbers)) {
    const rest = number.slice(1);
    for (const q of [number, `+233${rest}`, `0${rest.slice(0, 2)} ${rest.slice(2, 5)} ${rest.slice(5)}`]) {
      await scene.pause();
      const { status, text, location } = await browser.post('/search', { q });
      results.push({ path: `search -> ${location}`, route: 'POST /search', status, type: '', text });
    }
  }
  return results;
}

test('no whole number of a payer is in an address, a page or a line of the log, except in a file of whole numbers', async () => {
  const scene = await createScene();
  const found: string[] = [];
  const check = (who: string, visits: readonly Visit[]) => {
    for (const { path, text } of visits) {
      if (hasNumber(path)) found.push(`${who}: the address ${path}`);
      if (hasNumber(decodeEntities(text)) && !isWholeExport(who, path))
        found.push(`${who}: the page ${path}`);
    }
  };
  for (const role of accountRoles) {
    const browser = scene.people[role];
    const ask = (path: string) => scene.ask(browser, path);
    const first = await crawl(ask, plainPaths);
    check(role, first);
    check(role, await search(scene, browser));
    check(role, await sendForms(scene, browser, first));
    check(role, await crawl(ask, plainPaths));
  }
  found.push(...scene.till.logged().split('\n').filter(hasNumber));
  expect(found).toEqual([]);
});

test('the search for a number finds it in every spelling', () => {
  for (const text of [
    '0244123456',
    '+233 24 412 3456',
    '024-412-3456',
    '024<b>412</b>3456',
    '%2B233244123456',
  ])
    expect(hasNumber(text), text).toBe(true);
  expect(hasNumber('23324****456')).toBe(false);
});
