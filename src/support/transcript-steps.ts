import { Scalar } from 'yaml';
import type { EpochMs } from '../shared/clock.ts';
import { formatCedis } from '../shared/money.ts';
import { type Msisdn, operatorByPrefix } from '../shared/msisdn.ts';
import type { TurnRow } from './collection-query.ts';
import { toldIn } from './looked-up.ts';
import type { Mask } from './mask.ts';
import type { ShortReferences } from './short-references.ts';
import { asShown } from './shown.ts';
import { type Ended, type Story, stateOf } from './story-query.ts';

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
  /** When the rehearsal opens; then every wait is kept, since screens tell times. Else only those between dials. */
  startAt: EpochMs | undefined;
};

/** A person reads before dialling and typing: what passes by itself in a rehearsal. */
export const readingMs = 2_500;
/** What a prompt and its answer take there. */
const promptMs = 2_000;
/** A prompt on the simulated phone waits no longer. */
const longestPromptMs = 4 * 60_000;
const longestWaitMs = 24 * 3_600_000;
const minuteMs = 60_000;

type Event = { at: EpochMs } & ({ kind: 'end'; ended: Ended } | { kind: 'turn'; turn: TurnRow });

/** What was dialled and typed, the screens, and how payers answered prompts, in the order of time. */
export function stepsOf(story: Story, writing: Writing): Steps {
  const { mask, references, serviceCode, startAt } = writing;
  const steps: Step[] = [];
  const lost = new Set<Lost>();
  /** The dialogue that each phone is in. */
  const inDialogue = new Map<string, string>();
  const [first] = story.turns;
  let inHand: string | undefined = first?.dialler;
  let now = startAt ?? 0;
  let before: TurnRow | undefined;
  let shown = '';

  function take(dialler: string, operator?: string): void {
    if (dialler === inHand) return;
    inHand = dialler;
    const number = quoted(mask.number(dialler as Msisdn));
    const ported = operator !== undefined && operator !== operatorByPrefix(dialler as Msisdn);
    steps.push({ phone: ported ? { msisdn: number, operator } : number });
  }

  function waitFor(at: EpochMs, begins: boolean): void {
    if (startAt === undefined) {
      if (begins && before) steps.push(...waits(at - before.at - readingMs, false));
      return;
    }
    const leadMs = Math.max(0, at - readingMs - now);
    const whole = Math.round(leadMs / 1_000) * 1_000;
    const minuteAt = (ms: number) => Math.trunc((now + ms + readingMs) / minuteMs);
    const isExact = minuteAt(whole) !== minuteAt(leadMs);
    steps.push(...waits(isExact ? leadMs : whole, isExact));
    now += (isExact ? leadMs : whole) + readingMs;
  }

  function writeTurn(turn: TurnRow): void {
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
    if (turn.ending !== null) {
      steps.push('leave');
      return;
    }
    waitFor(turn.at, begins);
    steps.push(begins ? dialled(turn) : { send: quoted(inputOf(turn.input ?? '')) });
    learn(turn);
    shown = mask.text(references.text(asShown(turn.screen)));
    steps.push({ [turn.reply === 'end' ? 'end' : 'screen']: block(shown) });
    before = turn;
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
  function writeEnd({ row, endedAt }: Ended): void {
    const { id, status, reason, payer, dialler, goodsMinor } = row;
    const isAsked = id === story.collection.id;
    const isApproved = status === 'paid';
    const isDeclined = status === 'failed' && reason === 'declined';
    if (status === 'expired') return;
    if (!isApproved && !isDeclined) {
      if (endedAt !== null) lost.add('end');
      return;
    }
    if ((endedAt ?? 0) - row.openedAt > longestPromptMs) {
      lost.add('late');
      return;
    }
    steps.push(payer === inHand ? 'prompt' : { prompt: { msisdn: quoted(mask.number(payer)) } });
    steps.push(isApproved ? { approve: quoted('1234') } : 'decline');
    now += promptMs;
    const newest = story.opened.findLast((one) => {
      return one.row.dialler === dialler && one.row.openedAt <= (endedAt ?? Number.POSITIVE_INFINITY);
    });
    if (newest?.row.id !== id) return;
    take(dialler);
    const amount = quoted(formatCedis(goodsMinor).replace(/^GHS /, ''));
    steps.push({ expect: isAsked ? { status, amount } : { status } });
  }

  for (const event of eventsOf(story)) {
    if (event.kind === 'turn') writeTurn(event.turn);
    else writeEnd(event.ended);
  }
  return { steps, lost };
}

/** What was known before a turn came stands before it. */
function eventsOf({ turns, opened }: Story): Event[] {
  const ends = opened.map((ended): Event => {
    return { kind: 'end', ended, at: ended.endedAt ?? Number.POSITIVE_INFINITY };
  });
  return [...ends, ...turns.map((turn): Event => ({ kind: 'turn', turn, at: turn.at }))].sort((a, b) =>
    a.at === b.at ? 0 : a.at - b.at,
  );
}

function waits(ms: number, isExact: boolean): Step[] {
  const wait = Math.min(ms, longestWaitMs);
  if (isExact) return wait > 0 ? [{ wait: `${Math.trunc(wait)}ms` }] : [];
  return wait >= 1_000 ? [{ wait: `${Math.round(wait / 1_000)}s` }] : [];
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
