import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['scripts/vitest-setup.mjs'],
    pool: 'forks',
    maxWorkers: 2,
    // Test files of a worker share its modules, and the public traces that it has read: a file that changes what others see restores it.
    isolate: false,
    watch: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
