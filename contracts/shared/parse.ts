import type * as z from 'zod'
import { ApiError, type Issue } from '../errors.ts'

const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: [...issue.path, key].map(String).join('.'),
          message: 'is not a known field',
        }))
      : [{ path: issue.path.map(String).join('.'), message: issue.message }],
  )

/** Parses a value of the outside with one of the contract's schemas; throws `validation_error` with every issue. */
export const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new ApiError('validation_error', { issues: issuesOf(parsed.error) })
  return parsed.data
}
