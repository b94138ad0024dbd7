import type { FileError, YamlSource } from '../../shared/yaml.ts';
import type { LookupHandlers } from '../effects/handler.ts';

/** A menu as its files have it. What it says is not yet checked. */
export type MenuSource = YamlSource & {
  /** In the order in which their faults are told. */
  readonly files: readonly string[];
  readonly handlers: LookupHandlers;
};

export type ReadMenu = ({ ok: true } & MenuSource) | { ok: false; errors: FileError[] };

/** One of the files that make a menu. */
export type Part = { readonly file: string; readonly source: YamlSource };

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
