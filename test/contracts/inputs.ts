import { expect } from 'vitest'
import type * as z from 'zod'

/** The paths of what is wrong with an input, as a refusal names them. */
export const faultPaths = (schema: z.ZodType, input: unknown) => {
  const parsed = schema.safeParse(input)
  expect(parsed.success).toBe(false)
  return parsed.error?.issues.map(({ path }) => path.join('.'))
}
