import { expect, test } from 'vitest';
import { type KeyedRequest, plainText, runKeyedOnce } from '../../src/kit/idempotency.ts';
import { createSecretCipher } from '../../src/kit/secret-cipher.ts';

const createCipher = (byte: number) =>
  createSecretCipher(Buffer.alloc(32, byte).toString('base64'), {
    secret: () => Buffer.alloc(16, 7).toString('base64url'),
  });

/** A table in memory with room for one row. */
function createTable(cipher: Parameters<typeof runKeyedOnce>[0]['cipher'] = plainText) {
  const rows = new Map<string, KeyedRequest>();
  let runs = 0;
  let released = 0;
  const ask = (key: string, digest: string, work = async () => `answer ${++runs}`, by = cipher) =>
    runKeyedOnce(
      { digest, owner: key, cipher: by },
      {
        async claim() {
          const first = rows.get(key);
          if (first) return first;
          if (rows.size > 0) return { refused: 'full' as const };
          rows.set(key, { digest, answer: null });
          return 'claimed';
        },
        release: () => void released++,
      },
      async (toStored) => {
        const answer = await work();
        rows.set(key, { digest, answer: toStored(answer) ?? null });
        return answer;
      },
    );
  return { ask, rows, runs: () => runs, released: () => released };
}

test('a repetition gets the answer of the first request, and runs nothing', async () => {
  const { ask, runs, released } = createTable();
  expect(await ask('k', 'a')).toEqual({ outcome: 'answer 1' });
  expect(await ask('k', 'a')).toMatchObject({ answer: 'answer 1', first: { digest: 'a' } });
  expect([runs(), released()]).toEqual([1, 2]);
});

test('another request with the key is refused, before and after the first has its answer', async () => {
  const { ask } = createTable();
  let during: unknown;
  await ask('k', 'a', async () => {
    during = await Promise.all([ask('k', 'b'), ask('k', 'a')]);
    return 'done';
  });
  expect(during).toEqual([{ refused: 'reused' }, { refused: 'in_progress' }]);
  expect(await ask('k', 'b')).toEqual({ refused: 'reused' });
});

test('a request that was interrupted is not carried out again', async () => {
  const { ask, runs, released } = createTable();
  await expect(ask('k', 'a', () => Promise.reject(new Error('the process ended')))).rejects.toThrow('ended');
  expect(await ask('k', 'a')).toEqual({ refused: 'in_progress' });
  expect([runs(), released()]).toEqual([0, 2]);
});

test('a table without a free row refuses a new key, and still answers a repetition', async () => {
  const { ask } = createTable();
  await ask('k', 'a');
  expect(await ask('other', 'a')).toEqual({ refused: 'full' });
  expect(await ask('k', 'a')).toMatchObject({ answer: 'answer 1' });
});

test('an answer with a secret is stored encrypted, and another cipher does not read it', async () => {
  const { ask, rows } = createTable(createCipher(1));
  await ask('k', 'a');
  expect(rows.get('k')?.answer).not.toContain('answer');
  expect(await ask('k', 'a')).toMatchObject({ answer: 'answer 1' });
  expect(await ask('k', 'a', undefined, createCipher(2))).toEqual({ refused: 'unreadable' });
});

test('without a cipher an answer is not stored', async () => {
  const request = { digest: 'a', owner: 'k', cipher: undefined };
  const claim = async () => 'claimed' as const;
  expect(await runKeyedOnce(request, { claim }, async (toStored) => [toStored('secret')])).toEqual({
    outcome: [undefined],
  });
});
