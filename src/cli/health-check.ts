import { get } from 'node:http';

/*
 * The health check of the container image: exits with 0 while `GET /readyz` returns 200. It loads neither the commands nor
 * the configuration, because an engine runs it every few seconds and it must not take CPU time from payments.
 * `dialtill health` explains the state.
 */

const { DIALTILL_HOST: host = '', DIALTILL_PORT = '' } = process.env;
/** Kubernetes sets the variable to a URL when a Service has the name `dialtill`: the gateway, too, does not read that. */
const port = /^\d+$/.test(DIALTILL_PORT) ? DIALTILL_PORT : '8080';
/** A gateway that listens on all addresses is local, too. */
const isEveryAddress = ['', '0.0.0.0', '::'].includes(host);
const maxWaitMs = 3_000;

const request = get({
  host: isEveryAddress ? '127.0.0.1' : host,
  port,
  path: '/readyz',
  signal: AbortSignal.timeout(maxWaitMs),
});
request.on('response', ({ statusCode }) => {
  if (statusCode === 200) process.exit(0);
  fail(`/readyz returned ${statusCode}`);
});
request.on('error', ({ code, name }: NodeJS.ErrnoException) =>
  fail(
    name === 'AbortError'
      ? `no answer from /readyz within ${maxWaitMs / 1000} s`
      : `no answer from /readyz: ${code ?? name}`,
  ),
);

function fail(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
