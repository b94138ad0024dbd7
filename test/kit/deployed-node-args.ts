import { readFileSync } from 'node:fs';

/** The options of Node in the image and in the unit file. Without them, V8 lets the heap grow before it collects. */
export const deployedNodeArgs = (): readonly string[] =>
  readFileSync('Dockerfile', 'utf8').match(/--max-[\w-]+=\d+/g) ?? [];
