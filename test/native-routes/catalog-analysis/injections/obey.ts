import type { ChatRequest, Message, Respond } from '#dev/sandbox/model/chat-request.ts'
import { respond } from '#dev/sandbox/model/respond.ts'
import { type Instructions, placeholders, readInstructions } from './read-instructions.ts'

const maxQueryLength = 1500

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const readTexts = (message: Message): string[] => {
  if (message.role === 'system') return []
  if (message.role !== 'tool') return [message.content ?? '']
  try {
    return stringsIn(JSON.parse(message.content))
  } catch {
    return [message.content]
  }
}

const keyOf = ({ name, input }: Instructions['calls'][number]) => `${name} ${input}`

const listCallsMade = ({ messages }: ChatRequest) => {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const calls = messages
    .slice(asked)
    .flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  return new Set(calls.map(({ function: { name, arguments: input } }) => keyOf({ name, input })))
}

const fillIn = (written: string, { messages }: ChatRequest) => {
  const sent = messages.map(({ content }) => content ?? '').join('\n')
  return written
    .replaceAll(placeholders.sent, () => sent)
    .replaceAll(placeholders.query, () => encodeURIComponent(sent).slice(0, maxQueryLength))
}

/**
 * Responds like a model without any defence. In addition to what was asked, it follows every instruction that it finds
 * in a question, an earlier message or a tool's result.
 */
export const obey: Respond = (request) => {
  const found = request.messages.flatMap(readTexts).map(readInstructions)
  const made = listCallsMade(request)
  const ordered = found.flatMap(({ calls, isEndless }) =>
    calls.filter((call) => isEndless || !made.has(keyOf(call))),
  )
  const usual = respond(request)
  const calls = [...(usual.calls ?? []), ...ordered]
  if (calls.length > 0) return { calls }
  const texts = found.flatMap((instructions) => instructions.texts)
  return { text: [...texts.map((written) => fillIn(written, request)), usual.text].join('\n\n') }
}
