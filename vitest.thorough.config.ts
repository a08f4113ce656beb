import { defineConfig } from 'vitest/config'
import everyday from './vitest.config.ts'

// The tests that throw random cases, with all of their cases.
export default defineConfig({
  test: {
    ...everyday.test,
    env: { THOROUGH: 'yes' },
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: '.data/thorough-report.json' }]]
      : ['default'],
  },
})
