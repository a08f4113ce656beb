import { type Citation, type Finding, maxFindings } from '#contracts/shared/catalog-findings.ts'
import { keyOfFinding } from './findings/order-findings.ts'
import { createPrompt, estimateTokens, type PastMessage } from './model-prompt.ts'
import { createModelText, type ModelText } from './model-text.ts'
import {
  type AnalysisLimits,
  type AnalysisSlotPort,
  ModelError,
  type ModelMessage,
  type ModelPort,
  type ToolCall,
} from './ports.ts'
import { ToolInputError, type ToolResult, type ToolScope } from './tools/define-tool.ts'
import { tools as allTools } from './tools/index.ts'

const maxListed = 25

const toolsByName = new Map(allTools.map((tool) => [tool.name, tool]))

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
const runToolCall = async (
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

interface ModelQuestion {
  readonly question: string
  readonly history: readonly PastMessage[]
  readonly scope: ToolScope
  readonly slots: AnalysisSlotPort
  readonly budget: Pick<AnalysisLimits, 'tokens' | 'toolCalls'>
  readonly usage: { inputTokens: number; outputTokens: number; toolCalls: number }
  readonly signal: AbortSignal
}

type TextEvent = { readonly event: 'delta'; readonly data: { readonly text: string } }
type FindingEvent = { readonly event: 'finding'; readonly data: Finding }

interface ModelAnswer {
  readonly answer: string
  readonly findings: Finding[]
  readonly citations: Citation[]
  /** How many citations named something that no tool returned. */
  readonly droppedCitations: number
}

const keyOf = ({ type, id }: Pick<Citation, 'id'> & { readonly type: string }) => `${type}:${id}`

const createEvidence = () => {
  const findings = new Map<string, Finding>()
  const citations = new Map<string, Citation>()
  return {
    add: (result: ToolResult) => {
      // The first one is kept, because the answer's citations are numbered by identity.
      for (const citation of result.citations)
        if (!citations.has(keyOf(citation))) citations.set(keyOf(citation), citation)
      return result.findings.filter((finding) => {
        const key = keyOfFinding(finding)
        if (findings.has(key) || findings.size >= maxFindings) return false
        findings.set(key, finding)
        return true
      })
    },
    find: (type: string, id: string) => citations.get(keyOf({ type, id })),
    findings: () => [...findings.values()],
  }
}

type Evidence = ReturnType<typeof createEvidence>

const maxOutputTokens = 2048

const requireTime = ({ signal }: ModelQuestion) => {
  if (signal.aborted) throw new ModelError('timeout', 'the model took too long')
}

/** The first request is always sent, because `createPrompt` bounds it. */
const requireBudget = ({ budget, usage }: ModelQuestion, messages: readonly ModelMessage[]) => {
  const used = usage.inputTokens + usage.outputTokens
  const left = budget.tokens - used - (used === 0 ? 0 : estimateTokens(messages))
  if (left < 1) throw new ModelError('tokens', "the question's tokens are used up")
  return Math.min(left, maxOutputTokens)
}

async function* runModel(
  asked: ModelQuestion,
  messages: readonly ModelMessage[],
  text: ModelText,
  model: ModelPort,
): AsyncGenerator<TextEvent, { readonly written: string; readonly calls: readonly ToolCall[] }> {
  const { budget, usage, signal } = asked
  requireTime(asked)
  const tools = usage.toolCalls < budget.toolCalls ? allTools : []
  const request = { messages, tools, maxOutputTokens: requireBudget(asked, messages) }
  let written = ''
  let calls: readonly ToolCall[] = []
  let isCounted = false
  try {
    for await (const output of await model.complete(request, signal)) {
      if (output.kind === 'usage') {
        isCounted = true
        usage.inputTokens += output.inputTokens
        usage.outputTokens += output.outputTokens
      } else if (output.kind === 'calls') calls = output.calls
      else {
        written += output.text
        const safe = text.push(output.text)
        if (safe !== '') yield { event: 'delta', data: { text: safe } }
      }
    }
  } finally {
    // Some providers do not report usage, and none does for a response that broke off.
    if (!isCounted) {
      usage.inputTokens += estimateTokens(messages)
      usage.outputTokens += estimateTokens([written, calls])
    }
  }
  if (calls.length > 0 && tools.length === 0)
    throw new ModelError('tool_calls', 'the model called more tools than it may')
  const rest = text.endPart()
  if (rest !== '') yield { event: 'delta', data: { text: rest } }
  return { written, calls }
}

const runInSlot = async (asked: ModelQuestion, call: ToolCall, isAllowed: boolean) => {
  const { scope, slots, signal } = asked
  try {
    return await slots.run(scope.accountId, () => runToolCall(scope, call, isAllowed), signal)
  } catch (error) {
    requireTime(asked)
    throw error
  }
}

async function* runToolCalls(
  asked: ModelQuestion,
  calls: readonly ToolCall[],
  evidence: Evidence,
): AsyncGenerator<FindingEvent, ModelMessage[]> {
  const { budget, usage } = asked
  const results: ModelMessage[] = []
  for (const call of calls) {
    requireTime(asked)
    const isAllowed = usage.toolCalls < budget.toolCalls
    if (isAllowed) usage.toolCalls += 1
    const { text, result } = await runInSlot(asked, call, isAllowed)
    results.push({ role: 'tool', callId: call.id, text })
    if (result) for (const finding of evidence.add(result)) yield { event: 'finding', data: finding }
  }
  return results
}

/** The text is sanitized and its citations resolved before sending. Throws `ModelError` if there is no answer. */
export async function* askModel(
  asked: ModelQuestion,
  model: ModelPort,
): AsyncGenerator<TextEvent | FindingEvent, ModelAnswer> {
  const messages = createPrompt(asked.question, asked.history, asked.budget.tokens)
  const evidence = createEvidence()
  const text = createModelText(evidence.find)
  for (;;) {
    const { written, calls } = yield* runModel(asked, messages, text, model)
    if (calls.length === 0) break
    messages.push({ role: 'assistant', text: written, calls })
    messages.push(...(yield* runToolCalls(asked, calls, evidence)))
  }
  const { answer, citations, droppedCitations } = text.result()
  if (answer === '') throw new ModelError('empty', 'the model wrote no answer')
  return { answer, findings: evidence.findings(), citations, droppedCitations }
}
