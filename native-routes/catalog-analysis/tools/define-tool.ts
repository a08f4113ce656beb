import * as z from 'zod'
import type { Citation, Finding } from '#contracts/shared/catalog-findings.ts'
import type { Reader } from '#db/client/connection.ts'

/** The maximum number of records a tool returns; each one costs model tokens. */
export const maxListed = 50

export const Limit = z.int().min(1).max(maxListed).default(20)

/** What a tool may read: only this account's rows, as of `now`. */
export interface ToolScope {
  readonly accountId: string
  readonly db: Reader
  readonly now: Date
  readonly signal?: AbortSignal
}

export interface ToolResult {
  readonly output: unknown
  readonly findings: readonly Finding[]
  readonly citations: readonly Citation[]
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** Rejects with a `ToolInputError` if the input does not match. */
  run(scope: ToolScope, input: unknown): Promise<ToolResult>
}

/** The message names the fields but none of their values. */
export class ToolInputError extends Error {
  override name = 'ToolInputError'
}

const describeIssues = (issues: readonly z.core.$ZodIssue[]) =>
  issues.map(({ path, code }) => `${path.join('.') || 'input'}: ${code}`).join('; ')

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: I
  readonly output: O
  run(
    scope: ToolScope,
    input: z.output<I>,
  ): Promise<{
    readonly output: z.input<O>
    readonly findings?: readonly Finding[]
    readonly citations: readonly Citation[]
  }>
}

export const defineTool = <I extends z.ZodObject, O extends z.ZodObject>({
  name,
  description,
  input,
  output,
  run,
}: ToolDefinition<I, O>): Tool => ({
  name,
  description,
  input,
  async run(scope, given) {
    const parsed = input.strict().safeParse(given)
    if (!parsed.success) throw new ToolInputError(describeIssues(parsed.error.issues))
    const { findings = [], citations, ...result } = await run(scope, parsed.data as z.output<I>)
    return { output: output.parse(result.output), findings, citations }
  },
})
