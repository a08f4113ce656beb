import * as z from 'zod'

const Call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

const Message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(Call).optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
])
export type Message = z.infer<typeof Message>

const Tool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
})

/** The part of a chat completions request that the sandbox reads. */
export const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).min(1).optional(),
  max_tokens: z.int().min(1).optional(),
  stream: z.boolean().default(false),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
})
export type ChatRequest = z.infer<typeof ChatRequest>

/** What the model writes in one response: text or tool calls. In a test, a call's input may be invalid JSON. */
export interface Turn {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: string }[]
}

export type Respond = (request: ChatRequest) => Turn
