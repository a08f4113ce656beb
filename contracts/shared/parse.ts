import type * as z from 'zod'
import { ApiError, type Issue } from '../errors.ts'

// More than anybody reads: without a bound an answer could be many times the size of what is wrong.
const mostIssues = 100

const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues
    .slice(0, mostIssues)
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.slice(0, mostIssues).map((key) => ({
            path: [...issue.path, key].map(String).join('.'),
            message: 'is not a known field',
          }))
        : [{ path: issue.path.map(String).join('.'), message: issue.message }],
    )
    .slice(0, mostIssues)

/** Parses a value of the outside with one of the contract's schemas; throws `validation_error` with its issues. */
export const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new ApiError('validation_error', { issues: issuesOf(parsed.error) })
  return parsed.data
}
