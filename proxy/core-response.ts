/** A complete response of the core, in memory of its own. */
export interface CoreResponse {
  readonly status: number
  /** Names and values as the core sent them: `[name, value, name, value]`, hop-by-hop headers included. */
  readonly headers: readonly string[]
  /** Still encoded as the core sent it; null if it has more than 64 KiB. */
  readonly body: Buffer | null
  /** Milliseconds from the dispatch of the request to the head of the response; waiting in a queue does not count. */
  readonly timeToHeadMs: number
  /** Milliseconds from the dispatch to the end of the response, or to where a longer body was no longer read. */
  readonly durationMs: number
}

/**
 * Receives the response of the core to a forwarded request once it is complete; never one that the core broke off or
 * whose client disconnected before. It is called synchronously, so it has to return soon. What it throws is ignored. It
 * cannot be asynchronous, as nothing would handle its rejection: a function whose result is `void` may return a promise.
 */
export type ResponseTap = (response: CoreResponse) => undefined
