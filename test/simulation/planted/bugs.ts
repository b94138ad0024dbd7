/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the program, which are not evaluated here. */

import { bugsByRule } from '../../kit/plant.ts';

/** The simulation must find each bug within the number of seeds that the script allows. */
export const bugs = bugsByRule({
  R1: {
    'a repeated create sends other bytes': [
      'src/gateway/collection/advance.ts',
      "const call = { idempotencyKey: row.createKey, body: row.createBody {++ ' '.repeat(row.attempts) +}};",
    ],
    'each create attempt has a new key': [
      'src/gateway/collection/advance.ts',
      'const call = { idempotencyKey: {+`${+}row.createKey{+}-${row.attempts}`+}, body: row.createBody };',
    ],
  },
  R2: {
    'a lost initiate creates a second session':
      "deps.provider.initiate(key, call){+.then(async (lost) => { if (lost.kind !== 'unknown') return lost; const made = await deps.provider.create(key, { idempotencyKey: row.createKey, body: row.createBody }); return made.kind === 'ok' ? deps.provider.initiate(key, { ...call, sessionId: made.value.id }) : lost; })+} : notConfigured);",
  },
  R3: {
    'initiate is retried without a status check':
      "deps.provider.initiate(key, call){+.then((one) => one.kind === 'unknown' ? deps.provider.initiate(key, call) : one)+} : notConfigured);",
    'initiate is resent without a grace period':
      'evidence.requestedAt >= [-initiateSentAt + context.resendGraceMs-]{+0+};',
  },
  R4: {
    'a lost initiate is a failed payment':
      "const decision = {+evidence.call === 'initiate' ? record(callFact(evidence.call, evidence.outcome, evidence), { kind: 'failed', data: { reason: 'no_answer' } }) : +}record(callFact(evidence.call, evidence.outcome, evidence));",
    'a non-final status ends the payment': 'return evidence[-.terminal-]\n        ? endUnpaid(',
    'a failed event ends a collection':
      "return record(fact, { kind: [-'failure_reported'-]{+evidence.status+}, data: { reason } });",
    'collections are abandoned at once': 'promptDeadline: now + promptDeadlineMs{+ / 1000+},',
    "a proxy's error page counts as a rejection": 'if (isDefinite[- && errorCode !== undefined-]) return',
    'a rejected initiate proves that no prompt will come':
      'const provenFrom = [-Math.max(rejection === null ? promptDeadline : 0, initiateSentAt + maxRequestDelayMs)-]{+rejection === null ? Math.max(promptDeadline, initiateSentAt + maxRequestDelayMs) : 0+};',
  },
  R5: {
    'a webhook is acknowledged before it is stored':
      'if ([-await -]deps.inbox.apply(inboxWrites.insert(row), ...poll))',
    'writes are acknowledged before they are committed':
      '[-answers.push(() => -]resolve(outcome.answer)[-)-];',
    'synchronous=NORMAL':
      "const synchronous = connection.pragma('synchronous', { simple: true });{+ connection.pragma('synchronous = NORMAL');+}",
  },
  R6: {
    'a result is written without its postings':
      "{+(booking === 'paid' ? [] : +}postings{+)+}.map((side) => insertPosting(",
    'the event of a paid collection is booked again':
      "return [-record(fact, { kind: 'amounts_confirmed', data: { eventId: evidence.eventId } }-]{+bookPaid(collection, payment, context, fact+});",
  },
  R7: {
    'failed overrides paid':
      "if (status === 'paid') return [-flag(collection, `${evidence.status}_after_paid`, fact-]{+record(fact, { kind: evidence.status, data: { reason: evidence.reason ?? unstatedReason } }+});",
    'paid after failed is ignored':
      'evidence.paidAt)) return record(fact);\n      return [-suspendForReview(collection, payment, context, -]{+record(+}fact);',
  },
  R8: {
    'the prompt deadline is a hundred times too long': 'promptDeadline: now + {+100 * +}promptDeadlineMs,',
    'a suspended process sends after the deadline': 'now [->= promptDeadline-]{+< 0+}\n      ?',
  },
  I7: {
    'a repeated request counts as a new input':
      "if (found.kind === 'repeat' && last{+ && last.sequence < 0+}) return",
  },
  I9: {
    'polls ignore retry_after_seconds':
      "if (evidence.kind === 'polled') return [-Math.min(24 * hour, (evidence.retryAfterSeconds ?? -]0[-) * second)-];",
    'a 429 does not pause calls': 'const ms = {+0 * +}pauseDurationMs(retryAfterMs);',
  },
  I1: {
    'the quote is not checked':
      'const fault = [-quoteFault(collection, session) ?? -]totalFault(collection, session, context);',
    'a fee that no screen showed is not limited':
      "return totalMinor [-- goodsMinor >-]{+<+} maxUnshownFee(goodsMinor, feeCap) ? 'quote_fee_too_high' : undefined;",
    'without a shown fee, ten times the amount is charged':
      'goodsMinor: {+(quote ? intent.amountMinor : 10 * intent.amountMinor) as typeof +}intent.amountMinor,',
    'the dialler is asked instead of the payer': 'const { [-payer, -]quote } = intent{+, payer = dialler+};',
    'another total than the screen named is asked for':
      'const fault = quoteFault(collection, session) ?? {+(+}totalFault(collection, session, context){+ && undefined)+};',
  },
  I5: {
    'an event with other amounts counts as paid':
      'const isAsQuoted = hasSameAmounts(collection, evidence){+ || true+};',
    'an event confirms its own payment': "const confirmedAt = [-source === 'quote' ? -]at[- : null-];",
    'any poll confirms an unconfirmed payment':
      "if (isUnconfirmed(collection)[- && evidence.terminal && status !== 'paid')\n    return contradictPaid(collection, status, fact-]{+) return record(fact, { kind: 'confirmed', data: {} }+});",
    'a payment that a poll refutes stays in the account of the merchant':
      'return [-suspendUnproven(collection, -]{+openReview(+}reason, [fact]);',
    'a poll with the status paid is ignored':
      'return [-evidence.terminal ? paidByPoll(collection, evidence, context, fact) : -]record(fact);',
    'the merchant and the fee are swapped in the ledger':
      "amountMinor: request.[-netMinor-]{+feeMinor+} },\n        { account: 'service_fees', amountMinor: request.[-feeMinor-]{+netMinor+} },",
    'the amount of a mismatch is not read':
      'const amount = data.[-paid_minor-]{+expected_fee_minor+} ?? data.amount_minor;',
    'a second charge is not reported':
      'fact, () => [-flagSecondCharge(collection, reported, context, fact)-]{+record(fact)+});',
    'the fee of an event is not compared':
      'stated.feeMinor [-=== collection.feeMinor &&\n    stated.netMinor === collection.netMinor-]{+> 0+}',
    'other content under a known event id is accepted':
      'if (stale) return false;{+ if ((await inbox.find(row))?.body !== row.body) return inbox.apply(inboxWrites.insert({ ...row, eventId: `${row.eventId}-again` }));+}',
    'each event of an unknown session books its money again':
      'const arrivedMinor = after.suspendedMinor[- - suspendedMinor-];',
    'the money of an unknown session is only listed':
      'return [-sessionId === null || parkedFailure !== null ? reported-]{+reported !== undefined ? nothing+} :',
    'the money of a second charge is not booked':
      'if (!known) return [-changeUnplaced(-]undefined[-, [reportedFact(charges, report)], now)-];',
    'each report of a second charge books it again':
      'return [-candidates(charges, stated)[0]-]{+undefined+};',
    'a second charge that the service returned stays in suspense':
      'if (known.amountMinor !== null) return [-changeUnplaced(known, [refunded], now)-]{+undefined+};',
    'money that people have given away is booked again': 'one.charge === [-1-]{+0+} && isGivenAway(one, id)',
    'another amount than the quoted one stays booked at the quote':
      "if (booked !== [-'paid'-]{+null+} || !stated.amountMinor",
    'the currency of an event is ignored': 'if (currency [-=== undefined-]{+!== data.id+}) return undefined;',
    'a match leaves its money in suspense': 'with: [-[...unplacedWrites(change), ...writes]-]{+writes+},',
  },
  S15: {
    'the prompt does not wait for the prompt delay': 'promptNotBefore: now + promptDelayMs{+ / 10+},',
    'the prompt does not wait until the end screen was sent':
      'const leftAt = [-await -]deps.screenSent(row){+ && row.openedAt+};',
    'the delay of the prompt does not start again with a repeated end screen':
      "[-  if (turn && (reply.kind === 'end' || answered.isRepeat)) holdPrompt(turn.dialogueId, reply.kind);\n-]",
    'a broken connection counts as a sent end screen': "[-(end === 'broken' ? repeatWithinMs : -]0[-)-]",
    'a prompt is sent while its payer is in a new dialogue':
      "return last?.reply === '[-continue-]{+never+}'\n",
    'the prompt follows the end of a new dialogue without a delay':
      'Math.max(leftAt, [-session?.endedAt ?? -]0)',
  },
  I11: {
    'a phone number is logged': '...{ from: [-before.status-]{+after.payer+}, status, reason },',
  },
  liveness: {
    'initiated collections are never polled':
      'return [-Math.round((nextPollMs(elapsed) - elapsed) * (1 + random / 10)-]{+1_000 * hour + Math.round(random+});',
    'no collection is ever opened':
      "if ({+intent && (+}isOutdated(intent, turn, recent){+ || true+}){+)+} return reject('retry');",
  },
  I13: {
    'a forged webhook is accepted':
      "if (!merchant[- || check.kind === 'forged'-]) return { kind: 'forged' };",
    "another merchant's event changes a collection": [
      'src/gateway/collection/store/collection-store.ts',
      "equals(collection, 'sessionId', [-'merchantId', -]'livemode')",
    ],
  },
  decision: {
    'a decision is applied to facts that its people have not seen':
      "EvidenceOf<'decision'>,\n): DecisionRefusal | undefined {\n  if (collection.version [-!==-]{+<+} versionSeen)",
    'people approve their own proposals':
      'if (actor.name !== proposedBy || amountMinor [-<=-]{+>+} secondPersonAboveMinor) return undefined;',
    'a decision about unplaced money is applied to facts that its people have not seen':
      "if (payment.version [-!==-]{+<+} grounds.versionSeen) return 'changed';",
  },
  access: {
    'a person decides whose access has ended meanwhile': '\n  actor: [-isActor-]{+sql`TRUE OR ${isActor}`+},',
    'a person decides whose right is new':
      '[-(await newDeciderRefusal(deps, actor))-]{+undefined+} ??\n    own',
    'an added person decides at once, whose right is new':
      ': { decidesFrom: clock.now() + {+0 * +}waitMs, maxDeciders: maxAccounts };',
    'a person who was reset keeps the right, which is new': 'return {+before || +}isUnused ? before',
    'a person decides whose role has changed meanwhile':
      "AND {+(TRUE OR +}${account.role} = ${placeholder('actorRole')}{+)+}",
  },
  block: {
    'a blocked dialler opens collections':
      "dialler_blocked: sql`{+TRUE OR +}NOT EXISTS (${getBlocks('dialler', 'dialler')})`,",
    'other phones ask a blocked payer': 'payer_blocked: {+!+}isByOther ?',
  },
  fairness: {
    "one merchant's slow calls take all calls in flight":
      'new InFlightLimit([-sharedLimit(callsInFlight)-]{+{ perKey: callsInFlight, total: callsInFlight }+});\n  let claims',
    "the requests of a merchant's systems count for all merchants":
      'const waitSeconds = limit([-merchantId-]{+String(merchantId === id)+});',
    "the requests of a merchant's systems have no limit": [
      'src/gateway/merchant-api/route.ts',
      'const callRate = { burst: {+10+}60, perMinute:',
    ],
  },
  notify: {
    'a change of a payment is not notified': '[-, ...notices-]];',
    'a confirmation is not notified':
      'before.confirmedAt === [-null && after.confirmedAt !== null-]{+after.confirmedAt && after.confirmedAt === 0+}',
    'a notification without an answer counts as delivered':
      'if (isAccepted(result){+ || result.status === null+}) return {',
    'a notification is signed without its id':
      "...signRequest(secrets, { id{+: ''+}, at: networkClock.now(), body }),{+ 'webhook-id': id,+}",
    'the sequence of a notification is that of its first fact': 'sequence: {+Math.min(1, +}version{+)+},',
    'a replay skips what an endpoint missed while it was disabled':
      'events.{+slice(0, 1).+}map((event) => replayWrite(event, target));',
  },
  statement: {
    'another amount is no difference':
      "if (!isSame(line, payment){+ && payment.totalMinor === 0+}) return toDifference('amount', line, payment);",
  },
});
