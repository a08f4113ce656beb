import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // .ci/run counts by this report.
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.data/test-report.json' }]] : ['default'],
    pool: 'forks',
    // Every file brings its own database, gateway and ports; to load the modules anew for each would take most of the time.
    isolate: false,
    // The tests wait as much as they compute.
    maxWorkers: 3,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 20_000,
  },
})
