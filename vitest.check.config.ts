import { defineConfig } from 'vitest/config'

// What `npm run check` runs beside the compiler and the linter: rules of the tree itself, without a database.
export default defineConfig({
  // Some compile or describe the whole API, which takes seconds on a busy machine.
  test: { include: ['test/architecture/**/*.test.ts'], testTimeout: 30_000 },
})
