import type { FileError, YamlSource } from '../../shared/yaml.ts';
import type { LookupHandlers } from '../effects/handler.ts';

/** A menu as read from its files, unchecked. */
export type MenuSource = YamlSource & {
  /** In the order in which their errors are reported. */
  readonly files: readonly string[];
  readonly handlers: LookupHandlers;
};

export type ReadMenu = ({ ok: true } & MenuSource) | { ok: false; errors: FileError[] };
