import { expect } from 'vitest'
import type * as z from 'zod'

export const issuePaths = (schema: z.ZodType, input: unknown) => {
  const parsed = schema.safeParse(input)
  expect(parsed.success).toBe(false)
  return parsed.error?.issues.map(({ path }) => path.join('.'))
}
