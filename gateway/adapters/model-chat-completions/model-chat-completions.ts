import * as z from 'zod'
import {
  ModelError,
  type ModelMessage,
  type ModelPort,
  type ModelRequest,
  type ModelTool,
} from '#native-routes/catalog-analysis/ports.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'
import type { readModelOptions } from '../../settings/model.ts'
import { readCompletion } from './read-completion.ts'

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
