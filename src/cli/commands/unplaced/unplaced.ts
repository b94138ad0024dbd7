import { type Command, Option } from 'commander';
import { unplacedStates } from '../../../gateway/unplaced/unplaced.ts';
import {
  addDatabaseOptions,
  addGatewayOptions,
  addPageOptions,
  fullHelp,
  helpExamples,
} from '../../command-options.ts';
import { personHelp } from '../../staff/person-help.ts';
import type { StaffFlags } from '../ledger/types.ts';
import type { Assignee } from './ask-gateway.ts';
import type {
  DecideOptions,
  EventsOptions,
  ListUnplacedOptions,
  UnplacedDeps,
  UnplacedOptions,
} from './types.ts';

const decisionHelp = `

Another person approves the proposal within 24 hours: dialtill review approve prp_01k…
${personHelp}`;

type CommandText = { usage: string; description: string; examples: readonly string[]; more?: string };

/** Adds `dialtill unplaced` and its commands: money that an event reports and no collection explains. */
export function registerUnplaced(program: Command, deps: UnplacedDeps): void {
  const unplaced = program.command('unplaced').addHelpText('after', '\nExample:\n  $ dialtill unplaced list');
  const addCommand = ({ usage, description, examples, more = '' }: CommandText) =>
    unplaced
      .command(usage)
      .description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `${helpExamples('unplaced', examples)}${more}`);
  const addReader = (text: CommandText) => addDatabaseOptions(addCommand(text));

  registerReaders(addReader, deps);
  registerDecisions(addCommand, deps);
  registerAssignments(addCommand, deps);
}

function registerReaders(addReader: (text: CommandText) => Command, deps: UnplacedDeps): void {
  addPageOptions(
    addReader({
      usage: 'list',
      description:
        'list the payments that no collection explains, newest first, each with the collection that fits best',
      examples: ['list', 'list --state all --limit 20', 'list --merchant demo-shop --json'],
    }),
  )
    .addOption(
      new Option('--state <state>', 'only payments in this state')
        .choices([...unplacedStates, 'all'])
        .default('open'),
    )
    .option('--merchant <id>', 'only payments to this merchant')
    .action(async (options: ListUnplacedOptions) =>
      (await import('./list.ts')).listUnplacedCommand(deps, options),
    );

  addReader({
    usage: 'show <id>',
    description: 'show an unplaced payment: what its event states, its history, and the collections that fit',
    examples: ['show unp_01k…', 'show pay_01k… --json'],
  }).action(async (id: string, options: UnplacedOptions) =>
    (await import('./show.ts')).showUnplacedCommand(deps, id, options),
  );

  addPageOptions(
    addReader({
      usage: 'events',
      description:
        'list the stored events that no collection explains, newest first, also those that report no money',
      examples: ['events', 'events --limit 20'],
    }),
  )
    .option('--full', fullHelp)
    .action(async (options: EventsOptions) => (await import('./list.ts')).eventsCommand(deps, options));
}

function registerDecisions(addCommand: (text: CommandText) => Command, deps: UnplacedDeps): void {
  const addDecision = (text: CommandText) =>
    addGatewayOptions(
      addCommand({ ...text, more: decisionHelp })
        .requiredOption('--evidence <text>', 'why: what you saw, and where')
        .option(
          '--version <number>',
          'the version of the payment that you saw (default: the latest)',
          Number,
        ),
    );
  const propose = async (id: string, options: DecideOptions, terms: object) =>
    (await import('./ask-gateway.ts')).proposePlacementCommand(deps, id, options, terms);

  addDecision({
    usage: 'match <id> <collection>',
    description:
      'propose that the payment belongs to a collection, which must be unpaid and of the same amount',
    examples: ['match unp_01k… col_01k… --evidence "the payer showed the SMS of the network"'],
  }).action((id: string, collectionId: string, options: DecideOptions) =>
    propose(id, options, { outcome: 'match', collectionId }),
  );
  addDecision({
    usage: 'return <id>',
    description: 'propose to record that the money was returned to the payer',
    examples: ['return unp_01k… --reference MTN-77 --evidence "transfer of 6 March"'],
  })
    .requiredOption('--reference <text>', 'the reference of the transfer that returned the money')
    .action((id: string, options: DecideOptions) =>
      propose(id, options, { outcome: 'return', reference: options.reference }),
    );
  addDecision({
    usage: 'foreign <id>',
    description: 'propose that the money belongs to another channel of the merchant, such as a web shop',
    examples: ['foreign unp_01k… --evidence "order 1042 of the web shop"'],
  }).action((id: string, options: DecideOptions) => propose(id, options, { outcome: 'foreign' }));
}

function registerAssignments(addCommand: (text: CommandText) => Command, deps: UnplacedDeps): void {
  const addAssignment = (text: CommandText) =>
    addGatewayOptions(addCommand({ ...text, more: `\n${personHelp}` }));
  const assign = async (id: string, assignee: Assignee, options: StaffFlags) =>
    (await import('./ask-gateway.ts')).assignUnplacedCommand(deps, { id, assignee }, options);

  addAssignment({
    usage: 'take <id>',
    description: 'record that you resolve an unplaced payment, also when another person has it',
    examples: ['take unp_01k…', 'take unp_01k… --json'],
  }).action((id: string, options: StaffFlags) => assign(id, 'caller', options));
  addAssignment({
    usage: 'leave <id>',
    description: 'end the assignment of an unplaced payment, whoever has it',
    examples: ['leave unp_01k…'],
  }).action((id: string, options: StaffFlags) => assign(id, 'no_one', options));
  addAssignment({
    usage: 'assign <id> <name>',
    description: 'hand an unplaced payment over to a person of support staff',
    examples: ['assign unp_01k… kofi'],
  }).action((id: string, name: string, options: StaffFlags) => assign(id, { name }, options));
}
