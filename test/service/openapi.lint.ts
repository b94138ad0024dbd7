import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// `npm run check:openapi` runs this file: Redocly and Spectral read the committed documents, and no warning is allowed.
const linters = [
  ['@redocly/cli/bin/cli.js', 'lint', '--format=stylish'],
  ['@stoplight/spectral-cli/dist/index.js', 'lint', '--fail-severity=hint'],
];

const documents = ['docs/openapi.json', 'docs/merchant-openapi.json'];

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

for (const [program = '', ...args] of linters) {
  const file = join('tools/lint/node_modules', program);
  const { status } = spawnSync(process.execPath, [file, ...args, ...documents], {
    env,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
