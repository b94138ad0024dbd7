import type { z } from 'zod';
import type { Tolerant } from '../../../contract/tolerant.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import type { CommandGroup } from '../../command-options.ts';
import type { ConnectStaff, StaffFlags } from '../../staff/staff-client.ts';
import { printAnswer, showTime } from '../../terminal/output.ts';
import type { Output } from '../../terminal/protected-output.ts';

export type ActionDeps = { stdout: Output; staffClient: ConnectStaff };

/**
 * Adds the commands that a running gateway carries out about one collection, for the person who has signed in. Each throws a
 * `UserError` when the gateway refuses or cannot be reached.
 */
export function registerActions(ledger: CommandGroup, { stdout, staffClient }: ActionDeps): void {
  /** The answers of operations. Only a command that runs loads them. */
  const answers = () => import('../../../contract/staff/staff.ts');
  async function act<Answer>(
    path: { id: string; action: string },
    { schema, body }: { schema: z.ZodType<Answer>; body?: object },
    options: StaffFlags,
    describe: (answer: Tolerant<Answer>) => string,
  ): Promise<void> {
    const { pathSegment } = await import('../../service/admin-client.ts');
    const client = await staffClient(options);
    const answer = await client.post(`/collections/${pathSegment(path.id)}/${path.action}`, schema, body);
    printAnswer(stdout, options, answer, describe(answer));
  }

  ledger
    .addAction({
      usage: 'check-now <id>',
      description: 'poll the service about a collection now, instead of at the next time of its plan',
      examples: ['check-now col_01k…'],
    })
    .action(async (id: string, options: StaffFlags) => {
      const { checkNowAnswer: schema } = await answers();
      await act({ id, action: 'check' }, { schema }, options, ({ collectionId, status }) => {
        const next = `the gateway polls it now. Read the result with "dialtill ledger show ${collectionId}"`;
        return `${collectionId} is ${status}; ${next}`;
      });
    });

  ledger
    .addAction({
      usage: 'assign <id> <name>',
      description: 'hand a collection over to a person of support staff; the name none ends the assignment',
      examples: ['assign col_01k… kofi'],
    })
    .action(async (id: string, name: string, options: StaffFlags) => {
      const { assignAnswer: schema } = await answers();
      const body = { to: name === 'none' ? null : name };
      await act({ id, action: 'assign' }, { schema, body }, options, ({ collectionId, to, actor }) => {
        const done = to === null ? `unassigned ${collectionId}` : `assigned ${collectionId} to ${to}`;
        return `${done} by ${actor}`;
      });
    });

  ledger
    .addAction({
      usage: 'note <id> <text>',
      description: 'record a note about a collection; notes are never deleted, so do not write personal data',
      examples: ['note col_01k… "the payer called, and sends the receipt"'],
    })
    .action(async (id: string, text: string, options: StaffFlags) => {
      const { noteAnswer: schema } = await answers();
      await act(
        { id, action: 'notes' },
        { schema, body: { text } },
        options,
        ({ collectionId, actor }) => `noted on ${collectionId} by ${actor}`,
      );
    });

  ledger
    .addAction({
      usage: 'reveal <id>',
      description: 'show the whole numbers of a collection, and record who saw them and why',
      examples: ['reveal col_01k… --reason "the payer never asked for it"'],
    })
    .requiredOption('--reason <text>', 'why; it is recorded and never deleted')
    .action(async (id: string, { reason, ...options }: StaffFlags & { reason: string }) => {
      const { revealAnswer: schema } = await answers();
      const { describeAnswer } = await import('../../../gateway/collection/answers.ts');
      await act({ id, action: 'reveal' }, { schema, body: { reason } }, options, (answer) =>
        [
          `payer       ${localForm(answer.payer as Msisdn)}`,
          `dialled by  ${localForm(answer.dialler as Msisdn)}`,
          ...answer.answers.map((one) => `answer      ${describeAnswer(one)}`),
          `Until ${showTime(Date.parse(answer.until))} UTC, "dialtill ledger show ${answer.collectionId}" shows them too.`,
        ].join('\n'),
      );
    });
}
