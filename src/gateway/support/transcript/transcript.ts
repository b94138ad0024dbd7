import { basename } from 'node:path';
import { Document } from 'yaml';
import { defaultMessages } from '../../../menu/text/default-messages.ts';
import { localForm, type Msisdn, operatorByPrefix, parseMsisdn } from '../../../shared/msisdn.ts';
import { rehearsedReferences } from './events.ts';
import { type DialogueHistory, type Missing, readMenuState } from './history-query.ts';
import { findLookups } from './lookups.ts';
import { maskTranscript } from './mask.ts';
import { formatSeconds, getFees, getSteps, isTimedOut, type Omission, quoted } from './steps.ts';

/** The settings of a transcript, which are in the configuration and not in the ledger. */
export type TranscriptHead = {
  menu?: string | undefined;
  merchant?: string | undefined;
  aggregator?: string | undefined;
  serviceCode?: string | undefined;
  timeZone?: string | undefined;
  /** Numbers of the merchant's attendants. */
  attendants?: readonly string[] | undefined;
  /** The timings that the configuration sets. */
  timings?: Readonly<Record<string, number>> | undefined;
};

/** Stands for an unknown setting. */
const unknownSetting = 'FILL-IN';

/**
 * Writes the dialogues of a collection as a transcript for `dialtill rehearse`: dials, inputs, screens, the answers of lookups,
 * and the payers' answers to prompts. Earlier dialogues come first when screens depend on them. A comment at the top lists
 * everything that a rehearsal cannot repeat.
 *
 * @param isMasked replaces personal data of payers with pseudonyms (see `maskTranscript`).
 */
export function toTranscript(history: DialogueHistory, head: TranscriptHead, isMasked: boolean): string {
  const { menu = unknownSetting, merchant = unknownSetting, aggregator = unknownSetting } = head;
  const { serviceCode = '*000#' } = head;
  const [first = { dialler: history.collection?.dialler ?? '', operator: undefined, at: 0 }] = history.turns;
  const dialler = first.dialler as Msisdn;
  const { operator } = first;
  const timed = isTimed(history);
  const references = rehearsedReferences(history);
  const promptLifeMs = timed ? getPromptLife(history) : defaultPromptLifeMs;
  const { steps, omissions } = getSteps(history, {
    ...{ references, serviceCode, isTimed: timed, promptLifeMs },
  });
  const fees = getFees(history);
  const lookups = findLookups(history);
  const attendants = listAttendants(history, head).map((msisdn) => quoted(localForm(msisdn)));
  // Without a quote in the ledger, the rehearsal asks for none.
  const timings = { ...head.timings, ...(hasFeePlaceholder(history) ? { quoteTimeoutSeconds: 0 } : {}) };
  const document = new Document({
    menu: isMasked ? basename(menu) : menu,
    merchant,
    channel: {
      aggregator,
      serviceCode: quoted(serviceCode),
      // A prompt waits while its payer is in a dialogue: it must not be due at the time of a redial.
      ...(timed ? { promptDelaySeconds: 0 } : {}),
    },
    msisdn: quoted(localForm(dialler)),
    ...(operator === undefined || operator === operatorByPrefix(dialler) ? {} : { operator }),
    ...(timed ? { time: quoted(new Date(first.at - readingMs).toISOString()) } : {}),
    ...(head.timeZone === undefined ? {} : { timeZone: head.timeZone }),
    ...(attendants.length === 0 ? {} : { attendants }),
    ...(Object.keys(timings).length === 0 ? {} : { timings }),
    ...(fees.entries.length === 0 ? {} : { fees: fees.entries }),
    ...(promptLifeMs === defaultPromptLifeMs ? {} : { promptLifetime: formatLife(promptLifeMs) }),
    ...(lookups === undefined ? {} : { lookups }),
    steps,
  });
  if (isMasked) maskTranscript(document, history);
  document.commentBefore = [
    settingsComment(head),
    ...[...history.missing].map((missing) => missingComments[missing]),
    ...[...omissions].map((omission) => omissionComments[omission]),
    ...(hasSeveralChannels(history) ? ['A dialogue used another channel, whose screens can differ.'] : []),
    ...(references.areUsed() ? ['The short references are those of a rehearsal.'] : []),
    ...(fees.isComplete
      ? []
      : ['A price had several fees, or there are too many: correct the screens that show them.']),
  ]
    .map((line) => ` ${line}`)
    .join('\n');
  return document.toString({ lineWidth: 0 });
}

