import { basename } from 'node:path';
import { Document } from 'yaml';
import { defaultMessages } from '../../menu/text/default-messages.ts';
import { dayAndTime } from '../../menu/text/messages.ts';
import { type Msisdn, operatorByPrefix, parseMsisdn } from '../../shared/msisdn.ts';
import { type DialogueHistory, type Missing, stateOf } from './dialogue-query.ts';
import { lookupsOf } from './lookup-answers.ts';
import { createMask, noMask } from './mask.ts';
import { privateOf } from './personal-data.ts';
import { shortReferences } from './short-references.ts';
import { type Lost, quoted, stepsOf } from './transcript-steps.ts';

/** What the ledger does not know: it is in the gateway's configuration. */
export type TranscriptHead = {
  menu?: string | undefined;
  merchant?: string | undefined;
  aggregator?: string | undefined;
  serviceCode?: string | undefined;
  /** Numbers of those who work for the merchant. */
  attendants?: readonly string[] | undefined;
  /** How long the gateway remembers and waits, where the configuration says it. */
  timings?: Readonly<Record<string, number>> | undefined;
};

/** Where a head is missing, for a person to fill in. */
const blank = 'FILL-IN';

/**
 * Writes the dialogues of a collection as a transcript for `dialtill rehearse`: what was dialled and typed, the screens,
 * what look-ups were answered, and how it ended where a rehearsal can come to the same. Earlier dialogues come first
 * where the screens speak of them. With `masked`, numbers of payers become others, and so does what they typed of their
 * own and what was looked up of them. What a rehearsal cannot do again is told at the top.
 */
export function transcriptOf(story: DialogueHistory, head: TranscriptHead, masked: boolean): string {
  const known = masked ? privateOf(story) : undefined;
  const mask = known ? createMask(known) : noMask;
  const references = shortReferences(story, known);
  const { aggregator = blank, serviceCode = '*000#' } = head;
  const [first = { dialler: story.collection.dialler, operator: undefined, at: 0 }] = story.turns;
  const dialler = first.dialler as Msisdn;
  const { operator } = first;
  const number = mask.number(dialler);
  const startAt = isTimed(story) ? startOf(story, first.at - readingMs, masked) : undefined;
  const shift = startAt === undefined ? 0 : first.at - readingMs - startAt;
  const promptDelayMs = promptDelayOf(story);
  const { steps, lost } = stepsOf(shifted(story, shift), {
    ...{ mask, references, serviceCode, promptDelayMs },
    isTimed: startAt !== undefined,
    days: daysOf(story, shift),
  });
  const lookups = lookupsOf(story, mask);
  const attendants = attendantsOf(story, head).map((one) => quoted(mask.number(one)));
  // The service told no fee then: it is not asked.
  const timings = { ...head.timings, ...(lacksFee(story) ? { quoteTimeoutSeconds: 0 } : {}) };
  const document = new Document({
    // Where it lies here is nobody's business where payers are masked.
    menu: masked ? basename(head.menu ?? blank) : (head.menu ?? blank),
    merchant: head.merchant ?? blank,
    channel: {
      aggregator,
      serviceCode: quoted(serviceCode),
      // As long as it was: who answered at once answers at once again.
      ...(startAt === undefined ? {} : { promptDelaySeconds: promptDelayMs / 1_000 }),
    },
    msisdn: quoted(number),
    ...(operator === undefined || operator === operatorByPrefix(dialler) ? {} : { operator }),
    ...(startAt === undefined ? {} : { time: quoted(new Date(startAt).toISOString()) }),
    ...(attendants.length === 0 ? {} : { attendants }),
    ...(Object.keys(timings).length === 0 ? {} : { timings }),
    ...(lookups === undefined ? {} : { lookups }),
    steps,
  });
  document.commentBefore = [
    commentOf(head),
    ...[...story.missing].map((one) => missing[one]),
    ...[...lost].map((one) => notPlayed[one]),
    ...(hasOtherChannels(story)
      ? ['Some of it was dialled on another channel, whose screens may differ.']
      : []),
    ...(references.isUsed() ? ['Short references are those that a rehearsal makes.'] : []),
    ...(tellsFee(story) ? ['Fees are as they were: those of a rehearsal are its own.'] : []),
  ]
    .map((line) => ` ${line}`)
    .join('\n');
  return document.toString({ lineWidth: 0 });
}

