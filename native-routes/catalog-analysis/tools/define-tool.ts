import type * as z from 'zod'
import type { Citation, Finding } from '#contracts/shared/catalog-findings.ts'
import type { Reader } from '#db/client/connection.ts'

/** What a tool reads: only the rows of this account, as of `now`. */
export interface ToolScope {
  readonly accountId: string
  readonly db: Reader
  readonly now: Date
  /** Ends what takes long. */
  readonly signal?: AbortSignal
}

export interface ToolResult {
  readonly output: unknown
  readonly findings: readonly Finding[]
  /** Everything that `output` and `findings` name. */
  readonly citations: readonly Citation[]
}

/** A read-only function that a model may call. Its output is bounded. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** Rejects with a `ToolInputError` if the input does not match `input`. */
  run(scope: ToolScope, input: unknown): Promise<ToolResult>
}

/** The caller of a tool supplied bad input. The message names the fields and contains none of their values. */
export class ToolInputError extends Error {
  override name = 'ToolInputError'
}

const describeIssues = (issues: readonly z.core.$ZodIssue[]) =>
  issues.map(({ path, code }) => `${path.join('.') || 'input'}: ${code}`).join('; ')

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: I
  /** Bounds what `run` returns. */
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

/** Binds a tool to the schemas of its input and output. */
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
