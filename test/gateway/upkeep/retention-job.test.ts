import { expect, test } from 'vitest';
import { retentionJob } from '../../../src/gateway/upkeep/retention-job.ts';
import { createSilentLog } from '../../kit/log.ts';

/** Runs retention once where so many dialogues and bodies are old. Returns what is left, and when the job runs next. */
async function runOnce(engine: 'sqlite' | 'postgres', old: { dialogues: number; bodies: number }) {
  const take = (of: 'dialogues' | 'bodies') => async (_before: number, limit: number) => {
    const taken = Math.min(limit, old[of]);
    old[of] -= taken;
    return taken;
  };
  const job = retentionJob(
    { deleteDialogues: take('dialogues'), emptyBodies: take('bodies') },
    { dialoguesMs: 1, eventBodiesMs: 1 },
    { log: createSilentLog(), engine },
  );
  return { next: await job.run(2), ...old };
}

test('one run of retention deletes one batch of a file, and up to twenty of a server, which several gateways fill', async () => {
  expect(await runOnce('sqlite', { dialogues: 150, bodies: 20 })).toEqual({
    next: 'more',
    dialogues: 50,
    bodies: 0,
  });
  expect(await runOnce('postgres', { dialogues: 150, bodies: 20 })).toEqual({
    next: 'done',
    dialogues: 0,
    bodies: 0,
  });
  expect(await runOnce('postgres', { dialogues: 20, bodies: 2_100 })).toEqual({
    ...{ next: 'more', dialogues: 0, bodies: 100 },
  });
});
