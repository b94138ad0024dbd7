import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { deployedNodeArgs } from '../kit/deployed-node-args.ts';

const read = (file: string) => readFileSync(`deploy/${file}`, 'utf8');
const units = readdirSync('deploy/systemd').filter((name) => /\.(service|timer)$/.test(name));
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.runIf(hasSystemd)('systemd accepts the units', () => {
  const files = units.map((name) => `deploy/systemd/${name}`);
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});

/** The value of each setting of a unit; the last one counts. */
function settingsOf(unit: string): Map<string, string> {
  const lines = read(`systemd/${unit}`).matchAll(/^(\w+)=(.*)$/gm);
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]));
}

test.each(['dialtill.service', 'dialtill-backup.service'])(
  '%s has few rights and a limit of memory',
  (unit) => {
    const settings = settingsOf(unit);
    expect(Object.fromEntries(settings)).toMatchObject({
      ...{
        User: 'dialtill',
        NoNewPrivileges: 'yes',
        ProtectSystem: 'strict',
        ProtectHome: 'yes',
        UMask: '0077',
      },
      ...{ CapabilityBoundingSet: '', PrivateTmp: 'yes', MemoryMax: '512M' },
      // A reload reads this file again, and never the one of EnvironmentFile=.
      Environment: 'DIALTILL_ENV_FILE=/etc/dialtill/secrets.env',
    });
    expect(settings.has('EnvironmentFile')).toBe(false);
    // The program compiles at run time.
    expect(settings.has('MemoryDenyWriteExecute')).toBe(false);
  },
);

test('the service is restarted for ever, and has time to drain', () => {
  const settings = settingsOf('dialtill.service');
  expect(Object.fromEntries(settings)).toMatchObject({
    ...{ Restart: 'always', StartLimitIntervalSec: '0', TimeoutStopSec: '30' },
  });
});

test('the heap, and its part for new objects, have the same limits in the image, the unit file and the composition', () => {
  const limits = deployedNodeArgs();
  expect(limits).toEqual(['--max-old-space-size=256', '--max-semi-space-size=16']);
  expect(settingsOf('dialtill.service').get('ExecStart')).toContain(
    `/usr/bin/node ${limits.join(' ')} /opt/dialtill/`,
  );
  expect(readFileSync('deploy/compose/compose.yaml', 'utf8')).toContain(`node, ${limits.join(', ')}, dist`);
});

test('the timer makes backups as often as the documents say, also after the machine was off', () => {
  const settings = settingsOf('dialtill-backup.timer');
  expect(Object.fromEntries(settings)).toMatchObject({ OnCalendar: '*:0/15', Persistent: 'true' });
});

/** The limits of the table in docs/operations/proxy.md, as each proxy writes them. */
const limits = {
  'nginx/dialtill.conf': [
    'location ~ ^/(ussd|webhooks)/ {',
    'client_max_body_size 64k;',
    'large_client_header_buffers 4 32k;',
    'client_header_timeout 5s;',
    'proxy_request_buffering on;',
    'limit_conn connections 20;',
    'rate=10r/s;',
    'keepalive_timeout 10s;',
    'proxy_next_upstream off;',
    'proxy_set_header X-Forwarded-For $remote_addr;',
  ],
  'caddy/Caddyfile': [
    '@dialtill path /ussd/* /webhooks/*',
    'max_size 64KiB',
    'max_header_size 32KiB',
    'read_header 5s',
    'request_buffers 64KiB',
    'keepalive 10s',
  ],
} as const;

test.each(Object.entries(limits))('%s has the limits of the documents', (file, lines) => {
  for (const line of lines) expect(read(file)).toContain(line);
});

test('no proxy logs a path, which contains the secret of a channel', () => {
  const nginx = read('nginx/dialtill.conf');
  const [, format = ''] = /log_format without_path '([^']+)'/.exec(nginx) ?? [];
  expect(format).toContain('$status');
  expect(format).not.toMatch(/\$(request|request_uri|uri|args|http_referer)\b/);
  const logs = [...nginx.matchAll(/^\s*(access_log|error_log)\s+(.+);$/gm)].map(([, name, rest]) => [
    name,
    rest,
  ]);
  expect(logs).toEqual([
    ['access_log', '/var/log/nginx/dialtill.log without_path'],
    ['error_log', '/var/log/nginx/dialtill-error.log crit'],
  ]);
  const caddy = read('caddy/Caddyfile');
  // The only log is the one of errors, and it has no path.
  expect(caddy.match(/^\s*log\b.*$/gm)).toEqual(['    log default {']);
  expect(caddy).toMatch(/log default \{\s+format filter \{\s+wrap json\s+fields \{\s+request>uri delete\s/);
});

test('the compose file exposes the gateway to this machine only, without rights, and backs its ledger up', () => {
  const { services, volumes } = parse(read('compose/compose.yaml')) as {
    services: Record<string, Record<string, unknown>>;
    volumes: Record<string, unknown>;
  };
  const { gateway, backup } = services;
  expect(gateway).toMatchObject({
    ports: ['127.0.0.1:8080:8080'],
    environment: { DIALTILL_ENV_FILE: '/config/secrets.env' },
    restart: 'always',
  });
  for (const service of [gateway, backup])
    expect(service).toMatchObject({
      ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], mem_limit: '512m' },
      volumes: expect.arrayContaining(['ledger:/data']),
    });
  expect(String(backup?.command)).toContain(
    'backup --config /config/dialtill.yaml --to /backups/ --keep 192',
  );
  expect(Object.keys(volumes)).toEqual(['ledger', 'backups']);
  // A volume takes its owner from the folder that it covers.
  for (const folder of ['/data', '/backups'])
    expect(readFileSync('Dockerfile', 'utf8')).toContain(
      `COPY --chown=node:node --from=build /app/empty ${folder}`,
    );
});

test('the examples say where a port belongs in a container, and which secrets need quotes', () => {
  expect(read('compose/compose.yaml')).toMatch(/# .*DIALTILL_PORT.*\n(?: +#.*\n)* +environment:/);
  expect(read('systemd/secrets.env.example')).toMatch(/^# Quote a value with a #/m);
});
