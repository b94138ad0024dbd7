import type { Write } from '../sqlite/store.ts';

/** Returns writes of the caller for the batch that writes `Result`, so that both are stored or neither is. */
export type ExtraWrites<Result> = (result: Result) => readonly Write[];

export const noExtraWrites = (): readonly Write[] => [];
