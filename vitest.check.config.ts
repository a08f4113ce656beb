import { defineConfig } from 'vitest/config'

// What `npm run check` runs beside the compiler and the linter: rules of the tree itself, without a database.
export default defineConfig({ test: { include: ['test/architecture/**/*.test.ts'] } })
