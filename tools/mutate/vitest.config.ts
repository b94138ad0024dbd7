import { configDefaults, defineConfig } from 'vitest/config';

/** The quick tests that share a process: the project `together` of the tests, without what a mutant does not need. */
export default defineConfig({
  test: {
    globalSetup: ['test/kit/run-folder.ts'],
    setupFiles: ['tools/mutate/setup.ts'],
    include: process.env.MUTATE_TESTS?.split(' ') ?? ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/**/*.{process,long,browser}.test.ts', 'test/postgres/**'],
    isolate: false,
  },
});
