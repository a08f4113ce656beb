import type * as z from 'zod'
import { ApiError, describeField, type Issue } from '../errors.ts'
import { describeIssue } from './describe-issue.ts'

// Without a limit, the error response could be many times the size of the request.
const maxIssues = 100

const toIssue = (path: readonly PropertyKey[], predicate: string) =>
  describeField(path.map(String).join('.'), predicate)

const toIssues = (error: z.ZodError): Issue[] =>
  error.issues
    .slice(0, maxIssues)
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.slice(0, maxIssues).map((key) => toIssue([...issue.path, key], issue.message))
        : [toIssue(issue.path, issue.message)],
    )
    .slice(0, maxIssues)

export const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value, { error: describeIssue })
  if (!parsed.success) throw new ApiError('validation_error', { issues: toIssues(parsed.error) })
  return parsed.data
}
