import { defineConfig } from 'vitest/config'

// `npm run check` runs these tests alongside the compiler and the linter. They test rules about the source tree and
// need no database.
export default defineConfig({
  // Some compile or describe the whole API, which takes seconds on a busy machine.
  test: { include: ['test/architecture/**/*.test.ts'], testTimeout: 30_000 },
})
