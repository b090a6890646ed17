import { defineConfig } from 'vitest/config';

/** Node 20 compiles what runs for some milliseconds with its slow compiler, on the cores of the tests: a fifth of all their work. */
const IS_EAGER = process.versions.node.startsWith('20.');

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['scripts/vitest-setup.mjs'],
    pool: 'forks',
    maxWorkers: 2,
    // Test files of a worker share its modules, and the public traces that it has read: a file that changes what others see restores it.
    isolate: false,
    execArgv: IS_EAGER ? ['--interrupt-budget=400000'] : [],
    watch: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
