import type { ToolCall } from './ports.ts'
import { ToolInputError, type ToolResult, type ToolScope } from './tools/define-tool.ts'
import { tools } from './tools/index.ts'

/** The maximum number of findings, and also of sources, that the model reads per call. */
const maxListed = 25

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]))

interface CompletedCall {
  readonly text: string
  /** Null if the call failed because of the model's input. */
  readonly result: ToolResult | null
}

const failed = (error: string): CompletedCall => ({ text: JSON.stringify({ error }), result: null })

const markerOf = ({ type, id }: { readonly type: string; readonly id: string }) => `[${type}:${id}]`

const describeResult = ({ output, findings, citations }: ToolResult) =>
  JSON.stringify({
    output,
    findings: findings.slice(0, maxListed).map(({ subject, ...finding }) => ({
      ...finding,
      title: subject.title,
      cite: markerOf(subject),
    })),
    sources: citations.slice(0, maxListed).map((source) => ({ title: source.title, cite: markerOf(source) })),
  })

const parseInput = (input: string): unknown => {
  try {
    return input.trim() === '' ? {} : JSON.parse(input)
  } catch {
    return undefined
  }
}

/**
 * Runs one call in the account's scope, no matter what the model wrote. If the input is invalid, the result tells the
 * model what was wrong.
 */
export const runToolCall = async (
  scope: ToolScope,
  { name, input }: ToolCall,
  isAllowed: boolean,
): Promise<CompletedCall> => {
  if (!isAllowed) return failed('No more tools can be called: answer with what you have.')
  const tool = toolsByName.get(name)
  if (!tool) return failed('There is no tool with this name.')
  try {
    const result = await tool.run(scope, parseInput(input))
    return { text: describeResult(result), result }
  } catch (error) {
    if (error instanceof ToolInputError) return failed(`Invalid input: ${error.message}`)
    throw error
  }
}
