import { readdirSync } from 'node:fs';

/** All documents of the project, as paths from its folder. */
export const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('deploy').flatMap((name) => (name.endsWith('.md') ? `deploy/${name}` : [])),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];
