import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { documents } from './documents.ts';

/** Returns the text of a document without its blocks of code, which can be indented. */
function prose(file: string): string {
  return readFileSync(file, 'utf8').replace(/^( *)```[\s\S]+?^\1```$/gm, '');
}

/** Returns the anchors of a document's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  return [...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );
}

test.each(documents)('every link of %s to another file, or a place in one, leads somewhere', (file) => {
  const links = [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

const folders = ['src', 'deploy', 'observability', 'test', 'bench'];
const sources = [
  'dialtill.example.yaml',
  ...folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ),
].filter((file) => /\.(ts|ya?ml|conf|service|timer)$|Caddyfile$/.test(file));

test('every document that a program, a test, an alert or an example names exists, with its anchor', () => {
  const named = sources.flatMap((file) => {
    const links = readFileSync(file, 'utf8').matchAll(/\bdocs\/[\w/-]+\.(?:md|json)(?:#[\w-]+)?/g);
    return [...links].map(([link]) => ({ file, link }));
  });
  expect(named.length).toBeGreaterThan(80);
  const broken = named.filter(({ link }) => {
    const [target = '', anchor] = link.split('#');
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});

test('the front page of the site, which is its sidebar, lists every document in docs', () => {
  const front = readFileSync('docs/README.md', 'utf8');
  const listed = [...front.matchAll(/\]\((.+?\.md)\)/g)].map(([, link = '']) => join('docs', link));
  const expected = documents.filter(
    (file) => file.startsWith('docs/') && !/decisions\/\d|docs\/README/.test(file),
  );
  expect([...listed].sort()).toEqual([...expected].sort());
  const decisions = readFileSync('docs/decisions/README.md', 'utf8');
  const notes = documents.filter((file) => /decisions\/\d/.test(file)).map((file) => basename(file));
  expect([...decisions.matchAll(/\]\((.+?\.md)\)/g)].map(([, link]) => link)).toEqual(notes);
});
