import { readTextFile } from '../../shared/text-file.ts';
import { isProgram, readProgram } from '../typescript/read-program.ts';
import { readWithIncluded } from './include.ts';
import type { ReadMenu } from './source.ts';

/** Reads a menu file: YAML with the files that it includes, or a program. */
export function readMenu(file: string): ReadMenu {
  const text = readTextFile(file);
  if (text === undefined) {
    return { ok: false, errors: [{ file, line: 1, path: '', message: 'expected a readable file' }] };
  }
  return isProgram(file) ? readProgram(file) : readWithIncluded(text, file);
}