const missingComments: Readonly<Record<Missing, string>> = {
  payment: 'A screen shows a payment that is not in this file: add the steps that led to it at the start.',
  resume: 'A screen offers to resume a dialogue that is not in this file: add its steps at the start.',
  language: 'The language was chosen in an earlier dialogue: add a dialogue that chooses it at the start.',
  more: 'Some related dialogues are left out, because there are too many.',
};

const omissionComments: Readonly<Record<Omission, string>> = {
  late: 'A prompt was answered later than a rehearsal can answer it: correct the steps after it.',
  replaced:
    'A payment ended without an answer of its payer that a rehearsal can repeat: its prompt ends with another result that payers see alike.',
  end: 'A payment ended in a way that a rehearsal cannot repeat: correct the steps after it.',
  session: 'Inputs to a session that another session had replaced are left out.',
};

function settingsComment({ menu, aggregator }: TranscriptHead): string {
  return menu === undefined || aggregator === undefined
    ? 'From the ledger. Fill in the menu (its path relative to this file), the merchant, the aggregator and the service code.'
    : 'From the ledger. The path of the menu is relative to this file: correct it if necessary.';
}

/** A rehearsal lets this time pass before it dials: the time to read the previous screen. */
const readingMs = 2_500;

/** True when screens depend on the time: they show times of day, or an earlier dialogue. */
function isTimed({ turns }: DialogueHistory): boolean {
  const showsTime = turns.some(({ screen }) => /(?<!\d)([01]\d|2[0-3]):[0-5]\d(?!\d)/.test(screen));
  const dependsOnTime = turns.some((turn) => readMenuState(turn).startedAt !== undefined);
  return showsTime || dependsOnTime || new Set(turns.map(({ dialogueId }) => dialogueId)).size > 1;
}

/** The lifetime of a prompt in a rehearsal, by default and at most. */
const defaultPromptLifeMs = 2 * 60_000;
const maxPromptLifeMs = 12 * 3_600_000;

function formatLife(ms: number): string {
  return ms === maxPromptLifeMs ? '12h' : formatSeconds(ms);
}

/**
 * Returns the lifetime of each prompt of the rehearsal: the shortest one of the prompts that expired without an answer, in whole
 * seconds. Without such a prompt, the default lifetime, or the maximum if a prompt was open for longer than the default.
 */
function getPromptLife({ turns, opened }: DialogueHistory): number {
  const lastAt = turns.at(-1)?.at ?? 0;
  const openMs = ({ row, endedAt }: DialogueHistory['opened'][number]) => (endedAt ?? lastAt) - row.openedAt;
  const timedOut = opened.filter(({ row }) => isTimedOut(row));
  if (timedOut.length > 0) {
    const minOpenMs = Math.floor(Math.min(...timedOut.map(openMs)) / 1_000) * 1_000;
    return Math.min(Math.max(minOpenMs, 1_000), maxPromptLifeMs);
  }
  return opened.some((one) => openMs(one) >= defaultPromptLifeMs) ? maxPromptLifeMs : defaultPromptLifeMs;
}

function listAttendants({ turns }: DialogueHistory, { attendants = [] }: TranscriptHead): Msisdn[] {
  const diallers = new Set(turns.map(({ dialler }) => dialler));
  return attendants.flatMap((text) => {
    const msisdn = parseMsisdn(text);
    return msisdn !== undefined && diallers.has(msisdn) ? msisdn : [];
  });
}

function hasSeveralChannels({ turns }: DialogueHistory): boolean {
  return new Set(turns.map(({ channel }) => channel)).size > 1;
}

function hasQuote({ turns }: DialogueHistory): boolean {
  return turns.some((turn) => readMenuState(turn).quoted !== undefined);
}

/** Returns true when a screen contains "A fee may apply", because the service returned no quote. */
function hasFeePlaceholder(history: DialogueHistory): boolean {
  const placeholders = Object.values(defaultMessages).map(({ feeMayApply }) => feeMayApply);
  return (
    !hasQuote(history) &&
    history.turns.some(({ screen }) => placeholders.some((text) => screen.includes(text)))
  );
}
