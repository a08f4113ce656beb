import type * as z from 'zod'

/** What one question may use, what an account may use on one day, and how long a thread is kept. */
export interface AnalysisLimits {
  readonly questionsPerDay: number
  readonly tokensPerDay: number
  readonly toolCalls: number
  readonly tokens: number
  /** Of the model, tools included. */
  readonly timeoutMs: number
  /** Days after the last message of a thread. */
  readonly retentionDays: number
}

/** Bounds how many catalogues are read at a time: one of 20,000 tracks takes 100 MB and most connections of a pool. */
export interface AnalysisSlotPort {
  /** Calls `read` once the account has a slot. Rejects with the reason of the signal if it is aborted before. */
  run<T>(accountId: string, read: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** A function that a model may call. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
}

/** The model asks for a tool; `input` is JSON as the model wrote it. */
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
  /** Empty: the model must not call a tool. */
  readonly tools: readonly ModelTool[]
  readonly maxOutputTokens: number
}

/** A part of the output of a model: its text as it is written, its tool calls at the end, and what it used. */
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

/** A model did not produce a usable result. Its message contains nothing that the model wrote. */
export class ModelError extends Error {
  override name = 'ModelError'
  readonly reason: ModelFailure

  constructor(reason: ModelFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A language model. */
export interface ModelPort {
  /** Sends one request. Rejects with `ModelError`, and so does what it returns. */
  complete(request: ModelRequest, signal: AbortSignal): Promise<AsyncIterable<ModelOutput>>
}
