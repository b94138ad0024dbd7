import { Scalar } from 'yaml';
import type { EpochMs } from '../../shared/clock.ts';
import { formatCedis } from '../../shared/money.ts';
import { type Msisdn, operatorByPrefix } from '../../shared/msisdn.ts';
import type { TurnRow } from './collection-query.ts';
import { type DialogueHistory, type Ended, stateOf } from './dialogue-query.ts';
import { eventsOf } from './events.ts';
import { toldIn } from './lookup-answers.ts';
import type { Mask } from './mask.ts';
import type { ShortReferences } from './short-references.ts';
import { asShown } from './shown.ts';

export type Step = string | Readonly<Record<string, unknown>>;

export type Steps = {
  steps: Step[];
  /** What a rehearsal cannot do again. */
  lost: Set<Lost>;
};
export type Lost = 'late' | 'end' | 'session';

export type Writing = {
  mask: Mask;
  references: ShortReferences;
  serviceCode: string;
  /** Everything is done when it was done, to the millisecond: screens depend on it. Else as soon as it can be. */
  isTimed: boolean;
  /** After the last screen, when the prompt comes in the rehearsal. */
  promptDelayMs: number;
  /** Days that screens name become those of the rehearsal. */
  days(said: string): string;
};

/** A prompt on the simulated phone waits no longer. */
const promptLifeMs = 2 * 60_000;

/** What was dialled and typed, the screens, and how payers answered prompts, in the order of time. */
export function stepsOf(story: DialogueHistory, writing: Writing): Steps {
  const { mask, references, serviceCode, isTimed, promptDelayMs, days } = writing;
  const steps: Step[] = [];
  const lost = new Set<Lost>();
  /** The dialogue that each phone is in. */
  const inDialogue = new Map<string, string>();
  const [first] = story.turns;
  let inHand: string | undefined = first?.dialler;
  /** Of the last turn. */
  let now: EpochMs | undefined;
  /** What was agreed to until then. */
  const agreed: Ended[] = [];
  let shown = '';

  function take(dialler: string, operator?: string): void {
    if (dialler === inHand) return;
    inHand = dialler;
    const number = quoted(mask.number(dialler as Msisdn));
    const ported = operator !== undefined && operator !== operatorByPrefix(dialler as Msisdn);
    steps.push({ phone: ported ? { msisdn: number, operator } : number });
  }

  /** What is done next is done then, also where it follows at once. The till opens for the first dial. */
  function at(time: EpochMs): void {
    if (isTimed && now !== undefined) steps.push({ until: quoted(new Date(time).toISOString()) });
  }

  function writeTurn(turn: TurnRow, time: EpochMs): void {
    const { dialler, operator, dialogueId } = turn;
    const begins = !inDialogue.has(dialogueId);
    if (!begins && inDialogue.get(dialogueId) !== dialler) {
      // Nobody saw a screen when it was told that the session is over.
      if (turn.ending === null) lost.add('session');
      return;
    }
    if (begins) {
      for (const [id, phone] of inDialogue) if (phone === dialler) inDialogue.set(id, '');
      inDialogue.set(dialogueId, dialler);
    }
    take(dialler, operator);
    at(time);
    now = time;
    if (turn.ending !== null) {
      steps.push('leave');
      return;
    }
    steps.push(begins ? dialled(turn) : { send: quoted(inputOf(turn.input ?? '')) });
    learn(turn);
    shown = mask.text(references.text(days(asShown(turn.screen))));
    steps.push({ [turn.reply === 'end' ? 'end' : 'screen']: block(shown) });
    const opened = story.opened.find(
      ({ row }) => row.dialogueId === dialogueId && row.id === turn.collectionId,
    );
    if (opened) agreed.push(opened);
  }

  function inputOf(typed: string): string {
    return references.input(typed) ?? mask.input(typed, shown);
  }

  function dialled({ input }: TurnRow): Step {
    const suffix = (input ?? '').split('*').filter((answer) => answer !== '');
    const answers = suffix.map((answer) => `*${inputOf(answer)}`).join('');
    return { dial: quoted(serviceCode.replace(/#$/, `${answers}#`)) };
  }

  function learn(turn: TurnRow): void {
    for (const { answer } of stateOf(turn).lookedUp ?? []) {
      if (answer === 'not_found') continue;
      mask.learn(toldIn(Object.values(answer)));
    }
  }

  /** What a payer did with the prompt, where that is known and can be done again. */
  function writeEnd(ended: Ended, time: EpochMs): void {
    const { id, status, reason, payer, dialler, goodsMinor, openedAt } = ended.row;
    const isApproved = status === 'paid';
    const isDeclined = status === 'failed' && reason === 'declined';
    if (status === 'expired') return;
    if (!isApproved && !isDeclined) {
      if (ended.endedAt !== null) lost.add('end');
      return;
    }
    // No screen tells when a prompt was answered: it may be while it still waits, if no turn came after that.
    const lastAt = openedAt + promptDelayMs + promptLifeMs - 1;
    if (isTimed && (now ?? 0) > lastAt) {
      lost.add('late');
      return;
    }
    at(Math.min(time, lastAt));
    steps.push(payer === inHand ? 'prompt' : { prompt: { msisdn: quoted(mask.number(payer)) } });
    steps.push(isApproved ? { approve: quoted('1234') } : 'decline');
    if (agreed.findLast(({ row }) => row.dialler === dialler)?.row.id !== id) return;
    take(dialler);
    const amount = quoted(formatCedis(goodsMinor).replace(/^GHS /, ''));
    steps.push({ expect: id === story.collection.id ? { status, amount } : { status } });
  }

  for (const event of eventsOf(story)) {
    if (event.kind === 'turn') writeTurn(event.turn, event.at);
    else writeEnd(event.ended, event.at);
  }
  return { steps, lost };
}

function block(text: string): Scalar {
  const scalar = new Scalar(`${text}\n`);
  scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}

export function quoted(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_SINGLE;
  return scalar;
}
