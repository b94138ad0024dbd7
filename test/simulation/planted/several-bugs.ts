/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import { bugsByRule } from '../../kit/plant.ts';

/** Bugs between several gateways on one database. The simulation finds them with `--gateways 3`. */
export const severalBugs = bugsByRule({
  home: {
    'the gateway that sends an END screen again does not become the home':
      '[-if (answered.isRepeat) await deps.collections.adopt(turn.collectionId);-]',
    'the delay of a prompt counts from the confirmation when another gateway sent the END screen':
      '[-(this.isShared ? maxWaitMs : -]0[-)-]',
    'the work of a gateway that has ended is not taken over':
      'const overdueMs = [-5_000-]{+1_000 * 3_600_000+};',
  },
  lease: {
    'a claim does not compare the lease':
      "and(isListed, lte(job.nextAt, placeholder('now')), [-lte(job.leaseUntil, placeholder('now')), -]isServedHere)",
    'a gateway that starts alone releases the leases of others':
      'const isOnFile = [-members.name === null-]{+isAlone+};',
    'a gateway that was suspended past its lease sends initiate':
      ': now [->=-]{+< 0 *+} leaseUntil\n        ?',
    'a claim of an event compares neither the attempts nor the lease':
      "[-        equals(inbox, 'attempts'),\n        lte(inbox.leaseUntil, placeholder('now')),\n      -]{+      +}),\n    ),\n  1,",
    'a claim of a notification does not compare the fence':
      ".set({ nextAt: parameter('leaseUntil'), fence: sql`${notification.fence} + 1` })\n    .where(and([-isFenced-]{+isKey+}, lte(notification.nextAt, placeholder('now')))),",
  },
  fence: {
    'a result is written without the fence, and decides to send':
      "[-options.fence === fence ? 'held' : 'lost-]{+fence < 0 ? 'lost' : 'held+}';",
    'a transition applies under another fence than the one that was read':
      "      urgency: parameter('urgency'),\n    })\n    .where(equals(job, 'collectionId'[-, 'fence'-])),",
  },
  rates: {
    'each gateway has the whole rate of a key':
      'const tokens = callsPerSecond / {+Math.min(1, +}sharers{+)+};',
    'a 429 pauses one gateway only': '[-      members.announcePause({ merchantId, ms });\n-]',
  },
  seal: {
    'a block does not wait for open transactions':
      'return (await store.settled()) {+|| end +}? end : undefined;',
    'a block waits before it reads the last numbers':
      '[-const end = await latestNumbers.get(store);\n      -]return (await store.settled()) ? [-end-]{+latestNumbers.get(store)+} : undefined;',
  },
  recovery: {
    'two gateways that start at once both begin a recovery':
      'startAlone: [-member.startAlone-]{+(work) => work(true)+},',
  },
  session: {
    'an input that waited while another gateway continued the session is the next one':
      '[-isShared && !sequenced && isAfter-]{+false+}',
    'a request that waited in a suspended gateway counts as new':
      'receivedAt[- - (deps.suspensions?.waitedMs() ?? 0)-]',
  },
  clock: {
    'a gateway uses the clock of its machine': 'isInStep = [-clock.follow(-]sample[-)-]{+.at > 0+};',
  },
  locks: {
    'openings at one merchant do not wait for each other':
      'merchant.perMinute === null {+|| merchantId +}? [] :',
    'openings of one phone do not wait for each other':
      '[-    `payer ${livemode} ${payer}`,\n    `dialler ${livemode} ${dialler}`,\n-]',
    'a payment learns its session without the lock of the session':
      '[-learned === null ? -]update[- : { ...update, locks: [sessionLock(learned)] }-]',
    'events do not wait for a payment that learns their session':
      "[-import { sessionLock } from '../collection/store/collection-store.ts'-]{+const sessionLock = (sessionId: string) => `events ${sessionId}`+};\n",
    'events of one session do not wait for each other':
      "[-import { sessionLock } from '../collection/store/collection-store.ts'-]{+const sessionLock = (sessionId: string) => `${sessionId} ${Math.random()}`+};\n",
  },
  unknown: {
    'an end screen of an unknown write announces a prompt':
      "if (fault instanceof StoreFault && fault.kind === 'unknown') return [-'unknown'-]{+true as never+};",
    'an event of an unknown write is acknowledged':
      "if (await deps.inbox.apply(inboxWrites.insert(row), ...poll){+.catch((fault) => { if (fault.kind === 'unknown') return true; throw fault; })+})",
  },
});
