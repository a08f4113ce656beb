import { randomBytes } from 'node:crypto'
import type { ChatRequest, Turn } from './chat-request.ts'

const charactersPerToken = 4
const charactersPerChunk = 16

const countTokens = (value: unknown) => Math.ceil(JSON.stringify(value ?? '').length / charactersPerToken)

const createId = (prefix: string) => `${prefix}${randomBytes(12).toString('hex')}`

const finishReasonOf = ({ calls = [] }: Turn) => (calls.length > 0 ? 'tool_calls' : 'stop')

const countUsage = (request: ChatRequest, turn: Turn) => {
  const prompt = countTokens(request.messages) + countTokens(request.tools)
  const completion = countTokens(turn)
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

const formatCalls = ({ calls = [] }: Turn) =>
  calls.map(({ name, input }) => ({
    id: createId('call_'),
    type: 'function',
    function: { name, arguments: input },
  }))

export const createCompletion = (request: ChatRequest, turn: Turn) => {
  const calls = formatCalls(turn)
  const message = {
    role: 'assistant',
    content: turn.text ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  return {
    id: createId('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: [{ index: 0, message, finish_reason: finishReasonOf(turn) }],
    usage: countUsage(request, turn),
  }
}

const splitText = (text: string) => text.match(new RegExp(`[^]{1,${charactersPerChunk}}`, 'g')) ?? []

const formatEvent = (data: object | string) =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

export function* createChunks(request: ChatRequest, turn: Turn): Generator<string> {
  const head = {
    id: createId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  }
  const formatDelta = (delta: object, finish_reason: string | null = null) =>
    formatEvent({ ...head, choices: [{ index: 0, delta, finish_reason }] })
  yield formatDelta({ role: 'assistant', content: '' })
  for (const content of splitText(turn.text ?? '')) yield formatDelta({ content })
  for (const [index, call] of formatCalls(turn).entries()) {
    const { arguments: input, name } = call.function
    const half = Math.ceil(input.length / 2)
    yield formatDelta({
      tool_calls: [{ ...call, index, function: { name, arguments: input.slice(0, half) } }],
    })
    yield formatDelta({ tool_calls: [{ index, function: { arguments: input.slice(half) } }] })
  }
  yield formatDelta({}, finishReasonOf(turn))
  if (request.stream_options?.include_usage)
    yield formatEvent({ ...head, choices: [], usage: countUsage(request, turn) })
  yield formatEvent('[DONE]')
}
