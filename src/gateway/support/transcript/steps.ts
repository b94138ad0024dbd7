import { Scalar } from 'yaml';
import type { EpochMs } from '../../../shared/clock.ts';
import { localForm, type Msisdn, operatorByPrefix } from '../../../shared/msisdn.ts';
import type { TurnRow } from '../collection-query.ts';
import { asDisplayed } from './displayed.ts';
import { cedis, findEndStep, isTimedOut } from './ends.ts';
import { listEvents } from './events.ts';
import type { DialogueHistory, OpenedCollection } from './history-query.ts';
import type { RehearsedReferences } from './short-references.ts';
import { quoted, type Step } from './step.ts';

/** Events that a rehearsal cannot repeat. */
export type Omission = 'late' | 'end' | 'replaced' | 'session';

export type Steps = { steps: Step[]; omissions: Set<Omission> };

export type StepOptions = {
  references: RehearsedReferences;
  serviceCode: string;
  /** True when screens depend on times: each step then happens at its own millisecond, otherwise as soon as possible. */
  isTimed: boolean;
  /** The lifetime of a prompt of the rehearsal. */
  promptLifeMs: number;
};

/** A step waits no longer; each prompt of a rehearsal ends before. */
const maxWaitMs = 24 * 3_600_000;

/** Returns the steps of a transcript in order: dials, inputs, screens, and the payers' answers to prompts. */
export function getSteps(history: DialogueHistory, options: StepOptions): Steps {
  const { references, serviceCode, isTimed, promptLifeMs } = options;
  const steps: Step[] = [];
  const omissions = new Set<Omission>();
  /** The phone of each dialogue; empty after the phone has started another dialogue. */
  const phones = new Map<string, string>();
  let currentPhone: string | undefined = history.turns[0]?.dialler;
  let lastTurnAt: EpochMs | undefined;
  const confirmed: OpenedCollection[] = [];

  function switchPhone(dialler: string, operator?: string): void {
    if (dialler === currentPhone) return;
    currentPhone = dialler;
    const msisdn = quoted(localForm(dialler as Msisdn));
    const isPorted = operator !== undefined && operator !== operatorByPrefix(dialler as Msisdn);
    steps.push({ phone: isPorted ? { msisdn, operator } : msisdn });
  }

  /** The rehearsal starts with the first dial, which therefore has no time. */
  function waitUntil(time: EpochMs): void {
    if (isTimed && lastTurnAt !== undefined) steps.push({ until: quoted(new Date(time).toISOString()) });
  }

  function addTurn(turn: TurnRow, time: EpochMs): void {
    const { dialler, operator, dialogueId } = turn;
    const isFirst = !phones.has(dialogueId);
    if (!isFirst && phones.get(dialogueId) !== dialler) {
      // An end notice has no screen, so that nothing is missing.
      if (turn.ending === null) omissions.add('session');
      return;
    }
    if (isFirst) {
      for (const [id, phone] of phones) if (phone === dialler) phones.set(id, '');
      phones.set(dialogueId, dialler);
    }
    switchPhone(dialler, operator);
    waitUntil(time);
    lastTurnAt = time;
    if (turn.ending !== null) {
      steps.push('leave');
      return;
    }
    steps.push(isFirst ? dialStep(turn) : { send: quoted(getInput(turn.input ?? '')) });
    const screen = references.inScreen(asDisplayed(turn.screen));
    steps.push({ [turn.reply === 'end' ? 'end' : 'screen']: block(screen) });
    const opened = history.opened.find(
      ({ row }) => row.dialogueId === dialogueId && row.id === turn.collectionId,
    );
    if (opened) confirmed.push(opened);
  }

  function getInput(input: string): string {
    return references.forInput(input) ?? input;
  }

  function dialStep({ input }: TurnRow): Step {
    const suffix = (input ?? '').split('*').filter((answer) => answer !== '');
    const answers = suffix.map((answer) => `*${getInput(answer)}`).join('');
    return { dial: quoted(serviceCode.replace(/#$/, `${answers}#`)) };
  }

  /** Adds the payer's answer to the prompt, where it is known and a rehearsal can repeat it. */
  function addEnd({ row, endedAt }: OpenedCollection, time: EpochMs): void {
    const { id, status, payer, dialler, goodsMinor, openedAt } = row;
    const hasTimedOut = isTimedOut(row);
    const end = hasTimedOut ? undefined : findEndStep(row);
    if (end === undefined && !hasTimedOut) {
      if (endedAt !== null) omissions.add('end');
      return;
    }
    // The exact time of the answer is on no screen. It may move to before the simulated prompt expires, if no turn followed.
    const lastAt = openedAt + promptLifeMs - 1;
    if (isTimed && (lastTurnAt ?? 0) > lastAt) {
      omissions.add('late');
      return;
    }
    if (end?.isReplaced) omissions.add('replaced');
    waitUntil(Math.min(time, lastAt));
    steps.push(payer === currentPhone ? 'prompt' : { prompt: { msisdn: quoted(localForm(payer)) } });
    if (end === undefined) {
      if (isTimed) waitUntil(Math.min(time, openedAt + maxWaitMs));
      else steps.push({ wait: formatSeconds(promptLifeMs) });
      return;
    }
    steps.push(end.step);
    if (status === 'abandoned' || status === 'expired') return;
    if (confirmed.findLast((one) => one.row.dialler === dialler)?.row.id !== id) return;
    switchPhone(dialler);
    const amount = quoted(cedis(goodsMinor));
    steps.push({ expect: id === history.collection?.id ? { status, amount } : { status } });
  }

  for (const event of listEvents(history)) {
    if (event.kind === 'turn') addTurn(event.turn, event.at);
    else addEnd(event.ended, event.at);
  }
  return { steps, omissions };
}

/** Formats a time of whole seconds as a transcript has it. */
export function formatSeconds(ms: number): string {
  return `${ms / 1_000}s`;
}

function block(text: string): Scalar {
  const scalar = new Scalar(`${text}\n`);
  scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}
