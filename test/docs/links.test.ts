import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'deploy/README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? join('docs', name) : [])),
  ...readdirSync('docs/decisions').map((name) => join('docs/decisions', name)),
];

/** The places of a document that links can name, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );
}

test.each(documents)('every link of %s to another file, or a place in one, leads somewhere', (file) => {
  const text = readFileSync(file, 'utf8').replace(/^```[\s\S]+?^```$/gm, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});
