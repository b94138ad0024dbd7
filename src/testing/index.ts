/*
 * A kit for tests of menus: a whole till in one process, phones to dial it with, and transcripts to play.
 */
export type { ChannelOptions } from './channel.ts';
export type { Collected } from './collected.ts';
export type { LimitOptions, TillOptions, TimingOptions } from './options.ts';
export type { Phone, Prompt, Screen } from './phone.ts';
export type { Difference } from './play.ts';
export { type Rehearsal, rehearse } from './rehearse.ts';
export { createTill, type Till } from './till.ts';
