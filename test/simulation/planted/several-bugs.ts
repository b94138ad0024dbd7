/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import type { Bug } from './bugs.ts';

/** Bugs between several gateways on one database. The simulation finds them with `--gateways 3`. */
export const severalBugs: readonly Bug[] = [
  {
    name: 'the gateway that sends an END screen again does not become the home',
    rule: 'home',
    find: 'if (answered.isRepeat) await deps.collections.adopt(turn.collectionId);',
    replace: '',
  },
  {
    name: 'the delay of a prompt counts from the confirmation when another gateway sent the END screen',
    rule: 'home',
    find: '(this.isShared ? maxWaitMs : 0)',
    replace: '0',
  },
  {
    name: 'the work of a gateway that has ended is not taken over',
    rule: 'home',
    find: 'const overdueMs = 5_000;',
    replace: 'const overdueMs = 1_000 * 3_600_000;',
  },
  {
    name: 'a claim compares neither the fence nor the lease',
    rule: 'lease',
    find: "        eq(collection.fence, placeholder('fence')),\n        // Null when the collection was closed since it was listed: the claim is lost, which is no fault.\n        isNotNull(collection.nextAt),\n        lte(collection.leaseUntil, placeholder('now')),",
    replace: '        isNotNull(collection.nextAt),',
  },
  {
    name: 'a gateway that starts alone releases the leases of others',
    rule: 'lease',
    find: 'const isOnFile = members.name === null;',
    replace: 'const isOnFile = isAlone;',
  },
  {
    name: 'a gateway that was suspended past its lease sends initiate',
    rule: 'lease',
    find: ': now >= leaseUntil\n        ?',
    replace: ': now < 0 * leaseUntil\n        ?',
  },
  {
    name: 'a result is written without the fence, and decides to send',
    rule: 'fence',
    find: "options.fence === fence ? 'held' : 'lost';",
    replace: "fence < 0 ? 'lost' : 'held';",
  },
  {
    name: 'each gateway has the whole rate of a key',
    rule: 'rates',
    find: 'const tokens = callsPerSecond / sharers;',
    replace: 'const tokens = callsPerSecond / Math.min(1, sharers);',
  },
  {
    name: 'a 429 pauses one gateway only',
    rule: 'rates',
    find: '      members.announcePause({ merchantId, ms });\n',
    replace: '',
  },
  {
    name: 'a block does not wait for open transactions',
    rule: 'seal',
    find: 'return (await store.settled()) ? end : undefined;',
    replace: 'return (await store.settled()) || end ? end : undefined;',
  },
  {
    name: 'a block waits before it reads the last numbers',
    rule: 'seal',
    find: 'const end = await latestNumbers.get(store);\n      return (await store.settled()) ? end : undefined;',
    replace: 'return (await store.settled()) ? latestNumbers.get(store) : undefined;',
  },
  {
    name: 'two gateways that start at once both begin a recovery',
    rule: 'recovery',
    find: 'startAlone: member.startAlone,',
    replace: 'startAlone: (work) => work(true),',
  },
  {
    name: 'an input that waited while another gateway continued the session is the next one',
    rule: 'session',
    find: 'isShared && !sequenced && isAfter',
    replace: 'false',
  },
  {
    name: 'a request that waited in a suspended gateway counts as new',
    rule: 'session',
    find: 'receivedAt - (deps.suspensions?.waitedMs() ?? 0)',
    replace: 'receivedAt',
  },
  {
    name: 'a gateway uses the clock of its machine',
    rule: 'clock',
    find: 'isInStep = clock.follow(sample);',
    replace: 'isInStep = sample.at > 0;',
  },
  {
    name: 'openings at one merchant do not wait for each other',
    rule: 'locks',
    find: '    `merchant ${livemode} ${merchantId}`,\n',
    replace: '',
  },
  {
    name: 'openings of one phone do not wait for each other',
    rule: 'locks',
    find: '    `payer ${livemode} ${payer}`,\n    `dialler ${livemode} ${dialler}`,\n',
    replace: '',
  },
  {
    name: 'a payment learns its session without the lock of the session',
    rule: 'locks',
    find: 'learned === null ? update : { ...update, locks: [sessionLock(learned)] }',
    replace: 'update',
  },
  {
    name: 'events do not wait for a payment that learns their session',
    rule: 'locks',
    find: "import { sessionLock } from '../collection/store/transition-store.ts';\n",
    replace: 'const sessionLock = (sessionId: string) => `events ${sessionId}`;\n',
  },
  {
    name: 'events of one session do not wait for each other',
    rule: 'locks',
    find: "import { sessionLock } from '../collection/store/transition-store.ts';\n",
    replace: 'const sessionLock = (sessionId: string) => `${sessionId} ${Math.random()}`;\n',
  },
  {
    name: 'a claim of an event compares neither the attempts nor the lease',
    rule: 'lease',
    find: "        eq(inbox.attempts, placeholder('attempts')),\n        lte(inbox.leaseUntil, placeholder('now')),\n      ),\n    ),\n  1,",
    replace: '      ),\n    ),\n  1,',
  },
  {
    name: 'a transition applies under another fence than the one that was read',
    rule: 'fence',
    find: "        eq(collection.fence, placeholder('fenceRead')),\n",
    replace: '',
  },
  {
    name: 'a claim of a notification does not compare the fence',
    rule: 'lease',
    find: ".set({ nextAt: parameter('leaseUntil'), fence: sql`${notification.fence} + 1` })\n    .where(and(isFenced, lte(notification.nextAt, placeholder('now')))),",
    replace:
      ".set({ nextAt: parameter('leaseUntil'), fence: sql`${notification.fence} + 1` })\n    .where(and(isKey, lte(notification.nextAt, placeholder('now')))),",
  },
  {
    name: 'an end screen of an unknown write announces a prompt',
    rule: 'unknown',
    find: "if (fault instanceof StoreFault && fault.kind === 'unknown') return 'unknown';",
    replace: "if (fault instanceof StoreFault && fault.kind === 'unknown') return true as never;",
  },
  {
    name: 'an event of an unknown write is acknowledged',
    rule: 'unknown',
    find: 'if (await deps.inbox.apply(inboxWrites.insert(row), ...hint))',
    replace:
      "if (await deps.inbox.apply(inboxWrites.insert(row), ...hint).catch((fault) => { if (fault.kind === 'unknown') return true; throw fault; }))",
  },
];
