import { readFileSync } from 'node:fs';
import { isProgram, readProgram } from '../typescript/read-program.ts';
import { readWithIncluded } from './include.ts';
import type { ReadMenu } from './source.ts';

/** Reads a menu file: YAML with the files that it includes, or a program. */
export function readMenu(file: string): ReadMenu {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { ok: false, errors: [{ file, line: 1, path: '', message: 'expected a readable file' }] };
  }
  return isProgram(file) ? readProgram(file) : readWithIncluded(text, file);
}
