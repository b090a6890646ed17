import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['scripts/vitest-setup.mjs'],
    pool: 'forks',
    maxWorkers: 2,
    watch: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
