import { EventSourceParserStream } from 'eventsource-parser/stream'
import * as z from 'zod'
import {
  ModelError,
  type ModelMessage,
  type ModelOutput,
  type ModelPort,
  type ModelRequest,
  type ModelTool,
  type ToolCall,
} from '#native-routes/catalog-analysis/ports.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'
import type { readModelOptions } from '../settings/model.ts'

// more than any model reads or writes in one request
const maxTokens = 10_000_000

// A nonsensical count is clamped instead of rejected, so the text is not lost.
const tokens = z.number().transform((count) => Math.min(Math.max(Math.round(count), 0), maxTokens))

const Usage = z.object({ prompt_tokens: tokens, completion_tokens: tokens })

const CallPart = z.object({
  index: z.int().min(0).max(1000),
  id: z.string().max(256).nullish(),
  function: z.object({ name: z.string().max(256).nullish(), arguments: z.string().nullish() }).nullish(),
})
type CallPart = z.infer<typeof CallPart>

const Chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({ content: z.string().nullish(), tool_calls: z.array(CallPart).nullish() }).nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: Usage.nullish(),
})

const maxBytes = 4_000_000
const maxEventCharacters = 1_000_000
const end = '[DONE]'

const garbled = (cause?: unknown) =>
  new ModelError('garbled', 'the model did not send a stream of chat completions', { cause })

const parseChunk = (data: string) => {
  try {
    return Chunk.parse(JSON.parse(data))
  } catch (cause) {
    throw garbled(cause)
  }
}

/** Fragments of the same call have the same index. */
const createCallReader = () => {
  const calls = new Map<number, { id: string; name: string; input: string }>()
  return {
    add: (parts: readonly CallPart[]) => {
      for (const { index, id, function: called } of parts) {
        const call = calls.get(index) ?? { id: '', name: '', input: '' }
        call.id ||= id ?? `call_${index}`
        call.name += called?.name ?? ''
        call.input += called?.arguments ?? ''
        calls.set(index, call)
      }
    },
    read: (): readonly ToolCall[] => [...calls.values()],
  }
}

// Limits the bytes after decompression, including comments in the event stream.
const limitBytes = () => {
  let bytes = 0
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw new ModelError('too_long', `the model sent over ${maxBytes} bytes`)
      controller.enqueue(chunk)
    },
  })
}

async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal) {
  const events = body
    .pipeThrough(limitBytes())
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onError: 'terminate', maxBufferSize: maxEventCharacters }))
  try {
    for await (const { data } of events) yield data
  } catch (cause) {
    if (cause instanceof ModelError) throw cause
    if (signal.aborted) throw new ModelError('timeout', 'the model did not finish in time', { cause })
    throw garbled(cause)
  }
}

async function* readCompletion(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
): AsyncGenerator<ModelOutput> {
  const calls = createCallReader()
  let isFinished = false
  let used: z.infer<typeof Usage> | undefined
  for await (const data of readEvents(body, signal)) {
    if (data === end) break
    const { choices, usage } = parseChunk(data)
    const [choice] = choices
    const { content, tool_calls: parts } = choice?.delta ?? {}
    if (content) yield { kind: 'text', text: content }
    if (parts) calls.add(parts)
    isFinished ||= choice?.finish_reason != null
    // Some providers report the running usage with each chunk.
    used = usage ?? used
  }
  if (!isFinished) throw garbled()
  if (used) yield { kind: 'usage', inputTokens: used.prompt_tokens, outputTokens: used.completion_tokens }
  const called = calls.read()
  if (called.length > 0) yield { kind: 'calls', calls: called }
}

type ChatModelOptions = NonNullable<ReturnType<typeof readModelOptions>>

const formatMessage = (message: ModelMessage) => {
  switch (message.role) {
    case 'assistant':
      return {
        role: message.role,
        content: message.text,
        ...(message.calls.length > 0
          ? {
              tool_calls: message.calls.map(({ id, name, input }) => ({
                id,
                type: 'function',
                function: { name, arguments: input },
              })),
            }
          : {}),
      }
    case 'tool':
      return { role: message.role, tool_call_id: message.callId, content: message.text }
    default:
      return { role: message.role, content: message.text }
  }
}

const formatTool = ({ name, description, input }: ModelTool) => {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(input, { io: 'input' })
  return { type: 'function', function: { name, description, parameters } }
}

const formatRequest = (model: string, { messages, tools, maxOutputTokens }: ModelRequest) => ({
  model,
  messages: messages.map(formatMessage),
  ...(tools.length > 0 ? { tools: tools.map(formatTool) } : {}),
  max_tokens: maxOutputTokens,
  stream: true,
  stream_options: { include_usage: true },
})

const requestCompletion = async (
  { baseUrl, apiKey, model }: ChatModelOptions,
  request: ModelRequest,
  signal: AbortSignal,
) => {
  try {
    return await fetchTraced('model', `${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(formatRequest(model, request)),
      // A redirect would send the API key and the question to a different host.
      redirect: 'manual',
      signal,
    })
  } catch (cause) {
    if (signal.aborted) throw new ModelError('timeout', 'the model did not respond in time', { cause })
    throw new ModelError('unreachable', 'the model could not be reached', { cause })
  }
}

export const createChatModel = (options: ChatModelOptions): ModelPort => ({
  async complete(request, signal) {
    const response = await requestCompletion(options, request, signal)
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel()
      throw new ModelError('status', `the model returned status ${response.status}`)
    }
    return readCompletion(response.body, signal)
  },
})
