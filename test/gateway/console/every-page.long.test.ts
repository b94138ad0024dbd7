import { expect, test } from 'vitest';
import { crawl, getRoutes, plainPaths, type Visit } from './crawl.ts';
import { createScene } from './scene.ts';

/** What a page shows, whatever the ids and times in it: its heading, and the rows of its tables. */
function shownOn({ text }: Visit): string {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(text) ?? [];
  const rows = [...text.matchAll(/<tbody>(.*?)<\/tbody>/gs)].map(
    ([, body = '']) => body.split('<tr>').length - 1,
  );
  return `${heading.replaceAll(/<[^>]+>/g, '').replaceAll(/\d{4} \d{4}|\d+\*+\d+/g, '…')} [${rows.join(' ')}]`;
}

/** The heading and the rows of the pages without a parameter, for people who see something on them. */
const expected = {
  'lead /': 'Overview [5 10 1 3 6]',
  'lead /payments': 'Payments [6 1 4]',
  'lead /desk': 'Desk [6 5]',
  'lead /abuse': 'Blocks [1 1]',
  'lead /days': 'Days [2 14]',
  'lead /dialogues': 'Dialogues without a payment [1]',
  'lead /unplaced': 'Unplaced money [1]',
  'lead /deliveries': 'Deliveries [15]',
  'lead /endpoints': 'Endpoints [1]',
  'admin /deliveries': 'Deliveries [15]',
  'admin /keys': 'Keys [1]',
  'admin /staff': 'Staff [9]',
  'merchant /payments': 'Payments [6 1 4]',
  'merchant /deliveries': 'Deliveries [15]',
  'merchant /keys': 'Keys [1]',
};

/** Pages of finance, of people who are not signed in, or in the first use of an account. */
const others = ['GET /days/:id/close', 'GET /first-use', 'GET /search', 'GET /set-up', 'GET /sign-in'];

// `npm run test:postgres` runs it with the ledger on a server, too.
test('every page opens, and has the same heading and rows whatever the engine of the ledger', async () => {
  const scene = await createScene();
  const shown: Record<string, string> = {};
  const wrong: string[] = [];
  const visited = new Set<string>();
  for (const role of ['lead', 'admin', 'merchant'] as const) {
    for (const visit of await crawl((path) => scene.ask(scene.people[role], path), plainPaths)) {
      if (visit.route === undefined) continue;
      if (visit.status >= 500) wrong.push(`${role} ${visit.path}: ${visit.status}`);
      if (visit.status !== 200) continue;
      visited.add(visit.route);
      if (visit.path === visit.route.slice('GET '.length)) shown[`${role} ${visit.path}`] = shownOn(visit);
    }
  }
  expect(wrong).toEqual([]);
  expect(getRoutes.filter((name) => !visited.has(name) && !others.includes(name))).toEqual([]);
  expect(shown).toMatchObject(expected);
});
