import type { Write } from '../sqlite/store.ts';

/** Writes of the caller's that belong into the same batch as what was made: both are there, or neither. */
export type ExtraWrites<Made> = (made: Made) => readonly Write[];

export const noExtraWrites = (): readonly Write[] => [];
