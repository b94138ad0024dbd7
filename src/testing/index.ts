/* The public kit for tests of menus: a till in one process, its phones, and transcripts. */

export type { ChannelOptions, LimitOptions, TillOptions, TimingOptions } from './options.ts';
export type { Collected, TillPhone as Phone, TillPrompt as Prompt, TillScreen as Screen } from './phone.ts';
export type { Difference } from './play.ts';
export { type Rehearsal, rehearse } from './rehearse.ts';
export { createTill, type Till } from './till.ts';
