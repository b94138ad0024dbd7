import type { Scene } from './scene.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The week, and some hours more: a prompt without a result is watched for seven days. */
export const weekMs = 7 * dayMs + 12 * hourMs;

/** What somebody does at a time after the start of the week. */
export type Act = { atMs: number; run(scene: Scene): Promise<void> };
