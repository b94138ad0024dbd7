import { type Command, Option } from 'commander';
import { maxReviews, reviewOutcomes } from '../../../contract/staff/review.ts';
import { addGatewayOptions, helpExamples } from '../../command-options.ts';
import { wholeNumber } from '../../service/arguments.ts';
import { personHelp } from '../../staff/person-help.ts';
import type { StaffFlags } from '../ledger/types.ts';
import type { ApproveOptions, DecisionDeps, ProposeOptions, ReviewListOptions } from './types.ts';

const outcomesHelp = `
Outcomes:
  accept    what arrived belongs to the merchant
  returned  the money was returned to the payer; needs --reference, the reference of that transfer
  paid      the payment was made after all, although no money is recorded; the quoted amount is booked
  not_paid  the payment was never made`;

/** Adds `dialtill review` and its commands: two people decide about the money of a collection in review. */
export function registerReview(program: Command, deps: DecisionDeps): void {
  const review = program.command('review').addHelpText('after', '\nExample:\n  $ dialtill review list');
  const addCommand = (usage: string, description: string, help: string) =>
    addGatewayOptions(
      review.command(usage).description(description).option('--json', 'print JSON'),
    ).addHelpText('after', `${helpExamples('review', [help])}\n${personHelp}`);

  addCommand('list', 'list the reviews and their open proposals, newest first', 'list')
    .option('--limit <count>', `rows of the page, 1 to ${maxReviews}`, wholeNumber(1, maxReviews))
    .option('--after <cursor>', 'start after the page that printed this cursor')
    .action(async (options: ReviewListOptions) =>
      (await import('./read.ts')).listReviewsCommand(deps, options),
    );
  addCommand(
    'show <id>',
    'show a review: the money, the open proposal, and the postings of each possible decision',
    'show col_01k…',
  ).action(async (id: string, options: StaffFlags) =>
    (await import('./read.ts')).showReviewCommand(deps, id, options),
  );
  addCommand(
    'propose <id>',
    'propose a decision, which another person approves within 24 hours',
    `propose col_01k… --outcome accept --evidence "statement of 6 March, line 12"\n${outcomesHelp}`,
  )
    .addOption(
      new Option('--outcome <outcome>', 'the decision').choices(reviewOutcomes).makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', 'why: what you saw, and where')
    .option('--reference <text>', 'with the outcome returned: the reference of the transfer')
    .option('--version <number>', 'the version of the collection that you saw (default: the latest)', Number)
    .action(async (id: string, options: ProposeOptions) =>
      (await import('./decide.ts')).proposeOutcomeCommand(deps, id, options),
    );
  addCommand(
    'approve <proposal>',
    'print the postings of a proposal that another person made, and approve it',
    'approve prp_01k…',
  )
    .option('--yes', 'approve without asking')
    .action(async (id: string, options: ApproveOptions) =>
      (await import('./decide.ts')).approveCommand(deps, id, options),
    );
  addCommand('withdraw <proposal>', 'withdraw your own proposal', 'withdraw prp_01k…').action(
    async (id: string, options: StaffFlags) =>
      (await import('./decide.ts')).endCommand(deps, { id, verb: 'withdraw' }, options),
  );
  addCommand('refuse <proposal>', 'refuse the proposal of another person', 'refuse prp_01k…').action(
    async (id: string, options: StaffFlags) =>
      (await import('./decide.ts')).endCommand(deps, { id, verb: 'refuse' }, options),
  );
}
