import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { run } from '../kit/launch.ts';
import { startServer } from '../kit/local-server.ts';
import { freePort } from '../process/free-port.ts';

const runCheck = (env: Record<string, string>) =>
  run([process.execPath, '--import', 'tsx'], ['src/cli/health-check.ts'], undefined, env);

test('the health check of the image passes only while the gateway is ready', async () => {
  let status = 200;
  const { port, questions } = await startServer((response) =>
    response.writeHead(status).end('{"status":"…"}'),
  );
  const env = { DIALTILL_HOST: '0.0.0.0', DIALTILL_PORT: String(port) };

  expect(await runCheck(env)).toEqual({ code: 0, stdout: '', stderr: '' });
  status = 503;
  expect(await runCheck(env)).toEqual({ code: 1, stdout: '', stderr: '/readyz returned 503\n' });
  expect(questions.map(({ path }) => path)).toEqual(['/readyz', '/readyz']);
});

test('the health check of the image fails when no gateway answers, and when one does not answer in time', async () => {
  const { port } = await startServer(() => {});
  const late = await runCheck({ DIALTILL_PORT: String(port) });
  expect(late).toEqual({ code: 1, stdout: '', stderr: 'no answer from /readyz within 3 s\n' });

  const absent = await runCheck({ DIALTILL_PORT: String(await freePort()) });
  expect(absent).toEqual({ code: 1, stdout: '', stderr: 'no answer from /readyz: ECONNREFUSED\n' });
});

test('the health check of the image asks port 8080 where Kubernetes gives the address of a Service', async () => {
  // Nothing listens there. As a port, the URL would end the check with another error.
  const env = { DIALTILL_HOST: '127.0.0.77', DIALTILL_PORT: 'tcp://10.0.0.7:8080' };
  expect(await runCheck(env)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'no answer from /readyz: ECONNREFUSED\n',
  });
});

test('the health check of the image loads nothing except a module of Node, so that it needs hardly any CPU time', () => {
  const source = readFileSync('src/cli/health-check.ts', 'utf8');
  const loaded = [...source.matchAll(/(?:from|import|import\(|require\()\s*'([^']+)'/g)].map(
    ([, name]) => name,
  );
  expect(loaded).toEqual(['node:http']);

  const dockerfile = readFileSync('Dockerfile', 'utf8');
  expect(dockerfile).toContain('CMD ["node", "dist/cli/health-check.js"]');
});
