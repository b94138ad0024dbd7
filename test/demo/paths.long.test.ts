import { expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { channelNames } from '../kit/callback.ts';
import { createHttpTill } from '../kit/http-till.ts';

const payer = '0244123456';
const minute = 60_000;

const postings = [
  ['payers', -2_020],
  ['merchant:demo-shop', 2_000],
  ['service_fees', 20],
];

/** The result of each decision of the payer. The reason is the same from an event and, when webhooks are lost, from a poll. */
const decisions = [
  {
    decision: 'approve',
    status: 'paid',
    reason: { arrive: null, 'are lost': null },
    charged: 2_020,
    booked: postings,
  },
  {
    decision: 'decline',
    status: 'failed',
    reason: { arrive: 'declined', 'are lost': 'declined' },
    charged: 0,
    booked: [],
  },
  {
    decision: 'ignore',
    status: 'expired',
    reason: { arrive: 'prompt_expired', 'are lost': 'prompt_expired' },
    charged: 0,
    booked: [],
  },
] as const;

const [approve] = decisions;

/** Every path on two channels, and the successful one on each other channel. */
const paths = [
  ...channelNames.flatMap((channel) =>
    decisions.flatMap((expected) =>
      (['arrive', 'are lost'] as const).map((webhooks) => ({ channel, webhooks, ...expected })),
    ),
  ),
  ...aggregatorNames
    .filter((name) => !channelNames.some((one) => one === name))
    .map((channel) => ({ channel, webhooks: 'arrive' as const, ...approve })),
];

test.each(paths)(
  'through $channel, the decision to $decision while webhooks $webhooks gives the status $status',
  async ({ channel, webhooks, decision, status, reason, charged, booked }) => {
    const webhooksLost = webhooks === 'are lost';
    const till = await createHttpTill({ webhooksLost });
    const end = await till.pay(payer, channel, ['1', '20', '1']);
    expect(end).toMatch(/Approve GHS 20.00 to Demo Shop/);

    const prompt = await till.prompted(payer);
    expect(prompt).toMatchObject({ amount_minor: 2_020, merchant_name: 'Demo Shop' });
    const decided = {
      approve: () => till.prompts.approve(prompt.id, '1234'),
      decline: () => till.prompts.decline(prompt.id),
      ignore: async () => ({ ok: true }),
    };
    expect(await decided[decision]()).toMatchObject({ ok: true });
    const row = await till.untilStatus(payer, status, 10 * minute);

    const amountSource = charged === 0 ? null : webhooksLost ? 'quote' : 'webhook';
    expect(row).toMatchObject({
      sessionId: prompt.session_id,
      reason: reason[webhooks],
      amountSource,
      review: null,
      late: 0,
    });
    const file = await till.file(row.id);
    expect(file.postings.map(({ account, amountMinor }) => [account, amountMinor])).toEqual(booked);
    expect(file.events).toHaveLength(webhooksLost ? 0 : 1);
    // The reason and the calls prove that the payment took the intended path.
    expect(new Set(till.deliveries)).toEqual(new Set([webhooksLost ? 'lost' : 200]));
    expect(till.calls.slice(0, 2)).toEqual(['create', 'initiate']);
    expect(till.calls.slice(2)).not.toContain('initiate');
    if (webhooksLost) expect(till.calls.at(-1)).toBe('status');
    expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: charged });
    expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
  },
);