const missing: Readonly<Record<Missing, string>> = {
  standing: 'A payment that a screen speaks of is not in it: put the steps that led to it first.',
  resume: 'The dialogue that was cut off is not in it: put its steps first.',
  language: 'The language was chosen before: put a dialogue first that chooses it.',
  more: 'Not all dialogues are in it.',
};

const notPlayed: Readonly<Record<Lost, string>> = {
  late: 'A prompt was answered too late for a rehearsal: put right what comes after it.',
  end: 'A payment ended as no rehearsal can end it: put right what comes after it.',
  session: 'Answers to a session that another had replaced are left out.',
};

function commentOf({ menu, aggregator }: TranscriptHead): string {
  const all = menu === undefined || aggregator === undefined;
  return all
    ? 'From the ledger. Fill in the menu, as seen from this file, the merchant, the aggregator and the code.'
    : 'From the ledger. The menu is looked for from this file: put its path right where it is not.';
}

/** A person reads before dialling: what passes by itself in a rehearsal. */
const readingMs = 2_500;

/** Whether screens depend on when things were done: what was before is on them for a while alone. */
function isTimed(story: DialogueHistory): boolean {
  return tellsTime(story) || new Set(story.turns.map(({ dialogueId }) => dialogueId)).size > 1;
}

/** Whether a screen names a time of day, as those about a payment do. */
function tellsTime({ turns }: DialogueHistory): boolean {
  return turns.some(({ screen }) => /(?<!\d)([01]\d|2[0-3]):[0-5]\d(?!\d)/.test(screen));
}

/** The day on which masked rehearsals are: which one it was is the payer's, and what no screen tells of its time. */
const maskedDay = Date.parse('2026-03-06T00:00:00Z');
const maskedStart = Date.parse('2026-03-06T09:00:00Z');
const dayMs = 24 * 3_600_000;

function startOf(story: DialogueHistory, at: number, masked: boolean): number {
  if (!masked) return at;
  return tellsTime(story) ? maskedDay + (at % dayMs) : maskedStart;
}

const maxDelayMs = 30_000;

/** The shortest wait between END and prompt. */
function promptDelayOf({ opened }: DialogueHistory): number {
  return Math.min(maxDelayMs, ...opened.map(({ row }) => Math.max(0, row.promptNotBefore - row.openedAt)));
}

/** Puts the days of a rehearsal in the place of those that screens name, where payments were made on them. */
function daysOf({ turns, opened }: DialogueHistory, shift: number): (said: string) => string {
  if (shift === 0) return (said) => said;
  const standings = turns
    .map(stateOf)
    .flatMap(({ callerHistory: arrival, duplicate: twin }) => [arrival?.payment ?? [], twin ?? []].flat());
  const times = [...opened.map(({ row }) => row.openedAt), ...standings.map(({ at }) => at)];
  const others = new Map(times.map((at) => [dayAndTime(at), dayAndTime(at - shift)]));
  return (said) =>
    said.replace(/(?<!\d)\d{1,2} [A-Z][a-z]{2} \d\d:\d\d/g, (found) => others.get(found) ?? found);
}

function shifted(story: DialogueHistory, ms: number): DialogueHistory {
  if (ms === 0) return story;
  return {
    ...story,
    turns: story.turns.map((turn) => ({ ...turn, at: turn.at - ms })),
    opened: story.opened.map(({ row, endedAt }) => ({
      row: { ...row, openedAt: row.openedAt - ms },
      endedAt: endedAt === null ? null : endedAt - ms,
    })),
  };
}

function attendantsOf({ turns }: DialogueHistory, { attendants = [] }: TranscriptHead): Msisdn[] {
  const diallers = new Set(turns.map(({ dialler }) => dialler));
  return attendants.flatMap((text) => {
    const number = parseMsisdn(text);
    return number !== undefined && diallers.has(number) ? number : [];
  });
}

function hasOtherChannels({ turns }: DialogueHistory): boolean {
  return new Set(turns.map(({ channel }) => channel)).size > 1;
}

function tellsFee({ turns }: DialogueHistory): boolean {
  return turns.some((turn) => stateOf(turn).quoted !== undefined);
}

function lacksFee(story: DialogueHistory): boolean {
  const said = Object.values(defaultMessages).map(({ feeMayApply }) => feeMayApply);
  return !tellsFee(story) && story.turns.some(({ screen }) => said.some((one) => screen.includes(one)));
}
