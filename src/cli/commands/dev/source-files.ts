import { existsSync, unwatchFile, watchFile } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readMenu } from '../../../menu/file/read.ts';
import { isMap } from '../../../shared/map.ts';
import { readTextFile } from '../../../shared/text-file.ts';
import { readYaml } from '../../../shared/yaml.ts';

/**
 * Returns the files that a configuration is made of: itself, its menus, and what they include or import. Files with errors are
 * listed too, because a person is about to correct them.
 */
export function sourceFilesOf(configFile: string): string[] {
  const source = readYaml(readTextFile(configFile) ?? '', configFile);
  const listed = source.ok && Array.isArray(source.value.merchants) ? source.value.merchants : [];
  const menus = listed
    .filter(isMap)
    .flatMap(({ menu }) => (typeof menu === 'string' ? resolve(dirname(configFile), menu) : []));
  return [...new Set([configFile, ...menus.flatMap(filesOfMenu)].map((file) => resolve(file)))];
}

function filesOfMenu(file: string): string[] {
  if (!existsSync(file)) return [file];
  const read = readMenu(file);
  return read.ok ? [file, ...read.files] : [file, ...read.errors.map((error) => error.file)];
}

const intervalMs = 300;

/**
 * Calls `onChange` after one of the files was written, created or removed. Files are compared by time, which works with every
 * editor and file system.
 *
 * @returns a function that ends the watch.
 */
export function watchFiles(files: readonly string[], onChange: (file: string) => void): () => void {
  const watched = files.map((file) => {
    const listener = () => onChange(file);
    watchFile(file, { interval: intervalMs, persistent: false }, listener);
    return { file, listener };
  });
  return () => {
    for (const { file, listener } of watched) unwatchFile(file, listener);
  };
}
