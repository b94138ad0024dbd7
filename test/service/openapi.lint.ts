import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// `npm run check:openapi` runs this file: Redocly and Spectral read the committed documents, and no warning is allowed.
const linters = [
  [import.meta.resolve('@redocly/cli/package.json'), 'bin/cli.js', 'lint', '--format=stylish'],
  [
    import.meta.resolve('@stoplight/spectral-cli/package.json'),
    'dist/index.js',
    'lint',
    '--fail-severity=hint',
  ],
];

const documents = ['docs/openapi.json', 'docs/merchant-openapi.json'];

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

for (const [manifest = '', program = '', ...args] of linters) {
  const file = fileURLToPath(new URL(program, manifest));
  const { status } = spawnSync(process.execPath, [file, ...args, ...documents], {
    env,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
