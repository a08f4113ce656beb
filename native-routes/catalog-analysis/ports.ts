import type * as z from 'zod'

export interface AnalysisLimits {
  readonly questionsPerDay: number
  readonly tokensPerDay: number
  readonly toolCalls: number
  readonly tokens: number
  readonly timeoutMs: number
  readonly retentionDays: number
}

/**
 * Limits how many catalogues are read at once. Reading one with 20,000 tracks takes 100 MB and most of a pool's
 * connections.
 */
export interface AnalysisSlotPort {
  /**
   * Calls `read` once the account has a slot. Rejects with the signal's reason if the signal is aborted before that.
   */
  run<T>(accountId: string, read: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
}

/** A tool call that the model asks for. `input` is JSON as the model wrote it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: string
}

export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string }

export interface ModelRequest {
  readonly messages: readonly ModelMessage[]
  /** If empty, the model must not call a tool. */
  readonly tools: readonly ModelTool[]
  readonly maxOutputTokens: number
}

export type ModelOutput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'usage'; readonly inputTokens: number; readonly outputTokens: number }

export type ModelFailure =
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'garbled'
  | 'too_long'
  | 'tokens'
  | 'tool_calls'
  | 'empty'

/** The message contains nothing the model wrote. */
export class ModelError extends Error {
  override name = 'ModelError'
  readonly reason: ModelFailure

  constructor(reason: ModelFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export interface ModelPort {
  /** Sends one request. The promise, and the iterable it resolves to, reject with `ModelError`. */
  complete(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<ModelOutput>>
}
