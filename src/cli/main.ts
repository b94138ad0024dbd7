#!/usr/bin/env node
export {};

// Nothing is imported before the check: an older Node fails to load the program, with an error that does not name the cause.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `dialtill needs Node 22.12 or newer, and this is Node ${process.versions.node}. Install Node 24: https://nodejs.org\n`,
  );
  process.exit(1);
}
await import('./program.ts');
